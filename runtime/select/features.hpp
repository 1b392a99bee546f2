// CPU features by name: a set is a 64-bit mask over one fixed table.
#pragma once

#include <cstdint>
#include <string>

namespace cst {

using Features = uint64_t;

// The bit of one feature ("avx512bw"); 0 when the name is not in the table.
Features feature_bit(const char *name, size_t length);

// A comma separated list. False when a name is unknown: such a kernel can never run.
bool parse_features(const char *list, Features *out);

// Comma separated, in the order of the table.
std::string feature_names(Features features);

// Takes away every feature that cannot be there without another one that is missing (avx2 without avx, vaes without
// aes, ...).
Features close_features(Features features);

// Every feature whose name starts with `prefix`.
Features features_with_prefix(const char *prefix, size_t length);

// Whether a set has nothing of AVX and later vector instructions.
bool is_legacy_sse(Features features);

}  // namespace cst
