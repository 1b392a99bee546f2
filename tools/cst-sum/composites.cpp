#include "composites.hpp"

#include <algorithm>
#include <cerrno>

#include "errors.hpp"
#include "names.hpp"

namespace sum {

NamedLine named_line(const std::string &name, bool zero) {
    const bool escapes = !zero && needs_escape(name);
    return {escapes ? "\\" : "", (escapes ? escaped(name) : name) + (zero ? '\0' : '\n')};
}

std::string chunk_line(const NamedLine &line, const std::string &digest, uint64_t from, uint64_t bytes) {
    return line.front + hexadecimal(digest) + "  " + std::to_string(from) + "+" + std::to_string(bytes) + "  " +
           line.back;
}

namespace {

int error_of(const Task &task, const Result &result) {
    if (task.error) return task.error;
    if (result.error || task.rolls) return result.error;
    // The chunks were cut by the length that the file had. Those of a file that has shrunk are neither a list of chunks
    // nor an ETag.
    const bool shrank = task.last ? task.from && !result.bytes : result.bytes < task.chunk;
    return shrank ? SHRANK : 0;
}

}  // namespace

void ChunkSink::take(const Task &task, const Result &result) {
    const int error = error_of(task, result);
    if (!begun_) {
        begun_ = true;
        failed_ = false;
        begin(task);
    }
    if (error) fail(task, error);
    const size_t each = failed_ ? 0 : task.algorithm->bytes;
    uint64_t from = task.from, left = result.bytes;
    for (size_t at = 0; !failed_ && at < result.digest.size(); at += each) {
        const uint64_t bytes = std::min(left, task.chunk);
        chunk(task, result.digest.substr(at, each), from, bytes);
        from += bytes;
        left -= bytes;
    }
    if (!task.last) return;
    begun_ = false;
    if (const int wrong = failed_ ? 0 : end(task)) fail(task, wrong);
}

void ChunkSink::fail(const Task &task, int error) {
    all_right_ = false;
    if (!failed_) output_->message(what_is_wrong(task.name, error));
    failed_ = true;
}

void Chunks::chunk(const Task &task, const std::string &digest, uint64_t from, uint64_t bytes) {
    output_->write(chunk_line(named_line(task.name, options_.zero), digest, from, bytes));
}

void Etags::begin(const Task &) {
    digests_.clear();
    parts_ = bytes_ = 0;
}

void Etags::chunk(const Task &, const std::string &digest, uint64_t, uint64_t bytes) {
    digests_ += digest;
    parts_++;
    bytes_ += bytes;
}

int Etags::end(const Task &task) {
    std::string digest = digests_, number;
    if (bytes_ >= task.chunk) {
        unsigned char made[1][64];
        if (cst_digest(task.algorithm->key, digests_.data(), digests_.size(), made[0], task.algorithm->bytes))
            return ENOMEM;
        digest = task.algorithm->digest(made);
        number = "-" + std::to_string(parts_);
    }
    const NamedLine line = named_line(task.name, options_.zero);
    // S3 writes MD5 in hexadecimal digits, and the others so.
    const std::string text = task.algorithm->name == "md5" ? hexadecimal(digest) : base64(digest);
    output_->write(line.front + text + number + "  " + line.back);
    return 0;
}

void Verities::chunk(const Task &task, const std::string &digest, uint64_t, uint64_t) {
    const NamedLine line = named_line(task.name, options_.zero);
    output_->write(line.front + task.algorithm->name + ":" + hexadecimal(digest) + " " + line.back);
}

std::string base64(const std::string &bytes) {
    constexpr char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (size_t j = 0; j < 4; j++) text += i + j <= bytes.size() ? LETTERS[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

}  // namespace sum
