#include "sources.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "names.hpp"

namespace sum {
namespace {

int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

bool is_folder(const std::string &name) {
    struct stat found;
    return stat(name.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace

Names::Names(std::vector<std::string> names, const Algorithm *algorithm, bool recursive, uint64_t chunk)
    : names_(std::move(names)), algorithm_(algorithm), recursive_(recursive), chunk_(chunk) {}

Names::~Names() {
    if (folder_) fts_close(folder_);
}

bool Names::next(Task *task) {
    if (!left_) {
        if (!next_file(task)) return false;
        if (chunk_ && task->kind == Task::Kind::file) begin_chunks(task);
        return true;
    }
    cut_.from += chunk_;
    left_ -= std::min(left_, chunk_);
    cut_.last = !left_;
    *task = cut_;
    return true;
}

// A file on a disk is as many tasks as it has chunks; of others the length is not known.
void Names::begin_chunks(Task *task) {
    struct stat found;
    task->chunk = chunk_;
    task->rolls = task->name == "-" || stat(task->name.c_str(), &found) || !S_ISREG(found.st_mode) || !found.st_size;
    if (task->rolls) return;
    const uint64_t size = uint64_t(found.st_size);
    left_ = size - std::min(size, chunk_);
    task->last = !left_;
    cut_ = *task;
}

bool Names::next_file(Task *task) {
    for (;;) {
        if (folder_) {
            if (next_in_folder(task)) return true;
            fts_close(folder_);
            folder_ = nullptr;
        }
        if (at_ == names_.size()) return false;
        const std::string &name = names_[at_++];
        task->name = name;
        task->algorithm = algorithm_;
        if (!recursive_ || name == "-" || !is_folder(name)) return true;
        std::string path = name;
        char *const paths[] = {path.data(), nullptr};
        folder_ = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
        if (folder_) continue;
        task->kind = Task::Kind::failure;
        task->error = errno;
        return true;
    }
}

bool Names::next_in_folder(Task *task) {
    for (;;) {
        errno = 0;
        const FTSENT *const found = fts_read(folder_);
        if (!found) return false;
        switch (found->fts_info) {
            case FTS_F: break;
            case FTS_DNR:
            case FTS_ERR:
            case FTS_NS:
                task->kind = Task::Kind::failure;
                task->error = found->fts_errno;
                break;
            default: continue;
        }
        task->name = found->fts_path;
        task->algorithm = algorithm_;
        return true;
    }
}

Lists::Lists(std::vector<std::string> names, const Algorithms &algorithms, const Algorithm *usual, bool only)
    : names_(std::move(names)), usual_(usual), reader_(algorithms, usual, only) {}

Lists::~Lists() {
    if (file_ && !standard_input_) fclose(file_);
    free(text_);
}

bool Lists::next(Task *task) {
    for (;;) {
        if (file_) {
            if (read_line(task)) return true;
            list_->damaged = ferror(file_) != 0;
            if (!standard_input_) fclose(file_);
            file_ = nullptr;
            task->kind = Task::Kind::end_of_list;
            task->list = std::move(list_);
            return true;
        }
        if (at_ == names_.size()) return false;
        const std::string &name = names_[at_++];
        standard_input_ = name == "-";
        file_ = standard_input_ ? stdin : fopen(name.c_str(), "re");
        line_ = 0;
        if (!file_) {
            task->kind = Task::Kind::failure;
            task->name = name;
            task->error = errno;
            return true;
        }
        list_ = std::make_shared<List>();
        list_->name = quoted(standard_input_ ? "standard input" : name);
        list_->algorithm = usual_;
    }
}

bool Lists::read_line(Task *task) {
    for (ssize_t n; (n = getline(&text_, &room_, file_)) > 0;) {
        line_++;
        if (text_[0] == '#') continue;
        std::string text(text_, size_t(n));
        if (!text.empty() && text.back() == '\n') text.pop_back();
        if (!text.empty() && text.back() == '\r') text.pop_back();
        if (text.empty()) continue;
        Line line;
        task->list = list_;
        task->line = line_;
        // A list on the standard input cannot be of the standard input.
        if (!reader_.read(text, &line) || (standard_input_ && line.name == "-")) {
            task->kind = Task::Kind::wrong_line;
            return true;
        }
        task->name = line.name;
        task->algorithm = line.algorithm;
        task->expected = line.digest;
        return true;
    }
    return false;
}

}  // namespace sum
