#include "lesser_cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr uint64_t XCR0_XMM = 0x03, XCR0_YMM = 0x07, XCR0_ZMM = 0xe7;
constexpr uint32_t UNKNOWN = 0x000000ff;  // family 0, model 15: no CPU has them
constexpr char kNobody[] = "NobodyKnowIt";

// Leaves that such CPUs return (InstLatx64, libcpuid). The brand names the environment variable, so that no file of
// costs and no page takes the figures for those of a real CPU.
struct Lesser {
    const char *name, *maker, *vendor;
    uint32_t leaf1_eax, leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf7_1_eax;
    uint64_t xcr0;
};

const Lesser kLesser[] = {
    {"haswell", "Intel", "GenuineIntel", 0x000306c3, 0x7ffafbff, 0x000027ab, 0, 0, XCR0_YMM},
    {"nehalem", "Intel", "GenuineIntel", 0x000106a2, 0x00bce3bd, 0, 0, 0, 0},
    {"sapphire_rapids", "Intel", "GenuineIntel", 0x000806f8, 0x7ffefbff, 0xf3bfbfff, 0xfb417fee, 0x1c30, XCR0_ZMM},
    {"skylake_server", "Intel", "GenuineIntel", 0x00050656, 0x7ffefbff, 0xd39ffffb, 0x00000818, 0, XCR0_ZMM},
    {"unknown_avx2", "Unknown", kNobody, UNKNOWN, 0x7ffafbff, 0x239ca7eb, 0x98c027ac, 0x10, XCR0_YMM},
    {"unknown_avx512", "Unknown", kNobody, UNKNOWN, 0x7ffefbff, 0xf3bfbfff, 0xfb417fee, 0x1c30, XCR0_ZMM},
    {"unknown_sse", "Unknown", kNobody, UNKNOWN, 0x4ff8ebbf, 0x2294e287, 0x40400004, 0, XCR0_XMM},
    {"westmere", "Intel", "GenuineIntel", 0x000206c2, 0x029ee3ff, 0, 0, 0, 0},
    {"zen2", "AMD", "AuthenticAMD", 0x00840f70, 0x7ed8320b, 0x219c91a9, 0x00400004, 0, XCR0_YMM},
    {"zen3", "AMD", "AuthenticAMD", 0x00a20f10, 0x7ed8320b, 0x219c97a9, 0x0040068c, 0, XCR0_YMM},
    {"zen4", "AMD", "AuthenticAMD", 0x00a10f11, 0x7efa320b, 0xf1bf97a9, 0x00415fce, 0x20, XCR0_ZMM},
};

const char kUnknown[] = "unknown";  // this CPU, under a name that no CPU has

int lower_cpu(const std::string &name, CpuLeaves *leaves) {
    CpuLeaves other = *leaves;
    if (name == kUnknown) {
        memcpy(leaves->vendor, kNobody, sizeof(kNobody));
        return CST_OK;
    }
    for (const Lesser &lesser : kLesser) {
        if (name != lesser.name) continue;
        memcpy(other.vendor, lesser.vendor, sizeof(other.vendor));
        const std::string brand = std::string(lesser.maker) + " CRYPTOSTITCH_CPU=" + lesser.name;
        memset(other.brand, 0, sizeof(other.brand));
        memcpy(other.brand, brand.data(), std::min(brand.size(), sizeof(other.brand) - 1));
        other.leaf1_eax = lesser.leaf1_eax;
        other.leaf1_ecx = lesser.leaf1_ecx;
        other.leaf7_ebx = lesser.leaf7_ebx;
        other.leaf7_ecx = lesser.leaf7_ecx;
        other.leaf7_1_eax = lesser.leaf7_1_eax;
        other.xcr0 = lesser.xcr0;
        if (decode_cpu(other).features & ~decode_cpu(*leaves).features) return CST_ERR_UNSUPPORTED;
        *leaves = other;
        return CST_OK;
    }
    return CST_ERR_NAME;
}

}  // namespace

std::vector<std::string> lesser_cpus() {
    std::vector<std::string> names{kUnknown};
    for (const Lesser &lesser : kLesser) names.emplace_back(lesser.name);
    return names;
}

int lower_cpu(const char *names, CpuLeaves *leaves) {
    CpuLeaves left = *leaves;
    for (;;) {
        const size_t n = strcspn(names, ",");
        if (int error = lower_cpu(std::string(names, n), &left)) return error;
        if (!names[n]) break;
        names += n + 1;
    }
    *leaves = left;
    return CST_OK;
}

int detect_cpu(Cpu *cpu) {
    CpuLeaves leaves = read_cpu();
    const RegisterState registers = decode_cpu(leaves).registers;
    const char *names = secure_getenv("CRYPTOSTITCH_CPU");
    if (names && *names)
        if (int error = lower_cpu(names, &leaves)) return error;
    *cpu = decode_cpu(leaves);
    cpu->registers = registers;  // the C library's memcpy still leaves data in these registers
    return CST_OK;
}

}  // namespace cst
