// intel-ipsec-mb's jobs for AES-CCM.
#pragma once

#include "ipsec_mb_jobs.hpp"

namespace bench {

std::vector<std::unique_ptr<Task>> imb_ccm_tasks(IMB_MGR *manager, const Row &row, const Batch &batch);

} // namespace bench
