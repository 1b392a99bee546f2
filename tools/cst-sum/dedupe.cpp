#include "dedupe.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "composites.hpp"
#include "digester.hpp"
#include "errors.hpp"
#include "lists.hpp"

namespace sum {
namespace {

constexpr size_t ROOM = 256;  // chunks of one call

struct FreeChunker {
    void operator()(cst_chunker *chunker) const { cst_chunker_free(chunker); }
};
using Chunker = std::unique_ptr<cst_chunker, FreeChunker>;

Chunker chunker_of(cst_ctx *context, const Algorithm &algorithm, size_t average) {
    cst_chunker_options options = {};
    options.size = sizeof(options);
    options.key = algorithm.key;
    options.average_bytes = average;
    options.normalization = 1;
    cst_chunker *made = nullptr;
    return Chunker(cst_chunker_new(context, &options, &made) ? nullptr : made);
}

// Takes a piece of the file. Returns 0 or errno.
int feed(cst_chunker *chunker, const unsigned char *piece, size_t bytes, bool last, const Algorithm &algorithm,
         Result *result) {
    cst_chunk chunks[ROOM];
    size_t n = ROOM, used;
    while (bytes || (last && n == ROOM)) {
        if (cst_chunker_feed(chunker, piece, bytes, last, chunks, ROOM, &n, &used)) return ENOMEM;
        for (size_t i = 0; i < n; i++) {
            result->digest += algorithm.digest(&chunks[i].digest);
            result->lengths.push_back(chunks[i].bytes);
        }
        piece += used;
        bytes -= used;
    }
    return 0;
}

int chunk_file(cst_ctx *context, size_t average, const Task &task, Queue *queue, Descriptors *descriptors,
               unsigned char *memory, Result *result) {
    const Chunker chunker = chunker_of(context, *task.algorithm, average);
    if (!chunker) return ENOMEM;
    const int file = descriptors->open_waiting(task.name);
    if (file < 0) return errno;
    int error = 0;
    for (bool ended = false; !ended && !error;) {
        const ssize_t n = read(file, memory, DIGEST_MEMORY);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            error = errno;
            break;
        }
        ended = n == 0;
        result->bytes += size_t(n);
        queue->read(size_t(n));
        error = feed(chunker.get(), memory, size_t(n), ended, *task.algorithm, result);
    }
    if (task.name != "-") descriptors->close(file);
    return error;
}

}  // namespace

void dedupe_files(cst_ctx *context, size_t average, Queue *queue, Descriptors *descriptors, unsigned char *memory) {
    for (Task task; queue->draw(&task, true) == Queue::Draw::task;) {
        Result result;
        result.error = chunk_file(context, average, task, queue, descriptors, memory, &result);
        queue->done(task, std::move(result));
    }
}

void Dedupes::take(const Task &task, const Result &result) {
    if (const int error = task.error ? task.error : result.error) {
        all_right_ = false;
        return output_->message(what_is_wrong(task.name, error));
    }
    const NamedLine line = named_line(task.name, options_.zero);
    uint64_t from = 0;
    size_t at = 0;
    for (const uint64_t bytes : result.lengths) {
        const std::string digest = result.digest.substr(at, task.algorithm->bytes);
        output_->write(chunk_line(line, digest, from, bytes));
        if (digests_.insert(digest).second) stored_ += bytes;
        from += bytes;
        at += digest.size();
    }
    chunks_ += result.lengths.size();
    bytes_ += from;
}

void Dedupes::end() {
    char saved[32];
    snprintf(saved, sizeof(saved), "%.1f", bytes_ ? 100 * double(bytes_ - stored_) / double(bytes_) : 0.0);
    output_->message(std::to_string(chunks_) + (chunks_ == 1 ? " chunk, " : " chunks, ") +
                     std::to_string(digests_.size()) + " different; stored once they take " + std::to_string(stored_) +
                     " of " + std::to_string(bytes_) + " bytes, which saves " + saved + " %");
}

}  // namespace sum
