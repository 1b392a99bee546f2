// TLS records out of intel-ipsec-mb's jobs (hash, then cipher), where the application lays the record out.
#pragma once

#include "ipsec_mb_jobs.hpp"

namespace bench {

// Nothing for opening: how much is text is known only after decrypting, and its jobs have no constant-time check of the
// padding.
std::vector<std::unique_ptr<Task>> imb_tls_tasks(IMB_MGR *manager, const Row &row, const Batch &batch);

} // namespace bench
