#include "lengths.hpp"

#include "suite.hpp"

namespace cst {
namespace {

// Returns the set of lengths from `least` to `most`, `step` apart.
uint64_t tags_between(size_t least, size_t most, size_t step = 1) {
    uint64_t tags = 0;
    for (size_t n = least; n && n <= most; n += step) tags |= uint64_t(1) << (n - 1);
    return tags;
}

// Far beyond what callers ask for, and small enough that sums of lengths do not overflow.
constexpr uint64_t MOST_OUTPUT = uint64_t(1) << 40;
// Whoever guesses is right once in 2^(8 n) for n bytes that are compared. RFC 2104, 5 wants this many of HMAC, and the
// output of a MAC that may have any length has no length of its own that would protect its callers.
constexpr size_t LEAST_COMPARED = 10;

uint64_t tags_of(const Suite &suite) {
    switch (suite.construction) {
        case Construction::gcm:  // SP 800-38D, 5.2.1.2
            return tags_between(4, 8, 4) | tags_between(12, 16);
        case Construction::ccm:  // SP 800-38C, A.1
            return tags_between(suite.tag_min, suite.tag_max, 2);
        case Construction::framed:
        case Construction::leaves:
        case Construction::tree:
            if (extends(suite)) return tags_between(1, 64);
            [[fallthrough]];
        default: return tags_between(suite.tag_min, suite.tag_max);
    }
}

TextLengths opened(const Suite &suite, const TextLengths &sealed) {
    switch (suite.row.added) {
        case MessageRow::Added::padding: return {AES_BLOCK, sealed.max / AES_BLOCK * AES_BLOCK + AES_BLOCK, AES_BLOCK};
        case MessageRow::Added::record: return {suite.sealed_bytes(0), TLS_MOST_PLAIN + TLS_MOST_EXPANSION, AES_BLOCK};
        default: return sealed;
    }
}

}  // namespace

Lengths lengths_of(const Suite &suite) {
    Lengths lengths;
    lengths.seal = {suite.min_bytes, suite.max_bytes, suite.block_bytes};
    lengths.open = opened(suite, lengths.seal);
    lengths.seal.tags = lengths.open.tags = tags_of(suite);
    if (extends(suite)) {
        lengths.seal.most_tag = lengths.open.most_tag = MOST_OUTPUT;
        if (suite.kind == CST_MAC) lengths.open.tags = tags_between(LEAST_COMPARED, 64);
    }
    if (suite.row.trailer == MessageRow::Trailer::sequence) lengths.aad_step = ESP_EXTENSION;
    if (suite.row.is_ccm()) lengths.iv_and_count = CCM_IV_AND_COUNT;
    return lengths;
}

SureLengths sure_lengths_of(const Suite &suite, bool opened) {
    constexpr uint64_t MOST = SureLengths::MOST_SURE;
    SureLengths sure;
    const TextLengths &text = suite.lengths.of(opened);
    if (suite.expansion || text.min > MOST || suite.iv_min > MOST || suite.aad_min > MOST) return sure;
    sure.iv_least = suite.iv_min;
    sure.iv_span = std::min<uint64_t>(suite.iv_max, MOST) - suite.iv_min;
    sure.aad_least = suite.aad_min;
    sure.aad_span = std::min(suite.aad_max, MOST) - suite.aad_min;
    sure.aad_remainder = suite.lengths.aad_step - 1;
    sure.tag_least = text.tags ? uint64_t(__builtin_ctzll(text.tags)) + 1 : 0;
    sure.tags = text.tags ? text.tags >> (sure.tag_least - 1) : 1;
    sure.text_least = text.min;
    sure.text_span = std::min(text.max, MOST) - text.min;
    sure.text_remainder = text.multiple - 1;
    sure.written = suite.enciphers() ? ~uint64_t(0) : 0;
    return sure;
}

}  // namespace cst
