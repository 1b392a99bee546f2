// What messages of a suite consist of besides their text, as data that the statements of message/ read: how the cipher
// begins, what sealing adds to a text, and which bytes the MAC covers in front of the text and behind it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

struct Suite;

struct MessageRow {
    // What the cipher's chaining value is made of: the IV; of half a block; enciphered, for a tweak (IEEE 1619, 5.1);
    // in a counter block (SP 800-38C, A.3).
    enum class Chain : uint8_t { iv, half_block, tweak, ccm_block };
    // PKCS#7's padding (RFC 7518, 5.2.2.1); a MAC and the padding of a TLS record (RFC 5246, 6.2.3.2).
    enum class Added : uint8_t { nothing, padding, record };
    // The AAD's length in bits (RFC 7518, 5.2.2.1); the high half of an extended sequence number, if the AAD has it
    // (RFC 4303, 2.2.1).
    enum class Trailer : uint8_t { none, aad_bits, sequence };

    Chain chain = Chain::iv;
    Added added = Added::nothing;
    bool covers_plaintext = false;  // the MAC, else the ciphertext
    Trailer trailer = Trailer::none;
    uint8_t most_trailer = 0;  // bytes
    uint8_t head_aad = 0;  // bytes of the AAD that the MAC covers in front of the text; 0: all
    uint16_t head_besides = 0;  // bytes of that head besides the AAD: the IV, a record's length, CCM's first block

    bool is_ccm() const { return chain == Chain::ccm_block; }
    bool is_record() const { return added == Added::record; }
    bool pads() const { return added == Added::padding; }
    uint64_t aad_in_head(uint64_t aad) const { return head_aad ? head_aad : aad; }
    uint64_t head_bytes(uint64_t aad) const { return aad_in_head(aad) + head_besides; }
};

MessageRow row_of(const Suite &suite);

}  // namespace cst
