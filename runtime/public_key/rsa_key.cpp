#include "rsa_key.hpp"

#include <cstring>
#include <utility>

#include "../suite/wiped.hpp"
#include "cryptostitch/cryptostitch.h"
#include "modular_power.hpp"

namespace cst {
namespace {

// Reads DER (X.690, 10.1): one element after the other, with definite lengths in the fewest bytes.
class Der {
public:
    enum Tag : uint8_t { INTEGER = 2, OCTETS = 4, IDENTIFIER = 6, SEQUENCE = 0x30 };

    Der() = default;
    Der(const uint8_t *from, size_t size) : at_(from), end_(from + size) {}
    bool empty() const { return at_ == end_; }
    bool begins_with(uint8_t tag) const { return !empty() && *at_ == tag; }

    // Takes an element; false: there is none with that tag.
    bool take(uint8_t tag, Der *content) {
        if (end_ - at_ < 2 || *at_ != tag) return false;
        size_t size = at_[1];
        const uint8_t *from = at_ + 2;
        if (size & 0x80) {
            const size_t count = size & 0x7f;
            if (!count || count > 4 || size_t(end_ - from) < count) return false;
            size = 0;
            for (size_t i = 0; i < count; i++) size = size << 8 | *from++;
            if (size < 0x80 || size >> 8 * (count - 1) == 0) return false;
        }
        if (size_t(end_ - from) < size) return false;
        *content = Der(from, size);
        at_ = from + size;
        return true;
    }
    // Takes an integer that is not negative and has at most n words.
    bool take_number(uint64_t *a, size_t n, size_t *bytes = nullptr) {
        Der its;
        if (!take(INTEGER, &its) || its.empty() || *its.at_ & 0x80) return false;
        if (its.end_ - its.at_ > 1 && !*its.at_) {
            its.at_++;
            if (!(*its.at_ & 0x80)) return false;
        }
        const size_t size = size_t(its.end_ - its.at_);
        if (size > 8 * n) return false;
        if (bytes) *bytes = size;
        read_number(its.at_, size, a, n);
        return true;
    }
    // Takes an integer of any length that is not negative.
    bool take_any_number(Der *its) { return take(INTEGER, its) && !its->empty() && !(*its->at_ & 0x80); }
    bool is(const uint8_t *bytes, size_t size) const { return size_t(end_ - at_) == size && !memcmp(at_, bytes, size); }

private:
    const uint8_t *at_ = nullptr, *end_ = nullptr;
};

// RFC 5208, 5: version, algorithm, the key in an octet string, attributes. The algorithm is rsaEncryption, whose
// parameters are NULL (RFC 8017, A.1) and left out by some, or id-RSASSA-PSS (RFC 4055, 1.2), whose keys are for PSS
// alone; with parameters, for one hash and salt.
int unwrap(Der *key, bool *pss_alone) {
    static const uint8_t RSA_ENCRYPTION[] = {6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0},
                         RSASSA_PSS[] = {6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 10};
    constexpr size_t OID = sizeof(RSASSA_PSS);
    Der whole = *key, algorithm, octets;
    uint64_t version;
    if (!whole.take_number(&version, 1) || !whole.begins_with(Der::SEQUENCE)) return CST_OK;  // it is none
    if (version > 1 || !whole.take(Der::SEQUENCE, &algorithm) || !whole.take(Der::OCTETS, &octets))
        return CST_ERR_ARGUMENT;
    const bool encryption = algorithm.is(RSA_ENCRYPTION, sizeof(RSA_ENCRYPTION)) || algorithm.is(RSA_ENCRYPTION, OID);
    *pss_alone = algorithm.is(RSASSA_PSS, OID);
    if (!encryption && !*pss_alone) return CST_ERR_UNSUPPORTED;
    return octets.take(Der::SEQUENCE, key) && octets.empty() ? CST_OK : CST_ERR_ARGUMENT;
}

// Whether a b = 1 modulo m - 1, of numbers of n words.
bool are_inverse(const uint64_t *a, const uint64_t *b, const uint64_t *m, size_t n) {
    uint64_t product[MOST_NUMBER_WORDS], less[MOST_PRIME_WORDS], rest[MOST_PRIME_WORDS];
    memcpy(less, m, n * sizeof(*m));
    less[0] &= ~uint64_t(1);
    multiply_numbers(a, b, n, product);
    reduce_number(product, 2 * n, less, n, rest);
    const bool are = is_one(rest, n);
    wipe(product, sizeof(product));
    wipe(less, sizeof(less));
    wipe(rest, sizeof(rest));
    return are;
}

// The bits of the kernels' limbs for numbers of so many words.
unsigned limb_bits(size_t words) { return unsigned((64 * words + LIMB_BITS) / LIMB_BITS) * LIMB_BITS; }

bool is_full(const uint64_t *a, size_t n) { return a[n - 1] >> 63 && a[0] & 1; }

}  // namespace

RsaKey::~RsaKey() {
    wipe(n_, sizeof(n_));
    wipe(coefficient_, sizeof(coefficient_));
    wipe(prime_, sizeof(prime_));
    wipe(&blinding_, sizeof(blinding_));
}

int RsaKey::init(const void *der, size_t size, const Digests &sha256) {
    struct Numbers {
        uint64_t d[MOST_NUMBER_WORDS], p[MOST_PRIME_WORDS], q[MOST_PRIME_WORDS], dp[MOST_PRIME_WORDS],
            dq[MOST_PRIME_WORDS], coefficient[MOST_PRIME_WORDS];
        uint8_t seed[Digests::MOST_BYTES];
    };
    const auto numbers = make_wiped<Numbers>();
    Numbers &its = *numbers = {};
    Der whole(static_cast<const uint8_t *>(der), size), key;
    uint64_t version;
    size_t bytes = 0;
    if (!whole.take(Der::SEQUENCE, &key) || !whole.empty()) return CST_ERR_ARGUMENT;
    if (int error = unwrap(&key, &pss_alone_)) return error;
    if (!key.take_number(&version, 1) || version > 1) return CST_ERR_ARGUMENT;
    if (version) return CST_ERR_UNSUPPORTED;  // more than two primes
    if (!key.take_number(n_, MOST_NUMBER_WORDS, &bytes)) return CST_ERR_LENGTH;
    if (bytes != 256 && bytes != 384 && bytes != 512) return CST_ERR_LENGTH;
    words_ = bytes / 8;
    const size_t half = words_ / 2;
    if (!(n_[words_ - 1] >> 63)) return CST_ERR_LENGTH;
    if (!key.take_number(&e_, 1) || e_ < 3 || !(e_ & 1)) return CST_ERR_ARGUMENT;
    const struct {
        uint64_t *number;
        size_t words;
        bool has_length;  // the key's own: of the others too long is wrong
    } members[] = {{its.d, words_, true}, {its.p, half, true},   {its.q, half, true},
                   {its.dp, half, false}, {its.dq, half, false}, {its.coefficient, half, false}};
    bool other_shape = false, longer = false;
    for (const auto &member : members) {
        Der rest = key, skipped;
        if (key.take_number(member.number, member.words)) continue;
        if (!rest.take_any_number(&skipped)) return CST_ERR_ARGUMENT;
        (member.has_length ? other_shape : longer) = true;
        key = rest;
    }
    if (!key.empty()) return CST_ERR_ARGUMENT;
    // Primes of unequal length, and a private exponent that is longer than the modulus, are right, but have no kernel.
    if (other_shape || !(its.p[half - 1] >> 63) || !(its.q[half - 1] >> 63)) return CST_ERR_UNSUPPORTED;
    if (longer) return CST_ERR_ARGUMENT;
    if (!is_full(its.p, half) || !is_full(its.q, half) || is_equal(its.p, its.q, half)) return CST_ERR_ARGUMENT;
    prime_[0].modulus.init(its.p, half);
    prime_[1].modulus.init(its.q, half);
    if (!belong_together(its.d, its.dp, its.dq, its.coefficient)) return CST_ERR_ARGUMENT;
    memcpy(prime_[0].exponent, its.dp, sizeof(its.dp));
    memcpy(prime_[1].exponent, its.dq, sizeof(its.dq));
    prime_[0].modulus.enter(its.coefficient, coefficient_);
    sha256.run({{{{const_cast<void *>(der), size}, {}, {}}}}, its.seed);
    return prepare(its.seed) ? CST_OK : CST_ERR_ARGUMENT;
}

bool RsaKey::belong_together(const uint64_t *d, const uint64_t *dp, const uint64_t *dq,
                             const uint64_t *coefficient) const {
    const size_t half = words_ / 2;
    const uint64_t *const p = prime_[0].modulus.m, *const q = prime_[1].modulus.m;
    uint64_t product[MOST_NUMBER_WORDS], e[MOST_PRIME_WORDS] = {e_}, less[MOST_PRIME_WORDS], rest[MOST_PRIME_WORDS];
    multiply_numbers(p, q, half, product);
    bool together = is_equal(product, n_, words_);
    for (const auto &[prime, exponent] : {std::pair{p, dp}, {q, dq}}) {
        memcpy(less, prime, half * sizeof(*less));
        less[0] &= ~uint64_t(1);
        reduce_number(d, words_, less, half, rest);
        together &= is_equal(rest, exponent, half) && are_inverse(e, exponent, prime, half);
    }
    // q below p, so that the product can be reduced
    memcpy(rest, q, half * sizeof(*rest));
    subtract_if_not_less(rest, 0, p, half);
    prime_[0].modulus.enter(rest, rest);
    together &= is_less(coefficient, p, half) != 0;
    if (together) {
        prime_[0].modulus.multiply(rest, coefficient, rest);
        together = is_one(rest, half);
    }
    wipe(product, sizeof(product));
    wipe(less, sizeof(less));
    wipe(rest, sizeof(rest));
    return together;
}

// Returns whether the primes seem to be primes: b / b is 1 if 1 / b is b^(p - 2) (Fermat).
bool RsaKey::prepare(const uint8_t *seed) {
    const size_t half = words_ / 2;
    const unsigned bits = unsigned(64 * half), all = limb_bits(half);
    uint64_t b[MOST_PRIME_WORDS], exponent[MOST_PRIME_WORDS], product[MOST_PRIME_WORDS];
    BlindingFactors first = {};
    const uint64_t two[MOST_PRIME_WORDS] = {2}, e[MOST_PRIME_WORDS] = {e_};
    bool primes = true;
    for (size_t i = 0; i < 2; i++) {
        RsaPrime &prime = prime_[i];
        const Modulus &modulus = prime.modulus;
        uint64_t *const blind = first.blind[i], *const unblind = first.unblind[i];
        // 2^(52 limbs) is 2^bits, doubled as often as is missing.
        memcpy(prime.one, modulus.one, sizeof(prime.one));
        for (unsigned i = bits; i < all; i++) modulus.twice(prime.one);
        memcpy(prime.square, prime.one, sizeof(prime.square));
        for (unsigned i = 0; i < all; i++) modulus.twice(prime.square);
        memcpy(prime.upper, prime.square, sizeof(prime.upper));
        for (unsigned i = 0; i < bits; i++) modulus.twice(prime.upper);

        memset(b, 0, sizeof(b));
        memcpy(b, seed, 32);
        b[0] |= 1;
        modulus.enter(b, b);
        memcpy(exponent, modulus.m, sizeof(exponent));
        subtract_number(exponent, two, half);
        modulus.raise(b, exponent, unblind);
        modulus.multiply(b, unblind, product);
        primes &= is_equal(product, modulus.one, half) != 0;
        modulus.raise(b, e, blind);
        modulus.multiply(blind, prime.one, blind);
        modulus.multiply(unblind, prime.one, unblind);
    }
    blinding_.begin(first);
    wipe(&first, sizeof(first));
    wipe(b, sizeof(b));
    wipe(exponent, sizeof(exponent));
    return primes;
}

void RsaKey::next_blinding(BlindingFactors *out) const {
    const Modulus &p = prime_[0].modulus, &q = prime_[1].modulus;
    blinding_.next({p, q, limb_bits(p.n) - unsigned(64 * p.n)}, out);
}

}  // namespace cst
