// BLAKE3 of large files: parts of a file are tasks that threads digest side by side, and their chaining values become
// the file's digest. What is before and behind the queue sees whole files.
#pragma once

#include <memory>
#include <string>

#include "queue.hpp"

namespace sum {

// Files of more bytes are cut into parts of so many: a power of two, at which a part is in a core's own cache.
constexpr uint64_t TREE_PART = uint64_t(1) << 20;

// Cuts the files of another source.
class TreeSource : public Source {
public:
    explicit TreeSource(std::unique_ptr<Source> source) : source_(std::move(source)) {}
    Next next(Task *task, bool patient) override;

private:
    const std::unique_ptr<Source> source_;
    Task cut_;
    uint64_t left_ = 0;  // bytes behind the part that was given last
};

// Joins the parts for another sink.
class TreeSink : public Sink {
public:
    explicit TreeSink(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}
    void take(const Task &task, const Result &result) override;
    void flush() override { sink_->flush(); }
    void end() override { sink_->end(); }
    bool all_right() const override { return sink_->all_right(); }

private:
    const std::unique_ptr<Sink> sink_;
    Result whole_;  // of the parts so far; `digest`: their chaining values
};

// Digests a part of an open file, which it reads into `memory`, TREE_PART bytes.
void digest_tree_part(int file, const Task &task, unsigned char *memory, Result *result);

}  // namespace sum
