// The work of a thread: it digests as many files at once as fill the lanes, and reads each a piece at a time.
#pragma once

#include <memory>

#include "queue.hpp"

namespace sum {

// A buffer into which a thread reads, of DIGEST_MEMORY bytes; NULL: there is no memory for it.
constexpr size_t DIGEST_MEMORY = size_t(4) << 20;
struct Unmap {
    void operator()(unsigned char *memory) const;
};
typedef std::unique_ptr<unsigned char, Unmap> DigestMemory;
DigestMemory digest_memory();
// Does tasks of the queue until there are none. It takes no further memory of its own.
void digest_files(cst_ctx *context, Queue *queue, Descriptors *descriptors, unsigned char *memory);

}  // namespace sum
