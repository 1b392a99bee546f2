// Runs the stitched middle of messages; stitch.hpp explains why it is right.
#pragma once

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"

namespace cst {

// Describes the part of a class's messages that pair kernels do.
struct Middle {
    const Family *family = nullptr;
    bool aligned = false;     // cipher and hash are at the same byte: hand-over kernels may run
    bool overwrites = false;  // the hash reads what the cipher overwrites; else it reads what the cipher wrote
    bool opens = false;       // the kernels decrypt
    bool apart =
        false;  // the hash reads neither what the cipher writes nor what it overwrites: each may begin anywhere
    bool keyed = false;  // the MAC's keys are made for `choice` (chacha_poly.cpp): no other kernel may run
    const Variant *choice = nullptr;
    double cycles = 0;  // core cycles of `choice`

    // Whether the hash must be ahead of the cipher.
    bool ahead() const { return overwrites && !aligned; }
};
// The middles that a construction's messages may have, in the order in which they are tried.
struct Middles {
    Middle of[2];
    size_t n = 0;

    bool any() const { return (n > 0 && of[0].choice) || (n > 1 && of[1].choice); }
    const Middle &for_message(const Message &m) const { return n > 1 && of[1].aligned == m.aligned ? of[1] : of[0]; }
};
// Selects kernels, and marks the messages whose middle one of them does (`paired`). The messages' bodies and boundaries
// must be known.
Middles choose_middles(const Class &c);
// Return the positions at which a pair kernel starts: the cipher's, the hash's.
uint64_t cipher_start(const Message &m, const Middle &middle);
uint64_t hash_start(const Message &m, const Middle &middle);
// Runs the middles of all paired messages, which must be at their starts. Afterwards fewer bytes are left than a pair
// kernel needs.
void run_middles(const Class &c, const Middles &middles);
// Selects and runs the middles, if there are any, of messages of which only the hash has something to do in front of
// the middle. hash: a function like run_macs.
typedef void RunHashes(const Class &c, Message **list, size_t n);
void run_middles_behind(const Class &c, RunHashes *hash);
// Lists the paired messages. Returns their number.
size_t list_paired(const Class &c, Message **list);

}  // namespace cst
