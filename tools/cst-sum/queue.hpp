// Work queue: workers take tasks in order and give results; results are delivered in the same order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "algorithms.hpp"
#include "descriptors.hpp"

namespace sum {

struct List;

struct Task {
    enum class Kind {
        file,
        failure,      // `error` says what is wrong with `name`
        wrong_line,   // of a list
        end_of_list,
    };
    Kind kind = Kind::file;
    std::string name;
    const Algorithm *algorithm = nullptr;
    int error = 0;  // errno, or an Error
    // The chunks to digest: of at most `chunk` bytes, from `from` on: one, or with `rolls` all to the end.
    uint64_t from = 0, chunk = UINT64_MAX;
    bool rolls = false;
    uint64_t most_chunks = UINT64_MAX;  // more are an Error: TOO_MANY_PARTS
    bool last = true;  // of the file
    bool tree = false;  // a part of a file that BLAKE3 digests (trees.hpp)
    // The list, for a task that is a line of one.
    std::shared_ptr<List> list;
    uint64_t line = 0;
    std::string expected;
    // Set by the queue: must run alone (standard input, pipes, terminals).
    bool alone = false;
    uint64_t number = 0;
};

struct Result {
    int error = 0;  // errno, or an Error
    std::string digest;  // of each chunk, one behind the other
    std::vector<uint64_t> lengths;  // of chunks whose content decides where they end
    uint64_t chunks = 0;
    uint64_t bytes = 0;
};

class Source {
public:
    virtual ~Source() = default;
    enum class Next { task, later, end };
    // The next task, if there is one. later, if patient is set: the system has no descriptor for a list or folder now.
    // Called by one thread at a time.
    virtual Next next(Task *task, bool patient) = 0;
};

class Sink {
public:
    virtual ~Sink() = default;
    // Receives the results in the order of the tasks, from one thread at a time.
    virtual void take(const Task &task, const Result &result) = 0;
    // After some of them.
    virtual void flush() = 0;
    // After all of them.
    virtual void end() {}
    // Whether nothing has failed so far.
    virtual bool all_right() const = 0;
};

class Queue {
public:
    Queue(Source *source, Sink *sink, Descriptors *descriptors)
        : source_(source), sink_(sink), descriptors_(descriptors) {}

    enum class Draw { task, later, end };
    // Draws a task. Draw::later: none may begin before others are done. A task that must run alone is given out when no
    // other runs. wait: waits instead of returning `later`; the caller has no file open.
    Draw draw(Task *task, bool wait);
    void done(const Task &task, Result result);

    // Waits for so long, or until all is done: true. Then tells how many files are done, and how many bytes were read,
    // while no result is taken.
    bool wait(unsigned milliseconds, const std::function<void(uint64_t files, uint64_t bytes)> &tell);
    // Counts bytes that were read.
    void read(uint64_t bytes);

private:
    // Results that wait for an earlier one: what a huge file in front holds up is bounded.
    static constexpr uint64_t MOST_WAITING = 8192;

    struct Waiting {
        Task task;
        Result result;
        bool done = false;
    };
    void release();
    bool find_next(std::unique_lock<std::mutex> *lock, bool wait);

    Source *const source_;
    Sink *const sink_;
    Descriptors *const descriptors_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;  // from number first_ on
    uint64_t first_ = 0, next_ = 0, running_ = 0;
    Task pending_;
    bool has_pending_ = false, ended_ = false, alone_ = false;
    uint64_t files_ = 0, bytes_ = 0;
};

}  // namespace sum
