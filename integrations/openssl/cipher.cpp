#include "cipher.hpp"

namespace cst::ossl {

bool cipher_params(const CipherInfo &info, OSSL_PARAM params[]) {
    return put_if(params, OSSL_CIPHER_PARAM_MODE, info.mode) && put_if(params, OSSL_CIPHER_PARAM_AEAD, info.aead) &&
           put_if(params, OSSL_CIPHER_PARAM_CUSTOM_IV, info.own_iv) && put_if(params, OSSL_CIPHER_PARAM_CTS, 0) &&
           put_if(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, info.multiblock) &&
           put_if(params, OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0) && put_if(params, ENCRYPT_THEN_MAC, info.etm) &&
           put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info.key_bytes) &&
           put_if(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, info.block_bytes) &&
           put_if(params, OSSL_CIPHER_PARAM_IVLEN, info.iv_bytes);
}

const OSSL_PARAM *gettable_cipher_params(void *) {
    static const OSSL_PARAM all[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, nullptr),
                                     OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, nullptr),
                                     OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, nullptr),
                                     OSSL_PARAM_int(OSSL_CIPHER_PARAM_CTS, nullptr),
                                     OSSL_PARAM_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, nullptr),
                                     OSSL_PARAM_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, nullptr),
                                     OSSL_PARAM_int(ENCRYPT_THEN_MAC, nullptr),
                                     OSSL_PARAM_END};
    return all;
}

KeyMemory::KeyMemory(const Provider &provider, SuiteId suite)
    : provider_(provider), suite_(suite), memory_(provider.suite(suite) ? provider.allocate(room()) : nullptr) {}

KeyMemory::KeyMemory(const KeyMemory &other)
    : provider_(other.provider_), suite_(other.suite_), memory_(provider_.allocate(room())) {
    if (!memory_ || !other.set_) return;
    memcpy(aligned(), other.aligned(), cst_key_bytes(provider_.suite(suite_)));
    set_ = true;
}

KeyMemory::~KeyMemory() {
    if (memory_) provider_.release(memory_, room());
}

void *KeyMemory::aligned() const {
    const uintptr_t at = reinterpret_cast<uintptr_t>(memory_), rest = at % CST_KEY_ALIGN;
    return static_cast<uint8_t *>(memory_) + (rest ? CST_KEY_ALIGN - rest : 0);
}

int KeyMemory::set(const void *key, size_t key_bytes, const void *mac_key, size_t mac_key_bytes) {
    const cst_suite *const suite = provider_.suite(suite_);
    cst_key *made;
    const int error =
        cst_key_init(suite, aligned(), cst_key_bytes(suite), key, key_bytes, mac_key, mac_key_bytes, &made);
    set_ = !error;
    if (set_) provider_.count_key(suite_);
    return error;
}

bool overlap_partially(const void *in, const void *out, size_t bytes) {
    const uintptr_t a = reinterpret_cast<uintptr_t>(in), b = reinterpret_cast<uintptr_t>(out);
    return a != b && (a < b ? b - a : a - b) < bytes;
}

bool Context::ready(const uint8_t *out, size_t room, Bytes in) const {
    if (room < in.n) return raise(NO_ROOM);
    if (out && overlap_partially(in.data, out, in.n)) return raise(OVERLAP);
    return true;
}

bool Context::take_tls_head(const OSSL_PARAM &param, size_t beside, uint8_t *head, Reason why) const {
    if (!is_octets(param)) return raise(BAD_PARAMETER);
    if (!param.data || param.data_size != TLS_HEAD) return raise(why);
    memcpy(head, param.data, TLS_HEAD);
    uint8_t *const length = head + TLS_HEAD - 2;
    size_t n = size_t(length[0]) << 8 | length[1];
    if (n < beside) return raise(why);
    n -= beside;
    length[0] = uint8_t(n >> 8);
    length[1] = uint8_t(n);
    return true;
}

bool Context::take_key(Bytes key) {
    if (key.n != info_.key_bytes) return raise(KEY_LENGTH);
    const int error = key_.set(key.data, key.n);
    return error == CST_ERR_ARGUMENT ? raise(EQUAL_KEYS) : provider_.done(error);
}

}  // namespace cst::ossl
