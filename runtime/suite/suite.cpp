#include "suite.hpp"

#include <cstring>

namespace cst {
namespace {

// A hash counts its message in bits, in 64 bits; MD5 would wrap, but nobody hashes two exabytes.
constexpr uint64_t kMostHashed = (uint64_t(1) << 61) - 1;
constexpr uint64_t kMostEnciphered = uint64_t(1) << 60;

void set_mac(Suite *suite) {
    suite->mac_key_max = size_t(1) << 32;
    suite->tag_max = suite->hash->record.digest_bytes;
}

void set_cipher(Suite *suite) {
    suite->key_bytes = suite->encrypt->record.key_bytes;
    suite->iv_bytes = suite->encrypt->record.iv_bytes;
    suite->block_bytes = suite->encrypt->record.block_bytes;
    suite->max_bytes = kMostEnciphered;
}

}  // namespace

bool Suite::could_use(const Variant &variant) const {
    const Algorithm *c = variant.cipher.algorithm, *h = variant.hash.algorithm;
    switch (variant.role) {
        case Role::hash: return h == hash;
        case Role::encrypt: return c == encrypt;
        case Role::decrypt: return c == decrypt;
        case Role::pair: return c == encrypt && h == hash;
        default: return false;
    }
}

void Suites::complete(Suite suite, std::vector<std::unique_ptr<Suite>> *derived) {
    const Engine &engine = *suite.engine;
    if (suite.hash) suite.hashes = engine.family(Role::hash, nullptr, suite.hash);
    if (suite.encrypt) {
        suite.encrypts = engine.family(Role::encrypt, suite.encrypt, nullptr);
        suite.decrypts = engine.family(Role::decrypt, suite.decrypt, nullptr);
        if (suite.hash) suite.pairs = engine.family(Role::pair, suite.encrypt, suite.hash);
    }
    suite.memo = std::make_shared<ChoiceMemo>();
    derived->push_back(std::make_unique<Suite>(std::move(suite)));
}

void Suites::derive(const Engine &engine) {
    std::vector<std::unique_ptr<Suite>> derived;
    std::vector<const Algorithm *> hashes;
    struct Cipher {
        const Algorithm *encrypt, *decrypt;
    };
    std::vector<Cipher> ciphers;
    for (const auto &a : engine.algorithms()) {
        if (!a->usable) continue;
        if (a->record.kind == ALGORITHM_HASH) hashes.push_back(a.get());
        if (a->record.kind != ALGORITHM_CIPHER_ENC) continue;
        for (const auto &b : engine.algorithms())
            if (b->usable && b->record.kind == ALGORITHM_CIPHER_DEC && strcmp(a->record.suite, b->record.suite) == 0) ciphers.push_back({a.get(), b.get()});
    }
    for (const Algorithm *hash : hashes) {
        Suite digest;
        digest.engine = &engine;
        digest.name = hash->record.suite;
        digest.kind = CST_DIGEST;
        digest.hash = hash;
        digest.tag_min = digest.tag_max = hash->record.digest_bytes;
        digest.max_bytes = kMostHashed;
        Suite mac = digest;
        complete(std::move(digest), &derived);
        mac.name = "hmac-" + mac.name;
        mac.kind = CST_MAC;
        set_mac(&mac);
        mac.tag_min = 10;  // RFC 2104, 5: not less than 80 bits
        mac.max_bytes = kMostHashed - hash->record.block_bytes;
        complete(std::move(mac), &derived);
    }
    for (const Cipher &cipher : ciphers) {
        Suite plain;
        plain.engine = &engine;
        plain.name = cipher.encrypt->record.suite;
        plain.kind = CST_CIPHER;
        plain.encrypt = cipher.encrypt;
        plain.decrypt = cipher.decrypt;
        set_cipher(&plain);
        for (const Algorithm *hash : hashes) {
            Suite aead = plain;
            aead.name += std::string("+hmac-") + hash->record.suite + "-etm";
            aead.kind = CST_AEAD;
            aead.hash = hash;
            set_mac(&aead);
            aead.tag_min = 12;
            if (strcmp(aead.name.c_str(), "aes-128-cbc+hmac-sha256-etm") == 0) {
                Suite profile = aead;
                profile.name = "a128cbc-hs256";
                profile.profile = true;
                profile.key_bytes = 32;
                profile.mac_key_max = 0;
                profile.tag_min = profile.tag_max = 16;
                profile.block_bytes = 1;
                profile.expansion = 16;
                complete(std::move(profile), &derived);
            }
            complete(std::move(aead), &derived);
        }
        complete(std::move(plain), &derived);
    }
    suites_.reserve(suites_.size() + derived.size());
    for (auto &suite : derived) {  // from here on nothing is allocated
        Suite *other = find(suite->name.c_str());
        if (other) {
            suite->forced = other->forced;
            *other = std::move(*suite);
        } else {
            suites_.push_back(std::move(suite));
        }
    }
}

Suite *Suites::find(const char *name) const {
    for (const auto &suite : suites_)
        if (suite->name == name) return suite.get();
    return nullptr;
}

int prepare_suite(const Suite &suite) {
    auto ready = [&](const Family &family, uint64_t least) -> int {
        Query query;
        query.bytes = query.least = least;
        for (;;) {
            Pick choice = pick(family, query, nullptr);
            if (!choice.variant) return CST_ERR_UNSUPPORTED;
            const Kernel *kernel;
            int error = suite.engine->fetch(*choice.variant, &kernel);
            if (error == CST_OK || error == CST_ERR_MEMORY) return error;  // after any other error pick leaves it out
        }
    };
    if (suite.hash)
        if (int error = ready(suite.hashes, suite.hash->record.block_bytes)) return error;
    if (suite.enciphers()) {
        if (!suite.engine->has("aes")) return CST_ERR_UNSUPPORTED;  // the key expansion
        if (int error = ready(suite.encrypts, suite.encrypt->record.block_bytes)) return error;
        if (int error = ready(suite.decrypts, suite.decrypt->record.block_bytes)) return error;
    }
    return CST_OK;
}

}  // namespace cst
