// The C API: columns.

#include "offsets.hpp"
#include "../run/column.hpp"
#include "../suite/registers.hpp"

using namespace cst;

namespace {

int check_column(const cst_column &column, Column *out) {
    if (column.size != sizeof(column) || !column.key || from(column.key)->suite->enciphers()) return CST_ERR_ARGUMENT;
    if (column.offset_bytes != 4 && column.offset_bytes != 8) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(column.key)->suite;
    const size_t stride = column.stride ? column.stride : column.tag_len;
    const Argument its = Argument::inputs(&column), data = Argument::input(column.data, column.data_bytes),
                   tags = Argument::output(column.tags, rows_of(column.n, column.tag_len, stride)),
                   offsets = column.n ? offset_array(column.offsets, column.offset_bytes, column.n)
                                      : Argument::input(nullptr, 0);
    if (any_wrong_pointer({its, data, tags, offsets})) return CST_ERR_ARGUMENT;
    if (!suite.lengths.seal.hold_tag(column.tag_len) || stride < column.tag_len) return CST_ERR_LENGTH;
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
    // All lengths, before offsets are read: how many there are is one of them.
    if (any_wrong_length({its, data, offsets, tags}) || column.data_bytes > suite.lengths.seal.max)
        return CST_ERR_LENGTH;
    out->end = out->data + column.data_bytes;
    if (!(out->wide ? right_offsets<uint64_t> : right_offsets<uint32_t>)(column.offsets, column.n, column.data_bytes))
        return CST_ERR_LENGTH;
    const uint64_t first = out->offset(0);
    return check_places({its, Argument::input(out->data + first, out->offset(column.n) - first), offsets, tags});
}

}  // namespace

int cst_digest_column(const cst_column *column) {
    Column checked;
    if (!is_object(column)) return CST_ERR_ARGUMENT;
    if (int error = check_column(*column, &checked)) return error;
    if (!column->n) return CST_OK;
    const ClearRegisters clear(checked.key->suite->engine->cpu());
    return guarded([&]() -> int { return run_column(checked); });
}
