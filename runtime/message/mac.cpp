#include "mac.hpp"

#include <algorithm>

#include "ccm_blocks.hpp"
#include "../suite/secret.hpp"
#include "../executors/message.hpp"
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

// Returns how many bytes of the body are left to be hashed now.
uint64_t body_left(const Message &m) { return m.hash_stop - std::min(m.hash_stop, m.hashed); }

// Hashes bodies; and all that the MAC of RFC 8439, 2.8 covers: the AAD, padded with zeros, the text, padded as well,
// and the lengths of both.
class MacStep : public HashLanes {
public:
    MacStep(const Class &c, const Variant &v)
        : HashLanes(c.suite->hash->record, v, &c.memory->lanes),
          unit_(hash_.block_bytes),
          step_(v.step),
          key_bytes_(16 * v.hash.key_rows),
          keys_(v.hash, state_) {}

    Message *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return message[lanes[i]]->hash_from; });
        for (size_t i = 0; key_bytes_ && i < n; i++) keys_.put(lanes[i], message[lanes[i]]->mac_keys_end - key_bytes_);
        turn(lanes, n);
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t gone[MAX_LANES];
        size_t leaves = 0;
        for (size_t i = 0; i < n; i++)
            if (!next_run(lanes[i])) gone[leaves++] = lanes[i];
        if (leaves) leave(gone, leaves);
    }

private:
    // Starts what a message needs next in a lane. Returns false if nothing is left to do.
    bool next_run(uint32_t lane) {
        Message &m = *message[lane];
        if (m.stage == Stage::aad) return aad(lane);
        if (m.stage == Stage::done) return false;
        if (const uint64_t whole = body_left(m) & ~uint64_t(step_ - 1)) return body(lane, whole);
        return m.to_end && end(lane);
    }
    // Copies the lanes' chaining values to their messages.
    void leave(const uint32_t *lanes, size_t n) {
        chains_.take(lanes, n, [&](size_t i) { return message[lanes[i]]->hash_chain; });
        for (size_t i = 0; i < n; i++) {
            message[lanes[i]]->hash_from = message[lanes[i]]->hash_chain;
            left[lanes[i]] = 0;
        }
    }

    bool aad(uint32_t lane) {
        Message &m = *message[lane];
        const uint8_t *const aad = static_cast<const uint8_t *>(m.job->aad) + m.aad_hashed;
        const size_t left = m.job->aad_len - m.aad_hashed, whole = left & ~(unit_ - 1);
        const size_t padded = (left + 15) & ~size_t(15), text = size_t(m.body_bytes);
        if (!m.aad_hashed && padded + text + 2 * unit_ <= WHOLE_MESSAGE) {
            uint8_t *const to = memory_->scratch_of(lane, WHOLE_MESSAGE + PAD_SLACK);
            if (left) put_zeros(to + padded - 16);
            copy_few(to, aad, left);
            m.body->read(0, to + padded, text);
            m.hashed = text;
            m.stage = Stage::done;
            return begin(lane, to, padded + put_end(to + padded, text, m));
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
    // Assembles the rest of the text, with padding and lengths.
    bool end(uint32_t lane) {
        Message &m = *message[lane];
        uint8_t *const to = memory_->scratch_of(lane, WHOLE_MESSAGE + PAD_SLACK);
        const size_t rest = size_t(m.body_bytes - m.hashed);
        m.body->read(m.hashed, to, rest);
        m.hashed += rest;
        m.stage = Stage::done;
        return begin(lane, to, put_end(to, rest, m));
    }
    static size_t put_end(uint8_t *to, size_t used, const Message &m) {
        const size_t whole = used ? fill_with_zeros(to, used) : 0;
        put_words(to + whole, m.job->aad_len, m.job->in_len);
        return whole + 16;
    }

    const size_t unit_, step_, key_bytes_;
    LaneKeys keys_;
};

// Returns the bytes of a MAC that are still to be hashed.
uint64_t bytes_left(const Suite &suite, const Message &m) {
    const uint64_t head = m.stage == Stage::aad ? suite.row.head_bytes(m.job->aad_len) : 0;
    return hashed_bytes(suite, head + m.body_bytes - m.hashed);
}

// Runs messages on a kernel that is given, or on those that are selected for what `left` returns for each, if that is
// not 0.
template <typename Left>
void pass(const Class &c, Message **list, size_t n, const Variant *only, Left left) {
    const Suite &suite = *c.suite;
    Need need = {&suite.hashes, 0, 0, 0};
    need.whole_only = true;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t its = left(*list[i]);
        if (!its) continue;
        sum += its;
        need.most = std::max(need.most, its);
        std::swap(list[need.messages++], list[i]);
    }
    need.bytes = need.messages ? sum / need.messages : 0;
    while (need.messages) {
        Lineup lineup = {only, need.messages};
        if (!only) lineup = line_up(suite, need);
        const InSlot<MacStep> mac(c.memory->lanes.step, c, *lineup.variant);
        execute(*suite.engine, *lineup.variant, &c.memory->lanes, &*mac, list, lineup.messages);
        list += lineup.messages;
        need.messages -= lineup.messages;
    }
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

void begin_mac(Message *m) {
    m->stage = Stage::aad;
    m->hashed = m->aad_hashed = 0;
    m->boundary = 0;
    m->whole = m->to_end = false;
}

void run_bodies(const Class &c, Message **list, size_t n, const Variant &v) {
    pass(c, list, n, &v, [&](const Message &m) {
        const uint64_t left = m.failed || m.stage != Stage::body ? 0 : body_left(m);
        return left < v.step ? 0 : left;
    });
}

Ranking rank_macs(const Class &c) {
    const Suite &suite = *c.suite;
    const uint64_t bytes = bytes_left(suite, c.messages[0]);
    return rank(suite, {&suite.hashes, c.n, bytes, bytes});
}

void finish_macs(const Class &c) {
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.hash_stop = m.body_bytes;
        m.to_end = true;
        c.memory->list[i] = &m;
    }
    pass(c, c.memory->list, c.n, nullptr,
         [&](const Message &m) { return m.failed || m.stage == Stage::done ? 0 : bytes_left(*c.suite, m); });
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
