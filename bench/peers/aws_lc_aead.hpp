// AEAD ciphers by the calls that AWS-LC has beside EVP's: a message in one call.
#pragma once

#include "../peer.hpp"

namespace bench {

// Prepares a row's tasks by the library in that file. QUIC packets are sealed and masked as s2n-quic and quiche do it.
std::vector<std::unique_ptr<Task>> aws_lc_aead_tasks(const std::string &file, const Row &row, const Batch &batch);

} // namespace bench
