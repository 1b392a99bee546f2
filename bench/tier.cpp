#include "tier.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace bench {

// The bits are those of CPUID leaf 1 (edx, then ecx) and, after the colon, of leaf 7 (ebx, then ecx). avx2: without
// AVX-512 (ebx 16, 17, 21, 26 to 28, 30, 31; ecx 1, 6, 11, 12, 14). sse: also without AVX, FMA and XOP (leaf 1, ecx 28,
// 12, 11), AVX2 (ebx 5), VAES and VPCLMULQDQ (ecx 9, 10).
static const Tier TIERS[] = {
    {"avx2", "host-no_avx512", ":~0x5842dc230000"},
    {"sse", "host-avx", "~0x1000180000000000:~0x5e42dc230020"},
};

const Tier *find_tier(const std::string &name) {
    for (const Tier &tier : TIERS)
        if (name == tier.name) return &tier;
    return nullptr;
}

std::string tier_names() {
    std::string names;
    for (const Tier &tier : TIERS) names += (names.empty() ? "" : ", ") + std::string(tier.name);
    return names;
}

bool enter(const Tier &tier, char **argv) {
    const char *set = getenv("OPENSSL_ia32cap");
    if (set && strcmp(set, tier.openssl) == 0) return true;
    setenv("OPENSSL_ia32cap", tier.openssl, 1);
    execv("/proc/self/exe", argv);
    return false;
}

} // namespace bench
