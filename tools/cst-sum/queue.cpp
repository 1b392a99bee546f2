#include "queue.hpp"

#include <sys/stat.h>

#include <chrono>
#include <utility>

namespace sum {
namespace {

// Whether it is not a file on a disk: its bytes can be read only once, or when somebody writes them.
bool must_run_alone(const std::string &name) {
    struct stat found;
    if (name == "-") return true;
    return stat(name.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

}  // namespace

Queue::Draw Queue::draw(Task *task, bool wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        if (!find_next(&lock, wait)) return Draw::later;
        if (!has_pending_) {
            changed_.notify_all();
            return Draw::end;
        }
        const bool full = pending_.number - first_ >= MOST_WAITING;
        if (!alone_ && !full && !(pending_.alone && running_)) break;
        if (!wait) return Draw::later;
        wait_for_change(&changed_, &lock);
    }
    *task = pending_;
    waiting_.push_back({std::move(pending_), Result(), false});
    has_pending_ = false;
    alone_ = task->alone;
    running_++;
    return Draw::task;
}

// Makes the source's next task the pending one, unless that was the last. Returns false if the source has none yet, and
// the caller does not want to wait.
bool Queue::find_next(std::unique_lock<std::mutex> *lock, bool wait) {
    for (bool patient = true; !has_pending_ && !ended_;) {
        const uint64_t closed = descriptors_->closed();
        pending_ = Task();
        switch (source_->next(&pending_, patient)) {
            case Source::Next::end: ended_ = true; break;
            case Source::Next::later:
                if (!wait) return false;
                lock->unlock();
                patient = descriptors_->wait(closed);
                lock->lock();
                break;
            case Source::Next::task:
                patient = true;
                pending_.number = next_++;
                has_pending_ = pending_.kind == Task::Kind::file;
                if (has_pending_) {
                    pending_.alone = must_run_alone(pending_.name);
                } else {
                    waiting_.push_back({pending_, Result(), true});
                    release();
                }
        }
    }
    return true;
}

void Queue::done(const Task &task, Result result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_--;
    if (task.alone) alone_ = false;
    files_++;
    Waiting &its = waiting_[task.number - first_];
    its.result = std::move(result);
    its.done = true;
    release();
    changed_.notify_all();
}

void Queue::release() {
    bool some = false;
    for (; !waiting_.empty() && waiting_.front().done; first_++, some = true) {
        sink_->take(waiting_.front().task, waiting_.front().result);
        waiting_.pop_front();
    }
    if (some) sink_->flush();
}

void Queue::read(uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_ += bytes;
}

bool Queue::wait(unsigned milliseconds, const std::function<void(uint64_t files, uint64_t bytes)> &tell) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto all = [this] { return ended_ && !has_pending_ && !running_; };
    changed_.wait_for(lock, std::chrono::milliseconds(milliseconds), all);
    tell(files_, bytes_);
    return all();
}

}  // namespace sum
