// AEAD_CHACHA20_POLY1305 (RFC 8439, 2.8). Block 0 of the keystream holds the key of Poly1305, so every message has its
// own; one call makes it and enciphers the beginning of the text, which is put together in the message's area behind
// zeros: all of a short text; of a long one what leaves whole iterations of the widest kernels. The middle of a long
// message is stitched (middle.cpp). Opening, what was enciphered with the key waits in the area until the tag is known.
//
// Poly1305 of several messages runs in lanes, which want no powers of r; of one message without a kernel, or, where a
// stretch is long enough to pay for the powers, on one.

#include <algorithm>

#include "../suite/poly1305.hpp"
#include "../suite/poly1305_wide.hpp"
#include "../suite/secret.hpp"
#include "constructions.hpp"
#include "lineup.hpp"
#include "mac.hpp"
#include "middle.hpp"
#include "text.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;
constexpr size_t WIDEST = CHACHA_MOST_BLOCKS * CHACHA_BLOCK, MOST_FIRST = WIDEST - CHACHA_BLOCK;
// In the area: the first call; powers of r.
constexpr size_t POWERS = WIDEST;
static_assert(POWERS + POLY_MOST_ROWS * BLOCK <= Memory::AREA_BYTES);
static_assert(sizeof(PolyKey) <= MOST_LAST, "the key is kept where other suites keep the end of a text");
constexpr uint64_t POLY_LEAST = 256;  // shorter stretches pay for no powers

PolyKey *poly_key_of(Message *m) { return reinterpret_cast<PolyKey *>(m->last); }
uint64_t *accumulator_of(Message *m) { return reinterpret_cast<uint64_t *>(m->hash_chain); }

uint64_t first_bytes(uint64_t bytes) { return bytes <= MOST_FIRST ? bytes : bytes % WIDEST & ~(CHACHA_BLOCK - 1); }

// The key of Poly1305, and the beginning of the text: `ciphered` is how much that is.
void begin_messages(const Class &c) {
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const cst_job &job = *m.job;
        const uint64_t first = first_bytes(job.in_len);
        uint8_t *const area = c.memory->area_of(m, CHACHA_BLOCK + first);
        memset(area, 0, CHACHA_BLOCK);
        m.in.read(0, area + CHACHA_BLOCK, size_t(first));
        memset(m.chain, 0, 4);
        memcpy(m.chain + 4, job.iv, 12);
        m.cipher_from = m.chain;
        m.text_end = m.text_stop = CHACHA_BLOCK + first;
        m.chain_wanted = first < job.in_len;
        m.in.set(area, m.text_end, nullptr, 0);
        m.out.set(area, m.text_end, nullptr, 0);
        m.scattered = false;
    }
    run_all_texts(c, false);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const cst_job &job = *m.job;
        uint8_t *const area = c.memory->area_of(m, 0);
        poly1305_key(area, poly_key_of(&m));
        m.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        m.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        m.scattered = job.n_in_pieces || job.n_out_pieces;
        m.ciphered = first_bytes(job.in_len);
        m.text_end = m.text_stop = job.in_len;
        m.body = c.opens ? &m.in : &m.out;
        m.body_bytes = m.ready = job.in_len;
        begin_mac(*c.suite, &m);
        memset(m.hash_chain, 0, 24);
        m.hash_from = m.hash_chain;
        m.mac_keys_end = reinterpret_cast<const uint8_t *>(poly_key_of(&m)->r) + BLOCK;
        if (!c.opens) m.out.write(0, area + CHACHA_BLOCK, size_t(m.ciphered));
    }
}

// The rows of a kernel that takes powers.
void make_powers(const Class &c, Message *m, const Variant &v) {
    uint8_t *const powers = c.memory->area_of(*m, Memory::AREA_BYTES) + POWERS;
    poly1305_powers(*poly_key_of(m), v.hash.key_rows, powers);
    m->mac_keys_end = powers + BLOCK * v.hash.key_rows;
}

void absorb(const Class &c, Message *m, const uint8_t *data, uint64_t blocks) {
    (c.suite->wide && blocks >= POLY_WIDE_LEAST ? poly1305_wide : poly1305_blocks)(*poly_key_of(m), accumulator_of(m),
                                                                                   data, blocks);
}

// What lies together and what does not, filled up with zeros to whole blocks.
void absorb_padded(const Class &c, Message *m, Buffer *from, uint64_t at, uint64_t end) {
    while (at < end) {
        uint64_t some = std::min(from->together(at), end - at) & ~uint64_t(BLOCK - 1);
        if (some) {
            absorb(c, m, from->at(at), some / BLOCK);
        } else {
            uint8_t block[BLOCK] = {};
            some = std::min<uint64_t>(end - at, BLOCK);
            from->read(at, block, size_t(some));
            absorb(c, m, block, 1);
            wipe(block, sizeof(block));
        }
        at += some;
    }
}

bool one_lane(const Variant &v) { return v.lanes == 1 && v.hash.key_rows <= POLY_MOST_ROWS && v.hash.key_rows > 1; }

// The body up to hash_stop, one message after the other.
void absorb_body(const Class &c, Message *m) {
    const uint64_t left = m->hash_stop - std::min(m->hash_stop, m->hashed);
    const bool forced = c.suite->forced && c.suite->forced->role == Role::hash;
    if ((left >= POLY_LEAST && !c.suite->wide) || (forced && left)) {
        const Need need = {&c.suite->hashes, 1, left, left};
        const Lineup lineup = line_up(*c.suite, need);
        if (lineup.variant && one_lane(*lineup.variant)) {
            make_powers(c, m, *lineup.variant);
            m->stage = Stage::body;
            run_bodies(c, &m, 1, *lineup.variant);
            if (m->hash_from != m->hash_chain) memcpy(m->hash_chain, m->hash_from, 24);
            m->hash_from = m->hash_chain;
        }
    }
    absorb_padded(c, m, m->body, m->hashed, m->hash_stop);
    m->hashed = std::max(m->hashed, m->hash_stop);
}

void absorb_aad(const Class &c, Message *m) {
    Buffer aad;
    aad.set(m->job->aad, m->job->aad_len, nullptr, 0);
    absorb_padded(c, m, &aad, 0, m->job->aad_len);
    m->stage = Stage::body;
}

void absorb_lengths(const Class &c, Message *m) {
    const uint64_t lengths[2] = {m->job->aad_len, m->job->in_len};
    absorb(c, m, reinterpret_cast<const uint8_t *>(lengths), 1);
}

// All of the MACs of messages that are not begun: in lanes, where that pays.
bool run_in_lanes(const Class &c) {
    uint64_t sum = 0, most = 0;
    Message **const list = c.memory->list;
    size_t n = 0;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (m.stage != Stage::aad) return false;
        const uint64_t bytes =
            ((m.job->aad_len + BLOCK - 1) & ~(BLOCK - 1)) + ((m.job->in_len + BLOCK - 1) & ~(BLOCK - 1)) + BLOCK;
        sum += bytes;
        most = std::max(most, bytes);
        list[n++] = &m;
    }
    Need need = {&c.suite->hashes, n, sum / n, most};
    need.whole_only = true;
    const Lineup lineup = line_up(*c.suite, need);
    if (!lineup.variant || lineup.variant->hash.key_rows != POLY_ABREAST_ROWS) return false;
    const bool another = c.suite->forced && c.suite->forced->role == Role::hash && c.suite->forced != lineup.variant;
    if (another) return false;
    // Without a kernel a block takes two multiplications of two words after the other.
    constexpr double WITHOUT = 16, WITHOUT_WIDE = 5, POWERS_WIDE = 160;
    const double blocks = double(sum) / BLOCK;
    const double without = c.suite->wide ? blocks * WITHOUT_WIDE + double(n) * POWERS_WIDE : blocks * WITHOUT;
    if (lineup.variant != c.suite->forced && lineup.cycles > without) return false;
    finish_macs(c);
    for (size_t i = 0; i < c.n; i++) memcpy(c.messages[i].hash_chain, c.messages[i].hash_from, 24);
    return true;
}

}  // namespace

void run_chacha_poly(const Class &c) {
    const Suite &suite = *c.suite;
    begin_messages(c);
    // Where the text begins that is not enciphered yet, in whole blocks, both stand.
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        text_done(m.job);
        m.boundary = uint32_t(m.ciphered);
        m.whole = m.ciphered == m.text_end;
    }
    const Middles middles = choose_middles(c);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (!m.paired) continue;
        absorb_aad(c, &m);
        m.hash_stop = hash_start(m, middles.of[0]);
        absorb_body(c, &m);
        make_powers(c, &m, *middles.of[0].choice);
        if (c.opens) m.out.write(0, c.memory->area_of(m, 0) + CHACHA_BLOCK, size_t(m.ciphered));
    }
    run_middles(c, middles);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.text_stop = m.text_end;
        m.boundary = 0;
    }
    if (!c.opens) run_all_texts(c, false);
    if (middles.any() || (c.n == 1 && !suite.forced) || !run_in_lanes(c)) {
        for (size_t i = 0; i < c.n; i++) {
            Message &m = c.messages[i];
            if (m.stage == Stage::aad) absorb_aad(c, &m);
            if (m.hash_from != m.hash_chain) memcpy(m.hash_chain, m.hash_from, 24);
            m.hash_from = m.hash_chain;
            m.hash_stop = m.body_bytes;
            absorb_body(c, &m);
            absorb_lengths(c, &m);
        }
    }
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        poly1305_tag(*poly_key_of(&m), accumulator_of(&m), m.digest);
    }
    if (!c.opens) return write_tags(c);
    check_tags(c);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (!m.failed && !m.paired)
            m.out.write(0, c.memory->area_of(m, 0) + CHACHA_BLOCK, size_t(first_bytes(m.job->in_len)));
    }
    run_all_texts(c, false);
}

}  // namespace cst
