#include "mac.hpp"

#include <algorithm>

#include "../suite/block_mac.hpp"
#include "../suite/secret.hpp"
#include "../executors/message.hpp"
#include "ccm_blocks.hpp"
#include "../executors/lane_state.hpp"
#include "../executors/lanes.hpp"
#include "../plan/lineup.hpp"

namespace cst {
namespace {

// Writes the head, of its AAD only the last `rest` bytes. Returns the number of bytes written.
size_t put_head(const Suite &suite, const cst_job &job, size_t rest, uint8_t *to) {
    const uint8_t *aad_end = static_cast<const uint8_t *>(job.aad) + suite.row.aad_in_head(job.aad_len);
    if (rest) copy_few(to, aad_end - rest, rest);
    if (suite.row.is_record()) {
        const uint16_t length = __builtin_bswap16(uint16_t(job.in_len));
        memcpy(to + rest, &length, sizeof(length));
        return rest + sizeof(length);
    }
    copy_few(to + rest, static_cast<const uint8_t *>(job.iv), suite.mac_iv_bytes);
    return rest + suite.mac_iv_bytes;
}

// Whether the message begins with AAD and IV, or with TLS's header.
bool headed(const Suite &suite) { return suite.kind == CST_AEAD && (suite.hmac() || suite.block_mac()); }

// Returns how many bytes of the body are left to be hashed in whole blocks now. The last block of CMAC and XCBC, which
// is masked, belongs to the end.
uint64_t body_left(const Suite &suite, const Message &m) {
    uint64_t stop = m.hash_stop;
    if (suite.kind == CST_MAC && suite.hash->record.kind == ALGORITHM_CBC_MAC)
        stop = std::min(stop, m.body_bytes ? (m.body_bytes - 1) & ~uint64_t(15) : 0);
    return stop - std::min(stop, m.hashed);
}

class MacStep : public HashLanes {
public:
    MacStep(const Class &c, const Variant &v)
        : HashLanes(c.suite->hash->record, v, &c.memory->lanes),
          suite_(*c.suite),
          unit_(hash_.block_bytes),
          step_(v.step),
          ccm_(suite_.row.is_ccm()),
          poly_(suite_.construction == Construction::chacha_poly),
          headed_(headed(suite_)),
          block_mac_(hash_.kind == ALGORITHM_CBC_MAC),
          same_shape_(c.same_shape),
          key_bytes_(16 * v.hash.key_rows),
          hmac_(suite_.hmac()),
          keys_(v.hash, state_) {}

    Message *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return message[lanes[i]]->hash_from; });
        for (size_t i = 0; key_bytes_ && i < n; i++) keys_.put(lanes[i], message[lanes[i]]->mac_keys_end - key_bytes_);
        go_on(lanes, n);
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t outer[MAX_LANES], others[MAX_LANES];
        size_t outers = 0, rest = 0;
        for (size_t i = 0; i < n; i++)
            if (message[lanes[i]]->stage == Stage::outer) outer[outers++] = lanes[i];
            else others[rest++] = lanes[i];
        if (outers) {
            begin_outer(outer, outers, [&](size_t i) { return message[outer[i]]->key->outer(); });
            for (size_t i = 0; i < outers; i++) message[outer[i]]->stage = Stage::done;
        }
        if (rest) go_on(others, rest);
    }

private:
    // Whether the kernel, whose iteration may have several blocks, can process this many bytes.
    bool takes(uint64_t bytes) const { return !(bytes & (step_ - 1)); }

    // The next action of a lane. It is the same for all messages of the same shape and progress.
    struct Move {
        enum Kind : uint8_t { none, aad, joint, body, end, own } kind = none;  // own: the moves of CCM and Poly1305
        Stage from = Stage::done, then = Stage::done;
        uint64_t hashed = 0, bytes = 0;  // bytes: read in place, or assembled
        size_t head = 0, rest = 0;       // head: bytes of the head among these, of which `rest` are AAD
    };
    // Decides what a message needs next. A message that is hashed for a key has no job.
    Move decide(const Message &m) const {
        const cst_job *const job = m.job;  // NULL: the message is the body alone
        Move move;
        move.from = move.then = m.stage;
        move.hashed = m.hashed;
        for (;;) {
            switch (move.then) {
                case Stage::aad: {
                    if (ccm_ || poly_) return move.kind = Move::own, move;
                    const uint64_t aad = headed_ && !m.whole ? whole_aad(suite_, *job) : 0;
                    if (!takes(aad)) return move;
                    move.then = Stage::joint;
                    if (!aad) break;
                    move.kind = Move::aad;
                    move.bytes = aad;
                    return move;
                }
                case Stage::joint: {
                    const bool with_end = m.whole || m.ready < m.boundary;
                    const uint64_t head = headed_ ? suite_.row.head_bytes(job->aad_len) - whole_aad(suite_, *job) : 0;
                    if (!with_end && !takes(head + m.boundary)) return move;
                    move.then = with_end ? Stage::end : Stage::body;
                    if (with_end || !(head + m.boundary)) break;
                    move.kind = Move::joint;
                    move.head = size_t(head);
                    move.rest = rest_of_aad(*job);
                    move.bytes = head + m.boundary;
                    return move;
                }
                case Stage::body: {
                    const uint64_t rest = body_left(suite_, m), whole = rest & ~uint64_t(step_ - 1);
                    if (whole) {
                        move.kind = Move::body;
                        move.bytes = whole;
                        return move;
                    }
                    if (!m.to_end || rest >= unit_) return move;
                    move.then = Stage::end;
                    break;
                }
                case Stage::end: {
                    if (!m.to_end || step_ != unit_) return move;
                    if (headed_ && (m.whole || m.ready < m.boundary)) {
                        const uint64_t aad = suite_.row.aad_in_head(job->aad_len);
                        move.rest = m.whole ? size_t(aad) : rest_of_aad(*job);
                        move.head = move.rest + size_t(suite_.row.head_bytes(job->aad_len) - aad);
                    }
                    move.kind = Move::end;
                    move.then = hmac_ ? Stage::outer : Stage::done;
                    return move;
                }
                case Stage::outer:
                case Stage::done: return move;
            }
        }
    }
    // Starts a move in a lane. Returns false if nothing is left to do.
    bool make(uint32_t lane, const Move &move) {
        Message &m = *message[lane];
        m.stage = move.then;
        switch (move.kind) {
            case Move::none: return false;
            case Move::own: return ccm_ ? ccm_head(lane) : poly_head(lane);
            case Move::aad: return begin(lane, static_cast<const uint8_t *>(m.job->aad), move.bytes);
            case Move::joint: {
                uint8_t *const to = memory_->scratch_of(lane, move.bytes);
                put_head(suite_, *m.job, move.rest, to);
                m.body->read(0, to + move.head, m.boundary);
                m.hashed = m.boundary;
                return begin(lane, to, move.bytes);
            }
            case Move::body: return body(lane, move.bytes);
            case Move::end: return end(lane, move);
        }
        return false;
    }
    bool next_run(uint32_t lane) { return make(lane, decide(*message[lane])); }

    void go_on(const uint32_t *lanes, size_t n) {
        uint32_t gone[MAX_LANES];
        size_t leaves = 0;
        Move move = decide(*message[lanes[0]]);
        for (size_t i = 0; i < n; i++) {
            const Message &m = *message[lanes[i]];
            if (i && (!same_shape_ || m.stage != move.from || m.hashed != move.hashed)) move = decide(m);
            if (!make(lanes[i], move)) gone[leaves++] = lanes[i];
        }
        if (leaves) leave(gone, leaves);
    }

    // Copies the lanes' chaining values to their messages, and makes digests of them.
    void leave(const uint32_t *lanes, size_t n) {
        chains_.take(lanes, n, [&](size_t i) { return message[lanes[i]]->hash_chain; });
        for (size_t i = 0; i < n; i++) {
            Message &m = *message[lanes[i]];
            m.hash_from = m.hash_chain;
            left[lanes[i]] = 0;
            if (m.stage != Stage::done) continue;
            if (block_mac_) memcpy(m.digest, m.hash_chain, 16);
            else hash_digest(hash_, m.hash_chain, m.digest, hash_.digest_bytes);
        }
    }

    bool body(uint32_t lane, uint64_t bytes) {
        Message &m = *message[lane];
        const uint64_t at = m.hashed;
        if (m.scattered) {
            const uint64_t here = m.body->together(at) & ~uint64_t(step_ - 1);
            if (!here) {
                uint64_t bounced = step_;
                while (bounced < bytes && bounced + step_ <= MOST_BOUNCE && m.body->together(at + bounced) < LONG_RUN)
                    bounced += step_;
                uint8_t *const to = memory_->scratch_of(lane, bounced);
                m.body->read(at, to, bounced);
                m.hashed += bounced;
                return begin(lane, to, bounced);
            }
            bytes = std::min(bytes, here);
        }
        m.hashed += bytes;
        return begin(lane, m.body->at(at), bytes);
    }

    // Assembles the rest of the message, with trailer and padding.
    bool end(uint32_t lane, const Move &move) {
        Message &m = *message[lane];
        uint8_t *const to = memory_->scratch_of(lane, WHOLE_MESSAGE + PAD_SLACK);
        size_t used = move.head ? put_head(suite_, *m.job, move.rest, to) : 0;
        const size_t rest = size_t(m.body_bytes - m.hashed);
        m.body->read(m.hashed, to + used, rest);
        m.hashed += rest;
        used += rest;
        if (poly_) return begin(lane, to, put_poly_end(to, used, m));
        if (ccm_) return used && begin(lane, to, fill_with_zeros(to, used));
        size_t trailer = 0;
        if (headed_) used += trailer = put_trailer(suite_, *m.job, to + used);
        if (block_mac_) return begin(lane, to, mask_end(*m.key, to, used));
        const uint64_t head = headed_ ? suite_.row.head_bytes(m.job->aad_len) : 0;
        return begin(lane, to, hash_pad(hash_, to, used, head + m.body_bytes + trailer + (hmac_ ? unit_ : 0)));
    }

    // SP 800-38C, A.2: assembles B0, the AAD's length and the AAD, padded with zeros. A long AAD has three runs: its
    // beginning, its whole blocks in place, its end.
    bool ccm_head(uint32_t lane) {
        Message &m = *message[lane];
        const cst_job &job = *m.job;
        const uint8_t *const aad = static_cast<const uint8_t *>(job.aad);
        const size_t left = job.aad_len - m.aad_hashed;
        if (m.aad_hashed && left >= unit_) {
            const size_t whole = left & ~(unit_ - 1);
            if (!takes(whole)) return false;
            m.aad_hashed += whole;
            return begin(lane, aad + m.aad_hashed - whole, whole);
        }
        if (step_ != unit_) return false;
        if (m.aad_hashed && !left) {
            m.stage = Stage::body;
            return next_run(lane);
        }
        uint8_t *const to = memory_->scratch_of(lane, CCM_HEAD + PAD_SLACK);
        size_t used = 0;
        if (!m.aad_hashed) used = put_ccm_head(job, to);
        const size_t some = std::min<size_t>(left, CCM_HEAD - used);
        copy_few(to + used, aad + m.aad_hashed, some);
        m.aad_hashed += some;
        if (some == left) m.stage = Stage::body;
        return begin(lane, to, fill_with_zeros(to, used + some));
    }
    // RFC 8439, 2.8: hashes the AAD, padded with zeros; after the text, which is padded as well, the lengths of both.
    bool poly_head(uint32_t lane) {
        Message &m = *message[lane];
        const uint8_t *const aad = static_cast<const uint8_t *>(m.job->aad) + m.aad_hashed;
        const size_t left = m.job->aad_len - m.aad_hashed, whole = left & ~(unit_ - 1);
        const size_t padded = (left + 15) & ~size_t(15), text = size_t(m.body_bytes);
        if (!m.aad_hashed && m.to_end && padded + text + 2 * unit_ <= WHOLE_MESSAGE) {
            uint8_t *const to = memory_->scratch_of(lane, WHOLE_MESSAGE + PAD_SLACK);
            if (left) put_zeros(to + padded - 16);
            copy_few(to, aad, left);
            m.body->read(0, to + padded, text);
            m.hashed = text;
            m.stage = Stage::done;
            return begin(lane, to, padded + put_poly_end(to + padded, text, m));
        }
        if (whole) {
            m.aad_hashed += whole;
            return begin(lane, aad, whole);
        }
        m.stage = Stage::body;
        if (!left) return next_run(lane);
        uint8_t *const to = memory_->scratch_of(lane, 2 * unit_);
        copy_few(to, aad, left);
        return begin(lane, to, fill_with_zeros(to, left));
    }
    static size_t put_poly_end(uint8_t *to, size_t used, const Message &m) {
        const size_t whole = used ? fill_with_zeros(to, used) : 0;
        put_words(to + whole, m.job->aad_len, m.job->in_len);
        return whole + 16;
    }
    static constexpr size_t CCM_HEAD = 256;
    static_assert(CCM_HEAD + PAD_SLACK <= SCRATCH_BYTES, "it fits");

    size_t rest_of_aad(const cst_job &job) const { return size_t(suite_.row.aad_in_head(job.aad_len) & (unit_ - 1)); }

    const Suite &suite_;
    const size_t unit_, step_;
    const bool ccm_, poly_, headed_, block_mac_, same_shape_;
    const size_t key_bytes_;
    const bool hmac_;
    LaneKeys keys_;
};

// Returns the bytes that are still to be hashed, with the outer hash.
uint64_t bytes_left(const Suite &suite, const Message &m) {
    const size_t unit = suite.hash->record.block_bytes;
    const uint64_t head = suite.kind == CST_AEAD && m.stage < Stage::body ? suite.row.head_bytes(m.job->aad_len) : 0;
    const uint64_t stop = m.to_end ? m.body_bytes : m.hash_stop, body = stop - std::min(stop, m.hashed);
    if (!m.to_end) return (head + body) & ~uint64_t(unit - 1);
    return hashed_bytes(suite, head + body);
}

// Whether a message has something left to do. bodies: only whole iterations of the body count.
bool pending(const Suite &suite, const Message &m, size_t step, bool bodies) {
    const size_t unit = suite.hash->record.block_bytes;
    if (m.stage == Stage::done || m.failed) return false;
    if (bodies) return m.stage == Stage::body && body_left(suite, m) >= step;
    if (m.to_end) return true;
    return m.stage < Stage::body || (m.stage == Stage::body && body_left(suite, m) >= unit);
}

// Whether messages of the same shape have the same progress.
bool same_stage(Message *const *list, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (list[i]->stage != list[0]->stage || list[i]->hashed != list[0]->hashed || list[i]->failed ||
            list[i]->to_end != list[0]->to_end || list[i]->hash_stop != list[0]->hash_stop)
            return false;
    return true;
}

// Runs one pass on kernels with `step` bytes in an iteration, over all messages that wait for such kernels.
void pass(const Class &c, Message **list, size_t n, size_t step, const Variant *only) {
    const Suite &suite = *c.suite;
    Need need = {&suite.hashes, 0, 0, 0};
    need.whole_only = true;
    uint64_t sum = 0;
    if (c.same_shape && !only && n && pending(suite, *list[0], step, false) && same_stage(list, n)) {
        need.messages = n;
        need.most = need.bytes = std::max<uint64_t>(bytes_left(suite, *list[0]), step);
    } else {
        for (size_t i = 0; i < n; i++) {
            if (!pending(suite, *list[i], step, only)) continue;
            const uint64_t left =
                only ? body_left(suite, *list[i]) : std::max<uint64_t>(bytes_left(suite, *list[i]), step);
            sum += left;
            need.most = std::max(need.most, left);
            std::swap(list[need.messages++], list[i]);
        }
        need.bytes = need.messages ? sum / need.messages : 0;
    }
    while (need.messages) {
        Lineup lineup = {only, need.messages};
        if (!only) lineup = line_up(suite, need);
        const InSlot<MacStep> mac(c.memory->lanes.step, c, *lineup.variant);
        execute(*suite.engine, *lineup.variant, &c.memory->lanes, &*mac, list, lineup.messages);
        list += lineup.messages;
        need.messages -= lineup.messages;
    }
}

// Returns the length from which bodies may run on kernels that take several blocks of a block cipher's MAC at once.
uint64_t least_coarse(const Suite &suite) { return 4 * suite.hash->record.block_bytes; }

// Selects such a kernel for bodies; NULL: there is none, or it takes more time, because the bytes before and after the
// body then have calls of their own.
const Variant *coarse_kernel(const Suite &suite, Need need) {
    const Variant *const coarse = line_up(suite, need).variant;
    if (!coarse || coarse->step == suite.hash->record.block_bytes) return nullptr;
    const double cycles = step_cycles(suite, need);
    need.whole_only = true;
    const Variant &fine = *line_up(suite, need).variant;
    const double apart = 2 * (fine.cost.per_call + double(need.messages) * loading(fine, false));
    return coarse == suite.forced || cycles + apart <= step_cycles(suite, need) ? coarse : nullptr;
}

// Runs the MAC of a block cipher: long enough bodies go to kernels that take several blocks at once.
void coarse_pass(const Class &c, Message **list, size_t n) {
    const Suite &suite = *c.suite;
    const size_t unit = suite.hash->record.block_bytes;
    Need need = {&suite.hashes, 0, 0, 0};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t left = list[i]->failed || list[i]->stage > Stage::body ? 0 : body_left(suite, *list[i]);
        if (left < least_coarse(suite)) continue;
        need.messages++;
        need.most = std::max(need.most, left);
        sum += left;
    }
    if (!need.messages) return;
    need.bytes = sum / need.messages;
    const Variant *const coarse = coarse_kernel(suite, need);
    if (!coarse) return;
    struct {
        uint64_t stop;
        bool to_end;
    } saved[MOST_MESSAGES];
    for (size_t i = 0; i < n; i++) {
        Message &m = *list[i];
        saved[&m - c.memory->messages] = {m.hash_stop, m.to_end};
        m.hash_stop = m.hashed;
        m.to_end = false;
    }
    pass(c, list, n, unit, nullptr);
    for (size_t i = 0; i < n; i++) {
        Message &m = *list[i];
        m.hash_stop = saved[&m - c.memory->messages].stop;
        m.to_end = saved[&m - c.memory->messages].to_end;
    }
    pass(c, list, n, coarse->step, coarse);
}

}  // namespace

size_t put_head(const Suite &suite, const cst_job &job, uint8_t *to) {
    return put_head(suite, job, size_t(suite.row.aad_in_head(job.aad_len)), to);
}

size_t whole_aad(const Suite &suite, const cst_job &job) {
    return suite.row.aad_in_head(job.aad_len) & ~uint64_t(suite.hash->record.block_bytes - 1);
}

size_t put_end_of_head(const Suite &suite, const cst_job &job, uint8_t *to) {
    const size_t rest = suite.row.aad_in_head(job.aad_len) - whole_aad(suite, job);
    return put_head(suite, job, rest, to);
}

size_t put_trailer(const Suite &suite, const cst_job &job, uint8_t *to) {
    if (suite.row.trailer == MessageRow::Trailer::aad_bits) {
        const uint64_t bits = __builtin_bswap64(uint64_t(job.aad_len) << 3);
        memcpy(to, &bits, sizeof(bits));
        return sizeof(bits);
    }
    if (suite.row.trailer != MessageRow::Trailer::sequence || job.aad_len == ESP_HEADER) return 0;
    memcpy(to, static_cast<const uint8_t *>(job.aad) + ESP_HEADER, ESP_EXTENSION);
    return ESP_EXTENSION;
}

uint64_t hashed_bytes(const Suite &suite, uint64_t head_and_body) {
    const uint64_t unit = suite.hash->record.block_bytes, all = head_and_body + suite.hash->record.length_bytes + unit;
    return (all & ~(unit - 1)) + (suite.hmac() ? unit : 0);
}

size_t most_together(const Suite &suite) { return most_together(suite.hash->record, suite.row.most_trailer); }

bool fits_whole(const Suite &suite, uint64_t head, uint64_t body) {
    if (suite.forced && suite.forced->stitched()) return false;  // a forced kernel must be seen to run
    return head + body <= most_together(suite);
}

void begin_mac(const Suite &suite, Message *m) {
    const size_t unit = suite.hash->record.block_bytes;
    const bool has_head = headed(suite);
    const uint64_t head = has_head ? suite.row.head_bytes(m->job->aad_len) : 0;
    m->stage = suite.kind == CST_AEAD ? Stage::aad : Stage::body;
    m->whole = has_head && fits_whole(suite, head, m->body_bytes);
    m->boundary = has_head ? uint32_t(-head & (unit - 1)) : 0;
    m->hashed = m->aad_hashed = 0;
    m->to_end = false;
}

void run_bodies(const Class &c, Message **list, size_t n, const Variant &v) { pass(c, list, n, v.step, &v); }

void run_macs(const Class &c, Message **list, size_t n) {
    const size_t unit = c.suite->hash->record.block_bytes;
    if (c.suite->hash->record.kind == ALGORITHM_CBC_MAC) coarse_pass(c, list, n);
    pass(c, list, n, unit, nullptr);
}

Ranking rank_macs(const Class &c) {
    const Suite &suite = *c.suite;
    Message m = c.messages[0];
    m.to_end = true;
    m.stage = suite.kind == CST_AEAD ? Stage::aad : Stage::body;
    m.hashed = 0;
    const uint64_t bytes = bytes_left(suite, m);
    Need need = {&suite.hashes, c.n, bytes, bytes};
    const bool body = suite.hash->record.kind == ALGORITHM_CBC_MAC && !m.whole && m.body_bytes >= least_coarse(suite);
    need.whole_only = m.whole || suite.hash->record.kind == ALGORITHM_HASH ||
                      (body && !coarse_kernel(suite, {&suite.hashes, c.n, m.body_bytes, m.body_bytes}));
    return rank(suite, need);
}

void finish_macs(const Class &c) {
    size_t n = 0;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (m.failed) continue;
        m.hash_stop = m.body_bytes;
        m.to_end = true;
        c.memory->list[n++] = &m;
    }
    run_macs(c, c.memory->list, n);
}

void write_tags(const Class &c) {
    for (size_t i = 0; i < c.n; i++) {
        const cst_job &job = *c.messages[i].job;
        copy_few(static_cast<uint8_t *>(job.tag), c.messages[i].digest, job.tag_len);
    }
}

void check_tags(const Class &c) {
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (!same_bytes(m.digest, static_cast<const uint8_t *>(m.job->tag), m.job->tag_len)) fail(&m);
    }
}

void fail(Message *m) {
    m->failed = true;
    refuse_unopened(m->job);
}

}  // namespace cst
