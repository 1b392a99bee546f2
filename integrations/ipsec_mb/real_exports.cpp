// Functions that the interface exports besides the manager's and that are the original's own: schedules of DES, IVs of
// wireless algorithms. Without an original they set an error, and return -1 if they return a value.

#include "real.hpp"

using namespace cst::imb;

namespace {

// Calls the original's function of that exported name.
template <typename... Arguments>
int call(const char *name, int (*)(Arguments...), Arguments... arguments) {
    int (*there)(Arguments...) = nullptr;
    const RealError after;
    return real_function(name, &there) ? there(arguments...) : -1;
}

}  // namespace

#define CALL(name, ...) call(#name, &name, __VA_ARGS__)
int des_key_schedule(uint64_t *ks, const void *key) { return CALL(des_key_schedule, ks, key); }
int zuc_eea3_iv_gen(const uint32_t count, const uint8_t bearer, const uint8_t dir, void *iv) {
    return CALL(zuc_eea3_iv_gen, count, bearer, dir, iv);
}
int zuc_eia3_iv_gen(const uint32_t count, const uint8_t bearer, const uint8_t dir, void *iv) {
    return CALL(zuc_eia3_iv_gen, count, bearer, dir, iv);
}
int kasumi_f8_iv_gen(const uint32_t count, const uint8_t bearer, const uint8_t dir, void *iv) {
    return CALL(kasumi_f8_iv_gen, count, bearer, dir, iv);
}
int kasumi_f9_iv_gen(const uint32_t count, const uint32_t fresh, void *iv) {
    return CALL(kasumi_f9_iv_gen, count, fresh, iv);
}
int snow3g_f8_iv_gen(const uint32_t count, const uint8_t bearer, const uint8_t dir, void *iv) {
    return CALL(snow3g_f8_iv_gen, count, bearer, dir, iv);
}
int snow3g_f9_iv_gen(const uint32_t count, const uint32_t fresh, const uint8_t dir, void *iv) {
    return CALL(snow3g_f9_iv_gen, count, fresh, dir, iv);
}
