#include "trees.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "errors.hpp"

namespace sum {
namespace {

// Returns how many bytes the file of a task has, if it is to be cut; else 0.
uint64_t bytes_to_cut(const Task &task) {
    struct stat found;
    if (task.kind != Task::Kind::file || task.name == "-" || !task.algorithm->tree) return 0;
    if (stat(task.name.c_str(), &found) || !S_ISREG(found.st_mode)) return 0;
    return uint64_t(found.st_size) > TREE_PART ? uint64_t(found.st_size) : 0;
}

}  // namespace

Source::Next TreeSource::next(Task *task, bool patient) {
    if (left_) {
        cut_.from += TREE_PART;
    } else {
        const Next found = source_->next(task, patient);
        left_ = found == Next::task ? bytes_to_cut(*task) : 0;
        if (!left_) return found;
        cut_ = *task;
        cut_.tree = true;
        cut_.chunk = TREE_PART;
    }
    left_ -= std::min(left_, TREE_PART);
    cut_.last = !left_;
    *task = cut_;
    return Next::task;
}

void TreeSink::take(const Task &task, const Result &result) {
    if (!task.tree) return sink_->take(task, result);
    if (!task.from) whole_ = Result();
    whole_.bytes += result.bytes;
    whole_.digest += result.digest;
    // Parts were cut by the length that the file had.
    const bool shrank = task.last ? !result.bytes : result.bytes < task.chunk;
    if (!whole_.error) whole_.error = result.error ? result.error : shrank ? SHRANK : 0;
    if (!task.last) return;
    const std::string chains = std::move(whole_.digest);
    whole_.digest.assign(task.algorithm->bytes, '\0');
    if (!whole_.error && cst_tree_root(task.algorithm->key, chains.data(), chains.size() / CST_TREE_CHAIN_BYTES,
                                       whole_.digest.data(), whole_.digest.size()))
        whole_.error = ENOMEM;
    whole_.chunks = 1;
    sink_->take(task, whole_);
}

void digest_tree_part(int file, const Task &task, unsigned char *memory, Result *result) {
    size_t filled = 0;
    while (filled < TREE_PART) {
        const ssize_t n = read(file, memory + filled, TREE_PART - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) result->error = errno;
        if (n <= 0) break;
        filled += size_t(n);
    }
    result->bytes = filled;
    unsigned char chain[CST_TREE_CHAIN_BYTES];
    if (result->error || !filled) return;
    if (cst_tree_part(task.algorithm->key, task.from, memory, filled, chain)) result->error = ENOMEM;
    else result->digest.assign(chain, chain + sizeof(chain));
}

}  // namespace sum
