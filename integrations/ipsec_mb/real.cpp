#include "real.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "errors.hpp"
#include "stats.hpp"

namespace cst::imb {
namespace {

constexpr const char *FOLDERS[] = {"/usr/lib/x86_64-linux-gnu/", "/usr/lib64/", "/usr/lib/"};
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

// RTLD_DEEPBIND: the original's own calls must not reach this library, which has the same name.
Real open_file(const std::string &path) {
    Real real;
    void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
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
        for (const char *folder : FOLDERS)
            if (real = open_file(std::string(folder) + LIBRARY_FILE); !real.why_not) break;
    }
    if (real.why_not && getenv("CRYPTOSTITCH_IPSEC_MB_VERBOSE"))
        fprintf(stderr, "cryptostitch: no original libIPSec_MB (%s): %s\n", named ? named : LIBRARY_FILE, real.why_not);
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

size_t kasumi_schedule_bytes() { return sizeof(kasumi_key_sched_t); }
size_t snow3g_schedule_bytes() { return sizeof(snow3g_key_schedule_t); }

}  // namespace

IMB_MGR *real_manager() {
    static thread_local const OfThread of_thread;
    return of_thread.manager();
}

RealError::~RealError() {
    const Real *const real = real_library();
    set_error(nullptr, real ? real->error(nullptr) : IMB_ERR_CIPH_MODE);
}

int run_on_real(IMB_JOB *const *jobs, size_t n, bool checked) {
    IMB_MGR *const real = real_manager();
    if (!real) {
        for (size_t i = 0; i < n; i++) refuse(jobs[i]);
        return !n ? 0 : jobs[n - 1]->cipher_mode == IMB_CIPHER_NULL ? IMB_ERR_HASH_ALGO : IMB_ERR_CIPH_MODE;
    }
    IMB_JOB *copies[IMB_MAX_BURST_SIZE], *back[IMB_MAX_BURST_SIZE];
    const uint32_t some = real->get_next_burst(real, uint32_t(n), copies);
    for (uint32_t i = 0; i < some; i++) {
        *(back[i] = copies[i]) = *jobs[i];
        name_suite_for(real, copies[i]);
    }
    uint32_t done = checked ? real->submit_burst(real, some, back) : real->submit_burst_nocheck(real, some, back);
    if (const int wrong = real->imb_errno; wrong && checked) {
        refuse(jobs[std::find(copies, copies + some - 1, back[0]) - copies]);
        return wrong;
    }
    while (done < some) {
        const uint32_t more = real->flush_burst(real, some - done, back + done);
        if (!more) break;
        done += more;
    }
    for (size_t i = 0; i < n; i++) {
        jobs[i]->status = i < done ? copies[i]->status : IMB_STATUS_INTERNAL_ERROR;
        count_job(*jobs[i], jobs[i]->status == IMB_STATUS_COMPLETED ? RanOn::real : RanOn::refused);
    }
    return 0;
}

void *find_real_function(const char *name) {
    const Real *const real = real_library();
    return real ? dlsym(real->library, name) : nullptr;
}

void set_real_functions(IMB_MGR *manager) {
#define TAKE(name) manager->name = Forwarded<&IMB_MGR::name, decltype(&IMB_MGR::name)>::call
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
