// QUIC packets by intel-ipsec-mb, from version 1.5 on.
#pragma once

#include "ipsec_mb_jobs.hpp"

namespace bench {

// None where it has no masks of header protection.
std::vector<std::unique_ptr<Task>> imb_quic_tasks(IMB_MGR *manager, const Row &row, const Batch &batch);

}  // namespace bench
