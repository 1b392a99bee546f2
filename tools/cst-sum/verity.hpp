// The digest that Linux's fs-verity makes of a file (Documentation/filesystems/fsverity.rst): that of a descriptor with
// the root of a Merkle tree over the file's blocks.
#pragma once

#include "queue.hpp"

namespace sum {

struct VerityForm {
    size_t block;
    std::string salt;
};

// The work of a thread, as digest_files: one file at a time, its blocks side by side. memory: of digest_memory.
void verity_files(const VerityForm &form, Queue *queue, Descriptors *descriptors, unsigned char *memory);

}  // namespace sum
