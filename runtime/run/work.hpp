// The jobs of one suite and one direction that are worked on together, and the memory for it.
#pragma once

#include <cstring>

#include "../suite/key.hpp"
#include "../suite/padding.hpp"
#include "../suite/poly1305.hpp"
#include "buffer.hpp"
#include "cryptostitch/cryptostitch.h"
#include "lanes.hpp"

namespace cst {

constexpr size_t MOST_WORKS = 128;    // jobs in hand at once: bounds the memory of a burst
constexpr size_t MOST_BLOCK = 128;    // of any hash
constexpr size_t JOIN_BLOCKS = 6;     // see Work::blocks

constexpr size_t BLOCKS_BYTES = 1024;  // see Work::blocks
static_assert(JOIN_BLOCKS * MOST_BLOCK <= BLOCKS_BYTES, "a whole message fits");
constexpr size_t MOST_LAST = 64;      // bytes that a suite's padding and MAC make of the end of a text
constexpr uint64_t LONG_STRETCH = 256;  // bytes of a scattered buffer that are worth a run of their own

// One job under way.
struct Work {
    cst_job *job = nullptr;
    const Key *key = nullptr;
    Item item;
    Buffer in, out;

    // Cipher: `bulk` bytes go from `in` to `out`; blocks that padding completes, if any, are in `last`.
    uint64_t bulk = 0, ciphered = 0, cipher_end = 0;  // cipher_end: where run_cipher is to stop
    uint32_t last_bytes = 0;

    // Hash: the head (see head_bytes), then `body`, then the trailer.
    Buffer *body = nullptr;               // `in` or `out`
    uint64_t body_bytes = 0, hashed = 0, hash_end = 0;  // of the body; hash_end: where hash_bodies is to stop
    uint64_t ready = 0;                   // of the body: there to be read already (the ciphertext of a job that is being sealed grows)
    bool aad_waits = false;               // its whole blocks are not hashed yet
    size_t joint = 0;                     // bytes of `blocks`, where head and body meet, that are not hashed yet
    size_t head = 0;                      // bytes of the head in `blocks` that go with the end, because the body is too short for a joint
    uint32_t boundary = 0;                // bytes of the body up to the first block boundary behind the head
    uint8_t record_length[2];             // TLS: the length that the MAC covers
    uint32_t tail_blocks = 0;             // TLS, opening: see record_open.cpp

    bool whole = false;     // the message fits `blocks`
    bool ended = false;     // its end has been hashed
    bool paired = false;    // a pair kernel does the middle
    bool aligned = false;   // cipher and hash stand at the same byte then
    bool failed = false;    // did not authenticate
    bool counts_far = false;  // counter mode: carries go beyond the 32 bits that kernels count in
    uint32_t powers_rows = 0;  // that `powers` holds
    size_t blocks_used = 0; // bytes of `blocks` to wipe
    size_t detour = 0;      // bytes that go by way of `blocks` because they do not lie together

    void use_blocks(size_t bytes) { blocks_used = blocks_used < bytes ? bytes : blocks_used; }
    bool scattered() const { return in.scattered() || out.scattered(); }
    // Of the two blocks before only the second counts.
    void begin_half_chain() {
        memset(chain, 0, DES_BLOCK);
        memcpy(chain + DES_BLOCK, job->iv, DES_BLOCK);
        item.cipher_from = chain;
    }

    // From here on what was used is wiped.
    alignas(16) uint8_t chain[16];  // of the cipher
    alignas(8) uint8_t hash_chain[64];
    alignas(8) uint8_t last[MOST_LAST];

    // Where head and body, or body and padding, meet: less than a block of AAD, the IV (16), less than a block of the body and its
    // padded last blocks (48), the trailer (8), 0x80 and the length (at most 16): at most three blocks.
    // A message that fits in altogether is put together here instead: one run of the hash kernel rather than one each for head, body and end.
    alignas(16) uint8_t blocks[BLOCKS_BYTES + PAD_SLACK];

    alignas(16) uint8_t powers[POLY_MOST_ROWS * 16];  // of Poly1305's key, as the kernel with so many rows wants them
};

struct ShortJob;  // short_jobs.hpp

// Everything that a burst needs, allocated before anything is written.
class Arena {
public:
    ~Arena();
    // Room for min(n, MOST_WORKS) jobs at once. CST_ERR_MEMORY.
    int allocate(const Engine &engine, size_t n);
    size_t works_room() const { return room_; }
    // Room for the chain and the table of a work's cipher.
    uint8_t *table(size_t i) {
        tables_used = true;
        return tables_ + i * RC4_STATE;
    }
    // Makes a work, the first or the next.
    Work *begin(size_t i);
    // Wipes what was used.
    void clean();

    LaneMemory lanes;
    Work *works = nullptr;
    size_t works_used = 0;
    bool powers_used = false, tables_used = false;
    ShortJob *short_jobs = nullptr;  // as many as works
    size_t short_jobs_used = 0;
    uint8_t *short_blocks = nullptr;  // SHORT_BLOCKS for each of them, and PAD_SLACK
    size_t short_blocks_used = 0;
    Item **items = nullptr;  // of a phase
    Item **order = nullptr;

private:
    void *base_ = nullptr;
    uint8_t *tables_ = nullptr;
    Spare *spare_ = nullptr;  // where it came from
    size_t room_ = 0;
};

// One chunk of jobs.
struct Batch {
    const Suite *suite;
    Arena *arena;
    Work *works;
    size_t n;
    bool one_key;
};

// A part of the work on all jobs, by the kernels of a family. `Jobs`: Batch or ShortBatch.
template <typename Jobs>
Phase phase_of(const Jobs &batch, const Family &family) {
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &family;
    phase.one_key = batch.one_key;
    return phase;
}
// Runs it over the first n of the arena's items, if there are any.
template <typename Jobs>
void run_items(const Jobs &batch, const Family &family, size_t n) {
    if (n) run_phase(phase_of(batch, family), &batch.arena->lanes, batch.arena->items, batch.arena->order, n);
}

// ---- message.cpp: the hash side --------------------------------------------------------------------------------------

// What the MAC covers in front of the body: AAD and IV; ESP: SPI, sequence number, IV; TLS: sequence number, type, version and length.
uint64_t head_bytes(const Suite &suite, uint64_t aad_len);
// What of it is AAD; the rest is the IV, or TLS's length.
inline uint64_t aad_in_head(const Suite &suite, uint64_t aad_len) { return suite.construction == Construction::esp ? ESP_HEADER : aad_len; }
// Writes the head without the AAD's first bytes: only the last `rest` of it. Returns how much that is.
size_t put_head(const Suite &suite, const Work &work, size_t rest, uint8_t *to);
// Appends what comes between body and padding. Returns its size.
size_t put_trailer(const Suite &suite, const cst_job &job, uint8_t *to);
// Whether a message is put together in `blocks` altogether; no pair kernel runs on it then.
bool fits_whole(const Suite &suite, uint64_t head, uint64_t body);
// Sets `whole` and `boundary` of each work, whose `body_bytes` is known. Returns whether all are whole.
bool lay_out(const Batch &batch);
// Of works that are not whole: makes the head, with the body's first bytes up to the next block boundary where the body is that long already.
void make_heads(const Batch &batch);
// Of works that are not whole: hashes the head and whole blocks of the body, up to `hash_end`.
void hash_bodies(const Batch &batch);
// All that is left of the message, with trailer and padding; then the outer hash. The result is the hash_chain of each work.
void hash_finish(const Batch &batch);
// Of HMAC the outer hash alone: hash_chain is the chaining value of the inner one.
void hash_outer(const Batch &batch);
// One block, at the start of `blocks`, of each work that has more than `i` tail_blocks.
void hash_tail_block(const Batch &batch, uint32_t i);
// The first n bytes of the digest in hash_chain.
void read_tag(const Work &work, uint8_t *to, size_t n);

// ---- cipher.cpp ------------------------------------------------------------------------------------------------------

// Runs the suite's cipher over whole blocks: each work from `ciphered` up to `cipher_end`.
void run_cipher(const Batch &batch, bool decrypt);
// Encrypts `last_bytes` of `last` and writes them behind `bulk`.
void run_last(const Batch &batch);
// Ciphers of half blocks: runs the one that run_cipher has left over, where there is one, with another that does not count.
void run_half(const Batch &batch, bool decrypt);

// ---- counter.cpp -----------------------------------------------------------------------------------------------------

// The stretch of counter mode that one call does best; what is left over of it goes through `blocks`.
constexpr uint64_t COUNTER_STRIDE = 256;
// Where in `blocks` the rest goes beside HMAC: behind the joint of head and body.
constexpr size_t REST_BESIDE_HASH = 2 * MOST_BLOCK;
static_assert(REST_BESIDE_HASH + COUNTER_STRIDE <= BLOCKS_BYTES, "the rest fits behind the joint");
// Bytes that are run for so many.
size_t counter_room(size_t bytes);
// Runs what run_cipher has left over, less than COUNTER_STRIDE bytes of each work, by way of `at` of `blocks`.
void run_rests(const Batch &batch, size_t at);
// Bytes until the counter carries beyond 32 bits; then the carry is to be added.
uint64_t before_carry(const Work &work);
void carry(Work *work);
// Seals or opens: it is the same.
void counter_batch(const Batch &batch);

// ---- stitch.cpp ------------------------------------------------------------------------------------------------------

// The part of a batch's messages that pair kernels do.
struct Middle {
    const Family *family;
    bool aligned;     // cipher and hash stand at the same byte: hand-over kernels may run
    bool overwrites;  // the hash reads what the cipher overwrites; else it reads what the cipher wrote
    bool opens;
    const Variant *choice = nullptr;

    // The hash must be ahead of the cipher.
    bool ahead() const { return overwrites && !aligned; }
};
// Cipher position at which a pair kernel starts (`boundary` is known), and the hash's.
uint64_t cipher_start(const Work &work, const Middle &middle);
uint64_t hash_start(const Work &work, const Middle &middle);
// Marks the works (of the middle's alignment, and not marked already) whose middle a pair kernel will do.
void choose_middle(const Batch &batch, Middle *middle);
// Both stand at their starts. Afterwards fewer bytes are left than a pair kernel needs.
void run_middle(const Batch &batch, const Middle &middle);

// ---- block_mac.cpp, ccm.cpp, xts.cpp -----------------------------------------------------------------------------------

// CBC-MAC under the key's round keys starts from 0.
void begin_cbc_mac(Work *work);
// Where the end of a body of so many bytes begins: it has at least a byte, unless the body is empty, and at most 64.
uint64_t cbc_mac_end(uint64_t bytes);
// CBC-MAC of the body from `hashed` on, up to `body_bytes`, from the item's chaining value on, to hash_chain. make_end(work) puts the end of the body (at most 64 bytes) into
// `blocks`, with what is to follow it, and returns how many bytes, whole blocks, are there.
void run_cbc_mac(const Batch &batch, size_t (*make_end)(Work *));
// The end, filled up with zeros.
size_t zero_filled_end(Work *work);
void seal_ccm(const Batch &batch);
void open_ccm(const Batch &batch);

void seal_block_macs(const Batch &batch);
void open_block_macs(const Batch &batch);
// The key of CMAC or XCBC: its round keys, and the masks of `out`.
void expand_block_mac(const Suite &suite, const uint8_t *key, uint8_t (*round_keys)[16], Key *out);
// Fills up and masks the last block of a message that ends with `bytes` bytes at `end`. Returns how many bytes, whole blocks, are there then.
size_t mask_end(const Key &key, uint8_t *end, size_t bytes);
void seal_xts(const Batch &batch);
void open_xts(const Batch &batch);

// ---- seal.cpp, open.cpp, record_seal.cpp, record_open.cpp ----------------------------------------------------------------

void seal_batch(const Batch &batch);
void open_batch(const Batch &batch);
void seal_records(const Batch &batch);
void open_records(const Batch &batch);
// chacha.cpp, chacha_poly.cpp
void chacha_batch(const Batch &batch);
void seal_chacha_poly(const Batch &batch);
void open_chacha_poly(const Batch &batch);
// A record that is to be sealed: sets what the work knows of its job.
void begin_record(Work *work);
// Puts the end of the text, the MAC (from hash_chain) and the padding, bytes that all tell how many others there are, into `last`.
void end_record(const Suite &suite, Work *work);
// Encrypts, and hashes the heads and the stitched middles on the way. `bulk`, `body` and `body_bytes` are set, and the works laid out.
void encrypt_stitched(const Batch &batch);
// The other way: the heads and the stitched middles, as far as pair kernels go.
void open_stitched(const Batch &batch);
void write_tags(const Batch &batch);
void check_tags(const Batch &batch);
// CST_ERR_AUTH, and a zeroed output.
void fail(Work *work);
// PKCS#7 of a plaintext of `bulk` bytes that was authentic: sets out_len.
void remove_padding(Work *work);

}  // namespace cst
