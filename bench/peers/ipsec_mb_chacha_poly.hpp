// intel-ipsec-mb's direct calls for ChaCha20-Poly1305.
#pragma once

#include "ipsec_mb_jobs.hpp"

namespace bench {

std::vector<std::unique_ptr<Task>> imb_chacha_poly_tasks(IMB_MGR *manager, const Row &row, const Batch &batch);

} // namespace bench
