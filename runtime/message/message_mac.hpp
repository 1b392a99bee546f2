// States which bytes the digest or MAC of a message covers, and in which order: whole blocks of a long AAD, in place;
// the rest of what precedes the body, filled up to a block with the body's first bytes; whole blocks of the body, in
// place; the rest with trailer and padding; the outer hash of HMAC (RFC 2104). A short message is assembled as a whole.
// An executor runs it, in the lanes of a kernel (list_writers.hpp) or at once (now.cpp).
#pragma once

#include <type_traits>

#include "../suite/block_mac.hpp"
#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "hash_end.hpp"
#include "mac.hpp"
#include "../executors/message.hpp"

namespace cst {

// Whether messages of the suite are only hashed, for a digest or HMAC.
inline bool hashes_alone(const Suite &suite) { return suite.construction == Construction::single && suite.hash; }

// Digests, HMACs and MACs of block ciphers, either alone or of an AEAD's AAD, IV and text, for messages of one suite
// and direction. Sealing writes tags, or the MAC of a TLS record where its text ends in the output; opening compares
// them. ALONE: hashes_alone(suite); what other suites need is left out.
template <bool ALONE>
class MessageMac {
public:
    // Layout of the memory of a message: the chaining value; OTHER: the message of the outer hash, or the tag to
    // compare with; END: the assembled bytes.
    static constexpr size_t OTHER = MOST_CHAIN, END = OTHER + MOST_BLOCK,
                            ROOM = END + 2 * MOST_BLOCK + WHOLE_MESSAGE + 3 * PAD_SLACK;
    static_assert(ROOM <= SCRATCH_BYTES && DIGEST_ROOM <= MOST_BLOCK, "it fits");

    // readable: NULL, or the address up to which bytes after an input may be read (their values do not matter). blocks:
    // makes the masks of CCM's tags; NULL for other suites.
    [[gnu::always_inline]] MessageMac(const Suite &suite, bool opens, const uint8_t *readable, BlockCalls *blocks)
        : suite_(suite),
          hash_(suite.hash->record),
          readable_(readable),
          blocks_(blocks),
          unit_(hash_.block_bytes),
          most_together_(ALONE ? most_together(hash_, 0) : most_together(suite)),
          opens_(opens),
          hmac_(suite.hmac()),
          headed_(suite.kind == CST_AEAD),
          block_mac_(hash_.kind == ALGORITHM_CBC_MAC),
          ccm_(suite.row.is_ccm()),
          record_(suite.row.is_record()),
          pads_(suite.row.pads() && !opens),
          reads_output_(headed_ && opens == suite.row.covers_plaintext),
          inner_(suite.key_layout.inner),
          outer_(suite.key_layout.outer),
          keys_end_(ALONE ? 0 : suite.key_layout.mac + 16 * (hash_.rounds + 1)) {}

    // Whether the hash reads what the cipher writes, else what it reads.
    bool reads_output() const { return bool(reads_output_); }
    // Returns the end of the rows that a kernel reads as its key; NULL: it has none.
    const uint8_t *keys_end(const cst_job &job) const {
        return block_mac_ ? reinterpret_cast<const uint8_t *>(job.key) + keys_end_ : nullptr;
    }
    // Returns how many bytes of the body are up to the first block boundary behind the head.
    uint64_t boundary(const cst_job &job) const {
        return ccm_ ? 0 : -suite_.row.head_bytes(job.aad_len) & uint64_t(unit_ - 1);
    }
    // Returns how many bytes the body has, of output or input.
    [[gnu::always_inline]] uint64_t body_bytes(const cst_job &job) const {
        return pads_ ? suite_.sealed_bytes(job.in_len) : job.in_len;
    }
    // Prepares a message's memory, once for all messages that use it.
    [[gnu::always_inline]] void prepare(uint8_t *scratch) const {
        if (hmac_) hash_pad(hash_, scratch + OTHER, hash_.digest_bytes, unit_ + hash_.digest_bytes);
    }

    // Tells an executor what to do for a message, in this order:
    //   scratch()                  returns the memory of the message, ROOM bytes
    //   from(chain)                what follows begins with this chaining value
    //   hashed(in, bytes)          hashes whole blocks
    //   body(in, bytes)            likewise whole blocks of the body; those of a message's head were hashed before
    //   ended(bytes)               no more of the scratch memory than this is used
    //   digest(to, n)              writes the first n bytes of the digest
    //   stopped()                  whether all the rest of the message waits
    // together: a short message may be assembled as a whole.
    template <typename Run>
    [[gnu::always_inline]] void write(const cst_job &job, bool together, Run &run) const {
        static const uint8_t zero[16] = {};
        const uint8_t *const key = reinterpret_cast<const uint8_t *>(job.key);
        uint8_t *const scratch = run.scratch();
        run.from(block_mac_ ? zero : inner_ ? key + inner_ : suite_.initial);
        const uint8_t *body = static_cast<const uint8_t *>(reads_output_ ? job.out : job.in);
        size_t left = body_bytes(job), used = 0;
        uint8_t *end = scratch + END;
        const uint64_t head = headed_ ? suite_.row.head_bytes(job.aad_len) : 0;
        if (!headed_) {
            if (!together || left > most_together_) hash_body(&body, &left, run);
        } else if (together && head + left <= most_together_) {
            used = begin_end(job, end);
        } else {
            const size_t aad = ccm_ ? 0 : whole_aad(suite_, job);
            if (aad) run.hashed(static_cast<const uint8_t *>(job.aad), aad);
            const size_t joint = !ccm_                       ? put_end_of_head(suite_, job, end)
                                 : job.aad_len <= MOST_BLOCK ? begin_end(job, end)
                                                             : put_long_ccm_head(job, &end, run);
            const size_t boundary = -joint & (unit_ - 1);
            if (left < boundary) {
                used = joint;
            } else {
                copy_few(end + joint, body, boundary);
                if (joint) run.hashed(end, joint + boundary);
                body += boundary;
                left -= boundary;
                end += joint + boundary;
                hash_body(&body, &left, run);
            }
        }
        if (run.stopped()) return run.ended(size_t(end - scratch));
        write_end(job, body, left, end, used, run);
    }
    // Does the same from a block of the body on. chain: what was hashed before; rest: where the body goes on behind its
    // first `done` bytes.
    template <typename Run>
    void write_rest(const cst_job &job, const uint8_t *chain, const uint8_t *rest, uint64_t done, Run &run) const {
        size_t left = size_t(body_bytes(job) - done);
        run.from(chain);
        hash_body(&rest, &left, run);
        write_end(job, rest, left, run.scratch() + END, 0, run);
    }
    // Makes a digest's first n bytes of a chaining value.
    [[gnu::always_inline]] void put_digest(const uint8_t *chain, uint8_t *to, size_t n) const {
        if (block_mac_) copy_few(to, chain, n);
        else hash_digest(hash_, chain, to, n);
    }
    // Finishes the job, whose digest is made. Returns false if it did not authenticate.
    [[gnu::always_inline]] bool settle(cst_job *job, uint8_t *scratch) const {
        uint8_t *const tag = scratch + OTHER;
        if (ccm_) mask_ccm_tag(blocks_, *job, tag, scratch);
        if (opens_ && !same_bytes(tag, static_cast<const uint8_t *>(job->tag), job->tag_len))
            return refuse_unopened(job), false;
        if (!opens_ && ccm_) copy_few(static_cast<uint8_t *>(job->tag), tag, job->tag_len);
        job->out_len = headed_ ? body_bytes(*job) : 0;
        job->status = CST_OK;
        return true;
    }

private:
    // Hashes the whole blocks of the body in place. The last block of CMAC and XCBC is masked, so it belongs to the
    // end.
    template <typename Run>
    [[gnu::always_inline]] void hash_body(const uint8_t **body, size_t *left, Run &run) const {
        const size_t some = (*left - (block_mac_ && !ccm_ && *left)) & ~(unit_ - 1);
        if (some) run.body(*body, some);
        *body += some;
        *left -= some;
    }
    // Hashes what is behind the whole blocks of the body, and writes the digest. Of what is assembled at `end`, `used`
    // bytes are there already.
    template <typename Run>
    [[gnu::always_inline]] void write_end(const cst_job &job, const uint8_t *rest, size_t left, uint8_t *end,
                                          size_t used, Run &run) const {
        uint8_t *const scratch = run.scratch(), *const outer = scratch + OTHER;
        const size_t bytes = end_message(job, headed_ ? suite_.row.head_bytes(job.aad_len) : 0, rest, left, end, used);
        run.ended(size_t(end - scratch) + bytes);
        if (bytes) run.hashed(end, bytes);
        if (hmac_) {
            run.digest(outer, hash_.digest_bytes);
            run.from(reinterpret_cast<const uint8_t *>(job.key) + outer_);
            run.hashed(outer, unit_);
        }
        const bool writes = !record_ && !opens_ && !ccm_;
        run.digest(record_  ? static_cast<uint8_t *>(job.out) + job.in_len
                   : writes ? static_cast<uint8_t *>(job.tag)
                            : outer,
                   writes       ? job.tag_len
                   : block_mac_ ? 16
                                : hash_.digest_bytes);
    }
    // SP 800-38C, A.2: begins the head of CCM whose AAD is too long to be assembled as a whole: the AAD's whole blocks
    // are hashed in place, and its end is put to `end`, which moves on. Returns the length of that end.
    template <typename Run>
    [[gnu::always_inline]] size_t put_long_ccm_head(const cst_job &job, uint8_t **end, Run &run) const {
        const uint8_t *const aad = static_cast<const uint8_t *>(job.aad);
        const size_t begun = put_ccm_head(job, *end), first = 2 * unit_ - begun;
        copy_few(*end + begun, aad, first);
        run.hashed(*end, 2 * unit_);
        *end += 2 * unit_;
        const size_t left = job.aad_len - first, whole = left & ~(unit_ - 1);
        run.hashed(aad + first, whole);
        copy_few(*end, aad + first + whole, left - whole);
        return fill_with_zeros(*end, left - whole);
    }
    // Puts the whole head; the head of CCM is filled up to whole blocks.
    size_t begin_end(const cst_job &job, uint8_t *end) const {
        if (!ccm_) return put_head(suite_, job, end);
        const size_t used = put_ccm_head(job, end);
        copy_few(end + used, static_cast<const uint8_t *>(job.aad), job.aad_len);
        return fill_with_zeros(end, used + job.aad_len);
    }
    // Appends the rest of the body, the trailer and the padding to `used` bytes. Returns the length of the result.
    [[gnu::always_inline]] size_t end_message(const cst_job &job, uint64_t head, const uint8_t *rest, size_t n,
                                              uint8_t *end, size_t used) const {
        const uint64_t all = head + body_bytes(job) + (hmac_ ? unit_ : 0);
        if (!headed_ && !block_mac_ && readable_ && size_t(readable_ - rest) >= hash_end_bytes(hash_, n))
            return hash_end(hash_, end, rest, n, all);
        if (ALONE) return hash_end_exactly(hash_, end, rest, n, all);
        copy_few(end + used, rest, n);
        used += n;
        if (ccm_) return fill_with_zeros(end, used);
        const size_t trailer = headed_ ? put_trailer(suite_, job, end + used) : 0;
        used += trailer;
        return block_mac_ ? mask_end(key_of(job), end, used) : hash_pad(hash_, end, used, all + trailer);
    }

    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const uint8_t *const readable_;
    BlockCalls *const blocks_;
    const size_t unit_, most_together_;
    // The compiler knows that a flag of what a hash alone does not have is false.
    struct Never {
        constexpr explicit Never(bool) {}
        constexpr explicit operator bool() const { return false; }
    };
    typedef std::conditional_t<ALONE, Never, bool> Flag;
    const bool opens_, hmac_;
    const Flag headed_, block_mac_, ccm_;
    const Flag record_, pads_;  // TLS: the MAC is encrypted after the text; RFC 7518: the text was padded
    const Flag reads_output_;
    const size_t inner_, outer_;  // offsets in a key; inner_ 0: the hash begins with the suite's initial value
    const size_t keys_end_;
};

}  // namespace cst
