// How a part of a message or text says that it is the last: what cst_part and cst_text_part have in common.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "../suite/lengths.hpp"

namespace cst {

// Checks `last`, and the tag that goes with it. Only the field ends a message: a tag that is absent or empty, as a
// caller makes it of an empty slice, must never be taken for "more follows".
template <typename AnyPart>
int check_end(const TextLengths &lengths, const AnyPart &part) {
    if (part.last != 0 && part.last != 1) return CST_ERR_ARGUMENT;
    if (part.last ? !lengths.hold_tag(part.tag_len) : part.tag_len != 0) return CST_ERR_LENGTH;
    return (part.tag != nullptr) == (part.last == 1) ? CST_OK : CST_ERR_ARGUMENT;
}

}  // namespace cst
