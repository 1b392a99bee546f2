// The functions of the interface that make managers, and what they say of the CPU and the library.

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "chacha.hpp"
#include "errors.hpp"
#include "gcm.hpp"
#include "keys.hpp"
#include "manager.hpp"
#include "queue.hpp"
#include "real.hpp"
#include "select/engine.hpp"
#include "stats.hpp"
#include "suite/secret.hpp"

using namespace cst::imb;

namespace {

constexpr size_t LINE = 64;
constexpr size_t MANAGER_BYTES = (sizeof(IMB_MGR) + LINE - 1) / LINE * LINE;

constexpr FeatureFlag FEATURES[] = {
    {"sha", IMB_FEATURE_SHANI},
    {"aes", IMB_FEATURE_AESNI},
    {"pclmul", IMB_FEATURE_PCLMULQDQ},
    {"sse4.2", IMB_FEATURE_SSE4_2},
    {"avx", IMB_FEATURE_AVX},
    {"avx2", IMB_FEATURE_AVX2},
    {"avx512f", IMB_FEATURE_AVX512F},
    {"avx512dq", IMB_FEATURE_AVX512DQ},
    {"avx512cd", IMB_FEATURE_AVX512CD},
    {"avx512bw", IMB_FEATURE_AVX512BW},
    {"avx512vl", IMB_FEATURE_AVX512VL},
    {"vaes", IMB_FEATURE_VAES},
    {"vpclmulqdq", IMB_FEATURE_VPCLMULQDQ},
    {"gfni", IMB_FEATURE_GFNI},
    {"avx512ifma", IMB_FEATURE_AVX512_IFMA},
    {"bmi2", IMB_FEATURE_BMI2},
};

template <size_t n>
uint64_t flags_of(const FeatureFlag (&known)[n]) {
    uint64_t flags = 0;
    for (const FeatureFlag &feature : known)
        if (!*feature.name || (engine() && engine()->has(feature.name))) flags |= feature.flag;
    return flags;
}

// Secrets are cleared and arguments checked always.
uint64_t features() {
    return IMB_FEATURE_SAFE_DATA | IMB_FEATURE_SAFE_PARAM | flags_of(FEATURES) | flags_of(VERSION_FEATURES);
}

uint64_t without(uint64_t flags, uint64_t off) {
    if (off & IMB_FLAG_SHANI_OFF) flags &= ~IMB_FEATURE_SHANI;
    if (off & WITHOUT_AESNI) flags &= ~IMB_FEATURE_AESNI;
    if (off & IMB_FLAG_GFNI_OFF) flags &= ~IMB_FEATURE_GFNI;
    return flags;
}

bool holds(uint64_t flags, uint64_t needed) { return (flags & needed) == needed; }

IMB_ARCH best_architecture() {
    const uint64_t flags = features();
    for (const Architecture &architecture : ARCHITECTURES)
        if (holds(flags, architecture.needs)) return architecture.number;
    return IMB_ARCH_NONE;
}

void set_functions(IMB_MGR *manager) {
    set_queue_functions(manager);
    set_key_functions(manager);
    set_gcm_functions(manager);
    set_chacha_functions(manager);
    set_real_functions(manager);
    set_version_functions(manager);
}

}  // namespace

void cst::imb::start(IMB_MGR *manager, IMB_ARCH architecture) {
    if (!manager) return set_error(nullptr, IMB_ERR_NULL_MBMGR);
    begin_counting();
    manager->features = without(features(), manager->flags);
    if (architecture == IMB_ARCH_NONE || architecture > best_architecture() || !has_basic_suites())
        return set_error(manager, IMB_ERR_MISSING_CPUFLAGS_INIT_MGR);
    set_architecture(manager, architecture);
    empty_queue(manager);
    set_functions(manager);
    set_error(manager, 0);
}

const char *imb_get_version_str(void) { return IMB_VERSION_STR; }
unsigned imb_get_version(void) { return IMB_VERSION_NUM; }
uint64_t imb_get_feature_flags(void) { return features(); }
size_t imb_get_mb_mgr_size(void) { return MANAGER_BYTES; }

IMB_MGR *imb_set_pointers_mb_mgr(void *memory, const uint64_t flags, const unsigned reset) {
    if (!memory) return set_error(nullptr, IMB_ERR_NULL_MBMGR), nullptr;
    IMB_MGR *const manager = static_cast<IMB_MGR *>(memory);
    if (reset) {
        memset(memory, 0, MANAGER_BYTES);
        empty_queue(manager);
        manager->flags = flags;
        manager->features = without(features(), flags);
    } else if (best_architecture() != IMB_ARCH_NONE && has_basic_suites()) {
        set_functions(manager);
    }
    return manager;
}

IMB_MGR *alloc_mb_mgr(uint64_t flags) {
    void *const memory = aligned_alloc(LINE, MANAGER_BYTES);
    if (!memory) return set_error(nullptr, ENOMEM), nullptr;
    return imb_set_pointers_mb_mgr(memory, flags, 1);
}

void free_mb_mgr(IMB_MGR *manager) {
    if (!manager) return;
    cst::wipe(manager, MANAGER_BYTES);
    free(manager);
}

void init_mb_mgr_auto(IMB_MGR *manager, IMB_ARCH *architecture) {
    start(manager, best_architecture());
    if (architecture) *architecture = manager ? IMB_ARCH(manager->used_arch) : IMB_ARCH_NONE;
}
void init_mb_mgr_sse(IMB_MGR *manager) { start(manager, IMB_ARCH_SSE); }
void init_mb_mgr_avx2(IMB_MGR *manager) { start(manager, IMB_ARCH_AVX2); }
void init_mb_mgr_avx512(IMB_MGR *manager) { start(manager, IMB_ARCH_AVX512); }
void imb_clear_mem(void *memory, const size_t bytes) {
    if (memory) cst::wipe(memory, bytes);
}
