// AES-XCBC-MAC (RFC 3566), which libcrypto does not have, out of its AES-CBC.
#pragma once

#include "libcrypto.hpp"

namespace bench {

std::vector<std::unique_ptr<Task>> openssl_xcbc_tasks(const Libcrypto &crypto, const Row &row, const Batch &batch);

} // namespace bench
