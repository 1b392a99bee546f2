#include "suite.hpp"

#include <algorithm>
#include <cstring>

#include "crc.hpp"
#include "des.hpp"
#include "padding.hpp"

namespace cst {
namespace {

// A hash counts its message in bits, in 64 bits; MD5 would wrap, but nobody hashes two exabytes.
constexpr uint64_t kMostHashed = (uint64_t(1) << 61) - 1;
constexpr uint64_t kMostEnciphered = uint64_t(1) << 60;
constexpr uint64_t kMostGcm = (uint64_t(1) << 36) - 32;  // SP 800-38D, 5.2.1.1
// IEEE 1619, 5.1; SP 800-38E: at most 2^20 blocks under one tweak value.
constexpr uint64_t kMostTweaked = uint64_t(16) << 20;
// SP 800-38B, A.2: tags of less than 64 bits need an analysis of their own.
constexpr size_t kLeastBlockMac = 8;
// RFC 3566, 4: AES with 128-bit keys.
constexpr uint32_t kXcbcKey = 16;

// Tags of IPsec: RFC 2403, RFC 2404, RFC 4868.
struct EspTag {
    const char *hash;
    size_t bytes;
};
constexpr EspTag kEspTags[] = {{"md5", 12}, {"sha1", 12}, {"sha256", 16}, {"sha384", 24}, {"sha512", 32}};
// The hashes and AES keys of CBC cipher suites: RFC 5246, A.5; RFC 5289.
struct TlsSuite {
    const char *hash;
    size_t key_bytes;
};
constexpr TlsSuite kTlsSuites[] = {{"sha1", 16}, {"sha1", 32}, {"sha256", 16}, {"sha256", 32}, {"sha384", 32}};
// The hashes of RC4's cipher suites (RFC 5246, A.5: TLS_RSA_WITH_RC4_128_MD5, _SHA), and of DES's in ESP (RFC 2451, RFC
// 2403, RFC 2404).
bool legacy_hash(const Algorithm &hash) {
    return strcmp(hash.record.suite, "md5") == 0 || strcmp(hash.record.suite, "sha1") == 0;
}
// The hashes of OpenSSL's AES-B-CBC-HMAC-H-ETM.
constexpr const char *kCiphertextHashes[] = {"sha1", "sha256", "sha512"};
// Lengths from export keys to the longest that RFC 6229 has streams of.
constexpr size_t kRc4KeyMin = 5, kRc4KeyMax = 32;

// RFC 7518, 5.2.3 to 5.2.5: the MAC's key is as long as the tag.
struct Profile {
    const char *name, *hash;
    size_t cipher_key_bytes, tag_bytes;
};
constexpr Profile kProfiles[] = {
    {"a128cbc-hs256", "sha256", 16, 16}, {"a192cbc-hs384", "sha384", 24, 24}, {"a256cbc-hs512", "sha512", 32, 32}};

// Digests that stores and archives keep of the same bytes: S3's, git's, an object store's.
constexpr const char *kBoth[][2] = {{"md5", "sha256"}, {"sha1", "sha256"}, {"sha256", "crc32c"}};

// Ciphers of storage, and the checksums that are kept beside what they write: of the ciphertext, and of the plaintext
// by the name with this end.
constexpr const char *kChecked[][2] = {
    {"aes-128-xts", "crc32c"}, {"aes-256-xts", "crc32c"}, {"aes-256-xts", "crc16-t10-dif"}, {"aes-256-gcm", "crc32c"}};
constexpr const char *kOfPlaintext = "-plaintext";

constexpr const char *kMulti = "mh-", *kMultiWithRest = "mh-sha1";  // isa-l_crypto has MurmurHash3 beside this one

using Derived = std::vector<std::unique_ptr<Suite>>;

// Returns the algorithm of a kind that belongs to the same block cipher. NULL: there is none.
const Algorithm *of_same_cipher(const Engine &engine, const AlgorithmRecord &cipher, uint32_t kind) {
    for (const auto &a : engine.algorithms())
        if (a->usable && a->record.kind == kind && a->record.of_cipher(cipher) &&
            a->record.key_bytes == cipher.key_bytes && a->record.rounds == cipher.rounds)
            return a.get();
    return nullptr;
}

// Finds what makes the cipher's round keys and, if the suite needs it, the cipher by itself. Returns false if it is
// missing.
bool find_cipher(Suite *suite) {
    if (!suite->encrypt) return true;
    const AlgorithmRecord &cipher = suite->encrypt->record;
    if (cipher.is_mode() && !cipher.is_aes()) {
        suite->schedule = of_same_cipher(*suite->engine, cipher, ALGORITHM_SCHEDULE);
        return suite->schedule;
    }
    if (!suite->needs_block()) return true;
    suite->block = of_same_cipher(*suite->engine, cipher, ALGORITHM_ECB_ENC);
    return suite->block;
}

// Completes the suite with usual values and kernels, and adds it.
void complete(Suite &&suite, Derived *derived) {
    if (!find_cipher(&suite)) return;
    if (!suite.iv_max) suite.iv_min = suite.iv_max = suite.iv_bytes;
    if (!suite.key_max) suite.key_min = suite.key_max = suite.key_bytes;
    suite.lay_out_messages();
    suite.key_layout = lay_out_key(suite);
    if (suite.kind == CST_DIGEST && !is_checksum(suite)) hash_initial(suite.hash->record, suite.initial);
    suite.find_kernels();
    derived->push_back(std::make_unique<Suite>(std::move(suite)));
}

constexpr size_t kTreeKey = 32;
constexpr size_t kMostMacKey = size_t(1) << 32;
// Of an HMAC that authenticates a cipher. HMAC itself takes any key (RFC 2104), but under an empty one, what is left of
// a slice that went wrong, everybody can forge. Others are taken as OpenSSL takes them.
constexpr size_t kLeastMacKey = 1;

// Adds the keyed hash and the key derivation of BLAKE3 (2.3); the latter's key is a context string.
void add_tree_macs(const Suite &digest, Derived *derived) {
    Suite keyed = digest, derives = digest;
    keyed.name += "-keyed";
    keyed.tree_mode = KEYED_HASH;
    keyed.mac_key_min = keyed.mac_key_max = kTreeKey;
    derives.name += "-derive-key";
    derives.tree_mode = DERIVE_KEY_MATERIAL;
    derives.mac_key_max = kMostMacKey;
    for (Suite *mac : {&keyed, &derives}) {
        mac->kind = CST_MAC;
        complete(std::move(*mac), derived);
    }
}

// Returns the step of a kind with which messages of the algorithm begin or end: that of its suite's name. NULL: there
// is none.
const Algorithm *step_of(const Engine &engine, const AlgorithmRecord &of, uint32_t kind) {
    for (const auto &a : engine.algorithms())
        if (a->usable && a->record.kind == kind && !strcmp(a->record.suite, of.suite) && a->record.words == of.words &&
            a->record.word_bytes == of.word_bytes && a->record.key_bytes == of.key_bytes &&
            (kind != ALGORITHM_START || a->record.iv_bytes == of.iv_bytes))
            return a.get();
    return nullptr;
}

// Adds a hash with a key of its own, a MAC.
void add_keyed_hash(const Engine &engine, const Algorithm *hash, Derived *derived) {
    Suite mac;
    mac.engine = &engine;
    mac.name = hash->record.suite;
    mac.kind = CST_MAC;
    mac.construction = Construction::framed;
    mac.hash = hash;
    mac.start = step_of(engine, hash->record, ALGORITHM_START);
    mac.finish = step_of(engine, hash->record, ALGORITHM_FINISH);
    mac.mac_key_min = mac.mac_key_max = hash->record.key_bytes;
    mac.tag_min = mac.tag_max = hash->record.digest_bytes;
    mac.max_bytes = kMostHashed;
    if (mac.start) complete(std::move(mac), derived);
}

void add_hash(const Engine &engine, const Algorithm *hash, Derived *derived) {
    if (hash->record.keyed_hash()) return add_keyed_hash(engine, hash, derived);
    Suite digest;
    digest.engine = &engine;
    digest.name = hash->record.suite;
    digest.kind = CST_DIGEST;
    digest.hash = hash;
    digest.tag_min = digest.tag_max = hash->record.digest_bytes;
    digest.max_bytes = kMostHashed;
    if (hash->record.framed()) digest.construction = Construction::framed;
    if (hash->record.tree()) digest.construction = Construction::tree;
    if (hash->record.has_leaves()) digest.construction = Construction::leaves;
    Suite mac = digest;
    if (hash->record.flags & ALGORITHM_EXTENDABLE) digest.tag_min = 1;
    if (hash->record.tree()) add_tree_macs(digest, derived);
    complete(std::move(digest), derived);
    if (!(hash->record.flags & ALGORITHM_HMAC)) return;
    mac.name = "hmac-" + mac.name;
    mac.kind = CST_MAC;
    mac.mac_key_max = kMostMacKey;
    mac.tag_min = std::min<size_t>(10, hash->record.digest_bytes);  // RFC 2104, 5: not less than 80 bits
    mac.max_bytes = kMostHashed - hash->record.block_bytes;
    complete(std::move(mac), derived);
}

void add_checksum(const Engine &engine, const Algorithm *checksum, Derived *derived) {
    Suite suite;
    suite.engine = &engine;
    suite.name = checksum->record.suite;
    suite.kind = CST_DIGEST;
    suite.construction = Construction::checksum;
    suite.hash = checksum;
    suite.tag_min = suite.tag_max = checksum->record.digest_bytes;
    suite.max_bytes = kMostHashed;
    if (checksum->base == checksum && !checksum->record.sums()) {  // the suite of any other checksum on its kernels
        Suite any = suite;
        any.name = any_checksum_name(Crc(checksum->record).reflected);
        any.named = false;
        any.key_bytes = sizeof(Crc);
        any.tag_min = any.tag_max = sizeof(uint64_t);
        complete(std::move(any), derived);
    }
    complete(std::move(suite), derived);
}

const Suite *find_derived(const Derived &derived, const char *name) {
    for (const auto &suite : derived)
        if (suite->name == name) return suite.get();
    return nullptr;
}

bool same_words(const AlgorithmRecord &a, const AlgorithmRecord &b) {
    return a.words == b.words && a.word_bytes == b.word_bytes && a.digest_bytes == b.digest_bytes &&
           a.flags & b.flags & ALGORITHM_BIG_ENDIAN && !memcmp(a.initial, b.initial, sizeof(a.initial));
}

// Adds the multi-hash of a hash (isa-l_crypto): "mh-" is in front of the hash's name.
void add_multi_hash(const Algorithm *segments, Derived *derived) {
    const char *const name = segments->record.suite;
    if (strncmp(name, kMulti, strlen(kMulti)) != 0) return;
    const Suite *const base = find_derived(*derived, name + strlen(kMulti));
    if (!base || base->construction != Construction::single || !same_words(base->hash->record, segments->record))
        return;
    Suite multi = *base;
    multi.name = name;
    multi.construction = Construction::multi;
    multi.segments = segments;
    for (const auto &a : multi.engine->algorithms()) {
        if (!a->usable || !a->record.leaves_rest() || strcmp(name, kMultiWithRest) != 0) continue;
        Suite both = multi;
        both.name += std::string("+") + a->record.suite;
        both.beside = a.get();
        both.tag_max = both.tag_min += a->record.digest_bytes;
        complete(std::move(both), derived);
    }
    complete(std::move(multi), derived);
}

// Adds two digests of the same bytes.
void add_both(const char *first, const char *second, Derived *derived) {
    const Suite *const halves[] = {find_derived(*derived, first), find_derived(*derived, second)};
    if (!halves[0] || !halves[1]) return;
    Suite both = *halves[0];
    both.name += std::string("+") + second;
    both.construction = Construction::both;
    both.second = halves[1]->hash;
    std::copy_n(halves, 2, both.halves);
    both.tag_min = both.tag_max = halves[0]->tag_max + halves[1]->tag_max;
    complete(std::move(both), derived);
}

// Adds a cipher and a checksum of the same messages.
void add_checked(const char *cipher, const char *checksum, Derived *derived) {
    const Suite *const halves[] = {find_derived(*derived, cipher), find_derived(*derived, checksum)};
    if (!halves[0] || !halves[1]) return;
    for (const bool plaintext : {false, true}) {
        Suite checked = *halves[0];
        checked.name += std::string("+") + checksum + (plaintext ? kOfPlaintext : "");
        checked.construction = Construction::checked;
        checked.second = halves[1]->hash;
        checked.sums_plaintext = plaintext;
        std::copy_n(halves, 2, checked.halves);
        checked.tag_min = checked.tag_max = halves[0]->tag_max + halves[1]->tag_max;
        complete(std::move(checked), derived);
    }
}

// Adds the MACs that are CBC-MAC with the last block masked.
void add_block_macs(const Engine &engine, const Algorithm *cbc_mac, Derived *derived) {
    Suite cmac;
    cmac.engine = &engine;
    cmac.hash = cbc_mac;
    cmac.kind = CST_MAC;
    cmac.mac_key_min = cmac.mac_key_max = cbc_mac->record.key_bytes;
    cmac.tag_min = kLeastBlockMac;
    cmac.tag_max = cbc_mac->record.block_bytes;
    cmac.max_bytes = kMostEnciphered;
    const std::string cipher = cbc_mac->record.cipher;
    Suite xcbc = cmac;
    cmac.construction = Construction::cmac;
    cmac.name = cipher + "-cmac";
    complete(std::move(cmac), derived);
    if (xcbc.mac_key_max != kXcbcKey) return;
    xcbc.construction = Construction::xcbc;
    xcbc.name = cipher + "-xcbc";
    complete(std::move(xcbc), derived);
}

// Adds CCM, which has one key for counter mode and CBC-MAC.
void add_ccm(const Engine &engine, const Algorithm *cipher, const Algorithm *cbc_mac, Derived *derived) {
    if (!cipher->record.of_cipher(cbc_mac->record)) return;
    Suite ccm;
    ccm.engine = &engine;
    ccm.name = std::string(cipher->record.cipher) + "-ccm";
    ccm.kind = CST_AEAD;
    ccm.construction = Construction::ccm;
    ccm.encrypt = ccm.decrypt = cipher;
    ccm.hash = cbc_mac;
    ccm.key_bytes = cipher->record.key_bytes;
    ccm.iv_bytes = 12;  // RFC 5116, 5.3
    ccm.iv_min = 7;     // SP 800-38C, A.1
    ccm.iv_max = 13;
    ccm.tag_min = 4;
    ccm.tag_max = 16;
    ccm.aad_max = kMostHashed;
    ccm.max_bytes = kMostGcm;  // kernels count in 32 bits
    complete(std::move(ccm), derived);
}

// Returns the kind of the decryption that belongs to an encryption; 0: it is no encryption.
uint32_t inverse_kind(uint32_t kind) {
    switch (kind) {
        case ALGORITHM_CIPHER_ENC: return ALGORITHM_CIPHER_DEC;
        case ALGORITHM_XTS_ENC: return ALGORITHM_XTS_DEC;
        case ALGORITHM_ECB_ENC: return ALGORITHM_ECB_DEC;
        case ALGORITHM_DES_ENC: return ALGORITHM_DES_DEC;
        default: return 0;
    }
}

// Makes an XTS suite, which has two keys, the second for the tweak.
void make_xts(Suite *suite) {
    suite->construction = Construction::xts;
    suite->key_bytes *= 2;
    suite->block_bytes = 1;
    suite->min_bytes = 16;
    suite->max_bytes = kMostTweaked;
}

Suite cipher_suite(const Engine &engine, const Algorithm *encrypt, const Algorithm *decrypt) {
    Suite suite;
    suite.engine = &engine;
    suite.name = encrypt->record.suite;
    suite.kind = CST_CIPHER;
    suite.encrypt = encrypt;
    suite.decrypt = decrypt;
    suite.key_bytes = encrypt->record.key_bytes;
    suite.iv_bytes = suite.mac_iv_bytes = encrypt->record.iv_bytes;
    suite.block_bytes = suite.half_blocks() ? DES_BLOCK : encrypt->record.block_bytes;
    suite.max_bytes = kMostEnciphered;
    return suite;
}

// Makes a suite of encrypt-then-MAC with HMAC.
Suite etm_suite(const Suite &cipher, const Algorithm *hash) {
    Suite etm = cipher;
    etm.construction = Construction::etm;
    etm.name += std::string("+hmac-") + hash->record.suite + "-etm";
    etm.kind = CST_AEAD;
    etm.hash = hash;
    etm.mac_key_min = kLeastMacKey, etm.mac_key_max = kMostMacKey;
    etm.aad_max = kMostHashed;
    etm.tag_min = std::min<size_t>(12, hash->record.digest_bytes), etm.tag_max = hash->record.digest_bytes;
    return etm;
}

// Finds the algorithms that process its messages as a whole: those of its name.
void find_messages(Suite *suite) {
    for (const auto &a : suite->engine->algorithms())
        if (a->usable && a->record.is_message() && suite->name == a->record.suite)
            suite->message[a->record.decrypts_only()] = a.get();
}

// Adds a cipher in counter mode, and GCM and encrypt-then-MAC with it.
void add_counter(const Engine &engine, const Algorithm *cipher, const Algorithm *ghash,
                 const std::vector<const Algorithm *> &hashes, Derived *derived) {
    Suite counter = cipher_suite(engine, cipher, cipher);
    counter.construction = Construction::counter;
    counter.block_bytes = 1;
    if (ghash) {
        Suite gcm = counter;
        gcm.construction = Construction::gcm;
        gcm.name = std::string(cipher->record.cipher) + "-gcm";
        gcm.kind = CST_AEAD;
        gcm.hash = ghash;
        gcm.iv_bytes = 12;
        gcm.iv_min = 1;
        gcm.iv_max = kMostHashed;
        gcm.tag_min = 4;
        gcm.tag_max = 16;
        gcm.aad_max = kMostHashed;
        gcm.max_bytes = kMostGcm;
        find_messages(&gcm);
        complete(std::move(gcm), derived);
    }
    for (const Algorithm *hash : hashes) complete(etm_suite(counter, hash), derived);
    complete(std::move(counter), derived);
}

void make_esp(Suite *suite, size_t tag_bytes) {
    suite->construction = Construction::esp;
    suite->tag_min = suite->tag_max = tag_bytes;
    suite->aad_min = ESP_HEADER, suite->aad_max = ESP_HEADER + ESP_EXTENSION;
}

// Adds all suites of a cipher and a hash together.
void add_pairs(const Suite &cipher, const Algorithm *hash, Derived *derived) {
    const std::string hash_name = hash->record.suite;
    const Suite etm = etm_suite(cipher, hash);
    for (const EspTag &tag : kEspTags) {
        if (hash_name != tag.hash) continue;
        Suite esp = etm;
        esp.name = cipher.name + "+hmac-" + hash_name + "-" + std::to_string(8 * tag.bytes);
        make_esp(&esp, tag.bytes);
        complete(std::move(esp), derived);
    }
    for (const TlsSuite &known : kTlsSuites) {
        if (hash_name != known.hash || known.key_bytes != etm.key_bytes || hash->record.digest_bytes > TLS_MOST_MAC)
            continue;
        Suite tls = etm;
        tls.construction = Construction::tls;
        tls.name = cipher.name + "+hmac-" + hash_name + "-tls";
        tls.tag_min = tls.tag_max = 0;
        tls.aad_min = tls.aad_max = TLS_AAD;
        tls.block_bytes = 1;
        tls.expansion = hash->record.digest_bytes + 16;
        tls.max_bytes = TLS_MOST_PLAIN;
        complete(std::move(tls), derived);
    }
    for (const Profile &known : kProfiles) {
        if (hash_name != known.hash || known.cipher_key_bytes != etm.key_bytes ||
            hash->record.digest_bytes < known.tag_bytes)
            continue;
        Suite profile = etm;
        profile.construction = Construction::rfc7518;
        profile.name = known.name;
        profile.key_bytes = known.tag_bytes + known.cipher_key_bytes;
        profile.mac_key_min = profile.mac_key_max = 0;
        profile.tag_min = profile.tag_max = known.tag_bytes;
        profile.block_bytes = 1;
        profile.expansion = 16;
        complete(std::move(profile), derived);
    }
    for (const char *known : kCiphertextHashes) {
        if (hash_name != known || cipher.half_blocks()) continue;
        Suite alone = etm;
        alone.name = cipher.name + "+hmac-" + hash_name + "-ciphertext";
        alone.mac_iv_bytes = 0;
        complete(std::move(alone), derived);
    }
    complete(Suite(etm), derived);
}

// Adds ESP with XCBC (RFC 3566, 4.1) in the place of HMAC.
void add_esp_xcbc(const Suite &cipher, const Algorithm *cbc_mac, Derived *derived) {
    if (cbc_mac->record.key_bytes != kXcbcKey || cipher.key_bytes != kXcbcKey) return;
    Suite esp = cipher;
    esp.name += "+aes-xcbc-96";
    esp.kind = CST_AEAD;
    esp.hash = cbc_mac;
    esp.mac_key_min = esp.mac_key_max = kXcbcKey;
    make_esp(&esp, 12);
    complete(std::move(esp), derived);
}

// Adds the suites of RFC 8439: 2.8 (the text has at most 2^32 - 1 blocks), and the cipher alone, whose IV is block
// counter and nonce.
void add_chacha(const Engine &engine, const Algorithm *chacha, const Algorithm *poly1305, Derived *derived) {
    Suite cipher = cipher_suite(engine, chacha, chacha);
    cipher.construction = Construction::chacha;
    cipher.block_bytes = 1;
    if (poly1305) {
        Suite aead = cipher;
        aead.construction = Construction::chacha_poly;
        aead.name += std::string("-") + poly1305->record.suite;
        aead.kind = CST_AEAD;
        aead.hash = poly1305;
        aead.iv_bytes = 12;
        aead.tag_min = aead.tag_max = 16;
        aead.aad_max = kMostHashed;
        aead.max_bytes = (uint64_t(1) << 38) - 64;
        find_messages(&aead);
        complete(std::move(aead), derived);
    }
    complete(std::move(cipher), derived);
}

// Adds an AEAD of one state. What makes the tag takes the place of its hash.
void add_duplex(const Engine &engine, const Algorithm *duplex, Derived *derived) {
    Suite aead = cipher_suite(engine, duplex, duplex);
    aead.kind = CST_AEAD;
    aead.construction = Construction::duplex;
    aead.start = step_of(engine, duplex->record, ALGORITHM_START);
    aead.hash = step_of(engine, duplex->record, ALGORITHM_FINISH);
    aead.block_bytes = 1;
    aead.tag_min = aead.tag_max = duplex->record.digest_bytes;
    aead.aad_max = kMostHashed;
    if (aead.start && aead.hash) complete(std::move(aead), derived);
}

void add_rc4(const Engine &engine, const Algorithm *rc4, const std::vector<const Algorithm *> &hashes,
             Derived *derived) {
    Suite cipher = cipher_suite(engine, rc4, rc4);
    cipher.construction = Construction::rc4;
    cipher.block_bytes = 1;
    cipher.key_min = kRc4KeyMin;
    cipher.key_max = kRc4KeyMax;
    for (const Algorithm *hash : hashes) {
        if (!legacy_hash(*hash)) continue;
        Suite aead = etm_suite(cipher, hash);
        aead.construction = Construction::rc4_hmac;
        complete(std::move(aead), derived);
    }
    complete(std::move(cipher), derived);
}

}  // namespace

void Suite::lay_out_messages() {
    row = row_of(*this);
    lengths = lengths_of(*this);
    for (const bool opened : {false, true}) sure[opened] = sure_lengths_of(*this, opened);
}

void Suites::derive(const Engine &engine) {
    const auto suite_of_cipher = [&](const Algorithm *cipher) -> const Suite * {
        for (const auto &suite : suites_)
            if (suite->kind == CST_CIPHER && suite->encrypt == cipher) return suite.get();
        return nullptr;
    };
    Derived derived;
    std::vector<const Algorithm *> hashes, multis, counters, cbc_macs;
    const Algorithm *ghash = nullptr, *chacha = nullptr, *poly1305 = nullptr, *rc4 = nullptr;
    std::vector<Suite> ciphers;
    for (const auto &a : engine.algorithms()) {
        if (!a->usable) continue;
        if (a->record.segments()) multis.push_back(a.get());
        else if (a->record.leaves_rest()) continue;
        else if (a->record.of_another_kind()) add_hash(engine, a.get(), &derived);
        else if (a->record.kind == ALGORITHM_HASH) hashes.push_back(a.get());
        if (a->record.kind == ALGORITHM_CHECKSUM) add_checksum(engine, a.get(), &derived);
        if (a->record.kind == ALGORITHM_COUNTER) counters.push_back(a.get());
        if (a->record.kind == ALGORITHM_GHASH) ghash = a.get();
        if (a->record.kind == ALGORITHM_CHACHA) chacha = a.get();
        if (a->record.kind == ALGORITHM_POLY1305) poly1305 = a.get();
        if (a->record.kind == ALGORITHM_RC4) rc4 = a.get();
        if (a->record.kind == ALGORITHM_DUPLEX) add_duplex(engine, a.get(), &derived);
        if (a->record.kind == ALGORITHM_CBC_MAC) cbc_macs.push_back(a.get());
        const uint32_t inverse = inverse_kind(a->record.kind);
        if (!inverse) continue;
        for (const auto &b : engine.algorithms()) {
            if (!b->usable || b->record.kind != inverse || strcmp(a->record.suite, b->record.suite) != 0) continue;
            Suite suite = cipher_suite(engine, a.get(), b.get());
            if (inverse == ALGORITHM_XTS_DEC) make_xts(&suite);
            if (inverse == ALGORITHM_CIPHER_DEC || inverse == ALGORITHM_DES_DEC) ciphers.push_back(std::move(suite));
            else complete(std::move(suite), &derived);
        }
    }
    for (const Algorithm *hash : hashes) add_hash(engine, hash, &derived);
    for (const Algorithm *cbc_mac : cbc_macs) {
        add_block_macs(engine, cbc_mac, &derived);
        for (const Algorithm *counter : counters) add_ccm(engine, counter, cbc_mac, &derived);
    }
    for (const Algorithm *counter : counters) add_counter(engine, counter, ghash, hashes, &derived);
    for (const Suite &cipher : ciphers) {
        for (const Algorithm *hash : hashes)
            if (!cipher.half_blocks() || legacy_hash(*hash)) add_pairs(cipher, hash, &derived);
        for (const Algorithm *cbc_mac : cbc_macs) add_esp_xcbc(cipher, cbc_mac, &derived);
        complete(Suite(cipher), &derived);
    }
    if (chacha) add_chacha(engine, chacha, poly1305, &derived);
    if (rc4) add_rc4(engine, rc4, hashes, &derived);
    for (const Algorithm *multi : multis) add_multi_hash(multi, &derived);
    for (const auto &both : kBoth) add_both(both[0], both[1], &derived);
    for (const auto &checked : kChecked) add_checked(checked[0], checked[1], &derived);
    suites_.reserve(suites_.size() + derived.size());
    for (auto &suite : derived) {  // nothing is allocated from here on
        Suite *other = find(suite->name.c_str());
        if (other) {
            if (!other->has_algorithms_of(*suite)) continue;
            suite->forced = other->forced;
            *other = std::move(*suite);
        } else {
            suites_.push_back(std::move(suite));
        }
    }
    for (const auto &suite : suites_) {
        if (suite->comes_in_parts()) suite->cipher = suite_of_cipher(suite->encrypt);
        if (!suite->second) continue;
        const size_t plus = suite->name.find('+');
        for (const auto &half : suites_)
            if (!suite->name.compare(0, plus, half->name)) suite->halves[0] = half.get();
        suite->halves[1] = find(suite->second->record.suite);
    }
}

const char *any_checksum_name(bool reflected) { return reflected ? "crc-reflected" : "crc-normal"; }

Suite *Suites::find(const char *name) const {
    for (const auto &suite : suites_)
        if (suite->name == name) return suite.get();
    return nullptr;
}

}  // namespace cst
