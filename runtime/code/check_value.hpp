// The value of a general register, as far as it is known: base + position + c, or one of two addresses that differ by
// `half`, or one of the addresses from base + c to base + c + range.
#pragma once

#include <cstdint>

namespace cst {

// The position is 0 in the first body, and `bytes` more in each body that follows.
struct Value {
    // A `count` is the value of the job's field `lane`, which is a number of bytes, plus c, less the position. Three
    // words of 64 bits are made of a count: `sign` has all bits set if the count is negative, and none otherwise;
    // `bytes` has the lowest c + field bits set, and means nothing if that is negative (`range` is 1 where lea has
    // added one bit to those of bzhi); `mask` is `bytes`, and 0 if the count is negative.
    enum Base : uint8_t { unknown, number, state, in, out, from, reach, count, sign, bytes, mask };
    Base base = unknown;
    bool position = false;
    uint16_t lane = 0;     // of in and out; of reach and counts the field
    uint16_t added = 0;    // of reach: the field of the count that has been added, and 1; 0: none
    uint16_t part = 0;  // if not 0, what a mask, `range`, has left of the count of field part - 1, less 1, was added
    uint32_t half = 0;  // not 0: c or c + half, and c has that bit clear
    uint32_t flipped = 0;  // the bit that the last exclusive or changed; not part of the value
    uint32_t range = 0;  // the value may be larger by at most this: what a mask leaves of a number
    int64_t c = 0;

    static Value of(Base base, int64_t c = 0, uint16_t lane = 0) {
        Value value;
        value.base = base;
        value.c = c;
        value.lane = lane;
        return value;
    }

    bool same_base(const Value &other) const { return base == other.base && lane == other.lane; }

    bool operator==(const Value &other) const {
        return same_base(other) &&
               (base == unknown || (position == other.position && half == other.half && range == other.range &&
                                    added == other.added && part == other.part && c == other.c));
    }
};

// Returns a word that is made of a count.
inline Value of_count(Value::Base base, const Value &count) {
    Value value = Value::of(base, count.c, count.lane);
    value.position = count.position;
    return value;
}

// Sizes for the arithmetic of addresses. A base is a multiple of its alignment.
struct Places {
    uint32_t bytes, state_align, from_align;
};

Value plus(const Value &a, int64_t c);
Value sum(const Value &a, const Value &b);
Value scaled(const Value &a, uint32_t log2);
// Returns a number of which only the mask's bits may be set.
Value masked(int64_t mask);
Value flip(const Value &a, int64_t mask, const Places &places);

// Returns the value at the head of the loop from `head`, the value so far, and `left`, the value after a body. It is
// unknown if these have no common form.
Value join(const Value &head, const Value &left, const Places &places);

}  // namespace cst
