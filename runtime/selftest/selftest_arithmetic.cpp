#include <cstring>

#include "cryptostitch/cryptostitch.h"
#include "../public_key/ed25519.hpp"
#include "../public_key/modular_power.hpp"
#include "../public_key/p256.hpp"
#include "selftest.hpp"
#include "../public_key/x25519.hpp"

namespace cst {
namespace {

// Tests a kernel of X25519's ladder by the two vectors of RFC 7748, 5.2, which lanes have in turn.
int test_ladder_kernel(const Engine &engine, const Variant &v) {
    static const struct {
        uint8_t scalar[X25519::BYTES], u[X25519::BYTES], result[X25519::BYTES];
    } known[2] = {{{0xa5, 0x46, 0xe3, 0x6b, 0xf0, 0x52, 0x7c, 0x9d, 0x3b, 0x16, 0x15, 0x4b, 0x82, 0x46, 0x5e, 0xdd,
                    0x62, 0x14, 0x4c, 0x0a, 0xc1, 0xfc, 0x5a, 0x18, 0x50, 0x6a, 0x22, 0x44, 0xba, 0x44, 0x9a, 0xc4},
                   {0xe6, 0xdb, 0x68, 0x67, 0x58, 0x30, 0x30, 0xdb, 0x35, 0x94, 0xc1, 0xa4, 0x24, 0xb1, 0x5f, 0x7c,
                    0x72, 0x66, 0x24, 0xec, 0x26, 0xb3, 0x35, 0x3b, 0x10, 0xa9, 0x03, 0xa6, 0xd0, 0xab, 0x1c, 0x4c},
                   {0xc3, 0xda, 0x55, 0x37, 0x9d, 0xe9, 0xc6, 0x90, 0x8e, 0x94, 0xea, 0x4d, 0xf2, 0x8d, 0x08, 0x4f,
                    0x32, 0xec, 0xcf, 0x03, 0x49, 0x1c, 0x71, 0xf7, 0x54, 0xb4, 0x07, 0x55, 0x77, 0xa2, 0x85, 0x52}},
                  {{0x4b, 0x66, 0xe9, 0xd4, 0xd1, 0xb4, 0x67, 0x3c, 0x5a, 0xd2, 0x26, 0x91, 0x95, 0x7d, 0x6a, 0xf5,
                    0xc1, 0x1b, 0x64, 0x21, 0xe0, 0xea, 0x01, 0xd4, 0x2c, 0xa4, 0x16, 0x9e, 0x79, 0x18, 0xba, 0x0d},
                   {0xe5, 0x21, 0x0f, 0x12, 0x78, 0x68, 0x11, 0xd3, 0xf4, 0xb7, 0x95, 0x9d, 0x05, 0x38, 0xae, 0x2c,
                    0x31, 0xdb, 0xe7, 0x10, 0x6f, 0xc0, 0x3c, 0x3e, 0xfc, 0x4c, 0xd5, 0x49, 0xc7, 0x15, 0xa4, 0x93},
                   {0x95, 0xcb, 0xde, 0x94, 0x76, 0xe8, 0x90, 0x7d, 0x7a, 0xad, 0xe4, 0x5c, 0xb4, 0xb8, 0x73, 0xf8,
                    0x8b, 0x59, 0x5a, 0x68, 0x79, 0x9f, 0xa1, 0x52, 0xe6, 0xf8, 0xf7, 0x64, 0x7a, 0xac, 0x79, 0x57}}};
    X25519 x25519;
    if (int error = x25519.init(engine, v.name)) return error;
    std::vector<X25519::Job> jobs(v.lanes + 1);
    for (size_t i = 0; i < jobs.size(); i++) jobs[i].scalar = known[i % 2].scalar, jobs[i].u = known[i % 2].u;
    x25519.run(jobs.data(), jobs.size());
    for (size_t i = 0; i < jobs.size(); i++)
        if (memcmp(jobs[i].result, known[i % 2].result, X25519::BYTES) != 0) return CST_ERR_SELFTEST;
    return CST_OK;
}

// Tests kernels of Ed25519 by the second test of RFC 8032, 7.1, and by a signature that is wrong, in turn.
int test_point_kernel(const Engine &engine, const Suites &suites, const Variant &v) {
    static const uint8_t seed[ED25519_KEY] = {0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3,
                                              0x46, 0xec, 0x11, 0x4e, 0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab,
                                              0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb};
    static const uint8_t public_key[ED25519_KEY] = {0x3d, 0x40, 0x17, 0xc3, 0xe8, 0x43, 0x89, 0x5a, 0x92, 0xb7, 0x0a,
                                                    0xa7, 0x4d, 0x1b, 0x7e, 0xbc, 0x9c, 0x98, 0x2c, 0xcf, 0x2e, 0xc4,
                                                    0x96, 0x8c, 0xc0, 0xcd, 0x55, 0xf1, 0x2a, 0xf4, 0x66, 0x0c};
    static const uint8_t signature[ED25519_SIGNATURE] = {
        0x92, 0xa0, 0x09, 0xa9, 0xf0, 0xd4, 0xca, 0xb8, 0x72, 0x0e, 0x82, 0x0b, 0x5f, 0x64, 0x25, 0x40,
        0xa2, 0xb2, 0x7b, 0x54, 0x16, 0x50, 0x3f, 0x8f, 0xb3, 0x76, 0x22, 0x23, 0xeb, 0xdb, 0x69, 0xda,
        0x08, 0x5a, 0xc1, 0xe4, 0x3e, 0x15, 0x99, 0x6e, 0x45, 0x8f, 0x36, 0x13, 0xd0, 0xf1, 0x1d, 0x8c,
        0x38, 0x7b, 0x2e, 0xae, 0xb4, 0x30, 0x2a, 0xee, 0xb0, 0x0d, 0x29, 0x16, 0x12, 0xbb, 0x0c, 0x00};
    static const uint8_t message = 0x72, other_message = 0x73;
    Ed25519Signing signing;
    Ed25519Verification verification;
    if (int error = signing.init(engine, suites, v.name)) return error;
    if (int error = verification.init(engine, suites, v.name, false)) return error;
    std::vector<Ed25519Signing::Job> made(v.lanes + 1);
    std::vector<Ed25519Verification::Job> looked(v.lanes + 1);
    for (size_t i = 0; i < made.size(); i++) {
        made[i].seed = seed;
        made[i].public_key = i % 2 ? public_key : nullptr;
        made[i].message = &message;
        made[i].bytes = 1;
        looked[i] = {public_key, signature, i % 2 ? &message : &other_message, 1, false};
    }
    signing.sign(made.data(), made.size());
    verification.run(looked.data(), looked.size());
    for (size_t i = 0; i < made.size(); i++)
        if (memcmp(made[i].result, signature, sizeof(signature)) != 0 || looked[i].right != (i % 2 == 1))
            return CST_ERR_SELFTEST;
    return CST_OK;
}

// Tests kernels of P-256 by the first test with SHA-256 of RFC 6979, A.2.5, and by a signature that is wrong, in turn;
// and by the public key, which is the secret one times the base point.
int test_p256_kernel(const Engine &engine, const Suites &suites, const Variant &v) {
    static const uint8_t secret[P256_SECRET] = {0xc9, 0xaf, 0xa9, 0xd8, 0x45, 0xba, 0x75, 0x16, 0x6b, 0x5c, 0x21,
                                                0x57, 0x67, 0xb1, 0xd6, 0x93, 0x4e, 0x50, 0xc3, 0xdb, 0x36, 0xe8,
                                                0x9b, 0x12, 0x7b, 0x8a, 0x62, 0x2b, 0x12, 0x0f, 0x67, 0x21};
    static const uint8_t public_key[P256_POINT] = {
        0x04, 0x60, 0xfe, 0xd4, 0xba, 0x25, 0x5a, 0x9d, 0x31, 0xc9, 0x61, 0xeb, 0x74, 0xc6, 0x35, 0x6d, 0x68,
        0xc0, 0x49, 0xb8, 0x92, 0x3b, 0x61, 0xfa, 0x6c, 0xe6, 0x69, 0x62, 0x2e, 0x60, 0xf2, 0x9f, 0xb6, 0x79,
        0x03, 0xfe, 0x10, 0x08, 0xb8, 0xbc, 0x99, 0xa4, 0x1a, 0xe9, 0xe9, 0x56, 0x28, 0xbc, 0x64, 0xf2, 0xf1,
        0xb2, 0x0c, 0x2d, 0x7e, 0x9f, 0x51, 0x77, 0xa3, 0xc2, 0x94, 0xd4, 0x46, 0x22, 0x99};
    static const uint8_t signature[P256_SIGNATURE] = {
        0xef, 0xd4, 0x8b, 0x2a, 0xac, 0xb6, 0xa8, 0xfd, 0x11, 0x40, 0xdd, 0x9c, 0xd4, 0x5e, 0x81, 0xd6,
        0x9d, 0x2c, 0x87, 0x7b, 0x56, 0xaa, 0xf9, 0x91, 0xc3, 0x4d, 0x0e, 0xa8, 0x4e, 0xaf, 0x37, 0x16,
        0xf7, 0xcb, 0x1c, 0x94, 0x2d, 0x65, 0x7c, 0x41, 0xd4, 0x36, 0xc7, 0xa1, 0xb6, 0xe2, 0x9f, 0x65,
        0xf3, 0xe9, 0x00, 0xdb, 0xb9, 0xaf, 0xf4, 0x06, 0x4d, 0xc4, 0xab, 0x2f, 0x84, 0x3a, 0xcd, 0xa8};
    static const char message[] = "sample", other_message[] = "simple";
    constexpr size_t BYTES = sizeof(message) - 1;
    EcdsaSigning signing;
    EcdsaVerification verification;
    P256Agreement agreement;
    if (int error = signing.init(engine, suites, v.name)) return error;
    if (int error = verification.init(engine, suites, v.name)) return error;
    if (int error = agreement.init(engine, v.name)) return error;
    uint8_t base[P256_POINT];
    encode(p256_base(), base);
    const size_t n = v.lanes + 1;
    std::vector<EcdsaSigning::Job> made(n);
    std::vector<EcdsaVerification::Job> looked(n);
    std::vector<P256Agreement::Job> multiplied(n);
    for (size_t i = 0; i < n; i++) {
        made[i].secret = multiplied[i].secret = secret;
        made[i].message = {message, BYTES, false};
        looked[i] = {public_key, P256_POINT, signature, {i % 2 ? message : other_message, BYTES, false}, false};
        multiplied[i].peer = base;
        multiplied[i].peer_bytes = P256_POINT;
    }
    signing.run(made.data(), n);
    verification.run(looked.data(), n);
    agreement.run(multiplied.data(), n);
    for (size_t i = 0; i < n; i++)
        if (memcmp(made[i].signature, signature, sizeof(signature)) != 0 || looked[i].right != (i % 2 == 1) ||
            memcmp(multiplied[i].result, public_key, P256_POINT) != 0)
            return CST_ERR_SELFTEST;
    return CST_OK;
}

// Tests the kernels of a modulus's size by the products of public_key/numbers/big_number, whose words have 64 bits: x
// times the kernels' R is the product of the operands.
int test_power_kernel(const Engine &engine, const Variant &v) {
    const size_t limbs = v.cipher.chain_rows - 1, words = limbs * LIMB_BITS / 64;
    PowerKernels kernels;
    if (int error = fetch_power_kernels(engine, v.name, 64 * words, &kernels)) return error;
    PowerLanes lanes(kernels);
    for (const PowerKernels::Operation operation :
         {PowerKernels::SQUARE, PowerKernels::MULTIPLY, PowerKernels::CHOOSE}) {
        uint64_t m[MOST_NUMBER_WORDS / 2], a[MOST_NUMBER_WORDS / 2], b[MOST_NUMBER_WORDS / 2];
        uint64_t word = operation + 1;
        const auto draw = [&](uint64_t *to) {  // G. Marsaglia, Xorshift RNGs, 2003
            for (size_t i = 0; i < words; i++) {
                word ^= word << 13, word ^= word >> 7, word ^= word << 17;
                to[i] = word;
            }
        };
        std::vector<Modulus> moduli(lanes.lanes());
        std::vector<uint64_t> wanted(lanes.lanes() * words);
        for (size_t lane = 0; lane < lanes.lanes(); lane++) {
            draw(m);
            m[0] |= 1, m[words - 1] |= uint64_t(1) << 63;
            moduli[lane].init(m, words);
            lanes.put_modulus(lane, moduli[lane]);
            draw(a);
            draw(b);
            subtract_if_not_less(a, 0, m, words);
            subtract_if_not_less(b, 0, m, words);
            lanes.put_x(lane, a);
            lanes.put_y(lane, b);
            for (size_t i = 0; i < POWER_NUMBERS; i++) lanes.put_entry(lane, i, i == lane ? b : a);
            lanes.put_digit(lane, lane);
            moduli[lane].multiply(a, operation == PowerKernels::SQUARE ? a : b, &wanted[lane * words]);
        }
        if (operation == PowerKernels::SQUARE) lanes.square();
        else if (operation == PowerKernels::MULTIPLY) lanes.multiply();
        else lanes.choose();
        for (size_t lane = 0; lane < lanes.lanes(); lane++) {
            lanes.get_x(lane, moduli[lane].m, a);
            memcpy(b, moduli[lane].one, words * sizeof(*b));
            for (size_t i = 64 * words; i < limbs * LIMB_BITS; i++) moduli[lane].twice(b);
            moduli[lane].multiply(a, b, a);
            if (!is_equal(a, &wanted[lane * words], words)) return CST_ERR_SELFTEST;
        }
    }
    return CST_OK;
}

}  // namespace

int test_arithmetic_kernel(const Engine &engine, const Suites &suites, const Variant &v) {
    const char *const suite = v.cipher.algorithm->record.suite;
    if (!strcmp(suite, "ed25519")) return test_point_kernel(engine, suites, v);
    if (!strcmp(suite, "p256")) return test_p256_kernel(engine, suites, v);
    if (!strcmp(suite, "montgomery")) return test_power_kernel(engine, v);
    return test_ladder_kernel(engine, v);
}

}  // namespace cst
