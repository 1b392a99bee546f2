#include "functions.hpp"

#include <cerrno>
#include <iterator>

#include "errors.hpp"
#include "keys.hpp"
#include "queue.hpp"
#include "real.hpp"
#include "plan/lineup.hpp"

using namespace cst::imb;

namespace {

struct Type {
    IMB_ARCH architecture;
    uint8_t number;
    uint64_t needs;
    const char *name, *description;
};

// The best of each architecture first.
constexpr Type TYPES[] = {
    {IMB_ARCH_SSE, 3, IMB_CPUFLAGS_SSE_T3, "SSE Type 3", "AES, PCLMUL, SSE, SHA-NI, GFNI"},
    {IMB_ARCH_SSE, 2, IMB_CPUFLAGS_SSE_T2, "SSE Type 2", "AES, PCLMUL, SSE, SHA-NI"},
    {IMB_ARCH_SSE, 1, IMB_CPUFLAGS_SSE, "SSE Type 1", "AES, PCLMUL, SSE"},
    {IMB_ARCH_AVX2, 4, IMB_CPUFLAGS_AVX2_T4, "AVX2 Type 4",
     "VAES, VPCLMUL, AVX2, SHA-NI, GFNI, IFMA, SHA512, SM3, SM4"},
    {IMB_ARCH_AVX2, 3, IMB_CPUFLAGS_AVX2_T3, "AVX2 Type 3", "VAES, VPCLMUL, AVX2, SHA-NI, GFNI, IFMA"},
    {IMB_ARCH_AVX2, 2, IMB_CPUFLAGS_AVX2_T2, "AVX2 Type 2", "VAES, VPCLMUL, AVX2, SHA-NI, GFNI"},
    {IMB_ARCH_AVX2, 1, IMB_CPUFLAGS_AVX2, "AVX2 Type 1", "AES, PCLMUL, AVX2"},
    {IMB_ARCH_AVX512, 2, IMB_CPUFLAGS_AVX512_T2, "AVX512 Type 2", "VAES, VPCLMUL, AVX512, SHA-NI, GFNI"},
    {IMB_ARCH_AVX512, 1, IMB_CPUFLAGS_AVX512, "AVX512 Type 1", "AES, PCLMUL, AVX512"},
};

void cfb_256(void *out, const void *in, const void *iv, const void *round_keys, uint64_t bytes) {
    cfb_block(32, out, in, iv, round_keys, bytes);
}

template <bool checked>
uint32_t aead_burst(IMB_MGR *manager, IMB_JOB *jobs, const uint32_t n, const IMB_CIPHER_MODE cipher,
                    const IMB_CIPHER_DIRECTION direction, const IMB_KEY_SIZE_BYTES key_bytes) {
    if (manager && jobs && cipher != IMB_CIPHER_CCM) return set_error(manager, IMB_ERR_CIPH_MODE), 0;
    return run_ccm_array(manager, jobs, n, direction, key_bytes, checked);
}

// As many messages as the kernels that do the most of them at once.
unsigned lanes(const cst::Suite *suite, const cst::Family &family) {
    constexpr uint64_t LONG = 4096;
    const cst::Lineup found = cst::line_up(*suite, {&family, IMB_MAX_BURST_SIZE, LONG, LONG});
    return found.variant ? found.variant->lanes : 1;
}

// out: what a function is to fill in.
int wrong_query(const IMB_MGR *manager, const unsigned *out) {
    return !manager ? IMB_ERR_NULL_MBMGR : !out ? IMB_ERR_NULL_BURST : 0;
}

// 0: none that the burst of an array takes.
unsigned hash_lanes(IMB_HASH_ALG hash) {
    constexpr struct {
        IMB_HASH_ALG hash;
        Mac mac;
    } KNOWN[] = {{IMB_AUTH_HMAC_SHA_1, Mac::hmac_sha1},     {IMB_AUTH_HMAC_SHA_224, Mac::hmac_sha224},
                 {IMB_AUTH_HMAC_SHA_256, Mac::hmac_sha256}, {IMB_AUTH_HMAC_SHA_384, Mac::hmac_sha384},
                 {IMB_AUTH_HMAC_SHA_512, Mac::hmac_sha512}, {IMB_AUTH_SHA_1, Mac::sha1},
                 {IMB_AUTH_SHA_224, Mac::sha224},           {IMB_AUTH_SHA_256, Mac::sha256},
                 {IMB_AUTH_SHA_384, Mac::sha384},           {IMB_AUTH_SHA_512, Mac::sha512},
                 {IMB_AUTH_AES_CMAC, Mac::cmac_128},        {IMB_AUTH_AES_CMAC_BITLEN, Mac::cmac_128},
                 {IMB_AUTH_AES_CMAC_256, Mac::cmac_256}};
    for (const auto &known : KNOWN)
        if (known.hash == hash)
            if (const cst::Suite *const suite = mac_suite(known.mac)) return lanes(suite, suite->hashes);
    return 0;
}

unsigned cipher_lanes(IMB_CIPHER_MODE mode) {
    if (mode == IMB_CIPHER_ECB || mode == IMB_CIPHER_CNTR) return 1;
    const cst::Suite *const suite = mode == IMB_CIPHER_CBC ? cipher_suite(Cipher::cbc, IMB_KEY_128_BYTES) : nullptr;
    return suite ? lanes(suite, suite->encrypts) : 0;
}

unsigned aead_lanes(IMB_CIPHER_MODE mode) {
    return mode == IMB_CIPHER_CCM ? hash_lanes(IMB_AUTH_AES_CMAC) : 0;  // its MAC is the same chain of blocks
}

int tell(unsigned found, int unknown, unsigned *out) {
    *out = found;
    return found ? 0 : unknown;
}

}  // namespace

namespace cst::imb {

void set_architecture(IMB_MGR *manager, IMB_ARCH architecture) {
    manager->used_arch = architecture;
    for (const Type &type : TYPES)
        if (type.architecture == architecture && (manager->features & type.needs) == type.needs) {
            manager->used_arch_type = type.number;
            return;
        }
}

void set_version_functions(IMB_MGR *manager) {
    manager->set_suite_id = name_suite;
    manager->submit_aead_burst = aead_burst<true>;
    manager->submit_aead_burst_nocheck = aead_burst<false>;
    manager->aes256_cfb_one = cfb_256;
    manager->sm4_keyexp = Forwarded<&IMB_MGR::sm4_keyexp, decltype(&IMB_MGR::sm4_keyexp)>::call;
    set_quic_functions(manager);
}

}  // namespace cst::imb

int imb_get_arch_type_string(const IMB_MGR *manager, const char **name, const char **description) {
    if (!manager) return IMB_ERR_NULL_MBMGR;
    if (!name) return EINVAL;
    *name = "no type yet";
    for (const Type &type : TYPES)
        if (uint32_t(type.architecture) == manager->used_arch && type.number == manager->used_arch_type) {
            *name = type.name;
            if (description) *description = type.description;
        }
    return 0;
}

int imb_hash_burst_get_size(const IMB_MGR *manager, const IMB_HASH_ALG hash, unsigned *out) {
    const int wrong = wrong_query(manager, out);
    return wrong ? wrong : tell(hash_lanes(hash), IMB_ERR_HASH_ALGO, out);
}
int imb_cipher_burst_get_size(const IMB_MGR *manager, const IMB_CIPHER_MODE mode, unsigned *out) {
    const int wrong = wrong_query(manager, out);
    return wrong ? wrong : tell(cipher_lanes(mode), IMB_ERR_CIPH_MODE, out);
}
int imb_aead_burst_get_size(const IMB_MGR *manager, const IMB_CIPHER_MODE mode, unsigned *out) {
    const int wrong = wrong_query(manager, out);
    return wrong ? wrong : tell(aead_lanes(mode), IMB_ERR_CIPH_MODE, out);
}

// There is no self-test at the start that would call it.
int imb_self_test_set_cb(IMB_MGR *manager, imb_self_test_cb_t function, void *argument) {
    if (!manager) return IMB_ERR_NULL_MBMGR;
    manager->self_test_cb_fn = function;
    manager->self_test_cb_arg = argument;
    return 0;
}
int imb_self_test_get_cb(IMB_MGR *manager, imb_self_test_cb_t *function, void **argument) {
    if (!manager) return IMB_ERR_NULL_MBMGR;
    if (!function || !argument) return EINVAL;
    *function = manager->self_test_cb_fn;
    *argument = manager->self_test_cb_arg;
    return 0;
}

void imb_hmac_ipad_opad(IMB_MGR *manager, const IMB_HASH_ALG hash, const void *key, const size_t bytes, void *inner,
                        void *outer) {
    if (!manager || !key) return set_error(manager, manager ? IMB_ERR_NULL_KEY : IMB_ERR_NULL_MBMGR);
    constexpr struct {
        IMB_HASH_ALG hash;
        Mac mac;
    } KNOWN[] = {{IMB_AUTH_HMAC_SHA_1, Mac::hmac_sha1},     {IMB_AUTH_HMAC_SHA_224, Mac::hmac_sha224},
                 {IMB_AUTH_HMAC_SHA_256, Mac::hmac_sha256}, {IMB_AUTH_HMAC_SHA_384, Mac::hmac_sha384},
                 {IMB_AUTH_HMAC_SHA_512, Mac::hmac_sha512}, {IMB_AUTH_MD5, Mac::hmac_md5}};
    set_error(manager, 0);
    if (hash == IMB_AUTH_MD5 && bytes > IMB_MD5_BLOCK_SIZE) return set_error(nullptr, IMB_ERR_KEY_LEN);
    for (const auto &known : KNOWN)
        if (known.hash == hash) return hmac_chains(known.mac, octets(key), bytes, inner, outer);
    decltype(&imb_hmac_ipad_opad) there = nullptr;
    if (hash != IMB_AUTH_HMAC_SM3 || !real_function("imb_hmac_ipad_opad", &there))
        return set_error(nullptr, IMB_ERR_HASH_ALGO);
    there(real_manager(), hash, key, bytes, inner, outer);
}

// The original's own.
void imb_sm4_gcm_pre(IMB_MGR *manager, const void *key, gcm_key_data *out) {
    if (!manager) return set_error(nullptr, IMB_ERR_NULL_MBMGR);
    decltype(&imb_sm4_gcm_pre) there = nullptr;
    if (!real_function("imb_sm4_gcm_pre", &there)) return set_error(manager, IMB_ERR_CIPH_MODE);
    IMB_MGR *const real = real_manager();
    there(real, key, out);
    set_error(manager, real->imb_errno);
}
void des_cfb_one(void *out, const void *in, const uint64_t *iv, const uint64_t *schedule, const int bytes) {
    decltype(&des_cfb_one) there = nullptr;
    if (real_function("des_cfb_one", &there)) there(out, in, iv, schedule, bytes);
    else set_error(nullptr, IMB_ERR_CIPH_MODE);
}
