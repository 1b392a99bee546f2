// KT128 and KT256 (RFC 9861, 3), and whatever has leaves of another size. A text is the message and what the row puts
// behind it. One that fills a single leaf is hashed like that of any sponge. Of a longer one, the node absorbs the
// first leaf itself, which takes as long as to hash any other leaf: so it takes a lane beside them. Then the node
// absorbs the leaves' digests, as many at a time as a wave holds: the node is a message in parts.

#include "leaves.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "framed_list.hpp"

namespace cst {
namespace {

// Writes a number, most significant byte first and without leading zeros, and after it how many bytes that are
// (RFC 9861, 3.3: length_encode). Returns where it ends.
uint8_t *put_number(uint8_t *to, uint64_t number) {
    size_t n = 0;
    while (n < sizeof(number) && number >> 8 * n) n++;
    for (size_t i = n; i--;) *to++ = uint8_t(number >> 8 * i);
    *to++ = uint8_t(n);
    return to;
}
constexpr size_t MOST_NUMBER_BYTES = sizeof(uint64_t) + 1;

uint8_t *put_bytes(uint8_t *to, const LeavesRecord::Bytes &bytes) {
    if (bytes.size) memcpy(to, bytes.data, bytes.size);
    return to + bytes.size;
}

// A message, or the next part of one.
struct Input {
    const Key *key;
    Buffer in;
    uint64_t bytes;
    LeavesState *state;
    cst_job *job;  // whose message it is; NULL: it is a part
    bool ends;
    uint8_t *tag;
    size_t tag_len;
    bool compares;
};

struct Inputs {
    Input each[MOST_MESSAGES];
};

// Short messages and leaves that run together, and then the nodes.
class Wave {
public:
    Wave(const Suite &suite, Memory *memory)
        : suite_(suite), leaves_(suite.hash->record.leaves), memory_(memory), digests_end_(digests_) {}
    ~Wave() { wipe(digests_, digests_used_); }
    Wave(const Wave &) = delete;
    Wave &operator=(const Wave &) = delete;

    // Adds one of at most MOST_MESSAGES inputs, which stay where they are until the wave has run.
    void add(Input *input) {
        LeavesState *const s = input->state;
        const uint64_t before = s->bytes, bytes = input->bytes + (input->ends ? leaves_.behind.size : 0),
                       leaf = leaves_.leaf_bytes;
        s->bytes += input->bytes;
        if (before + bytes <= leaf) return add_to_node(input, 0, bytes, input->ends);
        uint64_t at = 0;
        if (before < leaf) add_to_node(input, 0, at = leaf - before, false);
        Node *const node = &nodes_[n_nodes_++];
        begin_node(node, input, before <= leaf);
        bool in_state = before > leaf && (before - leaf) % leaf;  // a leaf has begun in the state
        bool state_runs = false;  // in this wave
        while (at < bytes || (in_state && input->ends)) {
            const uint64_t in_leaf = (before + at - leaf) % leaf, some = std::min(leaf - in_leaf, bytes - at);
            const bool ends = input->ends || in_leaf + some == leaf;
            const bool with_state = in_state || !ends;
            if (n_ == MOST_MESSAGES || (with_state && state_runs)) {
                run();
                state_runs = false;
            }
            Framed *const m = next(input, at, some);
            m->domain = leaves_.leaf_domain;
            if (ends) {
                set_output(m, nodes_[n_nodes_ - 1].end, leaves_.digest_bytes, false);
                nodes_[n_nodes_ - 1].end = digests_end_ += leaves_.digest_bytes;
            }
            if (!with_state) {
                count_blocks(suite_, m);
            } else {
                if (!in_state) begin_state(&s->leaf, *input);
                go_on_with(suite_, &s->leaf, ends, m);
                state_runs = true;
            }
            at += some;
            in_state = !ends;
        }
        end_node(&nodes_[n_nodes_ - 1], before + bytes);
    }
    // Runs what was added. If that is in the middle of an input, its node goes on in the next wave.
    void run() {
        run_added();
        digests_used_ = std::max(digests_used_, size_t(digests_end_ - digests_));
        for (size_t i = 0; i < n_nodes_; i++) add_digests(nodes_[i]);
        run_added();
        digests_end_ = digests_;
        if (!n_nodes_) return;
        nodes_[0] = nodes_[n_nodes_ - 1];
        nodes_[0].text = nodes_[0].end = digests_;
        n_nodes_ = !nodes_[0].complete;
    }
    bool all_right() const { return all_right_; }

private:
    // The bytes that a node absorbs in this wave, after the first leaf.
    struct Node {
        Input *input;
        uint8_t *text, *end;
        bool complete;  // all of the input has been added
    };

    // Returns a place for bytes at .. at + bytes of the input's text.
    Framed *next(Input *input, uint64_t at, uint64_t bytes) {
        if (n_ == MOST_MESSAGES) run();
        ending_[n_] = nullptr;
        Framed *const m = &messages_[n_++];
        begin_framed(suite_, input->key, m);
        if (at < input->bytes) input->in.at(at);  // the copy goes on from there
        set_text(m, input->in, at, bytes);
        m->in_bytes = input->bytes;
        m->behind = leaves_.behind.data;
        return m;
    }
    void end_input(Input *input, Framed *m) {
        ending_[m - messages_] = input;
        set_output(m, input->tag, input->tag_len, input->compares);
    }
    // Adds bytes of the first leaf; ends: they are the end of the text.
    void add_to_node(Input *input, uint64_t at, uint64_t bytes, bool ends) {
        Framed *const m = next(input, at, bytes);
        if (ends) end_input(input, m);
        LeavesState *const s = input->state;
        if (ends && !s->node.bytes) return count_blocks(suite_, m);  // the first part is the last
        if (!s->node.bytes) begin_state(&s->node, *input);
        go_on_with(suite_, &s->node, ends, m);
    }
    void begin_state(FramedState *state, const Input &input) const {
        state->bytes = 0;
        memcpy(state->chain, input.key->inner(), suite_.hash->record.chain_bytes());
    }
    void begin_node(Node *node, Input *input, bool first) {
        node->input = input;
        node->complete = false;
        node->text = node->end = digests_end_;
        if (first) node->end = digests_end_ = put_bytes(node->end, leaves_.marker);
    }
    void end_node(Node *node, uint64_t bytes) {
        node->complete = true;
        if (!node->input->ends) return;
        node->end = put_number(node->end, (bytes - 1) / leaves_.leaf_bytes);
        node->end = digests_end_ = put_bytes(node->end, leaves_.end);
    }
    void add_digests(const Node &node) {
        const uint64_t bytes = uint64_t(node.end - node.text);
        const bool ends = node.complete && node.input->ends;
        Framed *const m = &messages_[n_++];
        ending_[m - messages_] = nullptr;
        begin_framed(suite_, node.input->key, m);
        Buffer digests;
        digests.set(node.text, bytes, nullptr, 0);
        set_text(m, digests, 0, bytes);
        m->domain = leaves_.node_domain;
        if (ends) end_input(node.input, m);
        go_on_with(suite_, &node.input->state->node, ends, m);
    }
    void run_added() {
        Framed *list[MOST_MESSAGES];
        size_t working = 0;
        for (size_t i = 0; i < n_; i++)
            if (messages_[i].blocks) list[working++] = &messages_[i];
        run_list(suite_, memory_, list, working);
        for (size_t i = 0; i < n_; i++)
            if (ending_[i]) settle(*ending_[i], messages_[i].right);
        n_ = 0;
    }
    void settle(const Input &input, bool right) {
        if (!input.job) return wipe(input.state, sizeof(*input.state));
        input.job->out_len = 0;
        input.job->status = CST_OK;
        if (right) return;
        refuse_unopened(input.job);
        all_right_ = false;
    }

    // Every place of a wave has a digest, and every node a marker, a number and an end.
    static constexpr size_t MOST_DIGESTS =
        MOST_MESSAGES * (MOST_LEAF_DIGEST + MOST_LEAF_MARK + MOST_NUMBER_BYTES + MOST_LEAF_MARK);

    const Suite &suite_;
    const LeavesRecord &leaves_;
    Memory *const memory_;
    size_t n_ = 0, n_nodes_ = 0, digests_used_ = 0;
    bool all_right_ = true;
    Framed messages_[MOST_MESSAGES];
    const Input *ending_[MOST_MESSAGES];
    Node nodes_[MOST_MESSAGES];
    uint8_t digests_[MOST_DIGESTS], *digests_end_;
};

}  // namespace

bool run_leaves(Memory *memory, cst_job *const *jobs, size_t n) {
    memory->messages_used = std::max(memory->messages_used, n);
    const InSlot<Wave> wave(memory->work, *key_of(*jobs[0]).suite, memory);
    const InSlot<Inputs> inputs(memory->halves);
    for (size_t i = 0; i < n; i++) {
        cst_job *const job = jobs[i];
        Input *const input = &inputs->each[i];
        uint8_t *const area = memory->area_of(memory->messages[i], sizeof(LeavesState));
        static_assert(sizeof(LeavesState) <= Memory::AREA_BYTES);
        input->key = &key_of(*job);
        input->in.set(job->in, job->in_len, job->in_pieces, job->n_in_pieces);
        input->bytes = job->in_len;
        input->state = reinterpret_cast<LeavesState *>(area);
        input->state->bytes = input->state->node.bytes = 0;
        input->job = job;
        input->ends = true;
        input->tag = static_cast<uint8_t *>(job->tag);
        input->tag_len = job->tag_len;
        input->compares = job->direction == CST_OPEN;
        wave->add(input);
    }
    wave->run();
    return wave->all_right();
}

void run_leaf_parts(Memory *memory, const cst_part **parts, size_t n) {
    const auto suite_of = [](const cst_part *part) { return reinterpret_cast<const Key *>(part->key)->suite; };
    std::sort(parts, parts + n, [&](const cst_part *a, const cst_part *b) { return suite_of(a) < suite_of(b); });
    const InSlot<Inputs> inputs(memory->halves);
    for (size_t from = 0, to; from < n; from = to) {
        const InSlot<Wave> wave(memory->work, *suite_of(parts[from]), memory);
        for (to = from; to < n && suite_of(parts[to]) == suite_of(parts[from]); to++) {
            const cst_part &part = *parts[to];
            Input *const input = &inputs->each[to];
            input->key = reinterpret_cast<const Key *>(part.key);
            input->in.set(part.in, part.in_len, nullptr, 0);
            input->bytes = part.in_len;
            input->state = static_cast<LeavesState *>(part.state);
            input->state->key = part.key;
            input->job = nullptr;
            input->ends = part.last != 0;
            input->tag = static_cast<uint8_t *>(part.tag);
            input->tag_len = part.tag_len;
            input->compares = false;
            wave->add(input);
        }
        wave->run();
    }
}

Ranking rank_leaves(const Suite &suite, size_t messages, uint64_t bytes) {
    const LeavesRecord &leaves = suite.hash->record.leaves;
    bytes += leaves.behind.size;
    const uint64_t n = bytes ? (bytes + leaves.leaf_bytes - 1) / leaves.leaf_bytes : 1,
                   together = std::min<uint64_t>(messages * n, MOST_MESSAGES),
                   blocks = all_blocks(suite, bytes / n, leaves.digest_bytes);
    Ranking ranking = rank_blocks(suite, size_t(together), blocks * together, blocks);
    ranking.cycles *= double(messages * n) / double(together);
    return ranking;
}

}  // namespace cst
