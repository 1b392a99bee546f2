// The C API: checksums by themselves.

#include <algorithm>

#include "arguments.hpp"
#include "../storage/checksum.hpp"
#include "../storage/past_caches.hpp"
#include "../keys/keys.hpp"

using namespace cst;

namespace {

bool of_checksum(const cst_key *key) { return key && is_checksum(*from(key)->suite); }

template <size_t N>
int check_update(const cst_key *key, const uint64_t *value, const Argument (&buffers)[N]) {
    if (!of_checksum(key)) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, buffers)) return error;
    return from(key)->crc().fits(*value) ? CST_OK : CST_ERR_ARGUMENT;
}

// Copies a text part by part, and returns the checksum of what had `value`, followed by the text. Of the copy and the
// sum of a part, whichever comes second finds it in the first-level cache.
uint64_t copy_and_sum(const Key &key, uint64_t value, const uint8_t *in, size_t n, uint8_t *out, bool past_caches) {
    constexpr size_t PART = 4096;  // a page: CPUs fetch ahead within one
    const Crc &crc = key.crc();
    uint64_t sum = value ^ crc.final;
    while (n) {
        const size_t some = std::min(PART, n), parts = n / some;
        const ChecksumCalls calls(*key.suite, parts, some);
        for (size_t i = 0; i < parts; i++, in += some, out += some) {
            if (!past_caches) memcpy(out, in, some);
            sum = calls.run(key, sum, past_caches ? in : out, some);
            if (past_caches) copy_past_caches(out, in, some);
        }
        n -= parts * some;
    }
    if (past_caches) end_past_caches();
    return sum ^ crc.final;
}

}  // namespace

int cst_crc_new(cst_ctx *ctx, const cst_crc *parameters, cst_key **key) {
    if (!ctx || !is_object(parameters) || parameters->size != sizeof(*parameters) || parameters->reflected > 1 ||
        !is_object(key))
        return CST_ERR_ARGUMENT;
    const Crc crc(parameters->width, parameters->reflected, parameters->polynomial, parameters->initial,
                  parameters->final);
    if (!crc.sound()) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        const Suite *const suite = ctx->suites.find(any_checksum_name(crc.reflected));
        if (!suite) return CST_ERR_UNSUPPORTED;
        if (int error = prepare_suite(*suite)) return error;
        KeyPointer made;
        if (int error = new_key(*suite, reinterpret_cast<const uint8_t *>(&crc), sizeof(crc), nullptr, 0, &made))
            return error;
        *key = reinterpret_cast<cst_key *>(made.release());
        return CST_OK;
    });
}

int cst_checksum_update(const cst_key *key, const void *in, size_t in_len, uint64_t *value) {
    if (const int error = check_update(key, value, {Argument::input(in, in_len), Argument::outputs(value)}))
        return error;
    const Crc &crc = from(key)->crc();
    return guarded([&]() -> int {
        *value = go_on_with(*from(key), *value ^ crc.final, in, in_len) ^ crc.final;
        return CST_OK;
    });
}

int cst_checksum_copy(const cst_key *key, const void *in, size_t in_len, void *out, uint32_t flags, uint64_t *value) {
    if (flags & ~uint32_t(CST_STREAMING)) return CST_ERR_ARGUMENT;
    if (const int error = check_update(
            key, value, {Argument::input(in, in_len), Argument::output(out, in_len), Argument::outputs(value)}))
        return error;
    return guarded([&]() -> int {
        *value = copy_and_sum(*from(key), *value, static_cast<const uint8_t *>(in), in_len, static_cast<uint8_t *>(out),
                              flags & CST_STREAMING);
        return CST_OK;
    });
}

int cst_checksum_combine(const cst_key *key, uint64_t first, uint64_t second, uint64_t second_len, uint64_t *value) {
    if (!of_checksum(key) || !is_object(value)) return CST_ERR_ARGUMENT;
    const Crc &crc = from(key)->crc();
    if (!crc.fits(first) || !crc.fits(second)) return CST_ERR_ARGUMENT;
    if (second_len >> 61) return CST_ERR_LENGTH;
    *value = crc.combine(first, second, second_len);
    return CST_OK;
}
