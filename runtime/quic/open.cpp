#include <algorithm>

#include "packets.hpp"
#include "../message/constructions.hpp"
#include "../run/run.hpp"

namespace cst {
namespace {

// Header protection is removed, the number decoded and the payload opened as one operation (RFC 9001, 9.5): up to the
// opening of the payload, nothing depends on what was hidden but the length of the header, and nothing is told of it.

constexpr uint64_t NUMBERS = uint64_t(1) << 62;

// All ones if the condition holds, which is 0 or 1.
uint64_t if_set(uint64_t condition) { return 0 - condition; }
// 1 if a < b; both are below 2^63.
uint64_t is_less(uint64_t a, uint64_t b) { return (a - b) >> 63; }

// RFC 9000, A.3, without branches. bits: 8 to 32. The result may be 2^62 or more if the packet was not made by a peer.
uint64_t decode_number(uint64_t expected, uint64_t truncated, uint32_t bits) {
    const uint64_t window = uint64_t(1) << bits, half = window / 2;
    const uint64_t candidate = (expected & ~(window - 1)) | truncated;
    // candidate <= expected - half, where that is a number
    const uint64_t below = is_less(candidate + half, expected + 1) & is_less(candidate, NUMBERS - window);
    const uint64_t above = is_less(expected + half, candidate) & (is_less(candidate, window) ^ 1);
    return candidate + (window & if_set(below)) - (window & if_set(above & (below ^ 1)));
}

// Selects without a branch.
const QuicKey *select(uint64_t condition, const QuicKey *yes, const QuicKey *no) {
    const uintptr_t mask = uintptr_t(if_set(condition)), a = reinterpret_cast<uintptr_t>(yes),
                    b = reinterpret_cast<uintptr_t>(no);
    return reinterpret_cast<const QuicKey *>((a & mask) | (b & ~mask));
}

// The masks of a header's first byte and packet number. Applied once, they remove the header protection; applied again,
// they restore it.
struct Hidden {
    uint8_t first;
    uint32_t number;  // big-endian, as many bytes as the number has

    void toggle(uint8_t *header, size_t number_at) const {
        header[0] ^= first;
        uint32_t word;
        memcpy(&word, header + number_at, sizeof(word));
        word ^= __builtin_bswap32(number);
        memcpy(header + number_at, &word, sizeof(word));
    }
};

// All numbers are before that of a phase in which none was opened: 0 wraps.
uint64_t first_of_phase(const cst_quic_received &packet) { return std::min(packet.phase_opened - 1, NUMBERS); }

bool in_place(const cst_quic_received &packet) { return packet.in == packet.out; }

template <size_t MOST>
class Opening {
public:
    Opening(Memory *memory, PacketWindow<MOST> *window, cst_quic_received *packets, size_t n)
        : memory_(memory), window_(*window), packets_(packets), n_(n) {}

    ~Opening() { wipe(hidden_, window_.n * sizeof(Hidden)); }
    Opening(const Opening &) = delete;
    Opening &operator=(const Opening &) = delete;

    bool run() {
        for (size_t i = 0; i < n_; i++) take_sample(i);
        if (!window_.n) return false;
        make_masks();
        for (size_t i = 0; i < window_.n; i++) uncover(i);
        run_jobs(memory_, window_.jobs, window_.n);
        bool all = window_.n == n_;
        for (size_t i = 0; i < window_.n; i++) all &= settle(i);
        return all;
    }

    // Runs one packet, without memory of a burst. JOB_WAITING: no kernel is known that takes it.
    int run_alone() {
        take_sample(0);
        if (!window_.n) return CST_ERR_AUTH;
        make_masks();
        const cst_quic_received &packet = packet_of(0);
        const size_t header = packet.number_at + number_bytes(first_byte(0));
        const KernelCall *const call =
            known_call(*from(packet.key)->aead->suite, true, header, packet.in_len - header - QUIC_TAG);
        if (!call) return JOB_WAITING;
        uncover(0);
        call->run_one(*call, window_.jobs);
        return settle(0) ? CST_OK : CST_ERR_AUTH;
    }

private:
    cst_quic_received &packet_of(size_t job) { return packets_[window_.places[job]]; }

    void take_sample(size_t i) {
        cst_quic_received &packet = packets_[i];
        const QuicKey &key = *from(packet.key);
        packet.opened_by = nullptr;
        packet.header_len = packet.payload_len = packet.number_len = 0;
        packet.number = 0;
        if (packet.status != JOB_WAITING) return;  // it has no sample
        if (key.failed->is_used_up()) {
            packet.status = CST_ERR_LIMIT;
            return;
        }
        read_keys(i);
        const size_t job = window_.n++;
        window_.keys[job] = &key.header;
        window_.samples[job] = static_cast<const uint8_t *>(packet.in) + packet.number_at + QUIC_MOST_NUMBER;
        window_.places[job] = uint16_t(i);
    }

    void make_masks() {
        cst::make_masks(has_avx(*packets_), window_.keys, window_.samples, window_.n, memory_, window_.jobs,
                        window_.blocks);
    }
    uint8_t mask_of_first(size_t i) {
        return window_.blocks[i].bytes[0] & protected_bits(*static_cast<const uint8_t *>(packet_of(i).in));
    }
    // Returns a header's first byte without protection.
    uint8_t first_byte(size_t i) { return *static_cast<const uint8_t *>(packet_of(i).in) ^ mask_of_first(i); }
    static uint32_t number_bytes(uint8_t first) { return (first & 3u) + 1; }

    // Reads all keys that may open the packet, unless the packet before has the same: what is in caches afterwards does
    // not hang on which of them is used.
    void read_keys(size_t i) const {
        const cst_quic_received &its = packets_[i], &before = packets_[i ? i - 1 : 0];
        if (i && its.key == before.key && its.previous == before.previous && its.next == before.next) return;
        if (!its.previous && !its.next) return;
        for (const cst_quic_key *handle : {its.key, its.previous, its.next}) {
            if (!handle) continue;
            const QuicKey &key = *from(handle);
            read_lines(key.iv, sizeof(key.iv));
            read_lines(key.aead.get(), key.aead->suite->key_layout.bytes);
        }
    }
    static void read_lines(const void *memory, size_t bytes) {
        constexpr size_t LINE = 64;
        const volatile uint8_t *const at = static_cast<const volatile uint8_t *>(memory);
        for (size_t i = 0; i < bytes; i += LINE) at[i];
    }

    // Writes the header without protection, and makes the job that opens the payload.
    void uncover(size_t i) {
        cst_quic_received &packet = packet_of(i);
        const uint8_t *const in = static_cast<const uint8_t *>(packet.in);
        uint8_t *const out = static_cast<uint8_t *>(packet.out);
        const uint8_t mask = mask_of_first(i), first = first_byte(i);
        const uint32_t number_len = number_bytes(first), unused = 32 - 8 * number_len,
                       hides = load_big_endian(window_.blocks[i].bytes + 1) >> unused << unused,
                       truncated = (load_big_endian(in + packet.number_at) ^ hides) >> unused;
        hidden_[i] = {mask, hides};
        if (!in_place(packet)) memcpy(out, in, packet.number_at + QUIC_MOST_NUMBER);
        hidden_[i].toggle(out, packet.number_at);
        packet.number = decode_number(packet.expected, truncated, 8 * number_len);
        packet.number_len = number_len;
        packet.header_len = packet.number_at + number_len;
        packet.payload_len = packet.in_len - packet.header_len - QUIC_TAG;
        const QuicKey &key = choose_key(i, packet, first);
        put_nonce(key, packet.number, window_.blocks + i);
        cst_job &job = new_job(window_.jobs + i, *key.aead, CST_OPEN);
        job.iv = window_.blocks[i].bytes;
        job.iv_len = QUIC_IV;
        job.aad = out;
        job.aad_len = packet.header_len;
        job.in = in + packet.header_len;
        job.in_len = packet.payload_len;
        job.out = out + packet.header_len;
        job.out_cap = packet.payload_len;
        job.tag = const_cast<uint8_t *>(in) + packet.in_len - QUIC_TAG;
        job.tag_len = QUIC_TAG;
    }

    // Returns the key by the Key Phase bit of a short header (6.3, 6.5). Where there was no phase before, one with the
    // other bit is the next, whatever was opened so far. A packet whose key the caller has not is opened by another one
    // all the same, so that it takes the same time.
    const QuicKey &choose_key(size_t i, cst_quic_received &packet, uint8_t first) {
        const QuicKey *const current = from(packet.key), *const next = from(packet.next),
                             *const before = packet.previous ? from(packet.previous) : next;
        const uint64_t is_other = (~first >> 7 & 1) & ((first >> 2 & 1) ^ packet.phase),
                       is_before = is_less(packet.number, first_of_phase(packet));
        const QuicKey *const wanted = select(is_other, select(is_before, before, next), current);
        const uint64_t is_there = uint64_t(wanted != nullptr);
        const QuicKey *const key = select(is_there, wanted, current);
        believable_[i] = uint8_t(is_there & is_less(packet.number, NUMBERS));
        packet.opened_by = reinterpret_cast<const cst_quic_key *>(key);
        return *key;
    }

    bool settle(size_t i) {
        cst_quic_received &packet = packet_of(i);
        if (window_.jobs[i].status == CST_OK && believable_[i]) {
            packet.status = CST_OK;
            return true;
        }
        uint8_t *const out = static_cast<uint8_t *>(packet.out);
        if (in_place(packet)) {
            wipe(out + packet.header_len, packet.payload_len);
            hidden_[i].toggle(out, packet.number_at);
        } else {
            wipe(out, packet.in_len - QUIC_TAG);
        }
        from(packet.key)->failed->add(1);
        packet.status = CST_ERR_AUTH;
        packet.opened_by = nullptr;
        packet.header_len = packet.payload_len = packet.number_len = 0;
        packet.number = 0;
        return false;
    }

    Memory *const memory_;
    PacketWindow<MOST> &window_;
    cst_quic_received *const packets_;
    const size_t n_;
    Hidden hidden_[MOST];
    uint8_t believable_[MOST];
};

}  // namespace

int open_alone(cst_quic_received *packet) {
    if (from(packet->key)->header.chacha) return JOB_WAITING;
    PacketWindow<1> window;
    return Opening<1>(nullptr, &window, packet, 1).run_alone();
}

int open_packets(Memory *memory, cst_quic_received *packets, size_t n) {
    bool all = true;
    for (size_t first = 0; first < n; first += MOST_MESSAGES) {
        const InSlot<PacketWindow<MOST_MESSAGES>> window(memory->window);
        all &= Opening<MOST_MESSAGES>(memory, &*window, packets + first, std::min(n - first, MOST_MESSAGES)).run();
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
