#include "errors.hpp"

#include <cstring>

namespace {

constexpr cst::imb::ErrorText TEXTS[] = {
    {0, "no error"},
    {IMB_ERR_NULL_MBMGR, "no manager"},
    {IMB_ERR_JOB_NULL_SRC, "job: no source buffer"},
    {IMB_ERR_JOB_NULL_DST, "job: no destination buffer"},
    {IMB_ERR_JOB_NULL_KEY, "job: no cipher key"},
    {IMB_ERR_JOB_NULL_IV, "job: no IV"},
    {IMB_ERR_JOB_NULL_AUTH, "job: no buffer for the tag"},
    {IMB_ERR_JOB_NULL_AAD, "job: no AAD"},
    {IMB_ERR_JOB_CIPH_LEN, "job: length to cipher"},
    {IMB_ERR_JOB_AUTH_LEN, "job: length to authenticate"},
    {IMB_ERR_JOB_IV_LEN, "job: length of the IV"},
    {IMB_ERR_JOB_KEY_LEN, "job: length of the key"},
    {IMB_ERR_JOB_AUTH_TAG_LEN, "job: length of the tag"},
    {IMB_ERR_JOB_AAD_LEN, "job: length of the AAD"},
    {IMB_ERR_JOB_SRC_OFFSET, "job: offset into the source buffer"},
    {IMB_ERR_JOB_CHAIN_ORDER, "job: order of cipher and hash"},
    {IMB_ERR_CIPH_MODE, "cipher mode that is unknown, or needs the original library"},
    {IMB_ERR_HASH_ALGO, "hash algorithm that is unknown, or needs the original library"},
    {IMB_ERR_JOB_NULL_AUTH_KEY, "job: no key of the MAC"},
    {IMB_ERR_JOB_NULL_SGL_CTX, "job: no context for segments"},
    {IMB_ERR_JOB_NULL_NEXT_IV, "job: no buffer for the next IV"},
    {IMB_ERR_JOB_PON_PLI, "job: PLI of PON"},
    {IMB_ERR_NULL_SRC, "no source buffer"},
    {IMB_ERR_NULL_DST, "no destination buffer"},
    {IMB_ERR_NULL_KEY, "no key"},
    {IMB_ERR_NULL_EXP_KEY, "no expanded key"},
    {IMB_ERR_NULL_IV, "no IV"},
    {IMB_ERR_NULL_AUTH, "no buffer for the tag"},
    {IMB_ERR_NULL_AAD, "no AAD"},
    {IMB_ERR_CIPH_LEN, "length to cipher"},
    {IMB_ERR_AUTH_LEN, "length to authenticate"},
    {IMB_ERR_IV_LEN, "length of the IV"},
    {IMB_ERR_KEY_LEN, "length of the key"},
    {IMB_ERR_AUTH_TAG_LEN, "length of the tag"},
    {IMB_ERR_AAD_LEN, "length of the AAD"},
    {IMB_ERR_SRC_OFFSET, "offset into the source buffer"},
    {IMB_ERR_NULL_AUTH_KEY, "no key of the MAC"},
    {IMB_ERR_NULL_CTX, "no context"},
    {IMB_ERR_JOB_NULL_HMAC_OPAD, "job: no hashed outer pad"},
    {IMB_ERR_JOB_NULL_HMAC_IPAD, "job: no hashed inner pad"},
    {IMB_ERR_JOB_NULL_XCBC_K1_EXP, "job: no expanded K1 of XCBC"},
    {IMB_ERR_JOB_NULL_XCBC_K2, "job: no K2 of XCBC"},
    {IMB_ERR_JOB_NULL_XCBC_K3, "job: no K3 of XCBC"},
    {IMB_ERR_JOB_CIPH_DIR, "job: direction of the cipher"},
    {IMB_ERR_JOB_NULL_GHASH_INIT_TAG, "job: no initial tag of GHASH"},
    {IMB_ERR_MISSING_CPUFLAGS_INIT_MGR, "the CPU lacks what the library needs"},
    {IMB_ERR_NULL_JOB, "no job"},
    {IMB_ERR_QUEUE_SPACE, "no room in the queue"},
    {IMB_ERR_NULL_BURST, "no array of jobs"},
    {IMB_ERR_BURST_SIZE, "number of jobs in a burst"},
    {IMB_ERR_BURST_OOO, "jobs of a burst are not those that get_next_burst gave"},
    {IMB_ERR_SELFTEST, "the self-test failed"},
};

}  // namespace

int imb_get_errno(IMB_MGR *manager) {
    return manager && manager->imb_errno ? manager->imb_errno : cst::imb::last_error();
}

const char *imb_get_strerror(int error) {
    for (const auto &known : TEXTS)
        if (known.error == error) return known.text;
    for (const auto &known : cst::imb::VERSION_ERRORS)
        if (known.error == error) return known.text;
    return error > IMB_ERR_MIN && error < IMB_ERR_MAX ? "unknown error" : strerror(error);
}
