// GCM message after message, on kernels of one lane and, for single blocks, none. A short message, as in gcm.cpp: one call of the cipher for the block of the
// tag and the text, one of GHASH for AAD, ciphertext and lengths, or no kernel for the latter. Of a longer one that lies in one piece the whole strides run
// where they are, stitched as far as that pays (stitch.cpp says why where each of the two may stand), and the rest goes through `blocks`.
//
// Opening checks before anything is deciphered but what a pair kernel does, and wipes that if the tag is wrong.

#include "../suite/aes.hpp"
#include "../suite/ghash.hpp"
#include "../suite/secret.hpp"
#include "alone.hpp"
#include "gcm_blocks.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = GCM_BLOCK, TEXT = GCM_TEXT;
// Core cycles per byte of GHASH without a kernel, measured on Zen 4; it has no call and no state block.
constexpr double WITHOUT_KERNEL = 9.5 / BLOCK;
// Blocks that a kernel takes at a time.
constexpr size_t UNIT = 8;

class Message {
public:
    Message(const Batch &batch, Alone *alone, Work *work)
        : alone_(*alone), work_(*work), job_(*work->job), rounds_(batch.suite->encrypt->record.rounds), scratch_(batch.works[0]), blocks_(scratch_.blocks) {}

    void seal() {
        begin();
        if (gcm_short(job_)) {
            work_.in.read(0, blocks_ + TEXT, job_.in_len);
            encipher_short();
            work_.out.write(0, blocks_ + TEXT, job_.in_len);
            absorb_short();
        } else {
            encrypt_tag_block();
            absorb_aad();
            seal_strides();
            const size_t rest = size_t(job_.in_len % COUNTER_STRIDE);
            const uint64_t from = job_.in_len - rest;
            work_.in.read(from, blocks_ + TEXT, rest);
            encipher_rest(rest);
            work_.out.write(from, blocks_ + TEXT, rest);
            absorb_rest(rest);
        }
        finish_tag();
        memcpy(job_.tag, work_.last, job_.tag_len);
    }

    void open() {
        begin();
        if (gcm_short(job_)) {
            work_.in.read(0, blocks_ + TEXT, job_.in_len);
            absorb_short();
            encipher_short();
            if (authentic()) work_.out.write(0, blocks_ + TEXT, job_.in_len);
            return;
        }
        encrypt_tag_block();
        absorb_aad();
        const size_t rest = size_t(job_.in_len % COUNTER_STRIDE);
        const uint64_t from = job_.in_len - rest, done = open_strides(from);
        work_.in.read(from, blocks_ + TEXT, rest);
        absorb_rest(rest);
        if (!authentic()) return;
        alone_.cipher(work_.in.at(0) + done, work_.out.at(0) + done, from - done);
        encipher_rest(rest);
        work_.out.write(from, blocks_ + TEXT, rest);
    }

private:
    void begin() {
        alone_.take(&work_);
        work_.in.set(job_.in, job_.in_len, job_.in_pieces, job_.n_in_pieces);
        work_.out.set(job_.out, job_.out_cap, job_.out_pieces, job_.n_out_pieces);
        work_.item.mac_keys_end = work_.key->powers[MOST_POWERS];
        memset(work_.hash_chain, 0, BLOCK);
        job_.out_len = job_.in_len;
        job_.status = CST_OK;
        if (job_.iv_len == GCM_IV) {
            put_first_counter(work_.chain, job_.iv);
            return;
        }
        absorb_padded(job_.iv, job_.iv_len);
        put_lengths(blocks_, 0, 0, job_.iv_len);
        absorb(blocks_, BLOCK);
        memcpy(work_.chain, work_.hash_chain, BLOCK);
        memset(work_.hash_chain, 0, BLOCK);
    }

    // Whole blocks that lie together.
    void absorb(const uint8_t *data, uint64_t bytes) {
        const uint64_t done = bytes >= UNIT * BLOCK ? alone_.hash(data, bytes, WITHOUT_KERNEL) : 0;
        if (done < bytes) ghash_blocks(&work_.key->powers[MOST_POWERS], work_.hash_chain, data + done, size_t(bytes - done) / BLOCK);
    }
    void absorb_padded(const void *data, uint64_t bytes) {
        const size_t rest = bytes % BLOCK;
        absorb(static_cast<const uint8_t *>(data), bytes - rest);
        if (!rest) return;
        uint8_t block[BLOCK] = {};
        memcpy(block, static_cast<const uint8_t *>(data) + bytes - rest, rest);
        absorb(block, BLOCK);
    }
    void absorb_aad() { absorb_padded(job_.aad, job_.aad_len); }
    // What is at TEXT, and the lengths.
    void absorb_rest(size_t bytes) {
        const size_t end = put_lengths(blocks_, TEXT + bytes, job_.aad_len, job_.in_len);
        scratch_.use_blocks(end);
        absorb(blocks_ + TEXT, end - TEXT);
    }
    // The whole message. Blocks of zeros in front leave Y = 0 as it is.
    void absorb_short() {
        size_t at = TEXT - whole_blocks(job_.aad_len);
        const size_t end = put_lengths(blocks_, TEXT + job_.in_len, job_.aad_len, job_.in_len), blocks = (end - at) / BLOCK, odd = blocks % UNIT;
        if (job_.aad_len) {
            copy_few(blocks_ + at, static_cast<const uint8_t *>(job_.aad), job_.aad_len);
            memset(blocks_ + at + job_.aad_len, 0, TEXT - at - job_.aad_len);
        }
        if (blocks >= UNIT - 1 && odd >= UNIT / 2 && at >= (UNIT - odd) * BLOCK) {
            memset(blocks_ + at - (UNIT - odd) * BLOCK, 0, (UNIT - odd) * BLOCK);
            at -= (UNIT - odd) * BLOCK;
        }
        scratch_.use_blocks(end);
        absorb(blocks_ + at, end - at);
    }

    // The first counter block to `last`; then it is the next one's turn (6.2).
    void encrypt_tag_block() {
        aes_encrypt(work_.key->encrypt, rounds_, work_.chain, work_.last);
        uint32_t count;
        memcpy(&count, work_.chain + GCM_IV, sizeof(count));
        count = __builtin_bswap32(__builtin_bswap32(count) + 1);
        memcpy(work_.chain + GCM_IV, &count, sizeof(count));
    }
    // The text at TEXT, and the block in front of it, which goes to `last`.
    void encipher_short() {
        uint8_t *const at = blocks_ + TEXT - BLOCK;
        const size_t used = BLOCK + job_.in_len, bytes = counter_room(used);
        memset(at, 0, BLOCK);
        encipher(at, used, bytes);
        memcpy(work_.last, at, BLOCK);
    }
    void encipher_rest(size_t rest) {
        if (rest) encipher(blocks_ + TEXT, rest, counter_room(rest));
    }
    void encipher(uint8_t *at, size_t used, size_t bytes) {
        memset(at + used, 0, bytes - used);
        scratch_.use_blocks(size_t(at - blocks_) + bytes);
        alone_.cipher(at, at, bytes);
    }

    void seal_strides() {
        const uint64_t bytes = job_.in_len & ~(COUNTER_STRIDE - 1);
        const uint8_t *in = work_.in.at(0);
        uint8_t *out = work_.out.at(0);
        const Variant *pair = alone_.choose_pair(bytes, false);
        const uint64_t done = pair ? alone_.both(*pair, in, out, out, bytes) : 0;
        alone_.cipher(in + done, out + done, bytes - done);
        absorb(out + done, bytes - done);
    }
    // Hashes whole strides, and deciphers of them what is stitched. Returns how much that is.
    uint64_t open_strides(uint64_t bytes) {
        const uint8_t *in = work_.in.at(0);
        uint8_t *out = work_.out.at(0);
        const bool same = in == out;
        const Variant *pair = alone_.choose_pair(bytes, same);
        uint64_t hashed = 0, done = 0;
        if (pair) {
            if (same) absorb(in, hashed = pair->need());
            done = alone_.both(*pair, in, out, in + hashed, bytes - hashed);
            hashed += done;
        }
        absorb(in + hashed, bytes - hashed);
        return done;
    }

    // The tag (7.1, step 6), in `last`.
    void finish_tag() {
        for (size_t i = 0; i < BLOCK; i++) work_.last[i] ^= work_.hash_chain[i];
    }
    bool authentic() {
        finish_tag();
        if (same_bytes(work_.last, static_cast<const uint8_t *>(job_.tag), job_.tag_len)) return true;
        fail(&work_);
        return false;
    }

    Alone &alone_;
    Work &work_;
    cst_job &job_;
    const uint32_t rounds_;
    Work &scratch_;          // whose `blocks` serve all messages of the batch
    uint8_t *const blocks_;
};

}  // namespace

bool gcm_direct(const Batch &batch, bool open) {
    for (size_t i = 0; i < batch.n; i++) {
        const cst_job &job = *batch.works[i].job;
        if ((job.n_in_pieces || job.n_out_pieces) && !gcm_short(job)) return false;
    }
    Alone alone(batch);
    if (!alone.usable()) return false;
    for (size_t i = 0; i < batch.n; i++) {
        Message message(batch, &alone, &batch.works[i]);
        if (open) message.open();
        else message.seal();
    }
    return true;
}

}  // namespace cst
