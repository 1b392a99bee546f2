// Which kernel for alike jobs of a cipher alone, run side by side without phases.
#pragma once

#include "../suite/suite.hpp"

namespace cst {

// Whether abreast.hpp runs such texts: of a cipher that needs nothing around it but a tweak, and nothing is forced.
bool texts_serve(const Suite &suite, uint64_t bytes);
// The same where there is nothing else to be done for a job.
bool abreast_serves(const Suite &suite, uint64_t bytes);
// For n of them of so many bytes, the cheapest kernel. Its variant is NULL where none fits.
Pick pick_abreast(const Suite &suite, const Family &family, size_t n, uint64_t bytes, bool one_key);

}  // namespace cst
