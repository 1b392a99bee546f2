#include "provider.hpp"

namespace cst::ossl {
namespace {

OSSL_ITEM item(Reason reason, const char *text) {
    return {reason, const_cast<char *>(text)};  // the interface has no const; nobody writes to it
}

}  // namespace

const OSSL_ITEM REASONS[] = {item(BAD_CONFIGURATION, "wrong line in the provider's section of the configuration"),
                             item(NO_CONTEXT, "the library could not be started"),
                             item(NO_KEY, "no key set"),
                             item(NO_IV, "no IV set, or it was used already"),
                             item(NO_TAG, "no tag set"),
                             item(KEY_LENGTH, "wrong length of the key"),
                             item(IV_LENGTH, "wrong length of the IV"),
                             item(TAG_LENGTH, "wrong length of the tag"),
                             item(DATA_LENGTH, "wrong length of the data"),
                             item(AAD_LENGTH, "wrong length of the additional data"),
                             item(NO_ROOM, "output buffer too small"),
                             item(BAD_PARAMETER, "parameter of a wrong type or size"),
                             item(WRONG_ORDER, "not in this state of the context"),
                             item(TOO_MANY_RECORDS, "too many records under one key"),
                             item(EQUAL_KEYS, "both halves of an XTS key are equal"),
                             item(PADDING, "wrong padding"),
                             item(CIPHER, "no cipher set, or one that is not offered here"),
                             item(NO_RANDOM, "no random bytes from the operating system"),
                             item(NO_STACK, "no memory for a stack"),
                             item(OVERLAP, "input and output overlap"),
                             item(FAILED, "the operation failed"),
                             item(NOT_AUTHENTIC, "authentication failed"),
                             {0, nullptr}};

}  // namespace cst::ossl
