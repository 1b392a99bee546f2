// Erasure codes, and sectors (sectors.hpp), of the storage peers.
#pragma once

#include "../peer.hpp"

namespace bench {

typedef std::vector<std::unique_ptr<Task>> (*MakeCodes)(const Row &row, const Batch &batch);

// Products over GF(2^8) with x^8 + x^4 + x^3 + x^2 + 1, bit by bit.
std::vector<std::unique_ptr<Task>> codes_by_definition(const Row &row, const Batch &batch);
// ec_encode_data, and what isa-l has for parity alone; nothing where it was not there when this was built.
std::vector<std::unique_ptr<Task>> codes_of_isal(const Row &row, const Batch &batch);

}  // namespace bench
