// AEAD ciphers through EVP.
#pragma once

#include "../peer.hpp"

namespace bench {

std::vector<std::unique_ptr<Task>> openssl_aead_tasks(const Row &row, const Batch &batch);

} // namespace bench
