// The functions of a manager of version 2.0 that 1.3 has not.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// Into the job: the numbers of the suite that it asks for.
void name_suite(IMB_MGR *manager, IMB_JOB *job);
void set_quic_functions(IMB_MGR *manager);

}  // namespace cst::imb
