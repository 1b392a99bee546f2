// Takes keys of which a caller has the expanded form only, as the interfaces of other libraries supply them.
#pragma once

#include "key.hpp"

namespace cst {

// The parts of a key, each in the form that Key has. The key serves jobs of `direction` only. Parts that the suite's
// keys do not have are ignored.
struct ExpandedKey {
    int direction = CST_SEAL;
    const void *cipher = nullptr;  // round keys in the order of use in that direction; ChaCha20: the key
    const void *inner = nullptr, *outer = nullptr;  // HMAC's chaining values, words in host order
    const void *mac = nullptr;  // round keys of a block cipher's MAC; CCM's are the cipher's
    const void *whole = nullptr, *filled = nullptr;  // masks of its last block
    const void *powers = nullptr;  // GHASH_POWERS rows, as ghash_powers makes them

    // Whether the parts are at the same addresses: while nothing there changes, both make the same key.
    bool operator==(const ExpandedKey &other) const {
        return direction == other.direction && cipher == other.cipher && inner == other.inner && outer == other.outer &&
               mac == other.mac && whole == other.whole && filled == other.filled && powers == other.powers;
    }
};

// Makes a key in memory of suite.key_layout.bytes bytes, aligned as a Key is; the parts may be anywhere. Writes nothing
// on an error: CST_ERR_ARGUMENT (memory that is not aligned, an unknown direction, a part that is missing),
// CST_ERR_UNSUPPORTED (keys of XTS and of RC4 have other parts). It cannot tell whether a part belongs to any key. Time
// does not depend on the parts; different threads may make different keys at once.
int take_expanded_key(const Suite &suite, const ExpandedKey &parts, void *memory, const Key **out);

}  // namespace cst
