// Public keys by EVP: X25519 of the text's first 32 bytes, signatures of the text and their verification by Ed25519.
// The keys of jobs are the first 32 bytes of the row's keys.
#pragma once

#include "libcrypto.hpp"

namespace bench {

constexpr size_t RAW_KEY = 32;

// aws_lc: the library is AWS-LC, whose numbers for the algorithms are others than OpenSSL's.
std::vector<std::unique_ptr<Task>> libcrypto_public_key_tasks(const Libcrypto &crypto, bool aws_lc, const Row &row,
                                                              const Batch &batch);

} // namespace bench
