// Which kernels do a step for the messages of a class. Costs decide (select/cost.hpp); what was decided is remembered.
#pragma once

#include "../suite/suite.hpp"

namespace cst {

// What is asked about a step.
struct Need {
    const Family *family;
    size_t messages;
    uint64_t bytes;          // of a message, in the mean
    uint64_t most;           // of the longest: what a kernel needs for an iteration must not be more
    bool one_key = false;
    bool aligned = true;     // cipher and hash stand at the same byte: hand-over kernels may run
    bool rounds_up = false;  // the end of a text may fill up a kernel's last iteration
    bool whole_only = false; // only kernels whose iteration is a block of the hash
    bool whole = false;      // a message is one call, its end included
    bool short_aad = false;  // and the AAD is one that kernels of short ones take
    uint64_t grain = 0;      // only kernels whose iteration is at most so many bytes, a power of two; 0: any
};

struct Lineup {
    const Variant *variant = nullptr;  // NULL: none fits. Its code is there
    size_t messages = 0;  // so many go with it, the longest; others are better asked about by themselves
    double cycles = 0;  // for all of them, core cycles
    const Variant *next = nullptr;  // the runner-up
    double next_cycles = 0;
};

Lineup line_up(const Suite &suite, const Need &need);

// What was said last of n messages of so many bytes, or what decide() says now. last: of that family, in the suite.
template <typename Decide>
const Variant *said_last(const Suite &suite, const Family &family, LastChoice *last, size_t n, uint64_t bytes,
                         bool short_aad, Decide decide) {
    if (suite.forced || !suite.remembered) return decide();
    const LastChoice::Question question = {bytes, n, short_aad, suite.engine->lineups().generation()};
    if (const Variant *const v = last->recall(family, question)) return v;
    const Variant *const v = decide();
    last->remember(family, question, v);
    return v;
}

// The kernel for n texts that one of `whole_hashes` or `blocks` takes whole.
const Variant *line_up_whole(const Suite &suite, const Family &family, LastChoice *last, size_t n, uint64_t bytes);

// Core cycles of a step beside the kernel's calls: a row of keys or chaining values that is put into a lane, or a
// pointer, is a store and a load.
double loading(const Variant &variant, bool one_key);

// The kernel of messages for so many, with texts and AADs of so many bytes; no variant: there is none, or of an AEAD
// other kernels take less for the parts.
Lineup choose_message(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t most, uint64_t aad);

// The kernel for the stitched middle: so many bytes of so many messages; NULL: none, or the parts one after the other
// take less.
const Variant *choose_pair(const Suite &suite, const Need &need, const Family &ciphers, double *cycles);

}  // namespace cst
