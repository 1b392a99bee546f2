// Defines the erasure code of the C API, and checks where its blocks lie.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "arguments.hpp"
#include "../storage/codec.hpp"

struct cst_code {
    cst_code(cst_ctx *its_ctx, const cst::Matrix &factors)
        : ctx(its_ctx), data(factors.columns), parity(factors.rows), parities(codec, factors, false) {
        cst::Matrix column(parity, 1);
        for (size_t j = 0; j < data; j++) {
            for (size_t i = 0; i < parity; i++) column.at[i] = factors.row(i)[j];
            changes.emplace_back(codec, column, true);
        }
    }

    cst_ctx *ctx;
    size_t data, parity;
    cst::Codec codec;
    cst::Products parities;  // computes them from all data
    std::deque<cst::Products> changes;  // of the parities, one entry for a change of each data block
};

namespace cst {

constexpr uint32_t MOST_BLOCKS = 255;  // of data and parity together

// The caller's pointers to blocks.
template <typename T>
struct Blocks {
    T *const *at;
    size_t n;

    Blocks(T *const *first, size_t count) : at(first), n(count) {}
    explicit Blocks(const std::vector<T *> &all) : at(all.data()), n(all.size()) {}
    T *const *begin() const { return at; }
    T *const *end() const { return at + n; }
};
using Inputs = Blocks<const void>;
using Outputs = Blocks<void>;

// Addresses of the lowest and the highest block; without blocks such that no address is between them.
struct Reach {
    uintptr_t first = UINTPTR_MAX, last = 0;

    template <typename T>
    explicit Reach(const Blocks<T> &blocks) {
        for (const T *p : blocks) first = std::min(first, address(p)), last = std::max(last, address(p));
    }
};

template <typename T>
bool any_meets(const Blocks<T> &blocks, size_t bytes, const Argument &other) {
    return std::any_of(blocks.begin(), blocks.end(),
                       [&](const void *p) { return Range(p, bytes).meets(Range(other.at, other.bytes)); });
}

// Checks the places of blocks of `bytes` bytes: none is absent. Outputs are compared with all other outputs, but with
// inputs only if the addresses of inputs and outputs interleave. Comparisons use bit operations instead of branches.
// others: the other buffers of the call, which have been checked.
template <size_t N>
int check_blocks(size_t bytes, const Inputs &in, const Outputs &out, const Argument (&others)[N]) {
    const Reach ins(in), outs(out);
    if (!ins.first || !outs.first) return CST_ERR_ARGUMENT;
    if (bytes > MOST_BYTES) return CST_ERR_LENGTH;
    if (!bytes) return CST_OK;
    if (ins.last + bytes < bytes || outs.last + bytes < bytes) return CST_ERR_LENGTH;
    const uintptr_t last = bytes - 1;
    const bool apart = ins.last + last < outs.first || outs.last + last < ins.first;
    bool meet = false;
    for (size_t i = 0; i < out.n; i++) {
        const uintptr_t before = address(out.at[i]) - last;  // a block from there to as far after it overlaps
        if (!apart)
            for (const void *other : in) meet |= address(other) - before <= 2 * last;
        for (size_t j = 0; j < i; j++) meet |= address(out.at[j]) - before <= 2 * last;
    }
    for (const Argument &other : others) {
        meet |= any_meets(out, bytes, other);
        if (other.is_written) meet |= any_meets(in, bytes, other);
    }
    return meet ? CST_ERR_OVERLAP : CST_OK;
}

}  // namespace cst
