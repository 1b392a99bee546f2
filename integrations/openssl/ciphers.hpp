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

// Of AES alone: a program that wants it with another cipher would not go to default for it. So it has to be asked for.
extern const OSSL_ALGORITHM CMAC;

// By SuiteId: the library's names.
extern const char *const SUITE_NAMES[SUITES];

}  // namespace cst::ossl
