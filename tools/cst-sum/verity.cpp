#include "verity.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "digester.hpp"

namespace sum {
namespace {

// Blocks that are hashed at once.
constexpr size_t MOST_BLOCKS = 256;

// Layout of the kernel's struct fsverity_descriptor; numbers are little-endian.
constexpr size_t DESCRIPTOR = 256, AT_VERSION = 0, AT_HASH = 1, AT_LOG_BLOCK = 2, AT_SALT_BYTES = 3, AT_DATA_BYTES = 8,
                 AT_ROOT = 16, AT_SALT = 80;
constexpr char VERSION = 1, SHA256 = 1, SHA512 = 2;

class Tree {
public:
    Tree(const VerityForm &form, const Algorithm &algorithm) : form_(form), algorithm_(algorithm) {
        // The salt is filled up to whole blocks of the hash.
        const size_t unit = algorithm.name == "sha512" ? 128 : 64;
        salt_ = form.salt;
        salt_.resize((salt_.size() + unit - 1) / unit * unit);
        item_ = salt_.size() + form.block;
        offsets_.resize(MOST_BLOCKS + 1);
        for (size_t i = 0; i <= MOST_BLOCKS; i++) offsets_[i] = uint32_t(i * item_);
        digests_.resize(MOST_BLOCKS * algorithm.bytes);
        if (!salt_.empty()) salted_.resize(MOST_BLOCKS * item_);
        for (size_t i = 0; !salt_.empty() && i < MOST_BLOCKS; i++)
            memcpy(&salted_[i * item_], salt_.data(), salt_.size());
    }

    // Adds whole blocks of the file. Returns 0 or errno.
    int add(const unsigned char *data, size_t bytes) {
        data_bytes_ += bytes;
        return add_to(0, data, bytes / form_.block);
    }
    // The rest of it, less than a block, and the digest of it all.
    int end(const unsigned char *data, size_t bytes, std::string *digest) {
        std::string root;
        if (bytes) {
            data_bytes_ += bytes;
            std::string block(reinterpret_cast<const char *>(data), bytes);
            block.resize(form_.block);
            if (int error = add_to(0, reinterpret_cast<const unsigned char *>(block.data()), 1)) return error;
        }
        // A level of a single block is followed by the root.
        for (size_t i = 0; data_bytes_; i++) {
            if (levels_[i].blocks == 1) {
                root = levels_[i].digests;
                break;
            }
            if (int error = flush(i, true)) return error;
        }
        std::string descriptor(DESCRIPTOR, '\0');
        descriptor[AT_VERSION] = VERSION;
        descriptor[AT_HASH] = algorithm_.name == "sha512" ? SHA512 : SHA256;
        descriptor[AT_LOG_BLOCK] = char(__builtin_ctzl(form_.block));
        descriptor[AT_SALT_BYTES] = char(form_.salt.size());
        for (size_t i = 0; i < sizeof(data_bytes_); i++) descriptor[AT_DATA_BYTES + i] = char(data_bytes_ >> (8 * i));
        descriptor.replace(AT_ROOT, root.size(), root);
        descriptor.replace(AT_SALT, form_.salt.size(), form_.salt);
        digest->resize(algorithm_.bytes);
        return cst_digest(algorithm_.key, descriptor.data(), descriptor.size(), digest->data(), digest->size()) ? ENOMEM
                                                                                                                : 0;
    }

private:
    struct Level {
        uint64_t blocks = 0;  // so far
        std::string digests;  // of those that are in no block of the next level yet
    };

    int add_to(size_t level, const unsigned char *blocks, size_t n) {
        if (levels_.size() == level) levels_.emplace_back();
        for (size_t at = 0; at < n;) {
            const size_t some = std::min(n - at, MOST_BLOCKS);
            const unsigned char *items = blocks + at * form_.block;
            if (!salt_.empty()) {
                for (size_t i = 0; i < some; i++)
                    memcpy(&salted_[i * item_ + salt_.size()], items + i * form_.block, form_.block);
                items = reinterpret_cast<const unsigned char *>(salted_.data());
            }
            cst_column column = {};
            column.size = sizeof(column);
            column.key = algorithm_.key;
            column.data = items;
            column.data_bytes = some * item_;
            column.offsets = offsets_.data();
            column.offset_bytes = sizeof(uint32_t);
            column.n = some;
            column.tags = digests_.data();
            column.tag_len = algorithm_.bytes;
            if (cst_digest_column(&column)) return ENOMEM;
            levels_[level].blocks += some;
            levels_[level].digests.append(digests_, 0, some * algorithm_.bytes);
            at += some;
            if (levels_[level].digests.size() >= MOST_BLOCKS * form_.block)
                if (int error = flush(level, false)) return error;
        }
        return 0;
    }
    // Hashes whole blocks of digests into the next level; all: also the rest, padded.
    int flush(size_t level, bool all) {
        std::string digests = std::move(levels_[level].digests);
        if (all) digests.resize((digests.size() + form_.block - 1) / form_.block * form_.block);
        const size_t whole = digests.size() / form_.block;
        levels_[level].digests = digests.substr(whole * form_.block);
        return add_to(level + 1, reinterpret_cast<const unsigned char *>(digests.data()), whole);
    }

    const VerityForm &form_;
    const Algorithm &algorithm_;
    std::string salt_, salted_, digests_;
    size_t item_;
    std::vector<uint32_t> offsets_;
    std::vector<Level> levels_;
    uint64_t data_bytes_ = 0;
};

int digest_file(const VerityForm &form, const Task &task, Queue *queue, Descriptors *descriptors, unsigned char *memory,
                Result *result) {
    const int file = descriptors->open_waiting(task.name);
    if (file < 0) return errno;
    Tree tree(form, *task.algorithm);
    int error = 0;
    size_t filled = 0;
    for (bool ended = false; !ended && !error;) {
        while (filled < DIGEST_MEMORY && !ended && !error) {
            const ssize_t n = read(file, memory + filled, DIGEST_MEMORY - filled);
            if (n < 0 && errno != EINTR) error = errno;
            ended = n == 0;
            if (n > 0) filled += size_t(n);
        }
        if (error) break;
        const size_t whole = filled / form.block * form.block;
        result->bytes += filled;
        queue->read(filled);
        error = tree.add(memory, whole);
        filled -= whole;
        if (ended && !error) error = tree.end(memory + whole, filled, &result->digest);
    }
    if (task.name != "-") descriptors->close(file);
    return error;
}

}  // namespace

void verity_files(const VerityForm &form, Queue *queue, Descriptors *descriptors, unsigned char *memory) {
    for (Task task; queue->draw(&task, true) == Queue::Draw::task;) {
        Result result;
        result.error = digest_file(form, task, queue, descriptors, memory, &result);
        queue->done(task, std::move(result));
    }
}

}  // namespace sum
