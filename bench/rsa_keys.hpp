// Private keys of RSA for the benchmark: made for it, and used nowhere else. Their time does not depend on the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

// RSAPrivateKey in DER, of a modulus of 2048, 3072 or 4096 bits.
std::vector<uint8_t> rsa_key(size_t bits);

}  // namespace bench
