// Kernel selection: which kernels do a step for the messages of a class. Costs decide (select/cost.hpp), once for each
// range of lengths (select/choices.hpp).
#pragma once

#include "../suite/suite.hpp"

namespace cst {

// Describes the step that needs a kernel.
struct Need {
    const Family *family;
    size_t messages;
    uint64_t bytes;          // mean length of a message
    uint64_t most;           // length of the longest message: an iteration must not need more
    bool one_key = false;
    bool aligned = true;     // cipher and hash are at the same byte, so that hand-over kernels may run
    bool rounds_up = false;  // the end of a text may be padded to a whole iteration
    bool whole_only = false; // only kernels whose iteration is one block of the hash
    bool whole = false;      // one call processes a message, its end included
    bool short_aad = false;  // the AAD is short enough for kernels of short AADs
    uint64_t grain = 0;      // only kernels whose iteration is at most this many bytes, a power of two; 0: any
};

struct Lineup {
    const Variant *variant = nullptr;  // NULL: none fits. Otherwise its code is loaded
    size_t messages = 0;  // how many messages, the longest, run on it; select again for the others
};

// A kernel selection with its figures: core cycles for all messages, and the runner-up.
struct Ranking {
    Lineup chosen;
    double cycles = 0;
    const Variant *next = nullptr;
    double next_cycles = 0;
};

Lineup line_up(const Suite &suite, const Need &need);

// Returns the choice of line_up together with its expected cost.
Ranking rank(const Suite &suite, const Need &need);

// Returns the core cycles of a step, each part of the messages on the kernel selected for it; infinite if a part has
// none.
double step_cycles(const Suite &suite, const Need &need);

// Selects the kernel for n texts from a family that takes a text in one call (`whole_hashes` or `blocks`).
const Variant *line_up_whole(const Suite &suite, const Family &family, size_t n, uint64_t bytes);

// Returns the core cycles of a step besides the kernel's calls: to put a row of a key, a row of a chaining value or a
// pointer into a lane takes a store and a load.
double loading(const Variant &variant, bool one_key);

// Describes messages that are one kernel call each, with texts of `bytes` and AADs of `aad` bytes.
Need message_need(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t aad);

// Selects the kernel that processes whole messages. NULL: there is none, or, for an AEAD, separate kernels for the
// parts take less time.
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
    uint64_t question_ = 0;  // number of the question (lineup.cpp) without the length; 0: not known
};

// Selects the stitched kernel for the middle of the messages. NULL: there is none, or the parts one after the other
// take less time. cycles: NULL, or receives the kernel's core cycles.
const Variant *choose_pair(const Suite &suite, const Need &exact, const Family &ciphers, double *cycles);
// Whether the pair kernel, with the steps that it needs around it, takes less time than cipher and MAC as lists
// (lists.cpp).
bool pair_beats_lists(const Suite &suite, const Need &exact, const Family &ciphers);

}  // namespace cst
