// Sinks for digests that are made of others: of chunks, of the parts of an upload.
#pragma once

#include "lists.hpp"
#include "options.hpp"
#include "output.hpp"
#include "queue.hpp"

namespace sum {

// A file's name as written after a digest, with the end of the line and what precedes the line.
struct NamedLine {
    std::string front, back;
};
NamedLine named_line(const std::string &name, bool zero);

// DIGEST  FROM+BYTES  NAME
std::string chunk_line(const NamedLine &line, const std::string &digest, uint64_t from, uint64_t bytes);

// Common part of the sinks of files in chunks: reports only once that a file cannot be read.
class ChunkSink : public Sink {
public:
    ChunkSink(const Options &options, Output *output) : options_(options), output_(output) {}
    void take(const Task &task, const Result &result) final;
    void flush() override { output_->flush(); }
    bool all_right() const override { return all_right_; }

protected:
    virtual void begin(const Task &task) = 0;
    virtual void chunk(const Task &task, const std::string &digest, uint64_t from, uint64_t bytes) = 0;
    // errno, if what belongs behind the last chunk could not be made.
    virtual int end(const Task &task) = 0;

    const Options &options_;
    Output *const output_;

private:
    void fail(const Task &task, int error);

    bool all_right_ = true, begun_ = false, failed_ = false;
};

// Writes a chunk_line for each chunk.
class Chunks : public ChunkSink {
public:
    using ChunkSink::ChunkSink;

private:
    void begin(const Task &) override {}
    void chunk(const Task &task, const std::string &digest, uint64_t from, uint64_t bytes) override;
    int end(const Task &) override { return 0; }
};

// The ETag, or composite checksum, of an object that was uploaded to S3 in parts: the digest of the parts' digests, and
// their number. Shorter files than a part are uploaded at once.
class Etags : public ChunkSink {
public:
    using ChunkSink::ChunkSink;

private:
    void begin(const Task &task) override;
    void chunk(const Task &task, const std::string &digest, uint64_t from, uint64_t bytes) override;
    int end(const Task &task) override;

    std::string digests_;
    uint64_t parts_ = 0, bytes_ = 0;
};

// HASH:DIGEST NAME
class Verities : public ChunkSink {
public:
    using ChunkSink::ChunkSink;

private:
    void begin(const Task &) override {}
    void chunk(const Task &task, const std::string &digest, uint64_t from, uint64_t bytes) override;
    int end(const Task &) override { return 0; }
};

std::string base64(const std::string &bytes);

}  // namespace sum
