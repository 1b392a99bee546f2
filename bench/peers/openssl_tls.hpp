// OpenSSL's stitched AES-CBC-HMAC ciphers, as its own TLS code drives them.
#pragma once

#include "libcrypto.hpp"

namespace bench {

// Nothing where this OpenSSL has no such cipher (it has them for AES-NI only, and for SHA-1 and SHA-256).
std::vector<std::unique_ptr<Task>> openssl_tls_tasks(const Libcrypto &crypto, const Row &row, const Batch &batch);

} // namespace bench
