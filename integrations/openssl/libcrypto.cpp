#include "libcrypto.hpp"

#include <dlfcn.h>

#include <cstring>

namespace cst::ossl {

bool Libcrypto::find(const void *one_of_its) {
    Dl_info its;
    if (!dladdr(one_of_its, &its) || !its.dli_fname) return false;
    void *handle = dlopen(its.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) handle = dlopen(nullptr, RTLD_LAZY);  // the program itself
    const auto take = [&](const char *name, auto *function) {
        void *const found = handle ? dlsym(handle, name) : nullptr;
        Dl_info where;
        // A handle finds what its libraries depend on, too.
        if (!found || !dladdr(found, &where) || where.dli_fbase != its.dli_fbase) return false;
        memcpy(function, &found, sizeof(found));
        return true;
    };
    const bool all =
        take("OSSL_LIB_CTX_new", &new_library_context) && take("OSSL_LIB_CTX_free", &free_library_context) &&
        take("OSSL_PROVIDER_load", &load_provider) && take("OSSL_PROVIDER_unload", &unload_provider) &&
        take("OSSL_PROVIDER_get0_provider_ctx", &provider_context) &&
        take("OSSL_PROVIDER_query_operation", &query_operation) &&
        take("OSSL_PROVIDER_get_capabilities", &capabilities) && take("ASYNC_get_current_job", &current_job) &&
        take("ASYNC_get_wait_ctx", &wait_context) && take("ASYNC_pause_job", &pause_job) &&
        take("ASYNC_WAIT_CTX_get_callback", &wait_callback) && take("ASYNC_WAIT_CTX_get_fd", &wait_descriptor) &&
        take("ASYNC_WAIT_CTX_set_wait_fd", &set_wait_descriptor) &&
        take("ASYNC_WAIT_CTX_clear_fd", &clear_wait_descriptor);
    if (handle) dlclose(handle);
    return all;
}

}  // namespace cst::ossl
