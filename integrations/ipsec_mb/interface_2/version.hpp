// What is the interface's of version 2.0 alone. interface_1 has the same names for 1.3.
//
// 2.0 adds sessions: a job that is a part of a burst says by numbers in itself which suite it asks for, and the library
// makes those numbers. It adds bursts of AEADs, the functions of QUIC, a callback of the self-test; SM3, SM4 and CFB,
// which are the original's alone. It leaves out what was for AVX without AVX2.
#pragma once

namespace cst::imb {

constexpr const char *LIBRARY_FILE = "libIPSec_MB.so.2";

constexpr ErrorText VERSION_ERRORS[] = {{IMB_ERR_BURST_SUITE_ID, "job of a burst: not the suite of its session"},
                                        {IMB_ERR_JOB_SGL_STATE, "job: state of the segments"}};

// The best first.
constexpr Architecture ARCHITECTURES[] = {
    {IMB_ARCH_AVX512, IMB_CPUFLAGS_AVX512}, {IMB_ARCH_AVX2, IMB_CPUFLAGS_AVX2}, {IMB_ARCH_SSE, IMB_CPUFLAGS_SSE}};

// The library takes no instruction set for one of the CPU's whose registers the system does not save.
constexpr FeatureFlag VERSION_FEATURES[] = {{"", IMB_FEATURE_CMOV},       {"avx", IMB_FEATURE_XSAVE},
                                            {"avx", IMB_FEATURE_OSXSAVE}, {"sm3", IMB_FEATURE_SM3NI},
                                            {"sm4", IMB_FEATURE_SM4NI},   {"sha512", IMB_FEATURE_SHA512NI}};

constexpr uint64_t WITHOUT_AESNI = 0;  // nothing asks for it

constexpr bool NO_EMPTY_HMAC = false;

constexpr bool IV_IN_EVERY_STEP = true;
// Of a job in segments: an error, or 0.
inline int wrong_state(const IMB_JOB &job) {
    return number_of(job.sgl_state) <= IMB_SGL_ALL ? 0 : IMB_ERR_JOB_SGL_STATE;
}

// And the type: how many of the sets behind it the CPU has.
void set_architecture(IMB_MGR *manager, IMB_ARCH architecture);

// The error of a job whose numbers are not those of the suite that it asks for, or 0.
int wrong_suite(const IMB_JOB &job);
// In a job for another library of this version: its numbers.
inline void name_suite_for(IMB_MGR *other, IMB_JOB *job) { other->set_suite_id(other, job); }

// The functions of the manager that the other version has not.
void set_version_functions(IMB_MGR *manager);

}  // namespace cst::imb
