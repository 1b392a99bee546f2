// The original library, opened by path, for what this one does not have.
//
// CRYPTOSTITCH_IPSEC_MB_REAL names its file; without it the paths of the distributions are tried. It must be of the
// same minor version as the header that this was built with. With CRYPTOSTITCH_IPSEC_MB_VERBOSE stderr is told once why
// there is none. Set-uid programs open the distributions' paths alone.
#pragma once

#include <type_traits>

#include "errors.hpp"
#include "interface.hpp"

namespace cst::imb {

// Returns the original's manager of the calling thread, made on first use; NULL: there is no original.
IMB_MGR *real_manager();

// Runs at most IMB_MAX_BURST_SIZE jobs there, as one burst; sets the status of each, and counts them. Returns 0; or, of
// jobs that are checked, the error of the first that is wrong: it is IMB_STATUS_INVALID_ARGS, and none has run; or,
// where there is no such library, IMB_ERR_CIPH_MODE or IMB_ERR_HASH_ALGO with all jobs IMB_STATUS_INVALID_ARGS.
int run_on_real(IMB_JOB *const *jobs, size_t n, bool checked);

// When it is destroyed, after a call of a function of the original, it takes over the original's error.
class RealError {
public:
    RealError() = default;
    ~RealError();
    RealError(const RealError &) = delete;
    RealError &operator=(const RealError &) = delete;
};

// Returns a function that the original exports, or NULL; real_function then returns false, and *function keeps its
// value.
void *find_real_function(const char *name);
template <typename Function>
bool real_function(const char *name, Function **function) {
    void *const found = find_real_function(name);
    if (found) memcpy(function, &found, sizeof(found));
    return found != nullptr;
}

// Returns a function of the original's manager.
template <auto member, typename Pointer>
struct Forwarded;
template <auto member, typename Result, typename... Arguments>
struct Forwarded<member, Result (*IMB_MGR::*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        const RealError after;
        const IMB_MGR *const real = real_manager();
        if (real && real->*member) return (real->*member)(arguments...);
        if constexpr (!std::is_void_v<Result>) return Result(-1);
    }
};

// The functions of the manager that are the original's own: those of wireless algorithms and CRCs. Where there is no
// original, they do nothing but set an error.
void set_real_functions(IMB_MGR *manager);

}  // namespace cst::imb
