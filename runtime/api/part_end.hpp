// How a part of a message or text says that it is the last: what cst_part and cst_text_part have in common.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "../suite/lengths.hpp"

namespace cst {

// Only the field `last` ends a message: a tag that is absent or empty, as a caller makes it of an empty slice, must
// never be taken for "more follows".

// Whether `last` is no number that it may be, or there is a tag before the last part: CST_ERR_ARGUMENT.
template <typename AnyPart>
bool wrong_end(const AnyPart &part) {
    return (part.last != 0 && part.last != 1) || (!part.last && part.tag);
}
// Whether the tag has a length that goes with `last`; else CST_ERR_LENGTH. No suite takes 0, so that a last part
// without a tag fails here. A tag of any other length is there: the rule for all buffers says so.
template <typename AnyPart>
bool right_tag_length(const TextLengths &lengths, const AnyPart &part) {
    return part.last ? lengths.hold_tag(part.tag_len) : !part.tag_len;
}

}  // namespace cst
