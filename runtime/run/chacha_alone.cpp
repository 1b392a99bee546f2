#include "chacha_alone.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/poly1305.hpp"
#include "chacha_text.hpp"
#include "copy.hpp"
#include "direct.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16, TAG = 16;

constexpr size_t padded(size_t bytes) { return (bytes + BLOCK - 1) & ~(BLOCK - 1); }

class ChaChaAlone : ChaChaText {
public:
    ChaChaAlone(const Suite &suite, cst_job *job)
        : ChaChaText(suite, *job, static_cast<const uint8_t *>(job->iv), 1, chacha_alone_first(job->in_len)), job_(*job) {}
    ~ChaChaAlone() {
        wipe(&secret_, sizeof(secret_));
        if (job_.direction == CST_OPEN) wipe(opened_, used_);
        wipe(hash_state_, hash_used_);
    }

    // False: a kernel is missing, and nothing was done.
    bool choose() { return plan(CHACHA_BLOCK + first_, &begins_) && ChaChaText::choose(); }

    void seal() {
        begin(text_);
        copy_few(out_, text_ + CHACHA_BLOCK, first_);
        finish();
        absorb(out_);
        poly1305_tag(secret_.key, secret_.accumulator, static_cast<uint8_t *>(job_.tag));
    }

    // False: it did not authenticate. The cipher does not wait for the MAC's key, as the MAC does: it goes first where it leaves the ciphertext as it is.
    bool open() {
        const bool in_place = in_ == out_;
        begin(opened_);
        if (!in_place) finish();
        absorb(in_);
        poly1305_tag(secret_.key, secret_.accumulator, secret_.tag);
        if (!same_bytes(secret_.tag, static_cast<const uint8_t *>(job_.tag), TAG)) return false;
        copy_few(out_, opened_ + CHACHA_BLOCK, first_);
        if (in_place) finish();
        return true;
    }

private:
    // Makes the key, and enciphers the beginning of the text behind it.
    void begin(uint8_t *to) {
        memset(text_, 0, CHACHA_BLOCK);
        copy_few(text_ + CHACHA_BLOCK, in_, first_);
        use(encipher(begins_, text_, to, CHACHA_BLOCK + first_, 0));
        poly1305_key(to, &secret_.key);
    }

    // AAD, ciphertext and lengths; of a text that one call enciphers, in one piece.
    void absorb(const uint8_t *ciphertext) {
        const uint8_t *const aad = static_cast<const uint8_t *>(job_.aad);
        const size_t aad_bytes = job_.aad_len, whole_aad = aad_bytes & ~(BLOCK - 1), whole = bytes_ & ~(BLOCK - 1);
        uint8_t *const text = text_ + CHACHA_BLOCK;
        if (bytes_ == first_ && aad_bytes <= CHACHA_BLOCK) return absorb_blocks(put_padded(text - padded(aad_bytes), aad, aad_bytes), put_lengths(text, bytes_));
        absorb_blocks(aad, aad + whole_aad);
        if (whole_aad < aad_bytes) absorb_blocks(put_padded(text_, aad + whole_aad, aad_bytes - whole_aad), text_ + BLOCK);
        absorb_blocks(ciphertext, ciphertext + whole);
        absorb_blocks(put_padded(text_, ciphertext + whole, bytes_ - whole), put_lengths(text_, bytes_ - whole));
    }
    static uint8_t *put_padded(uint8_t *to, const uint8_t *from, size_t bytes) {
        if (bytes % BLOCK) put_zeros(to + (bytes & ~(BLOCK - 1)));
        copy_few(to, from, bytes);
        return to;
    }
    // Behind so many bytes. Returns where they end.
    uint8_t *put_lengths(uint8_t *text, size_t bytes) {
        uint8_t *const lengths = text + padded(bytes);
        put_zeros(text + bytes);
        put_words(lengths, job_.aad_len, bytes_);
        use(size_t(lengths + BLOCK - text_));
        return lengths + BLOCK;
    }

    void absorb_blocks(const uint8_t *from, const uint8_t *to) {
        if (const Variant *v = choose_hash(uint64_t(to - from))) from += poly1305_on(*v, hash_state_, secret_.accumulator, from, uint64_t(to - from));
        poly1305_absorb(suite_, secret_.key, secret_.accumulator, from, uint64_t(to - from) / BLOCK);
    }
    // The kernel for so many bytes, with the powers in its state; NULL: none pays for them.
    const Variant *choose_hash(uint64_t bytes) {
        if (bytes < POLY_LEAST) return nullptr;
        const Variant *const v = which_.choose(suite_.hashes, bytes);
        const Kernel *kernel;
        if (!v || !poly1305_serves(*v) || v->state_bytes > STATE || v->state_align > ALIGNED || suite_.engine->fetch(*v, &kernel)) return nullptr;
        if (powers_for_ == v) return v;
        if (which_.cost(*v, bytes) + POLY_POWERS >= poly1305_cycles(suite_, double(bytes / BLOCK))) return nullptr;
        poly1305_powers(secret_.key, v->hash.key_rows, hash_state_ + v->hash.lanes[0].key);
        hash_used_ = std::max(hash_used_, size_t(v->state_bytes));
        return powers_for_ = v;
    }

    cst_job &job_;
    Calls begins_;
    const Variant *powers_for_ = nullptr;  // the kernel of Poly1305 whose state has them
    size_t hash_used_ = 0;
    // From here on what was used is wiped.
    struct {
        PolyKey key;
        uint64_t accumulator[3] = {};
        uint8_t tag[TAG];
    } secret_;
    alignas(64) uint8_t opened_[sizeof(text_)];
    alignas(ALIGNED) uint8_t hash_state_[STATE];
};

}  // namespace

bool chacha_alone_takes(const cst_job &job) {
    const Suite &suite = *key_of(job).suite;
    return suite.construction == Construction::chacha_poly && !suite.forced && job.in_len <= chacha_alone_most(suite) && !(job.n_in_pieces | job.n_out_pieces);
}

int run_chacha_alone(cst_job *job) {
    ChaChaAlone alone(*key_of(*job).suite, job);
    if (!alone.choose()) return CST_OK;
    text_done(job);
    if (job->direction == CST_SEAL) alone.seal();
    else if (!alone.open()) refuse(job);
    return job->status;
}

bool run_chacha_text(cst_job *job) {
    const uint8_t *const iv = static_cast<const uint8_t *>(job->iv);
    uint32_t counter;
    memcpy(&counter, iv, sizeof(counter));
    ChaChaText text(*key_of(*job).suite, *job, iv + sizeof(counter), counter, 0);
    if (!text.choose()) return false;
    text.finish();
    text_done(job);
    return true;
}

}  // namespace cst
