// OpenSSL's error queue of the calling thread, by libcrypto's upcalls.
#pragma once

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

namespace cst::ossl {

struct ErrorQueue {
    const OSSL_CORE_HANDLE *core;
    OSSL_FUNC_core_set_error_mark_fn *set_mark;
    OSSL_FUNC_core_pop_error_to_mark_fn *pop_to_mark;
};

// While it lives, a question is asked that `default` may refuse though the call succeeds; errors of it are taken off
// the queue. An ASYNC job must not be paused meanwhile: the queue is the thread's, and other jobs use it.
class Speculation {
public:
    explicit Speculation(const ErrorQueue &queue) : queue_(queue) { queue_.set_mark(queue_.core); }
    ~Speculation() { queue_.pop_to_mark(queue_.core); }
    Speculation(const Speculation &) = delete;
    Speculation &operator=(const Speculation &) = delete;

private:
    const ErrorQueue &queue_;
};

}  // namespace cst::ossl
