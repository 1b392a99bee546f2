// What is left of secrets after each call for QUIC packets, as residue_test.cpp looks for it: of keys and traffic
// secrets, of what is derived from them, of payloads, nonces and masks. `cst-quic-residue [--leak
// freed|live|stack|register|mask]`.

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"
#include "needles.hpp"

using namespace residue;

namespace {

Needles needles;

}  // namespace

long residue::needle_in(const void *data, size_t size) { return needles.in(static_cast<const uint8_t *>(data), size); }

namespace {

constexpr size_t PACKETS = 40, HEADER = 20, NUMBER = 2, BYTES = 300, TAG = 16, PACKET = HEADER + BYTES + TAG;
uint8_t secret[48], next[48], plain[BYTES], packets[PACKETS][PACKET], sent[PACKETS][PACKET], opened[PACKETS][PACKET];

struct Algorithm {
    const char *name, *hmac, *mask;
    size_t secret_bytes, key_bytes;
};
constexpr Algorithm ALGORITHMS[] = {
    {"aes-128-gcm", "hmac-sha256", "aes-128-ecb", 32, 16},
    {"aes-256-gcm", "hmac-sha384", "aes-256-ecb", 48, 32},
    {"chacha20-poly1305", "hmac-sha256", "chacha20", 32, 32},
};

class Quic {
public:
    Quic(cst_ctx *ctx, const Algorithm &algorithm) : ctx_(ctx), its_(algorithm) {}

    void run() {
        needles.clear();
        needles.bytes(secret, its_.secret_bytes, 1);
        needles.bytes(plain, BYTES, 1);
        needles.ready();
        memcpy(&leaked_word, plain + 40, 8);
        add_key_of(its_.hmac, secret, its_.secret_bytes, false);
        cst_quic_key *const key = derived("cst_quic_key_from_secret", secret, nullptr);
        expect(observed(call("cst_quic_next_secret"),
                        [&] {
                            return cst_quic_next_secret(ctx_, its_.name, CST_QUIC_VERSION_1, secret, its_.secret_bytes,
                                                        next);
                        }),
               CST_OK);
        needles.bytes(next, its_.secret_bytes, 1);
        add_key_of(its_.hmac, next, its_.secret_bytes, false);
        cst_quic_key *const updated = derived("cst_quic_key_from_secret, updated", next, key);
        given();
        add_masks(key);
        for (const size_t n : {size_t(1), size_t(3), PACKETS}) bursts(key, updated, n);
        errors(key);
        released(key);
        released(updated);
    }

private:
    std::string call(const char *what) const { return std::string(its_.name) + " " + what; }

    // Makes needles of a key object of a suite with these bytes.
    void add_key_of(const char *name, const uint8_t *bytes, size_t n, bool cipher) {
        const cst_suite *suite = nullptr;
        cst_key *key = nullptr;
        expect(cst_suite_get(ctx_, name, &suite), CST_OK);
        const std::vector<uint64_t> known = known_words();
        tracking = making_key = true;
        expect(cst_key_new(suite, cipher ? bytes : nullptr, cipher ? n : 0, cipher ? nullptr : bytes, cipher ? 0 : n,
                           &key),
               CST_OK);
        tracking = making_key = false;
        add_blocks(known);
        cst_key_free(key);
    }
    void add_blocks(const std::vector<uint64_t> &known) {
        for (size_t i = 0; i < n_blocks; i++)
            if (blocks[i].key) {
                const std::vector<uint8_t> secrets = secrets_of(blocks[i], known);
                needles.bytes(secrets.data(), secrets.size(), 4);
            }
        needles.ready();
    }

    // Makes a key twice: the second time all that is derived is known.
    cst_quic_key *derived(const char *what, const uint8_t *from, const cst_quic_key *before) {
        cst_quic_key *made[2] = {};
        const std::vector<uint64_t> known = known_words();
        for (cst_quic_key *&key : made) {
            making_key = true;
            expect(observed(call(what),
                            [&] {
                                return cst_quic_key_from_secret(ctx_, its_.name, CST_QUIC_VERSION_1, from,
                                                                its_.secret_bytes, before, &key);
                            }),
                   CST_OK);
            making_key = false;
            if (&key == made) add_blocks(known);
        }
        released(made[1]);
        for (long n = 1;; n++) {
            cst_quic_key *none = nullptr;
            countdown = n;
            making_key = true;
            const int error = observed(call(what) + " without memory", [&] {
                return cst_quic_key_from_secret(ctx_, its_.name, CST_QUIC_VERSION_1, from, its_.secret_bytes, before,
                                                &none);
            });
            making_key = false;
            const bool all = countdown > 0;
            countdown = -1;
            expect(error, all ? CST_OK : CST_ERR_MEMORY);
            if (!all) continue;
            released(none);
            return made[0];
        }
    }

    void released(cst_quic_key *key) {
        observed(call("cst_quic_key_free"), [&] {
            cst_quic_key_free(key);
            return 0;
        });
    }

    // A key of its bytes, and what has no secret of the caller's.
    void given() {
        cst_quic_key *key = nullptr;
        making_key = true;
        expect(observed(call("cst_quic_key_new"),
                        [&] {
                            return cst_quic_key_new(ctx_, its_.name, plain, its_.key_bytes, plain + 32, 12, plain + 64,
                                                    its_.key_bytes, &key);
                        }),
               CST_OK);
        making_key = false;
        released(key);
    }

    cst_quic_packet packet(const cst_quic_key *key, size_t i) const {
        uint8_t *const at = packets[i];
        memset(at, 0, HEADER);
        at[0] = 0x40;
        memcpy(at + HEADER, plain, BYTES);
        cst_quic_packet packet = {};
        packet.size = sizeof packet;
        packet.key = key;
        packet.number_len = NUMBER;
        packet.number = i;
        packet.header = at;
        packet.header_len = HEADER;
        packet.in = at + HEADER;
        packet.in_len = BYTES;
        packet.out = at + HEADER;
        packet.out_cap = BYTES + TAG;
        return packet;
    }
    cst_quic_received received(const cst_quic_key *key, const cst_quic_key *after, size_t i) const {
        cst_quic_received received = {};
        received.size = sizeof received;
        received.key = key;
        received.next = after;
        received.in = sent[i];
        received.in_len = PACKET;
        received.number_at = HEADER - NUMBER;
        received.out = opened[i];
        received.out_cap = PACKET;
        return received;
    }

    int seal(const cst_quic_key *key, size_t n) {
        cst_quic_packet made[PACKETS];
        for (size_t i = 0; i < n; i++) made[i] = packet(key, i);
        return cst_quic_seal(ctx_, made, n);
    }
    int observed_seal(const std::string &name, const cst_quic_key *key, size_t n) {
        cst_quic_packet made[PACKETS];
        for (size_t i = 0; i < n; i++) made[i] = packet(key, i);
        return observed(call("cst_quic_seal, ") + name, [&] { return cst_quic_seal(ctx_, made, n); });
    }
    int observed_open(const std::string &name, const cst_quic_key *key, const cst_quic_key *after, size_t n) {
        cst_quic_received made[PACKETS];
        for (size_t i = 0; i < n; i++) made[i] = received(key, after, i);
        return observed(call("cst_quic_open, ") + name, [&] { return cst_quic_open(ctx_, made, n); });
    }

    // Masks, by another key of the same bytes: the header protection's, of the RFC's label.
    void add_masks(const cst_quic_key *key) {
        expect(seal(key, PACKETS), CST_OK);
        memcpy(sent, packets, sizeof sent);
        uint8_t info[] = {
            0, uint8_t(its_.key_bytes), 13, 't', 'l', 's', '1', '3', ' ', 'q', 'u', 'i', 'c', ' ', 'h', 'p', 0, 1};
        uint8_t hp[48];
        const cst_suite *suite = nullptr;
        cst_key *hmac = nullptr, *cipher = nullptr;
        expect(cst_suite_get(ctx_, its_.hmac, &suite), CST_OK);
        expect(cst_key_new(suite, nullptr, 0, secret, its_.secret_bytes, &hmac), CST_OK);
        expect(cst_digest(hmac, info, sizeof info, hp, its_.secret_bytes), CST_OK);
        cst_key_free(hmac);
        expect(cst_suite_get(ctx_, its_.mask, &suite), CST_OK);
        expect(cst_key_new(suite, hp, its_.key_bytes, nullptr, 0, &cipher), CST_OK);
        for (size_t i = 0; i < PACKETS; i++) {
            uint8_t mask[16], sample[16], zeros[16] = {};
            memcpy(sample, sent[i] + HEADER + 4 - NUMBER, sizeof sample);
            const bool chacha = its_.mask[0] == 'c';
            expect(cst_seal(cipher, chacha ? sample : nullptr, chacha ? 16 : 0, nullptr, 0, chacha ? zeros : sample, 16,
                            mask, 16, nullptr, nullptr, 0),
                   CST_OK);
            const bool right = sent[i][0] == (0x40 | (NUMBER - 1) ^ (mask[0] & 0x1f)) &&
                               sent[i][HEADER - NUMBER] == mask[1] && sent[i][HEADER - 1] == (mask[2] ^ uint8_t(i));
            expect(right ? CST_OK : CST_ERR_SELFTEST, CST_OK);
            needles.bytes(mask, sizeof mask, 1);
        }
        cst_key_free(cipher);
        needles.ready();
    }

    void bursts(const cst_quic_key *key, const cst_quic_key *after, size_t n) {
        const std::string size = std::to_string(n) + " packets";
        expect(observed_seal(size, key, n), CST_OK);
        expect(memcmp(packets, sent, n * PACKET) ? CST_ERR_SELFTEST : CST_OK, CST_OK);
        expect(observed_open(size, key, nullptr, n), CST_OK);
        expect(memcmp(opened[n - 1] + HEADER, plain, BYTES) ? CST_ERR_SELFTEST : CST_OK, CST_OK);
        memset(opened, 0, sizeof opened);
        for (const size_t flipped : {size_t(0), size_t(3), HEADER + 5, PACKET - 1}) {
            sent[n - 1][flipped] ^= flipped ? 1 : 4;  // 4: the key phase
            expect(observed_open(size + ", byte " + std::to_string(flipped) + " is wrong", key, after, n),
                   CST_ERR_AUTH);
            sent[n - 1][flipped] ^= flipped ? 1 : 4;
        }
        memset(opened, 0, sizeof opened);
    }

    void errors(const cst_quic_key *key) {
        cst_quic_packet wrong = packet(key, 0);
        wrong.number_len = 5;
        expect(observed(call("cst_quic_seal, a wrong argument"), [&] { return cst_quic_seal(ctx_, &wrong, 1); }),
               CST_ERR_ARGUMENT);
        for (const bool opens : {false, true})
            for (long n = 1;; n++) {
                countdown = n;
                const int error = opens ? observed_open("without memory", key, nullptr, PACKETS)
                                        : observed_seal("without memory", key, PACKETS);
                const bool all = countdown > 0;
                countdown = -1;
                if (error != CST_OK) expect(error, CST_ERR_MEMORY);
                if (all) break;
            }
    }

    cst_ctx *const ctx_;
    const Algorithm &its_;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "--leak")) leak = argv[2];
    if (!cst_probe_components()) return puts("this CPU or system has no XSAVE"), 77;
    fill(secret, sizeof secret, 1);
    fill(plain, sizeof plain, 2);
    tracking = true;
    cst_ctx *ctx = nullptr;
    const int error = cst_ctx_new(&ctx, nullptr);
    tracking = false;
    if (error) return 1;
    for (const Algorithm &algorithm : ALGORITHMS) {
        Quic(ctx, algorithm).run();
        if (*leak) break;
    }
    printf("%zu calls, %d findings\n", calls, failures);
    return failures != 0;
}
