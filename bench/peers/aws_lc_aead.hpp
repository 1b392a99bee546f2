// AEAD ciphers by the calls that AWS-LC has beside EVP's: a message in one call.
#pragma once

#include "../peer.hpp"

namespace bench {

// Of the library in that file; QUIC packets, too, as s2n-quic and quiche have them.
std::vector<std::unique_ptr<Task>> aws_lc_aead_tasks(const std::string &file, const Row &row, const Batch &batch);

} // namespace bench
