// Keys of GCM as the library wants them, kept from job to job: with their powers of H they take longer to make than a
// short packet to encipher, and the interface hands over parts of them alone.
//
// Each thread has its own; it forgets them (they are wiped) when a manager is freed, when one is flushed again and
// again with nothing to do, and when it ends. A key is found by the address of the caller's data, and is used if the
// round keys there, from which the rest follows, are those that it was made of: no address and no branch depends on
// them.
#pragma once

#include "library.hpp"
#include "suite/expanded_key.hpp"

namespace cst::imb {

// The parts of such a key, where the caller has them.
ExpandedKey gcm_parts(const gcm_key_data &data);

class KeptKeys {
public:
    // NULL: there is no memory.
    static KeptKeys *of_thread();
    ~KeptKeys() { forget(); }

    // What get returned before may be another key from here on.
    void begin() { round_++; }
    // NULL: its place is taken by a key of this round, or the suite's keys are too large.
    const Key *get(const Suite &suite, const gcm_key_data &data);
    void forget();

private:
    static constexpr size_t PLACES = 16, ROOM = 2048;
    struct Place {
        const Key *key;  // NULL: none
        uint64_t round;
        alignas(64) uint8_t memory[ROOM];
    };
    uint64_t round_ = 0;
    bool any_ = false;
    Place places_[PLACES] = {};
};

}  // namespace cst::imb
