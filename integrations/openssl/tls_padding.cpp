#include "tls_padding.hpp"

#include <algorithm>
#include <cstring>

#include "cipher.hpp"
#include "suite/mask.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {
namespace {

constexpr uint32_t MOST_PADDING = 256;  // with the byte that tells it

// Returns a mask: whether the last `padding + 1` of n bytes are a padding with room for `before` bytes in front of it.
uint32_t is_padding(unsigned version, const uint8_t *text, uint32_t n, uint32_t padding, uint32_t before) {
    const uint32_t fits = mask_less(padding + before, n);
    if (version == SSL_3) return fits & mask_less(padding, BLOCK);
    uint32_t differs = 0;
    for (uint32_t i = 0, all = std::min(n, MOST_PADDING); i < all; i++)
        differs |= mask_less(i, padding + 1) & (text[n - 1 - i] ^ padding);
    return fits & mask_equal(hidden(differs), 0);
}

}  // namespace

bool take_off_padding(unsigned version, const uint8_t *text, size_t *bytes, uint8_t *mac, size_t mac_bytes) {
    const uint32_t n = uint32_t(*bytes), tail = uint32_t(mac_bytes);
    if (*bytes >> 31 || mac_bytes > MOST_RECORD_MAC || n < tail + 1) return false;
    const uint32_t padding = text[n - 1], right = hidden(is_padding(version, text, n, padding, tail)),
                   off = right & (padding + 1);
    *bytes = n - off - tail;
    if (!tail) return right;
    uint8_t other[MOST_RECORD_MAC];
    if (!random_bytes(other, tail)) return false;
    // the MAC lies somewhere in the window, at its start if the padding is wrong
    const uint32_t window = std::min(n, tail + MOST_PADDING);
    uint8_t end[MOST_RECORD_MAC + MOST_PADDING + 32];
    memcpy(end, text + n - window, window);
    memset(end + window, 0, sizeof(end) - window);
    shift_down(end, right & (window - tail - off), tail);
    for (uint32_t i = 0; i < tail; i++) mac[i] = uint8_t((end[i] & right) | (other[i] & ~right));
    wipe(end, sizeof(end));
    return true;
}

}  // namespace cst::ossl
