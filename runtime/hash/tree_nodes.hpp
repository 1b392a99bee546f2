// Nodes of BLAKE3's tree in the lanes of kernels: chunks of a message, and parents of two chaining values.
#pragma once

#include <emmintrin.h>

#include <algorithm>

#include "../suite/secret.hpp"
#include "../executors/lane_state.hpp"
#include "../executors/lanes.hpp"
#include "../plan/lineup.hpp"
#include "tree.hpp"

namespace cst {

constexpr size_t TREE_BLOCK = 64, TREE_OUTPUT = 64;
constexpr uint32_t CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8;  // table 3; those of modes: suite/suite.hpp

inline uint64_t tree_chunks(uint64_t bytes) { return std::max<uint64_t>(1, (bytes + TREE_CHUNK - 1) / TREE_CHUNK); }

// Where bytes of a message are.
struct TreeText {
    const uint8_t *data;  // if they are contiguous
    Buffer *scattered;  // the message, if it is in pieces; else NULL
    uint64_t at;  // position there

    TreeText behind(uint64_t bytes) const { return {data, scattered, at + bytes}; }
    void read(uint8_t *to, size_t n) const {
        if (scattered) scattered->read(at, to, n);
        else copy_few(to, data + at, n);
    }
};

// A chunk or a part of it, or a parent of two chaining values.
struct Node {
    TreeText text;
    uint64_t bytes;
    uint64_t number;  // of the chunk, or of the block of output
    uint32_t flags, first, last;  // for all its blocks; additional ones for the first and the last
    const uint8_t *chain;  // the chaining value before it
    uint8_t *to;  // receives the chaining value; may be where the node was read
    bool wide;  // `to` receives TREE_OUTPUT bytes of output
};

// The start values that a kernel reads: templates/streams/blake3.j2.
struct TreeStart {
    static constexpr uint32_t CHAIN_ROWS = 8, NUMBER_ROW = 8, BYTES_ROW = 10, FLAGS_ROW = 11, OUTPUT_ROW = 13;

    uint8_t chain[TREE_CHAIN];
    uint32_t number[2], bytes, flags, next_flags;
};
static_assert(sizeof(TreeStart) == TreeStart::OUTPUT_ROW * sizeof(uint32_t));

// Runs nodes of the same whole blocks, which begin with the same chaining value and lie contiguously: nearly all of a
// long message. They need no executor: lanes begin and end together, and what they have in common is written for all.
class EqualNodes {
public:
    // Whether all of these are such nodes.
    static bool hold(const Node *const *nodes, size_t n) {
        const Node &first = *nodes[0];
        if (first.wide || first.text.scattered || !first.bytes || first.bytes % TREE_BLOCK) return false;
        for (size_t i = 1; i < n; i++) {
            const Node &m = *nodes[i];
            if (m.bytes != first.bytes || m.chain != first.chain || m.flags != first.flags || m.first != first.first ||
                m.last != first.last || m.wide || m.text.scattered)
                return false;
        }
        return true;
    }

    EqualNodes(const Engine &engine, const Variant &v, LaneMemory *memory)
        : v_(v),
          rows_(v, memory->state),
          ends_(v.hash, memory->state, TreeStart::CHAIN_ROWS),
          fn_(v.kernel.load(std::memory_order_acquire)->fn),
          args_(begin_calls(engine, v, memory)) {
        for (uint32_t lane = 0; lane < v.lanes; lane++) lanes_[lane] = lane;
    }

    void run(const Node *const *nodes, size_t n) {
        const Rows rows = rows_;  // a copy, which stores cannot change
        const Node &first = *nodes[0];
        const uint64_t blocks = first.bytes / TREE_BLOCK;
        for (size_t at = 0; at < n; at += rows.lanes) {
            const size_t live = std::min<size_t>(n - at, rows.lanes);
            const Node *const *const some = nodes + at;
            rows.begin(some, live);
            if (blocks > 1) {
                rows.fill(TreeStart::FLAGS_ROW, first.flags | first.first);
                rows.point(some, live, 0);
                call(blocks - 1);
            }
            rows.fill(TreeStart::FLAGS_ROW, first.flags | first.last | (blocks > 1 ? 0 : first.first));
            rows.point(some, live, blocks - 1);
            call(1);
            ends_.take(lanes_, live, [&](size_t i) { return some[i]->to; });
        }
    }

private:
    // The kernel's state. Lanes without a node repeat the first.
    struct Rows {
        uint8_t *state;
        const LanePlace *places;
        size_t row_bytes;
        uint32_t lanes;
        bool together;  // a row has a word of every lane side by side

        Rows(const Variant &v, uint8_t *its_state)
            : state(its_state),
              places(v.hash.lanes.data()),
              row_bytes(v.hash.chain_row_bytes),
              lanes(v.lanes),
              together(v.lanes % 4 == 0) {
            for (uint32_t lane = 0; lane < lanes; lane++) together &= places[lane].chain == places[0].chain + 4 * lane;
        }
        void begin(const Node *const *nodes, size_t live) const {
            const Node &first = *nodes[0];
            for (uint32_t row = 0; row < TreeStart::CHAIN_ROWS; row++) {
                uint32_t word;
                memcpy(&word, first.chain + 4 * row, sizeof(word));
                fill(row, word);
            }
            for (uint32_t lane = 0; lane < lanes; lane++) {
                const uint64_t number = nodes[lane < live ? lane : 0]->number;
                put(lane, TreeStart::NUMBER_ROW, uint32_t(number));
                put(lane, TreeStart::NUMBER_ROW + 1, uint32_t(number >> 32));
            }
            fill(TreeStart::BYTES_ROW, TREE_BLOCK);
            fill(TreeStart::FLAGS_ROW + 1, first.flags);
        }
        void point(const Node *const *nodes, size_t live, uint64_t block) const {
            for (uint32_t lane = 0; lane < lanes; lane++) {
                const TreeText &text = nodes[lane < live ? lane : 0]->text;
                put_pointer(state + places[lane].in, text.data + text.at + TREE_BLOCK * block);
            }
        }
        void put(uint32_t lane, uint32_t row, uint32_t word) const {
            memcpy(state + places[lane].chain + row * row_bytes, &word, sizeof(word));
        }
        // Writes a word for all lanes, as wide as can be: the kernel's loads wait for stores that are narrower.
        void fill(uint32_t row, uint32_t word) const {
            if (!together) {
                for (uint32_t lane = 0; lane < lanes; lane++) put(lane, row, word);
                return;
            }
            uint8_t *const to = state + places[0].chain + row * row_bytes;
            const __m128i four = _mm_set1_epi32(int(word));
            for (uint32_t lane = 0; lane < lanes; lane += 4)
                _mm_storeu_si128(reinterpret_cast<__m128i *>(to + 4 * lane), four);
        }
    };

    void call(uint64_t iterations) {
        args_.iterations = iterations;
        fn_(&args_);
        v_.calls.add(1);
    }

    const Variant &v_;
    const Rows rows_;
    const Chains ends_;
    const cst_kernel_fn fn_;
    cst_kernel_args args_;
    uint32_t lanes_[MAX_LANES];
};

// Runs any nodes.
class TreeStep : public HashLanes {
public:
    TreeStep(const AlgorithmRecord &hash, const Variant &v, LaneMemory *memory)
        : HashLanes(hash, v, memory),
          row_bytes_(v.hash.chain_row_bytes),
          starts_(v.hash, state_, TreeStart::OUTPUT_ROW),
          ends_of_(v.hash, state_, TreeStart::CHAIN_ROWS) {}

    const Node *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        TreeStart *const starts = begins_;
        for (size_t i = 0; i < n; i++) {
            const Node &m = *message[lanes[i]];
            for (size_t at = 0; at < TREE_CHAIN; at += 16) copy_row(starts[i].chain + at, m.chain + at);
            memcpy(starts[i].number, &m.number, sizeof(m.number));
            starts[i].bytes = TREE_BLOCK;
            starts[i].flags = m.flags | m.first;
            starts[i].next_flags = m.flags;
        }
        starts_.put(lanes, n, [&](size_t i) { return starts[i].chain; });
        wipe(starts, n * sizeof(TreeStart));  // there may be a key in them
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
        if (!n_ends) return;
        ends_of_.take(ends, n_ends, [&](size_t i) { return message[ends[i]]->to; });
        for (size_t i = 0; i < n_ends; i++)
            if (message[ends[i]]->wide) take_output(ends[i], message[ends[i]]->to + TREE_CHAIN);
    }

private:
    // Begins the lane's next contiguous run. Returns false if its node is done.
    bool go_on(uint32_t lane) {
        const Node &m = *message[lane];
        const uint64_t done = done_[lane], rest = m.bytes - done;
        if (ends_[lane]) return left[lane] = 0, false;
        const bool last = rest <= TREE_BLOCK;
        if (last) {
            put_word(lane, TreeStart::BYTES_ROW, uint32_t(rest));
            put_word(lane, TreeStart::FLAGS_ROW, m.flags | m.last | (done ? 0 : m.first));
        }
        const TreeText text = m.text.behind(done);
        const uint64_t together = text.scattered && rest ? text.scattered->together(text.at) : rest,
                       whole = std::min(together, last ? rest : rest - 1) & ~uint64_t(TREE_BLOCK - 1);
        if (whole) {
            done_[lane] += whole;
            ends_[lane] = whole == rest;
            return begin(lane, text.scattered ? text.scattered->at(text.at) : text.data + text.at, whole);
        }
        const size_t some = size_t(std::min<uint64_t>(rest, TREE_BLOCK));
        uint8_t *const block = memory_->scratch_of(lane, READ + TREE_BLOCK) + READ;
        if (some) text.read(block, some);
        memset(block + some, 0, TREE_BLOCK - some);
        done_[lane] += TREE_BLOCK;
        ends_[lane] = last;
        return begin(lane, block, TREE_BLOCK);
    }
    uint8_t *word_of(uint32_t lane, size_t row) const { return state_ + places_[lane].chain + row * row_bytes_; }
    void put_word(uint32_t lane, size_t row, uint32_t word) const { memcpy(word_of(lane, row), &word, sizeof(word)); }
    void take_output(uint32_t lane, uint8_t *to) const {
        for (size_t row = 0; row < TreeStart::CHAIN_ROWS; row++)
            memcpy(to + 4 * row, word_of(lane, TreeStart::OUTPUT_ROW + row), 4);
    }

    const size_t row_bytes_;
    const Chains starts_, ends_of_;
    uint64_t done_[MAX_LANES];  // bytes of the node
    bool ends_[MAX_LANES];  // the call includes the last block
    TreeStart begins_[MAX_LANES];
};

}  // namespace cst
