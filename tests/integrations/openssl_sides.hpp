// The same calls of EVP on the provider and on `default`, in one process: every answer and every byte must agree.
#pragma once

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "openssl_queue.hpp"

typedef std::vector<uint8_t> Octets;

class Random {
public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    size_t below(size_t n) { return n ? size_t(engine_() % n) : 0; }
    bool once_in(size_t n) { return !below(n); }
    Octets octets(size_t n) {
        Octets made(n);
        for (uint8_t &octet : made) octet = uint8_t(engine_());
        return made;
    }
    // Short ones, long ones, and those about blocks.
    size_t length(size_t most) {
        switch (below(4)) {
            case 0: return below(40);
            case 1: return 16 * below(most / 16 + 1);
            case 2: return below(600) % (most + 1);
            default: return below(most + 1);
        }
    }

private:
    std::mt19937_64 engine_;
};

// Two contexts of one cipher, the provider's and default's.
class Sides {
public:
    explicit Sides(const char *name) : name_(name) {
        const char *const query[] = {"provider=cryptostitch", "provider=default"};
        for (int i = 0; i < 2; i++) {
            cipher_[i] = EVP_CIPHER_fetch(nullptr, name, query[i]);
            must(cipher_[i], name_ + " is not there: " + query[i]);
            context_[i] = EVP_CIPHER_CTX_new();
        }
    }
    ~Sides() {
        for (int i = 0; i < 2; i++) {
            EVP_CIPHER_CTX_free(context_[i]);
            EVP_CIPHER_free(cipher_[i]);
        }
    }
    Sides(const Sides &) = delete;
    Sides &operator=(const Sides &) = delete;

    // Swaps them, for what the one has sealed to be opened by the other.
    void swap() {
        std::swap(cipher_[0], cipher_[1]);
        std::swap(context_[0], context_[1]);
    }
    EVP_CIPHER_CTX *context(int side) { return context_[side]; }
    const EVP_CIPHER *cipher(int side) { return cipher_[side]; }

    // Calls that must give the same; returns what they gave.
    template <typename Call>
    int both(const char *what, Call call) {
        return same(what, [&](int i) { return call(context_[i], cipher_[i]); });
    }
    // By number of the side. Where both refuse, the errors are the same.
    template <typename Call>
    int same(const std::string &what, Call call) {
        const int a = call(0);
        if (a > 0) must(true, name_ + ": " + what);
        const Errors ours;
        const int b = call(1);
        const Errors wanted;
        must((a > 0) == (b > 0), name_ + ": " + what + " is " + std::to_string(a) + ", not " + std::to_string(b));
        must(a > 0 || ours.equal(wanted), name_ + ": " + what + " leaves " + ours.text() + ", not " + wanted.text());
        return a > 0;
    }
    int init(bool seals, const uint8_t *key, const uint8_t *iv, bool with_cipher = true) {
        return both("init", [&](EVP_CIPHER_CTX *c, const EVP_CIPHER *cipher) {
            return EVP_CipherInit_ex2(c, with_cipher ? cipher : nullptr, key, iv, seals, nullptr);
        });
    }
    int control(int command, int number, void *data) {
        return both("ctrl", [&](EVP_CIPHER_CTX *c, const EVP_CIPHER *) {
            return EVP_CIPHER_CTX_ctrl(c, command, number, data);
        });
    }
    // In both from the same input; `expected` bytes are compared, and nothing else may change.
    int update(const uint8_t *in, size_t bytes, Octets *out, bool in_place, bool compares = true) {
        constexpr size_t MORE = 64;
        Octets buffers[2];
        int written[2] = {0, 0};
        const int done = same("update of " + std::to_string(bytes), [&](int i) {
            Octets &buffer = buffers[i];
            buffer.assign(bytes + MORE, 0xa5);
            if (in_place && bytes) memcpy(buffer.data(), in, bytes);
            return EVP_CipherUpdate(context_[i], buffer.data(), &written[i], in_place ? buffer.data() : in, int(bytes));
        });
        // what was held back before may come too
        const size_t end = std::max(bytes, done ? size_t(written[0]) : 0);
        for (size_t i = end; i < bytes + MORE; i++) must(buffers[0][i] == 0xa5, name_ + ": writes behind its output");
        if (!done) return 0;
        must(written[0] == written[1],
             name_ + ": update gave " + std::to_string(written[0]) + " bytes, not " + std::to_string(written[1]));
        must(!compares || buffers[0] == buffers[1], name_ + ": other output of " + std::to_string(bytes) + " bytes");
        if (out) out->insert(out->end(), buffers[0].begin(), buffers[0].begin() + written[0]);
        return 1;
    }
    int aad(const uint8_t *data, size_t bytes) {
        return both("aad", [&](EVP_CIPHER_CTX *c, const EVP_CIPHER *) {
            int written = -1;
            const int result = EVP_CipherUpdate(c, nullptr, &written, data, int(bytes));
            if (result > 0) must(written == int(bytes), name_ + ": AAD's length");
            return result;
        });
    }
    // What the end gives is added to `out`; NULL: it must be nothing.
    int final(Octets *out = nullptr) {
        Octets rests[2];
        size_t side = 0;
        const int result = both("final", [&](EVP_CIPHER_CTX *c, const EVP_CIPHER *) {
            uint8_t rest[32];
            int written = -1;
            const int ended = EVP_CipherFinal_ex(c, rest, &written);
            if (ended > 0) must(out || !written, name_ + ": final wrote");
            if (ended > 0) rests[side].assign(rest, rest + written);
            side++;
            return ended;
        });
        must(rests[0] == rests[1], name_ + ": another end");
        if (out) out->insert(out->end(), rests[0].begin(), rests[0].end());
        return result;
    }
    int number(const char *parameter, unsigned value) {
        return both(parameter, [&](EVP_CIPHER_CTX *c, const EVP_CIPHER *) {
            const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(parameter, &value), OSSL_PARAM_END};
            return EVP_CIPHER_CTX_set_params(c, params);
        });
    }
    // The tag of both, compared.
    Octets tag(size_t bytes) {
        uint8_t tags[2][16] = {};
        for (int i = 0; i < 2; i++)
            must(EVP_CIPHER_CTX_ctrl(context_[i], EVP_CTRL_AEAD_GET_TAG, int(bytes), tags[i]) > 0, name_ + ": no tag");
        must(!memcmp(tags[0], tags[1], bytes), name_ + ": another tag");
        return Octets(tags[0], tags[0] + bytes);
    }
    // Both go on as copies of themselves.
    void duplicate() {
        duplicate(0);
        duplicate(1);
    }
    void duplicate(int side) {
        EVP_CIPHER_CTX *const made = EVP_CIPHER_CTX_new();
        must(EVP_CIPHER_CTX_copy(made, context_[side]) > 0, name_ + ": no copy");
        EVP_CIPHER_CTX_free(context_[side]);
        context_[side] = made;
    }
    // Both begin anew.
    void reset() {
        for (EVP_CIPHER_CTX *context : context_) must(EVP_CIPHER_CTX_reset(context) > 0, name_ + ": no reset");
    }
    // Octets that both tell, of a parameter.
    void same_octets(const char *parameter, size_t bytes) {
        uint8_t told[2][128] = {};
        for (int i = 0; i < 2; i++) {
            OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(parameter, told[i], bytes), OSSL_PARAM_END};
            const bool got = EVP_CIPHER_CTX_get_params(context_[i], params) > 0;
            if (i == 1) ERR_clear_error();  // default of 3.5 succeeds, and leaves one
            must(got, name_ + ": no " + parameter);
            must(params[0].return_size == bytes, name_ + ": length of " + parameter);
        }
        must(!memcmp(told[0], told[1], bytes), name_ + ": another " + parameter);
    }
    void same_numbers() {
        must(EVP_CIPHER_get_key_length(cipher_[0]) == EVP_CIPHER_get_key_length(cipher_[1]), name_ + ": key length");
        must(EVP_CIPHER_get_iv_length(cipher_[0]) == EVP_CIPHER_get_iv_length(cipher_[1]), name_ + ": IV length");
        must(EVP_CIPHER_get_block_size(cipher_[0]) == EVP_CIPHER_get_block_size(cipher_[1]), name_ + ": block size");
        must(EVP_CIPHER_get_flags(cipher_[0]) == EVP_CIPHER_get_flags(cipher_[1]), name_ + ": flags");
        must(EVP_CIPHER_get_mode(cipher_[0]) == EVP_CIPHER_get_mode(cipher_[1]), name_ + ": mode");
        must(EVP_CIPHER_get_nid(cipher_[0]) == EVP_CIPHER_get_nid(cipher_[1]), name_ + ": NID");
    }
    const std::string &name() const { return name_; }
    size_t key_bytes() const { return size_t(EVP_CIPHER_get_key_length(cipher_[0])); }

private:
    const std::string name_;
    EVP_CIPHER *cipher_[2];
    EVP_CIPHER_CTX *context_[2];
};
