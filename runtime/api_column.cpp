// The C API: columns.

#include "handles.hpp"
#include "run/run.hpp"
#include "suite/registers.hpp"

using namespace cst;

namespace {

// Whether no offset is less than the one before, and all are within the data.
template <typename Offset>
bool right_offsets(const void *p, size_t n, uint64_t data_bytes) {
    const Offset *const offsets = static_cast<const Offset *>(p);
    bool falls = false;
    for (size_t i = 0; i < n; i++) falls |= offsets[i + 1] < offsets[i];
    return !falls && offsets[n] <= data_bytes;
}

// Checks that the buffers neither wrap nor overlap, after their lengths have been checked.
int check_places(const cst_column &column, const Column &c) {
    const uint64_t first = c.offset(0), bytes = c.offset(c.size) - first;
    const Range items(c.data + first, bytes), offsets(c.offsets, (c.size + 1) * column.offset_bytes),
        tags(c.tags, (c.size - 1) * c.stride + c.tag_len);
    if (items.wraps() || tags.wraps()) return CST_ERR_LENGTH;
    return tags.meets(items) || tags.meets(offsets) ? CST_ERR_OVERLAP : CST_OK;
}

int check_column(const cst_column &column, Column *out) {
    if (column.size != sizeof(column) || !column.key || from(column.key)->suite->enciphers()) return CST_ERR_ARGUMENT;
    if (column.offset_bytes != 4 && column.offset_bytes != 8) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(column.key)->suite;
    const size_t stride = column.stride ? column.stride : column.tag_len;
    if (!suite.lengths.hold_tag(column.tag_len) || stride < column.tag_len) return CST_ERR_LENGTH;
    *out = {from(column.key),
            static_cast<const uint8_t *>(column.data),
            nullptr,
            column.offsets,
            column.offset_bytes == 8,
            column.n,
            static_cast<uint8_t *>(column.tags),
            column.tag_len,
            stride};
    if (!column.n) return CST_OK;
    if (!column.offsets || !column.tags || (column.data_bytes && !column.data)) return CST_ERR_ARGUMENT;
    if (reinterpret_cast<uintptr_t>(column.offsets) % column.offset_bytes) return CST_ERR_ARGUMENT;
    const size_t most = SIZE_MAX / 2;  // so that neither n + 1 nor what is added to a product can overflow
    if (column.n >= most / column.offset_bytes || column.n >= most / stride) return CST_ERR_LENGTH;
    if (Range(column.data, column.data_bytes).wraps() || column.data_bytes > suite.lengths.seal.max ||
        Range(column.offsets, (column.n + 1) * column.offset_bytes).wraps())
        return CST_ERR_LENGTH;
    out->end = out->data + column.data_bytes;
    if (!(out->wide ? right_offsets<uint64_t> : right_offsets<uint32_t>)(column.offsets, column.n, column.data_bytes))
        return CST_ERR_LENGTH;
    return check_places(column, *out);
}

}  // namespace

int cst_digest_column(const cst_column *column) {
    Column checked;
    if (!column) return CST_ERR_ARGUMENT;
    if (int error = check_column(*column, &checked)) return error;
    if (!column->n) return CST_OK;
    const ClearRegisters clear(checked.key->suite->engine->cpu());
    return guarded([&]() -> int { return run_column(checked); });
}
