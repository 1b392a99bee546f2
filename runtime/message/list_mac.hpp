// Lists the segments of a message to be hashed or authenticated, for executors/walk.hpp: whole blocks of a long AAD, in
// place; the rest of what precedes the body, filled up to a block with the body's first bytes; whole blocks of the
// body, in place; the rest with trailer and padding; the outer hash of HMAC (RFC 2104). A short message is assembled as
// a whole in the bounce buffer.
#pragma once

#include <optional>

#include "../suite/block_mac.hpp"
#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "hash_end.hpp"
#include "../executors/lane_state.hpp"
#include "mac.hpp"
#include "../executors/message.hpp"
#include "../executors/walk.hpp"

namespace cst {

// Computes digests, HMACs and MACs of block ciphers, either alone or of an AEAD's AAD, IV and text. Sealing writes
// tags, or the MAC of a TLS record where its text ends in the output; opening compares them. Sets status and out_len of
// all jobs.
class MacWriter {
public:
    typedef HashSegment Segment;

    // readable: NULL, or the address up to which bytes after an input may be read (their values do not matter).
    MacWriter(const Suite &suite, const Variant &v, LaneMemory *memory, bool opens, const uint8_t *readable)
        : suite_(suite),
          hash_(suite.hash->record),
          places_(v.hash.lanes.data()),
          memory_(*memory),
          chains_(v, memory->state),
          keys_(v.hash, memory->state),
          state_(memory->state),
          readable_(readable),
          unit_(hash_.block_bytes),
          most_together_(most_together(suite)),
          log2_(v.step_log2),
          opens_(opens),
          hmac_(suite.hmac()),
          headed_(suite.kind == CST_AEAD),
          block_mac_(hash_.kind == ALGORITHM_CBC_MAC),
          ccm_(suite.construction == Construction::ccm),
          record_(suite.construction == Construction::tls),
          pads_(suite.construction == Construction::rfc7518 && !opens),
          reads_output_(headed_ && opens == (ccm_ || record_)),
          inner_(suite.key_layout.inner),
          outer_(suite.key_layout.outer),
          keys_end_(suite.key_layout.mac + 16 * (hash_.rounds + 1)),
          key_bytes_(16 * v.hash.key_rows) {
        if (ccm_) blocks_.emplace(suite);
        for (uint32_t lane = 0; hmac_ && lane < v.lanes; lane++)
            hash_pad(hash_, outer(lane), hash_.digest_bytes, unit_ + hash_.digest_bytes);
    }

    bool all_right() const { return all_right_; }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        static const uint8_t zero[16] = {};
        Segment *const first = to;
        const uint8_t *const key = reinterpret_cast<const uint8_t *>(job.key);
        const uint8_t *load = block_mac_ ? zero : inner_ ? key + inner_ : suite_.initial;
        if (block_mac_) keys_.put(lane, key + keys_end_ - key_bytes_);
        const auto add = [&](const uint8_t *in, size_t bytes, uint8_t *store = nullptr, size_t store_bytes = 0) {
            *to++ = {in, load, store, store_bytes, bytes >> log2_};
            load = nullptr;
        };
        const uint8_t *body = static_cast<const uint8_t *>(reads_output_ ? job.out : job.in);
        size_t left = body_bytes(job), used = 0;
        uint8_t *end = memory_.scratch_of(lane, END) + END;
        const uint64_t head = headed_ ? head_bytes(suite_, job.aad_len) : 0;
        if (!headed_) {
            if (left > most_together_) add_body(&body, &left, add);
        } else if (head + left <= most_together_) {
            used = begin_end(job, end);
        } else {
            if (const size_t aad = ccm_ ? 0 : whole_aad(suite_, job)) add(static_cast<const uint8_t *>(job.aad), aad);
            const size_t joint = ccm_ ? begin_end(job, end) : put_end_of_head(suite_, job, end);
            const size_t boundary = -joint & (unit_ - 1);
            if (left < boundary) {
                used = joint;
            } else {
                copy_few(end + joint, body, boundary);
                if (joint) add(end, joint + boundary);
                body += boundary;
                left -= boundary;
                end += joint + boundary;
                add_body(&body, &left, add);
            }
        }
        const size_t bytes = end_message(job, head, body, left, end, used);
        memory_.scratch_of(lane, size_t(end - scratch(lane)) + bytes);
        const bool writes = !opens_ && !ccm_;
        uint8_t *const tag = record_  ? static_cast<uint8_t *>(job.out) + job.in_len
                             : writes ? static_cast<uint8_t *>(job.tag)
                                      : scratch(lane) + OTHER;
        const size_t tag_bytes = writes && !record_ ? job.tag_len : block_mac_ ? 16 : hash_.digest_bytes;
        if (!hmac_) {
            add(end, bytes, tag, tag_bytes);
        } else {
            add(end, bytes, outer(lane), hash_.digest_bytes);
            load = key + outer_;
            add(outer(lane), unit_, tag, tag_bytes);
        }
        return size_t(to - first);
    }
    void point(uint32_t lane, const uint8_t *in) const { put_pointer(state_ + places_[lane].in, in); }
    template <typename Of>
    void load(const uint32_t *lanes, size_t n, Of segment) const {
        chains_.put(lanes, n, [&](size_t i) { return segment(i).load; });
    }
    template <typename Of>
    void store(const uint32_t *lanes, size_t n, Of segment) const {
        chains_.take(lanes, n, [&](size_t i) { return scratch(lanes[i]); });
        for (size_t i = 0; i < n; i++) {
            const Segment &its = segment(i);
            if (block_mac_) copy_few(its.store, scratch(lanes[i]), its.store_bytes);
            else hash_digest(hash_, scratch(lanes[i]), its.store, its.store_bytes);
        }
    }
    void done(uint32_t lane, cst_job *job) {
        uint8_t *const tag = scratch(lane) + OTHER;
        if (blocks_) mask_ccm_tag(&*blocks_, *job, tag, scratch(lane));
        if (opens_ && !same_bytes(tag, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
            refuse_unopened(job);
            all_right_ = false;
            return;
        }
        if (!opens_ && ccm_) copy_few(static_cast<uint8_t *>(job->tag), tag, job->tag_len);
        job->out_len = headed_ ? body_bytes(*job) : 0;
        job->status = CST_OK;
    }

private:
    // Layout of a lane's bounce buffer: the chaining value; OTHER: the message of the outer hash or the tag to compare
    // with; END: the assembled bytes.
    static constexpr size_t OTHER = MOST_CHAIN, END = OTHER + MOST_BLOCK,
                            ROOM = END + 2 * MOST_BLOCK + WHOLE_MESSAGE + 3 * PAD_SLACK;
    static_assert(ROOM <= SCRATCH_BYTES && DIGEST_ROOM <= MOST_BLOCK, "it fits");

    uint8_t *scratch(uint32_t lane) const { return memory_.scratch + lane * SCRATCH_PITCH; }
    uint8_t *outer(uint32_t lane) const { return scratch(lane) + OTHER; }

    // Adds the whole blocks of the body in place. The last block of a block cipher's MAC may be masked, so it belongs
    // to the end.
    template <typename Add>
    void add_body(const uint8_t **body, size_t *left, Add add) const {
        const size_t some = (*left - (block_mac_ && *left)) & ~(unit_ - 1);
        if (some) add(*body, some);
        *body += some;
        *left -= some;
    }
    size_t body_bytes(const cst_job &job) const { return pads_ ? suite_.sealed_bytes(job.in_len) : job.in_len; }
    // Puts the whole head; the head of CCM is filled up to whole blocks (SP 800-38C, A.2).
    size_t begin_end(const cst_job &job, uint8_t *end) const {
        if (!ccm_) return put_head(suite_, job, end);
        const size_t used = put_ccm_head(job, end);
        copy_few(end + used, static_cast<const uint8_t *>(job.aad), job.aad_len);
        return fill_with_zeros(end, used + job.aad_len);
    }
    // Appends the rest of the body, the trailer and the padding to `used` bytes. Returns the length of the result.
    size_t end_message(const cst_job &job, uint64_t head, const uint8_t *rest, size_t n, uint8_t *end,
                       size_t used) const {
        const uint64_t all = head + body_bytes(job) + (hmac_ ? unit_ : 0);
        if (!headed_ && !block_mac_ && readable_ && size_t(readable_ - rest) >= hash_end_bytes(hash_, n))
            return hash_end(hash_, end, rest, n, all);
        copy_few(end + used, rest, n);
        used += n;
        if (ccm_) return fill_with_zeros(end, used);
        const size_t trailer = headed_ ? put_trailer(suite_, job, end + used) : 0;
        used += trailer;
        return block_mac_ ? mask_end(key_of(job), end, used) : hash_pad(hash_, end, used, all + trailer);
    }

    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const LanePlace *const places_;
    LaneMemory &memory_;
    const Chains chains_;
    LaneKeys keys_;
    uint8_t *const state_;
    const uint8_t *const readable_;
    const size_t unit_, most_together_;
    const uint32_t log2_;
    const bool opens_, hmac_, headed_, block_mac_, ccm_;
    const bool record_, pads_;  // TLS: the MAC is encrypted after the text; RFC 7518: the text was padded
    const bool reads_output_;
    const size_t inner_, outer_;  // offsets in a key; inner_ 0: the hash begins with the suite's initial value
    const size_t keys_end_, key_bytes_;
    std::optional<BlockCalls> blocks_;
    bool all_right_ = true;
};

}  // namespace cst
