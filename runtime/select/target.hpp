// Interprets target names ("avx512_vaes") and lowers a feature set by name ("host-no_avx512").
#pragma once

#include "features.hpp"

namespace cst {

// Lowers `features` as `text` says; features are only ever removed.
//   host                     all of them
//   host-avx512f-vaes        without these; `no_` before a name is allowed
//   sse_aesni, avx2_vaes...  at most what a kernel of that target may use; may be followed by `-name` too
// Removing `avx512` or `avx512f` removes every avx512 feature. Returns CST_ERR_NAME if a word is unknown (nothing is
// changed).
int lower_features(const char *text, Features *features);

}  // namespace cst
