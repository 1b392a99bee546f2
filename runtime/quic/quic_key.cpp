#include "quic_key.hpp"

#include <algorithm>
#include <cstring>

#include "../keys/keys.hpp"

namespace cst {
namespace {

// Section 6.6 gives these limits for packets of up to 2^16 bytes. ChaCha20-Poly1305's limit of sealed packets is more
// than there are packet numbers.
constexpr QuicAlgorithm ALGORITHMS[] = {
    {"aes-128-gcm", "hmac-sha256", 16, 32, false, uint64_t(1) << 23, uint64_t(1) << 52},
    {"aes-256-gcm", "hmac-sha384", 32, 48, false, uint64_t(1) << 23, uint64_t(1) << 52},
    {"chacha20-poly1305", "hmac-sha256", 32, 32, true, NO_LIMIT, uint64_t(1) << 36},
};

int new_cipher_key(const Suites &suites, const char *name, const uint8_t *key, size_t bytes, KeyPointer *out) {
    const Suite *const suite = suites.find(name);
    if (!suite) return CST_ERR_UNSUPPORTED;
    if (int error = prepare_suite(*suite)) return error;
    return new_key(*suite, key, bytes, nullptr, 0, out);
}

int set_header_key(const Suites &suites, const QuicAlgorithm &algorithm, const uint8_t *hp, const HeaderKey *before,
                   HeaderKey *out) {
    if (algorithm.chacha) {
        const uint8_t *const key = hp ? hp : *before->chacha->encrypt();
        return new_cipher_key(suites, "chacha20", key, algorithm.key_bytes, &out->chacha);
    }
    if (hp) {
        out->rounds = uint32_t(6 + algorithm.key_bytes / 4);
        aes_expand(hp, uint32_t(algorithm.key_bytes), out->aes);
    } else {
        out->rounds = before->rounds;
        memcpy(out->aes, before->aes, sizeof(out->aes));
    }
    return CST_OK;
}

}  // namespace

const QuicAlgorithm *QuicAlgorithm::find(const char *name) {
    const auto found = std::find_if(std::begin(ALGORITHMS), std::end(ALGORITHMS),
                                    [&](const QuicAlgorithm &its) { return !strcmp(its.name, name); });
    return found == std::end(ALGORITHMS) ? nullptr : found;
}

int new_quic_key(const Suites &suites, const QuicAlgorithm &algorithm, const uint8_t *key, const uint8_t *iv,
                 const uint8_t *hp, const QuicKey *before, QuicKeyPointer *out) {
    QuicKeyPointer made =
        make_wiped<QuicKey>(algorithm, before ? before->failed : std::make_shared<Allowance>(algorithm.most_failed));
    if (int error = new_cipher_key(suites, algorithm.name, key, algorithm.key_bytes, &made->aead)) return error;
    memcpy(made->iv, iv, QUIC_IV);
    if (int error = set_header_key(suites, algorithm, hp, before ? &before->header : nullptr, &made->header))
        return error;
    *out = std::move(made);
    return CST_OK;
}

}  // namespace cst
