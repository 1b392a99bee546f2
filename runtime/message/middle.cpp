// Runs the stitched middle in steps: of GCM and ChaCha20-Poly1305. stitch.hpp explains why it is right. Long texts in
// pieces are not stitched.

#include "middle.hpp"

#include <algorithm>

#include "../executors/lane_state.hpp"
#include "../executors/lanes.hpp"
#include "../plan/lineup.hpp"
#include "mac.hpp"
#include "text.hpp"

namespace cst {
namespace {

class PairStep {
public:
    PairStep(const Class &c, const Variant &v)
        : c_(c),
          v_(v),
          ciphers_(v.cipher.lanes.data()),
          hashes_(v.hash.lanes.data()),
          memory_(c.memory->lanes),
          state_(memory_.state),
          keyed_(v.hash.key_rows != 0),
          chains_(v.hash, state_),
          keys_(v.cipher, state_),
          mac_keys_(v.hash, state_) {}

    Message *message[MAX_LANES];
    uint64_t left[MAX_LANES];

    void share_key(const uint8_t *rows) { keys_.share(rows); }

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return message[lanes[i]]->hash_from; });
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            Message &m = *message[lane];
            const LanePlace &place = ciphers_[lane];
            if (place.chain != NO_FIELD) memcpy(state_ + place.chain, m.cipher_from, 16);
            if (place.table != NO_FIELD) memcpy(state_ + place.table, m.cipher_from + 16, v_.cipher.table_bytes);
            keys_.put(lane, m.round_keys);
            if (keyed_) mac_keys_.put(lane, m.mac_keys_end - 16 * v_.hash.key_rows);
            left[lane] = both_left(m, m.ciphered, m.hashed) >> v_.step_log2;
            in_[lane] = m.in.at(m.ciphered);
            out_[lane] = m.out.at(m.ciphered);
            hash_in_[lane] = m.body->at(m.hashed);
            point(lane, in_[lane], out_[lane], hash_in_[lane]);
        }
    }
    void turn(const uint32_t *lanes, size_t n) {
        chains_.take(lanes, n, [&](size_t i) { return message[lanes[i]]->hash_chain; });
        for (size_t i = 0; i < n; i++) {
            Message &m = *message[lanes[i]];
            const LanePlace &place = ciphers_[lanes[i]];
            m.hash_from = m.hash_chain;
            left[lanes[i]] = 0;
            if (place.chain == NO_FIELD) continue;
            uint8_t *const chain = place.table != NO_FIELD ? c_.memory->area_of(m, RC4_STATE) : m.chain;
            memcpy(chain, state_ + place.chain, 16);
            if (place.table != NO_FIELD) memcpy(chain + 16, state_ + place.table, v_.cipher.table_bytes);
            m.cipher_from = chain;
        }
    }
    void advance(uint32_t lane, uint64_t iterations) {
        Message &m = *message[lane];
        const uint64_t bytes = iterations << v_.step_log2;
        m.ciphered += bytes;
        m.hashed += bytes;
        point(lane, in_[lane] += bytes, out_[lane] += bytes, hash_in_[lane] += bytes);
    }
    uint64_t most_idle(uint64_t iterations) {
        memory_.idle_used = IDLE_OUT_BYTES;
        return std::min<uint64_t>(iterations, IDLE_OUT_BYTES >> v_.step_log2);
    }
    void idle(uint32_t lane, uint32_t model) const { point(lane, in_[model], memory_.idle_out, hash_in_[model]); }

    // Returns how many bytes both have left from these positions on.
    static uint64_t both_left(const Message &m, uint64_t cipher_at, uint64_t hash_at) {
        const uint64_t end = std::max(m.text_end & ~uint64_t(15), cipher_at),
                       body_end = std::max(m.body_bytes, hash_at);
        return std::min(end - cipher_at, body_end - hash_at);
    }

private:
    void point(uint32_t lane, const uint8_t *in, uint8_t *out, const uint8_t *hash_in) const {
        put_pointer(state_ + ciphers_[lane].in, in);
        put_pointer(state_ + ciphers_[lane].out, out);
        if (hashes_[lane].in != NO_FIELD) put_pointer(state_ + hashes_[lane].in, hash_in);
    }

    const Class &c_;
    const Variant &v_;
    const LanePlace *const ciphers_, *const hashes_;
    LaneMemory &memory_;
    uint8_t *const state_;
    const bool keyed_;
    const Chains chains_;
    LaneKeys keys_, mac_keys_;
    const uint8_t *in_[MAX_LANES], *hash_in_[MAX_LANES];
    uint8_t *out_[MAX_LANES];
};

// Makes calls for the messages that have enough left, until none has.
void run_pairs(const Class &c, const Middle &middle) {
    const Suite &suite = *c.suite;
    const uint64_t least = middle.choice->need();
    for (;;) {
        Message **const list = c.memory->list;
        Need need = {&suite.pairs, 0, 0, 0};
        uint64_t sum = 0;
        for (size_t i = 0; i < c.n; i++) {
            Message &m = c.messages[i];
            if (!m.paired) continue;
            const uint64_t bytes = PairStep::both_left(m, m.ciphered, m.hashed);
            if (bytes < least) continue;
            list[need.messages++] = &m;
            sum += bytes;
            need.most = std::max(need.most, bytes);
        }
        if (!need.messages) return;
        need.bytes = sum / need.messages;
        need.one_key = c.one_key;
        need.aligned = middle.aligned;
        Lineup lineup;
        if (!middle.keyed) lineup = line_up(suite, need);
        if (!lineup.variant) lineup = {middle.choice, need.messages};
        const Variant &on = *lineup.variant;
        size_t some = 0;
        for (size_t i = 0; i < need.messages && some < lineup.messages; i++)
            if (PairStep::both_left(*list[i], list[i]->ciphered, list[i]->hashed) >= on.need())
                std::swap(list[some++], list[i]);
        const InSlot<PairStep> step(c.memory->lanes.step, c, on);
        if (on.one_key) step->share_key(list[0]->round_keys);
        execute(*suite.engine, on, &c.memory->lanes, &*step, list, some);
    }
}

}  // namespace

uint64_t cipher_start(const Message &m, const Middle &middle) {
    return middle.aligned ? (uint64_t(m.boundary) + 15) & ~uint64_t(15) : 0;
}

uint64_t hash_start(const Suite &suite, const Message &m, const Middle &middle) {
    if (!middle.ahead) return m.boundary;
    const uint64_t unit = suite.hash->record.block_bytes;
    return m.boundary + (suite.pairs.needs.front() + unit - 1) / unit * unit;
}

Middle choose_middle(const Class &c) {
    const Suite &suite = *c.suite;
    Middle middle;
    middle.aligned = !c.opens;
    for (size_t i = 0; i < c.n; i++) middle.ahead |= c.opens && c.messages[i].in_place;
    middle.keyed = suite.construction == Construction::chacha_poly;
    if (suite.pairs.variants.empty()) return middle;
    const uint64_t least = suite.pairs.holds(suite.forced) ? suite.forced->need() : suite.pairs.needs.back();
    Need need = {&suite.pairs, 0, 0, 0};
    uint64_t sum = 0;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (m.whole || m.scattered) continue;
        const uint64_t bytes =
            PairStep::both_left(m, std::max(m.ciphered, cipher_start(m, middle)), hash_start(suite, m, middle));
        if (bytes < least) continue;
        m.paired = true;
        need.messages++;
        sum += bytes;
        need.most = std::max(need.most, bytes);
    }
    if (!need.messages) return middle;
    need.bytes = sum / need.messages;
    need.one_key = c.one_key;
    need.aligned = middle.aligned;
    middle.choice = choose_pair(suite, need, suite.encrypts, &middle.cycles);
    for (size_t i = 0; !middle.choice && i < c.n; i++) c.messages[i].paired = false;
    return middle;
}

void run_middles(const Class &c, const Middle &middle) {
    if (middle.choice) run_pairs(c, middle);
}

void run_middles_behind(const Class &c, RunHashes *hash) {
    const Middle middle = choose_middle(c);
    Message **const list = c.memory->other;
    const size_t n = list_paired(c, list);
    for (size_t i = 0; i < n; i++) list[i]->hash_stop = hash_start(*c.suite, *list[i], middle);
    hash(c, list, n);
    run_middles(c, middle);
}

size_t list_paired(const Class &c, Message **list) {
    size_t n = 0;
    for (size_t i = 0; i < c.n; i++)
        if (c.messages[i].paired) list[n++] = &c.messages[i];
    return n;
}

}  // namespace cst
