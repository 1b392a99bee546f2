#include "ghash_field.hpp"

#include "../suite/ghash.hpp"
#include "../suite/secret.hpp"
#include "../executors/alone.hpp"

namespace cst {

void multiply(const Suite &suite, uint8_t *y, const uint8_t *x) {
    static const uint8_t zero[16] = {};
    alignas(64) KeyRow rows[1 + GHASH_ZEROS] = {};
    ghash_powers(x, 1, rows);
    ghash(suite, rows + 1, y, zero, sizeof(zero));
    wipe(rows, sizeof(rows));
}

// x^(2^128 - 2), whose exponent is a one in each place but the last.
void invert(const Suite &suite, uint8_t *x) {
    uint8_t square[16], product[16];
    memcpy(square, x, sizeof(square));
    multiply(suite, square, square);
    memcpy(product, square, sizeof(product));
    for (int i = 2; i < 128; i++) {
        multiply(suite, square, square);
        multiply(suite, product, square);
    }
    memcpy(x, product, sizeof(product));
    wipe(square, sizeof(square));
    wipe(product, sizeof(product));
}

}  // namespace cst
