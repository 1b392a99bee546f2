// AEAD_CHACHA20_POLY1305 (RFC 8439, 2.8). Block 0 of the keystream holds the key of Poly1305, so every message has its own; one call makes it and
// enciphers the beginning of the text, which is put together in `blocks` behind zeros. Of a long message the middle is stitched (stitch.cpp, both
// stand at the same byte); what is left of either runs alone. Opening a long message, the hash goes ahead of the cipher in the same kernels, and a
// wrong tag wipes what was deciphered; of a short one only the beginning is deciphered before the tag is known, and stays in `blocks` until then.
//
// The powers of r that a vector kernel wants are made where a stretch is long enough to pay for them.

#include <algorithm>
#include <cstring>

#include "../suite/poly1305.hpp"
#include "../suite/secret.hpp"
#include "chacha.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16, TAG = 16;
static_assert(CHACHA_MOST_FIRST + CHACHA_BLOCK <= BLOCKS_BYTES, "the first call fits");
static_assert(sizeof(PolyKey) <= MOST_LAST, "the key is kept where other suites keep the end of a text");
PolyKey *poly_key_of(Work *work) { return reinterpret_cast<PolyKey *>(work->last); }
uint64_t *accumulator(Work *work) { return reinterpret_cast<uint64_t *>(work->hash_chain); }

void prepare_powers(const Batch &batch, Work *work, const Variant &variant) {
    const uint32_t rows = variant.hash.key_rows;
    if (work->powers_rows == rows) return;
    poly1305_powers(*poly_key_of(work), rows, work->powers);
    work->powers_rows = rows;
    work->item.mac_keys_end = work->powers + 16 * rows;
    batch.arena->powers_used = true;
}

// The kernel for a stretch of whole blocks that lies together; NULL: none pays.
const Variant *choose(const Batch &batch, const Work &work, uint64_t bytes) {
    if (bytes < POLY_LEAST && !batch.suite->forced) return nullptr;
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->hashes;
    const Pick best = pick(batch.suite->hashes, query_of(phase, 1, bytes, bytes), batch.suite->forced);
    const Variant *v = best.variant;
    if (!v || v->hash.key_rows > POLY_MOST_ROWS) return nullptr;
    const double powers = work.powers_rows == v->hash.key_rows ? 0 : POLY_POWERS;
    if (v != batch.suite->forced && best.cycles_per_byte * double(bytes) + powers > poly1305_cycles(*batch.suite, double(bytes / BLOCK))) return nullptr;
    const Kernel *kernel;
    return batch.suite->engine->fetch(*v, &kernel) ? nullptr : v;
}

// Whole blocks that lie together.
void absorb(const Batch &batch, Work *work, const uint8_t *data, uint64_t bytes) {
    const Variant *variant = choose(batch, *work, bytes);
    if (variant) {
        prepare_powers(batch, work, *variant);
        const uint64_t whole = bytes >> variant->step_log2 << variant->step_log2;
        work->item.hash_in = data;
        work->item.bytes = whole;
        Phase phase;
        phase.suite = batch.suite;
        phase.family = &batch.suite->hashes;
        phase.first = variant;
        batch.arena->items[0] = &work->item;
        run_phase(phase, &batch.arena->lanes, batch.arena->items, batch.arena->order, 1);
        data += whole;
        bytes -= whole;
    }
    poly1305_absorb(*batch.suite, *poly_key_of(work), accumulator(work), data, bytes / BLOCK);
}

// The buffer from `from` to `to`, padded with zeros to whole blocks.
void absorb(const Batch &batch, Work *work, Buffer *buffer, uint64_t from, uint64_t to) {
    while (from < to) {
        uint64_t here = std::min(buffer->together(from), to - from) & ~uint64_t(BLOCK - 1);
        if (here) {
            absorb(batch, work, buffer->at(from), here);
        } else {
            uint8_t block[BLOCK] = {};
            here = std::min<uint64_t>(to - from, BLOCK);
            buffer->read(from, block, size_t(here));
            poly1305_blocks(*poly_key_of(work), accumulator(work), block, 1);
            wipe(block, sizeof(block));
        }
        from += here;
    }
}

void absorb_aad(const Batch &batch, Work *work) {
    Buffer aad;
    aad.set(work->job->aad, work->job->aad_len, nullptr, 0);
    absorb(batch, work, &aad, 0, work->job->aad_len);
}

void absorb_lengths(Work *work) {
    const uint64_t lengths[2] = {work->job->aad_len, work->job->in_len};
    poly1305_blocks(*poly_key_of(work), accumulator(work), reinterpret_cast<const uint8_t *>(lengths), 1);
}

// The first call: the key of Poly1305, and the beginning of the text, which stays in `blocks`.
void begin(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        work.bulk = job.in_len;
        work.boundary = uint32_t(chacha_first(job.in_len));
        memset(work.chain, 0, 4);
        memcpy(work.chain + 4, job.iv, 12);
        work.item.cipher_from = work.chain;
        memset(work.hash_chain, 0, 24);
        work.item.hash_from = work.hash_chain;
    }
    run_chacha_blocks(batch, [&](Work *work) {
        const size_t text = work->boundary, bytes = chacha_room(*batch.suite, batch.n, CHACHA_BLOCK + text);
        memset(work->blocks, 0, CHACHA_BLOCK);
        work->in.read(0, work->blocks + CHACHA_BLOCK, text);
        memset(work->blocks + CHACHA_BLOCK + text, 0, bytes - CHACHA_BLOCK - text);
        return bytes;
    });
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        poly1305_key(work.blocks, poly_key_of(&work));
        const uint32_t next = 1 + work.boundary / uint32_t(CHACHA_BLOCK);  // the call may have counted farther
        memcpy(work.chain, &next, sizeof(next));
    }
}

void write_beginning(Work *work) {
    work->out.write(0, work->blocks + CHACHA_BLOCK, work->boundary);
    work->ciphered = work->boundary;
}

// The beginning's ciphertext is in `blocks` still, whatever pieces it was written to.
void absorb_beginning(const Batch &batch, Work *work) {
    uint8_t *text = work->blocks + CHACHA_BLOCK;
    const size_t whole = (work->boundary + BLOCK - 1) & ~(BLOCK - 1);
    memset(text + work->boundary, 0, whole - work->boundary);
    absorb(batch, work, text, whole);
    work->hashed = work->boundary;
}

// The middle behind the beginning, where a pair kernel pays. Opening, the hash goes ahead as far as the kernel needs it.
void run_stitched(const Batch &batch, bool open) {
    const Suite &suite = *batch.suite;
    const uint64_t least = open && !suite.forced ? poly_opening_least(suite) : 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.body = open ? &work.in : &work.out;
        work.body_bytes = work.bulk;
        work.whole = work.boundary == work.bulk || work.bulk < least || work.scattered();
    }
    Middle middle = {&batch.suite->pairs, !open, open, false};
    choose_middle(batch, &middle);
    if (!middle.choice) return;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (!work.paired) continue;
        if (open) {
            const uint64_t ahead = hash_start(work, middle);
            absorb(batch, &work, &work.in, 0, ahead);
            write_beginning(&work);
            work.hashed = ahead;
        }
        prepare_powers(batch, &work, *middle.choice);
    }
    run_middle(batch, middle);
}

}  // namespace

void seal_chacha_poly(const Batch &batch) {
    begin(batch);
    bool more = false;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        absorb_aad(batch, &work);
        write_beginning(&work);
        absorb_beginning(batch, &work);
        more |= work.boundary < work.bulk;
    }
    if (more) {
        run_stitched(batch, false);
        run_chacha(batch);
    }
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        absorb(batch, &work, &work.out, work.hashed, work.bulk);
        absorb_lengths(&work);
        poly1305_tag(*poly_key_of(&work), accumulator(&work), static_cast<uint8_t *>(job.tag));
        text_done(&job);
    }
}

void open_chacha_poly(const Batch &batch) {
    begin(batch);
    bool more = false;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        job.status = CST_OK;
        job.out_len = job.in_len;
        absorb_aad(batch, &work);
        more |= work.boundary < work.bulk;
    }
    if (more) run_stitched(batch, true);
    more = false;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const cst_job &job = *work.job;
        absorb(batch, &work, &work.in, work.hashed, work.bulk);
        absorb_lengths(&work);
        uint8_t tag[TAG];
        poly1305_tag(*poly_key_of(&work), accumulator(&work), tag);
        if (same_bytes(tag, static_cast<const uint8_t *>(job.tag), TAG)) {
            if (!work.paired) write_beginning(&work);
        } else {
            fail(&work);
        }
        wipe(tag, sizeof(tag));
        more |= !work.failed && work.boundary < work.bulk;
    }
    if (more) run_chacha(batch);
}

}  // namespace cst
