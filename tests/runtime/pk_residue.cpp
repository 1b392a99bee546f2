// What is left of secrets after each public-key call: registers, the stack as deep as it was used, the library's live
// and freed memory. `cst-pk-residue [--leak freed|live|stack|register|unknown-freed|unknown-stack] [--stack BYTES]
// [OPERATION GLOB [KERNEL GLOB]]`.
//
// There are two kinds of evidence. Needles are the secrets of a call (keys, nonces, shared secrets, primes, blinding
// factors) and what they are turned into: reduced, clamped, inverted, negated, times the powers of two of Montgomery's
// products, in words, in limbs of 62, 52, 51, or 26 and 25 bits, in both byte orders. And all that a call leaves, but
// for its output, must be the same for two different secrets, so that no form can be forgotten. A third check: no call
// uses more than --stack bytes of the stack, 16 KiB.

#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "../../bench/rsa_keys.hpp"
#include "cryptostitch/cryptostitch.h"
#include "api/pk_operation.hpp"
#include "residue.hpp"
#include "secret_numbers.hpp"
#include "suite/registers.hpp"

using namespace residue;
using namespace secret_numbers;

namespace {

// ---- needles

class Needles {
public:
    void clear() {
        words_.clear();
        pairs_.clear();
    }
    void bytes(const Text &text) {
        for (size_t i = 0; i + 8 <= text.size(); i++) {
            const uint64_t v = load(&text[i]);
            bool zero = false;
            for (int k = 0; k < 8; k++) zero |= !(v >> 8 * k & 0xff);
            // Halves of pointers and small numbers have zero bytes, and fill patterns are all equal.
            if (!zero && v != (v << 8 | v >> 56)) words_.push_back(v);
        }
    }
    // Long limbs stand for themselves, where they are no address; short ones beside the next one, or beside the same
    // limb of an equal job in the next lane. Beside a zero a short limb is no evidence: the library keeps times.
    void limbs(const Number &limbs, unsigned bits) {
        constexpr uint64_t ABOVE_ADDRESSES = uint64_t(1) << 48, SMALL = 1 << 16;
        for (size_t i = 0; i < limbs.size(); i++) {
            if (bits > 48 && limbs[i] >= ABOVE_ADDRESSES) words_.push_back(limbs[i]);
            if (bits > 48 || limbs[i] < SMALL) continue;
            pairs_.emplace_back(limbs[i], limbs[i]);
            if (i + 1 < limbs.size() && limbs[i + 1] >= SMALL) pairs_.emplace_back(limbs[i], limbs[i + 1]);
        }
    }
    void number(const Number &a) {
        const Text its = little(a);
        bytes(its);
        bytes({its.rbegin(), its.rend()});
        for (const unsigned bits : {51, 52, 62}) limbs(secret_numbers::limbs(a, bits), bits);
        limbs(secret_numbers::limbs(a, 26, 25), 26);
    }
    void ready() {
        std::sort(words_.begin(), words_.end());
        std::sort(pairs_.begin(), pairs_.end());
        memset(filter_, 0, sizeof filter_);
        residue::generation++;
        for (const uint64_t v : words_) filter_[v & 0xffff] |= 1;
        for (const auto &pair : pairs_) filter_[pair.first & 0xffff] |= 2;
    }
    // The offset of the first needle in the haystack; -1: none.
    long in(const void *data, size_t size) const {
        const auto *const from = static_cast<const uint8_t *>(data);
        for (size_t i = 0; i + 8 <= size; i++) {
            const uint64_t v = load(from + i);
            const uint8_t maybe = filter_[v & 0xffff];
            if (!maybe) continue;
            if ((maybe & 1) && std::binary_search(words_.begin(), words_.end(), v)) return long(i);
            if ((maybe & 2) && i + 16 <= size &&
                std::binary_search(pairs_.begin(), pairs_.end(), std::pair(v, load(from + i + 8))))
                return long(i);
        }
        return -1;
    }

private:
    static uint64_t load(const uint8_t *p) {
        uint64_t v;
        memcpy(&v, p, 8);
        return v;
    }
    std::vector<uint64_t> words_;
    std::vector<std::pair<uint64_t, uint64_t>> pairs_;
    uint8_t filter_[1 << 16] = {};
};

Needles needles;
// Words that look like addresses, which differ from call to call, count as zeros.
uint64_t without_addresses(const uint8_t *data, size_t size, uint64_t hash = 0xcbf29ce484222325) {
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, 8);
        if (word >> 48 == 0 && word >> 32) word = 0;
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash;
}

struct Freed {
    size_t size;
    uint64_t content;
};
constexpr size_t MOST_FREED = 1 << 12;
Freed freed[MOST_FREED];
size_t n_freed = 0;
void record(const Block &block) {
    if (n_freed < MOST_FREED) freed[n_freed++] = {block.size, without_addresses(block.at, block.size)};
}

}  // namespace

long residue::needle_in(const void *data, size_t size) { return needles.in(data, size); }

namespace {

// ---- one observed call

constexpr size_t ENTRY = 512;  // bytes of the stack above what ClearStack clears
size_t most_stack = cst::CLEARED_STACK + ENTRY, deepest = 0;
std::string deepest_call;
bool leak_is_unknown = false;  // the word that --leak leaves depends on the secret, and is no needle

// What a call left.
struct Traces {
    uint64_t registers, stack;
    std::vector<Freed> freed;
};

template <typename F>
int observed(const std::string &name, F call, Traces *traces = nullptr) {
    n_freed = 0;
    const int result = residue::observed(name, call);
    size_t unused = 0;
    while (unused < CST_PROBE_BELOW && stack[unused] == CST_PROBE_FILL) unused++;
    const size_t used = CST_PROBE_BELOW - unused;
    if (used > deepest) deepest = used, deepest_call = what;
    if (used > most_stack) found(std::to_string(used) + " bytes of the stack are used");
    if (traces) {
        probe.after.components = 0;  // the processor may count registers that hold zeros as used, or not
        traces->registers = without_addresses(reinterpret_cast<const uint8_t *>(&probe.after), sizeof probe.after);
        traces->stack = without_addresses(stack, CST_PROBE_BELOW);
        traces->freed.assign(freed, freed + n_freed);
    }
    return result;
}

void compare(const Traces &one, const Traces &other) {
    if (one.registers != other.registers) found("registers depend on the secret");
    if (one.stack != other.stack) found("the stack depends on the secret");
    if (one.freed.size() != other.freed.size()) return found("calls of free depend on the secret");
    for (size_t i = 0; i < one.freed.size(); i++)
        if (one.freed[i].size != other.freed[i].size || one.freed[i].content != other.freed[i].content)
            return found("a freed block of " + std::to_string(one.freed[i].size) + " bytes depends on the secret");
}

// ---- what secrets are turned into

Text random_text(size_t size, uint64_t seed) {
    Text data(size);
    fill(data.data(), size, seed);
    return data;
}

Text digest_of(cst_ctx *ctx, const char *name, const Text &mac_key, const Text &text) {
    const cst_suite *suite;
    cst_key *key;
    cst_suite_info info = {};
    info.size = sizeof info;
    expect(cst_suite_get(ctx, name, &suite), CST_OK);
    expect(cst_suite_info_get(suite, &info), CST_OK);
    expect(cst_key_new(suite, nullptr, 0, mac_key.empty() ? nullptr : mac_key.data(), mac_key.size(), &key), CST_OK);
    Text digest(info.tag_max);
    expect(cst_digest(key, text.data(), text.size(), digest.data(), digest.size()), CST_OK);
    cst_key_free(key);
    return digest;
}

Text joined(std::initializer_list<Text> parts) {
    Text all;
    for (const Text &part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

constexpr size_t WORDS = 5;  // of numbers of 256 bits, and one more
Number number_of(const char *hexadecimal) {
    Text bytes(32);
    for (size_t i = 0; i < 32; i++) bytes[i] = uint8_t(std::stoul(std::string(hexadecimal + 2 * i, 2), nullptr, 16));
    return from_big(bytes, WORDS);
}
// SP 800-186, 3.2.1.3: the order and the prime; RFC 8032, 5.1: the order
const Number P256_ORDER = number_of("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
const Number P256_PRIME = number_of("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
const Number ED25519_ORDER = number_of("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed");

// Forms modulo m: the number and its negative, times what Montgomery's products divide by (2^256 in words, 2^260 in
// limbs of 52 bits, and the powers that convert between them), and what is not reduced.
void add_forms(const Number &a, const Number &m) {
    static const unsigned EXPONENTS[] = {0, 256, 260, 264, 320, 516, 520, 524, 780};
    for (const Number &v : {reduced(a, m), less(m, reduced(a, m))})
        for (const unsigned exponent : EXPONENTS) {
            const Number form = times(two_to(exponent, m), v, m);
            needles.number(form);
            needles.number(plus(form, m));
        }
}

// A secret multiplier on P-256: the number, its inverse, and half of the odd one of it and its negative (which has the
// digits).
void add_p256_scalar(const Number &a) {
    add_forms(a, P256_ORDER);
    add_forms(inverse(a, P256_ORDER), P256_ORDER);
    needles.number(shifted_down(a, 1));
    needles.number(shifted_down(less(P256_ORDER, a), 1));
}

// RFC 6979, 3.2
void add_ecdsa(cst_ctx *ctx, const Text &secret, const Text &digest) {
    const auto hmac = [&](const Text &key, const Text &text) { return digest_of(ctx, "hmac-sha256", key, text); };
    const Text behind = joined({secret, digest});
    Text key(32, 0), value(32, 1);
    for (const uint8_t byte : {0, 1}) {
        key = hmac(key, joined({value, {byte}, behind}));
        value = hmac(key, value);
        for (const Text &text : {key, value}) needles.number(from_big(text, WORDS));
        for (const uint8_t pad : {0x36, 0x5c}) {
            Text padded = key;
            for (uint8_t &b : padded) b ^= pad;
            needles.bytes(padded);
        }
    }
    const Number nonce = from_big(hmac(key, value), WORDS), d = from_big(secret, WORDS);
    add_p256_scalar(nonce);
    add_p256_scalar(d);
    const Number inverted = inverse(nonce, P256_ORDER), z = reduced(from_big(digest, WORDS), P256_ORDER);
    add_forms(times(inverted, d, P256_ORDER), P256_ORDER);
    add_forms(times(inverted, z, P256_ORDER), P256_ORDER);
}

void add_digits(const Number &a) {
    Text digits;
    int carry = 0;
    for (size_t i = 0; i < 64; i++) {
        int digit = int(a[i / 16] >> 4 * (i % 16) & 15) + carry;
        carry = digit >= 8;
        digits.push_back(uint8_t(digit - 16 * carry));
    }
    needles.bytes(digits);
}

// RFC 8032, 5.1.5 and 5.1.6
void add_ed25519(cst_ctx *ctx, const Text &secret, const Text &message) {
    const Text digest = digest_of(ctx, "sha512", {}, secret), prefix(digest.begin() + 32, digest.end());
    const Text numbers = digest_of(ctx, "sha512", {}, joined({prefix, message}));
    Text clamped(digest.begin(), digest.begin() + 32);
    clamped[0] &= 248;
    clamped[31] = uint8_t((clamped[31] & 127) | 64);
    for (const Text &text : {digest, clamped, numbers}) needles.number(from_little(text, 9));
    for (const Text &text : {clamped, numbers}) {
        const Number scalar = reduced(from_little(text, 9), ED25519_ORDER);
        add_forms(scalar, ED25519_ORDER);
        add_digits(scalar);
    }
}

void add_x25519(const Text &scalar) {
    Text clamped = scalar;
    clamped[0] &= 248;
    clamped[31] = uint8_t((clamped[31] & 127) | 64);
    for (const Text &text : {scalar, clamped}) needles.number(from_little(text, WORDS));
    Number shifted = from_little(clamped, WORDS);
    needles.number(plus(shifted, shifted));
}

// ---- scenarios

constexpr size_t MOST = 66, ROOM = 512;
Text secret, peer, message, small_point;
uint8_t out[MOST][ROOM];

// The base point of P-256, compressed (SEC 1, 2.3.3; SEC 2, 2.4.2).
const Text P256_BASE = {0x03, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc,
                        0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d,
                        0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96};

struct Jobs {
    cst_pk *pk;
    std::string name;
    cst_pk_job job;  // all of them are equal, but for their outputs
    cst_pk_job jobs[MOST];

    int burst(const std::string &kind, size_t n, Traces *traces = nullptr) {
        for (size_t i = 0; i < n; i++) {
            jobs[i] = job;
            if (job.out) jobs[i].out = out[i];
        }
        return again(kind, n, traces);
    }
    // With the jobs as they are.
    int again(const std::string &kind, size_t n, Traces *traces = nullptr) {
        return observed(
            name + " cst_pk_burst, " + kind + ", " + std::to_string(n) + " jobs",
            [&] { return cst_pk_burst(pk, jobs, n); }, traces);
    }

    // The last job is refused; then each allocation.
    void errors() {
        burst("sound", 3);
        (job.out ? jobs[2].out_cap : jobs[2].signature_len) = 0;
        expect(again("without room", 3), CST_ERR_LENGTH);
        for (const size_t n : {size_t(1), size_t(10)})
            for (long refused = 1;; refused++) {
                countdown = refused;
                const int error = burst("allocation " + std::to_string(refused) + " refused", n);
                const bool untouched = countdown > 0;
                countdown = -1;
                if (untouched) break;
                if (error != CST_OK) expect(error, CST_ERR_MEMORY);
            }
    }

    void by_manager(cst_ctx *ctx) {
        constexpr size_t N = 3;
        cst_pk_manager *manager = nullptr;
        const cst_manager_options options = {sizeof options, 2 * N, 1000, 2 * N};
        expect(observed(name + " cst_pk_manager_new", [&] { return cst_pk_manager_new(ctx, &options, &manager); }),
               CST_OK);
        burst("sound", N);
        for (size_t i = 0; i < N; i++)
            expect(
                observed(name + " cst_pk_manager_submit", [&] { return cst_pk_manager_submit(manager, pk, &jobs[i]); }),
                CST_OK);
        expect(observed(name + " cst_pk_manager_flush", [&] { return cst_pk_manager_flush(manager); }), CST_OK);
        size_t taken = 0;
        observed(name + " cst_pk_manager_take", [&] {
            while (cst_pk_manager_take(manager)) taken++;
            return 0;
        });
        expect(taken == N ? CST_OK : CST_ERR_FULL, CST_OK);
        observed(name + " cst_pk_manager_free", [&] {
            cst_pk_manager_free(manager);
            return 0;
        });
    }
};

bool make(cst_ctx *ctx, const std::string &operation, const char *kernel, cst_pk **pk) {
    needles.clear();
    needles.ready();
    const int error = observed(operation + " cst_pk_new " + (kernel ? kernel : ""),
                               [&] { return cst_pk_new(ctx, operation.c_str(), kernel, pk); });
    if (error == CST_ERR_NAME || error == CST_ERR_UNSUPPORTED) return false;
    expect(error, CST_OK);
    return true;
}

// Sets the secrets, with which jobs have been run, and their needles.
void take_secrets(cst_ctx *ctx, const std::string &operation, uint64_t seed, Jobs *jobs) {
    const Text drawn = random_text(32, seed);
    memcpy(secret.data(), drawn.data(), 32);
    secret[0] &= 0x7f;  // below the order of P-256
    jobs->burst("for its results", 1);
    needles.clear();
    needles.bytes(secret);
    const Text result(out[0], out[0] + 32);
    if (operation.compare(0, 6, "x25519") == 0) {
        add_x25519(secret);
        if (operation == "x25519") needles.number(from_little(result, WORDS));
    } else if (operation == "ecdh-p256") {
        add_p256_scalar(from_big(secret, WORDS));
        add_forms(from_big(result, WORDS), P256_PRIME);
    } else if (operation == "p256-public-key") {
        add_p256_scalar(from_big(secret, WORDS));
    } else if (operation.compare(0, 5, "ecdsa") == 0) {
        const bool digest = operation.find("digest") != std::string::npos;
        add_ecdsa(ctx, secret,
                  digest ? Text(message.begin(), message.begin() + 32) : digest_of(ctx, "sha256", {}, message));
    } else {
        add_ed25519(ctx, secret, message);
    }
    needles.ready();
    const Number form = times(two_to(260, P256_ORDER), from_big(secret, WORDS), P256_ORDER);
    if (!*leak) return;
    for (const uint64_t limb : limbs(form, 52))
        if (limb >> 49) leaked_word = limb;
    needles.limbs({leaked_word}, 52);
    needles.ready();
    if (!leak_is_unknown) return;
    memcpy(&leaked_word, secret.data(), 8);
    leaked_word *= 0x9e3779b97f4a7c15;
}

void run_secrets(cst_ctx *ctx, const std::string &operation, const char *kernel) {
    const bool p256 = operation.find("p256") != std::string::npos;
    const bool agrees = operation == "x25519" || operation == "ecdh-p256";
    static Jobs jobs;
    memset(&jobs.job, 0, sizeof jobs.job);
    if (!make(ctx, operation, kernel, &jobs.pk)) return;
    jobs.name = operation + (kernel ? std::string(" ") + kernel : "");
    secret.resize(32);
    peer = p256 ? P256_BASE : random_text(32, 7);
    message = random_text(operation.find("digest") == std::string::npos ? 100 : 32, 8);
    const Text &in = agrees ? peer : message;
    jobs.job.size = sizeof jobs.job;
    jobs.job.key = secret.data(), jobs.job.key_len = 32;
    jobs.job.in = in.data(), jobs.job.in_len = in.size();
    jobs.job.out = out[0], jobs.job.out_cap = 65;

    for (const size_t n : {size_t(1), size_t(3), size_t(10), MOST}) {
        Traces one, other;
        take_secrets(ctx, operation, 1, &jobs);
        for (int i = 0; i < 2; i++) expect(jobs.burst("sound", n, &one), CST_OK);
        take_secrets(ctx, operation, 2, &jobs);
        for (int i = 0; i < 2; i++) expect(jobs.burst("sound", n, &other), CST_OK);
        compare(one, other);
        if (*leak) return;
    }
    jobs.errors();
    jobs.by_manager(ctx);
    if (p256) {
        jobs.burst("sound", 3);
        const Text zero(32);
        jobs.jobs[1].key = zero.data();
        expect(jobs.again("with a key of 0", 3), CST_ERR_POINT);
    }
    if (agrees) {
        jobs.burst("sound", 3);
        const Text bad(in.size());
        jobs.jobs[1].in = bad.data();
        expect(jobs.again("with a bad point", 3), CST_ERR_POINT);
    }
    cst_pk_free(jobs.pk);
}

// Verification has no secrets; its stack counts.
void run_verification(cst_ctx *ctx, const std::string &operation, const char *kernel) {
    const bool p256 = operation.find("p256") != std::string::npos;
    const std::string signing = p256 ? "ecdsa-p256-sign" : "ed25519-sign";
    static Jobs jobs;
    cst_pk *sign, *keys;
    if (!make(ctx, operation, kernel, &jobs.pk)) return;
    expect(cst_pk_new(ctx, signing.c_str(), nullptr, &sign), CST_OK);
    expect(cst_pk_new(ctx, p256 ? "p256-public-key" : "ed25519-public-key", nullptr, &keys), CST_OK);
    secret = random_text(32, 1);
    secret[0] &= 0x7f;
    message = random_text(100, 8);
    uint8_t key[65], signature[64];
    cst_pk_job job = {};
    job.size = sizeof job;
    job.key = secret.data(), job.key_len = 32;
    job.in = message.data(), job.in_len = message.size();
    job.out = signature, job.out_cap = sizeof signature;
    expect(cst_pk_burst(sign, &job, 1), CST_OK);
    job.out = key, job.out_cap = sizeof key;
    expect(cst_pk_burst(keys, &job, 1), CST_OK);
    jobs.name = operation + (kernel ? std::string(" ") + kernel : "");
    jobs.job = {};
    jobs.job.size = sizeof jobs.job;
    jobs.job.key = key, jobs.job.key_len = p256 ? 65 : 32;
    jobs.job.in = message.data(), jobs.job.in_len = message.size();
    jobs.job.signature = signature, jobs.job.signature_len = sizeof signature;
    for (const size_t n : {size_t(1), size_t(3), size_t(10), MOST}) expect(jobs.burst("sound", n), CST_OK);
    jobs.errors();
    signature[63] ^= 1;
    expect(jobs.burst("wrong", 3), CST_ERR_AUTH);
    for (cst_pk *pk : {jobs.pk, sign, keys}) cst_pk_free(pk);
}

// ---- RSA

// The numbers of RSAPrivateKey (RFC 8017, A.1.2): version, n, e, d, p, q, d mod p - 1, d mod q - 1, 1 / q mod p.
std::vector<Text> numbers_of(const std::vector<uint8_t> &der, std::vector<size_t> *places) {
    std::vector<Text> numbers;
    for (size_t at = 4; at < der.size();) {
        size_t size = der[at + 1], from = at + 2;
        if (size & 0x80)
            for (size_t n = size & 0x7f, i = size = 0; i < n; i++) size = size << 8 | der[from++];
        numbers.emplace_back(der.begin() + ptrdiff_t(from), der.begin() + ptrdiff_t(from + size));
        places->push_back(from + size / 2);
        at = from + size;
    }
    return numbers;
}

// Needles of numbers of a prime's form: as the key has them, and in the kernels' limbs.
void add_number(const uint64_t *a, size_t words) { needles.number(Number(a, a + words)); }
Number wide(const uint64_t *a, size_t words) {
    Number out(a, a + words);
    out.push_back(0);
    return out;
}

void add_key(const std::vector<Text> &numbers) {
    for (size_t i = 3; i < numbers.size(); i++) needles.number(from_big(numbers[i], (numbers[i].size() + 7) / 8));
}
void add_prepared(const cst::RsaKey &key) {
    for (size_t i = 0; i < 2; i++) {
        const cst::RsaPrime &its = key.prime(i);
        const size_t words = its.modulus.n;
        for (const uint64_t *a :
             {its.modulus.m, its.modulus.one, its.modulus.r2, its.exponent, its.one, its.square, its.upper})
            add_number(a, words);
    }
    add_number(key.coefficient(), key.words() / 2);
}
// The blinding factors of the next n jobs, each the square of the one before.
void add_blinding(const cst::RsaKey &key, size_t n) {
    const size_t words = key.words() / 2;
    const unsigned radix = unsigned(64 * words + 52) / 52 * 52;
    const cst::BlindingFactors &last = key.blinding().last();
    for (size_t i = 0; i < 2; i++) {
        const Number m = wide(key.prime(i).modulus.m, words), down = inverse(two_to(radix, m), m);
        for (const uint64_t *from : {last.blind[i], last.unblind[i]}) {
            Number factor = wide(from, words);
            for (size_t job = 0; job < n; job++) {
                factor = times(times(factor, factor, m), down, m);
                needles.number(factor);
                needles.number(times(factor, down, m));
            }
        }
    }
}
// A result modulo the primes, and times the kernels' R; `words`: of a prime.
void add_result(const cst::RsaKey &key, const Text &result) {
    const size_t words = key.words() / 2;
    for (size_t i = 0; i < 2; i++) {
        const Number m = wide(key.prime(i).modulus.m, words);
        const Number rest = reduced(from_big(result, 2 * words), m);
        for (const unsigned exponent : {0u, unsigned(64 * words + 52) / 52 * 52})
            needles.number(times(two_to(exponent, m), rest, m));
    }
}

void run_rsa(cst_ctx *ctx, const std::string &operation, const char *kernel) {
    constexpr size_t SIZE = 256;
    const std::vector<uint8_t> der = bench::rsa_key(8 * SIZE);
    std::vector<size_t> places;
    const std::vector<Text> numbers = numbers_of(der, &places);
    static Jobs jobs;
    jobs.job = {};
    if (!make(ctx, operation, kernel, &jobs.pk)) return;
    jobs.name = operation + (kernel ? std::string(" ") + kernel : "");
    needles.clear();
    add_key(numbers);
    needles.ready();
    cst_pk_key *key = nullptr;
    const auto prepare = [&](const std::vector<uint8_t> &from, const std::string &kind, int wanted) {
        making_key = true;
        const int error = observed(jobs.name + " cst_pk_key_new " + kind,
                                   [&] { return cst_pk_key_new(jobs.pk, from.data(), from.size(), &key); });
        making_key = false;
        if (wanted <= 0) expect(error, wanted);
        return error;
    };
    for (size_t i = 1; i < numbers.size(); i++) {
        std::vector<uint8_t> wrong = der;
        wrong[places[i]] ^= 1;
        if (i != 2) prepare(wrong, "with number " + std::to_string(i) + " wrong", CST_ERR_ARGUMENT);
    }
    for (long refused = 1;; refused++) {
        countdown = refused;
        const int error = prepare(der, "allocation " + std::to_string(refused) + " refused", 1);
        const bool untouched = countdown > 0;
        countdown = -1;
        if (!error) cst_pk_key_free(key);
        if (untouched) break;
        if (error) expect(error, CST_ERR_MEMORY);
    }
    prepare(der, "", CST_OK);

    const bool raw = operation == "rsa-private", opens = operation.find("oaep") != std::string::npos;
    message = random_text(raw || opens ? SIZE : 100, 8);
    const Text salt = random_text(32, 9);
    jobs.job.size = sizeof jobs.job;
    jobs.job.prepared = key;
    jobs.job.in = message.data(), jobs.job.in_len = message.size();
    jobs.job.out = out[0], jobs.job.out_cap = SIZE;
    if (operation.find("pss") != std::string::npos) jobs.job.signature = salt.data(), jobs.job.signature_len = 32;
    const int wanted = opens ? CST_ERR_AUTH : CST_OK;
    for (const size_t n : {size_t(1), size_t(5), size_t(10)}) {
        Traces traces[2];
        for (uint64_t which : {0, 1}) {
            const Text drawn = random_text(message.size(), 10 + which);
            memcpy(message.data(), drawn.data(), drawn.size());
            message[0] = 0;  // below the modulus
            for (int i = 0; i < 2; i++) {
                needles.clear();
                add_key(numbers);
                add_prepared(key->rsa);
                if (i) add_blinding(key->rsa, n);
                if (!opens) add_result(key->rsa, Text(out[0], out[0] + SIZE));
                if (raw) needles.bytes(message), needles.bytes(Text(out[0], out[0] + SIZE));
                needles.ready();
                expect(jobs.burst("sound", n, &traces[which]), wanted);
            }
        }
        compare(traces[0], traces[1]);
    }
    if (opens) {
        cst_pk_key_free(key);
        cst_pk_free(jobs.pk);
        return;
    }
    jobs.errors();
    jobs.by_manager(ctx);
    if (raw) {
        jobs.burst("sound", 3);
        const Text large(SIZE, 0xff);
        jobs.jobs[2].in = large.data();
        expect(jobs.again("with a number that is too large", 3), CST_ERR_ARGUMENT);
    }
    needles.clear();
    add_key(numbers);
    add_prepared(key->rsa);
    needles.ready();
    observed(jobs.name + " cst_pk_key_free", [&] {
        cst_pk_key_free(key);
        return 0;
    });
    cst_pk_free(jobs.pk);
}

void run(cst_ctx *ctx, const std::string &operation, const char *kernel) {
    if (operation.compare(0, 3, "rsa") == 0) run_rsa(ctx, operation, kernel);
    else if (operation.find("verify") != std::string::npos) run_verification(ctx, operation, kernel);
    else run_secrets(ctx, operation, kernel);
}

int collect(const char *name, void *names) {
    static_cast<std::vector<std::string> *>(names)->push_back(name);
    return 0;
}

const char *const OPERATIONS[] = {"x25519",
                                  "x25519-public-key",
                                  "ed25519-sign",
                                  "ed25519-public-key",
                                  "ed25519-verify",
                                  "ed25519-verify-zip215",
                                  "ecdh-p256",
                                  "p256-public-key",
                                  "ecdsa-p256-sign",
                                  "ecdsa-p256-sign-digest",
                                  "ecdsa-p256-verify",
                                  "rsa-private",
                                  "rsa-sign-pkcs1-sha256",
                                  "rsa-sign-pss-sha256",
                                  "rsa-decrypt-oaep-sha256"};
// The name with which kernels of an operation begin.
std::string family(const std::string &operation) {
    if (operation.compare(0, 3, "rsa") == 0) return "montgomery";
    if (operation.find("p256") != std::string::npos) return "p256_double";
    return operation.compare(0, 6, "x25519") == 0 ? "x25519" : "ed25519_double";
}

}  // namespace

int main(int argc, char **argv) {
    std::vector<const char *> globs;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--leak") && i + 1 < argc) leak = argv[++i];
        else if (!strcmp(argv[i], "--stack") && i + 1 < argc) most_stack = size_t(atol(argv[++i]));
        else globs.push_back(argv[i]);
    }
    constexpr size_t UNKNOWN = 8;
    leak_is_unknown = !strncmp(leak, "unknown-", UNKNOWN);
    if (leak_is_unknown) leak += UNKNOWN;
    on_free = record;
    if (!cst_probe_components()) return puts("this CPU or system has no XSAVE"), 77;
    cst_ctx *ctx = nullptr;
    cst_options options = {};
    options.size = sizeof options;
    if (cst_ctx_new(&ctx, &options)) return 1;
    std::vector<std::string> kernels;
    cst_list(ctx, CST_NAME_KERNEL, collect, &kernels);
    for (const std::string operation : OPERATIONS) {
        if (!globs.empty() && fnmatch(globs[0], operation.c_str(), 0)) continue;
        run(ctx, operation, nullptr);
        for (const std::string &kernel : kernels)
            if (globs.size() > 1 && !fnmatch(globs[1], kernel.c_str(), 0) &&
                kernel.compare(0, family(operation).size(), family(operation)) == 0)
                run(ctx, operation, kernel.c_str());
    }
    printf("%zu calls, %zu bytes of the stack at most (%s), %d findings\n", calls, deepest, deepest_call.c_str(),
           failures);
    return failures != 0;
}
