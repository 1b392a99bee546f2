#include "worker.hpp"

#include <cstring>

#include "where.hpp"

namespace soak {
namespace {

// Fills the stack where the library's calls will lie, whose memory mostly holds zeros else, or what an equal call left.
__attribute__((noinline)) void spoil_stack(uint8_t byte) {
    uint8_t below[64 * 1024];
    memset(below, byte, sizeof(below));
    asm volatile("" ::"r"(below) : "memory");
}

}  // namespace

Worker::Worker(const Subject &subject, const Options &options, unsigned thread)
    : subject_(subject), seed_(options.seed), thread_(thread), tally_(subject) {
    here.thread = thread;
    here.options = options.again.c_str();
}

Worker::~Worker() {
    forget();
    for (const auto &manager : managers_) cst_manager_free(manager.second);
}

// Keys of jobs that have run; buffers.
void Worker::forget() {
    for (cst_key *key : own_keys_) cst_key_free(key);
    own_keys_.clear();
    own_models_.clear();
    memory_.clear();
}

void Worker::burst(uint64_t number) {
    here.burst = number;
    if (number / SESSION != session_) {
        session_ = number / SESSION;
        habits_ = draw_habits(subject_, seed_, thread_, session_);
        here.target = habits_.target->name.c_str();
        here.suite = subject_.suites()[habits_.suites[0]].name.c_str();
    }
    Random random{seed_, thread_, number, 'b'};
    if (wants_records(random)) {
        run_records(random);
    } else {
        draw(random);
        spoil_stack(uint8_t(1 + number % 255));
        run(random);
    }
    forget();
    add(&tally_.bursts, 1);
}

}  // namespace soak
