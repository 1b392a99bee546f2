// What only version 1.3 exports.

#include "manager.hpp"

void init_mb_mgr_avx(IMB_MGR *manager) { cst::imb::start(manager, IMB_ARCH_AVX); }
