// The C API: erasure codes.

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "handles.hpp"
#include "run/codec.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

using namespace cst;

struct cst_code {
    cst_ctx *ctx;
    size_t data, parity;
    Matrix factors;  // of the parities
    Codec codec;
};

namespace {

constexpr uint32_t MOST_BLOCKS = 255;
constexpr size_t CHECKED = 4096;  // bytes of each parity that are compared at once

using Inputs = std::vector<const uint8_t *>;
using Outputs = std::vector<uint8_t *>;

uint8_t factor_of(const cst_code_shape &shape, uint32_t i, uint32_t j) {
    if (shape.matrix == CST_CODE_CAUCHY) return galois_inverse(uint8_t((shape.data + i) ^ j));
    uint8_t base = 1, factor = 1;
    while (i--) base = galois_product(base, 2);
    while (j--) factor = galois_product(factor, base);
    return factor;
}

// Blocks of so many bytes. All are compared with all: bits rather than branches.
int check_places(size_t bytes, const Inputs &in, const Outputs &out) {
    if (!bytes) return CST_OK;
    const auto at = [](const void *p) { return reinterpret_cast<uintptr_t>(p); };
    bool wraps = false, meet = false;
    for (const uint8_t *p : in) wraps |= at(p) + bytes < bytes;
    for (const uint8_t *p : out) wraps |= at(p) + bytes < bytes;
    if (wraps || bytes > SIZE_MAX / 2) return CST_ERR_LENGTH;
    const uintptr_t last = bytes - 1;
    for (size_t i = 0; i < out.size(); i++) {
        const uintptr_t before = at(out[i]) - last;  // a block from there to as far behind meets it
        for (const uint8_t *other : in) meet |= at(other) - before <= 2 * last;
        for (size_t j = 0; j < i; j++) meet |= at(out[j]) - before <= 2 * last;
    }
    return meet ? CST_ERR_OVERLAP : CST_OK;
}

int run(const cst_code &code, const Matrix &factors, size_t bytes, const Inputs &in, const Outputs &out, bool adds) {
    if (int error = check_places(bytes, in, out)) return error;
    const ClearRegisters clear(code.ctx->engine.cpu());
    if (bytes && !out.empty()) code.codec.run(factors, in.data(), out.data(), bytes, adds);
    return CST_OK;
}

// False: one is NULL.
template <typename To, typename From>
bool take(From *const *blocks, size_t n, std::vector<To *> *to) {
    to->reserve(n);
    for (size_t i = 0; i < n; i++) to->push_back(static_cast<To *>(blocks[i]));
    return std::find(to->begin(), to->end(), nullptr) == to->end();
}

// What restores lost blocks: of data j, with parities P of which there are as many as lost data, whose factors are the
// matrix A, d = A^-1 (P - what the data that is there makes of it); and parities are sums of data.
int restore(const cst_code &code, size_t bytes, void *const *blocks, const uint8_t *lost) {
    std::vector<size_t> gone, there, parities;
    for (size_t j = 0; j < code.data; j++) (lost[j] ? gone : there).push_back(j);
    for (size_t i = 0; i < code.parity; i++)
        if (!lost[code.data + i]) parities.push_back(i);
    Matrix of_gone(parities.size(), gone.size()), inverse(0, 0);
    for (size_t i = 0; i < parities.size(); i++)
        for (size_t l = 0; l < gone.size(); l++) of_gone.row(i)[l] = code.factors.row(parities[i])[gone[l]];
    const std::vector<size_t> used = invert(of_gone, &inverse);
    if (used.size() < gone.size()) return CST_ERR_LOST;

    Inputs in;
    for (size_t j : there) in.push_back(static_cast<const uint8_t *>(blocks[j]));
    for (size_t t : used) in.push_back(static_cast<const uint8_t *>(blocks[code.data + parities[t]]));
    if (std::find(in.begin(), in.end(), nullptr) != in.end()) return CST_ERR_ARGUMENT;
    Matrix data(gone.size(), in.size());  // lost data, by what is read
    for (size_t l = 0; l < gone.size(); l++) {
        for (size_t t = 0; t < used.size(); t++) {
            const uint8_t factor = inverse.row(l)[t], *const its = code.factors.row(parities[used[t]]);
            for (size_t j = 0; j < there.size(); j++) data.row(l)[j] ^= galois_product(factor, its[there[j]]);
            data.row(l)[there.size() + t] = factor;
        }
    }
    Outputs out;
    Matrix wanted(0, in.size());
    const auto want = [&](size_t block, auto fill) {
        if (!blocks[block]) return;
        out.push_back(static_cast<uint8_t *>(blocks[block]));
        wanted.at.resize(wanted.at.size() + in.size());
        fill(wanted.row(wanted.rows++));
    };
    for (size_t l = 0; l < gone.size(); l++)
        want(gone[l], [&](uint8_t *row) { std::copy(data.row(l), data.row(l) + in.size(), row); });
    for (size_t i = 0; i < code.parity; i++) {
        if (!lost[code.data + i]) continue;
        want(code.data + i, [&](uint8_t *row) {
            for (size_t j = 0; j < there.size(); j++) row[j] = code.factors.row(i)[there[j]];
            for (size_t l = 0; l < gone.size(); l++)
                for (size_t at = 0; at < in.size(); at++)
                    row[at] ^= galois_product(code.factors.row(i)[gone[l]], data.row(l)[at]);
        });
    }
    return run(code, wanted, bytes, in, out, false);
}

}  // namespace

int cst_code_new(cst_ctx *ctx, const cst_code_shape *shape, cst_code **code) {
    if (!ctx || !shape || shape->size != sizeof(*shape) || !code) return CST_ERR_ARGUMENT;
    if (!shape->data || !shape->parity || shape->data > MOST_BLOCKS || shape->parity > MOST_BLOCKS - shape->data ||
        (shape->matrix != CST_CODE_CAUCHY && shape->matrix != CST_CODE_VANDERMONDE))
        return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        std::unique_ptr<cst_code> made(
            new cst_code{ctx, shape->data, shape->parity, Matrix(shape->parity, shape->data), Codec()});
        if (int error = made->codec.init(ctx->engine, shape->kernel)) return error;
        for (uint32_t i = 0; i < shape->parity; i++)
            for (uint32_t j = 0; j < shape->data; j++) made->factors.row(i)[j] = factor_of(*shape, i, j);
        *code = made.release();
        return CST_OK;
    });
}

void cst_code_free(cst_code *code) { delete code; }

int cst_code_encode(const cst_code *code, size_t bytes, const void *const *data, void *const *parity) {
    if (!code || !data || !parity) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        Inputs in;
        Outputs out;
        if (!take(data, code->data, &in) || !take(parity, code->parity, &out)) return CST_ERR_ARGUMENT;
        return run(*code, code->factors, bytes, in, out, false);
    });
}

int cst_code_update(const cst_code *code, size_t bytes, uint32_t index, const void *change, void *const *parity) {
    if (!code || index >= code->data || !change || !parity) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        Outputs out;
        if (!take(parity, code->parity, &out)) return CST_ERR_ARGUMENT;
        Matrix column(code->parity, 1);
        for (size_t i = 0; i < code->parity; i++) column.at[i] = code->factors.row(i)[index];
        return run(*code, column, bytes, Inputs{static_cast<const uint8_t *>(change)}, out, true);
    });
}

int cst_code_decode(const cst_code *code, size_t bytes, void *const *blocks, const uint8_t *lost) {
    if (!code || !blocks || !lost) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int { return restore(*code, bytes, blocks, lost); });
}

int cst_code_check(const cst_code *code, size_t bytes, const void *const *blocks, int *right) {
    if (!code || !blocks || !right) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        Inputs in, parity;
        if (!take(blocks, code->data, &in) || !take(blocks + code->data, code->parity, &parity))
            return CST_ERR_ARGUMENT;
        std::vector<uint8_t> made(code->parity * CHECKED);
        Outputs out;
        for (size_t i = 0; i < code->parity; i++) out.push_back(made.data() + i * CHECKED);
        const ClearRegisters clear(code->ctx->engine.cpu());
        uint32_t same = 1;
        for (size_t at = 0; at < bytes; at += CHECKED) {
            const size_t some = std::min(CHECKED, bytes - at);
            code->codec.run(code->factors, in.data(), out.data(), some, false);
            for (size_t i = 0; i < code->parity; i++) same &= same_bytes(out[i], parity[i] + at, some);
            for (const uint8_t *&p : in) p += some;
        }
        wipe(made.data(), made.size());
        *right = int(same);
        return CST_OK;
    });
}
