// The error number of a manager, and that of calls that have none.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// error: an IMB_ERR, or 0. manager: NULL for calls without one. The last of each thread is kept besides.
void set_error(IMB_MGR *manager, int error);

}  // namespace cst::imb
