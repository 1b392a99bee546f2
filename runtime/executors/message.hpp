// A job in progress, the buffers of its caller, and the memory of the messages in progress together.
#pragma once

#include <cstring>

#include "../plan/sizes.hpp"
#include "../suite/key.hpp"
#include "../suite/padding.hpp"
#include "copy.hpp"
#include "cryptostitch/cryptostitch.h"
#include "slot.hpp"

namespace cst {

constexpr int JOB_WAITING = 1;  // the status of a job that is checked and not run yet

// Says what the jobs of a burst have in common. none: nothing is known. kind: all jobs have one suite and direction,
// and IVs and AADs of the same lengths, and their buffers are in one piece. shape: their texts have the same length,
// too.
enum class Likeness : uint8_t { none, kind, shape };

// Makes a job of the library's own in place, since a copy of what has just been written would wait for it. Its other
// members are 0.
inline cst_job &new_job(cst_job *at, const Key &key, int direction) {
    *at = {};
    at->size = sizeof(*at);
    at->key = reinterpret_cast<const cst_key *>(&key);
    at->direction = direction;
    at->status = JOB_WAITING;
    return *at;
}

// A caller's buffer, in one piece or several. Positions count from the buffer's first byte. It caches the piece of the
// last access, so that accesses near each other are cheap.
class Buffer {
public:
    // pieces: what the buffer consists of instead of `data`, if n_pieces is not 0.
    void set(const void *data, uint64_t bytes, const cst_piece *pieces, size_t n_pieces) {
        data_ = static_cast<uint8_t *>(const_cast<void *>(data));
        bytes_ = bytes;
        first_ = 0;
        pieces_ = nullptr;
        if (!n_pieces) return;
        pieces_ = pieces;
        n_ = n_pieces;
        index_ = 0;
        data_ = static_cast<uint8_t *>(pieces[0].data);
        bytes_ = pieces[0].bytes;
    }

    bool scattered() const { return pieces_ != nullptr; }
    uint8_t *at(uint64_t position) {
        if (pieces_ && position - first_ >= bytes_) seek(position);
        return data_ + (position - first_);
    }
    // Returns how many bytes are contiguous from `position` on.
    uint64_t together(uint64_t position) {
        if (pieces_ && position - first_ >= bytes_) seek(position);
        return bytes_ - (position - first_);
    }

    // Not inlined: where registers are short, a compiler may leave the vectors that it copies by on the stack.
    void read(uint64_t position, uint8_t *to, size_t n);
    void write(uint64_t position, const uint8_t *from, size_t n);
    void zero(uint64_t position, uint64_t n);

private:
    // Calls each(data, bytes) for the contiguous parts of n bytes from `position` on.
    template <typename Each>
    void each(uint64_t position, uint64_t n, Each each) {
        while (n) {
            uint8_t *data = at(position);
            const uint64_t here = together(position), some = here < n ? here : n;
            each(data, some);
            position += some;
            n -= some;
        }
    }
    void seek(uint64_t position);

    const cst_piece *pieces_;
    size_t n_, index_;
    uint64_t first_, bytes_;  // of the piece at data_
    uint8_t *data_;
};

// Whether a buffer of the job is in pieces.
inline bool in_pieces(const cst_job &job) { return (job.n_in_pieces | job.n_out_pieces) != 0; }
// Whether all lengths of two jobs are the same, but those of the texts.
inline bool as_long_but_text(const cst_job &a, const cst_job &b) {
    return !((a.aad_len ^ b.aad_len) | (a.iv_len ^ b.iv_len) | (a.tag_len ^ b.tag_len));
}

// Sealing, writes the digest of a job, or its first tag_len bytes; opening, compares them: false on a mismatch.
bool settle_digest(cst_job *job, const uint8_t *digest);

// Rejects a forgery: sets CST_ERR_AUTH and zeroes the output.
void refuse_unopened(cst_job *job);

// Progress of a message's MAC (message/mac.cpp). body: the AAD is hashed; done: everything is.
enum class Stage : uint8_t { aad, body, done };

struct Message {
    cst_job *job;
    const Key *key;
    Buffer in, out;

    // Text: up to `text_end` it is in `in` and `out`.
    uint64_t ciphered, text_end, text_stop;  // text_stop: where run_texts stops

    // MAC: it covers the head, `body_bytes` of `body`, the trailer.
    Buffer *body;
    uint64_t body_bytes, hashed, hash_stop;  // hash_stop: where run_bodies stops
    uint64_t aad_hashed;  // bytes of the AAD
    uint32_t boundary;  // bytes of the body up to the first block boundary after the head
    Stage stage;
    bool whole;  // the message is assembled as a whole
    bool to_end;  // the message is hashed to its end
    bool scattered;
    bool paired;  // a pair kernel does the middle
    bool chain_wanted;  // the chaining value after the text is needed
    bool in_place;
    bool failed;  // did not authenticate

    const uint8_t *cipher_from;  // initial chaining value of the cipher, 16 bytes; for RC4 followed by its table
    const uint8_t *round_keys;
    const uint8_t *hash_from;  // initial chaining value of the hash: words in host order
    const uint8_t *mac_keys_end;  // MACs with a key: end of the key's last row

    // The used part of the fields from here on is wiped.
    alignas(16) uint8_t chain[16];  // of the cipher
    alignas(16) uint8_t hash_chain[64];
    alignas(16) uint8_t digest[64];
    alignas(16) uint8_t last[MOST_LAST];
};

// Memory in which kernels work.
struct LaneMemory {
    uint8_t *state = nullptr;  // Engine::most_state_bytes() bytes, aligned to STATE_ALIGN
    uint8_t *idle_out =
        nullptr;  // IDLE_OUT_BYTES: output of lanes without a message, which repeat the input of another lane
    uint8_t *scratch = nullptr;  // SCRATCH_PITCH bytes for each lane
    Slot<53248> step;  // what a step, or a walk, knows of all lanes
    size_t state_used = 0, scratch_lanes = 0, scratch_used = 0, idle_used = 0;  // scratch_used: the most of any lane

    // Returns the bounce buffer of a lane, and notes that `bytes` bytes of it are to be wiped.
    uint8_t *scratch_of(uint32_t lane, size_t bytes) {
        if (scratch_lanes <= lane) scratch_lanes = lane + 1;
        if (scratch_used < bytes) scratch_used = bytes;
        return scratch + lane * SCRATCH_PITCH;
    }
};

// Holds everything that a burst needs, allocated before anything is written.
class Memory {
public:
    ~Memory();
    // Makes room for min(n, MOST_MESSAGES) messages at once. Returns CST_OK or CST_ERR_MEMORY.
    int allocate(const Engine &engine, size_t n);
    size_t room() const { return room_; }
    // Wipes the memory that was used, and the stack below the caller.
    void clean();

    LaneMemory lanes;
    Message *messages = nullptr;
    Message **list = nullptr, **other = nullptr;  // lists with the same room, for a step
    size_t messages_used = 0;
    size_t secret_bytes = 0;  // bytes of each message, from `chain` on, that are wiped

    // Area of each message, for suites that need it: what a message in windows knows; the end of a TLS record; the
    // bytes of a message with Poly1305 that go with the first call, and powers of its key.
    static constexpr size_t AREA_BYTES = 2304;
    // Returns the area of the i-th message, and notes that `bytes` bytes of it are to be wiped.
    uint8_t *area_of(size_t i, size_t bytes) {
        if (area_used < bytes) area_used = bytes;
        if (areas_wiped_ <= i) areas_wiped_ = i + 1;
        return areas_ + i * AREA_BYTES;
    }
    uint8_t *area_of(const Message &m, size_t bytes) { return area_of(size_t(&m - messages), bytes); }
    size_t area_used = 0;

    // Jobs that stand for others, one slot above the other: of a column, or of jobs that lie apart; in one piece; of
    // half a suite.
    Slot<24576> window, pieces, halves;
    Slot<16384> windows;  // a walk over windows of messages
    cst_job **waiting = nullptr;  // a list of jobs with the same room
    Slot<57344> work;  // what a construction knows of its messages

    // For copies of texts that are in pieces (run/one_piece.hpp): some bursts' worth of packets, or records of TLS.
    static constexpr size_t LINE = 64, MOST_COPIED = 20480, COPIES_BYTES = 65536;
    uint8_t *copies = nullptr;
    size_t copies_used = 0;

private:
    void *base_ = nullptr;
    uint8_t *areas_ = nullptr;
    size_t areas_wiped_ = 0;  // those to be wiped
    Spare *spare_ = nullptr;  // where the memory came from
    size_t room_ = 0;
};

// Messages of one suite and direction that are in progress together, the longest first.
struct Class {
    const Suite *suite;
    Memory *memory;
    Message *messages;
    size_t n;
    bool opens, one_key;
    bool same_shape = false;  // equal lengths of text, AAD and IV, in one piece each
};

}  // namespace cst
