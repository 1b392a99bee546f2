// Sinks for results: one writes lines with digests, the other compares digests with lists.
#pragma once

#include "lists.hpp"
#include "options.hpp"
#include "output.hpp"
#include "queue.hpp"

namespace sum {

class Writer : public Sink {
public:
    Writer(const Options &options, Output *output)
        : style_{options.tag, options.zero, options.binary}, output_(output) {}
    void take(const Task &task, const Result &result) override;
    void flush() override { output_->flush(); }
    bool all_right() const override { return all_right_; }

private:
    // Writes a line, or one for each of several hashes, with tags: nothing else tells them apart.
    void write(const Algorithm &algorithm, const std::string &digest, const std::string &name);

    const Style style_;
    Output *const output_;
    bool all_right_ = true;
};

class Checker : public Sink {
public:
    Checker(const Options &options, Output *output) : options_(options), output_(output) {}
    void take(const Task &task, const Result &result) override;
    void flush() override { output_->flush(); }
    bool all_right() const override { return all_right_; }

private:
    void judge_file(const Task &task, const Result &result);
    void judge_list(const List &list);

    const Options &options_;
    Output *const output_;
    bool all_right_ = true;
};

}  // namespace sum
