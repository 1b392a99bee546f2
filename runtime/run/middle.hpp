// The stitched middle of messages: middle.cpp says why it is right.
#pragma once

#include "lineup.hpp"
#include "message.hpp"

namespace cst {

// The part of a class's messages that pair kernels do.
struct Middle {
    const Family *family = nullptr;
    bool aligned = false;     // cipher and hash stand at the same byte: hand-over kernels may run
    bool overwrites = false;  // the hash reads what the cipher overwrites; else it reads what the cipher wrote
    bool opens = false;       // by the kernels that decipher
    bool apart =
        false;  // the hash reads neither what the cipher writes nor what it overwrites: each begins where it likes
    bool keyed = false;  // the MAC's keys are made for `choice` (chacha_poly.cpp): no other kernel will do
    const Variant *choice = nullptr;
    double cycles = 0;  // of it

    // The hash must be ahead of the cipher.
    bool ahead() const { return overwrites && !aligned; }
};
// What a construction's messages may have, in the order in which they are asked about.
struct Middles {
    Middle of[2];
    size_t n = 0;

    bool any() const { return (n > 0 && of[0].choice) || (n > 1 && of[1].choice); }
    const Middle &for_message(const Message &m) const { return n > 1 && of[1].aligned == m.aligned ? of[1] : of[0]; }
};
// Asks for kernels, and marks the messages whose middle one will do (`paired`). The messages' bodies and boundaries are
// known.
Middles choose_middles(const Class &c);
// Whether such texts (of them the need says number, lengths and keys) are better stitched in steps than as lists
// (lists.cpp).
bool stitches(const Suite &suite, bool opens, uint64_t aad, const Need &texts);
// Cipher position at which a pair kernel starts, and the hash's.
uint64_t cipher_start(const Message &m, const Middle &middle);
uint64_t hash_start(const Message &m, const Middle &middle);
// All that are paired stand at their starts. Afterwards fewer bytes are left than a pair kernel needs.
void run_middles(const Class &c, const Middles &middles);
// All of it, where only the hash has something to do in front of the middle, and there is one: as run_macs.
typedef void RunHashes(const Class &c, Message **list, size_t n);
void run_middles_behind(const Class &c, RunHashes *hash);
// The paired ones, of which there are so many.
size_t list_paired(const Class &c, Message **list);

}  // namespace cst
