#include "async_bursts.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <vector>

#include "stack.hpp"

namespace cst::ossl {
namespace {

constexpr size_t MOST_JOBS = 64;  // of a burst
constexpr size_t FEWEST_JOBS = 3;  // of eight lanes that would be busy: with fewer, `default` is as fast

// The descriptor by which an application learns that a paused ASYNC job can go on. -1: there is none to be had. One
// that a forked process has inherited is its parent's: reading there would take the parent's event.
int descriptor_of(const Libcrypto &libcrypto, const ErrorQueue &errors, ASYNC_WAIT_CTX *wait, pid_t process) {
    const Speculation speculation(errors);
    static const char key = 0;  // its address
    int descriptor;
    void *owner = nullptr, *const own = reinterpret_cast<void *>(intptr_t(process));
    if (libcrypto.wait_descriptor(wait, &key, &descriptor, &owner)) {
        if (owner == own) return descriptor;
        libcrypto.clear_wait_descriptor(wait, &key);
        close(descriptor);
    }
    descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0) return -1;
    const auto cleanup = [](ASYNC_WAIT_CTX *, const void *, int its, void *) { close(its); };
    if (libcrypto.set_wait_descriptor(wait, &key, descriptor, own, cleanup)) return descriptor;
    close(descriptor);
    return -1;
}

}  // namespace

// The jobs of one operation that wait, in one thread.
class AsyncBursts::Queue {
public:
    explicit Queue(const cst_pk *operation) : operation_(operation) {}
    const cst_pk *operation() const { return operation_; }

    struct Waiting {
        cst_pk_job job;
        bool done;
    };
    void add(Waiting *job) {
        waiting_[n_++] = job;
        arrivals_++;
    }
    // How many have come, ever.
    uint64_t arrivals() const { return arrivals_; }
    // Whether nobody need wait: there is no more room, or all who were in the last burst have come again.
    bool is_full() const { return n_ == MOST_JOBS || (away_ == 0 && last_ >= FEWEST_JOBS && n_ >= last_); }
    // Runs all that wait, or releases them without a result if they are few, or there is no stack for them. Returns how
    // many were run.
    size_t run() {
        last_ = n_;
        away_ += n_;
        const bool ran = n_ >= FEWEST_JOBS && Stack::run([this] { burst(); });
        for (size_t i = 0; i < n_; i++) waiting_[i]->done = true;
        n_ = 0;
        return ran ? last_ : 0;
    }
    // A job that had waited has gone on.
    void leave() { away_--; }

private:
    void burst() {
        cst_pk_job jobs[MOST_JOBS];
        for (size_t i = 0; i < n_; i++) jobs[i] = waiting_[i]->job;
        cst_pk_burst(operation_, jobs, n_);
        for (size_t i = 0; i < n_; i++) waiting_[i]->job = jobs[i];
    }

    const cst_pk *const operation_;
    Waiting *waiting_[MOST_JOBS];
    size_t n_ = 0, last_ = 0, away_ = 0;  // away: jobs that wait no more, and whose ASYNC jobs are still paused
    uint64_t arrivals_ = 0;
};

// Holds the queues of a thread, one for each operation. OpenSSL resumes an ASYNC job in the thread that began it.
class AsyncBursts::Thread {
public:
    static Thread &here() {
        thread_local Thread its;
        return its;
    }
    // NULL: no memory.
    Queue *queue(const cst_pk *operation) {
        for (const auto &queue : queues_)
            if (queue->operation() == operation) return queue.get();
        try {
            queues_.push_back(std::make_unique<Queue>(operation));
            return queues_.back().get();
        } catch (const std::bad_alloc &) {
            return nullptr;
        }
    }

private:
    std::vector<std::unique_ptr<Queue>> queues_;
};

bool AsyncBursts::can_wait() const {
    ASYNC_JOB *const job = libcrypto_.current_job();
    ASYNC_WAIT_CTX *const wait = job ? libcrypto_.wait_context(job) : nullptr;
    if (!wait) return false;
    ASYNC_callback_fn callback;
    void *unused;
    return !libcrypto_.wait_callback(wait, &callback, &unused);
}

int AsyncBursts::run(const cst_pk *operation, cst_pk_job *job) const {
    constexpr int NOT_RUN = 1;
    ASYNC_WAIT_CTX *const wait = libcrypto_.wait_context(libcrypto_.current_job());
    Queue *const queue = Thread::here().queue(operation);
    const pid_t process = getpid();
    const int descriptor = queue ? descriptor_of(libcrypto_, errors_, wait, process) : -1;
    if (descriptor < 0) return NOT_RUN;
    job->size = sizeof(*job);
    job->status = NOT_RUN;
    Queue::Waiting waiting = {*job, false};
    queue->add(&waiting);
    const auto burst = [&] {
        const size_t n = queue->run();
        jobs_.fetch_add(n, std::memory_order_relaxed);
        bursts_.fetch_add(n > 0, std::memory_order_relaxed);
    };
    if (queue->is_full()) {
        burst();
    } else {
        // The application goes on with a paused job as soon as it comes round to it. If no other job has come in the
        // meantime, none is on its way.
        eventfd_write(descriptor, 1);
        for (uint64_t seen; !waiting.done;) {
            seen = queue->arrivals();
            const bool paused = libcrypto_.pause_job();
            if (!waiting.done && (!paused || queue->arrivals() == seen)) burst();
        }
        eventfd_t unused;
        if (getpid() == process) eventfd_read(descriptor, &unused);  // a fork's copy of the job has its parent's
    }
    queue->leave();
    *job = waiting.job;
    return job->status;
}

}  // namespace cst::ossl
