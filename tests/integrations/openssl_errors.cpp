// openssl-errors: a table of calls that `default` refuses, made on it and on the provider that OPENSSL_CONF activates
// (`slower = yes`, `cmac = yes`): the provider refuses them too, with the same errors of OpenSSL's, or without one.
// Ends with 1 and all that differ.
#include <functional>

#include "openssl_jobs.hpp"

namespace {

int differences = 0;

struct One {
    EVP_CIPHER_CTX *context;
    const EVP_CIPHER *cipher;
    uint8_t bytes[256];
    uint8_t out[256];
    int written;

    int init(int seals, const uint8_t *key, const uint8_t *iv, const OSSL_PARAM *params = nullptr) {
        return EVP_CipherInit_ex2(context, nullptr, key, iv, seals, params);
    }
    int ready(int seals) { return init(seals, bytes, bytes + 64); }
    int update(const uint8_t *in, int n) { return EVP_CipherUpdate(context, out, &written, in, n); }
    int place(int n) { return EVP_CipherUpdate(context, out, &written, out, n); }
    int aad(int n) { return EVP_CipherUpdate(context, nullptr, &written, bytes, n); }
    int length(int n) { return EVP_CipherUpdate(context, nullptr, &written, nullptr, n); }
    int final() { return EVP_CipherFinal_ex(context, out, &written); }
    int whole(int n) { return EVP_Cipher(context, out, bytes, unsigned(n)); }
    int control(int command, int number, void *data) { return EVP_CIPHER_CTX_ctrl(context, command, number, data); }
    int octets(const char *name, void *data, size_t n) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, data, n), OSSL_PARAM_END};
        return EVP_CIPHER_CTX_set_params(context, params);
    }
    int number(const char *name, size_t value) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &value), OSSL_PARAM_END};
        return EVP_CIPHER_CTX_set_params(context, params);
    }
    int text(const char *name) {
        char value[] = "5";
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, value, 0), OSSL_PARAM_END};
        return EVP_CIPHER_CTX_set_params(context, params);
    }
    int get_octets(const char *name, size_t n) {
        OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, out, n), OSSL_PARAM_END};
        return EVP_CIPHER_CTX_get_params(context, params);
    }
    int get_text(const char *name) {
        char value[40] = "";
        OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, value, sizeof(value)), OSSL_PARAM_END};
        return EVP_CIPHER_CTX_get_params(context, params);
    }
    int head(int length) {
        uint8_t its[13] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, uint8_t(length >> 8), uint8_t(length)};
        return control(EVP_CTRL_AEAD_TLS1_AAD, 13, its);
    }
    int tag(int n, bool with_data = true) { return control(EVP_CTRL_AEAD_SET_TAG, n, with_data ? bytes : nullptr); }
};

typedef std::function<int(One &)> Call;

void compare(const std::string &what, int ours, const Errors &its, int wanted, const Errors &wants) {
    // The README lists what the provider alone refuses.
    if (wanted > 0 || (ours <= 0 && its.equal(wants))) return;
    differences++;
    if (ours > 0) fprintf(stderr, "%s: taken, default leaves %s\n", what.c_str(), wants.text().c_str());
    else fprintf(stderr, "%s: %s, not %s\n", what.c_str(), its.text().c_str(), wants.text().c_str());
}

// before: calls that succeed.
void refused(const char *name, const char *what, const Call &before, const Call &call) {
    const std::string all = std::string(name) + ", " + what;
    int results[2];
    Errors errors[2];
    for (int i = 0; i < 2; i++) {
        One its = {};
        for (size_t j = 0; j < sizeof(its.bytes); j++) its.bytes[j] = uint8_t(j);
        EVP_CIPHER *const cipher = EVP_CIPHER_fetch(nullptr, name, i ? "provider=default" : "provider=cryptostitch");
        must(cipher, all + ": is not there");
        its.cipher = cipher;
        its.context = EVP_CIPHER_CTX_new();
        must(EVP_CipherInit_ex2(its.context, cipher, nullptr, nullptr, 1, nullptr) > 0, all);
        must(before(its) > 0, all + ": before it");
        results[i] = call(its);
        errors[i] = Errors();
        EVP_CIPHER_CTX_free(its.context);
        EVP_CIPHER_free(cipher);
    }
    compare(all, results[0], errors[0], results[1], errors[1]);
}

int nothing(One &) { return 1; }
int sealing(One &c) { return c.ready(1); }
int opening(One &c) { return c.ready(0); }

constexpr const char *IV = OSSL_CIPHER_PARAM_IV, *UPDATED_IV = OSSL_CIPHER_PARAM_UPDATED_IV,
                     *IVLEN = OSSL_CIPHER_PARAM_IVLEN, *KEYLEN = OSSL_CIPHER_PARAM_KEYLEN,
                     *TAG = OSSL_CIPHER_PARAM_AEAD_TAG, *AAD = OSSL_CIPHER_PARAM_AEAD_TLS1_AAD,
                     *FIXED = OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED;

void each(const char *name) {
    const auto no_key = [](One &c) { return c.init(1, nullptr, c.bytes); };
    refused(name, "a text without a key", no_key, [](One &c) { return c.update(c.bytes, 32); });
    refused(name, "a whole text without a key", no_key, [](One &c) { return c.whole(32); });
    refused(name, "an end without a key", no_key, [](One &c) { return c.final(); });
    refused(
        name, "a text for opening without a key", [](One &c) { return c.init(0, nullptr, c.bytes); },
        [](One &c) { return c.update(c.bytes, 32); });
    refused(name, "a parameter of another type", sealing, [](One &c) { return c.text(KEYLEN); });
    refused(name, "a length of the IV of another type", sealing, [](One &c) { return c.text(IVLEN); });
    refused(name, "a key's length that it has not", nothing, [](One &c) { return c.number(KEYLEN, 5); });
    refused(name, "a key's length that it has not, by its function", nothing,
            [](One &c) { return EVP_CIPHER_CTX_set_key_length(c.context, 5); });
    refused(name, "a key's length at init", nothing, [](One &c) {
        size_t five = 5;
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(KEYLEN, &five), OSSL_PARAM_END};
        return c.init(1, c.bytes, c.bytes + 64, params);
    });
    for (const char *param : {IV, UPDATED_IV}) {
        refused(name, param, sealing, [=](One &c) { return c.get_octets(param, 3); });
        refused(name, "an IV of another type", sealing, [=](One &c) { return c.get_text(param); });
    }
    refused(name, "a key's length of another type", sealing, [](One &c) { return c.get_text(KEYLEN); });
    refused(name, "an IV's length of another type", sealing, [](One &c) { return c.get_text(IVLEN); });
}

void aead(const char *name, int wrong_tag) {
    const bool ccm = strstr(name, "CCM");
    for (const size_t n : {0, 1, 6, 14, 16, 17, 129, 200})
        refused(name, "a length of the IV", nothing, [=](One &c) { return ccm || n ? c.number(IVLEN, n) : 0; });
    refused(name, "no IV", nothing, [](One &c) { return c.number(IVLEN, 0); });
    refused(name, "a tag for sealing", sealing, [](One &c) { return c.tag(16); });
    refused(name, "a tag that is too long", opening, [=](One &c) { return c.octets(TAG, c.bytes, 17); });
    refused(name, "a tag of a wrong length", opening,
            [=](One &c) { return c.octets(TAG, c.bytes, size_t(wrong_tag)); });
    refused(name, "a tag of another type", opening, [](One &c) { return c.text(TAG); });
    refused(name, "a tag of nothing", opening, [](One &c) { return c.octets(TAG, c.bytes, 0); });
    const auto sealed = [=](One &c) { return c.ready(1) > 0 && c.update(c.bytes, 32) > 0 && (ccm || c.final() > 0); };
    const auto opened = [=](One &c) -> int {
        c.ready(1);
        c.update(c.bytes, 32);
        if (!ccm) c.final();
        uint8_t tag[16], text[32];
        memcpy(text, c.out, 32);
        if (c.control(EVP_CTRL_AEAD_GET_TAG, ccm ? 12 : 16, tag) <= 0) return 0;
        if (c.ready(0) <= 0 || c.control(EVP_CTRL_AEAD_SET_TAG, ccm ? 12 : 16, tag) <= 0) return 0;
        return c.update(text, 32) > 0 && (ccm || c.final() > 0);
    };
    refused(name, "the tag of nothing", sealing, [](One &c) { return c.get_octets(TAG, 12); });
    refused(name, "the tag of what was opened", opened, [](One &c) { return c.get_octets(TAG, 12); });
    refused(name, "a tag of no bytes", sealed, [](One &c) { return c.get_octets(TAG, 0); });
    refused(name, "a tag of many bytes", sealed, [](One &c) { return c.get_octets(TAG, 17); });
    refused(name, "a tag as a text", sealed, [](One &c) { return c.get_text(TAG); });
    refused(name, "a text behind the end", sealed,
            [=](One &c) { return ccm && c.get_octets(TAG, 12) <= 0 ? 1 : c.update(c.bytes, 32); });
    refused(name, "AAD behind the end", sealed,
            [=](One &c) { return ccm && c.get_octets(TAG, 12) <= 0 ? 1 : c.aad(16); });
    refused(name, "a second end", sealed, [=](One &c) { return c.final(); });
    refused(
        name, "AAD behind the text", [](One &c) { return c.ready(1) > 0 && c.update(c.bytes, 32) > 0; },
        [=](One &c) { return c.aad(16); });
    if (!ccm) {
        const auto with_wrong_tag = [](One &c) { return c.ready(0) > 0 && c.tag(16) > 0 && c.update(c.bytes, 32) > 0; };
        refused(name, "an end with a wrong tag", with_wrong_tag, [](One &c) { return c.final(); });
        refused(name, "an end with a wrong tag, as a whole", with_wrong_tag,
                [](One &c) { return EVP_Cipher(c.context, c.out, nullptr, 0) >= 0; });
        refused(
            name, "an end without a tag", [](One &c) { return c.ready(0) > 0 && c.update(c.bytes, 32) > 0; },
            [](One &c) { return c.final(); });
    } else {
        const auto with_tag = [](One &c) { return c.init(0, nullptr, nullptr) > 0 && c.tag(12) > 0 && c.ready(0) > 0; };
        refused(name, "a text with a wrong tag", with_tag, [](One &c) { return c.update(c.bytes, 32); });
        refused(name, "a whole text with a wrong tag", with_tag, [](One &c) { return c.whole(32) >= 0; });
        refused(name, "a text without a tag", opening, [](One &c) { return c.update(c.bytes, 32); });
        refused(name, "AAD without a length", sealing, [](One &c) { return c.aad(16); });
        refused(
            name, "a text of another length", [](One &c) { return c.ready(1) > 0 && c.length(16) > 0; },
            [](One &c) { return c.update(c.bytes, 32); });
    }
    const auto no_iv = [](One &c) { return c.init(0, c.bytes, nullptr); };
    refused(name, "a text without an IV", no_iv, [](One &c) { return c.update(c.bytes, 32); });
    refused(name, "an end without an IV", no_iv, [](One &c) { return c.tag(12), c.final(); });
    // records of TLS
    for (const size_t n : {12, 14}) refused(name, "a head", sealing, [=](One &c) { return c.octets(AAD, c.bytes, n); });
    refused(name, "a head of another type", sealing, [](One &c) { return c.text(AAD); });
    refused(name, "a head without room for the explicit IV", sealing,
            [=](One &c) { return strstr(name, "ChaCha") ? 0 : c.head(7); });
    refused(name, "a head without room for the tag", opening, [](One &c) { return c.head(15); });
    refused(name, "a fixed IV of another type", sealing, [](One &c) { return c.text(FIXED); });
    for (const size_t n : {1, 3, 5})  // default writes beyond the IV from 13 on
        refused(name, "a fixed IV", sealing, [=](One &c) { return c.octets(FIXED, c.bytes, n); });
    const auto fixed = [=](One &c) {
        const int n = strstr(name, "ChaCha") ? 12 : 4;
        if (ccm && (c.init(1, nullptr, nullptr) <= 0 || c.number(IVLEN, 12) <= 0 || c.tag(16, false) <= 0)) return 0;
        return int(c.ready(1) > 0 && c.octets(FIXED, c.bytes, size_t(n)) > 0 && c.head(40) > 0);
    };
    refused(name, "a record that is not in place", fixed, [=](One &c) { return c.update(c.bytes, 39); });
    refused(name, "a short record", fixed, [](One &c) { return c.place(15); });
    refused(
        name, "an end of records", [=](One &c) { return fixed(c) > 0 && c.place(56) > 0 && c.head(40) > 0; },
        [](One &c) { return c.final(); });
    if (!strstr(name, "GCM")) return;
    refused(
        name, "a record without a fixed IV", [](One &c) { return c.ready(1) > 0 && c.head(40) > 0; },
        [](One &c) { return c.place(56); });
    refused(name, "the next IV where none was fixed", sealing,
            [](One &c) { return c.get_octets(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, 8); });
    refused(name, "an explicit IV where none was fixed", opening,
            [](One &c) { return c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, c.bytes, 8); });
    refused(
        name, "an explicit IV for sealing", [](One &c) { return c.ready(1) > 0 && c.octets(FIXED, c.bytes, 4) > 0; },
        [](One &c) { return c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, c.bytes, 8); });
    refused(
        name, "the IV where there is none", [](One &c) { return c.init(1, c.bytes, nullptr); },
        [](One &c) { return c.get_octets(IV, 12); });
    refused(
        name, "a message with a short IV that nobody set",
        [](One &c) { return c.init(1, c.bytes, nullptr) > 0 && c.number(IVLEN, 8) > 0; },
        [](One &c) { return c.update(c.bytes, 16); });
}

void cbc(const char *name) {
    const auto part = [](One &c) { return c.ready(0) > 0 && c.update(c.bytes, 20) > 0; };
    refused(name, "an end within a block", part, [](One &c) { return c.final(); });
    refused(name, "an end without a text", opening, [](One &c) { return c.final(); });
    refused(
        name, "an end with wrong padding", [](One &c) { return c.ready(0) > 0 && c.update(c.bytes, 32) > 0; },
        [](One &c) { return c.final(); });
    for (const int seals : {0, 1})
        refused(
            name, "an end within a block, without padding",
            [=](One &c) {
                return c.ready(seals) > 0 && EVP_CIPHER_CTX_set_padding(c.context, 0) > 0 && c.update(c.bytes, 20) > 0;
            },
            [](One &c) { return c.final(); });
    refused(name, "a place behind the block", sealing, [](One &c) { return c.number(OSSL_CIPHER_PARAM_NUM, 16); });
    for (const char *param : {OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM, OSSL_CIPHER_PARAM_USE_BITS,
                              OSSL_CIPHER_PARAM_TLS_VERSION, OSSL_CIPHER_PARAM_TLS_MAC_SIZE})
        refused(name, param, sealing, [=](One &c) { return c.text(param); });
    for (const char *param : {OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM})
        refused(name, param, sealing, [=](One &c) { return c.get_text(param); });
    for (const int seals : {0, 1}) {
        const auto records = [=](One &c) {
            return c.ready(seals) > 0 && c.number(OSSL_CIPHER_PARAM_TLS_VERSION, 0x0303) > 0;
        };
        refused(name, "a record that is not in place", records, [](One &c) { return c.update(c.bytes, 64); });
        refused(name, "an end of records", records, [](One &c) { return c.final(); });
        if (seals) continue;
        refused(name, "a record of parts of blocks", records, [](One &c) { return c.place(63); });
        refused(name, "an explicit IV alone", records, [](One &c) { return c.place(16); });
    }
}

void xts(const char *name) {
    refused(name, "equal halves", nothing, [](One &c) {
        const uint8_t zeros[64] = {};
        return c.init(1, zeros, c.bytes);
    });
    refused(name, "a text shorter than a block", sealing, [](One &c) { return c.update(c.bytes, 15); });
    refused(name, "a whole text shorter than a block", sealing, [](One &c) { return c.whole(15); });
    refused(
        name, "a text without an IV", [](One &c) { return c.init(1, c.bytes, nullptr); },
        [](One &c) { return c.update(c.bytes, 32); });
    refused(name, "too long a text", sealing, [](One &c) {
        Octets text((1 << 24) + 16), out(text.size());
        return EVP_CipherUpdate(c.context, out.data(), &c.written, text.data(), int(text.size()));
    });
}

void tls(const char *name) {
    const bool sha1 = strstr(name, "SHA1");
    const auto with_keys = [](int seals, One &c) {
        return c.ready(seals) > 0 && c.octets(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, c.bytes, 20) > 0;
    };
    const auto seals = [=](One &c) { return with_keys(1, c); };
    refused(name, "half a block", seals, [](One &c) { return c.update(c.bytes, 17); });
    refused(name, "a MAC key of another type", sealing, [](One &c) { return c.text(OSSL_CIPHER_PARAM_AEAD_MAC_KEY); });
    refused(name, "a version of another type", sealing, [](One &c) { return c.text(OSSL_CIPHER_PARAM_TLS_VERSION); });
    for (const size_t n : {12, 14}) refused(name, "a head", seals, [=](One &c) { return c.octets(AAD, c.bytes, n); });
    refused(name, "a head of another type", seals, [](One &c) { return c.text(AAD); });
    refused(name, "a record shorter than its IV", seals, [](One &c) { return c.head(15); });
    refused(
        name, "a record of another length", [=](One &c) { return seals(c) > 0 && c.head(100) > 0; },
        [](One &c) { return c.place(96); });
    refused(
        name, "a record that is wrong", [=](One &c) { return with_keys(0, c) > 0 && c.head(96) > 0; },
        [](One &c) { return c.place(96); });
    if (!sha1) return;
    const auto announced = [](One &c, unsigned records, size_t bytes) {
        uint8_t head[13] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 0};
        EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM param = {nullptr, head, bytes, records};
        return c.control(EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof(param), &param);
    };
    refused(
        name, "multiblock for opening", [=](One &c) { return with_keys(0, c); },
        [=](One &c) { return announced(c, 4, 8192); });
}

void cmac() {
    const auto refused = [](const char *what, bool key_first, const std::function<int(EVP_MAC_CTX *)> &call) {
        int results[2];
        Errors errors[2];
        for (int i = 0; i < 2; i++) {
            EVP_MAC *const mac = EVP_MAC_fetch(nullptr, "CMAC", i ? "provider=default" : "provider=cryptostitch");
            must(mac, "CMAC is not there");
            EVP_MAC_CTX *const c = EVP_MAC_CTX_new(mac);
            char name[] = "AES-128-CBC";
            const uint8_t key[16] = {1};
            const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("cipher", name, 0), OSSL_PARAM_END};
            if (key_first) must(EVP_MAC_init(c, key, 16, params) > 0, "CMAC: init");
            results[i] = call(c);
            errors[i] = Errors();
            EVP_MAC_CTX_free(c);
            EVP_MAC_free(mac);
        }
        compare(std::string("CMAC, ") + what, results[0], errors[0], results[1], errors[1]);
    };
    static const uint8_t bytes[32] = {1};
    const auto init = [](EVP_MAC_CTX *c, const char *cipher, size_t n) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("cipher", const_cast<char *>(cipher), 0),
                                     OSSL_PARAM_END};
        return EVP_MAC_init(c, bytes, n, params);
    };
    refused("no cipher", false, [](EVP_MAC_CTX *c) { return EVP_MAC_init(c, bytes, 16, nullptr); });
    refused("no key", false, [](EVP_MAC_CTX *c) { return EVP_MAC_init(c, nullptr, 0, nullptr); });
    refused("a message without a key", false, [](EVP_MAC_CTX *c) { return EVP_MAC_update(c, bytes, 16); });
    refused("an end without a key", false, [](EVP_MAC_CTX *c) {
        uint8_t out[16];
        size_t n;
        return EVP_MAC_final(c, out, &n, 16);
    });
    for (const size_t n : {0, 15, 17, 24, 32})
        refused("a key of another length", false, [=](EVP_MAC_CTX *c) { return init(c, "AES-128-CBC", n); });
    refused("a short output", true, [](EVP_MAC_CTX *c) {
        uint8_t out[16];
        size_t n;
        return EVP_MAC_final(c, out, &n, 15);
    });
}

int work(int, char **) {
    for (const char *name : {"AES-128-GCM", "AES-256-GCM"}) aead(name, 0);
    for (const char *name : {"AES-128-CCM", "AES-256-CCM"}) aead(name, 5);
    aead("ChaCha20-Poly1305", 0);
    for (const char *name : {"AES-128-CBC", "AES-256-CBC"}) cbc(name);
    for (const char *name : {"AES-128-XTS", "AES-256-XTS"}) xts(name);
    for (const char *name : {"AES-128-CBC-HMAC-SHA1", "AES-256-CBC-HMAC-SHA256"}) tls(name);
    for (const char *name : {"AES-128-GCM", "AES-128-CCM", "ChaCha20-Poly1305", "AES-128-CBC", "AES-192-CTR",
                             "AES-128-XTS", "AES-128-CBC-HMAC-SHA1", "AES-256-CBC-HMAC-SHA256"})
        each(name);
    cmac();
    if (differences) return 1;
    printf("all the same on %s\n", OpenSSL_version(OPENSSL_VERSION_STRING));
    return 0;
}

}  // namespace

int main(int argc, char **argv) { return Program::run(work, argc, argv); }
