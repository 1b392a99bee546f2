#include "library.hpp"

#include <atomic>
#include <mutex>

#include "api/handles.hpp"

namespace cst::imb {
namespace {

cst_ctx *make_context() {
    cst_ctx *made = nullptr;
    return cst_ctx_new(&made, nullptr) ? nullptr : made;
}

// A suite, looked up once.
class Slot {
public:
    // make: what finds it, or NULL.
    template <typename Make>
    const Suite *get(Make make) {
        const Suite *found = suite_.load(std::memory_order_acquire);
        if (!found) {
            static std::mutex one_by_one;
            const std::lock_guard<std::mutex> guard(one_by_one);
            found = suite_.load(std::memory_order_acquire);
            if (!found) {
                const bool before = ran_out_of_memory();
                ran_out_of_memory() = false;
                try {
                    found = make();
                } catch (const std::bad_alloc &) {
                    ran_out_of_memory() = true;
                }
                const bool keeps = found || !ran_out_of_memory();
                ran_out_of_memory() |= before;
                if (!found) found = &none();
                if (keeps) suite_.store(found, std::memory_order_release);
            }
        }
        return found == &none() ? nullptr : found;
    }

private:
    static const Suite &none() {
        static const Suite suite{};
        return suite;
    }
    std::atomic<const Suite *> suite_{nullptr};
};

const Suite *find(const std::string &name) {
    const cst_suite *suite = nullptr;
    const int error = context() ? cst_suite_get(context(), name.c_str(), &suite) : CST_ERR_UNSUPPORTED;
    ran_out_of_memory() |= error == CST_ERR_MEMORY;
    return error ? nullptr : from(suite);
}

constexpr unsigned KEY_LENGTHS = 3;
constexpr const char *CIPHERS[] = {"cbc", "ctr", "ecb", "gcm", "ccm"};
constexpr const char *MACS[] = {"hmac-sha1", "hmac-sha224",  "hmac-sha256",  "hmac-sha384", "hmac-sha512",
                                "hmac-md5",  "sha1",         "sha224",       "sha256",      "sha384",
                                "sha512",    "aes-128-xcbc", "aes-128-cmac", "aes-256-cmac"};
static_assert(sizeof(MACS) / sizeof(*MACS) == size_t(Mac::NUMBER));

// KEY_LENGTHS: AES has no such keys.
unsigned key_index(uint64_t bytes) {
    return bytes == 16 || bytes == 24 || bytes == 32 ? unsigned(bytes / 8 - 2) : KEY_LENGTHS;
}

std::string name_of(Cipher cipher, uint64_t key_bytes) {
    return "aes-" + std::to_string(8 * key_bytes) + "-" + CIPHERS[size_t(cipher)];
}

// The IV is under the MAC only where the caller says so, as a part of the AAD; and MACs of any length are wanted.
const Suite *without_iv(const Suite *original) {
    if (!original) return nullptr;
    Suite *const suite = new (std::nothrow) Suite(*original);
    ran_out_of_memory() |= !suite;
    if (!suite) return nullptr;
    suite->forced = nullptr;
    suite->iv_bytes = suite->mac_iv_bytes = suite->iv_min = suite->iv_max = 0;
    suite->lay_out_messages();
    return suite;
}

}  // namespace

cst_ctx *context() {
    static cst_ctx *const made = make_context();
    return made;
}

const Engine *engine() { return context() ? &context()->engine : nullptr; }

const Suite *cipher_suite(Cipher cipher, uint64_t key_bytes) {
    static Slot slots[size_t(Cipher::NUMBER)][KEY_LENGTHS];
    if (cipher == Cipher::chacha20) return slots[size_t(cipher)][0].get([] { return find("chacha20"); });
    if (cipher == Cipher::chacha20_poly1305)
        return slots[size_t(cipher)][0].get([] { return find("chacha20-poly1305"); });
    const unsigned length = key_index(key_bytes);
    if (length == KEY_LENGTHS) return nullptr;
    return slots[size_t(cipher)][length].get([&] { return find(name_of(cipher, key_bytes)); });
}

bool has_basic_suites() {
    for (const uint64_t key_bytes : {16, 24, 32})
        for (const Cipher cipher : {Cipher::ecb, Cipher::ctr, Cipher::gcm})
            if (!cipher_suite(cipher, key_bytes)) return false;
    return cipher_suite(Cipher::chacha20, 0) && cipher_suite(Cipher::chacha20_poly1305, 0);
}

const Suite *mac_suite(Mac mac) {
    static Slot slots[size_t(Mac::NUMBER)];
    return slots[size_t(mac)].get([&] { return find(MACS[size_t(mac)]); });
}

const Suite *stitched_suite(Cipher cipher, uint64_t key_bytes, Mac mac) {
    static Slot slots[2][KEY_LENGTHS][HMACS];
    const unsigned length = key_index(key_bytes);
    if (cipher > Cipher::ctr || length == KEY_LENGTHS || size_t(mac) >= HMACS) return nullptr;
    return slots[size_t(cipher)][length][size_t(mac)].get(
        [&] { return without_iv(find(name_of(cipher, key_bytes) + "+" + MACS[size_t(mac)] + "-etm")); });
}

}  // namespace cst::imb
