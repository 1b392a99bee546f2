#include "registers.hpp"

namespace cst {

template void clear_below<CLEARED_STACK>();

}  // namespace cst
