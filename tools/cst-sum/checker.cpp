#include "checker.hpp"

#include <cerrno>

#include "errors.hpp"
#include "names.hpp"

namespace sum {
namespace {

std::string counted(uint64_t n, const char *one, const char *many) {
    return "WARNING: " + std::to_string(n) + (n == 1 ? one : many);
}

}  // namespace

void Writer::take(const Task &task, const Result &result) {
    const int error = task.error ? task.error : result.error;
    if (!error) return write(*task.algorithm, result.digest, task.name);
    all_right_ = false;
    output_->message(what_is_wrong(task.name, error));
}

void Writer::write(const Algorithm &algorithm, const std::string &digest, const std::string &name) {
    if (algorithm.members.empty()) output_->write(line_of(algorithm, digest, name, style_));
    size_t at = 0;
    for (const Algorithm *one : algorithm.members) {
        output_->write(line_of(*one, digest.substr(at, one->bytes), name, {true, style_.zero, style_.binary}));
        at += one->bytes;
    }
}

void Checker::take(const Task &task, const Result &result) {
    switch (task.kind) {
        case Task::Kind::file: return judge_file(task, result);
        case Task::Kind::failure: all_right_ = false; return output_->message(what_is_wrong(task.name, task.error));
        case Task::Kind::wrong_line:
            task.list->wrong_lines++;
            if (options_.warn)
                output_->message(task.list->name + ": " + std::to_string(task.line) + ": improperly formatted " +
                                 task.list->algorithm->tag + " checksum line");
            return;
        case Task::Kind::end_of_list: return judge_list(*task.list);
    }
}

void Checker::judge_file(const Task &task, const Result &result) {
    List &list = *task.list;
    list.found = true;
    const std::string name = needs_escape(task.name) ? "\\" + escaped(task.name) : task.name;
    if (result.error) {
        if (options_.ignore_missing && result.error == ENOENT) return;
        output_->message(what_is_wrong(task.name, result.error));
        list.unreadable++;
        if (!options_.status) output_->write(name + ": FAILED open or read\n");
        return;
    }
    const bool right = hexadecimal(result.digest) == task.expected;
    if (right) list.matched = true;
    else list.differing++;
    if (options_.status || (right && options_.quiet)) return;
    output_->write(name + (right ? ": OK\n" : ": FAILED\n"));
}

void Checker::judge_list(const List &list) {
    if (list.damaged) {
        all_right_ = false;
        return output_->message(list.name + ": read error");
    }
    if (!list.found) {
        all_right_ = false;
        return output_->message(list.name + ": no properly formatted checksum lines found");
    }
    if (!options_.status) {
        if (list.wrong_lines)
            output_->message(
                counted(list.wrong_lines, " line is improperly formatted", " lines are improperly formatted"));
        if (list.unreadable)
            output_->message(
                counted(list.unreadable, " listed file could not be read", " listed files could not be read"));
        if (list.differing)
            output_->message(
                counted(list.differing, " computed checksum did NOT match", " computed checksums did NOT match"));
        if (options_.ignore_missing && !list.matched) output_->message(list.name + ": no file was verified");
    }
    all_right_ &= (!options_.ignore_missing || list.matched) && !list.unreadable && !list.differing &&
                  !(options_.strict && list.wrong_lines);
}

}  // namespace sum
