// BLAKE3 (J. O'Connor et al., "BLAKE3: one function, fast everywhere", 2020). A chunk is at most 1 KiB; the left
// subtree of a parent is the largest complete one that leaves something to the right (2.1). So both in a complete
// subtree and in what follows the complete ones of a message, pairs from the left become parents, level by level, and
// an odd node moves up unchanged.

#include "tree.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "tree_nodes.hpp"

namespace cst {
namespace {

Need need_of(const Suite &suite, size_t n, uint64_t bytes, uint64_t most) {
    const auto filled = [](uint64_t its) {
        return std::max<uint64_t>(1, (its + TREE_BLOCK - 1) / TREE_BLOCK) * TREE_BLOCK;
    };
    Need need = {&suite.hashes, n, filled(bytes / n), filled(most)};
    need.whole_only = true;
    return need;
}

// Chunks of a message that become one chaining value.
struct Subtree {
    const Key *key;
    TreeText text;
    uint64_t bytes;
    uint64_t first;  // number of its first chunk
    bool root;  // this is the whole message
    bool wide;  // and more than a chaining value of output is wanted
};

uint32_t mode_of(const Key &key) { return key.suite->tree_mode; }

Node parent(const Key &key, const uint8_t *two, uint32_t root, uint8_t *to, bool wide = false) {
    return {{two, nullptr, 0}, TREE_BLOCK, 0, PARENT | mode_of(key), 0, root, key.inner(), to, wide};
}

// Hashes the nodes of several subtrees together, level by level.
class Wave {
public:
    static constexpr size_t MOST_CHUNKS = 256;  // a power of two: all but the last subtree of a message are complete
    static constexpr size_t MOST_OUTPUTS = MOST_CHUNKS * TREE_CHAIN / TREE_OUTPUT;

    Wave(const Suite &suite, Memory *memory) : suite_(suite), memory_(memory) {}
    ~Wave() { wipe(chains_, TREE_CHAIN * most_used_); }
    Wave(const Wave &) = delete;
    Wave &operator=(const Wave &) = delete;

    bool has_room(uint64_t bytes, bool wide = false) const {
        return n_ < MOST_MESSAGES && used_ + places(bytes, wide) <= MOST_CHUNKS;
    }
    void add(const Subtree &subtree) {
        Tree *const t = &trees_[n_++];
        t->from = subtree;
        t->n = size_t(tree_chunks(subtree.bytes));
        t->chains = chains_ + TREE_CHAIN * used_;
        use(used_ + places(subtree.bytes, subtree.wide));
    }
    // give(chain) receives the chaining value, or output, of each subtree, in the order in which they were added.
    template <typename Give>
    void run(Give give) {
        size_t nodes = 0;
        for (Tree *t = trees_; t < trees_ + n_; t++)
            for (size_t i = 0; i < t->n; i++) nodes_[nodes++] = chunk(*t, i);
        run_nodes(nodes);
        while ((nodes = put_parents())) {
            run_nodes(nodes);
            for (Tree *t = trees_; t < trees_ + n_; t++) {
                // An odd node moves up; its place has been read already.
                if (t->n > 1 && t->n % 2)
                    memcpy(t->chains + TREE_CHAIN * (t->n / 2), t->chains + TREE_CHAIN * (t->n - 1), TREE_CHAIN);
                t->n = (t->n + 1) / 2;
            }
        }
        const size_t n = n_;
        n_ = used_ = 0;  // `give` may run nodes of its own
        for (const Tree *t = trees_; t < trees_ + n; t++) give(t->chains);
    }
    void run_node(const Node &node) {
        nodes_[0] = node;
        run_nodes(1);
    }
    // Runs the root, up to MOST_OUTPUTS times, for blocks of output from `number` on. They stay until the next call.
    const uint8_t *output(const Node &root, uint64_t number, size_t blocks) {
        use(2 * blocks);
        used_ = 0;
        for (size_t i = 0; i < blocks; i++) {
            nodes_[i] = root;
            nodes_[i].number = number + i;
            nodes_[i].to = chains_ + TREE_OUTPUT * i;
            nodes_[i].wide = true;
        }
        run_nodes(blocks);
        return chains_;
    }

private:
    struct Tree {
        Subtree from;
        uint8_t *chains;  // n chaining values, in the end one
        size_t n;
    };

    // Returns how many chaining values there must be room for; the output of more than one chunk takes the place of
    // those that the root reads.
    static uint64_t places(uint64_t bytes, bool wide) {
        const uint64_t chunks = tree_chunks(bytes);
        return chunks + (wide && chunks == 1);
    }
    void use(size_t chains) {
        used_ = chains;
        most_used_ = std::max(most_used_, used_);
    }
    static Node chunk(const Tree &t, size_t i) {
        const Subtree &s = t.from;
        const uint64_t at = TREE_CHUNK * i;
        const bool root = s.root && t.n == 1;
        return {
            s.text.behind(at), std::min<uint64_t>(TREE_CHUNK, s.bytes - at), s.first + i,    mode_of(*s.key),
            CHUNK_START,       root ? CHUNK_END | ROOT : CHUNK_END,          s.key->inner(), t.chains + TREE_CHAIN * i,
            root && s.wide};
    }
    // Makes the parents of all pairs of this level. Returns their number.
    size_t put_parents() {
        size_t nodes = 0;
        for (Tree *t = trees_; t < trees_ + n_; t++) {
            const bool root = t->from.root && t->n == 2;
            for (size_t i = 0; i + 1 < t->n; i += 2)
                nodes_[nodes++] = parent(*t->from.key, t->chains + TREE_CHAIN * i, root ? ROOT : 0,
                                         t->chains + TREE_CHAIN * (i / 2), root && t->from.wide);
        }
        return nodes;
    }
    // Runs the first n nodes; chunks with the most blocks go first. Parents stay in their order: their chaining values
    // overwrite what nodes before them, or beside them in the same call, have read.
    void run_nodes(size_t n) {
        const Node **list = list_;
        for (size_t i = 0; i < n; i++) list[i] = &nodes_[i];
        const auto before = [](const Node *a, const Node *b) { return a->bytes > b->bytes; };
        if (!std::is_sorted(list, list + n, before)) std::sort(list, list + n, before);
        while (n) {
            uint64_t bytes = 0;
            for (size_t i = 0; i < n; i++) bytes += list[i]->bytes;
            const Lineup lineup = line_up(suite_, need_of(suite_, n, bytes, list[0]->bytes));
            if (EqualNodes::hold(list, lineup.messages)) {
                EqualNodes(*suite_.engine, *lineup.variant, &memory_->lanes).run(list, lineup.messages);
            } else {
                const InSlot<TreeStep> step(memory_->lanes.step, suite_.hash->record, *lineup.variant, &memory_->lanes);
                execute(*suite_.engine, *lineup.variant, &memory_->lanes, &*step, list, lineup.messages);
            }
            list += lineup.messages;
            n -= lineup.messages;
        }
    }

    const Suite &suite_;
    Memory *const memory_;
    size_t n_ = 0, used_ = 0, most_used_ = 0;
    Tree trees_[MOST_MESSAGES];
    Node nodes_[MOST_CHUNKS];
    const Node *list_[MOST_CHUNKS];
    uint8_t chains_[TREE_CHAIN * MOST_CHUNKS];
};

// A message of which a state holds what is needed to go on: complete subtrees, which are joined as soon as something
// follows them (5.1.2), and the chunk that may be the last.
class TreeMessage {
public:
    TreeMessage(Wave *wave, const Key &key, TreeState *state) : wave_(*wave), key_(key), s_(*state) {}

    // Adds bytes, more of which may follow.
    void add(TreeText text, uint64_t n) {
        size_t used = chunk_used();
        while (n) {
            if (used == TREE_CHUNK) {
                push_chunk();
                used = 0;
            }
            const bool whole = !used && n > TREE_CHUNK;
            const uint64_t bytes = whole ? add_subtrees(text, n) : add_to_chunk(text, n, used);
            if (!whole) used += size_t(bytes);
            s_.bytes += bytes;
            text = text.behind(bytes);
            n -= bytes;
        }
    }
    // Adds all bytes of a message, or of a part of it whose first chunk has the number `first`, in subtrees of `step`
    // chunks, a power of two; more than one of them, if this is the message.
    void add_all(const TreeText &text, uint64_t first, uint64_t bytes, uint64_t step) {
        const uint64_t most = step * TREE_CHUNK;
        uint64_t pushed = 0;
        const auto push_next = [&](const uint8_t *chain) { push(chain, pushed++); };
        for (uint64_t at = 0; at < bytes; at += most) {
            const uint64_t some = std::min(most, bytes - at);
            if (!wave_.has_room(some)) wave_.run(push_next);
            wave_.add({&key_, text.behind(at), some, first + at / TREE_CHUNK, false, false});
        }
        wave_.run(push_next);
    }
    // Adds a subtree, before which there were so many of its size, or chunks.
    void push(const uint8_t *chain, uint64_t before) {
        join_down_to(size_t(__builtin_popcountll(before)));
        memcpy(s_.stack + TREE_CHAIN * s_.depth++, chain, TREE_CHAIN);
    }
    // Joins subtrees, from the right, until so many are left.
    void join_down_to(size_t depth) {
        for (; s_.depth > depth; s_.depth--) {
            uint8_t *const two = s_.stack + TREE_CHAIN * (s_.depth - 2);
            wave_.run_node(parent(key_, two, 0, two));
        }
    }
    // Ends the message. Returns its root, which reads the state.
    Node end() {
        if (!s_.depth) return last_block(ROOT, nullptr);
        if (s_.bytes) push_chunk();
        join_down_to(2);
        return parent(key_, s_.stack, ROOT, nullptr);
    }

private:
    // Bytes of the chunk that may be the last.
    size_t chunk_used() const { return s_.bytes ? size_t((s_.bytes - 1) % TREE_CHUNK) + 1 : 0; }
    static size_t block_used(size_t used) { return used ? (used - 1) % TREE_BLOCK + 1 : 0; }

    // Adds complete subtrees that something follows. Returns their bytes.
    uint64_t add_subtrees(const TreeText &text, uint64_t n) {
        const uint64_t first = s_.bytes / TREE_CHUNK;
        uint64_t at = 0, sizes[MOST_MESSAGES];
        for (size_t i = 0; at + TREE_CHUNK < n; i++) {
            uint64_t chunks = Wave::MOST_CHUNKS;
            while ((first + at / TREE_CHUNK) & (chunks - 1) || at + chunks * TREE_CHUNK >= n) chunks /= 2;
            if (!wave_.has_room(chunks * TREE_CHUNK)) break;
            wave_.add({&key_, text.behind(at), chunks * TREE_CHUNK, first + at / TREE_CHUNK, false, false});
            sizes[i] = chunks;
            at += chunks * TREE_CHUNK;
        }
        uint64_t before = first;
        const uint64_t *size = sizes;
        wave_.run([&](const uint8_t *chain) {
            push(chain, before);
            before += *size++;
        });
        return at;
    }
    // Adds bytes to a chunk that has `used`, and keeps its last block. Returns how many.
    uint64_t add_to_chunk(TreeText text, uint64_t n, size_t used) {
        const size_t all = size_t(std::min<uint64_t>(n, TREE_CHUNK - used)), filled = block_used(used);
        const uint64_t number = (s_.bytes - used) / TREE_CHUNK;
        size_t left = all;
        if (filled) {
            const size_t some = std::min(TREE_BLOCK - filled, left);
            keep(&text, filled, some);
            left -= some;
            if (!left) return all;
            used -= filled;
            go_on({s_.block, nullptr, 0}, TREE_BLOCK, number, used);
            used += TREE_BLOCK;
        }
        const size_t whole = (left - 1) / TREE_BLOCK * TREE_BLOCK;
        if (whole) go_on(text, whole, number, used);
        text = text.behind(whole);
        keep(&text, 0, left - whole);
        return all;
    }
    void keep(TreeText *text, size_t at, size_t n) {
        if (n) text->read(s_.block + at, n);
        *text = text->behind(n);
    }
    // Hashes blocks of a chunk of which `used` bytes are hashed, and which does not end with them.
    void go_on(const TreeText &text, size_t bytes, uint64_t number, size_t used) {
        wave_.run_node(
            {text, bytes, number, mode_of(key_), used ? 0 : CHUNK_START, 0, chain_at(used), s_.chain, false});
    }
    const uint8_t *chain_at(size_t used) const { return used ? s_.chain : key_.inner(); }
    Node last_block(uint32_t root, uint8_t *to) const {
        const size_t used = chunk_used(), last = block_used(used), before = used - last;
        return {{s_.block, nullptr, 0},
                last,
                (s_.bytes - used) / TREE_CHUNK,
                mode_of(key_),
                before ? 0 : CHUNK_START,
                CHUNK_END | root,
                chain_at(before),
                to,
                false};
    }
    void push_chunk() {
        const uint64_t before = (s_.bytes - 1) / TREE_CHUNK;
        join_down_to(size_t(__builtin_popcountll(before)));
        wave_.run_node(last_block(0, s_.stack + TREE_CHAIN * s_.depth));
        s_.depth++;
    }

    Wave &wave_;
    const Key &key_;
    TreeState &s_;
};

// Gives the first n bytes of the root's output, some at a time: take(bytes, at, n).
template <typename Take>
void give_output(Wave *wave, const Node &root, size_t n, Take take) {
    for (size_t at = 0, some; at < n; at += some) {
        some = std::min(n - at, Wave::MOST_OUTPUTS * TREE_OUTPUT);
        take(wave->output(root, at / TREE_OUTPUT, (some + TREE_OUTPUT - 1) / TREE_OUTPUT), at, some);
    }
}
void put_output(Wave *wave, const Node &root, void *tag, size_t tag_len) {
    give_output(wave, root, tag_len, [tag](const uint8_t *from, size_t at, size_t some) {
        memcpy(static_cast<uint8_t *>(tag) + at, from, some);
    });
}

// Runs a job whose message or output is too long to share a wave. Returns false if it did not authenticate.
bool run_long(Wave *wave, cst_job *job, const TreeText &text) {
    const uint64_t chunks = tree_chunks(job->in_len);
    uint64_t step = Wave::MOST_CHUNKS;
    while (chunks > 1 && step >= chunks) step /= 2;
    TreeState state;
    state.bytes = state.depth = 0;
    TreeMessage message(wave, key_of(*job), &state);
    if (chunks > 1) message.add_all(text, 0, job->in_len, step);
    else message.add(text, job->in_len);
    const Node root = message.end();
    bool right = true;
    if (job->direction == CST_SEAL) {
        put_output(wave, root, job->tag, job->tag_len);
    } else {
        const uint8_t *const tag = static_cast<const uint8_t *>(job->tag);
        give_output(wave, root, job->tag_len,
                    [&](const uint8_t *from, size_t at, size_t some) { right &= same_bytes(from, tag + at, some); });
    }
    wipe(&state, sizeof(state));
    job->out_len = 0;
    job->status = right ? CST_OK : CST_ERR_AUTH;
    return right;
}

// Calls work(wave, state, message) for a message of its own, of which nothing stays in memory.
template <typename Work>
int with_message(const Key &key, Work work) {
    Memory memory;
    if (int error = memory.allocate(*key.suite->engine, 1)) return error;
    const InSlot<Wave> wave(memory.work, *key.suite, &memory);
    TreeState state;
    state.bytes = state.depth = 0;
    TreeMessage message(&*wave, key, &state);
    work(&*wave, &state, &message);
    wipe(&state, sizeof(state));
    return CST_OK;
}

}  // namespace

// n complete chunks, which more text follows, stand on the stack as 1 + popcount(n - 2^k) subtrees. The latest subtree
// has 2^k chunks; 2^k divides n, and any such k is possible.
bool TreeState::is_sound() const {
    const uint64_t n = bytes ? (bytes - 1) / TREE_CHUNK : 0;
    if (!n) return !depth;
    const uint64_t least = uint64_t(__builtin_popcountll(n));
    return depth >= least && depth <= least + uint64_t(__builtin_ctzll(n));
}

bool run_trees(Memory *memory, cst_job *const *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    const InSlot<Wave> wave(memory->work, suite, memory);
    bool all = true;
    size_t given = 0;
    const auto give = [&](const uint8_t *output) { all &= settle_digest(jobs[given++], output); };
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        Buffer *const scattered = job.n_in_pieces ? &memory->messages[i].in : nullptr;
        if (scattered) scattered->set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        const TreeText text = {static_cast<const uint8_t *>(job.in), scattered, 0};
        const bool wide = job.tag_len > TREE_CHAIN, longer = job.tag_len > TREE_OUTPUT;
        if (longer || !wave->has_room(job.in_len, wide)) wave->run(give);
        if (!longer && wave->has_room(job.in_len, wide)) wave->add({&key_of(job), text, job.in_len, 0, true, wide});
        else all &= run_long(&*wave, jobs[given++], text);
    }
    wave->run(give);
    return all;
}

void run_tree_parts(Memory *memory, const cst_part *const *parts, size_t n) {
    // Messages that are one part are jobs: their chunks share lanes.
    struct Whole {
        cst_job jobs[MOST_MESSAGES], *list[MOST_MESSAGES];
    };
    const InSlot<Whole> its(memory->halves);
    cst_job *const jobs = its->jobs, **const list = its->list;
    size_t whole = 0;
    for (size_t i = 0; i < n; i++) {
        const cst_part &part = *parts[i];
        const Key &key = *reinterpret_cast<const Key *>(part.key);
        TreeState *const state = static_cast<TreeState *>(part.state);
        if (part.last && !state->key) {
            cst_job *const job = list[whole] = &jobs[whole];
            *job = {};
            job->key = part.key;
            job->in = part.in;
            job->in_len = part.in_len;
            job->tag = part.tag;
            job->tag_len = part.tag_len;
            whole++;
            continue;
        }
        const InSlot<Wave> wave(memory->work, *key.suite, memory);
        state->key = part.key;
        TreeMessage message(&*wave, key, state);
        message.add({static_cast<const uint8_t *>(part.in), nullptr, 0}, part.in_len);
        if (!part.last) continue;
        put_output(&*wave, message.end(), part.tag, part.tag_len);
        wipe(state, sizeof(*state));
    }
    for (size_t from = 0, to; from < whole; from = to) {
        for (to = from + 1; to < whole && key_of(*list[to]).suite == key_of(*list[from]).suite;) to++;
        run_trees(memory, list + from, to - from);
    }
}

int run_tree_part(const Key &key, uint64_t at, const void *in, uint64_t bytes, uint8_t *chain) {
    return with_message(key, [&](Wave *, TreeState *state, TreeMessage *message) {
        message->add_all({static_cast<const uint8_t *>(in), nullptr, 0}, at / TREE_CHUNK, bytes, Wave::MOST_CHUNKS);
        message->join_down_to(1);
        memcpy(chain, state->stack, TREE_CHAIN);
    });
}

int run_tree_root(const Key &key, const uint8_t *chains, size_t n, uint8_t *tag, size_t tag_len) {
    return with_message(key, [&](Wave *wave, TreeState *, TreeMessage *message) {
        for (size_t i = 0; i < n; i++) message->push(chains + TREE_CHAIN * i, i);
        put_output(wave, message->end(), tag, tag_len);
    });
}

Ranking rank_trees(const Suite &suite, size_t messages, uint64_t bytes) {
    const uint64_t chunks = tree_chunks(bytes), some = std::min<uint64_t>(messages * chunks, Wave::MOST_CHUNKS);
    const uint64_t mean = bytes / chunks;
    Ranking ranking = rank(suite, need_of(suite, size_t(some), some * mean, std::min<uint64_t>(bytes, TREE_CHUNK)));
    ranking.cycles *= double(messages * chunks) / double(some);
    return ranking;
}

}  // namespace cst
