// Sectors with T10's protection information of the storage peers: type 1, the first sector's number is 0.
#pragma once

#include "../peer.hpp"

namespace bench {

// Bit by bit.
std::vector<std::unique_ptr<Task>> sectors_by_definition(const Row &row, const Batch &batch);
// By crc16_t10dif_copy, and by memcpy and crc16_t10dif; nothing where isa-l was not there when this was built.
std::vector<std::unique_ptr<Task>> sectors_of_isal(const Row &row, const Batch &batch);

}  // namespace bench
