// What a suite means: which algorithms it has, in which order, over which bytes. Suites are derived from the packs'
// algorithm records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../select/engine.hpp"
#include "../select/laid_calls.hpp"
#include "key_layout.hpp"
#include "lengths.hpp"
#include "message_row.hpp"

namespace cst {

// How cipher and MAC are combined.
enum class Construction {
    single,   // a cipher, a hash or a MAC alone
    etm,      // encrypt-then-MAC over aad || iv || ciphertext, or without the IV (mac_iv_bytes)
    rfc7518,  // etm with PKCS#7 padding, the AAD's length after the ciphertext under the MAC, one combined key, half a
              // tag (RFC 7518, 5.2)
    esp,  // etm (with HMAC or XCBC) with a tag of fixed length; the high half of an extended sequence number follows
          // the ciphertext (RFC 4303, 2.2.1)
    tls,  // MAC-then-encrypt of a record (RFC 5246, 6.2.3.2)
    counter,  // a cipher in counter mode
    gcm,  // SP 800-38D
    chacha,  // ChaCha20 alone (RFC 8439, 2.4)
    chacha_poly,  // AEAD_CHACHA20_POLY1305 (RFC 8439, 2.8)
    xts,  // a tweak in front of every block, ciphertext stealing (IEEE 1619)
    cmac,  // CBC-MAC with the last block masked (SP 800-38B)
    xcbc,  // CBC-MAC with the last block masked by other subkeys (RFC 3566)
    ccm,  // counter mode and CBC-MAC of the plaintext (SP 800-38C)
    rc4,  // RC4 alone: no IV, a key for each message
    rc4_hmac,  // encrypt-then-MAC with RC4, over aad || ciphertext
    checksum,  // a cyclic redundancy check
    framed,  // a hash whose kernels read padded blocks (frames), with a key of its own or without, or HMAC with it
    tree,  // a hash of chunks and of their chaining values (BLAKE3), or its keyed hash or key derivation
    leaves,  // a sponge that hashes long messages in leaves, and a node over their digests (KT128)
    multi,  // a hash of 16 segments of a message, then of their digests (multi-hash)
    both,  // two digests of the same bytes, one behind the other in the tag
    duplex,  // an AEAD of one state, with steps that make the state and the tag
    checked  // a cipher, alone or an AEAD, and a checksum of its plaintext or ciphertext behind its tag
};

// BLAKE3, table 3: the flags of a keyed hash, and of key material.
constexpr uint32_t KEYED_HASH = 16, DERIVE_KEY_MATERIAL = 64;

constexpr size_t AES_BLOCK = 16;
constexpr size_t CHACHA_BLOCK = 64, CHACHA_MOST_BLOCKS = 16;
// ChaCha20-Poly1305: texts of at most this length are encrypted together with the block that holds Poly1305's key.
constexpr size_t CHACHA_MOST_FIRST = (CHACHA_MOST_BLOCKS - 1) * CHACHA_BLOCK;
// Returns how many bytes of a text go with that block: all of a short text; of a long one so many that whole iterations
// of the widest kernels are left.
inline uint64_t chacha_first_bytes(uint64_t bytes) {
    return bytes <= CHACHA_MOST_FIRST ? bytes : bytes % (CHACHA_MOST_BLOCKS * CHACHA_BLOCK) & ~(CHACHA_BLOCK - 1);
}

struct Suite {
    const Engine *engine = nullptr;
    std::string name;
    bool named = true;  // false: callers cannot find it by its name
    int kind = 0;  // CST_DIGEST .. CST_AEAD
    const Algorithm *hash = nullptr, *encrypt = nullptr, *decrypt = nullptr;
    const Algorithm *second = nullptr;  // of two digests; `hash` is the first. Beside a cipher, the checksum
    const Algorithm *segments = nullptr;  // of a multi-hash; `hash` is the one that each segment has
    const Algorithm *beside = nullptr;  // of a multi-hash, a hash of the same bytes behind it in the tag; NULL: none
    const Suite *halves[2] = {};  // of two digests, the suites of each; or of the cipher, and of the checksum
    const Suite *cipher = nullptr;  // of an AEAD whose texts may come in parts, that of the cipher alone; NULL: none
    bool sums_plaintext = false;  // a checksum beside a cipher is of the plaintext, else of the ciphertext
    const Algorithm *block = nullptr;  // the cipher by itself, for masks of tags and first tweaks. A cipher of one's
                                       // own has none: its counter mode enciphers blocks (executors/alone.hpp)
    const Algorithm *start = nullptr, *finish = nullptr;  // steps with which messages begin and end; NULL: none
    const Algorithm *message[2] = {};  // of kernels of whole messages, for sealing and opening; NULL: none
    Construction construction = Construction::single;

    Family messages[2];
    Family lists[2];  // of such kernels that take a list of jobs,
    Family lists_of_any_aad[2];  // and of these of those for which no AAD is too short
    Family hashes, encrypts, decrypts, pairs;
    Family segment_hashes, beside_hashes, segments_and_beside;
    Family starts, finishes;
    Family whole_hashes, blocks;  // of single calls: GHASH outside of lanes, or a checksum; `block`, or counter mode
    Family single[2];  // XTS: kernels of one lane and one block an iteration, by direction, for stolen blocks
    Family open_pairs, handed_open_pairs;  // separate: hash and cipher begin at different places (message/middle.cpp)
    const Variant *forced = nullptr;
    bool remembered = true;  // choices of kernels for it are cached

    size_t key_bytes = 0, mac_key_min = 0, mac_key_max = 0, iv_bytes = 0, tag_min = 0, tag_max = 0, block_bytes = 1,
           expansion = 0;
    size_t iv_min = 0, iv_max = 0;  // iv_bytes is the usual length
    size_t mac_iv_bytes = 0;  // IV bytes that HMAC or XCBC covers, after the AAD
    size_t key_min = 0, key_max = 0;  // key_bytes is the usual length
    uint64_t aad_min = 0, aad_max = 0;
    uint64_t min_bytes = 0, max_bytes = 0;
    uint32_t tree_mode = 0;  // of BLAKE3: flags of all nodes of a message
    MessageRow row;  // derived from these, as are the lengths
    Lengths lengths;
    SureLengths sure[2];  // of jobs to be sealed and opened
    KeyLayout key_layout;
    uint8_t initial[MOST_FRAMED_CHAIN] = {};  // a digest's chaining value before the first block
    // Makes the round keys of a cipher of one's own; its kernels.
    const Algorithm *schedule = nullptr;
    Family schedules;
    mutable LaidCalls laid[2];  // of kernels that take a message whole, for sealing and opening

    bool mac() const { return kind == CST_MAC || kind == CST_AEAD; }
    bool hmac() const {
        return mac() && hash->record.kind == ALGORITHM_HASH && construction != Construction::tree && !keyed_hash();
    }
    // Whether it is a hash with a key of its own, with which a step begins.
    bool keyed_hash() const { return hash && hash->record.keyed_hash(); }
    // Whether it has a cipher and the MAC of a block cipher (ESP with XCBC).
    bool block_mac() const { return construction == Construction::esp && hash->record.kind == ALGORITHM_CBC_MAC; }
    // Whether the cipher is in counter mode: texts have any length.
    bool counts() const { return encrypt && encrypt->record.kind == ALGORITHM_COUNTER; }
    // Whether single blocks are enciphered beside texts.
    bool needs_block() const {
        return construction == Construction::gcm || construction == Construction::ccm ||
               construction == Construction::xts || (encrypt && encrypt->record.kind == ALGORITHM_ECB_ENC);
    }
    bool tweaked() const { return construction == Construction::xts; }
    // Whether blocks have 8 bytes, of which kernels take two at a time.
    bool half_blocks() const { return encrypt && encrypt->record.is_des(); }
    // Whether texts may come in parts: AES-GCM and ChaCha20-Poly1305.
    bool comes_in_parts() const {
        return construction == Construction::chacha_poly || (construction == Construction::gcm && block);
    }
    // Returns the hash whose kernels do the work; NULL: none.
    const Algorithm *hash_base() const { return hash ? hash->base : nullptr; }
    bool enciphers() const { return encrypt != nullptr; }
    // Returns how many bytes a text becomes when it is sealed: with padding (RFC 7518, 5.2.2.1), or with its MAC and
    // the least padding (RFC 5246, 6.2.3.2).
    size_t sealed_bytes(size_t text) const {
        if (row.added == MessageRow::Added::nothing) return text;
        return (text + (row.is_record() ? hash->record.digest_bytes : 0)) / AES_BLOCK * AES_BLOCK + AES_BLOCK;
    }
    const Family &ciphers(bool decrypt) const { return decrypt ? decrypts : encrypts; }
    // Fills in the row and the lengths: whoever changes what they are derived from calls this.
    void lay_out_messages();
    // Fills in the families.
    void find_kernels();
    // Whether keys of one suite serve the other.
    bool has_algorithms_of(const Suite &other) const {
        return hash == other.hash && second == other.second && encrypt == other.encrypt && decrypt == other.decrypt &&
               block == other.block && schedule == other.schedule && segments == other.segments &&
               beside == other.beside && start == other.start && finish == other.finish &&
               construction == other.construction && tree_mode == other.tree_mode;
    }
    // Whether the kernel does a part of the suite's work (whatever the CPU).
    bool could_use(const Variant &variant) const;
};

// SP 800-38C, A.1: n + q.
constexpr size_t CCM_IV_AND_COUNT = 15;
constexpr size_t GCM_IV = 12;  // the usual length
// RFC 7518, 5.2: the 64-bit AL after the ciphertext.
constexpr size_t AAD_LENGTH_BYTES = 8;
// RFC 4303: SPI and sequence number; the high half of an extended one follows.
constexpr size_t ESP_HEADER = 8, ESP_EXTENSION = 4;
// RFC 5246, 6.2.3.1: sequence number, type and version, which the caller gives; these with the length, the MAC's head;
// the longest plaintext, and by how much a ciphertext may exceed it; the most padding.
constexpr size_t TLS_AAD = 11, TLS_HEAD = 13, TLS_MOST_PLAIN = 1 << 14, TLS_MOST_EXPANSION = 2048,
                 TLS_MOST_PADDING = 256;
constexpr size_t TLS_MOST_MAC = 48;

inline bool is_checksum(const Suite &suite) { return suite.construction == Construction::checksum; }
// Whether the suite is an extendable-output function, with digests of any length.
inline bool extends(const Suite &suite) {
    return (suite.construction == Construction::framed || suite.construction == Construction::leaves ||
            suite.construction == Construction::tree) &&
           suite.hash->record.flags & ALGORITHM_EXTENDABLE;
}
// Returns the name of the suite of checksums whose polynomial is in the key.
const char *any_checksum_name(bool reflected);

class Suites {
public:
    // Derives the suites, also again, from the engine's algorithms and kernels. Suites that exist keep their address
    // and, because there may be keys, their algorithms, even if a later pack has others of the same names. If memory
    // runs out (an exception), nothing has changed.
    void derive(const Engine &engine);

    Suite *find(const char *name) const;
    const std::vector<std::unique_ptr<Suite>> &all() const { return suites_; }

private:
    std::vector<std::unique_ptr<Suite>> suites_;
};

// Returns the Poly1305 kernel for blocks outside of lanes: it takes r itself and has the fewest lanes. NULL: there is
// none.
const Variant *poly1305_alone(const Family &kernels);
constexpr uint32_t POLY1305_ALONE_STATE = 512;  // bytes of its state block, at most

// Returns the kernel of a family that does one iteration of at most `bytes` bytes for the least cycles, of those whose
// code prepare_suite has made. NULL: there is none.
const Variant *ready_kernel(const Family &family, uint64_t bytes);

// Makes the code of the kernels that the engine falls back to. Returns CST_OK if every length of input can be
// processed, CST_ERR_UNSUPPORTED if something is missing, or the error that kept the code from being made.
int prepare_suite(const Suite &suite);

}  // namespace cst
