// AEAD_CHACHA20_POLY1305 (RFC 8439, 2.8). Block 0 of the keystream holds the key of Poly1305, so every message has its
// own. One call makes that key and encrypts the beginning of the text, which is assembled in the message's area after
// zeros: all of a short text; of a long text so much that whole iterations of the widest kernels are left. The middle
// of a long message is stitched (middle.cpp). Opening, what was decrypted together with the key waits in the area until
// the tag is known.
//
// Poly1305 runs on kernels that take r itself, in lanes or for one message; a run that is long enough to pay for powers
// of r is hashed by a kernel that takes powers.

#include <algorithm>

#include "constructions.hpp"
#include "../executors/copy.hpp"
#include "../plan/lineup.hpp"
#include "mac.hpp"
#include "middle.hpp"
#include "../executors/alone.hpp"
#include "text.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;
constexpr size_t WIDEST = CHACHA_MOST_BLOCKS * CHACHA_BLOCK;
// Layout of the area: the bytes of the first call; at POWERS powers of r.
constexpr size_t POWERS = WIDEST;
constexpr size_t AREA = POWERS + POLY_MOST_ROWS * BLOCK;
static_assert(AREA <= Memory::AREA_BYTES);
static_assert(sizeof(PolyKey) <= MOST_LAST, "the key is kept where other suites keep the end of a text");
constexpr uint64_t POWERS_MADE = 8;  // one after the other

PolyKey *poly_key_of(Message *m) { return reinterpret_cast<PolyKey *>(m->last); }
uint64_t *accumulator_of(Message *m) { return reinterpret_cast<uint64_t *>(m->hash_chain); }

// Sets the key for kernels that take r itself.
void take_key(Message *m) { m->mac_keys_end = reinterpret_cast<const uint8_t *>(poly_key_of(m)->r) + BLOCK; }

// Makes the key of Poly1305, and encrypts the beginning of the text, `ciphered` bytes.
void begin_messages(const Class &c) {
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const cst_job &job = *m.job;
        const uint64_t first = chacha_first_bytes(job.in_len);
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
    run_all_texts(c);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const cst_job &job = *m.job;
        uint8_t *const area = c.memory->area_of(m, 0);
        poly1305_key(area, poly_key_of(&m));
        m.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        m.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        m.scattered = job.n_in_pieces || job.n_out_pieces;
        m.ciphered = chacha_first_bytes(job.in_len);
        m.text_end = m.text_stop = job.in_len;
        m.body = c.opens ? &m.in : &m.out;
        m.body_bytes = job.in_len;
        begin_mac(&m);
        memset(m.hash_chain, 0, 24);
        m.hash_from = m.hash_chain;
        take_key(&m);
        if (!c.opens) m.out.write(0, area + CHACHA_BLOCK, size_t(m.ciphered));
    }
}

// Makes the key rows of a kernel that takes powers.
void make_powers(const Class &c, Message *m, const Variant &v) {
    uint8_t *const powers = c.memory->area_of(*m, AREA) + POWERS;
    poly1305_powers(*poly_key_of(m), v.hash.key_form, powers);
    m->mac_keys_end = powers + BLOCK * v.hash.key_rows;
}

// Adds whole blocks to the accumulator.
void absorb(const Class &c, Message *m, const uint8_t *data, size_t bytes) {
    poly1305_blocks(*c.suite->engine, c.suite->hashes, *poly_key_of(m), accumulator_of(m), data, bytes / BLOCK);
}

void absorb_aad(const Class &c, Message *m) {
    const uint8_t *const aad = static_cast<const uint8_t *>(m->job->aad);
    const size_t rest = m->job->aad_len % BLOCK, whole = m->job->aad_len - rest;
    alignas(16) uint8_t block[BLOCK] = {};
    absorb(c, m, aad, whole);
    copy_few(block, aad + whole, rest);
    if (rest) absorb(c, m, block, BLOCK);
    m->stage = Stage::body;
}

// Adds what kernels that take powers leave of a body, padded with zeros, and the lengths (RFC 8439, 2.8).
void absorb_end(const Class &c, Message *m) {
    size_t rest = size_t(m->body_bytes - m->hashed);
    if (!m->scattered) {
        const size_t whole = rest & ~(BLOCK - 1);
        absorb(c, m, m->body->at(m->hashed), whole);
        m->hashed += whole;
        rest -= whole;
    }
    const size_t padded = (rest + BLOCK - 1) & ~(BLOCK - 1);
    uint8_t *const to = c.memory->lanes.scratch_of(0, padded + BLOCK);
    if (rest) put_zeros(to + padded - BLOCK);
    m->body->read(m->hashed, to, rest);
    put_words(to + padded, m->job->aad_len, m->job->in_len);
    absorb(c, m, to, padded + BLOCK);
    m->stage = Stage::done;
}

// Runs the whole MACs of messages whose MAC is not begun, with the bodies on a kernel that takes powers, if that is
// less work than on kernels that take r.
void run_long_messages(const Class &c) {
    Message **const list = c.memory->other;
    Need need = {&c.suite->hashes, 0, 0, 0};
    uint64_t sum = 0;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (m.stage != Stage::aad || m.body_bytes < BLOCK) continue;
        list[need.messages++] = &m;
        need.most = std::max(need.most, m.body_bytes);
        sum += m.body_bytes;
    }
    if (!need.messages) return;
    const size_t n = need.messages;
    need.bytes = sum / n;
    need.messages = 1;
    const Lineup one = line_up(*c.suite, need);
    const double one_cycles = step_cycles(*c.suite, need);
    if (!one.variant || one.variant->lanes != 1 || one.variant->hash.key_form == KEY_R) return;
    need.messages = n;
    need.whole_only = true;
    if (one.variant != c.suite->forced) {
        Need powers = {&c.suite->hashes, 1, POWERS_MADE * BLOCK, POWERS_MADE * BLOCK};  // a power is a block's product
        powers.whole_only = true;
        const double making = step_cycles(*c.suite, powers);
        if (double(n) * (one_cycles + making) > step_cycles(*c.suite, need)) return;
    }
    for (size_t i = 0; i < n; i++) {
        absorb_aad(c, list[i]);
        list[i]->hash_stop = list[i]->body_bytes;
        make_powers(c, list[i], *one.variant);
    }
    run_bodies(c, list, n, *one.variant);
    for (size_t i = 0; i < n; i++) absorb_end(c, list[i]);
}

}  // namespace

void run_chacha_poly(const Class &c) {
    begin_messages(c);
    // Cipher and hash both start where the text that is not encrypted yet begins, in whole blocks.
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        text_done(m.job);
        m.boundary = uint32_t(m.ciphered);
        m.whole = m.ciphered == m.text_end;
    }
    const Middle middle = choose_middle(c);
    Message **const list = c.memory->other;
    const size_t n = list_paired(c, list);
    for (size_t i = 0; i < n; i++) {
        Message &m = *list[i];
        absorb_aad(c, &m);
        m.hashed = hash_start(*c.suite, m, middle);
        absorb(c, &m, m.body->at(0), size_t(m.hashed));
        make_powers(c, &m, *middle.choice);
        if (c.opens) m.out.write(0, c.memory->area_of(m, 0) + CHACHA_BLOCK, size_t(m.ciphered));
    }
    run_middles(c, middle);
    for (size_t i = 0; i < c.n; i++) c.messages[i].boundary = 0;
    if (!c.opens) run_all_texts(c);
    for (size_t i = 0; i < c.n; i++)
        if (c.messages[i].paired) absorb_end(c, &c.messages[i]);
    run_long_messages(c);
    finish_macs(c);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        poly1305_tag(*poly_key_of(&m), accumulator_of(&m), m.digest);
    }
    if (!c.opens) return write_tags(c);
    check_tags(c);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (!m.failed && !m.paired)
            m.out.write(0, c.memory->area_of(m, 0) + CHACHA_BLOCK, size_t(chacha_first_bytes(m.job->in_len)));
    }
    run_all_texts(c);
}

}  // namespace cst
