// The C API: bursts of QUIC packets. Every packet is checked before any is begun.

#include <algorithm>

#include "arguments.hpp"
#include "jobs.hpp"
#include "../quic/packets.hpp"
#include "../suite/registers.hpp"

using namespace cst;

namespace {

constexpr size_t MOST_PACKET = 65535;  // of UDP; the limits of RFC 9001, 6.6, hold for up to 2^16 bytes
constexpr uint64_t NUMBERS = uint64_t(1) << 62;

bool is_of(const Engine &engine, const cst_quic_key *key) { return from(key)->aead->suite->engine == &engine; }

// Whether a buffer in pieces has a part of the range, which is written. The pieces are right.
bool pieces_meet(const cst_quic_packet &packet, const Range &written) {
    if (written.meets(Range(packet.in_pieces, packet.n_in_pieces * sizeof(cst_piece)))) return true;
    return std::any_of(packet.in_pieces, packet.in_pieces + packet.n_in_pieces,
                       [&](const cst_piece &piece) { return written.meets(Range(piece.data, piece.bytes)); });
}

// Whether the places of a packet are the usual ones: a payload in one piece, in place or apart from `out`. The lengths
// are right.
bool surely_right(const cst_quic_packet &packet, const Range &header) {
    const Range in(packet.in, packet.in_len), out(packet.out, packet.in_len + QUIC_TAG);
    return !packet.n_in_pieces && packet.header && packet.in && !header.wraps() && !in.wraps() && !out.wraps() &&
           !header.meets(in) && !header.meets(out) && (in.first == out.first || !in.meets(out));
}

// Checks places and pieces as those of the job that the packet becomes.
int check_job_of(const Engine &engine, const cst_quic_packet &packet, bool right_lengths) {
    static constexpr uint8_t nonce[QUIC_IV] = {};
    cst_job job = {};
    job.size = sizeof(job);
    job.key = reinterpret_cast<const cst_key *>(from(packet.key)->aead.get());
    job.direction = CST_SEAL;
    job.iv = nonce;
    job.iv_len = right_lengths ? QUIC_IV : 0;  // which no AEAD takes
    job.aad = packet.header;
    job.aad_len = packet.header_len;
    job.in = packet.in;
    job.in_len = packet.in_len;
    job.in_pieces = packet.in_pieces;
    job.n_in_pieces = packet.n_in_pieces;
    job.out = packet.out;
    job.out_cap = packet.out_cap < QUIC_TAG ? 0 : packet.out_cap - QUIC_TAG;
    // A tag that would lie behind the end of the address space is a wrong length, but no pointer that is wrong.
    const bool wraps = packet.in_len > MOST_PACKET || Range(packet.out, packet.in_len + QUIC_TAG).wraps();
    job.tag = wraps ? packet.out : static_cast<uint8_t *>(packet.out) + packet.in_len;
    job.tag_len = right_lengths && !wraps ? QUIC_TAG : 0;
    return check_job(engine, job);
}

int check(const Engine &engine, const cst_quic_packet &packet) {
    if (!packet.key || !is_of(engine, packet.key) || packet.number_len - 1 >= QUIC_MOST_NUMBER ||
        packet.number >= NUMBERS)
        return CST_ERR_ARGUMENT;
    const bool right = packet.header_len > packet.number_len && packet.header_len <= MOST_PACKET - QUIC_TAG &&
                       packet.in_len <= MOST_PACKET - QUIC_TAG - packet.header_len &&
                       packet.number_len + packet.in_len >= QUIC_MOST_NUMBER &&
                       packet.out_cap >= packet.in_len + QUIC_TAG;
    if (!packet.out && packet.in_len <= MOST_PACKET && packet.out_cap >= packet.in_len + QUIC_TAG)
        return CST_ERR_ARGUMENT;
    const Range header(packet.header, packet.header_len);
    if (right && surely_right(packet, header)) return CST_OK;
    if (int error = check_job_of(engine, packet, right)) return error;
    const bool meets = packet.n_in_pieces ? pieces_meet(packet, header) : header.meets(Range(packet.in, packet.in_len));
    return meets ? CST_ERR_OVERLAP : CST_OK;
}

// previous, next: whether the key is one of the context and of that algorithm, or there is none.
bool fits(const cst_quic_key *other, const cst_quic_key *key) {
    return !other || (&from(other)->algorithm == &from(key)->algorithm &&
                      from(other)->aead->suite->engine == from(key)->aead->suite->engine);
}

// Returns JOB_WAITING beside the errors of cst_quic_open, of which CST_ERR_AUTH means here that the packet has no
// sample.
int check(const Engine &engine, const cst_quic_received &packet) {
    if (!packet.key || !is_of(engine, packet.key) || !fits(packet.previous, packet.key) ||
        !fits(packet.next, packet.key) || packet.phase > 1 || !packet.number_at || packet.expected > NUMBERS ||
        (packet.in_len && !packet.in))
        return CST_ERR_ARGUMENT;
    const bool has_sample =
        packet.number_at <= MOST_PACKET && packet.in_len >= packet.number_at + QUIC_MOST_NUMBER + QUIC_SAMPLE;
    const size_t written = has_sample ? packet.in_len - QUIC_TAG : 0;
    const bool has_room = packet.out_cap >= written;
    if (written && has_room && !packet.out) return CST_ERR_ARGUMENT;
    const Range in(packet.in, packet.in_len), out(packet.out, written);
    if (packet.in_len > MOST_PACKET || !has_room || in.wraps() || out.wraps()) return CST_ERR_LENGTH;
    if (packet.in != packet.out && in.meets(out)) return CST_ERR_OVERLAP;
    return has_sample ? CST_OK : CST_ERR_AUTH;
}

// Sets the statuses, and returns the first error. short_ones: whether a packet has no sample, which is an error of that
// packet alone.
template <typename Packet>
int check_all(const Engine &engine, Packet *packets, size_t n, bool *short_ones) {
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong |= packets[i].size ^ sizeof(Packet);
    if (wrong) return CST_ERR_ARGUMENT;
    int error = CST_OK;
    *short_ones = false;
    for (size_t i = 0; i < n; i++) {
        const int its = check(engine, packets[i]);
        packets[i].status = its && its != CST_ERR_AUTH ? its : JOB_WAITING;
        if (its == CST_ERR_AUTH) *short_ones = true;
        else if (!error) error = its;
    }
    return error;
}

}  // namespace

int cst_quic_seal(cst_ctx *ctx, cst_quic_packet *packets, size_t n) {
    if (!ctx) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, {Argument::outputs(packets, n)})) return error;
    if (!n) return CST_OK;
    bool none;
    if (int error = check_all(ctx->engine, packets, n, &none)) return error;
    if (n == 1) {
        const ClearRegisters clear(ctx->engine.cpu());
        const int result = seal_alone(packets);
        if (result != JOB_WAITING) return result;
    }
    Memory memory;
    if (int error = memory.allocate(ctx->engine, n)) return error;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int { return seal_packets(&memory, packets, n); });
}

int cst_quic_open(cst_ctx *ctx, cst_quic_received *packets, size_t n) {
    if (!ctx) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, {Argument::outputs(packets, n)})) return error;
    if (!n) return CST_OK;
    bool short_ones;
    if (int error = check_all(ctx->engine, packets, n, &short_ones)) return error;
    if (n == 1 && !short_ones) {
        const ClearRegisters clear(ctx->engine.cpu());
        const int result = open_alone(packets);
        if (result != JOB_WAITING) return result;
    }
    Memory memory;
    if (int error = memory.allocate(ctx->engine, n)) return error;
    if (short_ones)
        for (size_t i = 0; i < n; i++)
            if (check(ctx->engine, packets[i]) == CST_ERR_AUTH) packets[i].status = CST_ERR_LENGTH;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int { return open_packets(&memory, packets, n); });
}
