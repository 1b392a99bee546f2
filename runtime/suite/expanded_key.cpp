#include "expanded_key.hpp"

#include <cstring>

namespace cst {
namespace {

size_t cipher_bytes(const AlgorithmRecord &cipher) {
    if (cipher.kind == ALGORITHM_CHACHA) return cipher.key_bytes;
    const size_t rows = cipher.is_des() ? des_rows(cipher.key_bytes) : cipher.rounds + 1;
    return rows * sizeof(KeyRow);
}

bool has_masks(const Suite &suite) { return suite.key_layout.masks != 0; }

bool complete(const Suite &suite, const ExpandedKey &parts) {
    if (suite.enciphers() && !parts.cipher) return false;
    if (suite.hmac() && !(parts.inner && parts.outer)) return false;
    if (has_masks(suite) && !(parts.mac && parts.whole && parts.filled)) return false;
    return suite.construction != Construction::gcm || parts.powers;
}

}  // namespace

int take_expanded_key(const Suite &suite, const ExpandedKey &parts, void *memory, const Key **out) {
    if (reinterpret_cast<uintptr_t>(memory) % alignof(Key) || !complete(suite, parts)) return CST_ERR_ARGUMENT;
    if (parts.direction != CST_SEAL && parts.direction != CST_OPEN) return CST_ERR_ARGUMENT;
    if (suite.tweaked() || suite.key_layout.rc4) return CST_ERR_UNSUPPORTED;
    Key *const key = Key::make(suite, memory);
    if (suite.enciphers()) {
        const bool opens = parts.direction == CST_OPEN;
        const AlgorithmRecord &cipher = (opens ? suite.decrypt : suite.encrypt)->record;
        memcpy(opens ? key->decrypt() : key->encrypt(), parts.cipher, cipher_bytes(cipher));
    }
    if (suite.hmac()) {
        const size_t bytes = suite.hash->record.words * suite.hash->record.word_bytes;
        memcpy(key->inner(), parts.inner, bytes);
        memcpy(key->outer(), parts.outer, bytes);
    }
    if (has_masks(suite)) {
        memcpy(key->mac(), parts.mac, (suite.hash->record.rounds + 1) * sizeof(KeyRow));
        memcpy(key->whole(), parts.whole, sizeof(KeyRow));
        memcpy(key->filled(), parts.filled, sizeof(KeyRow));
    }
    if (suite.construction == Construction::gcm) memcpy(key->powers(), parts.powers, GHASH_POWERS * sizeof(KeyRow));
    *out = key;
    return CST_OK;
}

}  // namespace cst
