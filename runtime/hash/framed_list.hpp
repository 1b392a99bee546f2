// Messages whose kernels read padded blocks, and parts of them: the work that framed.cpp runs in lanes, for itself and
// for hashes that consist of such messages (leaves.cpp).
#pragma once

#include "framed.hpp"
#include "../executors/message.hpp"

namespace cst {

enum class FramedProgress : uint8_t {
    absorb,  // padded blocks of the message
    outer,  // HMAC's outer hash
    squeeze,  // the chaining value is output
    more,  // the next chaining value is output, too
    keep,  // the chaining value is kept for the step that ends the message
    done
};

// A message, or a part of one: bytes first .. bytes of a text, which is `in_bytes` bytes of `in`, then `behind`.
struct Framed {
    const Key *key;
    Buffer in;
    const uint8_t *behind;
    uint64_t in_bytes, bytes, first, at;  // at: how far the text is in padded blocks; it began at `first`
    uint64_t before;  // bytes of the message in front of the text, with HMAC's key block
    size_t held;  // bytes of a block, in front of the text
    const uint8_t *from;  // initial chaining value
    const uint8_t *waiting;  // the held bytes; NULL: they are in the chaining value
    FramedState *state;  // of a part; NULL: this is a whole message
    uint32_t domain;  // as in the algorithm record
    bool ends;
    uint8_t *kept;  // of a hash whose messages end with a step: its chaining value
    uint64_t lengths[2];  // for that step: 0, and the bytes of the message, once its last block is padded
    uint8_t *tag;  // only read if it is compared
    size_t tag_len, given;
    bool compares, right;
    FramedProgress progress;
    uint64_t blocks;  // number of blocks for a kernel
};

// Sets up a message without text and without output.
void begin_framed(const Suite &suite, const Key *key, Framed *m);
// Sets its text: bytes first .. first + bytes of `in`.
inline void set_text(Framed *m, const Buffer &in, uint64_t first, uint64_t bytes) {
    m->in = in;
    m->first = m->at = first;
    m->in_bytes = m->bytes = first + bytes;
}
// Sets where the output goes, or what it is compared with.
inline void set_output(Framed *m, uint8_t *tag, size_t tag_len, bool compares) {
    m->tag = tag;
    m->tag_len = tag_len;
    m->compares = compares;
}
// Counts the blocks of a whole message, whose text and output are set.
void count_blocks(const Suite &suite, Framed *m);
// Makes it a part of the message in `state`, which begins or goes on with this text; `ends`: it is the last part. Text
// and output are set. Does what needs no kernel. Returns false if that was all.
bool go_on_with(const Suite &suite, FramedState *state, bool ends, Framed *m);

// Runs messages of one suite, each of which has something to do for a kernel. Changes their order.
void run_list(const Suite &suite, Memory *memory, Framed **list, size_t n);

// Selects the kernels for messages of `blocks` blocks in all, `most` of one.
Ranking rank_blocks(const Suite &suite, size_t messages, uint64_t blocks, uint64_t most);
// Returns how many blocks a kernel runs for a message with so many bytes of text and of output.
uint64_t all_blocks(const Suite &suite, uint64_t bytes, uint64_t output);

}  // namespace cst
