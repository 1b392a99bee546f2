// AEAD ciphers by intel-ipsec-mb's job queue: ChaCha20-Poly1305, CCM.
#pragma once

#include "ipsec_mb_jobs.hpp"

namespace bench {

std::vector<std::unique_ptr<Task>> imb_aead_tasks(IMB_MGR *manager, const Row &row, const Batch &batch);

} // namespace bench
