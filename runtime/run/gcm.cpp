// GCM (SP 800-38D). A short message is put together in `blocks`: one call of the cipher does the block of the tag and the text, one call of GHASH the AAD,
// the ciphertext and the lengths. Of a longer one the middle is stitched as in stitch.cpp; opening hashes ahead of the cipher, which may overwrite what
// is hashed, and wipes what it wrote if the tag is wrong.
//
// Blocks of zeros in front of a message leave Y = 0 as it is: with them any number of blocks fills the iterations of a wide kernel. Where Y is not 0 it is
// added to the first block instead: Y H^n + X1 H^n = (Y + X1) H^n.

#include "gcm_blocks.hpp"

#include <cstring>

#include "../suite/ghash.hpp"
#include "../suite/secret.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = GCM_BLOCK, TEXT = GCM_TEXT, SHORT_AAD = GCM_SHORT_AAD;

// One phase over the works for which prepare(work) leaves bytes in its item.
template <typename Prepare>
void run_for(const Batch &batch, const Family &family, Prepare prepare) {
    Item **items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.item.bytes = 0;
        prepare(work);
        if (work.item.bytes) items[n++] = &work.item;
    }
    run_items(batch, family, n);
}

// How many blocks of zeros to put in front of n, of which there is room for `room`.
size_t zeros_before(size_t n, size_t room) {
    for (size_t unit : {size_t(16), size_t(8), size_t(4)})
        if (n > unit / 2 && (-n & (unit - 1)) <= room) return -n & (unit - 1);
    return 0;
}

// GHASH is to go on with the whole blocks at `at` of `blocks`; what is in front of them is room for zeros.
void hash_blocks(Work *work, size_t at, size_t bytes) {
    const size_t zeros = BLOCK * zeros_before(bytes / BLOCK, at / BLOCK);
    memset(work->blocks + at - zeros, 0, zeros);
    for (size_t i = 0; i < BLOCK; i++) work->blocks[at + i] ^= work->hash_chain[i];
    memset(work->hash_chain, 0, BLOCK);
    work->item.hash_from = work->hash_chain;
    work->item.hash_in = work->blocks + at - zeros;
    work->item.bytes = zeros + bytes;
    work->use_blocks(at + bytes);
}

// The first counter block (7.1, step 2) in `chain`.
void make_counters(const Batch &batch) {
    bool other = false;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const cst_job &job = *work.job;
        memset(work.hash_chain, 0, BLOCK);
        work.item.hash_from = work.hash_chain;
        work.item.mac_keys_end = work.key->powers[GHASH_POWERS];
        work.item.cipher_from = work.chain;
        if (job.iv_len != GCM_IV) {
            other = true;
            continue;
        }
        put_first_counter(work.chain, job.iv);
    }
    if (!other) return;
    const Family &family = batch.suite->hashes;
    run_for(batch, family, [](Work &work) {
        if (work.job->iv_len == GCM_IV) return;
        work.item.hash_in = static_cast<const uint8_t *>(work.job->iv);
        work.item.bytes = work.job->iv_len & ~(BLOCK - 1);
    });
    run_for(batch, family, [](Work &work) {
        const size_t bytes = work.job->iv_len, rest = bytes % BLOCK;
        if (bytes == GCM_IV) return;
        memcpy(work.blocks + TEXT, static_cast<const uint8_t *>(work.job->iv) + bytes - rest, rest);
        hash_blocks(&work, TEXT, put_lengths(work.blocks, TEXT + rest, 0, bytes) - TEXT);
    });
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.job->iv_len == GCM_IV) continue;
        memcpy(work.chain, work.hash_chain, BLOCK);
        memset(work.hash_chain, 0, BLOCK);
        work.item.hash_from = work.hash_chain;
    }
}

// Returns whether all messages are short.
bool begin(const Batch &batch) {
    const Variant *forced = batch.suite->forced;
    bool all = true;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        work.whole = gcm_short(job) && !(forced && forced->role == Role::pair);
        work.bulk = work.body_bytes = job.in_len & ~(COUNTER_STRIDE - 1);
        if (work.whole) work.ciphered = job.in_len;
        all &= work.whole;
        text_done(&job);
    }
    make_counters(batch);
    return all;
}

// Encrypts the first counter block of short messages, or of the others, to `last`; of a short one also what is at TEXT of `blocks`.
void run_first(const Batch &batch, bool whole) {
    run_for(batch, batch.suite->encrypts, [&](Work &work) {
        if (work.whole != whole) return;
        uint8_t *at = work.last;
        size_t bytes = BLOCK;
        if (work.whole && work.job->in_len) {
            at = work.blocks + TEXT - BLOCK;
            const size_t used = BLOCK + work.job->in_len;
            bytes = counter_room(used);
            memset(at + used, 0, bytes - used);
            work.use_blocks(TEXT - BLOCK + bytes);
        }
        memset(at, 0, BLOCK);
        work.item.in = work.item.out = at;
        work.item.bytes = bytes;
    });
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (whole && work.whole && work.job->in_len) memcpy(work.last, work.blocks + TEXT - BLOCK, BLOCK);
    }
}

// The AAD of messages that are not short.
void hash_heads(const Batch &batch) {
    const Family &family = batch.suite->hashes;
    run_for(batch, family, [](Work &work) {
        if (work.whole || work.job->aad_len <= SHORT_AAD) return;
        work.item.hash_in = static_cast<const uint8_t *>(work.job->aad);
        work.item.bytes = work.job->aad_len & ~(BLOCK - 1);
    });
    run_for(batch, family, [](Work &work) {
        const cst_job &job = *work.job;
        const size_t rest = job.aad_len <= SHORT_AAD ? job.aad_len : job.aad_len % BLOCK, bytes = whole_blocks(rest);
        if (work.whole || !rest) return;
        memcpy(work.blocks + TEXT, static_cast<const uint8_t *>(job.aad) + job.aad_len - rest, rest);
        memset(work.blocks + TEXT + rest, 0, bytes - rest);
        hash_blocks(&work, TEXT, bytes);
    });
}

// What is not hashed yet: of a short message everything, of others the rest of the ciphertext, which stands at TEXT of `blocks`; and the lengths.
void hash_ends(const Batch &batch) {
    run_for(batch, batch.suite->hashes, [](Work &work) {
        const cst_job &job = *work.job;
        size_t at = TEXT;
        if (work.whole && job.aad_len) {
            at -= whole_blocks(job.aad_len);
            memcpy(work.blocks + at, job.aad, job.aad_len);
            memset(work.blocks + at + job.aad_len, 0, TEXT - at - job.aad_len);
        }
        const size_t text = work.whole ? job.in_len : job.in_len - work.bulk;
        hash_blocks(&work, at, put_lengths(work.blocks, TEXT + text, job.aad_len, job.in_len) - at);
    });
}

void read_ends(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const uint64_t from = work.whole ? 0 : work.bulk;
        work.in.read(from, work.blocks + TEXT, work.job->in_len - from);
    }
}

// Whole strides of messages that are not short.
void run_bodies(const Batch &batch, bool open) {
    Middle middle = {&batch.suite->pairs, !open, open, false};
    for (size_t i = 0; i < batch.n; i++) batch.works[i].body = open ? &batch.works[i].in : &batch.works[i].out;
    choose_middle(batch, &middle);
    auto ends = [&](bool all) {
        for (size_t i = 0; i < batch.n; i++) {
            Work &work = batch.works[i];
            if (work.whole) continue;
            work.cipher_end = all || !work.paired ? work.bulk : cipher_start(work, middle);
            work.hash_end = all || !work.paired ? work.bulk : hash_start(work, middle);
        }
    };
    auto run = [&] {
        if (open) hash_bodies(batch);
        run_cipher(batch, false);
        if (!open) hash_bodies(batch);
    };
    if (middle.choice) {
        ends(false);
        run();
        run_middle(batch, middle);
    }
    ends(true);
    run();
}

// The tag (7.1, step 6), in `last`.
void finish_tag(Work *work) {
    for (size_t i = 0; i < BLOCK; i++) work->last[i] ^= work->hash_chain[i];
}

}  // namespace

void gcm_seal(const Batch &batch) {
    const bool all_short = begin(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.whole) work.in.read(0, work.blocks + TEXT, work.job->in_len);
    }
    run_first(batch, true);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.whole) work.out.write(0, work.blocks + TEXT, work.job->in_len);
    }
    if (!all_short) {
        run_first(batch, false);
        hash_heads(batch);
        run_bodies(batch, false);
        run_rests(batch, TEXT);
    }
    hash_ends(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        finish_tag(&work);
        memcpy(work.job->tag, work.last, work.job->tag_len);
    }
}

void gcm_open(const Batch &batch) {
    const bool all_short = begin(batch);
    if (!all_short) {
        hash_heads(batch);
        run_first(batch, false);
        run_bodies(batch, true);
    }
    read_ends(batch);
    hash_ends(batch);
    run_first(batch, true);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        finish_tag(&work);
        if (!same_bytes(work.last, static_cast<const uint8_t *>(work.job->tag), work.job->tag_len)) fail(&work);
        else if (work.whole) work.out.write(0, work.blocks + TEXT, work.job->in_len);
    }
    if (!all_short) run_rests(batch, TEXT);
}

int gcm_key(const Suite &suite, Key *key) {
    Arena arena;
    if (int error = arena.allocate(*suite.engine, 1)) return error;
    Work *work = arena.begin(0);
    work->item.round_keys = key->encrypt[0];
    memset(work->chain, 0, BLOCK);
    memset(work->last, 0, BLOCK);
    work->item.cipher_from = work->item.cipher_chain = work->chain;
    run_for({&suite, &arena, arena.works, 1, true}, suite.encrypts, [](Work &w) {
        w.item.in = w.item.out = w.last;
        w.item.bytes = BLOCK;
    });
    ghash_powers(work->last, GHASH_POWERS, key->powers);
    for (uint32_t i = 0; i < GHASH_POWERS; i++) {
        const uint64_t sum = load64(key->powers[i]) ^ load64(key->powers[i] + 8);
        put_words(key->folded[i], sum, sum);
    }
    for (uint32_t v = 0; v < GCM_WIDE_TEAM; v++) {
        const uint32_t first = GHASH_POWERS - GCM_WIDE_STRIDE + v * GCM_WIDE_LANES;
        for (uint32_t lane = 0; lane < GCM_WIDE_LANES; lane++) {
            memcpy(key->lane_powers[v][lane], key->powers[first], BLOCK);
            memcpy(key->lane_folded[v][lane], key->folded[first], BLOCK);
        }
    }
    return CST_OK;
}

}  // namespace cst
