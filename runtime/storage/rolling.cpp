#include "rolling.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "../suite/secret.hpp"

namespace cst {
namespace {

typedef unsigned __int128 Wide;

constexpr size_t NUMBERS = 256, GUARD = 2;  // words behind the fraction, for what roundings lose

// A fixed-point number: a word in front of the point, then its fraction, the highest word first.
typedef std::array<uint64_t, 1 + NUMBERS + GUARD> Fixed;

// Divides by a small number. first: words before it are zeros. Returns the first word that is not zero then.
size_t divide(Fixed *x, uint64_t by, size_t first) {
    Wide rest = 0;
    for (size_t i = first; i < x->size(); i++) {
        rest = rest << 64 | (*x)[i];
        (*x)[i] = uint64_t(rest / by);
        rest %= by;
    }
    while (first < x->size() && !(*x)[first]) first++;
    return first;
}

void add(Fixed *x, const Fixed &y, bool negative) {
    uint64_t carry = 0;
    for (size_t i = x->size(); i--;) {
        const Wide sum = negative ? Wide((*x)[i]) - y[i] - carry : Wide((*x)[i]) + y[i] + carry;
        (*x)[i] = uint64_t(sum);
        carry = uint64_t(sum >> 64) & 1;
    }
}

// Adds factor * arctan(1 / n), or subtracts it: 1 / n - 1 / (3 n^3) + 1 / (5 n^5) - ...
void add_arctan(Fixed *sum, uint64_t factor, uint64_t n, bool negative) {
    Fixed power = {};
    power[0] = factor;
    size_t first = divide(&power, n, 0);
    for (uint64_t k = 1; first < power.size(); k += 2) {
        Fixed term = power;
        divide(&term, k, first);
        add(sum, term, negative != (k % 4 == 3));
        first = divide(&power, n * n, first);
    }
}

// J. Machin: pi = 16 arctan(1/5) - 4 arctan(1/239).
std::array<uint64_t, NUMBERS> fraction_of_pi() {
    Fixed pi = {};
    add_arctan(&pi, 16, 5, false);
    add_arctan(&pi, 4, 239, true);
    std::array<uint64_t, NUMBERS> fraction;
    std::copy_n(pi.begin() + 1, NUMBERS, fraction.begin());
    return fraction;
}

uint64_t left(uint64_t x, size_t n) { return x << n | x >> (64 - n); }

}  // namespace

Rolling::Rolling(size_t window) : window_(window) {
    static const std::array<uint64_t, NUMBERS> numbers = fraction_of_pi();
    for (size_t byte = 0; byte < NUMBERS; byte++) {
        in_[byte] = numbers[byte];
        out_[byte] = left(numbers[byte], window);
    }
    reset(nullptr);
}

Rolling::~Rolling() {
    wipe(last_, sizeof(last_));
    wipe(&hash_, sizeof(hash_));
}

void Rolling::reset(const uint8_t *before) {
    if (before) memcpy(last_, before, window_);
    else memset(last_, 0, window_);
    hash_ = 0;
    for (size_t i = 0; i < window_; i++) hash_ = left(hash_, 1) ^ in_[last_[i]];
}

namespace {

// The tables and what is looked for.
struct Search {
    const uint64_t *in, *out;
    size_t window;
    uint64_t mask, trigger;

    // Examines the bytes between p and end, in front of which are `window` others. Returns where the first hit ends; or
    // `end`, or one byte less. ZERO: the trigger is 0, which takes an instruction less for each byte.
    template <bool ZERO>
    const uint8_t *run(const uint8_t *p, const uint8_t *end, uint64_t *at, bool *hit) const {
        const auto hits = [&](uint64_t hash) { return ZERO ? !(hash & mask) : (hash & mask) == trigger; };
        const uint64_t *const comes = in, *const goes = out;
        const ptrdiff_t back = -ptrdiff_t(window);
        uint64_t hash = *at;
        // The chain of a pair is one rotation and one exclusive-or.
#pragma GCC unroll 4
        for (; end - p >= 2; p += 2) {
            const uint64_t first = comes[p[0]] ^ goes[p[back]], second = comes[p[1]] ^ goes[p[back + 1]],
                           between = left(hash, 1) ^ first;
            if (__builtin_expect(hits(between), 0)) return *at = between, *hit = true, p + 1;
            uint64_t both = left(first, 1) ^ second;
            __asm__("" : "+r"(both));  // else the compiler makes two steps of it again
            hash = left(hash, 2) ^ both;
            if (__builtin_expect(hits(hash), 0)) return *at = hash, *hit = true, p + 2;
        }
        *at = hash;
        return p;
    }
};

}  // namespace

size_t Rolling::run(const uint8_t *in, size_t n, uint64_t mask, uint64_t trigger, bool *hit) {
    const Search search = {in_, out_, window_, mask, trigger};
    size_t at = 0;
    *hit = false;
    const auto step = [&](uint8_t old) {
        hash_ = left(hash_, 1) ^ in_[in[at++]] ^ out_[old];
        *hit = (hash_ & mask) == trigger;
    };
    while (at < n && at < window_ && !*hit) step(last_[at]);
    if (!*hit && at < n) {
        const uint8_t *const from = in + at, *const end = in + n;
        at = size_t((trigger ? search.run<false>(from, end, &hash_, hit) : search.run<true>(from, end, &hash_, hit)) -
                    in);
        if (!*hit && at < n) step(in[at - window_]);
    }
    if (at >= window_) {
        memcpy(last_, in + at - window_, window_);
    } else if (at) {
        memmove(last_, last_ + at, window_ - at);
        memcpy(last_ + window_ - at, in, at);
    }
    return at;
}

}  // namespace cst
