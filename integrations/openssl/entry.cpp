// The functions that libcrypto calls when it loads the module, and those of the provider as a whole.
#include <openssl/core_names.h>

#include "params.hpp"
#include "provider.hpp"
#include "stack.hpp"

namespace cst::ossl {
namespace {

// Without memory for a stack the provider stays.
void teardown(void *provider) {
    Stack::run([&] { static_cast<Provider *>(provider)->free(); });
}

const OSSL_PARAM *gettable(void *) {
    static const OSSL_PARAM all[] = {OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, nullptr, 0),
                                     OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, nullptr, 0),
                                     OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, nullptr, 0),
                                     OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, nullptr), OSSL_PARAM_END};
    return all;
}

int get(void *provider, OSSL_PARAM params[]) {
    OSSL_PARAM *const name = find(params, OSSL_PROV_PARAM_NAME), *const version = find(params, OSSL_PROV_PARAM_VERSION),
                      *const build = find(params, OSSL_PROV_PARAM_BUILDINFO);
    return (!name || put_text(name, "Cryptostitch")) && (!version || put_text(version, CST_VERSION)) &&
           (!build || put_text(build, static_cast<Provider *>(provider)->build_info())) &&
           put_if(params, OSSL_PROV_PARAM_STATUS, 1);
}

const OSSL_ALGORITHM *query(void *provider, int operation, int *no_store) {
    *no_store = 0;
    const Provider *const from = static_cast<Provider *>(provider);
    switch (operation) {
        case OSSL_OP_CIPHER: return from->ciphers();
        case OSSL_OP_MAC: return from->macs();
        case OSSL_OP_KEYMGMT: return from->public_keys().keys();
        case OSSL_OP_KEYEXCH: return from->public_keys().exchanges();
        case OSSL_OP_SIGNATURE: return from->public_keys().signatures();
        default: return nullptr;
    }
}

int capabilities(void *provider, const char *name, OSSL_CALLBACK *each, void *argument) {
    return static_cast<Provider *>(provider)->public_keys().capabilities(name, each, argument);
}

const OSSL_ITEM *reasons(void *) { return REASONS; }

typedef void (*Any)();
const OSSL_DISPATCH FUNCTIONS[] = {{OSSL_FUNC_PROVIDER_TEARDOWN, Any(teardown)},
                                   {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, Any(gettable)},
                                   {OSSL_FUNC_PROVIDER_GET_PARAMS, Any(get)},
                                   {OSSL_FUNC_PROVIDER_QUERY_OPERATION, Any(query)},
                                   {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, Any(capabilities)},
                                   {OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, Any(reasons)},
                                   {0, nullptr}};

}  // namespace
}  // namespace cst::ossl

extern "C" __attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE *core,
                                                                         const OSSL_DISPATCH *upcalls,
                                                                         const OSSL_DISPATCH **functions,
                                                                         void **provider) {
    *provider = nullptr;
    cst::ossl::Stack::run([&] { *provider = cst::ossl::Provider::make(core, upcalls); });
    *functions = cst::ossl::FUNCTIONS;
    return *provider != nullptr;
}
