// libcst-refused-calls (LD_PRELOAD): makes one call of the library while a request to the system is refused.
#include "../runtime/refusals.hpp"

#include <cstdint>

using namespace refusals;

extern "C" {

// Calls `function`, whose arguments are integers and addresses, while the n-th request of that kind is refused (kind
// KINDS or n 0: none is; without_mprotect: as under PR_SET_MDWE, too). Returns what it returns; *requests becomes how
// many requests of the kind it has made.
__attribute__((visibility("default"))) int64_t call_refused(const void *function, const uint64_t *arguments, int kind,
                                                            long n, int without_mprotect, long *requests) {
    typedef int64_t (*Function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                uint64_t, uint64_t, uint64_t, uint64_t);
    const uint64_t *const a = arguments;
    refused_kind = Kind(kind), refused_call = n, calls = 0, no_mprotect = without_mprotect;
    watching = true;
    const int64_t result = reinterpret_cast<Function>(const_cast<void *>(function))(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    watching = false;
    no_mprotect = false, refused_kind = KINDS;
    *requests = calls;
    return result;
}
}
