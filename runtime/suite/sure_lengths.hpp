// The lengths of a job that are right by themselves, whatever else it holds: as those of most jobs are.
#pragma once

#include <cstdint>

namespace cst {

struct Suite;

// A length is sure to be right where these hold; others may be right all the same.
struct SureLength {
    uint64_t least = 1, span = 0, odd = 1;  // none is: 1 is odd

    bool holds(uint64_t length) const { return length - least <= span && !(length & odd); }
};

struct SureLengths {
    SureLength iv, aad, in, tag;
    bool any = false;  // false: rules of this suite cannot be said so
};

// Those that hold are below 2^60.
SureLengths sure_lengths(const Suite &suite);

}  // namespace cst
