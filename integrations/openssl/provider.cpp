#include "provider.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "ciphers.hpp"
#include "handles.hpp"
#include "warm.hpp"

namespace cst::ossl {
namespace {

template <typename Function>
void take(Function **to, const OSSL_DISPATCH &upcall) {
    memcpy(to, &upcall.function, sizeof(*to));
}

}  // namespace

Provider *Provider::make(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *upcalls) {
    Provider found;
    found.core_ = core;
    for (; upcalls->function_id; upcalls++) {
        switch (upcalls->function_id) {
            case OSSL_FUNC_CORE_GET_PARAMS: take(&found.get_params_, *upcalls); break;
            case OSSL_FUNC_CORE_NEW_ERROR: take(&found.new_error_, *upcalls); break;
            case OSSL_FUNC_CORE_SET_ERROR_DEBUG: take(&found.set_error_debug_, *upcalls); break;
            case OSSL_FUNC_CORE_VSET_ERROR: take(&found.vset_error_, *upcalls); break;
            case OSSL_FUNC_CRYPTO_ZALLOC: take(&found.zalloc_, *upcalls); break;
            case OSSL_FUNC_CRYPTO_CLEAR_FREE: take(&found.clear_free_, *upcalls); break;
            default: break;
        }
    }
    if (!found.get_params_ || !found.new_error_ || !found.vset_error_ || !found.zalloc_ || !found.clear_free_)
        return nullptr;
    void *const memory = found.allocate(sizeof(Provider));
    if (!memory) return nullptr;
    Provider *const made = new (memory) Provider(found);
    if (made->start()) return made;
    made->free();
    return nullptr;
}

void Provider::free() {
    cst_ctx_free(context_);
    clear_free_(this, sizeof(*this), "", 0);
}

// Lines of the provider's section.
bool Provider::configured(cst_options *options) const {
    const char *jit = nullptr;
    OSSL_PARAM lines[] = {OSSL_PARAM_utf8_ptr("jit", &jit, 0), OSSL_PARAM_utf8_ptr("target", &options->target, 0),
                          OSSL_PARAM_END};
    if (!get_params_(core_, lines)) return raise(BAD_CONFIGURATION);
    if (jit && !strcmp(jit, "no")) options->flags |= CST_NO_JIT;
    else if (jit && strcmp(jit, "yes") != 0) return raise(BAD_CONFIGURATION, "jit: yes or no");
    return true;
}

// A CPU that has nothing to offer is no error: there are no ciphers then, and build_info says why.
bool Provider::start() {
    cst_options options = {};
    options.size = sizeof(options);
    if (!configured(&options)) return false;
    const int error = cst_ctx_new(&context_, &options);
    if (error == CST_ERR_NAME) return raise(BAD_CONFIGURATION, "target: no such CPU or feature");
    if (error) return raise(NO_CONTEXT, cst_error_text(error));
    int last = CST_OK;
    for (size_t i = 0; i < SUITES; i++) {
        int why = cst_suite_get(context_, SUITE_NAMES[i], &suites_[i]);
        if (!why) why = warm_up(context_, suites_[i]);
        if (why) {
            last = why;
            suites_[i] = nullptr;
        }
    }
    context_->engine.freeze();
    size_t n = 0;
    for (size_t i = 0; i < OFFER_COUNT; i++)
        if (suites_[OFFERS[i].suite]) ciphers_[n++] = OFFERS[i].algorithm;
    cst_cpu_info cpu = {};
    cpu.size = sizeof(cpu);
    if (!cst_ctx_cpu(context_, &cpu))
        snprintf(info_, sizeof(info_), "%zu ciphers, %s, costs of %s%s%s", n,
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
    new_error_(core_);
    Varied::set(vset_error_, core_, reason, detail ? "%s" : nullptr, detail);
    return false;
}

bool Provider::done(int error) const {
    switch (error) {
        case CST_OK: return true;
        case CST_ERR_AUTH: return raise(NOT_AUTHENTIC);
        case CST_ERR_LENGTH: return raise(DATA_LENGTH);
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
