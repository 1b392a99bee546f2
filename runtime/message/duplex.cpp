// AEADs of one state, whose text changes the state that enciphers it (kind `duplex` of core/kinds.py): a step makes the
// state from key and nonce, kernels absorb the AAD and encipher the text, block by block in lanes, and a step makes the
// tag of the state.
#include "duplex.hpp"

#include <algorithm>

#include "../executors/lane_state.hpp"
#include "../executors/lanes.hpp"
#include "../executors/state_steps.hpp"
#include "../suite/secret.hpp"

namespace cst {
namespace {

// Bytes of a frame behind its two blocks: words of ones at the text's first block, and at the message's last.
constexpr size_t MARK = 8, MARKS = 2 * MARK;

constexpr uint64_t ABSORBED = ~uint64_t(0);  // DuplexMessage::aad_at: no block of AAD is left

struct DuplexMessage {
    cst_job *job;
    Buffer in, out;
    uint64_t aad_at, at;  // bytes of AAD and text that are in frames
    uint64_t frames;  // that are left
    uint64_t lengths[2];
    alignas(16) uint8_t state[MOST_STATE];
};

// Returns how many blocks `bytes` bytes of AAD or text are. Where a byte follows them (domain), the last block has room
// for it, but there is no block of an empty AAD.
uint64_t aad_blocks(const AlgorithmRecord &duplex, uint64_t bytes) {
    if (!bytes) return 0;
    return duplex.domain ? bytes / duplex.block_bytes + 1 : (bytes + duplex.block_bytes - 1) / duplex.block_bytes;
}
uint64_t text_blocks(const AlgorithmRecord &duplex, uint64_t bytes) {
    return duplex.domain ? bytes / duplex.block_bytes + 1 : aad_blocks(duplex, bytes);
}
uint64_t blocks_of(const AlgorithmRecord &duplex, uint64_t aad, uint64_t text) {
    return aad_blocks(duplex, aad) + text_blocks(duplex, text);
}

class DuplexLanes : public TextLanes {
public:
    DuplexLanes(const AlgorithmRecord &duplex, bool opens, const Variant &v, LaneMemory *memory)
        : TextLanes(v, memory),
          chains_(v.cipher, state_),
          block_(duplex.block_bytes),
          frame_(duplex.input_bytes),
          most_frames_(std::max<size_t>(1, std::min(SCRATCH_BYTES, FRAMES_OF_ALL / v.lanes) / frame_)),
          domain_(uint8_t(duplex.domain)),
          opens_(opens) {}

    DuplexMessage *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return message[lanes[i]]->state; });
        for (size_t i = 0; i < n; i++) put_frames(lanes[i]);
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t ends[MAX_LANES];
        size_t n_ends = 0;
        for (size_t i = 0; i < n; i++) {
            give_text(lanes[i]);
            if (message[lanes[i]]->frames) {
                put_frames(lanes[i]);
            } else {
                left[lanes[i]] = 0;
                ends[n_ends++] = lanes[i];
            }
        }
        chains_.take(ends, n_ends, [&](size_t i) { return message[ends[i]]->state; });
    }

private:
    // Bytes of the frames of all lanes: half of a first-level cache, which has at least 32 KiB.
    static constexpr size_t FRAMES_OF_ALL = 16384;

    // Completes a frame that holds `used` bytes of a block; of these `ciphertext` are to be deciphered.
    void end_frame(uint8_t *frame, size_t used, size_t ciphertext, uint64_t first, uint64_t last) const {
        memset(frame + used, 0, block_ - used);
        if (used < block_) frame[used] = domain_;
        uint8_t *const mask = frame + block_, *const marks = mask + block_;
        memset(mask, 0xff, ciphertext);
        memset(mask + ciphertext, 0, block_ - ciphertext);
        memcpy(marks, &first, MARK);
        memcpy(marks + MARK, &last, MARK);
    }
    // Writes as many frames as there is room for, from which the kernel is to read, and to which it is to write.
    void put_frames(uint32_t lane) {
        DuplexMessage *const m = message[lane];
        const cst_job &job = *m->job;
        const size_t n = size_t(std::min<uint64_t>(m->frames, most_frames_));
        uint8_t *const frames = memory_->scratch_of(lane, n * frame_), *frame = frames;
        uint8_t *const end = frames + n * frame_;
        constexpr uint64_t NONE = 0, ONES = ~NONE;
        for (; frame < end && m->aad_at != ABSORBED; frame += frame_) {
            const size_t some = size_t(std::min<uint64_t>(job.aad_len - m->aad_at, block_));
            memcpy(frame, static_cast<const uint8_t *>(job.aad) + m->aad_at, some);
            end_frame(frame, some, 0, NONE, NONE);
            m->aad_at += some;
            if (some < block_ || (m->aad_at == job.aad_len && !domain_)) m->aad_at = ABSORBED;
            m->frames--;
        }
        text_[lane] = frame;
        text_at_[lane] = m->at;
        for (; frame < end; frame += frame_) {
            const size_t some = size_t(std::min<uint64_t>(job.in_len - m->at, block_));
            m->in.read(m->at, frame, some);
            m->frames--;
            end_frame(frame, some, opens_ ? some : 0, m->at ? NONE : ONES, m->frames ? NONE : ONES);
            m->at += some;
        }
        left[lane] = n * frame_ >> log2_;
        point(lane, in_[lane] = frames, out_[lane] = frames);
    }
    // Copies what the kernel has made of the text in the frames.
    void give_text(uint32_t lane) const {
        DuplexMessage *const m = message[lane];
        const uint8_t *frame = text_[lane];
        for (uint64_t at = text_at_[lane]; at < m->at; frame += frame_) {
            const size_t some = size_t(std::min<uint64_t>(m->at - at, block_));
            m->out.write(at, frame, some);
            at += some;
        }
    }

    const Chains chains_;
    const size_t block_, frame_, most_frames_;
    const uint8_t domain_;
    const bool opens_;
    const uint8_t *text_[MAX_LANES];  // the first frame of text in the lane's bounce buffer,
    uint64_t text_at_[MAX_LANES];  // and where that text begins
};

struct DuplexMessages {
    DuplexMessage messages[MOST_MESSAGES], *list[MOST_MESSAGES];
};

Need need_of(const Suite &suite, size_t n, uint64_t blocks, uint64_t most) {
    const uint64_t frame = suite.encrypt->record.input_bytes;
    Need need = {&suite.encrypts, n, blocks / n * frame, most * frame};
    need.grain = frame;
    return need;
}

void run_text(const Suite &suite, Memory *memory, bool opens, DuplexMessage **list, size_t n) {
    const auto before = [](const DuplexMessage *a, const DuplexMessage *b) { return a->frames > b->frames; };
    std::sort(list, list + n, before);
    while (n && !list[n - 1]->frames) n--;
    const auto need_of_rest = [&](DuplexMessage *const *rest, size_t some) {
        uint64_t blocks = 0;
        for (size_t i = 0; i < some; i++) blocks += rest[i]->frames;
        return need_of(suite, some, blocks, rest[0]->frames);
    };
    run_selected<DuplexLanes>(suite, &memory->lanes, list, n, need_of_rest, suite.encrypt->record, opens);
}

}  // namespace

bool run_duplex(Memory *memory, cst_job *const *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    const AlgorithmRecord &duplex = suite.encrypt->record;
    const bool opens = jobs[0]->direction == CST_OPEN;
    const InSlot<DuplexMessages> its(memory->work);
    DuplexMessage *const messages = its->messages;
    for (size_t i = 0; i < n; i++) {
        cst_job &job = *jobs[i];
        DuplexMessage &m = messages[i];
        m.job = &job;
        m.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        m.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        m.aad_at = job.aad_len ? 0 : ABSORBED;
        m.at = 0;
        m.frames = blocks_of(duplex, job.aad_len, job.in_len);
        m.lengths[0] = job.aad_len;
        m.lengths[1] = job.in_len;
        its->list[i] = &m;
    }
    uint8_t initial[MOST_FRAMED_CHAIN];
    hash_initial(duplex, initial);
    run_state_steps(suite, suite.starts, suite.start->record, memory, n, [&](size_t i) {
        const cst_job &job = *jobs[i];
        return StateStep{initial, messages[i].state, *key_of(job).encrypt(), job.iv, job.iv_len};
    });
    run_text(suite, memory, opens, its->list, n);
    run_state_steps(suite, suite.hashes, suite.hash->record, memory, n, [&](size_t i) {
        DuplexMessage &m = messages[i];
        return StateStep{m.state, m.state, *key_of(*jobs[i]).encrypt(), m.lengths, sizeof(m.lengths)};
    });
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        cst_job *const job = jobs[i];
        uint8_t *const tag = messages[i].state;
        if (!opens) memcpy(job->tag, tag, job->tag_len);
        if (!opens || same_bytes(tag, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
            text_done(job);
        } else {
            refuse_unopened(job);
            all = false;
        }
        wipe(messages[i].state, duplex.chain_bytes());
    }
    return all;
}

Ranking rank_duplex(const Suite &suite, size_t messages, uint64_t aad, uint64_t text) {
    const uint64_t blocks = std::max<uint64_t>(1, blocks_of(suite.encrypt->record, aad, text));
    return rank(suite, need_of(suite, messages, blocks * messages, blocks));
}

}  // namespace cst
