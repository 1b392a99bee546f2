// What stands behind the text of a deciphered record of MAC-then-encrypt: MAC and padding, taken off in a time that
// shows neither how long the padding is nor whether it is right.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst::ossl {

constexpr size_t MOST_RECORD_MAC = 64;
constexpr unsigned SSL_3 = 0x0300;  // its padding is of any bytes, but never more than a block

// `text` has *n bytes, which become those without MAC and padding; the last `mac_bytes` of the text (up to
// MOST_RECORD_MAC, 0: there is none) go to `mac`. Of a wrong padding nothing is taken off but a MAC, and `mac` has
// random bytes, that no MAC of the text will equal. False: too short for any; without a MAC, a wrong padding; no random
// bytes.
bool take_off_padding(unsigned version, const uint8_t *text, size_t *n, uint8_t *mac, size_t mac_bytes);

}  // namespace cst::ossl
