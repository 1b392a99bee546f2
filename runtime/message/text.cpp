#include "text.hpp"

#include <algorithm>

#include "../executors/lane_state.hpp"
#include "../executors/lanes.hpp"
#include "../plan/lineup.hpp"

namespace cst {
namespace {

// Whether the chaining value at the end of the current run matters.
bool goes_on(const Message &m) { return m.chain_wanted || m.text_stop < m.text_end; }

class TextStep : public TextLanes {
public:
    TextStep(const Class &c, const Variant &v, bool fills)
        : TextLanes(v, &c.memory->lanes),
          suite_(*c.suite),
          part_(v.cipher),
          areas_(c.memory),
          unit_(suite_.encrypt->record.block_bytes),
          counts_(counts(suite_)),
          fills_(fills) {}

    Message *message[MAX_LANES];

    void share_key(const uint8_t *rows) { keys_.share(rows); }

    void load(const uint32_t *lanes, size_t n) {
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            Message &m = *message[lane];
            const LanePlace &place = places_[lane];
            if (place.chain != NO_FIELD) memcpy(state_ + place.chain, m.cipher_from, 16);
            if (place.table != NO_FIELD) memcpy(state_ + place.table, m.cipher_from + 16, part_.table_bytes);
            keys_.put(lane, m.round_keys);
            if (counts_ && m.cipher_from != m.chain) {
                memcpy(m.chain, m.cipher_from, 16);
                m.cipher_from = m.chain;
            }
            next_run(lane);
        }
    }
    void turn(const uint32_t *lanes, size_t n) {
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            Message &m = *message[lane];
            const LanePlace &place = places_[lane];
            settle(lane);
            if (done(m) && !goes_on(m)) {
                left[lane] = 0;
                continue;
            }
            if (counts_) {
                count_on(suite_.construction, m.chain, (bytes_[lane] + unit_ - 1) / unit_);
                if (next_run(lane)) memcpy(state_ + place.chain, m.chain, 16);
                continue;
            }
            if (next_run(lane) || place.chain == NO_FIELD) continue;
            uint8_t *const chain = place.table != NO_FIELD ? areas_->area_of(m, RC4_STATE) : m.chain;
            memcpy(chain, state_ + place.chain, 16);
            if (place.table != NO_FIELD) memcpy(chain + 16, state_ + place.table, part_.table_bytes);
            m.cipher_from = chain;
        }
    }

private:
    static bool done(const Message &m) { return m.ciphered == m.text_end; }

    // Sets the next contiguous run that the kernel can process. Returns false if there is none.
    bool next_run(uint32_t lane) {
        Message &m = *message[lane];
        left[lane] = bytes_[lane] = 0;
        const uint64_t bytes = m.text_stop - std::min(m.text_stop, m.ciphered);
        if (!bytes) return false;
        uint64_t whole = bytes & ~uint64_t(step_ - 1);
        if (m.scattered) {
            const uint64_t here = together(&m, m.ciphered);
            if (here < std::min<uint64_t>(bytes, step_)) return bounce(lane, scattered_bytes(&m, bytes));
            whole = std::min(bytes, here) & ~uint64_t(step_ - 1);
        }
        if (fills_ && bytes != whole && bytes <= MOST_BOUNCE) return bounce(lane, bytes);
        if (whole) return begin(lane, m.in.at(m.ciphered), m.out.at(m.ciphered), whole, false);
        return fills_ && bounce(lane, bytes);
    }
    // Copies the next bytes to the bounce buffer and pads them with zeros.
    bool bounce(uint32_t lane, uint64_t bytes) {
        Message &m = *message[lane];
        if (!fills_) bytes &= ~uint64_t(step_ - 1);
        if (!bytes) return false;
        const uint64_t room = (bytes + step_ - 1) & ~uint64_t(step_ - 1);
        uint8_t *const to = memory_->scratch_of(lane, room);
        m.in.read(m.ciphered, to, bytes);
        memset(to + bytes, 0, room - bytes);
        begin(lane, to, to, room, true);
        bytes_[lane] = bytes;
        return true;
    }
    bool begin(uint32_t lane, const uint8_t *in, uint8_t *out, uint64_t bytes, bool apart) {
        in_[lane] = in;
        out_[lane] = out;
        begun_[lane] = apart ? out : nullptr;
        bytes_[lane] = bytes;
        left[lane] = bytes >> log2_;
        point(lane, in, out);
        return true;
    }
    // Copies the bounce buffer to the output and advances.
    void settle(uint32_t lane) {
        Message &m = *message[lane];
        if (begun_[lane]) m.out.write(m.ciphered, begun_[lane], bytes_[lane]);
        m.ciphered += bytes_[lane];
    }

    static uint64_t together(Message *m, uint64_t position) {
        return std::min(m->in.together(position), m->out.together(position));
    }
    // Returns how many bytes of pieces that are not contiguous go through the bounce buffer at once.
    uint64_t scattered_bytes(Message *m, uint64_t bytes) const {
        const uint64_t most = std::min(bytes, std::max(step_, MOST_BOUNCE));
        uint64_t some = step_;
        while (some < most && together(m, m->ciphered + some) < LONG_RUN) some += step_;
        return std::min(some, bytes);
    }

    const Suite &suite_;
    const Part &part_;
    Memory *const areas_;
    const uint64_t unit_;
    const bool counts_;
    const bool fills_;
    uint8_t *begun_[MAX_LANES];  // the bounce buffer, if it must be copied to the output
    uint64_t bytes_[MAX_LANES];                    // of the run, without padding
};

}  // namespace

bool counts(const Suite &suite) { return suite.counts() || suite.encrypt->record.kind == ALGORITHM_CHACHA; }

bool rounds_up(const Suite &suite, bool decrypts) {
    const uint32_t kind = suite.encrypt->record.kind;
    return decrypts || (kind != ALGORITHM_CIPHER_ENC && kind != ALGORITHM_DES_ENC && kind != ALGORITHM_RC4);
}

CounterWord::CounterWord(Construction construction) {
    switch (construction) {
        case Construction::gcm:
        case Construction::ccm:
        case Construction::chacha_poly: carries_ = false; break;
        case Construction::chacha: at_ = 0, big_endian_ = false; break;
        default: break;
    }
}

CounterRoom::CounterRoom(const Suite &suite)
    : word_(suite.construction), limited_(suite.encrypt && counts(suite) && word_.carries()) {
    if (limited_) block_log2_ = unsigned(__builtin_ctz(suite.encrypt->record.block_bytes));
}

namespace {

void run_on(const Class &c, const Variant &v, bool fills, Message **list, size_t n) {
    const InSlot<TextStep> step(c.memory->lanes.step, c, v, fills);
    if (v.one_key) step->share_key(list[0]->round_keys);
    execute(*c.suite->engine, v, &c.memory->lanes, &*step, list, n);
}

uint64_t left_of(const Message &m) { return m.failed ? 0 : m.text_stop - std::min(m.text_stop, m.ciphered); }

// Whether messages of the same shape have the same progress.
bool same_progress(Message *const *list, size_t n) {
    const Message &first = *list[0];
    for (size_t i = 1; i < n; i++)
        if (((list[i]->ciphered ^ first.ciphered) | (list[i]->text_stop ^ first.text_stop)) || list[i]->failed)
            return false;
    return n && !first.failed;
}

}  // namespace

void count_on(Construction construction, uint8_t *counter, uint64_t blocks) {
    if (construction == Construction::chacha || construction == Construction::chacha_poly) {
        uint64_t words;
        memcpy(&words, counter, sizeof(words));
        words += blocks;
        memcpy(counter, &words, sizeof(words));
        return;
    }
    const bool far = construction != Construction::gcm && construction != Construction::ccm;
    uint64_t low = __builtin_bswap64(load64(counter + 8)), high = __builtin_bswap64(load64(counter));
    if (far) {
        low += blocks;
        high += low < blocks;
    } else {
        low = (low & ~uint64_t(UINT32_MAX)) | uint32_t(low + blocks);
    }
    put_words(counter, __builtin_bswap64(high), __builtin_bswap64(low));
}

void run_texts(const Class &c, Message **list, size_t n) {
    const Suite &suite = *c.suite;
    const bool may_fill = rounds_up(suite, false), counter = counts(suite);
    while (n) {
        // Moves the messages that have something left to the front, in their order.
        Need need = {&suite.encrypts, 0, 0, 0};
        uint64_t sum = 0;
        bool fills = may_fill;
        const bool same = c.same_shape && same_progress(list, n);
        for (size_t i = 0; i < (same ? 1 : n); i++) {
            const uint64_t left = left_of(*list[i]);
            if (!left) continue;
            sum += left;
            need.most = std::max(need.most, left);
            fills &= counter || !goes_on(*list[i]);
            if (!same) std::swap(list[need.messages], list[i]);
            need.messages++;
        }
        if (same && need.messages) need.messages = n, sum *= n;
        if (!need.messages) return;
        n = need.messages;
        need.bytes = need.most * n == sum ? need.most : sum / n;
        need.one_key = c.one_key;
        need.rounds_up = fills;
        for (Message **at = list; need.messages;) {
            Lineup lineup = line_up(suite, need);
            if (!lineup.variant) {  // what is left is less than a block, and nothing follows it
                need.rounds_up = fills = true;
                lineup = line_up(suite, need);
            }
            size_t some = same ? lineup.messages : 0;
            for (size_t i = 0; i < need.messages && some < lineup.messages; i++)
                if (fills || left_of(*at[i]) >= lineup.variant->step) std::swap(at[some++], at[i]);
            run_on(c, *lineup.variant, fills, at, some);
            if (!fills && some < lineup.messages) break;  // the others are too short for this kernel
            at += some;
            need.messages -= some;
        }
        if (fills) return;
    }
}

Ranking rank_texts(const Class &c, uint64_t bytes) {
    Need need = {&c.suite->ciphers(c.opens), c.n, bytes, bytes};
    need.one_key = c.one_key;
    need.rounds_up = rounds_up(*c.suite, c.opens);
    const Ranking ranking = rank(*c.suite, need);
    need.rounds_up = true;
    return ranking.chosen.variant ? ranking : rank(*c.suite, need);
}

void run_all_texts(const Class &c) {
    size_t n = 0;
    for (Message *m = c.messages; m < c.messages + c.n; m++) {
        if (m->failed) continue;
        m->text_stop = m->text_end;
        c.memory->list[n++] = m;
    }
    run_texts(c, c.memory->list, n);
}

}  // namespace cst
