// Reads what the CPU and the operating system offer.
#pragma once

#include "features.hpp"

namespace cst {

// Raw results of CPUID and XGETBV; zero where the CPU has no such leaf.
struct CpuLeaves {
    char vendor[13] = {};
    char brand[49] = {};
    uint32_t leaf1_eax = 0, leaf1_ecx = 0, leaf1_edx = 0;
    uint32_t leaf7_ebx = 0, leaf7_ecx = 0, leaf7_edx = 0;
    uint32_t leaf7_1_eax = 0;
    uint64_t xcr0 = 0;  // 0 without OSXSAVE
};

// The widest vector registers that the CPU has and the operating system saves. Unlike the features it is never lowered:
// other code in the process uses them.
enum class RegisterState { xmm, ymm, zmm };

struct Cpu {
    std::string brand;
    uint32_t family = 0, model = 0, stepping = 0;
    // "zen4"; of a CPU without such a name its maker, family and model: "intel_family_6_model_d7". Cost tables have
    // these names.
    std::string microarchitecture;
    Features features = 0;
    RegisterState registers = RegisterState::xmm;
};

// Source of CPUID and XGETBV(0), so that the results of another CPU can replace them.
struct CpuidSource {
    void (*cpuid)(uint32_t leaf, uint32_t subleaf, uint32_t *registers);  // EAX, EBX, ECX, EDX
    uint64_t (*xcr0)();  // called only if the CPU says that the OS uses XSAVE
};

CpuLeaves read_cpu(const CpuidSource &source);
CpuLeaves read_cpu();  // this CPU

// Decodes the leaves. It is a pure function, so that any CPU can be tested on any other one.
Cpu decode_cpu(const CpuLeaves &leaves);

}  // namespace cst
