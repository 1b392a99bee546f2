#include "originals.hpp"

#include <cstring>
#include <mutex>

namespace cst::ossl {
namespace {

struct Row {
    int operation;
    const char *name;
};
constexpr Row ROWS[ALGORITHMS] = {
    {OSSL_OP_KEYMGMT, "X25519"},    {OSSL_OP_KEYMGMT, "ED25519"}, {OSSL_OP_KEYMGMT, "EC"},
    {OSSL_OP_KEYMGMT, "RSA"},       {OSSL_OP_KEYEXCH, "X25519"},  {OSSL_OP_KEYEXCH, "ECDH"},
    {OSSL_OP_SIGNATURE, "ED25519"}, {OSSL_OP_SIGNATURE, "ECDSA"}, {OSSL_OP_SIGNATURE, "RSA"}};

// Whether the first of an algorithm's names, which colons separate, is this one.
bool is_named(const OSSL_ALGORITHM &algorithm, const char *name) {
    const size_t n = strlen(name);
    return !strncmp(algorithm.algorithm_names, name, n) && strchr(":", algorithm.algorithm_names[n]);
}

std::mutex functions_mutex;

}  // namespace

AnyFunction Originals::functions[ALGORITHMS][MOST_IDS];

// Two libcryptos in a process have different functions: the second one gets none.
bool Originals::take(Algorithm of, int operation, const char *name) {
    int no_cache = 0;
    const OSSL_ALGORITHM *all = libcrypto_->query_operation(provider_, operation, &no_cache);
    for (; all && all->algorithm_names && !is_named(*all, name); all++) {}
    if (!all || !all->algorithm_names) return false;
    algorithm_[of] = all;
    for (const OSSL_DISPATCH *entry = all->implementation; entry->function_id; entry++) {
        if (entry->function_id >= MOST_IDS) continue;
        AnyFunction &its = functions[of][entry->function_id];
        if (!its) its = entry->function;
        if (its != entry->function) return false;
    }
    return true;
}

bool Originals::load(const Libcrypto &libcrypto) {
    libcrypto_ = &libcrypto;
    library_context_ = libcrypto.new_library_context();
    if (library_context_) provider_ = libcrypto.load_provider(library_context_, "default");
    if (provider_) context_ = libcrypto.provider_context(provider_);
    bool all = context_;
    const std::lock_guard<std::mutex> lock(functions_mutex);
    for (int of = 0; all && of < ALGORITHMS; of++) all = take(Algorithm(of), ROWS[of].operation, ROWS[of].name);
    if (!all) unload();
    return all;
}

void Originals::unload() {
    if (provider_) libcrypto_->unload_provider(provider_);
    if (library_context_) libcrypto_->free_library_context(library_context_);
    provider_ = nullptr;
    library_context_ = nullptr;
    context_ = nullptr;
}

}  // namespace cst::ossl
