// What a suite means: which algorithms, in which order, over which bytes. Derived from the packs' algorithm records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../select/engine.hpp"
#include "../select/memo.hpp"

namespace cst {

struct Suite {
    const Engine *engine = nullptr;
    std::string name;
    int kind = 0;  // CST_DIGEST .. CST_AEAD
    const Algorithm *hash = nullptr, *encrypt = nullptr, *decrypt = nullptr;
    // RFC 7518, 5.2: PKCS#7 padding, the length of the AAD behind the ciphertext in the MAC, one combined key, half a tag.
    bool profile = false;

    Family hashes, encrypts, decrypts, pairs;
    const Variant *forced = nullptr;
    std::shared_ptr<ChoiceMemo> memo;  // of the families above; NULL: nothing is remembered

    size_t key_bytes = 0, mac_key_min = 0, mac_key_max = 0, iv_bytes = 0, tag_min = 0, tag_max = 0, block_bytes = 1, expansion = 0;
    uint64_t max_bytes = 0;

    bool mac() const { return kind == CST_MAC || kind == CST_AEAD; }
    bool enciphers() const { return encrypt != nullptr; }
    // Whether the kernel does a part of the suite's work (whatever the CPU).
    bool could_use(const Variant &variant) const;
};

// Bytes that the MAC covers besides AAD, IV and ciphertext (the profile's 64-bit AL).
constexpr size_t PROFILE_TRAILER = 8;

class Suites {
public:
    // (Re)derives the suites from the engine's algorithms and kernels. Suites that exist keep their address. When memory runs out (an exception),
    // nothing has changed.
    void derive(const Engine &engine);

    Suite *find(const char *name) const;
    const std::vector<std::unique_ptr<Suite>> &all() const { return suites_; }

private:
    static void complete(Suite suite, std::vector<std::unique_ptr<Suite>> *derived);

    std::vector<std::unique_ptr<Suite>> suites_;
};

// CST_OK when every length of input can be worked on: makes the code of the kernels that the engine falls back to.
// CST_ERR_UNSUPPORTED when something is missing, or the error that kept the code from being made.
int prepare_suite(const Suite &suite);

}  // namespace cst
