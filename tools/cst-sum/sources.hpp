// Where tasks come from: names on the command line, folders, lists of digests.
#pragma once

#include <fts.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "lists.hpp"
#include "queue.hpp"

namespace sum {

class Names : public Source {
public:
    // chunk: bytes of each; 0: files are digested whole.
    Names(std::vector<std::string> names, const Algorithm *algorithm, bool recursive, uint64_t chunk);
    ~Names() override;
    Names(const Names &) = delete;
    Names &operator=(const Names &) = delete;
    bool next(Task *task) override;

private:
    bool next_file(Task *task);
    bool next_in_folder(Task *task);
    void begin_chunks(Task *task);

    const std::vector<std::string> names_;
    const Algorithm *const algorithm_;
    const bool recursive_;
    const uint64_t chunk_;
    // Of the file that is being cut.
    Task cut_;
    uint64_t left_ = 0;
    size_t at_ = 0;
    FTS *folder_ = nullptr;
};

class Lists : public Source {
public:
    // usual: of lines without a tag; only: of all.
    Lists(std::vector<std::string> names, const Algorithms &algorithms, const Algorithm *usual, bool only);
    ~Lists() override;
    Lists(const Lists &) = delete;
    Lists &operator=(const Lists &) = delete;
    bool next(Task *task) override;

private:
    bool read_line(Task *task);

    const std::vector<std::string> names_;
    const Algorithm *const usual_;
    LineReader reader_;
    size_t at_ = 0;
    std::shared_ptr<List> list_;
    FILE *file_ = nullptr;
    bool standard_input_ = false;
    uint64_t line_ = 0;
    char *text_ = nullptr;
    size_t room_ = 0;
};

}  // namespace sum
