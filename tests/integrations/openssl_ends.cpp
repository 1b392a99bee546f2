// openssl-ends: AEADs of the provider that OPENSSL_CONF activates, opening with a tag that is wrong or none at all: no
// order of calls may end well. Tries all sequences of some calls, then right messages without a text.
#include <openssl/err.h>

#include "openssl_jobs.hpp"

namespace {

enum Call { KEY, IV, TAG, TAG_LENGTH, AAD, NO_TEXT, TEXT, LENGTH, COPY, SEALS, FINAL, CALLS };
constexpr const char *NAMES[] = {"key",  "IV",     "tag",  "the tag's length", "AAD",  "no text",
                                 "text", "length", "copy", "sealed a message", "final"};
constexpr Call ALL_SET[] = {KEY, IV, TAG};
constexpr size_t DEPTH = 4;

class Aead {
public:
    explicit Aead(const std::string &name)
        : name_(name), cipher_(EVP_CIPHER_fetch(nullptr, name.c_str(), "provider=cryptostitch")) {
        must(cipher_, name_ + " is not there");
        for (size_t i = 0; i < sizeof(bytes_); i++) bytes_[i] = uint8_t(i * 5 + 3);
    }
    ~Aead() {
        EVP_CIPHER_CTX_free(context_);
        EVP_CIPHER_free(cipher_);
    }
    Aead(const Aead &) = delete;
    Aead &operator=(const Aead &) = delete;

    bool is(const char *part) const { return name_.find(part) != std::string::npos; }
    void begin(bool seals) {
        EVP_CIPHER_CTX_free(context_);
        context_ = EVP_CIPHER_CTX_new();
        must(EVP_CipherInit_ex2(context_, cipher_, nullptr, nullptr, seals, nullptr) > 0, name_ + ": no context");
        if (is("ETM")) set(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, bytes_, 20);
    }
    // Whether it was taken.
    bool call(Call what) {
        uint8_t in[32], out[64];
        memcpy(in, bytes_, sizeof(in));
        int written = 0;
        switch (what) {
            case KEY: return init(-1, bytes_, nullptr);
            case IV: return init(-1, nullptr, bytes_ + 40);
            case TAG: return set(OSSL_CIPHER_PARAM_AEAD_TAG, bytes_ + 60, tag_bytes());
            case TAG_LENGTH: return set(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 12);
            case AAD: return EVP_CipherUpdate(context_, nullptr, &written, in, 13) > 0;
            case NO_TEXT: return EVP_CipherUpdate(context_, out, &written, in, 0) > 0;
            case TEXT: return EVP_CipherUpdate(context_, out, &written, in, 32) > 0;
            case LENGTH: return EVP_CipherUpdate(context_, nullptr, &written, nullptr, 0) > 0;
            case COPY: {
                EVP_CIPHER_CTX *const made = EVP_CIPHER_CTX_new();
                must(EVP_CIPHER_CTX_copy(made, context_) > 0, name_ + ": no copy");
                EVP_CIPHER_CTX_free(context_);
                context_ = made;
                return true;
            }
            case SEALS: {
                const bool sealed = init(1, bytes_, bytes_ + 45) &&
                                    EVP_CipherUpdate(context_, out, &written, in, 32) > 0 &&
                                    EVP_CipherFinal_ex(context_, out, &written) > 0;
                init(0, nullptr, nullptr);
                return sealed;
            }
            // Either is the end of a message.
            case FINAL: {
                const bool once = EVP_CipherFinal_ex(context_, out, &written) > 0;
                return (!is("ETM") && EVP_Cipher(context_, out, nullptr, 0) >= 0) || once;
            }
            default: return false;
        }
    }
    bool set(const char *name, const void *data, size_t bytes) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, const_cast<void *>(data), bytes),
                                     OSSL_PARAM_END};
        return EVP_CIPHER_CTX_set_params(context_, params) > 0;
    }
    Octets tag() {
        Octets made(tag_bytes());
        OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, made.data(), made.size()),
                               OSSL_PARAM_END};
        must(EVP_CIPHER_CTX_get_params(context_, params) > 0, name_ + ": no tag");
        return made;
    }
    const std::string &name() const { return name_; }
    EVP_CIPHER_CTX *context() { return context_; }

private:
    bool init(int seals, const uint8_t *key, const uint8_t *iv) {
        return EVP_CipherInit_ex2(context_, nullptr, key, iv, seals, nullptr) > 0;
    }
    size_t tag_bytes() const { return is("CCM") ? 12 : 16; }

    const std::string name_;
    EVP_CIPHER *const cipher_;
    EVP_CIPHER_CTX *context_ = nullptr;
    uint8_t bytes_[128];
};

// All sequences of DEPTH calls.
void never_opens(Aead &aead, bool all_set) {
    size_t sequences = 1;
    for (size_t i = 0; i < DEPTH; i++) sequences *= CALLS;
    for (size_t sequence = 0; sequence < sequences; sequence++) {
        std::string said;
        const auto make = [&](Call call) {
            said += std::string(", ") + NAMES[call];
            const bool done = aead.call(call);
            if (!done) ERR_clear_error();
            must(call != FINAL || !done, aead.name() + " opens" + said);
        };
        aead.begin(false);
        if (all_set)
            for (const Call call : ALL_SET) make(call);
        for (size_t i = 0, rest = sequence; i < DEPTH; i++, rest /= CALLS) make(Call(rest % CALLS));
        make(FINAL);
    }
}

// A message without a text opens with its tag.
void opens_nothing(Aead &aead) {
    int written;
    uint8_t out[64];
    aead.begin(true);
    must(aead.call(KEY) && aead.call(IV), aead.name() + ": key and IV");
    if (aead.is("CCM")) aead.call(LENGTH);
    must(aead.call(AAD) && EVP_CipherFinal_ex(aead.context(), out, &written) > 0, aead.name() + ": not sealed");
    const Octets tag = aead.tag();
    aead.begin(false);
    must(aead.call(KEY) && aead.call(IV), aead.name() + ": key and IV");
    if (aead.is("CCM")) aead.call(LENGTH);
    must(aead.set(OSSL_CIPHER_PARAM_AEAD_TAG, tag.data(), tag.size()) && aead.call(AAD), aead.name() + ": a tag");
    must(EVP_CipherFinal_ex(aead.context(), out, &written) > 0, aead.name() + ": a message without a text is refused");
}

int work(int, char **) {
    for (const char *name : {"AES-128-GCM", "AES-256-CCM", "ChaCha20-Poly1305", "AES-128-CBC-HMAC-SHA256-ETM"}) {
        Aead aead(name);
        for (const bool all_set : {false, true}) never_opens(aead, all_set);
        if (!aead.is("ETM")) opens_nothing(aead);
    }
    // A record that was announced, and does not come.
    uint8_t head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 64}, out[64] = {};
    int written;
    Aead records("AES-128-CBC-HMAC-SHA1");
    records.begin(false);
    must(records.call(KEY) && records.call(IV) && records.set(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, out, 20) &&
             records.set(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, sizeof(head)),
         "no record");
    must_fail(EVP_CipherFinal_ex(records.context(), out, &written) <= 0, "the end of a record that did not come");
    puts("none opens");
    return 0;
}

}  // namespace

int main(int argc, char **argv) { return Program::run(work, argc, argv); }
