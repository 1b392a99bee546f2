// A job alone in its burst, with which no other can share lanes: encrypt-then-MAC, or a TLS record that is sealed, on kernels of one lane. How a message is cut: message.cpp; why
// the stitched middle is right: stitch.cpp.

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "alone.hpp"
#include "copy.hpp"
#include "direct.hpp"

namespace cst {
namespace {

// Bytes of input and AAD of what is opened: longer ones do better on pair kernels, as open_batch uses them. As measured on Zen 4.
constexpr uint64_t LONGEST_OPENED = 4096, LONGEST_COUNTED = 2048;
// Bytes of head and body that are put together with the end: copying so few is less than another call.
constexpr size_t WHOLE = 512;
static_assert(WHOLE + MOST_BLOCK + AAD_LENGTH_BYTES + MOST_BLOCK <= BLOCKS_BYTES, "they and the padding fit");

class Lone {
public:
    Lone(Arena *arena, cst_job *job)
        : job_(*job), key_(key_of(*job)), suite_(*key_.suite), hash_(suite_.hash->record), unit_(hash_.block_bytes),
          head_(head_bytes(suite_, job->aad_len)), boundary_(-head_ & (unit_ - 1)), work_(*arena->begin(0)), blocks_(work_.blocks), alone_(suite_, &arena->lanes, false, job->direction == CST_OPEN),
          in_(static_cast<const uint8_t *>(job->in)), out_(static_cast<uint8_t *>(job->out)) {}

    bool usable() const { return alone_.usable() && Alone::has_smallest(suite_.hashes, unit_); }

    void seal() {
        begin(key_.encrypt);
        if (suite_.construction == Construction::tls) return seal_record();
        encipher();
        hash_digest(hash_, work_.hash_chain, static_cast<uint8_t *>(job_.tag), job_.tag_len);
    }

    // False: it did not authenticate.
    bool open() {
        begin(suite_.encrypt == suite_.decrypt ? key_.encrypt : key_.decrypt);
        finish(in_, job_.in_len);
        uint8_t tag[DIGEST_ROOM];
        hash_digest(hash_, work_.hash_chain, tag, job_.tag_len);
        const bool right = same_bytes(tag, static_cast<const uint8_t *>(job_.tag), job_.tag_len);
        wipe(tag, sizeof(tag));
        if (!right) {
            fail(&work_);
        } else {
            job_.out_len = work_.bulk = job_.in_len;
            run_cipher(0, job_.in_len);
            if (suite_.expansion) remove_padding(&work_);
        }
        return !work_.failed;
    }

private:
    void begin(const uint8_t (*round_keys)[16]) {
        work_.job = &job_;
        work_.key = &key_;
        alone_.take(&work_);
        job_.status = CST_OK;
        job_.out_len = 0;
        memcpy(work_.hash_chain, key_.inner, sizeof(work_.hash_chain));
        work_.item.round_keys = round_keys[0];
        memcpy(work_.chain, job_.iv, sizeof(work_.chain));
        work_.out.set(job_.out, job_.out_cap, nullptr, 0);
    }

    // The text from one byte to another; a counter takes any length.
    void run_cipher(uint64_t from, uint64_t to) {
        if (suite_.counts()) alone_.text(in_ + from, out_ + from, to - from);
        else alone_.cipher(in_ + from, out_ + from, to - from);
    }

    // A chain leaves the hash much time; a counter little. As measured on Zen 4.
    uint64_t least_stitched() const { return suite_.counts() ? WHOLE : 3 * unit_; }

    void encipher() {
        const uint64_t bulk = suite_.counts() ? job_.in_len : job_.in_len & ~uint64_t(15), body = bulk + (suite_.expansion ? 16 : 0);
        uint64_t ciphered = 0;
        if (suite_.expansion) {
            copy_few(work_.last, in_ + bulk, job_.in_len - bulk);
            pkcs7_fill(work_.last, job_.in_len - bulk);
        }
        const uint64_t start = (boundary_ + 15) & ~uint64_t(15);
        if (head_ + body > least_stitched() && start < bulk) {
            const uint64_t both = std::min(bulk - start, body - boundary_);
            if (const Variant *pair = alone_.choose_pair(both, false)) {
                alone_.cipher(in_, out_, start);
                hash_joint(out_);
                const uint64_t done = alone_.both(*pair, in_ + start, out_ + start, out_ + boundary_, both);
                hashed_ += done;
                ciphered = start + done;
            }
        }
        run_cipher(ciphered, bulk);
        if (suite_.expansion) {
            alone_.cipher(work_.last, work_.last, 16);
            memcpy(out_ + bulk, work_.last, 16);
        }
        job_.out_len = body;
        finish(out_, body);
    }

    // The hash goes ahead of the cipher where that overwrites the text.
    void seal_record() {
        begin_record(&work_);
        const uint64_t bytes = job_.in_len;
        uint64_t ciphered = 0;
        const bool in_place = in_ == out_;
        const Variant *pair = bytes > least_stitched() ? alone_.choose_pair(std::min(work_.bulk, bytes - boundary_), in_place) : nullptr;
        const uint64_t before = pair && in_place ? (pair->need() + unit_ - 1) & ~uint64_t(unit_ - 1) : 0;
        if (pair && boundary_ + before < bytes) {
            hash_joint(in_);
            hash(in_ + boundary_, before);
            ciphered = alone_.both(*pair, in_, out_, in_ + boundary_ + before, std::min(work_.bulk, bytes - boundary_ - before));
            hashed_ = boundary_ + before + ciphered;
        }
        // Both wait for themselves: where the text may be overwritten, the cipher goes on before the hash, which begins meanwhile.
        auto encipher_rest = [&] {
            alone_.cipher(in_ + ciphered, out_ + ciphered, work_.bulk - ciphered);
            ciphered = work_.bulk;
        };
        if (ciphered && !in_place) encipher_rest();
        finish(in_, bytes);
        end_record(suite_, &work_);
        job_.out_len = work_.bulk + work_.last_bytes;
        const size_t rest = size_t(work_.bulk - ciphered);
        if (rest > WHOLE) {
            encipher_rest();
            return encipher_end(work_.last, work_.last_bytes);
        }
        copy_few(blocks_, in_ + ciphered, rest);
        memcpy(blocks_ + rest, work_.last, work_.last_bytes);
        work_.use_blocks(rest + work_.last_bytes);
        encipher_end(blocks_, rest + work_.last_bytes);
    }

    // What the record ends with, where it has been put together.
    void encipher_end(uint8_t *end, size_t bytes) {
        alone_.cipher(end, end, bytes);
        memcpy(out_ + job_.out_len - bytes, end, bytes);
    }

    void hash(const uint8_t *at, uint64_t bytes) { alone_.hash(at, bytes); }

    // The AAD's whole blocks are hashed; what is left of the head goes into `blocks`.
    size_t put_head() {
        const uint64_t aad = aad_in_head(suite_, job_.aad_len), whole = aad & ~uint64_t(unit_ - 1);
        hash(static_cast<const uint8_t *>(job_.aad), whole);
        return cst::put_head(suite_, work_, aad - whole, blocks_);
    }

    // Hashes the head and the body's first bytes, which fill it up to whole blocks.
    void hash_joint(const uint8_t *body) {
        const size_t head = put_head();
        copy_few(blocks_ + head, body, boundary_);
        work_.use_blocks(head + boundary_);
        hash(blocks_, head + boundary_);
        hashed_ = boundary_;
        begun_ = true;
    }

    // Hashes all that is left of the message.
    void finish(const uint8_t *body, uint64_t bytes) {
        size_t used = 0;
        if (!begun_ && bytes > WHOLE) hash_joint(body);
        if (!begun_) {
            used = put_head();
        } else if (bytes - hashed_ > WHOLE) {
            const uint64_t whole = (bytes - hashed_) & ~uint64_t(unit_ - 1);
            hash(body + hashed_, whole);
            hashed_ += whole;
        }
        copy_few(blocks_ + used, body + hashed_, bytes - hashed_);
        used += bytes - hashed_;
        const size_t trailer = put_trailer(suite_, job_, blocks_ + used);
        pad_and_hash(used + trailer, unit_ + head_ + bytes + trailer);
        hash_digest(hash_, work_.hash_chain, blocks_, hash_.digest_bytes);
        memcpy(work_.hash_chain, key_.outer, sizeof(work_.hash_chain));
        pad_and_hash(hash_.digest_bytes, uint64_t(unit_) + hash_.digest_bytes);
    }

    void pad_and_hash(size_t used, uint64_t message_bytes) {
        const size_t bytes = hash_pad(hash_, blocks_, used, message_bytes);
        work_.use_blocks(bytes);
        hash(blocks_, bytes);
    }

    cst_job &job_;
    const Key &key_;
    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const size_t unit_;  // a power of two
    const uint64_t head_, boundary_;  // bytes of the head; of the body, up to the first block boundary behind it
    Work &work_;
    uint8_t *const blocks_;
    Alone alone_;
    const uint8_t *const in_;
    uint8_t *const out_;
    uint64_t hashed_ = 0;  // of the body
    bool begun_ = false;   // the head is hashed
};

}  // namespace

bool lone_takes(const cst_job &job) {
    const Suite &suite = *key_of(job).suite;
    if (!suite.hash || !suite.enciphers() || suite.block_mac() || suite.half_blocks() || job.n_in_pieces || job.n_out_pieces || (suite.counts() && !counter_takes(job))) return false;
    return job.direction == CST_SEAL || (suite.construction != Construction::tls && job.in_len + job.aad_len <= (suite.counts() ? LONGEST_COUNTED : LONGEST_OPENED));
}

int lone_direct(Arena *arena, const Suite &, int direction, cst_job *jobs, size_t n) {
    if (n != 1) return CST_OK;
    Lone lone(arena, jobs);
    if (!lone.usable()) return CST_OK;
    if (direction == CST_OPEN) return lone.open() ? CST_OK : CST_ERR_AUTH;
    lone.seal();
    return CST_OK;
}

}  // namespace cst
