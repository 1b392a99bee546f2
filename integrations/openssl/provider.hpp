// An instance of the provider: libcrypto's handles, and the library's context with the suites of the ciphers that are
// offered.
#pragma once

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <atomic>

#include "cryptostitch/cryptostitch.h"
#include "error_queue.hpp"
#include "public_keys.hpp"
#include "reasons.hpp"

namespace cst::ossl {

enum SuiteId {
    GCM_128,
    GCM_192,
    GCM_256,
    CTR_128,
    CTR_192,
    CTR_256,
    CBC_128,
    CBC_192,
    CBC_256,
    XTS_128,
    XTS_256,
    CCM_128,
    CCM_256,
    CHACHA20,
    CHACHA20_POLY1305,
    TLS_128_SHA1,
    TLS_128_SHA256,
    TLS_256_SHA1,
    TLS_256_SHA256,
    ETM_128_SHA1,
    ETM_128_SHA256,
    ETM_128_SHA512,
    ETM_192_SHA1,
    ETM_192_SHA256,
    ETM_192_SHA512,
    ETM_256_SHA1,
    ETM_256_SHA256,
    ETM_256_SHA512,
    SUITES
};

// The functions that libcrypto gives to a module.
struct Upcalls {
    const OSSL_CORE_HANDLE *core;
    OSSL_FUNC_core_get_params_fn *get_params;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_FUNC_core_set_error_mark_fn *set_error_mark;
    OSSL_FUNC_core_pop_error_to_mark_fn *pop_error_to_mark;
    OSSL_FUNC_CRYPTO_zalloc_fn *zalloc;
    OSSL_FUNC_CRYPTO_clear_free_fn *clear_free;
};

class Provider {
public:
    // Returns NULL, with the reason on the error queue, if a line of the configuration is wrong, or memory ran out.
    static Provider *make(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *upcalls);
    void free();
    // The process ends, and something still holds references: providers that nobody frees any more tell their use.
    static void tell_of_all();

    // Zeros. NULL: there is no more.
    void *allocate(size_t bytes) const { return up_.zalloc(bytes, "", 0); }
    // Wipes it. NULL is ignored.
    void release(void *memory, size_t bytes) const { up_.clear_free(memory, bytes, "", 0); }
    // Whether libcrypto is of this version, or a later one.
    bool openssl_is_from(unsigned major, unsigned minor) const { return openssl_ >= 100 * major + minor; }
    // Always false, for the caller to hand on. `detail` may be NULL.
    bool raise(Reason reason, const char *detail = nullptr) const;
    // Puts an error of the library onto the queue, if `default` cannot have it. Returns false if it is one.
    bool done(int error) const;

    // Returns NULL if this CPU has no such suite.
    const cst_suite *suite(SuiteId id) const { return suites_[id]; }
    // Counts a key that was set.
    void count_key(SuiteId id) const { keys_[id].fetch_add(1, std::memory_order_relaxed); }
    // Counts a call of TLS multiblock.
    void count_many() const { many_.fetch_add(1, std::memory_order_relaxed); }
    // The ciphers whose suites are there.
    const OSSL_ALGORITHM *ciphers() const { return ciphers_; }
    // Returns an empty list unless the configuration asks for MACs.
    const OSSL_ALGORITHM *macs() const { return macs_; }
    // Offers nothing unless the configuration asks for ASYNC jobs.
    const PublicKeys &public_keys() const { return public_keys_; }
    // Says in words how many ciphers there are, whose costs decide, or why nothing is offered.
    const char *build_info() const { return info_; }

private:
    static constexpr size_t MOST_CIPHERS = 48;

    explicit Provider(const Upcalls &up)
        : up_(up), public_keys_(ErrorQueue{up.core, up.set_error_mark, up.pop_error_to_mark}) {}
    bool start();
    void enlist();
    void delist();
    struct Wishes {  // lines of the configuration
        bool assembles = true, slower = false, cmac = false, async = false;
    };
    void learn_version();
    bool configured(cst_options *options, Wishes *wishes) const;
    void tell_use() const;
    bool is_yes(const char *line, const char *value, bool *yes) const;

    const Upcalls up_;
    Provider *next_ = nullptr;  // of all that are not freed
    unsigned openssl_ = 300;  // 100 * major + minor
    cst_ctx *context_ = nullptr;
    PublicKeys public_keys_;
    const cst_suite *suites_[SUITES] = {};
    OSSL_ALGORITHM ciphers_[MOST_CIPHERS + 1] = {}, macs_[2] = {};
    char info_[256] = {};
    mutable std::atomic<uint64_t> keys_[SUITES] = {}, many_{0};
};

// n unpredictable bytes from the kernel. libcrypto has no upcall for its generators (but for seeding them), and what
// these give would have to survive forks.
bool random_bytes(void *to, size_t n);

}  // namespace cst::ossl
