// Bursts of QUIC packets whose arguments have been checked.
#pragma once

#include "masks.hpp"

namespace cst {

inline const QuicKey *from(const cst_quic_key *key) { return reinterpret_cast<const QuicKey *>(key); }

template <typename Packet>
bool has_avx(const Packet &packet) {
    return from(packet.key)->aead->suite->engine->avx();
}

// Packets at work together, at most MOST.
template <size_t MOST>
struct PacketWindow {
    cst_job jobs[MOST];
    alignas(64) Mask blocks[MOST];   // nonces, and masks before or after them
    const uint8_t *samples[MOST];    // where they lie
    const HeaderKey *keys[MOST];     // of the header protection
    uint16_t places[MOST];  // of the packet of each job in the batch
    size_t n = 0;  // jobs

    ~PacketWindow() { wipe(blocks, n * sizeof(Mask)); }
};

// Writes the nonce of a packet (5.3). No word is loaded that was stored in two parts just before, which takes long.
inline void put_nonce(const QuicKey &key, uint64_t number, Mask *nonce) {
    constexpr size_t HIGH = QUIC_IV - sizeof(number);
    uint64_t low;
    memcpy(&low, key.iv + HIGH, sizeof(low));
    low ^= __builtin_bswap64(number);
    memcpy(nonce->bytes, key.iv, HIGH);
    memcpy(nonce->bytes + HIGH, &low, sizeof(low));
}

// Which bits of the first byte are protected (5.4.1): four of a long header, five of a short one.
inline uint8_t protected_bits(uint8_t first) { return uint8_t(0x1f ^ (first >> 3 & 0x10)); }

// Run a packet by itself, by a kernel that needs no memory of a burst, if it is known. They return as the next two do,
// or JOB_WAITING: no kernel is known that takes it, and nothing was written.
int seal_alone(cst_quic_packet *packet);
int open_alone(cst_quic_received *packet);

// Run all packets whose status is JOB_WAITING. They return CST_OK, or CST_ERR_LIMIT or CST_ERR_AUTH, if a packet was
// not sealed or not opened.
int seal_packets(Memory *memory, cst_quic_packet *packets, size_t n);
int open_packets(Memory *memory, cst_quic_received *packets, size_t n);

}  // namespace cst
