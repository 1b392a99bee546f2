#include "p256.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/wiped.hpp"

namespace cst {
namespace {

constexpr size_t TOGETHER = 64;  // jobs that share an inversion, which takes as long as some 100 products

// A plain number modulo the order, from a digest or a coordinate (FIPS 186-5, 6.4).
Number256 scalar(const uint8_t *bytes) { return p256_order().reduced(number256_from_bytes(bytes)); }

// Sets each number to what the digest of a job's message stands for: its 256 leftmost bits.
template <typename Job>
void take_digests(const Digests &sha256, const Job *jobs, size_t n, Number256 *out) {
    std::vector<Digests::Text> texts(n);
    WipedVector<uint8_t> digests(n * SHA256_BYTES);
    bool hashed = false;
    for (size_t i = 0; i < n; i++) {
        const EcdsaMessage &message = jobs[i].message;
        if (!message.is_digest) texts[i] = {{piece(message.data, message.bytes), {}, {}}};
        hashed |= !message.is_digest;
    }
    if (hashed) sha256.run(texts, digests.data());
    for (size_t i = 0; i < n; i++) {
        const EcdsaMessage &message = jobs[i].message;
        uint8_t *const digest = &digests[i * SHA256_BYTES];
        if (message.is_digest) {
            const size_t bytes = std::min(message.bytes, SHA256_BYTES);
            memset(digest, 0, SHA256_BYTES - bytes);
            memcpy(digest + SHA256_BYTES - bytes, message.data, bytes);
        }
        out[i] = scalar(digest);
    }
}

bool is_multiplier(const Number256 &a) { return p256_order().is_reduced(a) && !is_zero(a); }

// x of a point, modulo the order.
Number256 x_scalar(const P256Point &point) { return p256_order().reduced(p256_field().to_plain(point.x)); }

// Whether x of a point is r modulo the order: x is r, or r plus the order where that is below the prime, and x Z^2 = X.
bool has_x(const P256Jacobian &point, const Number256 &r) {
    const Modulus256 &f = p256_field();
    if (f.is_zero(point.z)) return false;
    const Residue256 square = f.product(point.z, point.z);
    const auto is = [&](const Residue256 &x) { return f.is_zero(f.difference(f.product(x, square), point.x)) != 0; };
    const Residue256 x = f.from_plain(r), order = f.from_plain(p256_order().modulus());
    const Number256 above = f.less(p256_order().modulus());  // the prime less the order
    return is(x) || (is_below(r, above) && is(f.sum(x, order)));
}

struct Affine {
    void convert(size_t n) { to_affine(jacobian, n, point, work); }
    P256Jacobian jacobian[TOGETHER];
    P256Point point[TOGETHER];
    Residue256 work[2 * TOGETHER];
};

}  // namespace

int EcdsaVerification::init(const Engine &engine, const Suites &suites, const char *kernel) {
    if (int error = sha256_.init(engine, suites, "sha256")) return error;
    return points_.init(engine, kernel, P256Multiplication::Use::sums);
}

void EcdsaVerification::run(Job *jobs, size_t n) const {
    for (size_t at = 0; at < n; at += TOGETHER) run_some(jobs + at, std::min(TOGETHER, n - at));
}

// FIPS 186-5, 6.4.2
void EcdsaVerification::run_some(Job *jobs, size_t n) const {
    struct Work {
        Number256 digest[TOGETHER], r[TOGETHER], base[TOGETHER], multiplier[TOGETHER];
        Residue256 inverse[TOGETHER], products[TOGETHER];
        P256Point key[TOGETHER];
        P256Jacobian sums[TOGETHER];
    };
    const Modulus256 &order = p256_order();
    const auto work = make_wiped<Work>();
    auto &[digest, r, base, multiplier, inverse, products, key, sums] = *work;
    take_digests(sha256_, jobs, n, digest);

    // A wrong job's place is taken by the base point, and the number 1.
    for (size_t i = 0; i < n; i++) {
        r[i] = number256_from_bytes(jobs[i].signature);
        const Number256 s = number256_from_bytes(jobs[i].signature + NUMBER256_BYTES);
        jobs[i].right = is_multiplier(r[i]) && is_multiplier(s) && decode(jobs[i].key, jobs[i].key_bytes, &key[i]);
        if (!jobs[i].right) {
            key[i] = p256_base();
            r[i] = {{1, 0, 0, 0}};
        }
        inverse[i] = jobs[i].right ? order.from_plain(s) : order.one();
    }
    order.invert(inverse, products, n);
    for (size_t i = 0; i < n; i++) {
        base[i] = order.times(digest[i], inverse[i]);
        multiplier[i] = order.times(r[i], inverse[i]);
    }
    points_.multiply_both(base, multiplier, key, n, sums);
    for (size_t i = 0; i < n; i++) jobs[i].right = jobs[i].right && has_x(sums[i], r[i]);
}

int EcdsaSigning::init(const Engine &engine, const Suites &suites, const char *kernel) {
    if (int error = sha256_.init(engine, suites, "sha256")) return error;
    return points_.init(engine, kernel, P256Multiplication::Use::base);
}

// Jobs that share inversions.
class EcdsaSigning::Round {
public:
    Round(const EcdsaSigning &its, Job *jobs, size_t n) : its_(its), jobs_(jobs), n_(n) {}

    void run() {
        take_digests(its_.sha256_, jobs_, n_, digest_);
        for (size_t i = 0; i < n_; i++) {
            secret_[i] = number256_from_bytes(jobs_[i].secret);
            jobs_[i].usable = is_multiplier(secret_[i]);
            if (!jobs_[i].usable) secret_[i] = {{1, 0, 0, 0}};
        }
        begin();
        for (draw(); !sign(); draw()) {
            hmac(0, 1, &Draw::key);
            hmac(0, 0, &Draw::value);
        }
    }

private:
    // The state of a job (RFC 6979, 3.2, HMAC_DRBG). done: it has its signature.
    static constexpr size_t TAIL = 1 + 2 * NUMBER256_BYTES;
    struct Draw {
        uint8_t key[SHA256_BYTES], value[SHA256_BYTES];
        bool done;
    };

    // Sets `out`, of jobs that are not done, to HMAC-SHA-256, under the key, of the value and `bytes` of the tail: a
    // byte, the secret, the digest.
    void hmac(uint8_t byte, size_t bytes, uint8_t (Draw::*out)[SHA256_BYTES]) {
        constexpr size_t BLOCK = 64;
        std::vector<Digests::Text> texts(n_);
        WipedVector<uint8_t> pads(n_ * BLOCK);
        const auto pad = [&](uint8_t byte) {
            memset(pads.data(), byte, pads.size());
            for (size_t i = 0; i < n_; i++) {
                Number256 key, start;
                memcpy(&key, draws_[i].key, sizeof(key));
                memcpy(&start, &pads[i * BLOCK], sizeof(start));
                for (size_t w = 0; w < 4; w++) start.word[w] ^= key.word[w];
                memcpy(&pads[i * BLOCK], &start, sizeof(start));
            }
        };
        pad(0x36);
        for (size_t i = 0; i < n_; i++) {
            tail_[i][0] = byte;
            put_number256(secret_[i], tail_[i] + 1);
            put_number256(digest_[i], tail_[i] + 1 + NUMBER256_BYTES);
            texts[i] = {{piece(&pads[i * BLOCK], BLOCK), piece(draws_[i].value, SHA256_BYTES), piece(tail_[i], bytes)}};
        }
        its_.sha256_.run(texts, inner_[0]);
        pad(0x5c);
        for (size_t i = 0; i < n_; i++)
            texts[i] = {{piece(&pads[i * BLOCK], BLOCK), piece(inner_[i], SHA256_BYTES), {}}};
        its_.sha256_.run(texts, outer_[0]);
        for (size_t i = 0; i < n_; i++)
            if (!draws_[i].done) memcpy(draws_[i].*out, outer_[i], SHA256_BYTES);
    }

    // Steps b to g.
    void begin() {
        for (size_t i = 0; i < n_; i++) {
            memset(draws_[i].key, 0, SHA256_BYTES);
            memset(draws_[i].value, 1, SHA256_BYTES);
            draws_[i].done = false;
        }
        for (const uint8_t byte : {uint8_t(0), uint8_t(1)}) {
            hmac(byte, TAIL, &Draw::key);
            hmac(0, 0, &Draw::value);
        }
    }

    // Step h, once. What is no nonce is replaced.
    void draw() {
        hmac(0, 0, &Draw::value);
        for (size_t i = 0; i < n_; i++) {
            nonce_[i] = number256_from_bytes(draws_[i].value);
            usable_[i] = is_multiplier(nonce_[i]);
            if (!usable_[i]) nonce_[i] = {{1, 0, 0, 0}};
        }
    }

    // FIPS 186-5, 6.4.1. Returns whether all jobs have their signatures.
    bool sign() {
        const Modulus256 &order = p256_order();
        its_.points_.multiply_base(nonce_, n_, points_.jacobian);
        points_.convert(n_);
        for (size_t i = 0; i < n_; i++) inverse_[i] = order.from_plain(nonce_[i]);
        order.invert(inverse_, work_, n_);
        bool all = true;
        for (size_t i = 0; i < n_; i++) {
            const Number256 r = x_scalar(points_.point[i]);
            const Residue256 rd = order.product(order.from_plain(r), order.from_plain(secret_[i]));
            const Number256 s = order.to_plain(order.product(order.sum(order.from_plain(digest_[i]), rd), inverse_[i]));
            const bool made = usable_[i] && !is_zero(r) && !is_zero(s);
            if (made && !draws_[i].done) {
                put_number256(r, jobs_[i].signature);
                put_number256(s, jobs_[i].signature + NUMBER256_BYTES);
            }
            draws_[i].done |= made;
            all &= draws_[i].done;
        }
        return all;
    }

    const EcdsaSigning &its_;
    Job *const jobs_;
    const size_t n_;
    Draw draws_[TOGETHER];
    uint8_t inner_[TOGETHER][SHA256_BYTES], outer_[TOGETHER][SHA256_BYTES], tail_[TOGETHER][TAIL];
    Number256 secret_[TOGETHER], digest_[TOGETHER], nonce_[TOGETHER];
    Residue256 inverse_[TOGETHER], work_[TOGETHER];
    Affine points_;
    bool usable_[TOGETHER];
};

void EcdsaSigning::run(Job *jobs, size_t n) const {
    for (size_t at = 0; at < n; at += TOGETHER) make_wiped<Round>(*this, jobs + at, std::min(TOGETHER, n - at))->run();
}

void P256Agreement::run(Job *jobs, size_t n) const {
    for (size_t at = 0; at < n; at += TOGETHER) run_some(jobs + at, std::min(TOGETHER, n - at));
}

void P256Agreement::run_some(Job *jobs, size_t n) const {
    struct Work {
        Number256 secret[TOGETHER];
        P256Point peer[TOGETHER];
        Affine results;
    };
    const auto work = make_wiped<Work>();
    auto &[secret, peer, results] = *work;
    bool base = true;
    for (size_t i = 0; i < n; i++) {
        secret[i] = number256_from_bytes(jobs[i].secret);
        jobs[i].usable = is_multiplier(secret[i]);
        if (!jobs[i].usable) secret[i] = {{1, 0, 0, 0}};
        base &= !jobs[i].peer;
        if (!jobs[i].peer || !decode(jobs[i].peer, jobs[i].peer_bytes, &peer[i])) {
            jobs[i].usable &= !jobs[i].peer;
            peer[i] = p256_base();
        }
    }
    if (base) points_.multiply_base(secret, n, results.jacobian);
    else points_.multiply(secret, peer, n, results.jacobian);
    results.convert(n);
    for (size_t i = 0; i < n; i++) encode(results.point[i], jobs[i].result);
}

}  // namespace cst
