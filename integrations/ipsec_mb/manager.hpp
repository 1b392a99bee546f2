// Makes a manager ready.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// architecture: what the caller asked for; which kernels run is the library's choice all the same. Errors are the
// manager's.
void start(IMB_MGR *manager, IMB_ARCH architecture);

}  // namespace cst::imb
