#include "sure_lengths.hpp"

#include <algorithm>

#include "suite.hpp"

namespace cst {
namespace {

constexpr uint64_t MOST = (uint64_t(1) << 60) - 1;
// SP 800-38C, A.1: what the nonce leaves of 15 bytes counts the text's, two at least.
constexpr uint64_t MOST_CCM = 0xffff;
// SP 800-38D, 5.2.1.2: shorter tags have 4 or 8 bytes.
constexpr uint64_t LEAST_GCM_TAG = 12;

SureLength from_to(uint64_t least, uint64_t most, uint64_t odd = 0) {
    return {least, std::min(most, MOST) - least, odd};
}

}  // namespace

SureLengths sure_lengths(const Suite &suite) {
    SureLengths sure;
    sure.any =
        !suite.expansion && suite.construction != Construction::rc4 && suite.construction != Construction::rc4_hmac;
    if (!sure.any) return sure;
    const bool gcm = suite.construction == Construction::gcm, ccm = suite.construction == Construction::ccm,
               esp = suite.construction == Construction::esp;
    sure.iv = from_to(suite.iv_min, suite.iv_max);
    sure.aad = from_to(suite.aad_min, suite.aad_max, esp ? ESP_EXTENSION - 1 : 0);
    sure.in = from_to(suite.min_bytes, ccm ? MOST_CCM : suite.max_bytes, suite.block_bytes - 1);
    sure.tag = from_to(gcm ? LEAST_GCM_TAG : suite.tag_min, suite.tag_max, ccm ? 1 : 0);
    return sure;
}

}  // namespace cst
