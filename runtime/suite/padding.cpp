#include "padding.hpp"

#include <cstring>

namespace cst {

void hash_initial(const AlgorithmRecord &hash, uint8_t *chain) {
    for (uint32_t i = 0; i < hash.words; i++) memcpy(chain + i * hash.word_bytes, &hash.initial[i], hash.word_bytes);
}

}  // namespace cst
