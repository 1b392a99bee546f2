// What a suite's name means, in libcrypto's terms. cryptostitch.h says what the names stand for.
#pragma once

#include <string>

#include "cryptostitch/cryptostitch.h"

namespace soak {

// How cipher and MAC are put together.
enum class Form {
    digest,
    both,      // two digests, one behind the other
    checksum,  // crc.hpp
    tree,      // blake3.hpp
    multi,     // multi_hash.hpp
    hmac,      // RFC 2104
    cmac,      // SP 800-38B
    xcbc,      // RFC 3566
    cipher,
    gcm,       // SP 800-38D
    ccm,       // SP 800-38C
    poly1305,  // RFC 8439
    etm,       // encrypt-then-MAC over aad || iv || ciphertext
    unprefixed,  // the same over aad || ciphertext
    esp,       // the same, an extended sequence number's high half behind the ciphertext (RFC 4303, 2.2.1)
    rfc7518,   // RFC 7518, 5.2
    tls,       // a record of TLS 1.1 or 1.2 (RFC 5246, 6.2.3.2)
};

struct Meaning {
    Form form = Form::digest;
    std::string cipher,
        hash;  // libcrypto's names; of checksums the suite's; hash "XCBC": AES-XCBC-MAC; cipher "RC4": rc4.hpp
    std::string kind;          // suites of a kind share code: draws go by kinds
    std::string second = {};   // of two digests; `hash` is the first. Beside a cipher: the checksum
    bool sums_plaintext = false;  // that checksum is of the plaintext, else of the ciphertext
};

// False: the soak does not know what it means.
bool read_meaning(const std::string &suite, Meaning *meaning);

}  // namespace soak
