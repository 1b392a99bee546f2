// The C API: the rolling hash of a window.

#include <memory>

#include "handles.hpp"
#include "run/rolling.hpp"

using namespace cst;

struct cst_rolling {
    explicit cst_rolling(size_t window) : hash(window), bytes(window) {}

    Rolling hash;
    const size_t bytes;
};

int cst_rolling_new(size_t window, cst_rolling **rolling) {
    if (!rolling) return CST_ERR_ARGUMENT;
    if (!window || window > Rolling::MOST_WINDOW) return CST_ERR_LENGTH;
    return guarded([&]() -> int {
        *rolling = new cst_rolling(window);
        return CST_OK;
    });
}

void cst_rolling_free(cst_rolling *rolling) { delete rolling; }

int cst_rolling_reset(cst_rolling *rolling, const void *before, size_t bytes) {
    if (!rolling || (bytes && !before)) return CST_ERR_ARGUMENT;
    if (bytes && bytes != rolling->bytes) return CST_ERR_LENGTH;
    rolling->hash.reset(bytes ? static_cast<const uint8_t *>(before) : nullptr);
    return CST_OK;
}

int cst_rolling_run(cst_rolling *rolling, const void *in, size_t in_len, uint64_t mask, uint64_t trigger, size_t *used,
                    int *hit) {
    if (!rolling || (in_len && !in) || !used || !hit) return CST_ERR_ARGUMENT;
    if (Range(in, in_len).wraps()) return CST_ERR_LENGTH;
    bool hits;
    *used = rolling->hash.run(static_cast<const uint8_t *>(in), in_len, mask, trigger, &hits);
    *hit = hits;
    return CST_OK;
}
