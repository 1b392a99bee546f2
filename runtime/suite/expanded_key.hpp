// Keys of which a caller holds the expanded form alone, as the interfaces of other libraries hand them over.
#pragma once

#include "key.hpp"

namespace cst {

// The parts of a key, each in the form in which Key has it. The key serves jobs of `direction` alone. Those that the
// suite's keys do not have are not looked at.
struct ExpandedKey {
    int direction = CST_SEAL;
    const void *cipher = nullptr;  // round keys in the order of use in that direction; ChaCha20: the key
    const void *inner = nullptr, *outer = nullptr;  // HMAC's chaining values, words in host order
    const void *mac = nullptr;  // round keys of a block cipher's MAC; CCM's are the cipher's
    const void *whole = nullptr, *filled = nullptr;  // what is added to its last block
    const void *powers = nullptr;  // GHASH_POWERS rows, as ghash_powers makes them

    // The same places: while nothing there changes, both make the same key.
    bool operator==(const ExpandedKey &other) const {
        return direction == other.direction && cipher == other.cipher && inner == other.inner && outer == other.outer &&
               mac == other.mac && whole == other.whole && filled == other.filled && powers == other.powers;
    }
};

// In memory of suite.key_layout.bytes bytes, aligned as a Key is; where the parts lie does not matter. Nothing is
// written on an error: CST_ERR_ARGUMENT (memory that is not aligned, an unknown direction, a part that is missing),
// CST_ERR_UNSUPPORTED (keys of XTS and of RC4 have other parts). Whether a part belongs to any key cannot be seen from
// it. Time does not depend on the parts; different keys may be made by different threads at once.
int take_expanded_key(const Suite &suite, const ExpandedKey &parts, void *memory, const Key **out);

}  // namespace cst
