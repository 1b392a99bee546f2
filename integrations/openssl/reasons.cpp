#include "reasons.hpp"

namespace cst::ossl {
namespace {

OSSL_ITEM item(Reason reason, const char *text) {
    return {reason, const_cast<char *>(text)};  // the interface has no const; nobody writes to it
}

}  // namespace

const OSSL_ITEM REASONS[] = {item(BAD_CONFIGURATION, "wrong line in the provider's section of the configuration"),
                             item(NO_CONTEXT, "the library could not be started"),
                             item(DATA_LENGTH, "wrong length of the data"),
                             item(MAC_KEY_LENGTH, "wrong length of the MAC's key"),
                             item(CIPHER, "no cipher set, or one that is not offered here"),
                             item(NO_RANDOM, "no random bytes from the operating system"),
                             item(NO_STACK, "no memory for a stack"),
                             item(OVERLAP, "input and output overlap"),
                             item(FAILED, "the operation failed"),
                             {0, nullptr}};

}  // namespace cst::ossl
