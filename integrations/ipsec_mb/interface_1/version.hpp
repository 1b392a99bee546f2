// What is the interface's of version 1.3 alone. interface_2 has the same names for 2.0.
#pragma once

namespace cst::imb {

constexpr const char *LIBRARY_FILE = "libIPSec_MB.so.1";

constexpr ErrorText VERSION_ERRORS[] = {{IMB_ERR_NO_AESNI_EMU, "no emulation of AES-NI"}};

// The best first.
constexpr Architecture ARCHITECTURES[] = {{IMB_ARCH_AVX512, IMB_CPUFLAGS_AVX512},
                                          {IMB_ARCH_AVX2, IMB_CPUFLAGS_AVX2},
                                          {IMB_ARCH_AVX, IMB_CPUFLAGS_AVX},
                                          {IMB_ARCH_SSE, IMB_CPUFLAGS_SSE}};

// Every x86-64 has CMOV.
constexpr FeatureFlag VERSION_FEATURES[] = {{"", IMB_FEATURE_CMOV}};

constexpr uint64_t WITHOUT_AESNI = IMB_FLAG_AESNI_OFF;

constexpr bool NO_EMPTY_HMAC = true;  // HMACs of no bytes are refused

constexpr bool IV_IN_EVERY_STEP = false;  // of a job in segments, its length
// Of a job in segments: an error, or 0. What is none of the states is taken for a step in the middle.
inline int wrong_state(const IMB_JOB &) { return 0; }

inline void set_architecture(IMB_MGR *manager, IMB_ARCH architecture) { manager->used_arch = architecture; }

// Jobs name no suites.
inline int wrong_suite(const IMB_JOB &) { return 0; }
inline void name_suite_for(IMB_MGR *, IMB_JOB *) {}

// The functions of the manager that the other version has not.
inline void set_version_functions(IMB_MGR *) {}

}  // namespace cst::imb
