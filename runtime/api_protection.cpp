// The C API: sectors with protection information.

#include "handles.hpp"
#include "run/protection.hpp"

using namespace cst;

namespace {

constexpr uint32_t ALL_FIELDS = CST_PI_GUARD | CST_PI_APPLICATION | CST_PI_REFERENCE | CST_PI_STORAGE;

// The buffers of one call: n sectors on each side, with the information or without it.
struct Sides {
    const cst_pi *pi;
    size_t n;
    size_t plain = 0, whole = 0;  // bytes

    int check() {
        if (!pi || pi->size != sizeof(*pi) || !pi->key || pi->type < 1 || pi->type > 3 || pi->ignored & ~ALL_FIELDS)
            return CST_ERR_ARGUMENT;
        if (pi->flags & ~uint32_t(CST_STREAMING)) return CST_ERR_ARGUMENT;
        const size_t behind = Protection::bytes_of(*from(pi->key));
        if (!behind || pi->storage_bits > Protection::tag_bits(*from(pi->key)) || pi->storage_tag >> pi->storage_bits)
            return CST_ERR_ARGUMENT;
        size_t sector;
        if (!pi->sector_bytes || __builtin_add_overflow(pi->sector_bytes, behind, &sector) ||
            __builtin_mul_overflow(sector, n, &whole))
            return CST_ERR_LENGTH;
        plain = pi->sector_bytes * n;
        return CST_OK;
    }
};

int check_ranges(const Range &read, const Range &written, const cst_pi_fault *fault) {
    const Range told(fault, fault ? sizeof(*fault) : 0);
    if (read.wraps() || written.wraps()) return CST_ERR_LENGTH;
    return written.meets(read) || told.meets(read) || told.meets(written) ? CST_ERR_OVERLAP : CST_OK;
}

// out: NULL, or where the data goes.
int check_sectors(Sides sides, const void *in, void *out, cst_pi_fault *fault) {
    if (fault && fault->size != sizeof(*fault)) return CST_ERR_ARGUMENT;
    if (const int error = check_ranges(Range(in, sides.whole), Range(out, out ? sides.plain : 0), fault)) return error;
    return guarded([&]() -> int {
        uint32_t fields;
        const size_t sector = Protection(*sides.pi).check(static_cast<const uint8_t *>(in), sides.n,
                                                          static_cast<uint8_t *>(out), &fields);
        if (fault) {
            fault->sector = sector;
            fault->fields = fields;
        }
        return fields ? CST_ERR_AUTH : CST_OK;
    });
}

}  // namespace

int cst_pi_insert(const cst_pi *pi, const void *in, size_t n, void *out) {
    Sides sides = {pi, n};
    if (const int error = sides.check()) return error;
    if (n && (!in || !out)) return CST_ERR_ARGUMENT;
    if (const int error = check_ranges(Range(in, sides.plain), Range(out, sides.whole), nullptr)) return error;
    return guarded([&]() -> int {
        Protection(*pi).insert(static_cast<const uint8_t *>(in), n, static_cast<uint8_t *>(out));
        return CST_OK;
    });
}

int cst_pi_check(const cst_pi *pi, const void *in, size_t n, cst_pi_fault *fault) {
    Sides sides = {pi, n};
    if (const int error = sides.check()) return error;
    if (n && !in) return CST_ERR_ARGUMENT;
    return check_sectors(sides, in, nullptr, fault);
}

int cst_pi_strip(const cst_pi *pi, const void *in, size_t n, void *out, cst_pi_fault *fault) {
    Sides sides = {pi, n};
    if (const int error = sides.check()) return error;
    if (n && (!in || !out)) return CST_ERR_ARGUMENT;
    return check_sectors(sides, in, out, fault);
}
