// The C API: erasure codes.

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "codes.hpp"
#include "../suite/registers.hpp"
#include "../suite/secret.hpp"

using namespace cst;

namespace {

constexpr size_t CHECKED = 4096;  // bytes of each parity that are compared at once

uint8_t factor_of(const cst_code_shape &shape, uint32_t i, uint32_t j) {
    if (shape.matrix == CST_CODE_CAUCHY) return galois_inverse(uint8_t((shape.data + i) ^ j));
    uint8_t base = 1, factor = 1;
    while (i--) base = galois_product(base, 2);
    while (j--) factor = galois_product(factor, base);
    return factor;
}

template <size_t N>
int run(const Products &products, size_t bytes, const Inputs &in, const Outputs &out, const Argument (&others)[N]) {
    if (int error = check_blocks(bytes, in, out, others)) return error;
    products.run(in.at, out.at, bytes);
    return CST_OK;
}

// Restores lost blocks. Lost data d = A^-1 (P - the share of the available data in P), where P are as many parities as
// there are lost data blocks, and the matrix A are their factors for these; lost parities are sums of data.
int restore(const cst_code &code, size_t bytes, void *const *blocks, const uint8_t *lost, const Argument (&others)[2]) {
    const Matrix &factors = code.parities.factors();
    std::vector<size_t> gone, there, parities;
    for (size_t j = 0; j < code.data; j++) (lost[j] ? gone : there).push_back(j);
    for (size_t i = 0; i < code.parity; i++)
        if (!lost[code.data + i]) parities.push_back(i);
    Matrix of_gone(parities.size(), gone.size()), inverse(0, 0);
    for (size_t i = 0; i < parities.size(); i++)
        for (size_t l = 0; l < gone.size(); l++) of_gone.row(i)[l] = factors.row(parities[i])[gone[l]];
    const std::vector<size_t> used = invert(of_gone, &inverse);
    if (used.size() < gone.size()) return CST_ERR_LOST;

    std::vector<const void *> in;
    for (size_t j : there) in.push_back(blocks[j]);
    for (size_t t : used) in.push_back(blocks[code.data + parities[t]]);
    Matrix data(gone.size(), in.size());  // lost data by the blocks that are read
    for (size_t l = 0; l < gone.size(); l++) {
        for (size_t t = 0; t < used.size(); t++) {
            const uint8_t factor = inverse.row(l)[t], *const its = factors.row(parities[used[t]]);
            for (size_t j = 0; j < there.size(); j++) data.row(l)[j] ^= galois_product(factor, its[there[j]]);
            data.row(l)[there.size() + t] = factor;
        }
    }
    std::vector<void *> out;
    Matrix wanted(0, in.size());
    const auto want = [&](size_t block, auto fill) {
        if (!blocks[block]) return;
        out.push_back(blocks[block]);
        wanted.at.resize(wanted.at.size() + in.size());
        fill(wanted.row(wanted.rows++));
    };
    for (size_t l = 0; l < gone.size(); l++)
        want(gone[l], [&](uint8_t *row) { std::copy(data.row(l), data.row(l) + in.size(), row); });
    for (size_t i = 0; i < code.parity; i++) {
        if (!lost[code.data + i]) continue;
        want(code.data + i, [&](uint8_t *row) {
            for (size_t j = 0; j < there.size(); j++) row[j] = factors.row(i)[there[j]];
            for (size_t l = 0; l < gone.size(); l++)
                for (size_t at = 0; at < in.size(); at++)
                    row[at] ^= galois_product(factors.row(i)[gone[l]], data.row(l)[at]);
        });
    }
    return run(Products(code.codec, wanted, false), bytes, Inputs(in), Outputs(out), others);
}

}  // namespace

int cst_code_new(cst_ctx *ctx, const cst_code_shape *shape, cst_code **code) {
    if (!ctx || !is_object(shape) || shape->size != sizeof(*shape) || !is_object(code)) return CST_ERR_ARGUMENT;
    if (!shape->data || !shape->parity || shape->data > MOST_BLOCKS || shape->parity > MOST_BLOCKS - shape->data ||
        (shape->matrix != CST_CODE_CAUCHY && shape->matrix != CST_CODE_VANDERMONDE))
        return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        Matrix factors(shape->parity, shape->data);
        for (uint32_t i = 0; i < shape->parity; i++)
            for (uint32_t j = 0; j < shape->data; j++) factors.row(i)[j] = factor_of(*shape, i, j);
        auto made = std::make_unique<cst_code>(ctx, factors);
        if (int error = made->codec.init(ctx->engine, shape->kernel)) return error;
        *code = made.release();
        return CST_OK;
    });
}

void cst_code_free(cst_code *code) { delete code; }

int cst_code_encode(const cst_code *code, size_t bytes, const void *const *data, void *const *parity) {
    if (!code) return CST_ERR_ARGUMENT;
    const Argument arrays[] = {Argument::inputs(data, code->data), Argument::inputs(parity, code->parity)};
    if (int error = check_arguments(CST_OK, arrays)) return error;
    return guarded([&] { return run(code->parities, bytes, {data, code->data}, {parity, code->parity}, arrays); });
}

int cst_code_update(const cst_code *code, size_t bytes, uint32_t index, const void *change, void *const *parity) {
    if (!code || index >= code->data) return CST_ERR_ARGUMENT;
    const Argument arrays[] = {Argument::inputs(parity, code->parity)};
    if (int error = check_arguments(CST_OK, arrays)) return error;
    return guarded([&] { return run(code->changes[index], bytes, {&change, 1}, {parity, code->parity}, arrays); });
}

int cst_code_decode(const cst_code *code, size_t bytes, void *const *blocks, const uint8_t *lost) {
    if (!code) return CST_ERR_ARGUMENT;
    const size_t n = code->data + code->parity;
    const Argument arrays[] = {Argument::inputs(blocks, n), Argument::inputs(lost, n)};
    if (int error = check_arguments(length_error(bytes <= MOST_BYTES), arrays)) return error;
    return guarded([&]() -> int { return restore(*code, bytes, blocks, lost, arrays); });
}

int cst_code_check(const cst_code *code, size_t bytes, const void *const *blocks, int *right) {
    if (!code) return CST_ERR_ARGUMENT;
    const size_t n = code->data + code->parity;
    const Argument others[] = {Argument::inputs(blocks, n), Argument::outputs(right)};
    if (int error = check_arguments(CST_OK, others)) return error;
    if (int error = check_blocks(bytes, {blocks, n}, {nullptr, 0}, others)) return error;
    return guarded([&]() -> int {
        std::vector<const void *> in(blocks, blocks + code->data);
        const Inputs parity(blocks + code->data, code->parity);
        std::vector<uint8_t> made(code->parity * CHECKED);
        std::vector<void *> out;
        for (size_t i = 0; i < code->parity; i++) out.push_back(made.data() + i * CHECKED);
        const ClearRegisters clear(code->ctx->engine.cpu());
        uint32_t same = 1;
        for (size_t at = 0; at < bytes; at += CHECKED) {
            const size_t some = std::min(CHECKED, bytes - at);
            code->parities.run(in.data(), out.data(), some);
            for (size_t i = 0; i < code->parity; i++)
                same &= same_bytes(made.data() + i * CHECKED, static_cast<const uint8_t *>(parity.at[i]) + at, some);
            for (const void *&p : in) p = static_cast<const uint8_t *>(p) + some;
        }
        wipe(made.data(), made.size());
        *right = int(same);
        return CST_OK;
    });
}
