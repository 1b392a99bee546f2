#include "rc4.hpp"

#include <cstring>
#include <utility>

#include "secret.hpp"

namespace cst {

void rc4_expand_vartime(const uint8_t *key, size_t bytes, uint8_t *state) {
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) table[i] = i;
    for (uint32_t i = 0, j = 0; i < 256; i++) {
        j = (j + table[i] + key[i % bytes]) & 255;
        std::swap(table[i], table[j]);
    }
    memset(state, 0, RC4_CHAIN);
    memcpy(state + RC4_CHAIN, table, RC4_TABLE);
    wipe(table, sizeof(table));
}

}  // namespace cst
