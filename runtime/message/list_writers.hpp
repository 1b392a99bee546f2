// Lists the segments of messages for executors/walk.hpp: of whole messages, or of what comes before and after a
// stitched middle (stitch.hpp).
#pragma once

#include <optional>

#include "hash_writer.hpp"
#include "message_mac.hpp"
#include "message_text.hpp"

namespace cst {

enum class Phase : uint8_t { whole, before, after };

// Where the stitched middle of a message is, and the chaining values in front of it and behind it.
struct MiddleState {
    uint64_t cipher;  // position at which the cipher begins
    uint64_t ahead;  // bytes of the body behind its first block boundary that the hash takes before
    uint64_t bytes;  // of text and body
    alignas(16) uint8_t chain[16];  // of the cipher where a phase ended
    alignas(16) uint8_t hash_chain[MOST_CHAIN];
};

// Those of a walk's messages, in the order in which these are written.
class MiddleStates {
public:
    explicit MiddleStates(MiddleState *const *first) : next_(first) {}
    MiddleState &begin(uint32_t lane) { return *(its_[lane] = *next_++); }
    MiddleState &of(uint32_t lane) const { return *its_[lane]; }

private:
    MiddleState *const *next_;
    MiddleState *its_[MAX_LANES];
};
struct NoStates {
    explicit NoStates(MiddleState *const *) {}
};
template <Phase PHASE>
using StatesOf = std::conditional_t<PHASE == Phase::whole, NoStates, MiddleStates>;

// Of texts, as MessageText states them.
template <Phase PHASE = Phase::whole>
class TextWriter {
public:
    typedef TextSegment Segment;
    static constexpr size_t MOST_SEGMENTS = 2;  // in place, and assembled aside

    // fills: some texts end in a partial iteration. middles: NULL for whole messages.
    TextWriter(const Variant &v, LaneMemory *memory, const cst_job &first, bool fills,
               MiddleState *const *middles = nullptr)
        : middles_(middles),
          places_(v.cipher.lanes.data()),
          state_(memory->state),
          memory_(*memory),
          log2_(v.step_log2),
          keys_(v.cipher, memory->state),
          text_(*key_of(first).suite, first.direction == CST_OPEN, v.step, fills, MOST_BOUNCE,
                key_of(first).suite->tweaked() ? &blocks_.emplace(*key_of(first).suite) : nullptr) {
        if (v.one_key) keys_.share(text_.round_keys(first));
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        uint8_t *const chain = chain_of(lane);
        if constexpr (PHASE == Phase::before) {
            const MiddleState &middle = middles_.begin(lane);
            if (chain) text_.put_chain(chain, job);
            if (!middle.cipher) return 0;
            keys_.put(lane, text_.round_keys(job));
            to[0] = {static_cast<const uint8_t *>(job.in), static_cast<uint8_t *>(job.out), middle.cipher >> log2_};
            return 1;
        } else if constexpr (PHASE == Phase::after) {
            const MiddleState &middle = middles_.begin(lane);
            if (chain) memcpy(chain, middle.chain, sizeof(middle.chain));
            return write_text(lane, rest_of(job, middle), to);
        } else {
            if (chain) text_.put_chain(chain, job);
            return write_text(lane, job, to);
        }
    }
    void point(uint32_t lane, const uint8_t *in, const uint8_t *out) const {
        put_pointer(state_ + places_[lane].in, in);
        put_pointer(state_ + places_[lane].out, out);
    }
    void done(uint32_t lane, cst_job *job) {
        if constexpr (PHASE == Phase::before) {
            if (const uint8_t *const chain = chain_of(lane)) memcpy(middles_.of(lane).chain, chain, AES_BLOCK);
            return;
        } else if constexpr (PHASE == Phase::after) {
            take_end(lane, rest_of(*job, middles_.of(lane)));
        } else {
            take_end(lane, *job);
        }
        all_right_ &= text_.settle(job);
    }

    // Whether the padding of all texts was right.
    bool all_right() const { return all_right_; }

private:
    uint8_t *chain_of(uint32_t lane) const {
        return places_[lane].chain == NO_FIELD ? nullptr : state_ + places_[lane].chain;
    }
    // Returns a job with the text behind the middle.
    static cst_job rest_of(const cst_job &job, const MiddleState &middle) {
        cst_job rest = job;
        const uint64_t done = middle.cipher + middle.bytes;
        rest.in = static_cast<const uint8_t *>(job.in) + done;
        rest.out = static_cast<uint8_t *>(job.out) + done;
        rest.in_len -= done;
        return rest;
    }
    size_t write_text(uint32_t lane, const cst_job &job, Segment *to) {
        keys_.put(lane, text_.round_keys(job));
        const uint8_t *const in = static_cast<const uint8_t *>(job.in);
        uint8_t *const out = static_cast<uint8_t *>(job.out);
        if (text_.in_place()) return to[0] = {in, out, job.in_len >> log2_}, job.in_len != 0;
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
    void take_end(uint32_t lane, const cst_job &job) {
        if (!text_.in_place()) text_.take_end(job, memory_.scratch_of(lane, 0));
    }

    StatesOf<PHASE> middles_;
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
template <Phase PHASE = Phase::whole>
class MacWriter : public HashWriter {
public:
    static constexpr size_t MOST_SEGMENTS = 5;  // long AAD, boundary block, body, end, outer hash

    // readable: as of MessageMac.
    MacWriter(const Suite &suite, const Variant &v, LaneMemory *memory, bool opens, const uint8_t *readable,
              MiddleState *const *middles = nullptr)
        : HashWriter(v, memory),
          middles_(middles),
          chain_bytes_(v.hash.chain_rows * v.hash.chain_entry),
          keys_(v.hash, memory->state),
          log2_(v.step_log2),
          key_bytes_(16 * v.hash.key_rows),
          mac_(suite, opens, readable, suite.row.is_ccm() ? &blocks_.emplace(suite) : nullptr) {
        for (uint32_t lane = 0; lane < v.lanes; lane++) mac_.prepare(scratch(lane));
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        if (const uint8_t *const end = mac_.keys_end(job)) keys_.put(lane, end - key_bytes_);
        List list = {*this, lane, to, to};
        if constexpr (PHASE != Phase::whole) {
            MiddleState &middle = *(list.middle = &middles_.begin(lane));
            mac_.write(job, false, list);
            if (PHASE == Phase::before && list.to == to) memcpy(middle.hash_chain, list.load, chain_bytes_);
            else if (PHASE == Phase::before) list.to[-1].store = middle.hash_chain;
        } else {
            mac_.write(job, true, list);
        }
        return size_t(list.to - to);
    }
    template <typename Of>
    void store(const uint32_t *lanes, size_t n, Of segment) const {
        if constexpr (PHASE == Phase::before) return chains_.take(lanes, n, [&](size_t i) { return segment(i).store; });
        chains_.take(lanes, n, [&](size_t i) { return scratch(lanes[i]); });
        for (size_t i = 0; i < n; i++) mac_.put_digest(scratch(lanes[i]), segment(i).store, segment(i).store_bytes);
    }
    void done(uint32_t lane, cst_job *job) {
        if constexpr (PHASE != Phase::before) all_right_ &= mac_.settle(job, scratch(lane));
    }

private:
    // Appends what MessageMac says to the list of a lane; before or after a stitched middle, what belongs there.
    struct List {
        MacWriter &writer;
        const uint32_t lane;
        Segment *const first;
        Segment *to;
        const uint8_t *load = nullptr;
        MiddleState *middle = nullptr;
        bool in_head = PHASE != Phase::whole, waits = false;

        uint8_t *scratch() const { return writer.scratch(lane); }
        bool stopped() const { return waits; }
        void ended(size_t bytes) const { writer.memory_.scratch_of(lane, bytes); }
        void from(const uint8_t *chain) { load = PHASE == Phase::after && in_head ? middle->hash_chain : chain; }
        void hashed(const uint8_t *in, uint64_t bytes) {
            if (PHASE == Phase::after && in_head) return;
            *to++ = {in, load, nullptr, 0, bytes >> writer.log2_};
            load = nullptr;
        }
        void body(const uint8_t *in, uint64_t bytes) {
            in_head = false;
            if constexpr (PHASE == Phase::before) {
                if (middle->ahead) hashed(in, middle->ahead);
                waits = true;
            } else {
                const uint64_t done = PHASE == Phase::after ? middle->ahead + middle->bytes : 0;
                if (bytes != done) hashed(in + done, bytes - done);
            }
        }
        void digest(uint8_t *where, size_t n) const {
            if (PHASE == Phase::after && to == first) return writer.mac_.put_digest(load, where, n);
            to[-1].store = where;
            to[-1].store_bytes = n;
        }
    };

    StatesOf<PHASE> middles_;
    const size_t chain_bytes_;
    LaneKeys keys_;
    const uint32_t log2_;
    const size_t key_bytes_;
    std::optional<BlockCalls> blocks_;
    const MessageMac<false> mac_;
};

// Of middles.
class PairWriter {
public:
    typedef PairSegment Segment;
    static constexpr size_t MOST_SEGMENTS = 1;

    PairWriter(const Suite &suite, const Variant &v, LaneMemory *memory, const cst_job &first,
               MiddleState *const *middles)
        : opens_(first.direction == CST_OPEN),
          middles_(middles),
          mac_(suite, opens_, nullptr, nullptr),
          ciphers_(v.cipher.lanes.data()),
          hashes_(v.hash.lanes.data()),
          memory_(*memory),
          state_(memory->state),
          log2_(v.step_log2),
          round_keys_(suite.key_layout.round_keys(opens_)),
          key_bytes_(16 * v.hash.key_rows),
          chains_(v.hash, state_),
          keys_(v.cipher, state_),
          mac_keys_(v.hash, state_) {
        if (v.one_key) keys_.share(round_keys(first));
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        MiddleState &middle = middles_.begin(lane);
        memcpy(state_ + ciphers_[lane].chain, middle.chain, sizeof(middle.chain));
        keys_.put(lane, round_keys(job));
        if (const uint8_t *const end = mac_.keys_end(job)) mac_keys_.put(lane, end - key_bytes_);
        const uint8_t *const in = static_cast<const uint8_t *>(job.in) + middle.cipher;
        uint8_t *const out = static_cast<uint8_t *>(job.out) + middle.cipher;
        body_[lane] =
            static_cast<const uint8_t *>(mac_.reads_output() ? job.out : job.in) + mac_.boundary(job) + middle.ahead;
        text_[lane] = in;
        to[0] = {in, out, middle.hash_chain, middle.hash_chain, middle.bytes >> log2_};
        return 1;
    }
    // A lane without a message has the input of another for both.
    void point(uint32_t lane, const uint8_t *in, const uint8_t *out) const {
        put_pointer(state_ + ciphers_[lane].in, in);
        put_pointer(state_ + ciphers_[lane].out, out);
        if (hashes_[lane].in == NO_FIELD) return;
        put_pointer(state_ + hashes_[lane].in, out == memory_.idle_out ? in : body_[lane] + (in - text_[lane]));
    }
    template <typename Of>
    void load(const uint32_t *lanes, size_t n, Of segment) const {
        chains_.put(lanes, n, [&](size_t i) { return segment(i).load; });
    }
    template <typename Of>
    void store(const uint32_t *lanes, size_t n, Of segment) const {
        chains_.take(lanes, n, [&](size_t i) { return segment(i).store; });
    }
    void left(uint32_t lane, uint64_t iterations) { middles_.of(lane).bytes -= iterations << log2_; }
    void done(uint32_t lane, cst_job *) { memcpy(middles_.of(lane).chain, state_ + ciphers_[lane].chain, AES_BLOCK); }
    static bool all_right() { return true; }

private:
    const uint8_t *round_keys(const cst_job &job) const {
        return reinterpret_cast<const uint8_t *>(job.key) + round_keys_;
    }

    const bool opens_;
    MiddleStates middles_;
    const MessageMac<false> mac_;
    const LanePlace *const ciphers_, *const hashes_;
    LaneMemory &memory_;
    uint8_t *const state_;
    const uint32_t log2_;
    const size_t round_keys_, key_bytes_;
    const Chains chains_;
    LaneKeys keys_, mac_keys_;
    const uint8_t *body_[MAX_LANES], *text_[MAX_LANES];
};

}  // namespace cst
