#include "der.hpp"

#include <cstring>

namespace cst::ossl {
namespace {

constexpr uint8_t INTEGER = 2, SEQUENCE = 0x30;

}  // namespace

void Der::put(const uint8_t *bytes, size_t n) {
    full_ |= n > at_;
    if (full_) return;
    at_ -= n;
    if (n) memcpy(memory_ + at_, bytes, n);
}

void Der::put_head(uint8_t tag, size_t length) {
    const uint8_t forms[] = {
        tag, uint8_t(length), tag, 0x81, uint8_t(length), tag, 0x82, uint8_t(length >> 8), uint8_t(length)};
    if (length < 128) put(forms, 2);
    else if (length < 256) put(forms + 2, 3);
    else put(forms + 5, 4);
}

void Der::put_integer(const uint8_t *number, size_t bytes) {
    for (; bytes > 1 && !number[0]; bytes--) number++;
    const uint8_t zero = 0;
    const bool extended = number[0] & 0x80;
    put(number, bytes);
    if (extended) put(&zero, 1);
    put_head(INTEGER, bytes + extended);
}

void Der::put_sequence() { put_head(SEQUENCE, end_ - at_); }

bool read_signature(const uint8_t *der, size_t bytes, uint8_t (&out)[64]) {
    if (bytes < 2 || der[0] != SEQUENCE || der[1] != bytes - 2) return false;
    const uint8_t *at = der + 2, *const end = der + bytes;
    memset(out, 0, sizeof(out));
    for (size_t i = 0; i < 2; i++) {
        if (end - at < 3 || at[0] != INTEGER || at[1] > end - at - 2 || !at[1]) return false;
        const uint8_t *number = at + 2;
        size_t n = at[1];
        at = number + n;
        if (number[0] & 0x80) return false;
        if (!number[0] && n > 1) {
            if (!(number[1] & 0x80)) return false;
            number++, n--;
        }
        if (n > 32) return false;
        memcpy(out + 32 * (i + 1) - n, number, n);
    }
    return at == end;
}

}  // namespace cst::ossl
