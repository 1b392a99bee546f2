// The C API: sectors with protection information.

#include "arguments.hpp"
#include "../storage/protection.hpp"

using namespace cst;

namespace {

constexpr uint32_t ALL_FIELDS = CST_PI_GUARD | CST_PI_APPLICATION | CST_PI_REFERENCE | CST_PI_STORAGE;

// The buffers of one call: n sectors on each side, with the information or without it.
struct Sides {
    const cst_pi *pi;
    size_t n;
    int length_error = CST_OK;
    size_t plain = 0, whole = 0;  // bytes of each side

    // Checks what the description says, but for the sectors' length.
    int check() {
        if (!is_object(pi) || pi->size != sizeof(*pi) || !pi->key || pi->type < 1 || pi->type > 3 ||
            pi->ignored & ~ALL_FIELDS)
            return CST_ERR_ARGUMENT;
        if (pi->flags & ~uint32_t(CST_STREAMING)) return CST_ERR_ARGUMENT;
        const size_t behind = Protection::bytes_of(*from(pi->key));
        if (!behind || pi->storage_bits > Protection::tag_bits(*from(pi->key)) || pi->storage_tag >> pi->storage_bits)
            return CST_ERR_ARGUMENT;
        const bool right = pi->sector_bytes && pi->sector_bytes <= MOST_BYTES;
        length_error = cst::length_error(right);
        whole = product_of(n, right ? pi->sector_bytes + behind : SIZE_MAX);
        plain = product_of(n, pi->sector_bytes);
        return CST_OK;
    }
};

// out: where the data goes, if out_bytes is not 0.
int check_sectors(const Sides &sides, const void *in, void *out, size_t out_bytes, cst_pi_fault *fault) {
    const Argument buffers[] = {Argument::inputs(sides.pi), Argument::input(in, sides.whole),
                                Argument::output(out, out_bytes), Argument::outputs(fault, fault ? 1 : 0)};
    if (any_wrong_pointer(buffers) || (fault && fault->size != sizeof(*fault))) return CST_ERR_ARGUMENT;
    if (sides.length_error) return sides.length_error;
    if (int error = check_places(buffers)) return error;
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
    if (int error = check_arguments(sides.length_error, {Argument::inputs(pi), Argument::input(in, sides.plain),
                                                         Argument::output(out, sides.whole)}))
        return error;
    return guarded([&]() -> int {
        Protection(*pi).insert(static_cast<const uint8_t *>(in), n, static_cast<uint8_t *>(out));
        return CST_OK;
    });
}

int cst_pi_check(const cst_pi *pi, const void *in, size_t n, cst_pi_fault *fault) {
    Sides sides = {pi, n};
    if (const int error = sides.check()) return error;
    return check_sectors(sides, in, nullptr, 0, fault);
}

int cst_pi_strip(const cst_pi *pi, const void *in, size_t n, void *out, cst_pi_fault *fault) {
    Sides sides = {pi, n};
    if (const int error = sides.check()) return error;
    return check_sectors(sides, in, out, sides.plain, fault);
}
