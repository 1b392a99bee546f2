#include "provider.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "ciphers.hpp"
#include "api/handles.hpp"
#include "select/cpu.hpp"
#include "slower.hpp"
#include "warm.hpp"

namespace cst::ossl {
namespace {

// Providers that are not freed. A process may end (exit() in a signal handler, threads that are still running) while
// something holds a reference to one; libcrypto does not free it then.
std::mutex all_mutex;
Provider *all = nullptr;
__attribute__((destructor)) void end_of_process() { Provider::tell_of_all(); }

template <typename Function>
void take(Function **to, const OSSL_DISPATCH &upcall) {
    memcpy(to, &upcall.function, sizeof(*to));
}

}  // namespace

Provider *Provider::make(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *upcalls) {
    Upcalls up = {};
    up.core = core;
    for (; upcalls->function_id; upcalls++) {
        switch (upcalls->function_id) {
            case OSSL_FUNC_CORE_GET_PARAMS: take(&up.get_params, *upcalls); break;
            case OSSL_FUNC_CORE_NEW_ERROR: take(&up.new_error, *upcalls); break;
            case OSSL_FUNC_CORE_VSET_ERROR: take(&up.vset_error, *upcalls); break;
            case OSSL_FUNC_CORE_SET_ERROR_MARK: take(&up.set_error_mark, *upcalls); break;
            case OSSL_FUNC_CORE_POP_ERROR_TO_MARK: take(&up.pop_error_to_mark, *upcalls); break;
            case OSSL_FUNC_CRYPTO_ZALLOC: take(&up.zalloc, *upcalls); break;
            case OSSL_FUNC_CRYPTO_CLEAR_FREE: take(&up.clear_free, *upcalls); break;
            default: break;
        }
    }
    if (!up.get_params || !up.new_error || !up.vset_error || !up.set_error_mark || !up.pop_error_to_mark ||
        !up.zalloc || !up.clear_free)
        return nullptr;
    void *const memory = up.zalloc(sizeof(Provider), "", 0);
    if (!memory) return nullptr;
    Provider *const made = new (memory) Provider(up);
    made->enlist();
    if (made->start()) return made;
    made->free();
    return nullptr;
}

void Provider::free() {
    delist();
    tell_use();
    const Upcalls up = up_;
    cst_ctx *const context = context_;
    this->~Provider();  // frees what needs the context
    cst_ctx_free(context);
    up.clear_free(this, sizeof(*this), "", 0);
}

void Provider::enlist() {
    const std::lock_guard<std::mutex> lock(all_mutex);
    next_ = all;
    all = this;
}

void Provider::delist() {
    const std::lock_guard<std::mutex> lock(all_mutex);
    for (Provider **at = &all; *at; at = &(*at)->next_)
        if (*at == this) {
            *at = next_;
            return;
        }
}

void Provider::tell_of_all() {
    // If another thread makes or frees a provider while the process ends, the lock is busy, and nothing is written.
    const std::unique_lock<std::mutex> lock(all_mutex, std::try_to_lock);
    for (; lock && all; all = all->next_) all->tell_use();
}

// Appends a line of JSON: keys that were set by suite, and calls of multiblock. It does so when the process ends
// normally.
void Provider::tell_use() const {
    const char *const path = secure_getenv("CRYPTOSTITCH_OPENSSL_STATS");
    FILE *const file = path && context_ ? fopen(path, "a") : nullptr;
    if (!file) return;
    std::string line = "{\"pid\": " + std::to_string(getpid());
    if (many_) line += ", \"multiblock\": " + std::to_string(many_);
    const AsyncBursts &async = public_keys_.bursts();
    if (async.bursts())
        line += ", \"async jobs\": " + std::to_string(async.jobs()) +
                ", \"async bursts\": " + std::to_string(async.bursts());
    for (size_t i = 0; i < SUITES; i++)
        if (keys_[i]) line += std::string(", \"") + SUITE_NAMES[i] + "\": " + std::to_string(keys_[i]);
    fprintf(file, "%s}\n", line.c_str());
    fclose(file);
}

void Provider::learn_version() {
    const char *version = nullptr;
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_CORE_VERSION, &version, 0), OSSL_PARAM_END};
    unsigned major, minor;
    if (up_.get_params(up_.core, params) && version && sscanf(version, "%u.%u", &major, &minor) == 2)
        openssl_ = 100 * major + minor;
}

// Lines of the provider's section of openssl.cnf.
bool Provider::configured(cst_options *options, Wishes *wishes) const {
    const char *jit = nullptr, *slower = nullptr, *cmac = nullptr, *async = nullptr;
    OSSL_PARAM lines[] = {OSSL_PARAM_utf8_ptr("jit", &jit, 0),
                          OSSL_PARAM_utf8_ptr("slower", &slower, 0),
                          OSSL_PARAM_utf8_ptr("cmac", &cmac, 0),
                          OSSL_PARAM_utf8_ptr("async", &async, 0),
                          OSSL_PARAM_utf8_ptr("target", &options->target, 0),
                          OSSL_PARAM_END};
    if (!up_.get_params(up_.core, lines)) return raise(BAD_CONFIGURATION);
    if (!is_yes("jit: yes or no", jit, &wishes->assembles) || !is_yes("slower: yes or no", slower, &wishes->slower) ||
        !is_yes("cmac: yes or no", cmac, &wishes->cmac) || !is_yes("async: yes or no", async, &wishes->async))
        return false;
    if (!wishes->assembles) options->flags |= CST_NO_JIT;
    return true;
}

// Without a value, *yes stays as it is.
bool Provider::is_yes(const char *line, const char *value, bool *yes) const {
    if (!value) return true;
    *yes = !strcmp(value, "yes");
    return *yes || !strcmp(value, "no") || raise(BAD_CONFIGURATION, line);
}

// A CPU for which there is no suite is no error: the provider then has no ciphers, and build_info says why.
bool Provider::start() {
    cst_options options = {};
    options.size = sizeof(options);
    Wishes wishes;
    learn_version();
    if (!configured(&options, &wishes)) return false;
    const Features cpu_features = decode_cpu(read_cpu()).features;
    const auto offers = [&](const OSSL_ALGORITHM &its) {
        return wishes.slower || !is_slower(its.algorithm_names, openssl_, cpu_features);
    };
    const bool cmac = wishes.cmac && offers(CMAC);
    // Whether a cipher or MAC that is offered uses the suite.
    const auto serves = [&](SuiteId suite) {
        if (suite == CBC_128 || suite == CBC_256 || (suite == CBC_192 && cmac)) return true;  // records of TLS; CMAC
        if (suite == CHACHA20) suite = CHACHA20_POLY1305;
        return std::any_of(OFFERS, OFFERS + OFFER_COUNT,
                           [&](const Offer &offer) { return offer.suite == suite && offers(offer.algorithm); });
    };
    const int error = cst_ctx_new(&context_, &options);
    if (error == CST_ERR_NAME) return raise(BAD_CONFIGURATION, "target: no such CPU or feature");
    if (error) return raise(NO_CONTEXT, cst_error_text(error));
    int last = CST_OK;
    for (size_t i = 0; i < SUITES; i++) {
        const SuiteId id = SuiteId(i);
        if (!serves(id)) continue;
        int why = cst_suite_get(context_, SUITE_NAMES[i], &suites_[i]);
        if (!why) why = warm_up(context_, suites_[i]);
        if (!why) continue;
        last = why;
        suites_[i] = nullptr;
    }
    if (wishes.async && !public_keys_.start(context_, reinterpret_cast<const void *>(up_.get_params)))
        return raise(NO_CONTEXT, "async: this libcrypto has no functions for ASYNC jobs, or memory ran out");
    context_->engine.freeze();
    if (cmac && suites_[CBC_128] && suites_[CBC_192] && suites_[CBC_256]) macs_[0] = CMAC;
    size_t n = 0, left = 0;
    for (size_t i = 0; i < OFFER_COUNT; i++) {
        if (!offers(OFFERS[i].algorithm)) left++;
        else if (suites_[OFFERS[i].suite]) ciphers_[n++] = OFFERS[i].algorithm;
    }
    cst_cpu_info cpu = {};
    cpu.size = sizeof(cpu);
    if (!cst_ctx_cpu(context_, &cpu))
        snprintf(info_, sizeof(info_), "%zu ciphers, %zu left to default, %s, costs of %s%s%s", n, left,
                 cpu.jit ? "assembled when loaded" : "static kernels", cpu.microarchitecture,
                 n ? "" : "; nothing for this CPU: ", n ? "" : cst_error_text(last));
    return true;
}

bool Provider::raise(Reason reason, const char *detail) const {
    struct Varied {  // the upcall wants a va_list
        static void set(OSSL_FUNC_core_vset_error_fn *vset, const OSSL_CORE_HANDLE *core, uint32_t why,
                        const char *format, ...) {
            va_list arguments;
            va_start(arguments, format);
            vset(core, why, format, arguments);
            va_end(arguments);
        }
    };
    up_.new_error(up_.core);
    Varied::set(up_.vset_error, up_.core, reason, detail ? "%s" : nullptr, detail);
    return false;
}

bool Provider::done(int error) const {
    switch (error) {
        case CST_OK: return true;
        case CST_ERR_AUTH:
        case CST_ERR_LENGTH: return false;
        case CST_ERR_OVERLAP: return raise(OVERLAP);
        default: return raise(FAILED, cst_error_text(error));
    }
}

bool random_bytes(void *to, size_t n) {
    uint8_t *at = static_cast<uint8_t *>(to);
    while (n) {
        const ssize_t some = getrandom(at, n, 0);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) return false;
        at += some;
        n -= size_t(some);
    }
    return true;
}

}  // namespace cst::ossl
