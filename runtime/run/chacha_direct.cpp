// ChaCha20, alone and with Poly1305 (RFC 8439), job after job on kernels of one lane. How a message is cut: chacha_poly.cpp.

#include <algorithm>
#include <cstring>

#include "../suite/poly1305.hpp"
#include "../suite/secret.hpp"
#include "alone.hpp"
#include "chacha.hpp"
#include "chacha_alone.hpp"
#include "direct.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16, TAG = 16;
// Shorter texts with a tag are as fast in phases, measured on Zen 4: Poly1305 without a kernel waits for the cipher, in phases for that of another job.
constexpr size_t LEAST_TEXT = 384;
// Where the keys of several messages are made at once, phases encipher longer ones beside one another, too.
constexpr size_t LEAST_OF_SEVERAL = 640;

class Direct {
public:
    Direct(Arena *arena, const Suite &suite, bool one_key)
        : alone_(suite, &arena->lanes, one_key), suite_(suite), arena_(*arena), work_(*arena->begin(0)) {
        alone_.take(&work_);
    }
    bool usable() const { return alone_.usable(); }

    // The next message's first block of the keystream, that somebody has made already.
    void use_first_block(const uint8_t *block) { first_block_ = block; }

    void seal(cst_job *job) {
        take(job);
        const size_t first = begin();
        if (first) memcpy(out_, work_.blocks + CHACHA_BLOCK, first);
        absorb_padded(static_cast<const uint8_t *>(job->aad), job->aad_len);
        absorb_padded(work_.blocks + CHACHA_BLOCK, first);
        uint64_t done = first;
        const Variant *pair = alone_.choose_pair(job->in_len - first, false);
        if (pair && prepare_powers(*pair)) done += alone_.both(*pair, in_ + first, out_ + first, out_ + first, job->in_len - first);
        text(in_ + done, out_ + done, job->in_len - done);
        absorb_padded(out_ + done, job->in_len - done);
        finish(static_cast<uint8_t *>(job->tag));
    }

    // False: it did not authenticate.
    bool open(cst_job *job) {
        take(job);
        const size_t first = begin();
        absorb_padded(static_cast<const uint8_t *>(job->aad), job->aad_len);
        uint64_t hashed = 0, done = first;
        const bool same = in_ == out_;
        const Variant *pair = job->in_len < poly_opening_least(suite_) ? nullptr : alone_.choose_pair(job->in_len - first, same);
        if (pair) {
            hashed = first + (same ? pair->need() : 0);
            absorb_padded(in_, hashed);
            const uint64_t both = prepare_powers(*pair) ? alone_.both(*pair, in_ + first, out_ + first, in_ + hashed, job->in_len - hashed) : 0;
            done += both;
            hashed += both;
        }
        absorb_padded(in_ + hashed, job->in_len - hashed);
        uint8_t tag[TAG];
        finish(tag);
        const bool right = same_bytes(tag, static_cast<const uint8_t *>(job->tag), TAG);
        wipe(tag, sizeof(tag));
        if (!right) {
            fail(&work_);
            return false;
        }
        if (first) memcpy(out_, work_.blocks + CHACHA_BLOCK, first);
        text(in_ + done, out_ + done, job->in_len - done);
        return true;
    }

private:
    void take(cst_job *job) {
        const Key *key = &key_of(*job);
        job_ = job;
        work_.job = job;
        work_.key = key;
        work_.item.round_keys = key->encrypt[0];
        work_.out.set(job->out, job->out_cap, nullptr, 0);
        in_ = static_cast<const uint8_t *>(job->in);
        out_ = static_cast<uint8_t *>(job->out);
        text_done(job);
    }

    // What is in `blocks`, with as many more as are worth a run.
    void run_blocks(size_t bytes) {
        const size_t room = chacha_room(suite_, 1, bytes);
        memset(work_.blocks + bytes, 0, room - bytes);
        work_.use_blocks(room);
        alone_.cipher(work_.blocks, work_.blocks, room);
    }
    void text(const uint8_t *in, uint8_t *out, uint64_t bytes) {
        const uint64_t whole = bytes - bytes % (CHACHA_MOST_BLOCKS * CHACHA_BLOCK);
        const size_t rest = size_t(bytes - whole);
        alone_.cipher(in, out, whole);
        if (!rest) return;
        memcpy(work_.blocks, in + whole, rest);
        run_blocks(rest);
        memcpy(out + whole, work_.blocks, rest);
    }

    // The key of Poly1305, and the beginning of the text, behind it in `blocks`. Returns how much that is.
    size_t begin() {
        const size_t first = first_block_ ? 0 : size_t(chacha_first(job_->in_len));
        memset(work_.chain, 0, 4);
        memcpy(work_.chain + 4, job_->iv, 12);
        if (!first_block_) {
            memset(work_.blocks, 0, CHACHA_BLOCK);
            if (first) memcpy(work_.blocks + CHACHA_BLOCK, in_, first);
            run_blocks(CHACHA_BLOCK + first);
        }
        poly1305_key(first_block_ ? first_block_ : work_.blocks, &poly_key());
        const uint32_t next = 1 + uint32_t(first / CHACHA_BLOCK);  // the call may have counted farther
        memcpy(work_.chain, &next, sizeof(next));
        memset(work_.hash_chain, 0, 24);
        work_.powers_rows = 0;
        alone_.forget_mac_keys();
        return first;
    }

    PolyKey &poly_key() { return *reinterpret_cast<PolyKey *>(work_.last); }
    uint64_t *accumulator() { return reinterpret_cast<uint64_t *>(work_.hash_chain); }

    bool prepare_powers(const Variant &variant) {
        const uint32_t rows = variant.hash.key_rows;
        if (work_.powers_rows == rows) return true;
        if (rows > POLY_MOST_ROWS || !poly1305_powers(poly_key(), rows, work_.powers)) return false;
        work_.powers_rows = rows;
        work_.item.mac_keys_end = work_.powers + 16 * rows;
        arena_.powers_used = true;
        return true;
    }

    // With zeros up to whole blocks.
    void absorb_padded(const uint8_t *data, uint64_t bytes) {
        uint64_t whole = bytes & ~uint64_t(BLOCK - 1);
        const size_t rest = size_t(bytes - whole);
        const uint8_t *last = data + whole;
        if (whole >= POLY_LEAST) {
            const Variant *variant = alone_.choose_hash(whole);
            const double powers = variant && work_.powers_rows == variant->hash.key_rows ? 0 : POLY_POWERS;
            if (variant && alone_.cost(*variant, whole) + powers < poly1305_cycles(suite_, double(whole / BLOCK)) && prepare_powers(*variant)) {
                const uint64_t done = alone_.hash_on(*variant, data, whole);
                data += done;
                whole -= done;
            }
        }
        poly1305_absorb(suite_, poly_key(), accumulator(), data, whole / BLOCK);
        if (!rest) return;
        uint8_t block[BLOCK] = {};
        memcpy(block, last, rest);
        poly1305_blocks(poly_key(), accumulator(), block, 1);
        wipe(block, sizeof(block));
    }
    void finish(uint8_t *tag) {
        const uint64_t lengths[2] = {job_->aad_len, job_->in_len};
        poly1305_blocks(poly_key(), accumulator(), reinterpret_cast<const uint8_t *>(lengths), 1);
        poly1305_tag(poly_key(), accumulator(), tag);
    }

    Alone alone_;
    const Suite &suite_;
    Arena &arena_;
    Work &work_;  // serves all of them
    cst_job *job_ = nullptr;
    const uint8_t *in_ = nullptr, *first_block_ = nullptr;
    uint8_t *out_ = nullptr;
};

// The first blocks of the keystreams of n messages, whose works have their jobs, in `blocks` of each.
void make_first_blocks(Arena *arena, const Suite &suite, size_t n) {
    for (size_t i = 0; i < n; i++) {
        Work &work = arena->works[i];
        memset(work.chain, 0, 4);
        memcpy(work.chain + 4, work.job->iv, 12);
        work.item.cipher_from = work.item.cipher_chain = work.chain;
        work.item.round_keys = key_of(*work.job).encrypt[0];
    }
    run_chacha_blocks({&suite, arena, arena->works, n, false}, [](Work *work) {
        memset(work->blocks, 0, CHACHA_BLOCK);
        return CHACHA_BLOCK;
    });
}

bool in_one_piece(const cst_job &job) { return !job.n_in_pieces && !job.n_out_pieces; }
// Nothing of the text goes with the first block.
bool first_block_alone(const cst_job &job) { return in_one_piece(job) && job.in_len > CHACHA_MOST_FIRST && chacha_first(job.in_len) == 0; }
bool takes_of_several(const cst_job &job) { return in_one_piece(job) && job.in_len >= LEAST_OF_SEVERAL; }

}  // namespace

bool chacha_takes(const cst_job &job) {
    uint32_t counter;
    memcpy(&counter, job.iv, sizeof(counter));
    const uint64_t before = ((uint64_t(1) << 32) - counter) * CHACHA_BLOCK;
    return in_one_piece(job) && job.in_len + CHACHA_MOST_BLOCKS * CHACHA_BLOCK <= before;  // no carry, nor where the last call counts on
}

int chacha_direct(Arena *, const Suite &suite, int direction, cst_job *jobs, size_t n) {
    if (!suite.forced) each_waiting(suite, direction, jobs, n, chacha_takes, run_chacha_text);
    return CST_OK;
}

bool chacha_poly_takes(const cst_job &job) { return in_one_piece(job) && job.in_len >= LEAST_TEXT; }

int chacha_poly_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n) {
    if (n < suite.chacha_several) return seal_or_open<Direct>(arena, suite, direction, jobs, n, chacha_poly_takes);
    size_t short_ones = 0, alone = 0;
    each_waiting(suite, direction, jobs, n, chacha_poly_takes, [&](const cst_job *job) {
        short_ones += job->in_len < LEAST_OF_SEVERAL;
        alone += first_block_alone(*job);
    });
    int result = CST_OK;
    for (size_t done = 0; alone >= suite.chacha_several && !suite.forced && done < n;) {
        const size_t from = done, room = arena->works_room();
        size_t together = 0;
        for (; done < n && together < room; done++)
            each_waiting(suite, direction, jobs + done, 1, first_block_alone, [&](cst_job *job) { arena->begin(together++)->job = job; });
        if (!together) break;
        make_first_blocks(arena, suite, together);
        cst_job *const first = arena->works[0].job;
        Direct direct(arena, suite, one_key(jobs + from, done - from));
        if (!direct.usable()) return CST_OK;
        for (size_t i = 0; i < together; i++) {
            direct.use_first_block(arena->works[i].blocks);
            cst_job *const job = i ? arena->works[i].job : first;
            if (direction == CST_SEAL) direct.seal(job);
            else if (!direct.open(job)) result = CST_ERR_AUTH;
        }
    }
    each_waiting(suite, direction, jobs, n, chacha_alone_takes, [&](cst_job *job) { result = std::min(result, run_chacha_alone(job)); });
    const int others = seal_or_open<Direct>(arena, suite, direction, jobs, n, short_ones < suite.chacha_several ? chacha_poly_takes : takes_of_several);
    return result == CST_OK ? others : result;
}

}  // namespace cst
