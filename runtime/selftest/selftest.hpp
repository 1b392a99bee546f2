// Tests suites with known answers, and every kernel against other kernels.
#pragma once

#include "../suite/suite.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Implements cst_selftest.
int selftest(const Engine &engine, const Suites &suites, const char *glob,
             void (*each)(const char *name, int result, void *arg), void *arg);

// Tests a kernel of numbers modulo a prime (selftest_arithmetic.cpp).
int test_arithmetic_kernel(const Engine &engine, const Suites &suites, const Variant &v);

// Returns how many known answers of the suite there are, in all packs.
size_t known_answers(const Suite &suite);

}  // namespace cst
