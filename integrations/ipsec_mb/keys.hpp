// What makes keys ready, and hashes one buffer: the functions of the manager that take no context.
#pragma once

#include "interface.hpp"

namespace cst::imb {

void set_key_functions(IMB_MGR *manager);

}  // namespace cst::imb
