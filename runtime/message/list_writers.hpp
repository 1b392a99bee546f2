// Lists the segments of messages for executors/walk.hpp.
#pragma once

#include <optional>

#include "hash_writer.hpp"
#include "message_mac.hpp"
#include "message_text.hpp"

namespace cst {

// Of texts, as MessageText states them.
class TextWriter {
public:
    typedef TextSegment Segment;
    static constexpr size_t MOST_SEGMENTS = 2;  // in place, and assembled aside

    // fills: some texts end in a partial iteration.
    TextWriter(const Variant &v, LaneMemory *memory, const cst_job &first, bool fills)
        : places_(v.cipher.lanes.data()),
          state_(memory->state),
          memory_(*memory),
          log2_(v.step_log2),
          keys_(v.cipher, memory->state),
          text_(*key_of(first).suite, first.direction == CST_OPEN, v.step, fills, MOST_BOUNCE,
                key_of(first).suite->tweaked() ? &blocks_.emplace(*key_of(first).suite) : nullptr) {
        if (v.one_key) keys_.share(text_.round_keys(first));
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        const LanePlace &place = places_[lane];
        if (place.chain != NO_FIELD) text_.put_chain(state_ + place.chain, job);
        keys_.put(lane, text_.round_keys(job));
        const uint8_t *const in = static_cast<const uint8_t *>(job.in);
        uint8_t *const out = static_cast<uint8_t *>(job.out);
        if (text_.in_place()) return to[0] = {in, out, job.in_len >> log2_}, 1;
        const uint64_t body = text_.body_bytes(job);
        size_t n = 0;
        if (body) to[n++] = {in, out, body >> log2_};
        if (const size_t bytes = text_.end_bytes(job)) {
            uint8_t *const aside = memory_.scratch_of(lane, bytes);
            text_.put_end(job, aside);
            to[n++] = {aside, aside, bytes >> log2_};
        }
        return n;
    }
    void point(uint32_t lane, const uint8_t *in, const uint8_t *out) const {
        put_pointer(state_ + places_[lane].in, in);
        put_pointer(state_ + places_[lane].out, out);
    }
    void done(uint32_t lane, cst_job *job) {
        if (!text_.in_place()) text_.take_end(*job, memory_.scratch_of(lane, 0));
        all_right_ &= text_.settle(job);
    }

    // Whether the padding of all texts was right.
    bool all_right() const { return all_right_; }

private:
    const LanePlace *const places_;
    uint8_t *const state_;
    LaneMemory &memory_;
    const uint32_t log2_;
    LaneKeys keys_;
    std::optional<BlockCalls> blocks_;
    const MessageText text_;
    bool all_right_ = true;
};

// Of what is hashed or authenticated, as MessageMac states it.
class MacWriter : public HashWriter {
public:
    static constexpr size_t MOST_SEGMENTS = 5;  // long AAD, boundary block, body, end, outer hash

    // readable: as of MessageMac.
    MacWriter(const Suite &suite, const Variant &v, LaneMemory *memory, bool opens, const uint8_t *readable)
        : HashWriter(v, memory),
          keys_(v.hash, memory->state),
          log2_(v.step_log2),
          key_bytes_(16 * v.hash.key_rows),
          mac_(suite, opens, readable, suite.row.is_ccm() ? &blocks_.emplace(suite) : nullptr) {
        for (uint32_t lane = 0; lane < v.lanes; lane++) mac_.prepare(scratch(lane));
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        if (const uint8_t *const end = mac_.keys_end(job)) keys_.put(lane, end - key_bytes_);
        List list = {*this, lane, to};
        mac_.write(job, true, list);
        return size_t(list.to - to);
    }
    template <typename Of>
    void store(const uint32_t *lanes, size_t n, Of segment) const {
        chains_.take(lanes, n, [&](size_t i) { return scratch(lanes[i]); });
        for (size_t i = 0; i < n; i++) mac_.put_digest(scratch(lanes[i]), segment(i).store, segment(i).store_bytes);
    }
    void done(uint32_t lane, cst_job *job) { all_right_ &= mac_.settle(job, scratch(lane)); }

private:
    // Appends what MessageMac says to the list of a lane.
    struct List {
        MacWriter &writer;
        const uint32_t lane;
        Segment *to;
        const uint8_t *load = nullptr;

        uint8_t *scratch() const { return writer.scratch(lane); }
        void ended(size_t bytes) const { writer.memory_.scratch_of(lane, bytes); }
        void from(const uint8_t *chain) { load = chain; }
        void hashed(const uint8_t *in, uint64_t bytes) {
            *to++ = {in, load, nullptr, 0, bytes >> writer.log2_};
            load = nullptr;
        }
        void body(const uint8_t *in, uint64_t bytes) { hashed(in, bytes); }
        void digest(uint8_t *where, size_t n) const {
            to[-1].store = where;
            to[-1].store_bytes = n;
        }
    };

    LaneKeys keys_;
    const uint32_t log2_;
    const size_t key_bytes_;
    std::optional<BlockCalls> blocks_;
    const MessageMac<false> mac_;
};

}  // namespace cst
