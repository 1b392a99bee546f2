// The C API: the rolling hash of a window.

#include <memory>

#include "arguments.hpp"
#include "../storage/rolling.hpp"

using namespace cst;

struct cst_rolling {
    explicit cst_rolling(size_t window) : hash(window), bytes(window) {}

    Rolling hash;
    const size_t bytes;
};

int cst_rolling_new(size_t window, cst_rolling **rolling) {
    if (!is_object(rolling)) return CST_ERR_ARGUMENT;
    if (!window || window > Rolling::MOST_WINDOW) return CST_ERR_LENGTH;
    return guarded([&]() -> int {
        *rolling = new cst_rolling(window);
        return CST_OK;
    });
}

void cst_rolling_free(cst_rolling *rolling) { delete rolling; }

int cst_rolling_reset(cst_rolling *rolling, const void *before, size_t bytes) {
    if (!rolling) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(length_error(!bytes || bytes == rolling->bytes), {Argument::input(before, bytes)}))
        return error;
    rolling->hash.reset(bytes ? static_cast<const uint8_t *>(before) : nullptr);
    return CST_OK;
}

int cst_rolling_run(cst_rolling *rolling, const void *in, size_t in_len, uint64_t mask, uint64_t trigger, size_t *used,
                    int *hit) {
    if (!rolling) return CST_ERR_ARGUMENT;
    if (int error =
            check_arguments(CST_OK, {Argument::input(in, in_len), Argument::outputs(used), Argument::outputs(hit)}))
        return error;
    bool hits;
    *used = rolling->hash.run(static_cast<const uint8_t *>(in), in_len, mask, trigger, &hits);
    *hit = hits;
    return CST_OK;
}
