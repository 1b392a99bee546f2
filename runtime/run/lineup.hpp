// Which kernels do a step for the messages of a class. Costs decide (select/cost.hpp), once for each range of lengths
// (select/choices.hpp).
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
};

// A line-up with its figures: core cycles for all messages, and the runner-up.
struct Ranking {
    Lineup chosen;
    double cycles = 0;
    const Variant *next = nullptr;
    double next_cycles = 0;
};

Lineup line_up(const Suite &suite, const Need &need);

// Returns the choice of line_up together with its expected cost.
Ranking rank(const Suite &suite, const Need &need);

// Core cycles of a step, each part of the messages on the kernel that is chosen for it; infinite where there is none.
double step_cycles(const Suite &suite, const Need &need);

// The kernel for n texts that one of `whole_hashes` or `blocks` takes whole.
const Variant *line_up_whole(const Suite &suite, const Family &family, size_t n, uint64_t bytes);

// Core cycles of a step beside the kernel's calls: a row of keys or chaining values that is put into a lane, or a
// pointer, is a store and a load.
double loading(const Variant &variant, bool one_key);

// Describes messages that are one kernel call each, with texts of `bytes` and AADs of `aad` bytes.
Need message_need(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t aad);

// The kernel of messages for so many; NULL: there is none, or of an AEAD other kernels take less for the parts.
const Variant *choose_message(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t aad);
const Variant *choose_message(const Suite &suite, bool opens, const Need &exact);

// Answers choose_message for many lengths of one suite, direction and AAD length.
class MessageKernels {
public:
    MessageKernels(const Suite &suite, bool opens, size_t n, uint64_t aad);
    const Variant *of(uint64_t bytes) const;

private:
    const Suite &suite_;
    const bool opens_;
    const size_t n_;
    const uint64_t aad_;
    uint64_t question_ = 0;  // as lineup.cpp numbers it, without the length; 0: not known
};

// The kernel for the stitched middle: so many bytes of so many messages; NULL: none, or the parts one after the other
// take less. `cycles`: NULL, or where its core cycles go.
const Variant *choose_pair(const Suite &suite, const Need &exact, const Family &ciphers, double *cycles);
// Whether it, with the steps that it needs around it, takes less than cipher and MAC as lists (lists.cpp).
bool pair_beats_lists(const Suite &suite, const Need &exact, const Family &ciphers);

}  // namespace cst
