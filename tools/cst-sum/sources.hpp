// Sources of tasks: names on the command line, folders, lists of digests.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "lists.hpp"
#include "queue.hpp"
#include "walk.hpp"

namespace sum {

class Names : public Source {
public:
    // chunk: bytes of each; 0: files are digested whole. most_chunks: of one file.
    Names(std::vector<std::string> names, const Algorithm *algorithm, bool recursive, uint64_t chunk,
          uint64_t most_chunks, Descriptors *descriptors);
    Next next(Task *task, bool patient) override;

private:
    Next next_file(Task *task, bool patient);
    Next next_in_folder(Task *task, bool patient);
    void begin_chunks(Task *task);

    const std::vector<std::string> names_;
    const Algorithm *const algorithm_;
    const bool recursive_;
    const uint64_t chunk_, most_chunks_;
    Descriptors *const descriptors_;
    // The task of the file that is being cut into chunks.
    Task cut_;
    uint64_t left_ = 0;
    size_t at_ = 0;
    std::unique_ptr<Walk> folder_;
};

class Lists : public Source {
public:
    // usual: of lines without a tag; only: of all.
    Lists(std::vector<std::string> names, const Algorithms &algorithms, const Algorithm *usual, bool only);
    ~Lists() override;
    Lists(const Lists &) = delete;
    Lists &operator=(const Lists &) = delete;
    Next next(Task *task, bool patient) override;

private:
    bool open_next();
    bool read_line(Task *task);

    const std::vector<std::string> names_;
    const Algorithm *const usual_;
    LineReader reader_;
    size_t at_ = 0;
    std::shared_ptr<List> list_;  // that is being read, from file_
    FILE *file_ = nullptr;
    bool standard_input_ = false;
    uint64_t line_ = 0;
    char *text_ = nullptr;
    size_t room_ = 0;
};

}  // namespace sum
