// Describes a kernel to the engine: what it computes, how many lanes it has, where each lane's entries are, what it
// costs.
#pragma once

#include <atomic>
#include <vector>

#include "../code/cache.hpp"
#include "cryptostitch/cryptostitch.h"
#include "call_counter.hpp"
#include "features.hpp"

namespace cst {

constexpr uint32_t NO_FIELD = 0xffffffff;
constexpr uint32_t MAX_LANES = 128;
constexpr size_t IDLE_OUT_BYTES = 8192;  // room for what a lane without a message writes in a call of few iterations
constexpr uint32_t MOST_CHAIN = 64;   // bytes of a chaining value
constexpr uint32_t MOST_FRAMED_CHAIN = MOST_WORDS * 8;  // bytes, of framed hashes (hash/framed.cpp)
constexpr uint32_t MOST_ALONE_STATE = 2048;  // bytes of a state block that is outside of lanes (executors/alone.hpp)
constexpr uint32_t MOST_POWERS = 32;  // rows of the key of a polynomial MAC: its powers
constexpr uint32_t MOST_MESSAGE_BLOCKS = 32;  // in an iteration of a kernel of messages,
constexpr uint32_t MOST_CHACHA_POLY_BLOCKS = 96;  // of ChaCha20-Poly1305,
constexpr uint32_t MOST_GCM_BLOCKS = 16;          // and of GCM;
constexpr uint32_t MOST_SHORT_GCM_BLOCKS = 32;    // of one for short messages
constexpr uint32_t MOST_WHOLE_GHASH = 8;      // of one of GHASH alone
constexpr uint32_t MOST_CHECKSUM_STATE = 512;  // bytes of a state block of a checksum
constexpr uint32_t MOST_PADDED = 128;          // bytes of a message of a list with its padding
constexpr uint32_t MESSAGE_AAD = 64;          // bytes for the AAD,
constexpr uint32_t SHORT_MESSAGE_AAD = 48;    // and of a short message; GCM's lengths follow
constexpr uint32_t GHASH_POWERS = 36, GHASH_ZEROS = MOST_GCM_BLOCKS - 1;  // rows of a key of GCM (suite/key.hpp)
constexpr uint32_t STATE_ALIGN =
    4096;  // of the memory that the engine gives to kernels: the most that a state block may require

// One algorithm, shared by all packs that define it.
struct Algorithm {
    AlgorithmRecord record;
    bool usable = false;  // suites may use it. The kernels of others are raw kernels only
    const Algorithm *base = nullptr;  // whose kernels it uses: mostly its own
};

enum class Role {
    other,    // no suite can use it; still a raw kernel
    hash,     // one hash, or a MAC
    encrypt,  // one cipher; also one that decrypts in the same way (counter modes)
    decrypt,
    pair,     // a cipher (encrypt) and the hash of its output, at least one iteration behind the cipher
    message,    // whole messages: of an AEAD, or of a cipher alone
    list,       // a list of them, whose state blocks are the jobs
    both,       // two hashes of the same input: the first has the place of the cipher
    codec,      // outputs of an erasure code
    schedule,   // the round keys of a cipher of one's own
    arithmetic,  // steps over numbers modulo a prime: one stream, in the place of the cipher, or two of them, the
                 // second in the place of the hash
    checked,     // whole messages of a cipher, and a checksum of what it reads or writes
    open_pair,  // a cipher (decrypt) and the hash of its input; where that is handed over, at least one iteration
                // behind it
};

// Offsets of one lane's entries from the start of the kernel's state area; NO_FIELD where the stream has no such field.
struct LanePlace {
    uint32_t in, out, chain, key, table;
};

// Fields of a kernel of messages, in the order of core/kinds.py. NO_FIELD: a cipher alone lacks the field.
struct MessagePlace {
    uint32_t counter, chain, lengths, key, tweak_key, powers, aad, aad_mask;
    uint32_t head_in, head_out, end_in, end_out, end_powers, end_mask, phase;
    uint32_t head_mask;   // of a checksum, whose head has up to an iteration's bytes
    uint32_t head;        // bytes of the text before the loop, which every message has
    uint32_t least;       // bytes of the shortest text,
    uint32_t most;        // and, of a list, of the longest
    uint32_t aad_blocks;  // blocks of AAD that it takes; a shorter AAD is at their end
    bool is_short;  // no message is longer than an iteration
    bool is_listed;  // messages are jobs of a list (Role::list)
    bool padded;     // the kernel hashes messages of a list that the runtime has padded
    bool bits;  // masks have a bit for each byte; else a byte, and whole vectors are read and written
};

// Fields of the checksum beside a kernel of messages (streams/crc32c_words.j2). The end has an iteration's bytes: zeros
// come first, and the mask has a bit for each byte.
struct SumPlace {
    uint32_t in, chain, phase, end_in, end_mask;
    bool reads_input;  // of the cipher; else its output
};

// Says which jobs a kernel of lists takes, apart from the bounds of their texts (MessagePlace).
struct ListedJobs {
    uint32_t key_bytes;  // that the kernel reads of a key object; it serves suites whose parts of the key end there
    uint32_t iv, least_aad, most_aad;  // bytes
    uint32_t tag;  // bytes of the tag that the kernel makes, of which a job may want fewer
    uint32_t unit = 1;  // bytes of which a text is a multiple; a power of two
    bool masks = false;  // accesses reach beyond a text and its AAD, under masks of the bytes that there are

    bool take_text(uint64_t bytes) const { return !(bytes & (unit - 1)); }
    bool take(uint64_t iv_bytes, uint64_t aad_bytes) const {
        return iv_bytes == iv && aad_bytes - least_aad <= most_aad - least_aad;
    }
    bool take(const cst_job &job) const { return take(job.iv_len, job.aad_len) && take_text(job.in_len); }
};

// The streams of one algorithm in a kernel; their lanes have consecutive numbers.
struct Part {
    const Algorithm *algorithm = nullptr;
    std::vector<LanePlace> lanes;
    uint32_t chain_rows = 0, chain_row_bytes = 0, chain_entry = 0;
    uint32_t key_rows = 0, key_row_bytes = 0;
    KeyForm key_form = KEY_USUAL;
    uint32_t table_bytes = 0;
    uint32_t chain_columns = 1;  // so many neighbouring lanes, from a multiple of that number on, have the words of a
                                 // row side by side, in 16 bytes; 1: none
    std::vector<uint32_t> key_copies;  // one key for all lanes: offset of each copy

    // Whether the words of a lane's chaining value follow one another.
    bool chain_together() const { return chain_row_bytes == chain_entry || chain_rows <= 1; }
    // Returns where the part's rows are among those of a key: behind those of the usual form, if it takes the other.
    const uint8_t *key_rows_in(const uint8_t *rows) const {
        return key_form == KEY_SLICED ? rows + size_t(16) * key_rows : rows;
    }
};

// Bytes of a state block.
struct Span {
    uint32_t from, bytes;
};

struct Cost {
    double per_iteration = 0;  // core cycles, for all lanes together
    double per_call = 0;
    double per_byte = 0;  // per_iteration / Variant::step
    bool measured = false;  // not estimated
    bool here = false;  // measured, and on this machine; else by the pack's table
};

struct Variant {
    const Pack *pack = nullptr;
    uint32_t index = 0;  // in the pack
    const char *name = "", *target = "";
    Features features = 0;
    bool runnable = false;  // the CPU has the features, and the code can be obtained

    Role role = Role::other;
    Part cipher, hash;  // empty if the role does not have the part
    uint32_t lanes = 0;  // of each part
    uint32_t step = 0;  // bytes per lane and iteration, of each part: a power of two, but where `message.is_short`
    uint32_t step_log2 = 0;
    uint64_t lanes_inverse = 0;  // 2^32 / lanes, rounded up
    uint32_t lag = 0;  // iterations per call must exceed it,
    bool any_length = false;  // or there may be none; a kernel of a list takes jobs of any length between its bounds
    MessagePlace message = {};
    ListedJobs jobs = {};
    SumPlace sum = {};
    bool hand = false;  // the hash reads the cipher's hand-over buffer: both must be at the same byte
    bool one_key = false;
    bool legacy_sse = false;  // slowed down by dirty upper halves of the vector registers

    uint32_t n_streams = 0;
    uint32_t state_offset[MAX_STREAMS] = {};
    uint32_t state_bytes = 0, state_align = 64;
    struct Link {
        uint32_t from, hand;  // the consumer's pointer field, the producer's buffer
    };
    std::vector<Link> links;

    Cost cost;
    Cost estimate;  // the value of `cost` if nobody has measured
    const Variant *instead =
        nullptr;  // the usual weave of the same kernel, if that one takes the place of this one (weaves.hpp)
    mutable std::atomic<const Kernel *> kernel{nullptr};
    mutable std::atomic<bool> refused{false};  // the OS or the assembler refused the code
    mutable CallCounter calls;  // made by the engine
    static constexpr size_t MOST_SECRETS = 2;
    Span secrets[MOST_SECRETS] = {};  // of a kernel of whole messages: rows that may hold secrets after a call

    bool for_suites() const { return runnable && role != Role::other; }
    bool stitched() const { return role == Role::pair || role == Role::open_pair || role == Role::both; }
    // Returns the fewest bytes of an item that the kernel can process.
    uint64_t need() const {
        const bool has_end = role == Role::checked;  // behind its iterations
        return any_length ? 0 : uint64_t(step) * (lag + 1) + has_end;
    }
    // Whether a kernel of whole messages takes one of so many bytes.
    bool takes_message(uint64_t bytes) const {
        return bytes >= message.least && !(message.is_short && bytes > step) &&
               !(message.is_listed && bytes > message.most);
    }
    // Rounds `bytes` up to whole iterations.
    uint64_t whole_iterations(uint64_t bytes) const { return (bytes + step - 1) & ~uint64_t(step - 1); }
    // Returns how often `items` items (fewer than 2^26) fill all lanes. This runs several times per burst for
    // every kernel, so it does not divide.
    size_t full_rounds(size_t items) const { return size_t(items * lanes_inverse >> 32); }
    void set_cost(const Cost &known);
};

// The records of a pack, read once.
struct PackRecords {
    const Pack *pack = nullptr;
    std::vector<const Algorithm *> algorithms;  // the engine's record for each algorithm of the pack
    std::vector<ProgramRecord> programs;

    const ProgramRecord &program(const StreamRecord &stream) const { return programs[stream.program]; }
    const Algorithm &algorithm(const StreamRecord &stream) const { return *algorithms[program(stream).algorithm]; }
};

// Fills in everything but `runnable`, `cost` and `estimate`. A kernel of a shape that no suite can use becomes
// Role::other; an error means a damaged pack.
int describe_variant(const PackRecords &records, uint32_t index, const KernelRecord &kernel, Variant *out);

}  // namespace cst
