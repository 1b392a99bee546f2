// Removes MAC and padding from a decrypted record of MAC-then-encrypt, in a time that reveals neither the length of the
// padding nor whether it is right.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst::ossl {

constexpr size_t MOST_RECORD_MAC = 64;
constexpr unsigned SSL_3 = 0x0300;  // its padding is of any bytes, but never more than a block

// Removes MAC and padding from the *n bytes of `text`, and corrects *n. Copies the MAC, the last `mac_bytes` bytes of
// the text (at most MOST_RECORD_MAC; 0: there is none), to `mac`. If the padding is wrong, only the MAC's length is
// removed, and `mac` gets random bytes, which no MAC of the text will equal. Returns false if the record is too short,
// if the padding is wrong and there is no MAC, or if random bytes are missing.
bool take_off_padding(unsigned version, const uint8_t *text, size_t *n, uint8_t *mac, size_t mac_bytes);

}  // namespace cst::ossl
