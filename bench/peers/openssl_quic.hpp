// QUIC packets through EVP.
#pragma once

#include "libcrypto.hpp"

namespace bench {

std::vector<std::unique_ptr<Task>> openssl_quic_tasks(const Libcrypto &crypto, const Row &row, const Batch &batch);

}  // namespace bench
