// CPUs that are not this one: leaves as they report them, and what is made of them. One line per case: name, microarchitecture, features.

#include <cstdio>

#include "select/cpu.hpp"
#include "select/target.hpp"

using namespace cst;

static CpuLeaves cpu(const char *vendor, uint32_t signature, uint32_t leaf1_ecx, uint32_t leaf7_ebx, uint32_t leaf7_ecx, uint64_t xcr0) {
    CpuLeaves leaves;
    snprintf(leaves.vendor, sizeof(leaves.vendor), "%s", vendor);
    leaves.leaf1_eax = signature;
    leaves.leaf1_ecx = leaf1_ecx;
    leaves.leaf1_edx = 1u << 26;
    leaves.leaf7_ebx = leaf7_ebx;
    leaves.leaf7_ecx = leaf7_ecx;
    leaves.xcr0 = xcr0;
    return leaves;
}

static void show(const char *name, const CpuLeaves &leaves) {
    const Cpu decoded = decode_cpu(leaves);
    printf("%s %x %x %s %s\n", name, decoded.family, decoded.model, decoded.microarchitecture.c_str(), feature_names(decoded.features).c_str());
}

int main(int argc, char **argv) {
    const uint32_t ecx = 0x7ef8320b, ebx = 0xf1bf97a9, wide = 0x00405fce;
    if (argc == 2) {  // lower a set that has everything
        Features features = ~Features(0);
        const int error = lower_features(argv[1], &features);
        printf("%d %s\n", error, error ? "" : feature_names(features).c_str());
        return 0;
    }
    show("zen4", cpu("AuthenticAMD", 0x00a10f11, ecx, ebx, wide, 0xe7));
    show("zen4_client", cpu("AuthenticAMD", 0x00a60f12, ecx, ebx, wide, 0xe7));
    show("zen5", cpu("AuthenticAMD", 0x00b00f21, ecx, ebx, wide, 0xe7));
    show("zen3", cpu("AuthenticAMD", 0x00a00f11, ecx, 0x219c97a9, 0x0040069c, 0x207));
    show("icelake", cpu("GenuineIntel", 0x000606a6, ecx, ebx, wide, 0xe7));
    show("sapphire_rapids", cpu("GenuineIntel", 0x000806f8, ecx, ebx, wide, 0xe7));
    show("unknown", cpu("GenuineIntel", 0x000f0650, ecx, ebx, wide, 0xe7));
    show("no_osxsave", cpu("AuthenticAMD", 0x00a10f11, ecx, ebx, wide, 0));
    show("no_ymm", cpu("AuthenticAMD", 0x00a10f11, ecx, ebx, wide, 0x3));
    show("no_zmm", cpu("AuthenticAMD", 0x00a10f11, ecx, ebx, wide, 0x7));
    show("half_zmm", cpu("AuthenticAMD", 0x00a10f11, ecx, ebx, wide, 0x67));
    show("nothing", CpuLeaves());
}
