// Runs the stitched middle of messages; stitch.hpp explains why it is right.
#pragma once

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"

namespace cst {

// Describes the part of a class's messages that a pair kernel does.
struct Middle {
    bool aligned = false;  // cipher and hash are at the same byte: hand-over kernels may run
    bool ahead = false;  // the hash must be ahead of the cipher, which overwrites what it reads
    bool keyed = false;  // the MAC's keys are made for `choice` (chacha_poly.cpp): no other kernel may run
    const Variant *choice = nullptr;
    double cycles = 0;  // core cycles of `choice`
};
// Selects a kernel, and marks the messages whose middle it does (`paired`). The messages' bodies and boundaries must be
// known.
Middle choose_middle(const Class &c);
// Return the positions at which a pair kernel starts: the cipher's, the hash's.
uint64_t cipher_start(const Message &m, const Middle &middle);
uint64_t hash_start(const Suite &suite, const Message &m, const Middle &middle);
// Runs the middles of all paired messages, which must be at their starts. Afterwards fewer bytes are left than a pair
// kernel needs.
void run_middles(const Class &c, const Middle &middle);
// Selects and runs the middles, if there are any, of messages of which only the hash has something to do in front of
// the middle. hash: a function like run_bodies.
typedef void RunHashes(const Class &c, Message **list, size_t n);
void run_middles_behind(const Class &c, RunHashes *hash);
// Lists the paired messages. Returns their number.
size_t list_paired(const Class &c, Message **list);

}  // namespace cst
