#include "gcm_stitched.hpp"

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/aes.hpp"
#include "../suite/gcm_narrow.hpp"
#include "../suite/ghash.hpp"
#include "../suite/secret.hpp"
#include "direct.hpp"
#include "key_rows.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = GCM_BLOCK;
constexpr size_t AT_ONCE = 16;  // blocks that are enciphered, or hashed, without a kernel

}  // namespace

GcmStitched::~GcmStitched() { wipe(state_, used_); }

void GcmStitched::choose(uint64_t bytes, bool ahead) {
    bytes_ = bytes;
    ahead_ = ahead;
    const Variant *const before = pair_;
    pair_ = which_.pair(bytes_ & ~uint64_t(BLOCK - 1), ahead);
    const Kernel *kernel;
    if (pair_ && (pair_->state_bytes > ROOM || pair_->state_align > ALIGNED || pair_->cipher.key_row_bytes != BLOCK || pair_->hash.key_row_bytes != BLOCK ||
                  suite_.engine->fetch(*pair_, &kernel)))
        pair_ = nullptr;
    if (!pair_ || pair_ == before) return;
    fn_ = kernel->fn;
    key_ = nullptr;
    const LanePlace &cipher = pair_->cipher.lanes[0], &hash = pair_->hash.lanes[0];
    in_ = state_ + cipher.in;
    out_ = state_ + cipher.out;
    counter_ = state_ + cipher.chain;
    hash_in_ = state_ + hash.in;
    y_ = state_ + hash.chain;
    for (uint32_t i = 0; i < pair_->n_streams; i++) args_.state[i] = state_ + pair_->state_offset[i];
    used_ = std::max(used_, size_t(pair_->state_bytes));
    if (pair_->legacy_sse && suite_.engine->avx()) clear_upper_halves();
}

void GcmStitched::load_key(const Key &key) {
    if (key_ == &key) return;
    key_ = &key;
    copy_rows(state_ + pair_->cipher.lanes[0].key, key.encrypt[0], pair_->cipher.key_rows);
    const uint32_t powers = pair_->hash.key_rows;
    copy_rows(state_ + pair_->hash.lanes[0].key, key.powers[GHASH_POWERS - powers], powers);
}

void GcmStitched::call(const uint8_t *in, uint8_t *out, const uint8_t *hash_in, uint64_t iterations) {
    put_pointer(in_, in);
    put_pointer(out_, out);
    put_pointer(hash_in_, hash_in);
    args_.iterations = iterations;
    fn_(&args_);
    pair_->calls.add(1);
}

// What is left of the text, and the lengths.
void GcmStitched::absorb_end(const Key &key, const cst_job &job, const uint8_t *text, uint64_t done) {
    const uint64_t whole = (bytes_ - done) / (AT_ONCE * BLOCK) * (AT_ONCE * BLOCK);
    ghash_blocks(key.powers + GHASH_POWERS, y_, text + done, size_t(whole / BLOCK));
    done += whole;
    ghash_end(key.powers + GHASH_POWERS, y_, {nullptr, 0, text + done, size_t(bytes_ - done), job.aad_len, bytes_});
}

// From the counter on at which the kernel ended.
void GcmStitched::add_stream(const Key &key, const uint8_t *in, uint8_t *out, uint64_t bytes) {
    alignas(BLOCK) uint8_t stream[AT_ONCE][BLOCK];
    while (bytes) {
        const size_t some = size_t(std::min<uint64_t>(bytes, AT_ONCE * BLOCK)), blocks = whole_blocks(some) / BLOCK;
        aes_counter_blocks(key.encrypt, suite_.encrypt->record.rounds, counter_, blocks, stream);
        add_blocks(out, in, stream[0], some);
        wipe_rows(stream, blocks);
        bytes -= some;
        if (!bytes) break;
        in += some;
        out += some;
        count_on(counter_, uint32_t(blocks));
    }
}

// Opening, the tag is looked at before anything is deciphered but what the kernel does. In place the kernel must not overwrite what has still to be hashed: so many
// strides as it needs are hashed first, and as many deciphered last.
void GcmStitched::run(cst_job *job) {
    const uint8_t *const in = static_cast<const uint8_t *>(job->in), *const aad = static_cast<const uint8_t *>(job->aad);
    uint8_t *const out = static_cast<uint8_t *>(job->out);
    const bool ahead = opens_ && in == out;
    if (bytes_ != job->in_len || ahead_ != ahead) choose(job->in_len, ahead);
    if (!pair_) return;
    const Key &key = key_of(*job);
    const uint64_t before = ahead ? pair_->need() : 0, strides = (bytes_ - before) >> pair_->step_log2, done = strides << pair_->step_log2;
    const uint8_t *const hashed = opens_ ? in : out;
    load_key(key);
    put_second_counter(counter_, job->iv);
    put_zeros(y_);
    if (job->aad_len) ghash_part(key.powers + GHASH_POWERS, y_, aad, job->aad_len);
    ghash_blocks(key.powers + GHASH_POWERS, y_, in, size_t(before / BLOCK));
    call(in, out, hashed + before, strides);
    text_done(job);
    const GcmBegun begun = {done, y_};
    const bool right = suite_.wide ? gcm_wide(job, 1, begun) : !before ? gcm_narrow(job, 1, suite_.double_blocks, begun) : finish(key, *job, hashed, done, before + done);
    if (!right) refuse(job);
    all_ &= right;
}

// What is left: of the text so much is enciphered, and so much hashed.
bool GcmStitched::finish(const Key &key, const cst_job &job, const uint8_t *hashed_text, uint64_t enciphered, uint64_t hashed) {
    const uint8_t *const in = static_cast<const uint8_t *>(job.in) + enciphered;
    uint8_t *const out = static_cast<uint8_t *>(job.out) + enciphered, *const tag = static_cast<uint8_t *>(job.tag);
    alignas(BLOCK) uint8_t last[1][BLOCK];
    put_first_counter(last[0], job.iv);
    aes_encrypt(key.encrypt, suite_.encrypt->record.rounds, last[0], last[0]);
    if (!opens_) add_stream(key, in, out, bytes_ - enciphered);
    absorb_end(key, job, hashed_text, hashed);
    put_words(y_, load64(last[0]) ^ load64(y_), load64(last[0] + 8) ^ load64(y_ + 8));
    wipe_rows(last, 1);
    if (!opens_) {
        copy_few(tag, y_, job.tag_len);
        return true;
    }
    const bool right = same_bytes(y_, tag, job.tag_len);
    if (right) add_stream(key, in, out, bytes_ - enciphered);
    return right;
}

}  // namespace cst
