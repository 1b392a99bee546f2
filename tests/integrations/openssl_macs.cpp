// openssl-macs NAME SEED MESSAGES: what is no cipher, or has no equal in `default`. CMAC is compared with default's;
// AES-B-CBC-HMAC-H-ETM with default's CBC and HMAC. Ends with 1 and a sentence at the first difference.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "openssl_jobs.hpp"

namespace {

constexpr const char *QUERY[] = {"provider=cryptostitch", "provider=default"};

void cmac(Random &random) {
    static EVP_MAC *const macs[] = {EVP_MAC_fetch(nullptr, "CMAC", QUERY[0]), EVP_MAC_fetch(nullptr, "CMAC", QUERY[1])};
    constexpr const char *NAMES[3][3] = {{"AES-128-CBC", "aes-128-cbc", "AES128"},
                                         {"AES-192-CBC", "aes-192-cbc", "AES192"},
                                         {"AES-256-CBC", "aes-256-cbc", "AES256"}};
    const size_t size = random.below(3);
    const Octets key = random.octets(16 + 8 * size);
    char name[16];
    strcpy(name, NAMES[size][random.below(3)]);
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("cipher", name, 0), OSSL_PARAM_END};
    EVP_MAC_CTX *contexts[2];
    for (int i = 0; i < 2; i++) {
        must(macs[i], std::string("CMAC is not there: ") + QUERY[i]);
        contexts[i] = EVP_MAC_CTX_new(macs[i]);
        must(EVP_MAC_init(contexts[i], key.data(), key.size(), params) > 0, "CMAC: init");
        must(EVP_MAC_CTX_get_mac_size(contexts[i]) == 16, "CMAC: size");
        must(EVP_MAC_CTX_get_block_size(contexts[i]) == 16, "CMAC: block size");
    }
    for (int message = 0; message < 3; message++) {
        const Octets text = random.octets(random.length(9000));
        uint8_t tags[2][16];
        for (size_t at = 0, n; at < text.size(); at += n) {
            n = std::min(text.size() - at, random.length(random.once_in(2) ? 70 : text.size()));
            for (EVP_MAC_CTX *&context : contexts) {
                must(EVP_MAC_update(context, text.data() + at, n) > 0, "CMAC: update");
                if (!random.once_in(6)) continue;
                EVP_MAC_CTX *const copy = EVP_MAC_CTX_dup(context);
                must(copy, "CMAC: no copy");
                EVP_MAC_CTX_free(context);
                context = copy;
            }
        }
        for (int i = 0; i < 2; i++) {
            size_t written = 0;
            must(EVP_MAC_final(contexts[i], tags[i], &written, 16) > 0 && written == 16, "CMAC: final");
            must(EVP_MAC_init(contexts[i], nullptr, 0, nullptr) > 0, "CMAC: init without a key");
        }
        must(!memcmp(tags[0], tags[1], 16), "CMAC: another tag of " + std::to_string(text.size()) + " bytes");
    }
    // A change of key that fails leaves none.
    for (EVP_MAC_CTX *context : contexts) {
        uint8_t unused[16];
        size_t written = 0;
        must_fail(EVP_MAC_init(context, key.data(), key.size() - 1, nullptr) <= 0, "CMAC: a short key");
        must_fail(EVP_MAC_update(context, key.data(), 1) <= 0, "CMAC: update goes on under the key before");
        must_fail(EVP_MAC_final(context, unused, &written, 16) <= 0, "CMAC: final goes on under the key before");
        EVP_MAC_CTX_free(context);
    }
}

// What OpenSSL's documentation of 3.6 says: set the MAC key, then update; the tag is a parameter.
class Etm {
public:
    explicit Etm(const std::string &name)
        : name_(name),
          cipher_(EVP_CIPHER_fetch(nullptr, name.c_str(), QUERY[0])),
          cbc_(EVP_CIPHER_fetch(nullptr, name.substr(0, name.find("-HMAC")).c_str(), QUERY[1])),
          digest_(EVP_get_digestbyname(name.find("SHA512") != std::string::npos   ? "SHA512"
                                       : name.find("SHA256") != std::string::npos ? "SHA256"
                                                                                  : "SHA1")) {
        must(cipher_ && cbc_ && digest_, name + " is not there");
        int etm = 0;
        OSSL_PARAM params[] = {OSSL_PARAM_construct_int("encrypt-then-mac", &etm), OSSL_PARAM_END};
        must(EVP_CIPHER_get_params(cipher_, params) > 0 && etm == 1, name + ": encrypt-then-mac");
        must(EVP_CIPHER_get_mode(cipher_) == EVP_CIPH_CBC_MODE && EVP_CIPHER_get_block_size(cipher_) == 16 &&
                 EVP_CIPHER_get_iv_length(cipher_) == 16 &&
                 EVP_CIPHER_get_key_length(cipher_) == EVP_CIPHER_get_key_length(cbc_),
             name + ": numbers");
    }
    ~Etm() {
        EVP_CIPHER_free(cipher_);
        EVP_CIPHER_free(cbc_);
    }
    Etm(const Etm &) = delete;
    Etm &operator=(const Etm &) = delete;

    void message(Random &random) {
        const Octets key = random.octets(size_t(EVP_CIPHER_get_key_length(cipher_))), iv = random.octets(16),
                     text = random.octets(16 * (1 + random.length(600)));
        Octets mac_key = random.octets(1 + random.below(128));
        context_ = EVP_CIPHER_CTX_new();
        begin(random, true, key, mac_key, iv);
        const size_t n = text.size(), digest = size_t(EVP_MD_get_size(digest_));
        const bool in_place = random.once_in(2);
        Octets out = in_place ? text : Octets(n), wanted(n + 16), tag(12 + random.below(digest - 11)), hash(digest);
        out.resize(n + 16, 0xa5);
        int written = 0;
        must(EVP_CipherUpdate(context_, out.data(), &written, in_place ? out.data() : text.data(), int(n)) > 0 &&
                 written == int(n),
             name_ + ": update");
        must(EVP_CipherFinal_ex(context_, nullptr, &written) > 0 && !written, name_ + ": final");
        EVP_CIPHER_CTX *const cbc = EVP_CIPHER_CTX_new();
        must(EVP_EncryptInit_ex2(cbc, cbc_, key.data(), iv.data(), nullptr) > 0, "init");
        must(EVP_EncryptUpdate(cbc, wanted.data(), &written, text.data(), int(n)) > 0, "update");
        EVP_CIPHER_CTX_free(cbc);
        for (size_t i = 0; i < 16; i++) wanted[n + i] = 0xa5;
        must(out == wanted, name_ + ": another ciphertext");
        must(HMAC(digest_, mac_key.data(), int(mac_key.size()), out.data(), n, hash.data(), nullptr), "HMAC");
        OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("tag", tag.data(), tag.size()), OSSL_PARAM_END};
        must(EVP_CIPHER_CTX_get_params(context_, params) > 0, name_ + ": no tag");
        must(!memcmp(tag.data(), hash.data(), tag.size()), name_ + ": another tag");
        for (const bool damaged : {false, true}) {
            begin(random, false, key, mac_key, iv);
            Octets given = tag, opened(out);
            if (damaged && random.once_in(2)) given[random.below(given.size())] ^= 1;
            else if (damaged) opened[random.below(n)] ^= uint8_t(1 << random.below(8));
            must(set(OSSL_CIPHER_PARAM_AEAD_TAG, &given), name_ + ": expected tag");
            const int done = EVP_CipherUpdate(context_, opened.data(), &written, opened.data(), int(n));
            if (done <= 0) ERR_clear_error();
            must((done > 0) == !damaged, name_ + ": a damaged message");
            if (!damaged) must(!memcmp(opened.data(), text.data(), n), name_ + ": opened to another text");
        }
        EVP_CIPHER_CTX_free(context_);
    }

private:
    bool set(const char *parameter, Octets *octets) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(parameter, octets->data(), octets->size()),
                                     OSSL_PARAM_END};
        return EVP_CIPHER_CTX_set_params(context_, params) > 0;
    }
    void begin(Random &random, bool seals, const Octets &key, Octets &mac_key, const Octets &iv) {
        const bool first = random.once_in(2);
        const uint8_t *const now = first ? nullptr : key.data();
        must(EVP_CipherInit_ex2(context_, cipher_, now, iv.data(), seals, nullptr) > 0, "init");
        Octets empty;
        must_fail(!set(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, &empty), name_ + ": an empty MAC key");
        must(set(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, &mac_key), name_ + ": MAC key");
        if (first)
            must(EVP_CipherInit_ex2(context_, nullptr, key.data(), nullptr, seals, nullptr) > 0, name_ + ": key");
        if (!random.once_in(3)) return;
        EVP_CIPHER_CTX *const copy = EVP_CIPHER_CTX_new();
        must(EVP_CIPHER_CTX_copy(copy, context_) > 0, name_ + ": no copy");
        EVP_CIPHER_CTX_free(context_);
        context_ = copy;
    }

    const std::string name_;
    EVP_CIPHER *const cipher_, *const cbc_;
    const EVP_MD *const digest_;
    EVP_CIPHER_CTX *context_ = nullptr;
};

int work(int argc, char **argv) {
    if (argc < 4) fail("openssl-macs NAME SEED MESSAGES");
    const std::string name = argv[1];
    const long messages = atol(argv[3]);
    Etm *const etm = name == "CMAC" ? nullptr : new Etm(name);
    for (long i = 0; i < messages; i++) {
        Random random(uint64_t(atoll(argv[2])) * 1000003 + uint64_t(i));
        if (etm) etm->message(random);
        else cmac(random);
    }
    delete etm;
    printf("%ld messages\n", messages);
    return 0;
}

}  // namespace

int main(int argc, char **argv) { return Program::run(work, argc, argv); }
