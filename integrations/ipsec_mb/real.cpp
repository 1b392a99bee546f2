#include "real.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "errors.hpp"

namespace cst::imb {
namespace {

constexpr const char *PATHS[] = {"/usr/lib/x86_64-linux-gnu/libIPSec_MB.so.1", "/usr/lib64/libIPSec_MB.so.1",
                                 "/usr/lib/libIPSec_MB.so.1"};
constexpr unsigned PATCH_BITS = 8;

struct Real {
    void *library = nullptr;
    IMB_MGR *(*allocate)(uint64_t flags) = nullptr;
    void (*release)(IMB_MGR *manager) = nullptr;
    void (*start)(IMB_MGR *manager, IMB_ARCH *arch) = nullptr;
    int (*error)(IMB_MGR *manager) = nullptr;
    const char *why_not = nullptr;
};

template <typename Function>
bool find(void *library, const char *name, Function *out) {
    *out = reinterpret_cast<Function>(dlsym(library, name));
    return *out != nullptr;
}

// Its own calls must not come back here, which a library of the same name would let them: RTLD_DEEPBIND.
Real open_file(const char *path) {
    Real real;
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!library) {
        real.why_not = "it cannot be opened";
        return real;
    }
    real.library = library;
    unsigned (*version)() = nullptr;
    if (!find(library, "imb_get_version", &version) || !find(library, "alloc_mb_mgr", &real.allocate) ||
        !find(library, "free_mb_mgr", &real.release) || !find(library, "init_mb_mgr_auto", &real.start) ||
        !find(library, "imb_get_errno", &real.error))
        real.why_not = "functions are missing there";
    else if (version == &imb_get_version) real.why_not = "that is this library";
    else if (version() >> PATCH_BITS != IMB_VERSION_NUM >> PATCH_BITS) real.why_not = "it has another version";
    if (real.why_not) dlclose(library);
    return real;
}

Real open_real() {
    const char *const named = secure_getenv("CRYPTOSTITCH_IPSEC_MB_REAL");
    Real real;
    if (named) {
        real = open_file(named);
    } else {
        for (const char *path : PATHS)
            if (real = open_file(path); !real.why_not) break;
    }
    if (real.why_not && getenv("CRYPTOSTITCH_IPSEC_MB_VERBOSE"))
        fprintf(stderr, "cryptostitch: no original libIPSec_MB (%s): %s\n", named ? named : PATHS[0], real.why_not);
    return real;
}

const Real *real_library() {
    static const Real real = open_real();
    return real.why_not ? nullptr : &real;
}

class OfThread {
public:
    OfThread() {
        const Real *const real = real_library();
        manager_ = real ? real->allocate(0) : nullptr;
        if (manager_) real->start(manager_, nullptr);
    }
    ~OfThread() {
        if (manager_) real_library()->release(manager_);
    }
    OfThread(const OfThread &) = delete;
    OfThread &operator=(const OfThread &) = delete;
    IMB_MGR *manager() const { return manager_; }

private:
    IMB_MGR *manager_;
};

template <typename Result, typename... Arguments>
Result unavailable(Arguments...) {
    set_error(nullptr, IMB_ERR_CIPH_MODE);
    return Result(-1);
}
template <typename... Arguments>
void unavailable_void(Arguments...) {
    set_error(nullptr, IMB_ERR_CIPH_MODE);
}

size_t kasumi_schedule_bytes() { return sizeof(kasumi_key_sched_t); }
size_t snow3g_schedule_bytes() { return sizeof(snow3g_key_schedule_t); }

template <typename Result, typename... Arguments>
void take(IMB_MGR *to, Result (*IMB_MGR::*member)(Arguments...), const IMB_MGR *real) {
    to->*member = real && real->*member ? real->*member : &unavailable<Result, Arguments...>;
}
template <typename... Arguments>
void take(IMB_MGR *to, void (*IMB_MGR::*member)(Arguments...), const IMB_MGR *real) {
    to->*member = real && real->*member ? real->*member : &unavailable_void<Arguments...>;
}

}  // namespace

IMB_MGR *real_manager() {
    static thread_local const OfThread of_thread;
    return of_thread.manager();
}

int run_on_real(IMB_JOB *const *jobs, size_t n, bool checked) {
    IMB_MGR *const real = real_manager();
    int error = 0;
    size_t back = 0;
    const auto collect = [&](IMB_JOB *done) {
        for (; done; done = real->get_completed_job(real)) jobs[back++]->status = done->status;
    };
    for (size_t i = 0; i < n; i++) {
        if (!real) {
            jobs[i]->status = IMB_STATUS_INVALID_ARGS;
            error = jobs[i]->cipher_mode == IMB_CIPHER_NULL ? IMB_ERR_HASH_ALGO : IMB_ERR_CIPH_MODE;
            continue;
        }
        IMB_JOB *const job = real->get_next_job(real);
        *job = *jobs[i];
        IMB_JOB *const done = checked ? real->submit_job(real) : real->submit_job_nocheck(real);
        if (const int wrong = real->imb_errno; wrong && checked) error = wrong;
        collect(done);
    }
    while (back < n && real) {
        IMB_JOB *const done = real->flush_job(real);
        if (!done) break;
        collect(done);
    }
    for (; back < n && real; back++) jobs[back]->status = IMB_STATUS_INTERNAL_ERROR;
    return error;
}

void *real_function(const char *name) {
    const Real *const real = real_library();
    return real ? dlsym(real->library, name) : nullptr;
}

void set_real_functions(IMB_MGR *manager) {
    const IMB_MGR *const real = real_manager();
#define TAKE(name) take(manager, &IMB_MGR::name, real)
    TAKE(des_key_sched);
    TAKE(eea3_1_buffer);
    TAKE(eea3_4_buffer);
    TAKE(eea3_n_buffer);
    TAKE(eia3_1_buffer);
    TAKE(eia3_n_buffer);
    TAKE(f8_1_buffer);
    TAKE(f8_1_buffer_bit);
    TAKE(f8_2_buffer);
    TAKE(f8_3_buffer);
    TAKE(f8_4_buffer);
    TAKE(f8_n_buffer);
    TAKE(f9_1_buffer);
    TAKE(f9_1_buffer_user);
    TAKE(kasumi_init_f8_key_sched);
    TAKE(kasumi_init_f9_key_sched);
    TAKE(snow3g_f8_1_buffer_bit);
    TAKE(snow3g_f8_1_buffer);
    TAKE(snow3g_f8_2_buffer);
    TAKE(snow3g_f8_4_buffer);
    TAKE(snow3g_f8_8_buffer);
    TAKE(snow3g_f8_n_buffer);
    TAKE(snow3g_f8_8_buffer_multikey);
    TAKE(snow3g_f8_n_buffer_multikey);
    TAKE(snow3g_f9_1_buffer);
    TAKE(snow3g_init_key_sched);
    TAKE(hec_32);
    TAKE(hec_64);
    TAKE(crc32_ethernet_fcs);
    TAKE(crc16_x25);
    TAKE(crc32_sctp);
    TAKE(crc24_lte_a);
    TAKE(crc24_lte_b);
    TAKE(crc16_fp_data);
    TAKE(crc11_fp_header);
    TAKE(crc7_fp_header);
    TAKE(crc10_iuup_data);
    TAKE(crc6_iuup_header);
    TAKE(crc32_wimax_ofdma_data);
    TAKE(crc8_wimax_ofdma_hcs);
#undef TAKE
    manager->kasumi_key_sched_size = kasumi_schedule_bytes;
    manager->snow3g_key_sched_size = snow3g_schedule_bytes;
}

}  // namespace cst::imb
