#include "des.hpp"

#include <cstring>

#include "secret.hpp"

namespace cst {
namespace {

// FIPS 46-3: PC-1, PC-2, the left shifts, and P; numbers begin with 1.
constexpr uint8_t kPc1[56] = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
                              35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
                              46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
constexpr uint8_t kPc2[48] = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
                              26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
                              51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
constexpr uint8_t kShifts[DES_ROUNDS] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};
constexpr uint8_t kP[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                            2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
// The number that a bit from S-box i adds to an index (the columns of streams/des.j2), and the mark of the second of
// two S-boxes.
constexpr uint8_t kColumns[8] = {0x17, 0x2e, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01};
constexpr uint8_t kSecond = 0x40;
// The bit of the index of S-box j that a bit from S-box i is in the sliced form, by i ^ j (place of
// streams/des_sliced.j2).
constexpr uint8_t kPlaces[8] = {7, 0, 4, 5, 1, 2, 6, 3};

typedef uint8_t RoundKey[DES_BLOCK];

void round_keys(const uint8_t *key, RoundKey *keys, RoundKey *sliced) {
    uint8_t bits[56];
    for (uint32_t i = 0; i < 56; i++) bits[i] = uint8_t(key[(kPc1[i] - 1) / 8] >> (7 - (kPc1[i] - 1) % 8) & 1);
    uint32_t turned = 0;
    for (uint32_t t = 0; t < DES_ROUNDS; t++) {
        turned += kShifts[t];
        memset(keys[t], 0, DES_BLOCK);
        memset(sliced[t], 0, DES_BLOCK);
        for (uint32_t j = 0; j < 8; j++) {
            uint8_t index = uint8_t(j % 2 * kSecond);
            for (uint32_t u = 0; u < 6; u++) {
                const uint32_t n = kPc2[6 * j + u] - 1u, half = n / 28 * 28,
                               from = (kP[(4 * j + 31 + u) % 32] - 1u) / 4;
                const uint8_t bit = bits[half + (n - half + turned) % 28];
                index ^= uint8_t(-bit & kColumns[from]);
                sliced[t][j] |= uint8_t(bit << kPlaces[from ^ j]);
            }
            for (uint32_t n = 0; n < 8; n++) keys[t][7 - n] |= uint8_t((index >> n & 1) << (7 - j));
        }
    }
    wipe(bits, sizeof(bits));
}

uint32_t rows_of_form(uint32_t key_bytes) { return des_rows(key_bytes) / DES_FORMS; }

}  // namespace

void des_expand(const uint8_t *key, uint32_t key_bytes, uint8_t (*rows)[16]) {
    RoundKey keys[DES_FORMS][DES_ROUNDS];
    for (uint32_t stage = 0; stage < key_bytes / DES_KEY; stage++) {
        round_keys(key + stage * DES_KEY, keys[0], keys[1]);
        for (uint32_t t = 0; t < DES_FORMS * DES_ROUNDS; t++) {
            const uint32_t form = t / DES_ROUNDS, used = t % DES_ROUNDS;
            memcpy(rows[(form * rows_of_form(key_bytes)) + (stage * DES_ROUNDS + used) / 2] + used % 2 * DES_BLOCK,
                   keys[form][stage == 1 ? DES_ROUNDS - 1 - used : used], DES_BLOCK);
        }
    }
    wipe(keys, sizeof(keys));
}

void des_invert(const uint8_t (*rows)[16], uint32_t key_bytes, uint8_t (*inverse)[16]) {
    const uint32_t n = rows_of_form(key_bytes);
    for (uint32_t i = 0; i < DES_FORMS * n; i++) {
        const uint8_t *const row = rows[i / n * n + n - 1 - i % n];
        memcpy(inverse[i], row + DES_BLOCK, DES_BLOCK);
        memcpy(inverse[i] + DES_BLOCK, row, DES_BLOCK);
    }
}

}  // namespace cst
