// openssl-workers: contexts of the provider that were made before a fork are used by the child, and by the parent
// afterwards; and one key's copies by four threads at once.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "openssl_sides.hpp"

namespace {

constexpr const char *NAMES[] = {"AES-128-GCM", "AES-128-CTR", "AES-128-CBC", "AES-128-CBC-HMAC-SHA256-ETM"};
constexpr size_t COUNT = sizeof(NAMES) / sizeof(*NAMES), BYTES = 8192;

// A context in the middle of a message.
EVP_CIPHER_CTX *begun(const char *name, const Octets &key) {
    EVP_CIPHER *const cipher = EVP_CIPHER_fetch(nullptr, name, "provider=cryptostitch");
    must(cipher, std::string(name) + " is not there");
    EVP_CIPHER_CTX *const made = EVP_CIPHER_CTX_new();
    must(EVP_EncryptInit_ex2(made, cipher, key.data(), key.data() + 32, nullptr) > 0, "init");
    EVP_CIPHER_free(cipher);
    must(!strstr(name, "HMAC") ||
             EVP_CIPHER_CTX_ctrl(made, EVP_CTRL_AEAD_SET_MAC_KEY, 20, const_cast<uint8_t *>(key.data())) > 0,
         "MAC key");
    Octets out(64);
    int written;
    must(EVP_EncryptUpdate(made, out.data(), &written, key.data(), 48) > 0, "update");
    return made;
}

Octets went_on(EVP_CIPHER_CTX *context) {
    EVP_CIPHER_CTX *const copy = EVP_CIPHER_CTX_new();
    must(EVP_CIPHER_CTX_copy(copy, context) > 0, "copy");
    Octets text(BYTES, 0x3c), out(BYTES + 16);
    int written;
    must(EVP_EncryptUpdate(copy, out.data(), &written, text.data(), int(BYTES)) > 0, "update");
    out.resize(size_t(written));
    EVP_CIPHER_CTX_free(copy);
    return out;
}

void all_agree(EVP_CIPHER_CTX *const *contexts, const Octets *wanted, int rounds) {
    for (int i = 0; i < rounds; i++)
        for (size_t j = 0; j < COUNT; j++)
            must(went_on(contexts[j]) == wanted[j], std::string(NAMES[j]) + ": another output");
}

}  // namespace

int main() {
    Random random(1);
    const Octets key = random.octets(64);
    EVP_CIPHER_CTX *contexts[COUNT];
    Octets wanted[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        contexts[i] = begun(NAMES[i], key);
        wanted[i] = went_on(contexts[i]);
    }
    for (int i = 0; i < 4; i++) {
        const pid_t child = fork();
        must(child >= 0, "fork");
        if (!child) {
            all_agree(contexts, wanted, 50);
            EVP_CIPHER_CTX *const own = begun(NAMES[0], key);
            must(went_on(own) == wanted[0], "a context made after the fork");
            EVP_CIPHER_CTX_free(own);
            exit(0);
        }
        int status = -1;
        all_agree(contexts, wanted, 50);
        must(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status), "a child failed");
    }
    std::thread threads[4];
    for (std::thread &thread : threads) thread = std::thread([&] { all_agree(contexts, wanted, 300); });
    for (std::thread &thread : threads) thread.join();
    for (EVP_CIPHER_CTX *context : contexts) EVP_CIPHER_CTX_free(context);
    puts("all agree");
    return 0;
}
