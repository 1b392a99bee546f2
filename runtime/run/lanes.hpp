// Lane scheduling: a list of items of any lengths over the lanes of kernels.
#pragma once

#include "../suite/suite.hpp"

namespace cst {

// Bytes that lie together.
struct Piece {
    const uint8_t *at = nullptr;
    uint64_t bytes = 0;
};

constexpr size_t MOST_THEN = 3;

// One buffer for one kernel role.
struct Item {
    const uint8_t *in = nullptr;       // the cipher's input
    uint8_t *out = nullptr;            // the cipher's output
    const uint8_t *hash_in = nullptr;  // the hash's input
    // Chaining values: where they are taken from, and where they are left; from then on they are taken from there.
    const uint8_t *cipher_from = nullptr;
    uint8_t *cipher_chain = nullptr;   // 16 bytes, and the table where the stream has one
    const uint8_t *hash_from = nullptr;
    uint8_t *hash_chain = nullptr;     // words in host order
    const uint8_t *round_keys = nullptr;
    const uint8_t *mac_keys_end = nullptr;  // of a MAC with a key: behind its last row (power 1; the last round key). A program with n rows takes the last n
    uint64_t bytes = 0;                // left; whole steps are taken from it
    Piece then[MOST_THEN];             // a hash alone goes on with these, without leaving its lane; until the first without bytes
    uint64_t done = 0;
    uint64_t iterations = 0;           // left, in steps of the kernel that runs
    void *owner = nullptr;

    uint64_t bytes_and_then() const {
        uint64_t sum = bytes;
        for (size_t i = 0; i < MOST_THEN && then[i].bytes; i++) sum += then[i].bytes;
        return sum;
    }
    // The sizes of all pieces, or-ed: a power of two divides every size if it divides this.
    uint64_t bits() const {
        uint64_t bits = bytes;
        for (size_t i = 0; i < MOST_THEN && then[i].bytes; i++) bits |= then[i].bytes;
        return bits;
    }
    bool same_pieces(const Item &other) const {
        if (bytes != other.bytes) return false;
        for (size_t i = 0; i < MOST_THEN; i++) {
            if (then[i].bytes != other.then[i].bytes) return false;
            if (!then[i].bytes) break;
        }
        return true;
    }
    // Takes the next piece up when nothing is left of this one. False: there is none.
    bool go_on() {
        if (bytes || !then[0].bytes) return false;
        hash_in = then[0].at;
        bytes = then[0].bytes;
        for (size_t i = 1; i < MOST_THEN; i++) then[i - 1] = then[i];
        then[MOST_THEN - 1].bytes = 0;
        return true;
    }
};

// Output of lanes that have no item. They repeat the input of a lane that has one, and must not write to anybody's buffer.
constexpr size_t IDLE_OUT_BYTES = 8192;

// Memory that kernels work in. Wipe it up to the marks when done.
struct LaneMemory {
    uint8_t *state = nullptr;     // Engine::most_state_bytes(), aligned to STATE_ALIGN
    uint8_t *idle_out = nullptr;  // IDLE_OUT_BYTES
    size_t state_used = 0;
    bool idle_used = false;
};

struct Phase {
    const Suite *suite = nullptr;
    const Family *family = nullptr;
    bool one_key = false;
    bool aligned = true;  // hand-over kernels may run
    bool pair = false;    // stop when cipher and hash one after the other are cheaper
    const Variant *first = nullptr;  // the choice for all items, where it is known already
};

// Runs every item as far as the family's steps go: what is left in `bytes` is smaller than what any usable kernel needs.
// Each round takes the kernel that is cheapest for the items that are left. `order` has room for n.
void run_phase(const Phase &phase, LaneMemory *memory, Item *const *items, Item **order, size_t n);

// A question about `n` items of `mean` bytes, none shorter than `least`.
Query query_of(const Phase &phase, size_t n, uint64_t mean, uint64_t least);

// The pair kernel for these items; none when cipher and hash one after the other are cheaper (or pairs of the suite's other family for opening), or a
// kernel of one of the two is forced.
Pick choose_pair(const Phase &phase, const Query &query);

// What runs the phase: choose_pair or pick, remembered from burst to burst. NULL: nothing.
const Variant *decide(const Phase &phase, const Query &query);

}  // namespace cst
