// Lists the segments of messages for executors/walk.hpp: of whole messages, or of what comes before a part of them that
// another walk does, of that part, and of what comes after it.
#pragma once

#include <optional>

#include "hash_writer.hpp"
#include "message_mac.hpp"
#include "message_text.hpp"

namespace cst {

enum class Phase : uint8_t { whole, before, within, after };

// Where such a part of a message is, and the chaining values in front of it and behind it: a stitched middle
// (stitch.hpp), or what is contiguous of a message in pieces (windows.cpp).
struct MiddleState {
    uint64_t cipher;  // position at which the cipher begins
    uint64_t ahead;  // bytes of the body behind its first block boundary that the hash takes before
    uint64_t bytes;  // of text and body
    const uint8_t *body;  // what the hash reads next
    uint8_t *rc4;  // room for the chain and table of RC4
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

// The chaining values of a cipher in the lanes of a kernel, with the tables of RC4.
class TextChains {
public:
    TextChains(const Part &part, uint8_t *state) : part_(part), state_(state) {}
    void begin(uint32_t lane, const MessageText &text, const cst_job &job) const {
        const LanePlace &place = part_.lanes[lane];
        if (place.table != NO_FIELD) put_rc4(place, key_of(job).rc4());
        else if (place.chain != NO_FIELD) text.put_chain(state_ + place.chain, job);
    }
    void put(uint32_t lane, const MiddleState &from) const {
        const LanePlace &place = part_.lanes[lane];
        if (place.table != NO_FIELD) put_rc4(place, from.rc4);
        else if (place.chain != NO_FIELD) memcpy(state_ + place.chain, from.chain, sizeof(from.chain));
    }
    void take(uint32_t lane, MiddleState *to) const {
        const LanePlace &place = part_.lanes[lane];
        if (place.table != NO_FIELD) take_table(lane, to);
        else if (place.chain != NO_FIELD) memcpy(to->chain, state_ + place.chain, sizeof(to->chain));
    }
    void take_table(uint32_t lane, MiddleState *to) const {
        const LanePlace &place = part_.lanes[lane];
        if (place.table == NO_FIELD) return;
        memcpy(to->rc4, state_ + place.chain, AES_BLOCK);
        memcpy(to->rc4 + AES_BLOCK, state_ + place.table, part_.table_bytes);
    }

private:
    void put_rc4(const LanePlace &place, const uint8_t *from) const {
        memcpy(state_ + place.chain, from, AES_BLOCK);
        memcpy(state_ + place.table, from + AES_BLOCK, part_.table_bytes);
    }

    const Part &part_;
    uint8_t *const state_;
};

// Of texts, as MessageText states them.
template <Phase PHASE = Phase::whole>
class TextWriter {
public:
    typedef TextSegment Segment;
    static constexpr size_t MOST_SEGMENTS = 2;  // in place, and assembled aside

    // fills: some texts end in a partial iteration. goes_on: as of MessageText. middles: NULL for whole messages.
    TextWriter(const Variant &v, LaneMemory *memory, const cst_job &first, bool fills, bool goes_on,
               MiddleState *const *middles)
        : middles_(middles),
          places_(v.cipher.lanes.data()),
          state_(memory->state),
          memory_(*memory),
          log2_(v.step_log2),
          goes_on_(goes_on),
          chains_(v.cipher, memory->state),
          keys_(v.cipher, memory->state),
          text_(*key_of(first).suite, first.direction == CST_OPEN, v.step, fills, MOST_BOUNCE,
                key_of(first).suite->tweaked() ? &blocks_.emplace(*key_of(first).suite) : nullptr, goes_on) {
        if (v.one_key) keys_.share(text_.round_keys(first));
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        if constexpr (PHASE != Phase::after) chains_.begin(lane, text_, job);
        if constexpr (PHASE == Phase::before) {
            const MiddleState &middle = middles_.begin(lane);
            if (!middle.cipher) return 0;
            keys_.put(lane, text_.round_keys(job));
            to[0] = {static_cast<const uint8_t *>(job.in), static_cast<uint8_t *>(job.out), middle.cipher >> log2_};
            return 1;
        } else if constexpr (PHASE == Phase::after) {
            const MiddleState &middle = middles_.begin(lane);
            chains_.put(lane, middle);
            return write_text(lane, rest_of(job, middle), to);
        } else {
            return write_text(lane, job, to);
        }
    }
    void point(uint32_t lane, const uint8_t *in, const uint8_t *out) const {
        put_pointer(state_ + places_[lane].in, in);
        put_pointer(state_ + places_[lane].out, out);
    }
    void done(uint32_t lane, cst_job *job) {
        if constexpr (PHASE == Phase::before) {
            return chains_.take(lane, &middles_.of(lane));
        } else if constexpr (PHASE == Phase::after) {
            take_end(lane, rest_of(*job, middles_.of(lane)));
            if (goes_on_) chains_.take_table(lane, &middles_.of(lane));
        } else {
            take_end(lane, *job);
        }
        all_right_ &= text_.settle(job);
    }

    // Whether the padding of all texts was right.
    bool all_right() const { return all_right_; }

private:
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
    const bool goes_on_;
    const TextChains chains_;
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
              MiddleState *const *middles)
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
        if constexpr (PHASE == Phase::whole) {
            mac_.write(job, true, list);
        } else {
            MiddleState &middle = *(list.middle = &middles_.begin(lane));
            if constexpr (PHASE == Phase::before) {
                mac_.write(job, false, list);
                if (list.to == to) memcpy(middle.hash_chain, list.load, chain_bytes_);
            } else if constexpr (PHASE == Phase::within) {
                list.from(middle.hash_chain);
                list.hashed(middle.body, middle.bytes);
            } else {
                mac_.write_rest(job, middle.hash_chain, middle.body, mac_.boundary(job) + middle.ahead + middle.bytes,
                                list);
            }
            if (KEEPS && list.to != to) list.to[-1].store = middle.hash_chain;
        }
        return size_t(list.to - to);
    }
    template <typename Of>
    void store(const uint32_t *lanes, size_t n, Of segment) const {
        if constexpr (KEEPS) return chains_.take(lanes, n, [&](size_t i) { return segment(i).store; });
        chains_.take(lanes, n, [&](size_t i) { return scratch(lanes[i]); });
        for (size_t i = 0; i < n; i++) mac_.put_digest(scratch(lanes[i]), segment(i).store, segment(i).store_bytes);
    }
    void done(uint32_t lane, cst_job *job) {
        if constexpr (!KEEPS) all_right_ &= mac_.settle(job, scratch(lane));
    }

private:
    // Whether the chaining value at the end is kept, instead of making a digest of it.
    static constexpr bool KEEPS = PHASE == Phase::before || PHASE == Phase::within;

    // Appends what MessageMac says to the list of a lane; before a middle, what belongs there.
    struct List {
        MacWriter &writer;
        const uint32_t lane;
        Segment *const first;
        Segment *to;
        const uint8_t *load = nullptr;
        MiddleState *middle = nullptr;
        bool waits = false;

        uint8_t *scratch() const { return writer.scratch(lane); }
        bool stopped() const { return waits; }
        void ended(size_t bytes) const { writer.memory_.scratch_of(lane, bytes); }
        void from(const uint8_t *chain) { load = chain; }
        void hashed(const uint8_t *in, uint64_t bytes) {
            *to++ = {in, load, nullptr, 0, bytes >> writer.log2_};
            load = nullptr;
        }
        void body(const uint8_t *in, uint64_t bytes) {
            if constexpr (PHASE == Phase::before) {
                bytes = middle->ahead;
                waits = true;
            }
            if (bytes) hashed(in, bytes);
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
          text_chains_(v.cipher, state_),
          chains_(v.hash, state_),
          keys_(v.cipher, state_),
          mac_keys_(v.hash, state_) {
        if (v.one_key) keys_.share(round_keys(first));
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        MiddleState &middle = middles_.begin(lane);
        text_chains_.put(lane, middle);
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
    void done(uint32_t lane, cst_job *) {
        MiddleState &middle = middles_.of(lane);
        text_chains_.take(lane, &middle);
        middle.body = body_[lane] + middle.bytes;
    }
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
    const TextChains text_chains_;
    const Chains chains_;
    LaneKeys keys_, mac_keys_;
    const uint8_t *body_[MAX_LANES], *text_[MAX_LANES];
};

}  // namespace cst
