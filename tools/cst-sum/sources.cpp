#include "sources.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "errors.hpp"
#include "names.hpp"

namespace sum {
namespace {

bool is_folder(const std::string &name) {
    struct stat found;
    return stat(name.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace

Names::Names(std::vector<std::string> names, const Algorithm *algorithm, bool recursive, uint64_t chunk,
             uint64_t most_chunks, Descriptors *descriptors)
    : names_(std::move(names)),
      algorithm_(algorithm),
      recursive_(recursive),
      chunk_(chunk),
      most_chunks_(most_chunks),
      descriptors_(descriptors) {}

Source::Next Names::next(Task *task, bool patient) {
    if (!left_) {
        const Next found = next_file(task, patient);
        if (found == Next::task && chunk_ && task->kind == Task::Kind::file) begin_chunks(task);
        return found;
    }
    cut_.from += chunk_;
    left_ -= std::min(left_, chunk_);
    cut_.last = !left_;
    *task = cut_;
    return Next::task;
}

// A file on a disk becomes a task for each chunk; the length of other files is not known.
void Names::begin_chunks(Task *task) {
    struct stat found;
    task->chunk = chunk_;
    task->most_chunks = most_chunks_;
    task->rolls = task->name == "-" || stat(task->name.c_str(), &found) || !S_ISREG(found.st_mode) || !found.st_size;
    if (task->rolls) return;
    const uint64_t size = uint64_t(found.st_size);
    if ((size - 1) / chunk_ >= most_chunks_) {
        task->kind = Task::Kind::failure;
        task->error = TOO_MANY_PARTS;
        return;
    }
    left_ = size - std::min(size, chunk_);
    task->last = !left_;
    cut_ = *task;
}

Source::Next Names::next_file(Task *task, bool patient) {
    for (;;) {
        if (folder_) {
            const Next found = next_in_folder(task, patient);
            if (found != Next::end) return found;
            folder_.reset();
        }
        if (at_ == names_.size()) return Next::end;
        const std::string &name = names_[at_++];
        task->name = name;
        task->algorithm = algorithm_;
        if (!recursive_ || name == "-" || !is_folder(name)) return Next::task;
        folder_ = std::make_unique<Walk>(name, descriptors_);
    }
}

Source::Next Names::next_in_folder(Task *task, bool patient) {
    switch (folder_->next(patient, &task->name, &task->error)) {
        case Walk::Step::later: return Next::later;
        case Walk::Step::end: return Next::end;
        case Walk::Step::found: break;
    }
    task->algorithm = algorithm_;
    if (task->error) task->kind = Task::Kind::failure;
    return Next::task;
}

Lists::Lists(std::vector<std::string> names, const Algorithms &algorithms, const Algorithm *usual, bool only)
    : names_(std::move(names)), usual_(usual), reader_(algorithms, usual, only) {}

Lists::~Lists() {
    if (file_ && !standard_input_) fclose(file_);
    free(text_);
}

Source::Next Lists::next(Task *task, bool patient) {
    if (!file_) {
        if (at_ == names_.size()) return Next::end;
        if (!open_next()) {
            const int error = errno;
            if (patient && Descriptors::lacking(error)) return Next::later;
            task->kind = Task::Kind::failure;
            task->name = names_[at_++];
            task->error = error;
            return Next::task;
        }
    }
    if (read_line(task)) return Next::task;
    // getline fails without a mark on the stream where it has no memory for a line.
    list_->damaged = !feof(file_);
    if (!standard_input_) fclose(file_);
    file_ = nullptr;
    at_++;
    task->kind = Task::Kind::end_of_list;
    task->list = std::move(list_);
    return Next::task;
}

// Returns false, with errno, if there is no such list, or no descriptor for it.
bool Lists::open_next() {
    const std::string &name = names_[at_];
    standard_input_ = name == "-";
    file_ = standard_input_ ? stdin : fopen(name.c_str(), "re");
    if (!file_) return false;
    line_ = 0;
    list_ = std::make_shared<List>();
    list_->name = quoted(standard_input_ ? "standard input" : name);
    list_->algorithm = usual_;
    return true;
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
        // A list that is read from the standard input cannot name the standard input.
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
