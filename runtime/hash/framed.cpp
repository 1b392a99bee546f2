#include "framed_list.hpp"

#include <algorithm>

#include "../suite/frame.hpp"
#include "../suite/secret.hpp"
#include "../executors/lane_state.hpp"
#include "../executors/lanes.hpp"
#include "../executors/state_steps.hpp"

namespace cst {
namespace {

size_t held_bytes(const AlgorithmRecord &hash, uint64_t bytes) {
    const size_t rest = size_t(bytes % hash.block_bytes);
    return rest || !bytes || always_pads(hash) ? rest : hash.block_bytes;  // a last block may be full
}

// Writes or compares the next output bytes, which are in `chain`.
void give(const AlgorithmRecord &hash, Framed *m, const uint8_t *chain) {
    const size_t some = std::min(m->tag_len - m->given, output_bytes(hash));
    if (m->compares) m->right &= same_bytes(chain, m->tag + m->given, some) != 0;
    else memcpy(m->tag + m->given, chain, some);
    m->given += some;
}

// Returns the bytes of the text from `at` on that lie together, and their number.
const uint8_t *together(Framed *m, uint64_t *n) {
    *n = m->bytes - m->at;
    if (m->at < m->in_bytes) {
        *n = std::min({*n, m->in.together(m->at), m->in_bytes - m->at});
        return m->in.at(m->at);
    }
    return m->behind + (m->at - m->in_bytes);
}

// Calls each(data, bytes) for the next n bytes of the text, as they lie, and passes over them.
template <typename Each>
void take_text(Framed *m, uint64_t n, Each each) {
    while (n) {
        uint64_t some;
        const uint8_t *const data = together(m, &some);
        some = std::min(some, n);
        each(data, size_t(some));
        m->at += some;
        n -= some;
    }
}

void read_text(Framed *m, uint8_t *to, size_t n) {
    if (m->at + n > m->in_bytes)
        return take_text(m, n, [&](const uint8_t *data, size_t some) {
            memcpy(to, data, some);
            to += some;
        });
    m->in.read(m->at, to, n);
    m->at += n;
}

// Keeps the rest of a part for the next part, after the `held` bytes that are kept already.
void put_aside(const AlgorithmRecord &hash, Framed *m) {
    uint8_t *to = m->state->chain + m->held;
    m->state->bytes += m->bytes - m->first;
    if (hash.padding != PADDING_SPONGE) to += hash.chain_bytes();
    take_text(m, m->bytes - m->at, [&](const uint8_t *data, size_t some) {
        if (hash.padding == PADDING_SPONGE)
            for (size_t i = 0; i < some; i++) to[i] ^= data[i];
        else memcpy(to, data, some);
        to += some;
    });
}

class FramedStep : public HashLanes {
public:
    FramedStep(const Suite &suite, const Variant &v, LaneMemory *memory)
        : HashLanes(suite.hash->record, v, memory),
          hmac_(suite.hmac()),
          keeps_(suite.finish),
          unit_(hash_.block_bytes),
          frame_(hash_.input_bytes),
          most_frames_(std::max<size_t>(1, std::min(SCRATCH_BYTES - FRAMES, FRAMES_OF_ALL / v.lanes) / frame_)),
          in_words_(always_pads(hash_) && unit_ % 8 == 0 && frame_ % 16 == 0) {}

    Framed *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return message[lanes[i]]->from; });
        for (size_t i = 0; i < n; i++) go_on(lanes[i]);
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t ends[MAX_LANES];
        size_t n_ends = 0;
        for (size_t i = 0; i < n; i++) {
            const FramedProgress progress = message[lanes[i]]->progress;
            if (progress != FramedProgress::absorb && progress != FramedProgress::done) ends[n_ends++] = lanes[i];
        }
        take_chains(ends, n_ends);
        for (size_t i = 0; i < n; i++) go_on(lanes[i]);
    }

private:
    // Layout of a lane's bounce buffer: a chaining value; at FRAMES the padded blocks.
    static constexpr size_t FRAMES = MOST_FRAME;
    // Bytes of the frames of all lanes: half of a first-level cache, which has at least 32 KiB.
    static constexpr size_t FRAMES_OF_ALL = 16384;
    static_assert(MOST_FRAMED_CHAIN <= FRAMES && 2 * FRAMES <= SCRATCH_BYTES);

    // Copies the lanes' chaining values to their bounce buffers.
    void take_chains(const uint32_t *lanes, size_t n) {
        chains_.take(lanes, n, [&](size_t i) { return memory_->scratch_of(lanes[i], FRAMES); });
    }
    void go_on(uint32_t lane) {
        Framed *const m = message[lane];
        for (;;) {
            switch (m->progress) {
                case FramedProgress::absorb:
                    if (const size_t n = put_frames(lane, m)) return void(begin(lane, frames(lane, n), n * frame_));
                    break;
                case FramedProgress::outer: return begin_second(lane, m);
                case FramedProgress::squeeze:
                    give(hash_, m, scratch(lane));
                    m->progress = m->given < m->tag_len ? FramedProgress::more : FramedProgress::done;
                    break;
                case FramedProgress::more: {
                    static const uint8_t zeros[MOST_FRAME] = {};
                    m->progress = FramedProgress::squeeze;
                    return void(begin(lane, zeros, frame_));
                }
                case FramedProgress::keep:
                    memcpy(m->kept, scratch(lane), hash_.chain_bytes());
                    m->progress = FramedProgress::done;
                    break;
                case FramedProgress::done:
                    left[lane] = 0;
                    if (m->ends && m->state) wipe(m->state, sizeof(*m->state));
                    if (m->ends) return;
                    take_chains(&lane, 1);
                    memcpy(m->state->chain, scratch(lane), hash_.chain_bytes());
                    return put_aside(hash_, m);
            }
        }
    }
    uint8_t *frames(uint32_t lane, size_t n) { return memory_->scratch_of(lane, FRAMES + n * frame_) + FRAMES; }
    void put_whole_frame(uint8_t *to, const uint8_t *from) const {
        constexpr size_t word = sizeof(uint64_t), row = 2 * word;
        size_t at = 0;
        for (; at + row <= unit_; at += row) memcpy(to + at, from + at, row);
        if (at < unit_) put_words(to + at, load64(from + at), 0), at += row;
        for (; at < frame_; at += row) put_zeros(to + at);
    }
    // Writes whole blocks that lie together as frames, which have zeros behind them. Returns their number, at most as
    // many as there is room for.
    size_t put_whole_frames(uint8_t *to, Framed *m) {
        if (m->at == m->bytes) return 0;
        uint64_t some;
        const uint8_t *from = together(m, &some);
        const size_t n = size_t(std::min<uint64_t>(some / unit_, most_frames_));
        for (size_t i = 0; i < n; i++) put_whole_frame(to + i * frame_, from + i * unit_);
        m->at += n * unit_;
        return n;
    }
    // Assembles as many padded blocks as there is room for. Bytes that do not fill a block, and are not the end, stay.
    size_t put_frames(uint32_t lane, Framed *m) {
        uint8_t *const to = frames(lane, 0);
        size_t n = in_words_ && !m->held ? put_whole_frames(to, m) : 0;
        for (; n < most_frames_ && m->progress == FramedProgress::absorb; n++) {
            const uint64_t rest = m->bytes - m->at;
            const size_t room = unit_ - m->held;
            const bool fills = fills_frame(hash_, rest, room);
            if (!fills && !m->ends) {
                m->progress = FramedProgress::done;
                break;
            }
            uint8_t *const frame = to + n * frame_;
            if (m->waiting) memcpy(frame, m->waiting, m->held);
            else memset(frame, 0, m->held);
            const size_t some = fills ? room : size_t(rest);
            read_text(m, frame + m->held, some);
            m->lengths[1] = m->before + (m->at - m->first);
            end_frame(hash_, frame, m->held + some, m->lengths[1], !fills, m->domain);
            m->held = 0;
            if (!fills)
                m->progress = hmac_ ? FramedProgress::outer : keeps_ ? FramedProgress::keep : FramedProgress::squeeze;
        }
        return n;
    }
    // RFC 2104: begins the outer hash, of the key's outer block and the digest.
    void begin_second(uint32_t lane, Framed *m) {
        uint8_t *const frame = frames(lane, 1);
        memcpy(frame, scratch(lane), hash_.digest_bytes);
        end_frame(hash_, frame, hash_.digest_bytes, unit_ + hash_.digest_bytes, true, m->domain);
        chains_.put(&lane, 1, [&](size_t) { return m->key->outer(); });
        m->progress = FramedProgress::squeeze;
        begin(lane, frame, frame_);
    }

    const bool hmac_, keeps_;
    const size_t unit_, frame_, most_frames_;
    const bool in_words_;  // blocks that need no count, and their frames, are whole words and pairs of words
};

// Returns the number of compressions.
uint64_t absorbed_blocks(const AlgorithmRecord &hash, uint64_t bytes, bool ends) {
    const uint64_t whole = bytes / hash.block_bytes, rest = bytes % hash.block_bytes;
    if (always_pads(hash)) return whole + ends;
    return ends ? whole + (rest || !whole) : whole - (whole && !rest);
}
Need need_of(const Suite &suite, size_t n, uint64_t blocks, uint64_t most) {
    const uint64_t frame = suite.hash->record.input_bytes;
    Need need = {&suite.hashes, n, blocks / n * frame, most * frame};
    need.whole_only = true;
    return need;
}

}  // namespace

uint64_t all_blocks(const Suite &suite, uint64_t bytes, uint64_t output) {
    const AlgorithmRecord &hash = suite.hash->record;
    return absorbed_blocks(hash, bytes, true) + suite.hmac() + (output ? (output - 1) / output_bytes(hash) : 0);
}

void run_list(const Suite &suite, Memory *memory, Framed **list, size_t n) {
    const auto before = [](const Framed *a, const Framed *b) { return a->blocks > b->blocks; };
    if (!std::is_sorted(list, list + n, before)) std::sort(list, list + n, before);
    const auto need_of_rest = [&](Framed *const *rest, size_t some) {
        uint64_t blocks = 0;
        for (size_t i = 0; i < some; i++) blocks += rest[i]->blocks;
        return need_of(suite, some, blocks, rest[0]->blocks);
    };
    run_selected<FramedStep>(suite, &memory->lanes, list, n, need_of_rest, suite);
}

void begin_framed(const Suite &suite, const Key *key, Framed *m) {
    *m = {};
    m->key = key;
    m->before = suite.hmac() ? suite.hash->record.block_bytes : 0;
    m->from = key->inner();
    m->domain = suite.hash->record.domain;
    m->ends = m->right = true;
    m->progress = FramedProgress::absorb;
}

void count_blocks(const Suite &suite, Framed *m) { m->blocks = all_blocks(suite, m->bytes - m->at, m->tag_len); }

bool go_on_with(const Suite &suite, FramedState *state, bool ends, Framed *m) {
    const AlgorithmRecord &hash = suite.hash->record;
    m->state = state;
    m->from = state->chain;
    m->before += state->bytes;
    m->held = held_bytes(hash, state->bytes);
    if (hash.padding != PADDING_SPONGE) m->waiting = state->chain + hash.chain_bytes();
    m->ends = ends;
    const uint64_t bytes = m->held + (m->bytes - m->at);
    m->blocks = ends ? all_blocks(suite, bytes, m->tag_len) : absorbed_blocks(hash, bytes, false);
    if (!m->blocks) put_aside(hash, m);
    return m->blocks;
}

Ranking rank_blocks(const Suite &suite, size_t messages, uint64_t blocks, uint64_t most) {
    return rank(suite, need_of(suite, messages, blocks, most));
}

namespace {

struct FramedMessages {
    Framed messages[MOST_MESSAGES], *list[MOST_MESSAGES];
    uint8_t kept[MOST_MESSAGES][MOST_STATE];
};

// Ends the messages of the list whose last part has been hashed, by the suite's step, and writes or compares their
// tags. Puts these in front of the list.
void finish_messages(const Suite &suite, Memory *memory, Framed **list, size_t n) {
    const AlgorithmRecord &hash = suite.hash->record;
    n = size_t(std::partition(list, list + n, [](const Framed *m) { return m->ends; }) - list);
    run_state_steps(suite, suite.finishes, suite.finish->record, memory, n, [&](size_t i) {
        const Framed &m = *list[i];
        return StateStep{m.kept, m.kept, *m.key->mac(), m.lengths, sizeof(m.lengths)};
    });
    for (size_t i = 0; i < n; i++) {
        give(hash, list[i], list[i]->kept);
        wipe(list[i]->kept, hash.chain_bytes());
    }
}

}  // namespace

bool run_framed(Memory *memory, cst_job *const *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    const InSlot<FramedMessages> its(memory->work);
    Framed *const messages = its->messages, **const list = its->list;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        Framed *const m = list[i] = &messages[i];
        begin_framed(suite, &key_of(job), m);
        m->kept = its->kept[i];
        Buffer in;
        in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        set_text(m, in, 0, job.in_len);
        set_output(m, static_cast<uint8_t *>(job.tag), job.tag_len, job.direction == CST_OPEN);
        count_blocks(suite, m);
    }
    run_list(suite, memory, list, n);
    if (suite.finish) finish_messages(suite, memory, list, n);
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        jobs[i]->out_len = 0;
        jobs[i]->status = CST_OK;
        if (messages[i].right) continue;
        refuse_unopened(jobs[i]);
        all = false;
    }
    return all;
}

namespace {

// Does what a part needs without a kernel. Returns false if that was all.
bool begin_part(const cst_part &part, Framed *m) {
    const Key *const key = reinterpret_cast<const Key *>(part.key);
    const Suite &suite = *key->suite;
    FramedState *const s = static_cast<FramedState *>(part.state);
    begin_framed(suite, key, m);
    if (!s->key) {
        s->key = part.key;
        memcpy(s->chain, key->inner(), suite.hash->record.chain_bytes());
    }
    Buffer in;
    in.set(part.in, part.in_len, nullptr, 0);
    set_text(m, in, 0, part.in_len);
    set_output(m, static_cast<uint8_t *>(part.tag), part.tag_len, false);
    return go_on_with(suite, s, part.last != 0, m);
}

}  // namespace

void run_framed_parts(Memory *memory, const cst_part *const *parts, size_t n) {
    const InSlot<FramedMessages> its(memory->work);
    Framed *const messages = its->messages, **const list = its->list;
    size_t working = 0;
    for (size_t i = 0; i < n; i++)
        if (begin_part(*parts[i], &messages[working])) {
            messages[working].kept = its->kept[working];
            list[working] = &messages[working];
            working++;
        }
    std::sort(list, list + working, [](const Framed *a, const Framed *b) { return a->key->suite < b->key->suite; });
    for (size_t from = 0, to; from < working; from = to) {
        const Suite &suite = *list[from]->key->suite;
        for (to = from + 1; to < working && list[to]->key->suite == &suite;) to++;
        run_list(suite, memory, list + from, to - from);
        if (suite.finish) finish_messages(suite, memory, list + from, to - from);
    }
}

Ranking rank_framed(const Suite &suite, size_t messages, uint64_t bytes) {
    const uint64_t blocks = all_blocks(suite, bytes, suite.tag_max);
    return rank_blocks(suite, messages, blocks * messages, blocks);
}

}  // namespace cst
