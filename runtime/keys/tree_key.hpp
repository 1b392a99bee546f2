// Makes the keys of BLAKE3's keyed hash and key derivation.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// Makes a key as make_key does. `bytes`: the key, or the context string.
int make_tree_key(const Suite &suite, const uint8_t *bytes, size_t n, void *memory);

}  // namespace cst
