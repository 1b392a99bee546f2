// The ciphers that there are.
#pragma once

#include "provider.hpp"

namespace cst::ossl {

struct Offer {
    SuiteId suite;
    bool slower;  // than default's, where that was measured: offered only when the configuration says so
    OSSL_ALGORITHM algorithm;
};
extern const Offer OFFERS[];
extern const size_t OFFER_COUNT;

// Slower than default's, which has it with more ciphers.
extern const OSSL_ALGORITHM CMAC;

// By SuiteId: the library's names.
extern const char *const SUITE_NAMES[SUITES];

}  // namespace cst::ossl
