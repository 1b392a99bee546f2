// Known answers for the suites, and every kernel against other kernels.
#pragma once

#include "../suite/suite.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// As cst_selftest.
int selftest(const Engine &engine, const Suites &suites, const char *glob,
             void (*each)(const char *name, int result, void *arg), void *arg);

struct KnownAnswer {
    const char *suite;
    const char *key, *mac_key, *iv, *aad, *in, *out, *tag;  // hexadecimal; out: the ciphertext
};
extern const KnownAnswer known_answers[];
extern const size_t known_answer_count;

}  // namespace cst
