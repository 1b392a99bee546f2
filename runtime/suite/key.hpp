// An expanded key: a header, and the parts that its suite needs (key_layout.hpp).
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>

#include "aes.hpp"
#include "crc.hpp"
#include "des.hpp"
#include "rc4.hpp"
#include "suite.hpp"

namespace cst {

// The most round keys of any cipher.
constexpr uint32_t KEY_MOST_ROWS = DES_MOST_ROWS;
static_assert(KEY_MOST_ROWS > AES_MOST_ROUNDS && KEY_MOST_ROWS >= MOST_ROUND_KEYS, "those of others fit too");

// Powers of GHASH's key: as many as kernels of messages need for two iterations and the lengths, and some more, so that
// they end where a cache line ends. Rows of zeros follow the last power, H, because kernels read whole iterations from
// any power on.
static_assert(GHASH_POWERS > 2 * MOST_GCM_BLOCKS && GHASH_POWERS >= MOST_POWERS && GHASH_POWERS % 4 == 0);
static_assert(GHASH_POWERS > SHORT_MESSAGE_AAD / 16 + MOST_SHORT_GCM_BLOCKS, "a short message has no loop");

static_assert(std::is_trivially_copyable<Crc>::value, "a copy of a key's bytes is the key");

typedef uint8_t KeyRow[16];

// Callers must not ask for parts that keys of the suite do not have.
class alignas(64) Key {
public:
    // Makes a key in memory of suite.key_layout.bytes bytes, aligned to 64. All parts are zeros.
    static Key *make(const Suite &suite, void *memory);
    Key(const Key &) = delete;
    Key &operator=(const Key &) = delete;

    const Suite *const suite;
    void *block = nullptr;  // block from malloc that contains the key; NULL: the memory is a caller's

    // Round keys in the order of use; for ChaCha20, the key. Both directions share them if the cipher is its own
    // inverse.
    const KeyRow *encrypt() const { return rows(KeyLayout::ENCRYPT); }
    KeyRow *encrypt() { return rows(KeyLayout::ENCRYPT); }
    const KeyRow *decrypt() const { return rows(suite->key_layout.decrypt); }
    KeyRow *decrypt() { return rows(suite->key_layout.decrypt); }
    const KeyRow *round_keys(bool open) const { return rows(suite->key_layout.round_keys(open)); }
    // XTS: the second key, for the tweak.
    const KeyRow *tweak() const { return rows(suite->key_layout.tweak); }
    KeyRow *tweak() { return rows(suite->key_layout.tweak); }
    // The round keys of a block cipher's MAC, which has a key of its own beside a cipher. Of a hash with a key, the
    // key.
    const KeyRow *mac() const { return rows(suite->key_layout.mac); }
    KeyRow *mac() { return rows(suite->key_layout.mac); }

    // Chaining values after key ^ ipad and key ^ opad (RFC 2104); for a plain digest `inner` is the initial value, for
    // a hash with a key what its start makes of that. As long as the hash's words.
    const uint8_t *inner() const { return suite->key_layout.inner ? at(suite->key_layout.inner) : suite->initial; }
    uint8_t *inner() { return at(suite->key_layout.inner); }
    const uint8_t *outer() const { return at(suite->key_layout.outer); }
    uint8_t *outer() { return at(suite->key_layout.outer); }

    // CMAC, XCBC: the masks of the last block, for a block that is whole and for one that was padded.
    const uint8_t *whole() const { return at(suite->key_layout.masks); }
    uint8_t *whole() { return at(suite->key_layout.masks); }
    const uint8_t *filled() const { return whole() + sizeof(KeyRow); }
    uint8_t *filled() { return whole() + sizeof(KeyRow); }

    // GHASH: H^GHASH_POWERS .. H (suite/ghash.hpp). Checksums: their rows (suite/crc.hpp).
    const KeyRow *powers() const { return rows(suite->key_layout.powers); }
    KeyRow *powers() { return rows(suite->key_layout.powers); }
    // A checksum's parameters.
    const Crc &crc() const { return *reinterpret_cast<const Crc *>(at(suite->key_layout.crc)); }
    // Returns the factor by which kernels multiply a checksum's value so far, if so many bytes follow it (crc_rows).
    const uint8_t *phase(size_t bytes) const {
        return reinterpret_cast<const uint8_t *>(powers() + CRC_KEY) + 8 * bytes;
    }
    void set_crc(const Crc &crc) { memcpy(at(suite->key_layout.crc), &crc, sizeof(crc)); }
    // Two digests: the key of the first or the second. A cipher and a checksum: the cipher's, or the checksum's.
    const Key &half(uint32_t i) const { return *reinterpret_cast<const Key *>(at(suite->key_layout.halves[i])); }
    uint8_t *half_memory(uint32_t i) { return at(suite->key_layout.halves[i]); }
    // RC4: the state with which every message begins.
    const uint8_t *rc4() const { return at(suite->key_layout.rc4); }
    uint8_t *rc4() { return at(suite->key_layout.rc4); }

    static constexpr uint32_t HEADER = 2 * sizeof(void *);

private:
    explicit Key(const Suite &its_suite) : suite(&its_suite) {}

    const uint8_t *at(size_t offset) const { return reinterpret_cast<const uint8_t *>(this) + offset; }
    uint8_t *at(size_t offset) { return reinterpret_cast<uint8_t *>(this) + offset; }
    const KeyRow *rows(size_t offset) const { return reinterpret_cast<const KeyRow *>(at(offset)); }
    KeyRow *rows(size_t offset) { return reinterpret_cast<KeyRow *>(at(offset)); }
};
static_assert(sizeof(Key) == KeyLayout::ENCRYPT, "what lies behind the header");

// Wipes all of the key.
void wipe_key(Key *key);
struct WipeAndFree {
    void operator()(Key *key) const;
};
using KeyPointer = std::unique_ptr<Key, WipeAndFree>;

inline const Key &key_of(const cst_job &job) { return *reinterpret_cast<const Key *>(job.key); }
// Sets the results of a job whose whole input becomes output. Paths of one call set them before it: else the vectors in
// which the next burst reads its jobs wait for these stores.
inline void text_done(cst_job *job) {
    job->out_len = job->in_len;
    job->status = CST_OK;
}

}  // namespace cst
