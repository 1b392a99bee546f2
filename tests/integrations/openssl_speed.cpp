// openssl-speed [ROUNDS [NAME...]]: what the provider's ciphers and CMAC take beside default's, in one process, by
// turns. A key is set once; each message has an IV, an AEAD's also 13 bytes of AAD and a tag. Prints, as CSV, the
// release, the name, the bytes of a message, gigabytes per second of CPU time of the provider and of default, their
// ratio (the median of the rounds), and its lower and upper quartiles.
#include <time.h>

#include <functional>

#include "openssl_jobs.hpp"

namespace {

constexpr const char *SIDES[] = {"provider=cryptostitch", "provider=default"};
constexpr size_t LENGTHS[] = {64, 256, 1024, 16384}, MANY_LENGTHS[] = {16384, 131072};
constexpr size_t RECORD_HEAD = 13, BLOCK = 16;

double now() {
    timespec its;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &its);
    return double(its.tv_sec) + 1e-9 * double(its.tv_nsec);
}

// One message.
typedef std::function<bool()> Message;

class Side {
public:
    // many: TLS multiblock, eight records a call.
    Side(const std::string &name, const char *side, size_t bytes, bool seals, bool many)
        : is_cmac_(name == "CMAC"), bytes_(bytes), in_(bytes + 2048, 1), out_(bytes + 2048) {
        if (is_cmac_) {
            mac_ = EVP_MAC_fetch(nullptr, "CMAC", side);
            if (!mac_) return;
            mac_context_ = EVP_MAC_CTX_new(mac_);
            char cipher[] = "AES-128-CBC";
            const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("cipher", cipher, 0), OSSL_PARAM_END};
            must(EVP_MAC_init(mac_context_, in_.data(), 16, params) > 0, name + ": init");
            return;
        }
        cipher_ = EVP_CIPHER_fetch(nullptr, name.c_str(), side);
        if (!cipher_) return;
        uint8_t key[64];
        for (uint8_t i = 0; i < 64; i++) key[i] = i;
        context_ = EVP_CIPHER_CTX_new();
        must(EVP_CipherInit_ex2(context_, cipher_, key, in_.data(), seals, nullptr) > 0, name + ": init");
        is_aead_ = EVP_CIPHER_get_flags(cipher_) & EVP_CIPH_FLAG_AEAD_CIPHER;
        is_ccm_ = EVP_CIPHER_get_mode(cipher_) == EVP_CIPH_CCM_MODE;
        is_record_ = name.find("HMAC") != std::string::npos;
        is_many_ = many;
        if (is_record_) EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_MAC_KEY, 20, key);
        if (many) EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_TLS1_1_MULTIBLOCK_MAX_BUFSIZE, int(bytes / 8), nullptr);
        EVP_CIPHER_CTX_set_padding(context_, 0);
    }
    ~Side() {
        EVP_CIPHER_CTX_free(context_);
        EVP_CIPHER_free(cipher_);
        EVP_MAC_CTX_free(mac_context_);
        EVP_MAC_free(mac_);
    }
    Side(const Side &) = delete;
    Side &operator=(const Side &) = delete;
    bool is_there() const { return cipher_ || mac_; }

    bool message() {
        int n;
        if (is_cmac_) {
            size_t bytes;
            return EVP_MAC_init(mac_context_, nullptr, 0, nullptr) > 0 &&
                   EVP_MAC_update(mac_context_, in_.data(), bytes_) > 0 &&
                   EVP_MAC_final(mac_context_, out_.data(), &bytes, 16) > 0;
        }
        if (is_many_) {
            uint8_t head[RECORD_HEAD] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 0};
            EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM param = {nullptr, head, bytes_, 8};
            const auto ask = [&](int what) { return EVP_CIPHER_CTX_ctrl(context_, what, sizeof(param), &param); };
            if (ask(EVP_CTRL_TLS1_1_MULTIBLOCK_AAD) <= 0) return false;
            param.out = out_.data();
            param.inp = in_.data();
            return ask(EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT) > 0;
        }
        if (is_record_) {
            const size_t length = bytes_ + BLOCK;
            uint8_t head[RECORD_HEAD] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, uint8_t(length >> 8), uint8_t(length)};
            const int pad = EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_TLS1_AAD, RECORD_HEAD, head);
            return pad > 0 && EVP_CipherUpdate(context_, out_.data(), &n, in_.data(), int(length) + pad) > 0;
        }
        in_[0]++;
        if (EVP_CipherInit_ex2(context_, nullptr, nullptr, in_.data(), -1, nullptr) <= 0) return false;
        if (is_ccm_ && EVP_CipherUpdate(context_, nullptr, &n, nullptr, int(bytes_)) <= 0) return false;
        if (is_aead_ && EVP_CipherUpdate(context_, nullptr, &n, in_.data(), RECORD_HEAD) <= 0) return false;
        if (EVP_CipherUpdate(context_, out_.data(), &n, in_.data(), int(bytes_)) <= 0) return false;
        return !is_aead_ || (EVP_CipherFinal_ex(context_, out_.data() + n, &n) > 0 &&
                             EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_GET_TAG, is_ccm_ ? 12 : 16, tag_) > 0);
    }
    // Gigabytes a second.
    double speed(double seconds) {
        const size_t some = 1 + 20000 / (bytes_ + 200);
        size_t done = 0;
        const double begun = now();
        double taken;
        do {
            for (size_t i = 0; i < some; i++) must(message(), "a message");
            done += some;
            taken = now() - begun;
        } while (taken < seconds);
        return 1e-9 * double(done * bytes_) / taken;
    }

private:
    const bool is_cmac_;
    const size_t bytes_;
    bool is_aead_ = false, is_ccm_ = false, is_record_ = false, is_many_ = false;
    Octets in_, out_;
    uint8_t tag_[16];
    EVP_CIPHER *cipher_ = nullptr;
    EVP_CIPHER_CTX *context_ = nullptr;
    EVP_MAC *mac_ = nullptr;
    EVP_MAC_CTX *mac_context_ = nullptr;
};

double quartile(std::vector<double> all, size_t which) {
    std::sort(all.begin(), all.end());
    return all[(all.size() - 1) * which / 4];
}

enum class Way { seals, opens, many };

void compare(const std::string &name, size_t rounds, Way way) {
    const bool many = way == Way::many;
    for (const size_t bytes : many ? std::vector<size_t>(std::begin(MANY_LENGTHS), std::end(MANY_LENGTHS))
                                   : std::vector<size_t>(std::begin(LENGTHS), std::end(LENGTHS))) {
        Side ours(name, SIDES[0], bytes, way != Way::opens, many),
            wanted(name, SIDES[1], bytes, way != Way::opens, many);
        ERR_clear_error();
        if (!ours.is_there() || !wanted.is_there()) return;
        std::vector<double> speeds[2], ratios;
        ours.speed(0.002), wanted.speed(0.002);
        for (size_t i = 0; i < rounds; i++) {
            const double a = ours.speed(0.008), b = wanted.speed(0.008);
            speeds[0].push_back(a), speeds[1].push_back(b), ratios.push_back(a / b);
        }
        printf("%s,%s%s,%zu,%.3f,%.3f,%.3f,%.3f,%.3f\n", OpenSSL_version(OPENSSL_VERSION_STRING), name.c_str(),
               many                ? " multiblock"
               : way == Way::opens ? " opened"
                                   : "",
               bytes, quartile(speeds[0], 2), quartile(speeds[1], 2), quartile(ratios, 2), quartile(ratios, 1),
               quartile(ratios, 3));
        fflush(stdout);
    }
}

int work(int argc, char **argv) {
    const size_t rounds = argc > 1 ? size_t(atol(argv[1])) : 15;
    std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
    if (names.empty())
        names = {"AES-128-GCM",
                 "AES-192-GCM",
                 "AES-256-GCM",
                 "AES-128-CTR",
                 "AES-192-CTR",
                 "AES-256-CTR",
                 "AES-128-XTS",
                 "AES-256-XTS",
                 "AES-128-CBC",
                 "AES-192-CBC",
                 "AES-256-CBC",
                 "AES-128-CCM",
                 "AES-256-CCM",
                 "ChaCha20-Poly1305",
                 "AES-128-CBC-HMAC-SHA1",
                 "AES-256-CBC-HMAC-SHA1",
                 "AES-128-CBC-HMAC-SHA256",
                 "AES-256-CBC-HMAC-SHA256",
                 "CMAC"};
    for (const std::string &name : names) {
        compare(name, rounds, Way::seals);
        if (name.find("HMAC") != std::string::npos) compare(name, rounds, Way::many);
        if (name.find("CTR") == std::string::npos && name.find("CBC") != std::string::npos &&
            name.find("HMAC") == std::string::npos)
            compare(name, rounds, Way::opens);
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv) { return Program::run(work, argc, argv); }
