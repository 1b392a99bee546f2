// The C API: columns.

#include "handles.hpp"
#include "offsets.hpp"
#include "run/run.hpp"
#include "suite/registers.hpp"

using namespace cst;

namespace {

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
    if (!column.tags || (column.data_bytes && !column.data)) return CST_ERR_ARGUMENT;
    if (int error = check_offset_array(column.offsets, column.offset_bytes, column.n)) return error;
    if (column.n >= SIZE_MAX / 2 / stride) return CST_ERR_LENGTH;  // what is added to the product cannot overflow
    if (Range(column.data, column.data_bytes).wraps() || column.data_bytes > suite.lengths.seal.max)
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
