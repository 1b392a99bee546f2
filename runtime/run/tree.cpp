// BLAKE3 (J. O'Connor et al., "BLAKE3: one function, fast everywhere", 2020). A chunk is at most 1 KiB; the left
// subtree of a parent is the largest complete one that leaves something to the right (2.1). So both in a complete
// subtree and in what follows the complete ones of a message, pairs from the left become parents, level by level, and
// an odd node moves up unchanged.

#include "tree.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "lane_state.hpp"
#include "lanes.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 64, CHUNK = 1024, CHAIN = 32;
enum : uint32_t { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8 };  // table 3

// The start values that a kernel reads: templates/streams/blake3.j2.
struct Start {
    uint8_t chain[CHAIN];
    uint32_t number[2], bytes, flags, next_flags;
};
constexpr size_t BYTES_ROW = 10, FLAGS_ROW = 11;

// A chunk, or a parent of two chaining values.
struct Node {
    const uint8_t *data;  // where it is, if contiguous
    Buffer *scattered;  // the message, if it is in pieces; else NULL
    uint64_t at, bytes;  // position and length there
    uint64_t number;  // of the chunk
    uint32_t flags, first, last;  // for all its blocks; additional ones for the first and the last
    const uint8_t *key;
    uint8_t *to;  // receives its chaining value; may be where the node was read
};

class TreeStep : public HashLanes {
public:
    TreeStep(const AlgorithmRecord &hash, const Variant &v, LaneMemory *memory)
        : HashLanes(hash, v, memory), row_bytes_(v.hash.chain_row_bytes) {}

    Node *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        Start starts[MAX_LANES];
        for (size_t i = 0; i < n; i++) {
            const Node &m = *message[lanes[i]];
            memcpy(starts[i].chain, m.key, CHAIN);
            memcpy(starts[i].number, &m.number, sizeof(m.number));
            starts[i].bytes = BLOCK;
            starts[i].flags = m.flags | m.first;
            starts[i].next_flags = m.flags;
        }
        chains_.put(lanes, n, [&](size_t i) { return starts[i].chain; });
        for (size_t i = 0; i < n; i++) {
            done_[lanes[i]] = 0;
            ends_[lanes[i]] = false;
            go_on(lanes[i]);
        }
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t ends[MAX_LANES];
        size_t n_ends = 0;
        for (size_t i = 0; i < n; i++)
            if (!go_on(lanes[i])) ends[n_ends++] = lanes[i];
        take(ends, n_ends);
        for (size_t i = 0; i < n_ends; i++) memcpy(message[ends[i]]->to, scratch(ends[i]), CHAIN);
    }

private:
    // Begins the lane's next contiguous run. Returns false if its node is done.
    bool go_on(uint32_t lane) {
        const Node &m = *message[lane];
        const uint64_t done = done_[lane], rest = m.bytes - done;
        if (ends_[lane]) return left[lane] = 0, false;
        const bool last = rest <= BLOCK;
        if (last) {
            put_word(lane, BYTES_ROW, uint32_t(rest));
            put_word(lane, FLAGS_ROW, m.flags | m.last | (done ? 0 : m.first));
        }
        const uint64_t together = m.scattered && rest ? m.scattered->together(m.at + done) : rest,
                       whole = std::min(together, last ? rest : rest - 1) & ~uint64_t(BLOCK - 1);
        if (whole) {
            done_[lane] += whole;
            ends_[lane] = whole == rest;
            return begin(lane, m.scattered ? m.scattered->at(m.at + done) : m.data + done, whole);
        }
        const size_t some = size_t(std::min<uint64_t>(rest, BLOCK));
        uint8_t *const block = memory_->scratch_of(lane, READ + BLOCK) + READ;
        if (!m.scattered) copy_few(block, m.data + done, some);
        else if (some) m.scattered->read(m.at + done, block, some);
        memset(block + some, 0, BLOCK - some);
        done_[lane] += BLOCK;
        ends_[lane] = last;
        return begin(lane, block, BLOCK);
    }
    void put_word(uint32_t lane, size_t row, uint32_t word) const {
        memcpy(state_ + places_[lane].chain + row * row_bytes_, &word, sizeof(word));
    }

    const size_t row_bytes_;
    uint64_t done_[MAX_LANES];  // bytes of the node
    bool ends_[MAX_LANES];  // the call includes the last block
};

Need need_of(const Suite &suite, size_t n, uint64_t bytes, uint64_t most) {
    const auto filled = [](uint64_t its) { return std::max<uint64_t>(1, (its + BLOCK - 1) / BLOCK) * BLOCK; };
    Need need = {&suite.hashes, n, filled(bytes / n), filled(most)};
    need.whole_only = true;
    return need;
}

uint64_t chunks_of(uint64_t bytes) { return std::max<uint64_t>(1, (bytes + CHUNK - 1) / CHUNK); }

// Chunks of a message that become one chaining value.
struct Subtree {
    const uint8_t *data;  // as for Node: the message
    Buffer *scattered;
    const uint8_t *key;
    uint64_t at, bytes;  // position and length there; `at` is a multiple of a chunk
    bool root;  // this is the whole message
    uint8_t *chains;  // n chaining values, in the end one
    size_t n;
};

// Hashes the nodes of several subtrees together, level by level.
class Wave {
public:
    static constexpr size_t MOST_CHUNKS = 256;  // a power of two: all but the last subtree of a message are complete

    Wave(const Suite &suite, Memory *memory) : suite_(suite), memory_(memory) {}
    ~Wave() { wipe(chains_, CHAIN * most_used_); }
    Wave(const Wave &) = delete;
    Wave &operator=(const Wave &) = delete;

    bool has_room(uint64_t bytes) const { return n_ < MOST_MESSAGES && used_ + chunks_of(bytes) <= MOST_CHUNKS; }
    void add(const Subtree &subtree) {
        Subtree *const s = &subtrees_[n_++];
        *s = subtree;
        s->n = size_t(chunks_of(s->bytes));
        s->chains = chains_ + CHAIN * used_;
        used_ += s->n;
        most_used_ = std::max(most_used_, used_);
    }
    // give(chain) receives the chaining value of each subtree, in the order in which they were added.
    template <typename Give>
    void run(Give give) {
        size_t nodes = 0;
        for (Subtree *s = subtrees_; s < subtrees_ + n_; s++)
            for (size_t i = 0; i < s->n; i++) nodes_[nodes++] = chunk(*s, i);
        run_nodes(nodes);
        while ((nodes = put_parents())) {
            run_nodes(nodes);
            for (Subtree *s = subtrees_; s < subtrees_ + n_; s++) {
                // An odd node moves up; its place has been read already.
                if (s->n > 1 && s->n % 2) memcpy(s->chains + CHAIN * (s->n / 2), s->chains + CHAIN * (s->n - 1), CHAIN);
                s->n = (s->n + 1) / 2;
            }
        }
        for (const Subtree *s = subtrees_; s < subtrees_ + n_; s++) give(s->chains);
        n_ = used_ = 0;
    }
    // Replaces two chaining values by that of their parent, in the place of the first.
    void join(const uint8_t *key, uint8_t *two, bool root) {
        nodes_[0] = parent(two, key, root, two);
        run_nodes(1);
    }

private:
    static Node chunk(const Subtree &s, size_t i) {
        const uint64_t at = s.at + CHUNK * i;
        return {s.scattered ? nullptr : s.data + at,
                s.scattered,
                at,
                std::min<uint64_t>(CHUNK, s.at + s.bytes - at),
                at / CHUNK,
                0,
                CHUNK_START,
                s.root && s.n == 1 ? CHUNK_END | ROOT : CHUNK_END,
                s.key,
                s.chains + CHAIN * i};
    }
    static Node parent(const uint8_t *two, const uint8_t *key, bool root, uint8_t *to) {
        return {two, nullptr, 0, BLOCK, 0, PARENT, 0, root ? uint32_t(ROOT) : 0, key, to};
    }
    // Makes the parents of all pairs of this level. Returns their number.
    size_t put_parents() {
        size_t nodes = 0;
        for (Subtree *s = subtrees_; s < subtrees_ + n_; s++)
            for (size_t i = 0; i + 1 < s->n; i += 2)
                nodes_[nodes++] =
                    parent(s->chains + CHAIN * i, s->key, s->root && s->n == 2, s->chains + CHAIN * (i / 2));
        return nodes;
    }
    // Runs the first n nodes; chunks with the most blocks go first. Parents stay in their order: their chaining values
    // overwrite what nodes before them, or beside them in the same call, have read.
    void run_nodes(size_t n) {
        Node **list = list_;
        for (size_t i = 0; i < n; i++) list[i] = &nodes_[i];
        const auto before = [](const Node *a, const Node *b) { return a->bytes > b->bytes; };
        if (!std::is_sorted(list, list + n, before)) std::sort(list, list + n, before);
        while (n) {
            uint64_t bytes = 0;
            for (size_t i = 0; i < n; i++) bytes += list[i]->bytes;
            const Lineup lineup = line_up(suite_, need_of(suite_, n, bytes, list[0]->bytes));
            TreeStep step(suite_.hash->record, *lineup.variant, &memory_->lanes);
            execute(*suite_.engine, *lineup.variant, &memory_->lanes, &step, list, lineup.messages);
            list += lineup.messages;
            n -= lineup.messages;
        }
    }

    const Suite &suite_;
    Memory *const memory_;
    size_t n_ = 0, used_ = 0, most_used_ = 0;
    Subtree subtrees_[MOST_MESSAGES];
    Node nodes_[MOST_CHUNKS], *list_[MOST_CHUNKS];
    uint8_t chains_[CHAIN * MOST_CHUNKS];
};

// Hashes a message of more chunks than a wave holds: it joins complete subtrees as soon as something follows them
// (5.1.2).
class LongMessage {
public:
    LongMessage(Wave *wave, const Subtree &message) : wave_(*wave), message_(message) {}
    ~LongMessage() { wipe(stack_, sizeof(stack_)); }

    const uint8_t *run() {
        constexpr uint64_t most = CHUNK * Wave::MOST_CHUNKS;
        for (uint64_t at = 0, complete = 0; at < message_.bytes; at += most, complete++) {
            while (depth_ > size_t(__builtin_popcountll(complete))) join(false);
            Subtree some = message_;
            some.at = at;
            some.bytes = std::min(most, message_.bytes - at);
            some.root = false;
            wave_.add(some);
            wave_.run([this](const uint8_t *chain) { memcpy(stack_ + CHAIN * depth_++, chain, CHAIN); });
        }
        while (depth_ > 1) join(depth_ == 2);
        return stack_;
    }

private:
    void join(bool root) {
        depth_--;
        wave_.join(message_.key, stack_ + CHAIN * (depth_ - 1), root);
    }

    static constexpr size_t DEPTH = 54;  // 2^54 chunks are 2^64 bytes
    Wave &wave_;
    const Subtree message_;
    size_t depth_ = 0;
    uint8_t stack_[CHAIN * (DEPTH + 1)];
};

}  // namespace

bool run_trees(Memory *memory, cst_job *const *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    Wave wave(suite, memory);
    bool all = true;
    size_t given = 0;
    const auto give = [&](const uint8_t *chain) { all &= settle_digest(jobs[given++], chain); };
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        Buffer *const scattered = job.n_in_pieces ? &memory->messages[i].in : nullptr;
        if (scattered) scattered->set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        const Subtree all_of_it = {
            static_cast<const uint8_t *>(job.in), scattered, key_of(job).inner(), 0, job.in_len, true, nullptr, 0};
        if (!wave.has_room(job.in_len)) wave.run(give);
        if (wave.has_room(job.in_len)) wave.add(all_of_it);
        else give(LongMessage(&wave, all_of_it).run());
    }
    wave.run(give);
    return all;
}

Ranking rank_trees(const Suite &suite, size_t messages, uint64_t bytes) {
    const uint64_t chunks = chunks_of(bytes), some = std::min<uint64_t>(messages * chunks, Wave::MOST_CHUNKS);
    const uint64_t mean = bytes / chunks;
    Ranking ranking = rank(suite, need_of(suite, size_t(some), some * mean, std::min<uint64_t>(bytes, CHUNK)));
    ranking.cycles *= double(messages * chunks) / double(some);
    return ranking;
}

}  // namespace cst
