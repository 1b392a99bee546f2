#include "key_schedule.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../keys/keys.hpp"
#include "../run/run.hpp"
#include "../suite/registers.hpp"

namespace cst {
namespace {

constexpr QuicVersion VERSIONS[] = {
    {CST_QUIC_VERSION_1,
     "quic key",
     "quic iv",
     "quic hp",
     "quic ku",
     {0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17,
      0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a},
     {0xbe, 0x0c, 0x69, 0x0b, 0x9f, 0x66, 0x57, 0x5a, 0x1d, 0x76, 0x6b, 0x54, 0xe3, 0x68, 0xc8, 0x4e},
     {0x46, 0x15, 0x99, 0xd3, 0x5d, 0x63, 0x2b, 0xf2, 0x23, 0x98, 0x25, 0xbb}},
    {CST_QUIC_VERSION_2,
     "quicv2 key",
     "quicv2 iv",
     "quicv2 hp",
     "quicv2 ku",
     {0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93,
      0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9},
     {0x8f, 0xb4, 0xb0, 0x1b, 0x56, 0xac, 0x48, 0xe2, 0x60, 0xfb, 0xcb, 0xce, 0xad, 0x7c, 0xcc, 0x92},
     {0xd8, 0x69, 0x69, 0xbc, 0x2d, 0x7c, 0x6d, 0x99, 0x90, 0xef, 0xb0, 0x4a}},
};

// HMAC under one key. HKDF-Expand of no more bytes than a digest has is one HMAC (RFC 5869, 2.3), and HKDF-Extract is
// one (2.2), too.
class Hmac {
public:
    int set_key(const Suites &suites, const char *name, const uint8_t *key, size_t bytes) {
        const Suite *const suite = suites.find(name);
        if (!suite) return CST_ERR_UNSUPPORTED;
        if (int error = prepare_suite(*suite)) return error;
        return new_key(*suite, nullptr, 0, key, bytes, &key_);
    }
    int run(const uint8_t *in, size_t bytes, uint8_t *out, size_t out_bytes) const {
        cst_job job;
        new_job(&job, *key_, CST_SEAL);
        job.in = in;
        job.in_len = bytes;
        job.tag = out;
        job.tag_len = out_bytes;
        // An allocation that fails throws, which saves registers on the stack where the dynamic linker binds lazily.
        const ClearRegisters clear(key_->suite->engine->cpu());
        return run_jobs(*key_->suite->engine, &job, 1, Likeness::shape);
    }
    // HKDF-Expand-Label (RFC 8446, 7.1) without a context.
    int expand_label(const char *label, uint8_t *out, size_t out_bytes) const {
        static constexpr char PREFIX[] = "tls13 ";
        constexpr size_t PREFIX_BYTES = sizeof(PREFIX) - 1;
        const size_t label_bytes = strlen(label);
        uint8_t info[32] = {0, uint8_t(out_bytes), uint8_t(PREFIX_BYTES + label_bytes)};
        size_t n = 3;
        memcpy(info + n, PREFIX, PREFIX_BYTES);
        memcpy(info + (n += PREFIX_BYTES), label, label_bytes);
        n += label_bytes;
        info[n++] = 0;  // bytes of the context
        info[n++] = 1;  // number of the HMAC
        return run(info, n, out, out_bytes);
    }

private:
    KeyPointer key_;
};

// Bytes of secrets on the stack, wiped at the end of the scope.
template <size_t BYTES>
struct Secret {
    ~Secret() { wipe(at, BYTES); }
    uint8_t at[BYTES];
};

}  // namespace

const QuicVersion *QuicVersion::find(uint32_t number) {
    const auto found = std::find_if(std::begin(VERSIONS), std::end(VERSIONS),
                                    [&](const QuicVersion &its) { return its.number == number; });
    return found == std::end(VERSIONS) ? nullptr : found;
}

int new_quic_key(const Suites &suites, const QuicAlgorithm &algorithm, const QuicVersion &version,
                 const uint8_t *secret, const QuicKey *before, QuicKeyPointer *out) {
    Hmac hmac;
    Secret<QUIC_MOST_KEY> key, hp;
    Secret<QUIC_IV> iv;
    if (int error = hmac.set_key(suites, algorithm.hmac, secret, algorithm.secret_bytes)) return error;
    if (int error = hmac.expand_label(version.key, key.at, algorithm.key_bytes)) return error;
    if (int error = hmac.expand_label(version.iv, iv.at, QUIC_IV)) return error;
    if (!before)
        if (int error = hmac.expand_label(version.hp, hp.at, algorithm.key_bytes)) return error;
    return new_quic_key(suites, algorithm, key.at, iv.at, before ? nullptr : hp.at, before, out);
}

int next_secret(const Suites &suites, const QuicAlgorithm &algorithm, const QuicVersion &version, const uint8_t *secret,
                uint8_t *next) {
    Hmac hmac;
    if (int error = hmac.set_key(suites, algorithm.hmac, secret, algorithm.secret_bytes)) return error;
    return hmac.expand_label(version.ku, next, algorithm.secret_bytes);
}

int initial_secrets(const Suites &suites, const QuicVersion &version, const uint8_t *connection_id, size_t n,
                    uint8_t *client, uint8_t *server) {
    Hmac extract, expand;
    Secret<QUIC_INITIAL_SECRET> secret;
    if (int error = extract.set_key(suites, "hmac-sha256", version.salt, sizeof(version.salt))) return error;
    if (int error = extract.run(connection_id, n, secret.at, sizeof(secret.at))) return error;
    if (int error = expand.set_key(suites, "hmac-sha256", secret.at, sizeof(secret.at))) return error;
    Secret<QUIC_INITIAL_SECRET> first;
    if (int error = expand.expand_label("client in", first.at, sizeof(first.at))) return error;
    if (int error = expand.expand_label("server in", server, QUIC_INITIAL_SECRET)) return error;
    memcpy(client, first.at, sizeof(first.at));
    return CST_OK;
}

int retry_tag(const Suites &suites, const QuicVersion &version, const uint8_t *connection_id, size_t n,
              const uint8_t *packet, size_t packet_bytes, uint8_t *tag) {
    const Suite *const suite = suites.find("aes-128-gcm");
    if (!suite) return CST_ERR_UNSUPPORTED;
    if (int error = prepare_suite(*suite)) return error;
    KeyPointer key;
    if (int error = new_key(*suite, version.retry_key, sizeof(version.retry_key), nullptr, 0, &key)) return error;
    std::vector<uint8_t> pseudo_packet(1 + n + packet_bytes);
    pseudo_packet[0] = uint8_t(n);
    std::copy(connection_id, connection_id + n, pseudo_packet.begin() + 1);
    std::copy(packet, packet + packet_bytes, pseudo_packet.begin() + 1 + ptrdiff_t(n));
    cst_job job;
    new_job(&job, *key, CST_SEAL);
    job.iv = version.retry_iv;
    job.iv_len = QUIC_IV;
    job.aad = pseudo_packet.data();
    job.aad_len = pseudo_packet.size();
    job.tag = tag;
    job.tag_len = QUIC_TAG;
    return run_jobs(*suite->engine, &job, 1, Likeness::shape);
}

}  // namespace cst
