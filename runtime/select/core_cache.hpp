// Tells the size of the cache that a core has for itself.
#pragma once

#include <cstddef>

namespace cst {

// Returns the bytes of this CPU's second-level cache. Where it does not say, as many as any CPU with carry-less
// products has.
size_t core_cache_bytes();

}  // namespace cst
