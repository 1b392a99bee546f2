// Points of P-256 in lanes (templates/streams/p256.j2).
#pragma once

#include <cstring>

#include "../suite/wiped.hpp"
#include "number_lanes.hpp"
#include "numbers/p256.hpp"

namespace cst {

enum P256Operation : size_t { DOUBLE, ADD, ADD_OWN, ADD_COMMON, CACHED, ADD_MIXED, P256_OPERATIONS };
struct P256Chain {
    enum { X, Y, Z, Z2, Z3, NUMBERS };
};
struct P256Key {
    enum { OTHER, OWN = P256Chain::NUMBERS };  // another point, then the lane's table
};
constexpr size_t P256_ENTRIES = 8, P256_COMMON_NUMBERS = 2 * P256_ENTRIES;

extern const NumberLayout P256_LAYOUT;

// A coordinate as the kernels have it, in limbs of 52 bits or in words.
struct P256Limbs {
    static constexpr size_t MOST = 5, WORDS = 4;
    P256Limbs(const Residue256 &a, size_t limbs) {
        if (limbs == WORDS) {
            const Number256 words = p256_field().to_words(a);
            memcpy(of, words.word, sizeof(words.word));
        } else {
            memcpy(of, p256_field().canonical(a).limb, sizeof(of));
        }
    }
    uint64_t of[MOST];
};

class P256Lanes : public NumberLanes {
public:
    using NumberLanes::NumberLanes;

    void put_point(size_t lane, const P256Point &point) {
        put(lane, P256Chain::X, point.x);
        put(lane, P256Chain::Y, point.y);
        put(lane, P256Chain::Z, p256_field().one());
    }
    P256Jacobian point(size_t lane) const {
        return {number(lane, P256Chain::X), number(lane, P256Chain::Y), number(lane, P256Chain::Z)};
    }
    void put_other(size_t lane, const P256Point &point) {
        put_key_number(lane, P256Key::OTHER + P256Chain::X, point.x);
        put_key_number(lane, P256Key::OTHER + P256Chain::Y, point.y);
        for (const size_t number : {P256Chain::Z, P256Chain::Z2, P256Chain::Z3})
            put_key_number(lane, P256Key::OTHER + number, p256_field().one());
    }

    // Calls each(i) when the points are 2 i + 1 times what they were, for all i below n; leaves them as they were.
    template <typename Each>
    void odd_multiples(size_t n, Each each) {
        WipedVector<uint8_t> first(saved_bytes());
        save(first.data());
        run_operation(DOUBLE, 1);
        take(P256Key::OTHER);
        restore(first.data());
        for (size_t i = 0; i < n; i++) {
            if (i) run_operation(ADD, 1);
            each(i);
        }
        restore(first.data());
    }
    // Returns the point with Z^2 and Z^3, of a single lane.
    const uint8_t *cached() {
        run_operation(CACHED, 1);
        return chain(0, P256Chain::X);
    }
    // Makes the lanes' own tables, of the odd multiples of the points from 1 to 15.
    void make_own_tables() {
        odd_multiples(P256_ENTRIES, [&](size_t i) { take(P256Key::OWN + i * P256Chain::NUMBERS); });
    }

private:
    // Copies the points, with Z^2 and Z^3, to the keys.
    void take(size_t number) {
        run_operation(CACHED, 1);
        copy_to_keys(number, P256Chain::NUMBERS);
    }
    void put(size_t lane, size_t number, const Residue256 &a) {
        put_chain_limbs(lane, number, P256Limbs(a, limbs(lane)).of);
    }
    void put_key_number(size_t lane, size_t number, const Residue256 &a) {
        put_key_limbs(lane, number, P256Limbs(a, limbs(lane)).of);
    }
    // Kernels leave any words, or in limbs of 52 bits numbers below 3 p.
    Residue256 number(size_t lane, size_t number) const {
        uint64_t its[P256Limbs::MOST];
        for (size_t i = 0; i < limbs(lane); i++) memcpy(&its[i], chain(lane, number) + i * pitch(lane), sizeof(its[i]));
        if (limbs(lane) == P256Limbs::WORDS) return p256_field().from_words({{its[0], its[1], its[2], its[3]}});
        return p256_field().canonical({{its[0], its[1], its[2], its[3], its[4]}});
    }
};

}  // namespace cst
