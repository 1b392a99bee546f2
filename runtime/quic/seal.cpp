#include <algorithm>

#include "packets.hpp"
#include "../message/constructions.hpp"
#include "../run/run.hpp"

namespace cst {
namespace {

// Takes the packets that follow one another under one key from its allowance at once.
class Grants {
public:
    bool take(const cst_quic_packet *packet, const cst_quic_packet *end) {
        if (packet >= asked_) {
            for (asked_ = packet + 1; asked_ < end && asked_->key == packet->key;) asked_++;
            left_ = from(packet->key)->sealed.take(uint64_t(asked_ - packet));
        }
        if (!left_) return false;
        left_--;
        return true;
    }

private:
    const cst_quic_packet *asked_ = nullptr;
    uint64_t left_ = 0;
};

// The packet number in the header, which ends with it: as big-endian words if there are four bytes, else as bytes.
class NumberField {
public:
    explicit NumberField(const cst_quic_packet &packet)
        : end_(static_cast<uint8_t *>(packet.header) + packet.header_len),
          bits_(8 * packet.number_len),
          is_word_(packet.header_len >= QUIC_MOST_NUMBER) {}
    void set(uint64_t number) { change(0, uint32_t(number)); }
    // mask: the four bytes of a header's mask behind its first one.
    void protect(const uint8_t *mask) { change(UINT32_MAX, load_big_endian(mask) >> (32 - bits_)); }

private:
    // Keeps these bits and flips those, of the number's.
    void change(uint32_t keep, uint32_t flip) {
        const uint32_t its = uint32_t((uint64_t(1) << bits_) - 1);
        if (is_word_) {
            uint8_t *const at = end_ - QUIC_MOST_NUMBER;
            const uint32_t word = __builtin_bswap32((load_big_endian(at) & (keep | ~its)) ^ (flip & its));
            memcpy(at, &word, sizeof(word));
        } else {
            uint8_t *at = end_;
            for (uint32_t i = 0; i < bits_; i += 8) {
                at--;
                *at = uint8_t((*at & (keep >> i)) ^ (flip >> i));
            }
        }
    }
    uint8_t *const end_;
    const uint32_t bits_;
    const bool is_word_;
};

// Writes what the header says of the packet number.
[[gnu::always_inline]] inline void finish_header(const cst_quic_packet &packet) {
    uint8_t *const header = static_cast<uint8_t *>(packet.header);
    header[0] = uint8_t((header[0] & ~3u) | (packet.number_len - 1));
    NumberField(packet).set(packet.number);
}

// Makes a job in place, each member once.
[[gnu::always_inline]] inline void make_job(cst_job *job, const cst_quic_packet &packet, const Mask &nonce) {
    *job = {sizeof(*job),
            reinterpret_cast<const cst_key *>(from(packet.key)->aead.get()),
            CST_SEAL,
            JOB_WAITING,
            nonce.bytes,
            QUIC_IV,
            packet.header,
            packet.header_len,
            packet.in,
            packet.in_len,
            packet.out,
            packet.in_len,
            0,
            static_cast<uint8_t *>(packet.out) + packet.in_len,
            QUIC_TAG,
            packet.in_pieces,
            packet.n_in_pieces,
            nullptr,
            0};
}

[[gnu::always_inline]] inline void protect_header(const cst_quic_packet &packet, const Mask &mask) {
    uint8_t *const header = static_cast<uint8_t *>(packet.header);
    header[0] ^= mask.bytes[0] & protected_bits(header[0]);
    NumberField(packet).protect(mask.bytes + 1);
}

// Makes the jobs of the packets that may be sealed. All allowances are taken before anything is written, since a locked
// access waits for all stores before it.
template <size_t MOST>
void begin(PacketWindow<MOST> *window, cst_quic_packet *packets, size_t n) {
    Grants grants;
    for (size_t i = 0; i < n; i++)
        if (grants.take(packets + i, packets + n)) window->places[window->n++] = uint16_t(i);
        else packets[i].status = CST_ERR_LIMIT, packets[i].out_len = 0;
    for (size_t job = 0; job < window->n; job++) {
        const cst_quic_packet &packet = packets[window->places[job]];
        finish_header(packet);
        const QuicKey &key = *from(packet.key);
        put_nonce(key, packet.number, window->blocks + job);
        window->keys[job] = &key.header;
        window->samples[job] = static_cast<const uint8_t *>(packet.out) + QUIC_MOST_NUMBER - packet.number_len;
        make_job(window->jobs + job, packet, window->blocks[job]);
    }
}

// Protects the headers of packets that are sealed.
template <size_t MOST>
void finish(PacketWindow<MOST> *window, cst_quic_packet *packets, Memory *memory) {
    make_masks(has_avx(*packets), window->keys, window->samples, window->n, memory, window->jobs, window->blocks);
    for (size_t i = 0; i < window->n; i++) {
        cst_quic_packet &packet = packets[window->places[i]];
        protect_header(packet, window->blocks[i]);
        packet.out_len = packet.in_len + QUIC_TAG;
        packet.status = CST_OK;
    }
}

int seal_batch(Memory *memory, cst_quic_packet *packets, size_t n) {
    const InSlot<PacketWindow<MOST_MESSAGES>> window(memory->window);
    begin(&*window, packets, n);
    if (!window->n) return CST_ERR_LIMIT;
    run_jobs(memory, window->jobs, window->n);
    finish(&*window, packets, memory);
    return window->n == n ? CST_OK : CST_ERR_LIMIT;
}

}  // namespace

int seal_alone(cst_quic_packet *packet) {
    const QuicKey &key = *from(packet->key);
    if (key.header.chacha || packet->n_in_pieces) return JOB_WAITING;
    const KernelCall *const call = known_call(*key.aead->suite, false, packet->header_len, packet->in_len);
    if (!call) return JOB_WAITING;
    PacketWindow<1> window;
    begin(&window, packet, 1);
    if (!window.n) return CST_ERR_LIMIT;
    call->run_one(*call, window.jobs);
    finish(&window, packet, nullptr);
    return CST_OK;
}

int seal_packets(Memory *memory, cst_quic_packet *packets, size_t n) {
    int result = CST_OK;
    for (size_t first = 0; first < n; first += MOST_MESSAGES)
        if (int error = seal_batch(memory, packets + first, std::min(n - first, MOST_MESSAGES))) result = error;
    return result;
}

}  // namespace cst
