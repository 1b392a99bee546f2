// openssl-refusals: what the provider that OPENSSL_CONF activates must refuse, and that nothing is written then.
#include <climits>

#include "openssl_jobs.hpp"

namespace {

// A context of the provider's, or of `default`'s.
class Alone {
public:
    explicit Alone(const char *name, const char *side = "provider=cryptostitch")
        : cipher_(EVP_CIPHER_fetch(nullptr, name, side)) {
        must(cipher_, std::string(name) + " is not there");
    }
    ~Alone() {
        EVP_CIPHER_CTX_free(context);
        EVP_CIPHER_free(cipher_);
    }
    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;

    int init(bool seals, const uint8_t *key, const uint8_t *iv) {
        return EVP_CipherInit_ex2(context, cipher_, key, iv, seals, nullptr);
    }
    // In the same context.
    int again(bool seals, const uint8_t *key, const uint8_t *iv) {
        return EVP_CipherInit_ex2(context, nullptr, key, iv, seals, nullptr);
    }
    int control(int command, int number, void *data) { return EVP_CIPHER_CTX_ctrl(context, command, number, data); }
    int octets(const char *key, void *data, size_t bytes) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(key, data, bytes), OSSL_PARAM_END};
        return EVP_CIPHER_CTX_set_params(context, params);
    }
    int number(const char *key, size_t value) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(key, &value), OSSL_PARAM_END};
        return EVP_CIPHER_CTX_set_params(context, params);
    }
    int update(uint8_t *out, const uint8_t *in, int bytes) {
        int written;
        return EVP_CipherUpdate(context, out, &written, in, bytes);
    }

    EVP_CIPHER_CTX *const context = EVP_CIPHER_CTX_new();

private:
    EVP_CIPHER *const cipher_;
};

void refused(int result, const char *what) { must_fail(result <= 0, std::string("taken: ") + what); }
void taken(int result, const char *what) { must(result > 0, std::string("refused: ") + what); }

void gcm(uint8_t *bytes) {
    Alone c("AES-128-GCM");
    taken(c.init(true, bytes, nullptr), "a key");
    refused(c.control(EVP_CTRL_AEAD_SET_TAG, 16, bytes), "a tag for sealing");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, bytes, 12), "a head of 12 bytes");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, bytes, 3), "a fixed IV of 3 bytes");
    refused(c.number(OSSL_CIPHER_PARAM_IVLEN, 0), "no IV");
    refused(c.number(OSSL_CIPHER_PARAM_IVLEN, 129), "an IV of 129 bytes");
    taken(c.number(OSSL_CIPHER_PARAM_IVLEN, 4), "an IV of 4 bytes");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, bytes, size_t(-1)), "a whole IV without invocation field");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, bytes, 8), "an explicit IV for sealing");
    uint8_t next[8];
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, next, 8),
                           OSSL_PARAM_END};
    refused(EVP_CIPHER_CTX_get_params(c.context, params), "the next IV where none was fixed");

    Alone opens("AES-128-GCM");
    taken(opens.init(false, bytes, bytes), "key and IV");
    refused(opens.octets(OSSL_CIPHER_PARAM_AEAD_TAG, bytes, 17), "a tag of 17 bytes");
    int written;
    uint8_t out[16];
    refused(EVP_CipherFinal_ex(opens.context, out, &written), "an end without a tag");

    Alone twice("AES-128-GCM");
    taken(twice.init(true, bytes, bytes), "key and IV");
    taken(EVP_CipherFinal_ex(twice.context, out, &written), "the end");
    refused(twice.update(out, bytes, 16), "an IV for a second message");
}

// A change of key and IV that fails leaves neither in use.
void changes(uint8_t *bytes) {
    uint8_t out[32];
    for (const char *name : {"AES-128-GCM", "AES-128-CCM", "ChaCha20-Poly1305"}) {
        Alone c(name);
        taken(c.init(true, bytes, bytes), name);
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, bytes, 17),
                                     OSSL_PARAM_END};
        refused(EVP_CipherInit_ex2(c.context, nullptr, bytes + 1, bytes + 1, 1, params), "a tag of 17 bytes");
        refused(c.update(out, bytes, 16), "a text behind a change that failed");
    }
    // libcrypto itself refuses this length from some release on; before, it means nothing.
    int results[2];
    for (int side = 0; side < 2; side++) {
        Alone counter("AES-128-CTR", side ? "provider=default" : "provider=cryptostitch");
        size_t other = 5;
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &other), OSSL_PARAM_END};
        taken(counter.init(true, bytes, bytes), "AES-128-CTR");
        results[side] = EVP_CipherInit_ex2(counter.context, nullptr, bytes + 1, bytes + 1, 1, params) > 0;
        ERR_clear_error();
    }
    must(results[0] == results[1], "AES-128-CTR: a length of the key at init is not what it is to default");
}

// Two texts under one nonce would be enciphered with one keystream.
void ccm_once(uint8_t *bytes) {
    uint8_t out[32] = {}, tag[12];
    int written;
    Alone c("AES-128-CCM");
    taken(c.init(true, bytes, bytes), "key and IV");
    taken(c.update(out, bytes, 16), "a text");
    const Octets before(out, out + 32);
    refused(c.update(out + 16, bytes + 16, 16), "a second text under one nonce");
    refused(EVP_CipherUpdate(c.context, nullptr, &written, nullptr, 16), "the length of a second text");
    refused(c.update(nullptr, bytes, 16), "AAD of a second text");
    taken(c.again(true, nullptr, nullptr), "no new IV");
    refused(c.update(out + 16, bytes + 16, 16), "a second text after an init without IV");
    taken(c.again(true, bytes, nullptr), "a key without an IV");
    refused(c.update(out + 16, bytes + 16, 16), "a second text after an init with a key alone");
    must(Octets(out, out + 32) == before, "AES-128-CCM: wrote all the same");
    taken(c.control(EVP_CTRL_AEAD_GET_TAG, 12, tag), "the tag of the text");
    refused(c.update(out + 16, bytes + 16, 16), "a second text behind the tag");
    refused(c.control(EVP_CTRL_AEAD_GET_TAG, 12, tag), "a tag twice");
    taken(c.again(true, nullptr, bytes + 1), "another IV");
    taken(c.update(out, bytes, 16), "a text under it");

    Alone records("AES-128-CCM");
    uint8_t record[64], head[13] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 24};
    taken(records.init(true, nullptr, nullptr), "nothing yet");
    taken(records.control(EVP_CTRL_AEAD_SET_IVLEN, 12, nullptr), "an IV of 12 bytes");
    taken(records.control(EVP_CTRL_AEAD_SET_TAG, 16, nullptr), "a tag of 16 bytes");
    taken(records.again(true, bytes, bytes), "a key");
    taken(records.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, 13), "a head");
    taken(records.update(record, record, 40), "a record");
    refused(records.update(record, record, 40), "a second record of one head");
    taken(records.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, 13), "another head");
    taken(records.update(record, record, 40), "its record");
}

// The nonce of record 0 is the IV itself.
void chacha_once(uint8_t *bytes) {
    uint8_t record[48] = {}, head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 16};
    Alone records("ChaCha20-Poly1305"), texts("ChaCha20-Poly1305");
    taken(records.init(true, bytes, bytes), "key and IV");
    taken(records.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, 13), "a head");
    taken(records.update(record, record, 32), "a record");
    refused(records.update(record, record, 16), "a text under the IV of records");
    taken(records.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, 13), "a head");
    taken(records.update(record, record, 32), "another record");
    taken(texts.init(true, bytes, bytes), "key and IV");
    taken(texts.update(record, record, 16), "a text");
    taken(texts.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, 13), "a head");
    refused(texts.update(record, record, 32), "a record under the IV of a text");
}

void overlap() {
    for (const char *name : {"AES-128-GCM", "AES-128-CTR", "AES-128-XTS"}) {
        Octets buffer(200, 0x33), before = buffer;
        uint8_t key[64];
        for (uint8_t i = 0; i < 64; i++) key[i] = i;
        Alone c(name);
        taken(c.init(true, key, key), "key and IV");
        refused(c.update(buffer.data() + 1, buffer.data(), 100), name);
        refused(c.update(buffer.data(), buffer.data() + 99, 100), name);
        must(buffer == before, std::string(name) + ": wrote all the same");
        taken(c.update(buffer.data() + 100, buffer.data(), 100), "neighbours");
    }
}

void others(uint8_t *bytes) {
    Alone xts("AES-128-XTS"), ctr("AES-128-CTR"), keyless("AES-128-CTR");
    const uint8_t same[32] = {};
    refused(xts.init(true, same, bytes), "an XTS key of equal halves");
    taken(ctr.init(true, bytes, bytes), "key and IV");
    refused(ctr.number(OSSL_CIPHER_PARAM_NUM, 3), "a place within a block without its keystream");
    refused(EVP_CIPHER_CTX_set_key_length(ctr.context, 15), "a key of 15 bytes");
    taken(keyless.init(true, nullptr, nullptr), "nothing yet");
    uint8_t out[16];
    refused(keyless.update(out, bytes, 16), "a text without a key");
}

void tls(uint8_t *bytes) {
    Octets text(8192, 1), out(16384, 0xa5), before = out;
    Alone c("AES-128-CBC-HMAC-SHA1");
    taken(c.init(true, bytes, bytes), "key and IV");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, bytes, 65), "a MAC key of 65 bytes");
    taken(c.octets(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, bytes, 20), "a MAC key");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, bytes, 14), "a head of 14 bytes");
    refused(c.update(out.data(), text.data(), 17), "half a block");
    uint8_t head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 8};
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, 13), "a record shorter than its IV");
    head[12] = 100;
    taken(c.octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, 13), "a head");
    refused(c.update(out.data(), text.data(), 96), "a record of another length");

    EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM many = {out.data(), text.data(), text.size(), 4};
    refused(c.control(EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof(many), &many), "multiblock without a head");
    head[11] = head[12] = 0;
    const auto announced = [&](unsigned records, size_t bytes_of_text) {
        EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM param = {nullptr, head, bytes_of_text, records};
        return c.control(EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof(param), &param);
    };
    refused(announced(5, 8192), "five records");
    refused(announced(4, 4 * 16384 + 1), "records that are too long");
    taken(announced(4, 4096), "four records");
    refused(c.control(EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof(many), &many), "a longer text than was announced");
    many.interleave = 8;
    refused(c.control(EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof(many), &many), "more records than were announced");
    head[9] = 3;
    head[10] = 1;
    refused(announced(4, 8192), "multiblock in TLS 1.0");
    must(out == before, "something was written");
}

void cbc(uint8_t *bytes) {
    Octets buffer(256, 0x33), before = buffer;
    uint8_t out[64];
    int written;
    Alone c("AES-128-CBC");
    taken(c.init(false, bytes, bytes), "key and IV");
    refused(c.number(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 65), "a MAC of 65 bytes");
    refused(c.number(OSSL_CIPHER_PARAM_NUM, 16), "a place behind the block");
    taken(c.update(out, bytes, 20), "a block and a part");
    refused(EVP_CipherFinal_ex(c.context, out, &written), "an end within a block");
    taken(c.init(true, bytes, bytes), "key and IV");
    refused(c.update(buffer.data() + 16, buffer.data(), 100), "output over input to come");
    taken(c.update(buffer.data() + 128, bytes, 7), "a part of a block");
    refused(c.update(buffer.data(), buffer.data(), 100), "output that is ahead of its input");
    must(buffer == before, "AES-128-CBC: wrote all the same");

    Alone records("AES-128-CBC");
    taken(records.init(false, bytes, bytes), "key and IV");
    taken(records.number(OSSL_CIPHER_PARAM_TLS_VERSION, 0x0304), "a version");
    refused(records.update(buffer.data(), buffer.data(), 64), "records of TLS 1.3");
    buffer = before;
    taken(records.number(OSSL_CIPHER_PARAM_TLS_VERSION, 0x0303), "a version");
    refused(records.update(buffer.data() + 128, buffer.data(), 64), "a record that is not in place");
    refused(records.update(buffer.data(), buffer.data(), 0), "a record of nothing");
    refused(records.update(buffer.data(), buffer.data(), 63), "parts of blocks");
    must(buffer == before, "AES-128-CBC: wrote all the same");
    refused(records.update(buffer.data(), buffer.data(), 16), "an explicit IV alone");
    taken(records.number(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 48), "a MAC's length");
    refused(records.update(buffer.data(), buffer.data(), 48), "a record with no room for its MAC");
}

void etm(uint8_t *bytes) {
    Octets buffer(64, 0x33), before = buffer;
    Alone c("AES-256-CBC-HMAC-SHA512-ETM");
    taken(c.init(false, bytes, bytes), "key and IV");
    refused(c.update(buffer.data(), buffer.data(), 64), "no MAC key");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, bytes, 129), "a MAC key of 129 bytes");
    taken(c.octets(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, bytes, 64), "a MAC key");
    refused(c.update(buffer.data(), buffer.data(), 64), "no tag to compare with");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TAG, bytes, 11), "a tag of 11 bytes");
    refused(c.octets(OSSL_CIPHER_PARAM_AEAD_TAG, bytes, 65), "a tag of 65 bytes");
    taken(c.octets(OSSL_CIPHER_PARAM_AEAD_TAG, bytes, 64), "a tag");
    refused(c.update(buffer.data(), buffer.data(), 63), "parts of blocks");
    must(buffer == before, "wrote all the same");
    refused(c.update(buffer.data(), buffer.data(), 64), "a wrong tag");
    must(buffer == Octets(64), "the output is not wiped");
    uint8_t tag[64];
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, 64), OSSL_PARAM_END};
    refused(EVP_CIPHER_CTX_get_params(c.context, params), "the tag of what was opened");
}

// EVP_CipherUpdate takes an int. The message goes on as if the call had not been.
void negative(uint8_t *bytes) {
    for (const char *name : {"AES-128-CBC", "AES-256-CBC", "AES-128-CTR", "AES-128-GCM", "ChaCha20-Poly1305"})
        for (const bool seals : {true, false})
            for (const int before : {0, 1, 3, 13, 16, 31})
                for (const int length : {-1, -2, -13, -14, -16, -17, -64, -513, INT_MIN}) {
                    Octets out(160, 0xa5), wanted = out;
                    const auto run = [&](Octets &to, bool refuses) {
                        Alone c(name);
                        int written = 0, more = 0;
                        taken(c.init(seals, bytes, bytes), "key and IV");
                        taken(EVP_CipherUpdate(c.context, to.data(), &written, bytes, before), "a text");
                        const Octets seen = to;
                        if (refuses) refused(c.update(to.data() + written, bytes, length), "a negative length");
                        must(to == seen, std::string(name) + ": wrote all the same");
                        taken(EVP_CipherUpdate(c.context, to.data() + written, &more, bytes + before, 64), "more");
                    };
                    run(wanted, false);
                    run(out, true);
                    must(out == wanted, std::string(name) + ": another text after a refusal");
                }
    for (const char *name : {"AES-128-CCM", "AES-128-XTS", "AES-128-CBC-HMAC-SHA1", "AES-256-CBC-HMAC-SHA512-ETM"})
        for (const int length : {-1, -16, -17, INT_MIN}) {
            Octets out(160, 0xa5), before = out;
            Alone c(name);
            taken(c.init(true, bytes, bytes), "key and IV");
            refused(c.update(out.data(), bytes, length), "a negative length");
            must(out == before, std::string(name) + ": wrote all the same");
        }
}

void cmac(uint8_t *bytes) {
    EVP_MAC *const mac = EVP_MAC_fetch(nullptr, "CMAC", "provider=cryptostitch");
    must(mac, "CMAC is not there");
    EVP_MAC_CTX *const c = EVP_MAC_CTX_new(mac);
    const auto init = [&](const char *cipher, size_t key_bytes) {
        const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("cipher", const_cast<char *>(cipher), 0),
                                     OSSL_PARAM_END};
        return EVP_MAC_init(c, bytes, key_bytes, params);
    };
    refused(EVP_MAC_init(c, bytes, 16, nullptr), "no cipher");
    refused(init("DES-EDE3-CBC", 24), "another cipher");
    refused(init("AES-128-CBC", 17), "a key of 17 bytes");
    refused(EVP_MAC_update(c, bytes, 16), "a message without a key");
    taken(init("AES-128-CBC", 16), "a key");
    EVP_MAC_CTX_free(c);
    EVP_MAC_free(mac);
}

int work(int, char **) {
    uint8_t bytes[160];
    for (uint8_t i = 0; i < sizeof(bytes); i++) bytes[i] = i;
    gcm(bytes);
    changes(bytes);
    ccm_once(bytes);
    chacha_once(bytes);
    overlap();
    others(bytes);
    tls(bytes);
    cbc(bytes);
    etm(bytes);
    negative(bytes);
    cmac(bytes);
    puts("all refused");
    return 0;
}

}  // namespace

int main(int argc, char **argv) { return Program::run(work, argc, argv); }
