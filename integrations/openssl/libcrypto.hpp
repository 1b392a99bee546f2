// The functions of the libcrypto that has loaded the module, found at run time: a module that linked one could bring a
// second one into the process.
#pragma once

#include <openssl/async.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>

namespace cst::ossl {

struct Libcrypto {
    // one_of_its: any function of it. False: it does not export all of them, as a program that is linked statically.
    bool find(const void *one_of_its);

    decltype(&OSSL_LIB_CTX_new) new_library_context;
    decltype(&OSSL_LIB_CTX_free) free_library_context;
    decltype(&OSSL_PROVIDER_load) load_provider;
    decltype(&OSSL_PROVIDER_unload) unload_provider;
    decltype(&OSSL_PROVIDER_get0_provider_ctx) provider_context;
    decltype(&OSSL_PROVIDER_query_operation) query_operation;
    decltype(&OSSL_PROVIDER_get_capabilities) capabilities;
    decltype(&ASYNC_get_current_job) current_job;
    decltype(&ASYNC_get_wait_ctx) wait_context;
    decltype(&ASYNC_pause_job) pause_job;
    decltype(&ASYNC_WAIT_CTX_get_callback) wait_callback;
    decltype(&ASYNC_WAIT_CTX_get_fd) wait_descriptor;
    decltype(&ASYNC_WAIT_CTX_set_wait_fd) set_wait_descriptor;
    decltype(&ASYNC_WAIT_CTX_clear_fd) clear_wait_descriptor;
};

}  // namespace cst::ossl
