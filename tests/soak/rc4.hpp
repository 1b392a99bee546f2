// RC4, as RFC 6229 has its test vectors (libcrypto keeps it in a module that need not be there).
#pragma once

#include <utility>

#include "random.hpp"

namespace soak {

inline Bytes rc4(const Bytes &key, const Bytes &text) {
    uint8_t s[256];
    for (int i = 0; i < 256; i++) s[i] = uint8_t(i);
    for (int i = 0, j = 0; i < 256; i++) {
        j = (j + s[i] + key[size_t(i) % key.size()]) & 255;
        std::swap(s[i], s[j]);
    }
    Bytes out(text);
    int i = 0, j = 0;
    for (uint8_t &byte : out) {
        i = (i + 1) & 255;
        j = (j + s[i]) & 255;
        std::swap(s[i], s[j]);
        byte ^= s[(s[i] + s[j]) & 255];
    }
    return out;
}

}  // namespace soak
