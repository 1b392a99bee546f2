#include "framed.hpp"

#include <algorithm>

#include "../suite/frame.hpp"
#include "../suite/secret.hpp"
#include "lane_state.hpp"
#include "lanes.hpp"

namespace cst {
namespace {

enum class Progress : uint8_t {
    absorb,  // padded blocks of the message
    outer,  // HMAC's outer hash
    squeeze,  // the chaining value is output
    more,  // the next chaining value is output, too
    done
};

// A message, or a part of one.
struct Framed {
    const Key *key;
    Buffer in;
    uint64_t bytes, at;  // length of `in`; how much of it is in padded blocks
    uint64_t before;  // bytes of the message in front of `in`, with HMAC's key block
    size_t held;  // bytes of a block, in front of `in`
    const uint8_t *from;  // initial chaining value
    const uint8_t *waiting;  // the held bytes; NULL: they are in the chaining value
    FramedState *state;  // of a part; NULL: this is a whole message
    bool ends;
    uint8_t *tag;  // only read if it is compared
    size_t tag_len, given;
    bool compares, right;
    Progress progress;
    uint64_t blocks;  // number of blocks for a kernel
};

size_t held_bytes(const AlgorithmRecord &hash, uint64_t bytes) {
    const size_t rest = size_t(bytes % hash.block_bytes);
    return rest || !bytes || hash.padding == PADDING_SPONGE ? rest : hash.block_bytes;  // a last block may be full
}

// Writes or compares the next output bytes, which are in `chain`.
void give(const AlgorithmRecord &hash, Framed *m, const uint8_t *chain) {
    const size_t some = std::min(m->tag_len - m->given, output_bytes(hash));
    if (m->compares) m->right &= same_bytes(chain, m->tag + m->given, some) != 0;
    else memcpy(m->tag + m->given, chain, some);
    m->given += some;
}

// Keeps the rest of a part for the next part, after the `held` bytes that are kept already.
void put_aside(const AlgorithmRecord &hash, Framed *m) {
    uint8_t *const to = m->state->chain;
    const size_t rest = size_t(m->bytes - m->at);
    const uint8_t *const from = rest ? m->in.at(m->at) : nullptr;
    if (hash.padding == PADDING_SPONGE)
        for (size_t i = 0; i < rest; i++) to[m->held + i] ^= from[i];
    else if (rest) memcpy(to + hash.chain_bytes() + m->held, from, rest);
    m->state->bytes += m->bytes;
}

class FramedStep : public HashLanes {
public:
    FramedStep(const Suite &suite, const Variant &v, LaneMemory *memory)
        : HashLanes(suite.hash->record, v, memory),
          hmac_(suite.hmac()),
          unit_(hash_.block_bytes),
          frame_(hash_.input_bytes),
          most_frames_((SCRATCH_BYTES - FRAMES) / frame_) {}

    Framed *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return message[lanes[i]]->from; });
        for (size_t i = 0; i < n; i++) go_on(lanes[i]);
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t ends[MAX_LANES];
        size_t n_ends = 0;
        for (size_t i = 0; i < n; i++) {
            const Progress progress = message[lanes[i]]->progress;
            if (progress == Progress::outer || progress == Progress::squeeze) ends[n_ends++] = lanes[i];
        }
        take_chains(ends, n_ends);
        for (size_t i = 0; i < n; i++) go_on(lanes[i]);
    }

private:
    // Layout of a lane's bounce buffer: a chaining value; at FRAMES the padded blocks.
    static constexpr size_t FRAMES = MOST_FRAME;
    static_assert(MOST_FRAMED_CHAIN <= FRAMES && 2 * FRAMES <= SCRATCH_BYTES);

    // Copies the lanes' chaining values to their bounce buffers.
    void take_chains(const uint32_t *lanes, size_t n) {
        chains_.take(lanes, n, [&](size_t i) { return memory_->scratch_of(lanes[i], FRAMES); });
    }
    void go_on(uint32_t lane) {
        Framed *const m = message[lane];
        for (;;) {
            switch (m->progress) {
                case Progress::absorb:
                    if (const size_t n = put_frames(lane, m)) return void(begin(lane, frames(lane, n), n * frame_));
                    break;
                case Progress::outer: return begin_second(lane, m);
                case Progress::squeeze:
                    give(hash_, m, scratch(lane));
                    m->progress = m->given < m->tag_len ? Progress::more : Progress::done;
                    break;
                case Progress::more: {
                    static const uint8_t zeros[MOST_FRAME] = {};
                    m->progress = Progress::squeeze;
                    return void(begin(lane, zeros, frame_));
                }
                case Progress::done:
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
    // Assembles as many padded blocks as there is room for. Bytes that do not fill a block, and are not the end, stay.
    size_t put_frames(uint32_t lane, Framed *m) {
        uint8_t *const to = frames(lane, 0);
        size_t n = 0;
        for (; n < most_frames_ && m->progress == Progress::absorb; n++) {
            const uint64_t rest = m->bytes - m->at;
            const size_t room = unit_ - m->held;
            const bool fills = fills_frame(hash_, rest, room);
            if (!fills && !m->ends) {
                m->progress = Progress::done;
                break;
            }
            uint8_t *const frame = to + n * frame_;
            if (m->waiting) memcpy(frame, m->waiting, m->held);
            else memset(frame, 0, m->held);
            const size_t some = fills ? room : size_t(rest);
            m->in.read(m->at, frame + m->held, some);
            m->at += some;
            end_frame(hash_, frame, m->held + some, m->before + m->at, !fills);
            m->held = 0;
            if (!fills) m->progress = hmac_ ? Progress::outer : Progress::squeeze;
        }
        return n;
    }
    // RFC 2104: begins the outer hash, of the key's outer block and the digest.
    void begin_second(uint32_t lane, Framed *m) {
        uint8_t *const frame = frames(lane, 1);
        memcpy(frame, scratch(lane), hash_.digest_bytes);
        end_frame(hash_, frame, hash_.digest_bytes, unit_ + hash_.digest_bytes, true);
        chains_.put(&lane, 1, [&](size_t) { return m->key->outer(); });
        m->progress = Progress::squeeze;
        begin(lane, frame, frame_);
    }

    const bool hmac_;
    const size_t unit_, frame_, most_frames_;
};

// Returns the number of compressions.
uint64_t absorbed_blocks(const AlgorithmRecord &hash, uint64_t bytes, bool ends) {
    const uint64_t whole = bytes / hash.block_bytes, rest = bytes % hash.block_bytes;
    if (hash.padding == PADDING_SPONGE) return whole + ends;
    return ends ? whole + (rest || !whole) : whole - (whole && !rest);
}
uint64_t all_blocks(const Suite &suite, uint64_t bytes, uint64_t output) {
    const AlgorithmRecord &hash = suite.hash->record;
    return absorbed_blocks(hash, bytes, true) + suite.hmac() + (output ? (output - 1) / output_bytes(hash) : 0);
}

Need need_of(const Suite &suite, size_t n, uint64_t blocks, uint64_t most) {
    const uint64_t frame = suite.hash->record.input_bytes;
    Need need = {&suite.hashes, n, blocks / n * frame, most * frame};
    need.whole_only = true;
    return need;
}

// Runs messages of one suite, each of which has something to do for a kernel.
void run_list(const Suite &suite, Memory *memory, Framed **list, size_t n) {
    const auto before = [](const Framed *a, const Framed *b) { return a->blocks > b->blocks; };
    if (!std::is_sorted(list, list + n, before)) std::sort(list, list + n, before);
    while (n) {
        uint64_t blocks = 0;
        for (size_t i = 0; i < n; i++) blocks += list[i]->blocks;
        const Lineup lineup = line_up(suite, need_of(suite, n, blocks, list[0]->blocks));
        FramedStep step(suite, *lineup.variant, &memory->lanes);
        execute(*suite.engine, *lineup.variant, &memory->lanes, &step, list, lineup.messages);
        list += lineup.messages;
        n -= lineup.messages;
    }
}

// Sets up a message whose input is not read yet.
void begin_framed(const Suite &suite, const Key *key, Framed *m) {
    *m = {};
    m->key = key;
    m->before = suite.hmac() ? suite.hash->record.block_bytes : 0;
    m->from = key->inner();
    m->ends = m->right = true;
    m->progress = Progress::absorb;
}

// Does what a part needs without a kernel. Returns false if that was all.
bool begin_part(const cst_part &part, Framed *m) {
    const Key *const key = reinterpret_cast<const Key *>(part.key);
    const Suite &suite = *key->suite;
    const AlgorithmRecord &hash = suite.hash->record;
    FramedState *const s = static_cast<FramedState *>(part.state);
    begin_framed(suite, key, m);
    if (!s->key) {
        s->key = part.key;
        memcpy(s->chain, key->inner(), hash.chain_bytes());
    }
    m->in.set(part.in, part.in_len, nullptr, 0);
    m->bytes = part.in_len;
    m->state = s;
    m->from = s->chain;
    m->before += s->bytes;
    m->held = held_bytes(hash, s->bytes);
    if (hash.padding != PADDING_SPONGE) m->waiting = s->chain + hash.chain_bytes();
    m->ends = part.tag != nullptr;
    m->tag = static_cast<uint8_t *>(part.tag);
    m->tag_len = part.tag_len;
    m->blocks =
        m->ends ? all_blocks(suite, m->held + m->bytes, m->tag_len) : absorbed_blocks(hash, m->held + m->bytes, false);
    if (!m->blocks) put_aside(hash, m);
    return m->blocks;
}

}  // namespace

bool run_framed(Memory *memory, cst_job *const *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    Framed messages[MOST_MESSAGES], *list[MOST_MESSAGES];
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        Framed *const m = list[i] = &messages[i];
        begin_framed(suite, &key_of(job), m);
        m->in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        m->bytes = job.in_len;
        m->tag = static_cast<uint8_t *>(job.tag);
        m->tag_len = job.tag_len;
        m->compares = job.direction == CST_OPEN;
        m->blocks = all_blocks(suite, job.in_len, job.tag_len);
    }
    run_list(suite, memory, list, n);
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

void run_framed_parts(Memory *memory, const cst_part *const *parts, size_t n) {
    Framed messages[MOST_MESSAGES], *list[MOST_MESSAGES];
    size_t working = 0;
    for (size_t i = 0; i < n; i++)
        if (begin_part(*parts[i], &messages[working])) list[working] = &messages[working], working++;
    std::sort(list, list + working, [](const Framed *a, const Framed *b) { return a->key->suite < b->key->suite; });
    for (size_t from = 0, to; from < working; from = to) {
        const Suite &suite = *list[from]->key->suite;
        for (to = from + 1; to < working && list[to]->key->suite == &suite;) to++;
        run_list(suite, memory, list + from, to - from);
    }
}

Ranking rank_framed(const Suite &suite, size_t messages, uint64_t bytes) {
    const uint64_t blocks = all_blocks(suite, bytes, suite.tag_max);
    return rank(suite, need_of(suite, messages, blocks * messages, blocks));
}

}  // namespace cst
