// Reads packs: records by index, checked when they are read. The reader owns nothing and copies no strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace cst {

// AlgorithmRecord::kind; generator/cryptostitch/core/kinds.py explains each.
enum : uint32_t {
    ALGORITHM_HASH = 1,
    ALGORITHM_CIPHER_ENC = 2,
    ALGORITHM_CIPHER_DEC = 3,
    ALGORITHM_COUNTER = 4,
    ALGORITHM_CHACHA = 5,
    ALGORITHM_GHASH = 6,
    ALGORITHM_POLY1305 = 7,
    ALGORITHM_XTS_ENC = 8,
    ALGORITHM_XTS_DEC = 9,
    ALGORITHM_ECB_ENC = 10,
    ALGORITHM_ECB_DEC = 11,
    ALGORITHM_CBC_MAC = 12,
    ALGORITHM_RC4 = 13,
    ALGORITHM_DES_ENC = 14,
    ALGORITHM_DES_DEC = 15,
    ALGORITHM_GCM_ENC = 16,
    ALGORITHM_GCM_DEC = 17,
    ALGORITHM_CHACHA_POLY_ENC = 18,
    ALGORITHM_CHACHA_POLY_DEC = 19,
    ALGORITHM_CHECKSUM = 20,
    ALGORITHM_CODEC = 21,
    ALGORITHM_SCHEDULE = 22,
    ALGORITHM_ARITHMETIC = 23,
    ALGORITHM_START = 24,
    ALGORITHM_FINISH = 25,
    ALGORITHM_DUPLEX = 26
};
enum : uint32_t {
    ALGORITHM_BIG_ENDIAN = 1,
    ALGORITHM_EXTENDABLE = 2,
    ALGORITHM_HMAC = 4,
    ALGORITHM_LEAVES = 8
};  // AlgorithmRecord::flags
// AlgorithmRecord::padding; generator/cryptostitch/core/catalog.py explains each.
enum : uint32_t {
    PADDING_LENGTH = 0,
    PADDING_COUNTED = 1,
    PADDING_SPONGE = 2,
    PADDING_TREE = 3,
    PADDING_SEGMENTS = 4,
    PADDING_REST = 5,
    PADDING_LOW_LENGTH = 6
};
constexpr uint32_t MOST_WORDS = 25;  // of a hash's chaining value
constexpr uint32_t SEGMENTS = 16;  // of a multi-hash
constexpr uint32_t MOST_STATE = 128;  // bytes of a chaining value with a step at a message's beginning or end
constexpr uint32_t MOST_FRAME = 256;  // bytes that a kernel reads for a padded block, or a step
constexpr uint32_t MOST_DIGEST = 64;
constexpr uint32_t MOST_ROUND_KEYS = 24;  // rows of 16 bytes, of any cipher
// Returns a number of bytes, rounded up to rows of 16.
constexpr uint32_t whole_rows(uint32_t bytes) { return (bytes + 15) & ~15u; }
enum : uint32_t {
    PROGRAM_BY1 = 1,
    PROGRAM_SHARED_KEY = 2,
    PROGRAM_HAND = 4,
    PROGRAM_READS_INPUT = 8
};  // ProgramRecord::flags
enum : uint32_t {
    FIELD_SECRET = 1,
    FIELD_SHARED = 2,
    FIELD_REACH_WRITTEN = 4,
    FIELD_FORM_SHIFT = 4,
    FIELD_REACH_ALIGN_SHIFT = 8
};  // FieldRecord::flags
// FieldRecord::form(), of keys; KEY_FORMS of generator/cryptostitch/core/contract.py explains each.
enum KeyForm : uint32_t { KEY_USUAL, KEY_R, KEY_LIMBS_26, KEY_LIMBS_44, KEY_WORDS, KEY_BITS, KEY_NIBBLES, KEY_SLICED };
enum : uint32_t { KERNEL_STATIC = 1 };  // KernelRecord::flags
enum : uint32_t { MAX_STREAMS = 4, MAX_CODE_BYTES = 1u << 20 };

// Describes how a sponge hashes a long message in leaves, and a node over their digests (hash/leaves.cpp). Tree in
// generator/cryptostitch/core/tree.py explains each field. All zeros: the algorithm has no leaves.
struct LeavesRecord {
    struct Bytes {
        const uint8_t *data;  // inside the pack
        uint32_t size;
    };
    uint32_t leaf_bytes, digest_bytes, leaf_domain, node_domain;
    Bytes behind, marker, end;
};
constexpr uint32_t MOST_LEAF_BYTES = 1u << 20, MOST_LEAF_DIGEST = 64;
constexpr uint32_t MOST_BEHIND = 1u << 16, MOST_LEAF_MARK = 8;  // bytes: of `behind`; of `marker` or `end`

struct AlgorithmRecord {
    const char *name, *suite;
    uint32_t kind, block_bytes, word_bytes, words, digest_bytes, flags, length_bytes, key_bytes, iv_bytes, rounds;
    uint32_t padding, input_bytes;  // of a hash; input_bytes: bytes that its kernels read for a block, or a step's
    uint32_t domain, last;  // of a sponge, domain of a duplex, too: the byte after the message, and what is added to
                            // the block's last byte
    uint32_t squeeze_bytes;  // of a sponge: output between two permutations
    LeavesRecord leaves;
    const char *cipher;  // the block cipher whose round keys it takes, or makes; it joins the modes of one. "": none
    uint64_t initial[MOST_WORDS];
    uint32_t base;  // index + 1, in the same pack, of the hash or checksum whose kernels it runs with another initial
                    // value, or another polynomial, and digest length; or 0

    // Returns what the first rule says that the record breaks, alone or beside its base; NULL where it breaks none. The
    // rules are those of generator/cryptostitch/core/row_rules.py.
    const char *broken_rule() const;
    const char *broken_base_rule(const AlgorithmRecord &base) const;
    bool known_kind() const { return kind >= ALGORITHM_HASH && kind <= ALGORITHM_DUPLEX; }
    // Whether kernels of the hash read padded blocks (hash/framed.cpp), instead of blocks in place.
    bool framed() const {
        return kind == ALGORITHM_HASH &&
               (padding == PADDING_COUNTED || padding == PADDING_SPONGE || padding == PADDING_LOW_LENGTH);
    }
    // Whether it is a step with which messages of another algorithm of its suite begin or end
    // (executors/state_steps.hpp).
    bool is_step() const { return kind == ALGORITHM_START || kind == ALGORITHM_FINISH; }
    // Whether the hash has a key, with which a step begins.
    bool keyed_hash() const { return kind == ALGORITHM_HASH && key_bytes; }
    // Whether its chaining value is words.
    bool has_words() const { return kind == ALGORITHM_HASH || kind == ALGORITHM_DUPLEX || is_step(); }
    bool of_another_kind() const { return kind == ALGORITHM_HASH && padding != PADDING_LENGTH; }
    // Whether it is a hash of chunks, and of their chaining values (hash/tree.cpp).
    bool tree() const { return kind == ALGORITHM_HASH && padding == PADDING_TREE; }
    // Whether its kernels hash segments of a message, side by side (hash/multi_hash.cpp).
    bool segments() const { return kind == ALGORITHM_HASH && padding == PADDING_SEGMENTS; }
    // Whether what is left of a text behind whole blocks is not the kernels' (suite/murmur3.hpp).
    bool leaves_rest() const { return kind == ALGORITHM_HASH && padding == PADDING_REST; }
    // Whether a long message is hashed in leaves (hash/leaves.cpp).
    bool has_leaves() const { return flags & ALGORITHM_LEAVES; }
    // Returns how many bytes a kernel reads for a block.
    uint32_t read_bytes() const { return has_words() ? input_bytes : block_bytes; }
    uint32_t chain_bytes() const { return words * word_bytes; }
    // Whether it is a MAC without padding of its own, under a key of its own.
    bool keyed_mac() const {
        return kind == ALGORITHM_GHASH || kind == ALGORITHM_POLY1305 || kind == ALGORITHM_CBC_MAC;
    }
    // Whether it reads, and writes nothing: the hash side of a kernel.
    bool reads_only() const { return kind == ALGORITHM_HASH || is_step() || kind == ALGORITHM_CHECKSUM || keyed_mac(); }
    // Whether it is a checksum of sums modulo a number, its fourth word (streams/adler32.j2), not of a polynomial.
    bool sums() const { return kind == ALGORITHM_CHECKSUM && words == 4; }
    bool decrypts_only() const {
        return kind == ALGORITHM_CIPHER_DEC || kind == ALGORITHM_XTS_DEC || kind == ALGORITHM_ECB_DEC ||
               kind == ALGORITHM_DES_DEC || kind == ALGORITHM_GCM_DEC || kind == ALGORITHM_CHACHA_POLY_DEC;
    }
    // Whether it processes whole messages of an AEAD.
    bool is_message() const { return kind == ALGORITHM_GCM_ENC || kind == ALGORITHM_GCM_DEC || is_chacha_poly(); }
    bool is_chacha_poly() const { return kind == ALGORITHM_CHACHA_POLY_ENC || kind == ALGORITHM_CHACHA_POLY_DEC; }
    bool is_tweaked() const { return kind == ALGORITHM_XTS_ENC || kind == ALGORITHM_XTS_DEC; }
    bool is_des() const { return kind == ALGORITHM_DES_ENC || kind == ALGORITHM_DES_DEC; }
    bool has_chain() const { return kind != ALGORITHM_ECB_ENC && kind != ALGORITHM_ECB_DEC && kind != ALGORITHM_CODEC; }
    // Whether it is a mode of a block cipher of 16-byte blocks: its key is the cipher's round keys.
    bool is_mode() const {
        switch (kind) {
            case ALGORITHM_CIPHER_ENC:
            case ALGORITHM_CIPHER_DEC:
            case ALGORITHM_COUNTER:
            case ALGORITHM_XTS_ENC:
            case ALGORITHM_XTS_DEC:
            case ALGORITHM_ECB_ENC:
            case ALGORITHM_ECB_DEC:
            case ALGORITHM_CBC_MAC:
            case ALGORITHM_GCM_ENC:
            case ALGORITHM_GCM_DEC: return true;
            default: return false;
        }
    }
    // Whether it is a mode of AES, whose key schedule the library has itself (suite/aes.hpp).
    bool is_aes() const { return is_mode() && !strncmp(cipher, "aes-", 4); }
    bool of_cipher(const AlgorithmRecord &other) const { return !strcmp(cipher, other.cipher); }
    // Whether it is broken, or not constant-time (VARTIME.md), and so off unless asked for.
    bool legacy() const { return kind == ALGORITHM_RC4 || is_des(); }
};

// A known answer: what a suite makes of a message. Its parts are inside the pack, empty where the suite has none. out:
// the ciphertext.
struct AnswerRecord {
    struct Part {
        const uint8_t *data;
        uint32_t size;
    };
    const char *suite;
    Part key, mac_key, iv, aad, in, out, tag;
    uint32_t record_bytes;
};

// Entry (row, lane) of `entry_bytes` bytes is at offset + row * row_bytes + lane_offsets[lane]. reach: 0, or the number
// of bytes that may be read (FIELD_REACH_WRITTEN: written) where the field, a pointer, points; that address is a
// multiple of reach_align().
struct FieldRecord {
    const char *name;
    uint32_t offset, rows, row_bytes, entry_bytes, flags, reach, n_lanes;
    const uint16_t *lane_offsets;  // n_lanes entries, inside the pack

    uint32_t reach_align() const { return flags >> FIELD_REACH_ALIGN_SHIFT; }
    KeyForm form() const { return KeyForm(flags >> FIELD_FORM_SHIFT & 15); }
};

struct ConstantRecord {
    const uint8_t *data;
    uint32_t size;  // 4, 8, 16, 32 or 64
};

constexpr uint32_t ONE_BLOCK_AAD = 16;  // the most bytes of AAD of some kernels of lists

struct ProgramRecord {
    const char *name, *stream;
    uint32_t algorithm;  // index in the same pack
    uint32_t lanes, bytes, flags;
    uint8_t vectors, generals, masks;
    uint32_t state_bytes, state_align;
    const char *features;  // comma separated
    uint32_t n_enter, n_body, n_leave;
    uint32_t code_bytes;  // of the instructions, at most MAX_CODE_BYTES
    const uint8_t *stored;  // the instructions as stored.hpp reads them
    uint32_t stored_bytes;  // at most code_bytes
    uint32_t record_bytes;  // from its head to the end of the stored instructions
    std::vector<FieldRecord> fields;
    std::vector<ConstantRecord> constants;

    const FieldRecord *field(const char *field_name) const;  // NULL when there is none
    // Whether a call may have no iterations, because there is work besides the loop: a text's end, or its head.
    bool skips() const { return field("end_in") || field("head_in"); }
    // Whether a call takes a list of messages, jobs that are the state blocks: each section runs for every one, the
    // body once for each `bytes` that are between text_head() and an end of 1 to `bytes` bytes (core/contract.py).
    bool is_listed() const { return field("text_in") || field("padded_in"); }
    // Returns the bytes of such a text in front of the loop; 0: there is no loop, and no text is longer than `bytes`.
    uint32_t text_head() const {
        const FieldRecord *const text = field("text_bytes") ? field("text_in") : nullptr;
        return text && text->reach > bytes ? bytes : 0;
    }
    // Returns the fewest bytes of AAD of a job of a list: an AAD of at most a block has half of it at least.
    uint32_t least_aad() const {
        const FieldRecord *const aad = field("aad");
        return aad && aad->reach == ONE_BLOCK_AAD ? ONE_BLOCK_AAD / 2 : 0;
    }
    // Returns how many general registers a frame has for itself.
    uint32_t frame_generals() const { return is_listed() ? 2 + (text_head() != 0) : 1; }
};

struct StreamRecord {
    uint32_t program;  // index in the same pack
    uint32_t ratio;  // bodies per iteration
    int32_t lead;  // 1/1024 of an iteration
    uint32_t lag;  // iterations
};

struct KernelRecord {
    const char *name, *target, *features;
    uint32_t strategy, flags, n_streams;
    StreamRecord streams[MAX_STREAMS];
};

struct CostEntry {
    uint32_t kernel;  // index in the same pack
    uint32_t centicycles_per_iteration, centicycles_per_call;  // core cycles * 100
};

struct CostRecord {
    const char *microarchitecture;
    uint32_t centicycles_per_message;  // of a message in steps, besides its calls; 0: not known
    std::vector<CostEntry> entries;
};

// How far a pack is trusted. `built_in`: it came with the library; records are checked one by one as they are read
// (opening costs nothing). `foreign`: the application supplied it; CRC, every record and every program's memory
// accesses are checked when it is opened.
enum class Origin { built_in, foreign };

class Pack {
public:
    // Opens a pack. `bytes` must be 4-byte aligned and outlive the pack. Returns CST_OK, CST_ERR_ARGUMENT or
    // CST_ERR_PACK.
    int open(const void *bytes, size_t size, Origin origin);

    Origin origin() const { return origin_; }
    // Returns why a foreign pack was refused: one sentence, or only that it is damaged.
    const std::string &why() const { return why_; }
    uint32_t size() const { return size_; }
    uint32_t n_mnemonics() const { return mnemonics_.count; }
    uint32_t n_algorithms() const { return algorithms_.count; }
    uint32_t n_programs() const { return programs_.count; }
    uint32_t n_kernels() const { return kernels_.count; }
    uint32_t n_costs() const { return costs_.count; }
    uint32_t n_answers() const { return answers_.count; }

    // Each function fills *out. Returns CST_OK or CST_ERR_PACK (a damaged record, an index that is out of range).
    int mnemonic(uint32_t index, const char **out) const;
    // Checks its base, too. Sets *broken, unless it is NULL, to the rule that the record breaks, or to NULL.
    int algorithm(uint32_t index, AlgorithmRecord *out, const char **broken = nullptr) const;
    int program(uint32_t index, ProgramRecord *out) const;
    int kernel(uint32_t index, KernelRecord *out) const;
    int cost(uint32_t index, CostRecord *out) const;
    int answer(uint32_t index, AnswerRecord *out) const;

    // Returns CST_OK, CST_ERR_NAME or CST_ERR_PACK.
    int find_kernel(const char *name, uint32_t *index) const;

private:
    struct Section {
        uint32_t offset, count;
    };
    int record(const Section &section, uint32_t index, uint32_t *offset) const;
    int plain_algorithm(uint32_t index, AlgorithmRecord *out) const;
    int field(uint32_t index, FieldRecord *out) const;
    int constant(uint32_t index, ConstantRecord *out) const;

    const uint8_t *data_ = nullptr;
    uint32_t size_ = 0;
    Origin origin_ = Origin::built_in;
    std::string why_;
    Section strings_{}, mnemonics_{}, algorithms_{}, fields_{}, constants_{}, programs_{}, kernels_{}, costs_{},
        answers_{};
};

}  // namespace cst
