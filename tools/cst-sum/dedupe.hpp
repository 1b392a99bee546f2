// Content-defined chunks of files, and how much storing each of them once would save.
#pragma once

#include <unordered_set>

#include "options.hpp"
#include "output.hpp"
#include "queue.hpp"

namespace sum {

// The work of a thread, as digest_files: one file at a time, its chunks side by side. memory: of digest_memory.
void dedupe_files(cst_ctx *context, size_t average, Queue *queue, Descriptors *descriptors, unsigned char *memory);

// Writes DIGEST  FROM+BYTES  NAME for each chunk, and a summary as a message.
class Dedupes : public Sink {
public:
    Dedupes(const Options &options, Output *output) : options_(options), output_(output) {}
    void take(const Task &task, const Result &result) override;
    void flush() override { output_->flush(); }
    void end() override;
    bool all_right() const override { return all_right_; }

private:
    const Options &options_;
    Output *const output_;
    bool all_right_ = true;
    std::unordered_set<std::string> digests_;
    uint64_t chunks_ = 0, bytes_ = 0, stored_ = 0;
};

}  // namespace sum
