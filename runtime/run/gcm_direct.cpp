// GCM message after message, on kernels of one lane and, for a few blocks, none. Whole strides of a text that lies in one piece run where they are,
// stitched as far as that pays (stitch.cpp says why where each of the two may stand); the rest goes through `blocks`, as a short text in several
// pieces does altogether.
//
// Opening checks before anything is deciphered but what a pair kernel does, and wipes that if the tag is wrong.

#include "../suite/aes.hpp"
#include "../suite/ghash.hpp"
#include "../suite/secret.hpp"
#include "alone.hpp"
#include "direct.hpp"
#include "gcm_blocks.hpp"
#include "gcm_burst.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = GCM_BLOCK;
// Core cycles per byte of GHASH without a kernel, measured on Zen 4; it has no call and no state block.
constexpr double WITHOUT_KERNEL = 8.5 / BLOCK;
// AAD, text and lengths of so many blocks are hashed at once, without a kernel; in longer ones stretches of this many bytes have one.
constexpr size_t FEW = 16;
constexpr uint64_t STRETCH = 8 * BLOCK;
static_assert(FEW <= GHASH_POWERS, "ghash_end has the powers");

// The jobs of one suite, one after the other.
class Direct {
public:
    Direct(Arena *arena, const Suite &suite, bool one_key)
        : alone_(suite, &arena->lanes, one_key), work_(*arena->begin(0)), rounds_(suite.encrypt->record.rounds) {
        work_.item.cipher_from = work_.item.cipher_chain = work_.chain;
        work_.item.hash_from = work_.item.hash_chain = work_.hash_chain;
        alone_.take(&work_);
    }
    bool usable() const { return alone_.usable(); }

    void seal(cst_job *job) {
        take(job);
        const bool few = blocks() <= FEW;
        uint64_t done = 0;
        if (!few) {
            absorb_aad();
            const Variant *pair = stitched(false);
            if (pair) done = alone_.both(*pair, in_, out_, out_, job->in_len);
        }
        run_cipher(done);
        absorb_end(out_, done, few);
        finish_tag();
        copy_few(static_cast<uint8_t *>(job->tag), work_.last, job->tag_len);
    }

    // False: it did not authenticate.
    bool open(cst_job *job) {
        take(job);
        const bool few = blocks() <= FEW, same = in_ == out_;
        uint64_t hashed = 0, done = 0;
        if (!few) {
            absorb_aad();
            const Variant *pair = stitched(same);
            if (pair) {
                if (same) absorb(in_, hashed = pair->need());
                done = alone_.both(*pair, in_, out_, in_ + hashed, job->in_len - hashed);
                hashed += done;
            }
        }
        absorb_end(in_, hashed, few);
        finish_tag();
        if (!same_bytes(work_.last, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
            fail(&work_);
            return false;
        }
        run_cipher(done);
        return true;
    }

private:
    void take(cst_job *job) {
        job_ = job;
        key_ = &key_of(*job);
        work_.job = job;
        work_.key = key_;
        work_.item.round_keys = key_->encrypt[0];
        work_.item.mac_keys_end = key_->powers[GHASH_POWERS];
        work_.out.set(job->out, job->out_cap, job->out_pieces, job->n_out_pieces);
        in_ = static_cast<const uint8_t *>(job->in);
        out_ = static_cast<uint8_t *>(job->out);
        scattered_ = job->n_in_pieces || job->n_out_pieces;
        if (scattered_) {
            work_.in.set(job->in, job->in_len, job->in_pieces, job->n_in_pieces);
            work_.in.read(0, work_.blocks, job->in_len);
            work_.use_blocks(job->in_len);
        }
        text_done(job);
        put_words(work_.hash_chain, 0, 0);
        make_counter();
    }

    // The first counter block (7.1, step 2); it is encrypted to `last`, and the next one's turn comes (6.2).
    void make_counter() {
        const uint8_t *iv = static_cast<const uint8_t *>(job_->iv);
        if (job_->iv_len == GCM_IV) {
            put_first_counter(work_.chain, iv);
        } else {
            const size_t rest = job_->iv_len % BLOCK;
            absorb(iv, job_->iv_len - rest);
            ghash_end(key_->powers + GHASH_POWERS, work_.hash_chain, {iv, 0, iv + job_->iv_len - rest, rest, 0, job_->iv_len});
            memcpy(work_.chain, work_.hash_chain, BLOCK);
            put_words(work_.hash_chain, 0, 0);
        }
        aes_encrypt(key_->encrypt, rounds_, work_.chain, work_.last);
        count_on(work_.chain, 1);
    }

    // Of AAD, text and lengths.
    uint64_t blocks() const { return (whole_blocks(job_->aad_len) + whole_blocks(job_->in_len)) / BLOCK + 1; }
    const Variant *stitched(bool ahead) { return job_->in_len > GCM_SHORT_TEXT ? alone_.choose_pair(job_->in_len & ~(COUNTER_STRIDE - 1), ahead) : nullptr; }

    // Whole blocks that lie together.
    void absorb(const uint8_t *data, uint64_t bytes) {
        const uint64_t done = alone_.hash(data, bytes, STRETCH, WITHOUT_KERNEL);
        ghash_blocks(key_->powers + GHASH_POWERS, work_.hash_chain, data + done, size_t(bytes - done) / BLOCK);
    }
    void absorb_aad() {
        const uint8_t *aad = static_cast<const uint8_t *>(job_->aad);
        const size_t rest = job_->aad_len % BLOCK;
        absorb(aad, job_->aad_len - rest);
        if (!rest) return;
        alignas(16) uint8_t block[BLOCK] = {};
        copy_few(block, aad + job_->aad_len - rest, rest);
        absorb(block, BLOCK);
    }
    // What is left of the message: the ciphertext from `from` on, the lengths, and the AAD if they are few blocks together.
    void absorb_end(const uint8_t *text, uint64_t from, bool few) {
        if (scattered_) text = work_.blocks;
        uint64_t left = job_->in_len - from;
        if (!few) {
            left -= alone_.hash(text + from, left & ~(BLOCK - 1), STRETCH, WITHOUT_KERNEL);
            const uint64_t most = (GHASH_POWERS - 1) * BLOCK, before = left > most ? (left - most + BLOCK - 1) & ~(BLOCK - 1) : 0;
            if (before) ghash_blocks(key_->powers + GHASH_POWERS, work_.hash_chain, text + (job_->in_len - left), size_t(before) / BLOCK);
            left -= before;
        }
        const size_t aad = few ? job_->aad_len : 0;
        ghash_end(key_->powers + GHASH_POWERS, work_.hash_chain,
                  {static_cast<const uint8_t *>(job_->aad), aad, text + (job_->in_len - left), size_t(left), job_->aad_len, job_->in_len});
    }

    // The text from `from` on, of one in several pieces all, which is in `blocks`.
    void run_cipher(uint64_t from) {
        if (!scattered_) return alone_.text(in_ + from, out_ + from, job_->in_len - from);
        alone_.text_in_blocks(job_->in_len);
        work_.out.write(0, work_.blocks, job_->in_len);
    }

    // The tag (7.1, step 6), in `last`.
    void finish_tag() { put_words(work_.last, load64(work_.last) ^ load64(work_.hash_chain), load64(work_.last + 8) ^ load64(work_.hash_chain + 8)); }

    Alone alone_;
    Work &work_;  // serves all of them
    const uint32_t rounds_;
    cst_job *job_ = nullptr;
    const Key *key_ = nullptr;
    const uint8_t *in_ = nullptr;
    uint8_t *out_ = nullptr;
    bool scattered_ = false;
};

}  // namespace

bool gcm_takes(const cst_job &job) { return !(job.n_in_pieces || job.n_out_pieces) || gcm_short(job); }

int gcm_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n) {
    const bool all = run_gcm_burst(suite, direction, jobs, n);
    const int result = seal_or_open<Direct>(arena, suite, direction, jobs, n, gcm_takes);
    return all ? result : CST_ERR_AUTH;
}

}  // namespace cst
