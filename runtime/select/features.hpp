// CPU features by name: a set is a 64-bit mask over one fixed table.
#pragma once

#include <cstdint>
#include <string>

namespace cst {

using Features = uint64_t;

// Returns the bit of one feature ("avx512bw"); 0 if the name is not in the table.
Features feature_bit(const char *name, size_t length);

// Parses a comma separated list. Returns false if a name is unknown: such a kernel can never run.
bool parse_features(const char *list, Features *out);

// Returns the names, comma separated, in the order of the table.
std::string feature_names(Features features);

// Removes every feature that requires another one that is missing (avx2 without avx, vaes without aes, ...).
Features close_features(Features features);

// Returns every feature whose name starts with `prefix`.
Features features_with_prefix(const char *prefix, size_t length);

// Whether a set has neither AVX nor later vector instructions.
bool is_legacy_sse(Features features);

}  // namespace cst
