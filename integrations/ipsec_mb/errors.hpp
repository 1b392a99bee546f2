// The error number of a manager, and that of calls that have none.
#pragma once

#include <cerrno>

#include "interface.hpp"

namespace cst::imb {

// error: an IMB_ERR, or 0. manager: NULL for calls without one. The last of each thread is kept besides.
inline int &last_error() {
    static thread_local int error = 0;
    return error;
}
inline void set_error(IMB_MGR *manager, int error) {
    if (manager) manager->imb_errno = error;
    last_error() = error;
}

// What a function without a status has done: false, if there was no memory, or none that may be executed.
inline void report(bool done) {
    if (!done) set_error(nullptr, ENOMEM);
}

}  // namespace cst::imb
