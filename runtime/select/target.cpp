#include "target.hpp"

#include <cstring>

#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

struct Word {
    const char *name;
    const char *features;
};

// The widest ISA of a target; each level includes all that came before it.
const Word kLevels[] = {
    {"scalar", "bmi1,bmi2,adx"},
    {"sse", "sse2,ssse3,sse4.1,sse4.2,popcnt"},
    {"avx2", "sse2,ssse3,sse4.1,sse4.2,popcnt,bmi1,bmi2,adx,avx,avx2,fma"},
    {"avx512", "sse2,ssse3,sse4.1,sse4.2,popcnt,bmi1,bmi2,adx,avx,avx2,fma"},  // and avx512*, added below
};

const Word kExtensions[] = {
    {"aesni", "sse2,aes,pclmul"},
    {"vaes", "sse2,aes,pclmul,vaes,vpclmulqdq"},
    {"pclmul", "sse2,pclmul"},
    {"vpclmul", "sse2,pclmul,vpclmulqdq"},
    {"shani", "sse2,ssse3,sha"},
    {"bmi2", "bmi1,bmi2"},
    {"gfni", "gfni"},
};

// Words that remove features and are not themselves the name of one.
const Word kRemovals[] = {
    {"aesni", "aes"},
    {"shani", "sha"},
};

bool same(const char *text, size_t length, const char *name) {
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

// Sets the features that a target name stands for. Returns false if it is not a target name.
bool target_features(const char *text, size_t length, Features *out) {
    const char *end = text + length;
    bool first = true;
    Features all = 0;
    while (text < end || first) {
        const void *cut = memchr(text, '_', size_t(end - text));
        size_t n = cut ? size_t(static_cast<const char *>(cut) - text) : size_t(end - text);
        bool found = false;
        auto take = [&](const Word &word) {
            if (found || !same(text, n, word.name)) return;
            Features features;
            parse_features(word.features, &features);
            all |= features;
            found = true;
        };
        if (first) {
            for (const Word &word : kLevels) take(word);
            if (same(text, n, "avx512")) all |= features_with_prefix("avx512", 6);
        } else {
            for (const Word &word : kExtensions) take(word);
        }
        if (!found) return false;
        first = false;
        text += n;
        if (text < end) {
            text++;
            if (text == end) return false;
        }
    }
    *out = all;
    return true;
}

}  // namespace

int lower_features(const char *text, Features *features) {
    Features result = *features;
    size_t n = strcspn(text, "-");
    if (!same(text, n, "host")) {
        Features most;
        if (!target_features(text, n, &most)) return CST_ERR_NAME;
        result &= most;
    }
    text += n;
    while (*text) {
        text++;
        n = strcspn(text, "-");
        const char *name = text;
        size_t length = n;
        if (length > 3 && memcmp(name, "no_", 3) == 0) {
            name += 3;
            length -= 3;
        }
        Features gone = same(name, length, "avx512") ? features_with_prefix("avx512", 6) : feature_bit(name, length);
        for (const Word &word : kRemovals)
            if (same(name, length, word.name)) parse_features(word.features, &gone);
        if (!gone) return CST_ERR_NAME;
        result &= ~gone;
        text += n;
    }
    *features = close_features(result);
    return CST_OK;
}

}  // namespace cst
