// The ciphers that there are.
#pragma once

#include "provider.hpp"

namespace cst::ossl {

struct Offer {
    SuiteId suite;
    OSSL_ALGORITHM algorithm;
};
extern const Offer OFFERS[];
extern const size_t OFFER_COUNT;

// CMAC with AES only: a program that wants it with another cipher would not ask default for it. So it must be enabled.
extern const OSSL_ALGORITHM CMAC;

// The library's names of the suites, by SuiteId.
extern const char *const SUITE_NAMES[SUITES];

}  // namespace cst::ossl
