#include "features.hpp"

#include <cstring>
#include <string_view>

namespace cst {
namespace {

struct Feature {
    std::string_view name;
    const char *needs;  // comma separated; all of these must be present, too
};

constexpr Feature kFeatures[] = {
    {"bmi1", ""},
    {"bmi2", ""},
    {"adx", ""},
    {"popcnt", ""},
    {"sse2", ""},
    {"ssse3", "sse2"},
    {"sse4.1", "ssse3"},
    {"sse4.2", "sse4.1"},
    {"aes", "sse2"},
    {"pclmul", "sse2"},
    {"sha", "ssse3"},
    {"avx", "sse4.1"},
    {"fma", "avx"},
    {"avx2", "avx"},
    {"vaes", "avx,aes"},
    {"vpclmulqdq", "avx,pclmul"},
    {"gfni", "sse2"},
    {"sha512", "avx2"},
    {"sm3", "avx"},
    {"sm4", "avx2"},
    {"avx512f", "avx2"},
    {"avx512bw", "avx512f"},
    {"avx512vl", "avx512f"},
    {"avx512dq", "avx512f"},
    {"avx512cd", "avx512f"},
    {"avx512ifma", "avx512f"},
    {"avx512vbmi", "avx512bw"},
    {"avx512vbmi2", "avx512bw"},
    {"avx512bitalg", "avx512bw"},
    {"avx512vnni", "avx512f"},
    {"avx512vpopcntdq", "avx512f"},
};
constexpr size_t kCount = sizeof(kFeatures) / sizeof(kFeatures[0]);
static_assert(kCount <= 64, "a feature set is one 64-bit word");

constexpr Features with_prefix(std::string_view prefix) {
    Features found = 0;
    for (size_t i = 0; i < kCount; i++)
        if (kFeatures[i].name.substr(0, prefix.size()) == prefix) found |= Features(1) << i;
    return found;
}
constexpr Features kVector = with_prefix("avx") | with_prefix("v");

}  // namespace

Features feature_bit(const char *name, size_t length) {
    for (size_t i = 0; i < kCount; i++)
        if (kFeatures[i].name == std::string_view(name, length)) return Features(1) << i;
    return 0;
}

bool parse_features(const char *list, Features *out) {
    *out = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n) {
            Features bit = feature_bit(list, n);
            if (!bit) return false;
            *out |= bit;
        }
        list += n;
        if (*list) list++;
    }
    return true;
}

std::string feature_names(Features features) {
    std::string text;
    for (size_t i = 0; i < kCount; i++) {
        if (!(features >> i & 1)) continue;
        if (!text.empty()) text += ',';
        text += kFeatures[i].name;
    }
    return text;
}

Features close_features(Features features) {
    for (size_t pass = 0; pass < 8; pass++) {  // longer than any chain of dependences
        for (size_t i = 0; i < kCount; i++) {
            Features needs = 0;
            parse_features(kFeatures[i].needs, &needs);
            if ((features & needs) != needs) features &= ~(Features(1) << i);
        }
    }
    return features;
}

Features features_with_prefix(const char *prefix, size_t length) {
    return with_prefix(std::string_view(prefix, length));
}

bool is_legacy_sse(Features features) { return !(features & kVector); }

}  // namespace cst
