// One call of a kernel of GCM, for a message or for a piece in the midst of one, under a key of any layout.
#pragma once

#include "../executors/message_calls.hpp"

namespace cst {

struct GcmText {
    const void *round_keys;
    const uint8_t (*powers_end)[16];  // behind H
    const uint8_t *counter;           // J0: the first block of the text has the next one
    Bytes aad;                        // at most MESSAGE_AAD bytes; a hash may stand for others
    const uint8_t *in;
    uint8_t *out;
    uint64_t bytes;
    uint64_t aad_length, text_length;  // in bytes, as the last block counts them
};

class GcmCall : public MessageCalls {
public:
    [[gnu::always_inline]] GcmCall(CallRoom *room, uint64_t bytes) : MessageCalls(room) { set_length(bytes); }

    // Returns how many blocks the shared reduction after the loop has: a stride, or the AAD of a short message, and the
    // end. It begins with the power of as many more as there are blocks behind these.
    [[gnu::always_inline]] size_t end_blocks() const { return front_blocks() + blocks_of(end_); }
    [[gnu::always_inline]] size_t front_blocks() const { return place_.is_short ? place_.aad_blocks : step_ / BLOCK; }

    // end_powers: the first power of the shared reduction. Writes the text, and the tag (of 16 bytes).
    [[gnu::always_inline]] void run(const GcmText &text, const uint8_t (*end_powers)[16], uint8_t *tag) {
        const size_t before = BLOCK * (place_.aad_blocks - blocks_of(text.aad.n));
        memcpy(state_ + place_.counter, text.counter, BLOCK);
        put_words(state_ + place_.lengths, __builtin_bswap64(8 * text.aad_length),
                  __builtin_bswap64(8 * text.text_length));
        point(place_.key, text.round_keys);
        point(place_.powers, text.powers_end - step_ / BLOCK);
        point(place_.end_powers, end_powers);
        if (place_.bits) {
            put_word(place_.aad_mask, first_bits(text.aad.n) << (before & 63));
        } else {
            for (size_t at = 0; at < MESSAGE_AAD; at += BLOCK) put_zeros(room_.aad + at);
        }
        point(place_.aad, room_.aad);
        room_.used_aad = true;
        if (text.aad.n) put_short_aad(text.aad.data, before, text.aad.n);
        call(text.in, text.out);
        memcpy(tag, state_ + place_.chain, BLOCK);
        call_.variant->calls.add(1);
    }
};

}  // namespace cst
