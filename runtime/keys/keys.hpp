// Keys, made from a caller's bytes.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// Makes a key in `memory`, suite.key_layout.bytes bytes, aligned as a Key is. The lengths have been checked. Writes
// nothing on an error: CST_ERR_ARGUMENT (an XTS key whose halves are equal), CST_ERR_MEMORY, CST_ERR_JIT,
// CST_ERR_UNSUPPORTED. Takes no memory of its own, and a time that depends on lengths alone.
int make_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
             void *memory);

// Makes a key in memory of its own.
int new_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
            KeyPointer *out);

}  // namespace cst
