// cst-quic-limits: a key whose count of failures is set to just below its limit, which no test could reach by packets.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cryptostitch/cryptostitch.h"
#include "quic/packets.hpp"

namespace {

void require(bool holds, const char *what) {
    if (holds) return;
    printf("not so: %s\n", what);
    exit(1);
}

struct Packet {
    uint8_t bytes[64] = {0x40, 1, 2, 3, 4, 0};

    void seal(cst_ctx *ctx, const cst_quic_key *key) {
        cst_quic_packet packet = {};
        packet.size = sizeof packet;
        packet.key = key;
        packet.number_len = 1;
        packet.header = bytes, packet.header_len = 6;
        packet.in = packet.out = bytes + 6;
        packet.in_len = sizeof bytes - 22, packet.out_cap = sizeof bytes - 6;
        require(cst_quic_seal(ctx, &packet, 1) == CST_OK, "it is sealed");
    }
    cst_quic_received received(const cst_quic_key *key, uint8_t *out) const {
        cst_quic_received received = {};
        received.size = sizeof received;
        received.key = key;
        received.in = bytes, received.in_len = sizeof bytes;
        received.number_at = 5;
        received.out = out, received.out_cap = sizeof bytes;
        return received;
    }
};

void run(cst_ctx *ctx, const char *name, size_t key_bytes, size_t secret_bytes) {
    const uint8_t secret[48] = {1};
    cst_quic_key *key = nullptr, *after = nullptr, *other = nullptr;
    const int made = cst_quic_key_from_secret(ctx, name, 1, secret, secret_bytes, nullptr, &key);
    if (made == CST_ERR_UNSUPPORTED) return;
    require(made == CST_OK, "a key");
    require(!cst_quic_key_from_secret(ctx, name, 1, secret, secret_bytes, key, &after), "the key after it");
    require(!cst_quic_key_new(ctx, name, secret, key_bytes, secret, 12, secret, key_bytes, &other), "another key");
    Packet good, bad, others;
    good.seal(ctx, key);
    bad = good;
    bad.bytes[63] ^= 1;
    others.seal(ctx, other);
    cst_quic_key_info info = {};
    info.size = sizeof info;
    require(!cst_quic_key_info_get(key, &info), "info");
    cst::from(key)->failed->add(info.most_failed - 1);
    uint8_t out[4][64];
    memset(out, 0xee, sizeof out);
    uint8_t untouched[64];
    memcpy(untouched, out[0], sizeof untouched);
    cst_quic_received first[2] = {good.received(key, out[0]), bad.received(after, out[1])};
    require(
        cst_quic_open(ctx, first, 2) == CST_ERR_AUTH && first[0].status == CST_OK && first[1].status == CST_ERR_AUTH,
        "below the limit packets are opened and refused");
    memset(out, 0xee, sizeof out);
    cst_quic_received then[4] = {good.received(key, out[0]), bad.received(key, out[1]), good.received(after, out[2]),
                                 others.received(other, out[3])};
    require(cst_quic_open(ctx, then, 4) == CST_ERR_AUTH, "a packet was not opened");
    for (int i = 0; i < 3; i++)
        require(then[i].status == CST_ERR_LIMIT && !memcmp(out[i], untouched, sizeof untouched) && !then[i].opened_by,
                "at the limit nothing is opened or written, under any key of the phases");
    require(then[3].status == CST_OK, "other keys go on");
    require(!cst_quic_key_info_get(after, &info) && info.failed == info.most_failed, "the count stays");
    cst_quic_key_free(key);
    require(cst_quic_open(ctx, &then[2], 1) == CST_ERR_AUTH && then[2].status == CST_ERR_LIMIT,
            "the count outlives the first key");
    cst_quic_key_free(after);
    cst_quic_key_free(other);
}

}  // namespace

int main() {
    cst_ctx *ctx = nullptr;
    require(cst_ctx_new(&ctx, nullptr) == CST_OK, "a context");
    run(ctx, "aes-128-gcm", 16, 32);
    run(ctx, "aes-256-gcm", 32, 48);
    run(ctx, "chacha20-poly1305", 32, 32);
    cst_ctx_free(ctx);
    puts("limits are kept");
    return 0;
}
