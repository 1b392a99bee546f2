// TLS multiblock, as libssl asks for it: a head and a number of records, for which the bytes of all are told; then the
// text.

#include <algorithm>

#include "suite/secret.hpp"
#include "tls.hpp"

namespace cst::ossl {
namespace {

constexpr size_t FEW = 4, MANY = 8;  // records of a call
constexpr size_t LEAST_TEXT = 4096, LEAST_FOR_MANY = 8192, MOST_FRAGMENT = 16384;

size_t fragment_of(size_t text, size_t records) { return (text + records - 1) / records; }

}  // namespace

// The parameter's pointer is to 13 bytes; its size is the length of the text, which counts where the head has 0.
bool Tls::set_many_head(const OSSL_PARAM &param, const OSSL_PARAM *records) {
    uint64_t wanted;
    if (!is_octets(param) || !param.data || !records || !get_number(*records, &wanted)) return raise(BAD_PARAMETER);
    memcpy(head_, param.data, HEAD);
    has_head_ = false;
    records_ = 0;
    if (!seals_ || !has_explicit_iv()) return false;
    size_t n = size_t(head_[11]) << 8 | head_[12];
    if (n) {
        if (n < LEAST_TEXT) return false;
        wanted = n >= LEAST_FOR_MANY ? MANY : FEW;
    } else {
        n = param.data_size;
    }
    if ((wanted != FEW && wanted != MANY) || n < LEAST_TEXT || n > wanted * MOST_FRAGMENT) return false;
    const size_t fragment = fragment_of(n, size_t(wanted));
    records_ = unsigned(wanted);
    packed_ = (records_ - 1) * record_bytes(fragment) + record_bytes(n - (records_ - 1) * fragment);
    return true;
}

// The size of `param` is the text's length: what was told to be needed is there.
bool Tls::seal_many(const OSSL_PARAM &param, const OSSL_PARAM *from, const OSSL_PARAM *records) {
    uint64_t wanted;
    if (!is_octets(param) || !param.data || !from || !is_octets(*from) || !from->data || !records ||
        !get_number(*records, &wanted))
        return raise(BAD_PARAMETER);
    written_ = 0;
    if (!key_.get() || !records_ || wanted != records_ || from->data_size < LEAST_TEXT) return false;
    const size_t n = from->data_size, fragment = fragment_of(n, records_);
    if (fragment > MOST_FRAGMENT || n <= (records_ - 1) * fragment) return false;
    const size_t bytes = (records_ - 1) * record_bytes(fragment) + record_bytes(n - (records_ - 1) * fragment);
    if (bytes > packed_) return false;
    uint8_t ivs[MANY * BLOCK];
    if (!random_bytes(ivs, records_ * BLOCK)) return raise(NO_RANDOM);
    cst_tls_write write = {};
    write.size = sizeof(write);
    write.key = key_.get();
    memcpy(&write.sequence, head_, sizeof(write.sequence));
    write.sequence = __builtin_bswap64(write.sequence);
    write.type = head_[8];
    write.version = uint16_t(head_[9] << 8 | head_[10]);
    write.fragment = fragment;
    write.iv = ivs;
    write.iv_len = records_ * BLOCK;
    write.in = from->data;
    write.in_len = n;
    write.out = param.data;
    write.out_cap = bytes;
    const bool done = provider_.done(cst_tls_seal(&write));
    records_ = 0;
    if (!done) return false;
    written_ = write.out_len;
    provider_.count_many();
    return true;
}

}  // namespace cst::ossl
