// Matches names of kernels and suites, which are ASCII, against a glob pattern (POSIX.1-2017, XCU 2.13).
#pragma once

#include <fnmatch.h>
#include <locale.h>

namespace cst {

// Returns whether the pattern (nullptr: every name) matches the name, in the C locale whatever the caller's is. In a
// locale of several bytes per character, fnmatch() of glibc loads a converter first and takes 10 KiB of stack for that.
inline bool matches_glob(const char *glob, const char *name) {
    if (!glob) return true;
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    const locale_t before = c_locale ? uselocale(c_locale) : nullptr;
    const bool matches = fnmatch(glob, name, 0) == 0;
    if (before) uselocale(before);
    if (c_locale) freelocale(c_locale);
    return matches;
}

}  // namespace cst
