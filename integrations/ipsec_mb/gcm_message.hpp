// Processes a message of GCM, or a piece of one, by one kernel call, under the caller's key in place.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "counter.hpp"
#include "message/constructions.hpp"
#include "suite/key.hpp"

namespace cst::imb {

// In gcm_key_data the round keys, the powers H^GHASH_POWERS .. H and rows of zeros stand at the same distances as in a
// key of the library (suite/key_layout.hpp), so that kernels that take the key of a job take it, too. The last byte of
// ghash_keys is 1 in keys of AES-128, whose powers begin 64 bytes earlier.
const KeyRow *powers_end(const gcm_key_data &key);
// Makes the powers. key_bytes: of AES, whose round keys are there, or 32 if there is none.
void put_powers(uint64_t key_bytes, const uint8_t *h, gcm_key_data *key);

struct GcmInput {
    const uint8_t *iv;
    uint64_t iv_bytes;
    const uint8_t *aad;
    uint64_t aad_bytes;
};

struct GcmMessage {
    bool opens;
    const uint8_t *counter;  // J0: the first block of the text has the next one
    const uint8_t *aad;      // at most MESSAGE_AAD bytes
    uint64_t aad_bytes;
    const uint8_t *in;  // in place, or apart
    uint8_t *out;
    uint64_t bytes;
};

inline bool meet(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(a), other = reinterpret_cast<uintptr_t>(b);
    return a_bytes && first < other + b_bytes && other < first + a_bytes;
}
// Whether the output overwrites a message's IV, of GCM_IV bytes, or its AAD. Kernels of lists read these when they
// like.
inline bool overwrites_head(const GcmMessage &m) {
    return meet(m.counter, GCM_IV, m.out, m.bytes) || meet(m.aad, m.aad_bytes, m.out, m.bytes);
}

// Whether there are powers enough for a message with so much AAD.
bool has_powers(uint64_t aad_bytes, uint64_t bytes);

// Write the text and the tag (of 16 bytes). Return false, and do nothing, if there is no kernel for it, or the last 32
// bits of the counter would carry. run_gcm_listed: by a kernel of lists, which takes no message that overwrites its
// head; the counter is that of an IV of GCM_IV bytes, of which the number is not read.
bool run_gcm_listed(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint8_t *tag);
bool run_gcm_message(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint64_t aad_length,
                     uint8_t *tag);

// Text in the midst of a message, at least a byte. `aad` is one block B, for the GHASH so far, which is B H. In the
// tag's place comes E(K, counter) + (B H^n + C1 H^(n-1) + .. + C(n-1) H): without the first, and with the last block Cn
// added, it is the next B.
bool run_gcm_piece(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &piece, uint8_t *chain);

// Messages that one call of a kernel of lists runs together. They must share no buffers.
class GcmList {
public:
    // Returns the call for a message under a key of the suite. NULL: gcm_whole must run it.
    const KernelCall *call_for(const Suite &suite, bool opens, const GcmInput &input, uint64_t bytes) {
        if (input.iv_bytes != GCM_IV || input.aad_bytes > SHORT_MESSAGE_AAD) return nullptr;
        const bool as_last =
            last_.suite == &suite && last_.opens == opens && last_.aad_bytes == input.aad_bytes && last_.bytes == bytes;
        if (!as_last) ask(suite, opens, input.aad_bytes, bytes);
        return last_.call;
    }
    // Takes a message as gcm_whole has it, which run() processes, if not a later add() does; it writes tag_bytes, at
    // most BLOCK, of the tag. Returns false, and does nothing, if the kernel does not take the message.
    [[nodiscard]] bool add(const KernelCall &call, const gcm_key_data &key, bool opens, const GcmInput &input,
                           uint8_t *out, const uint8_t *in, uint64_t bytes, uint8_t *tag, uint64_t tag_bytes);
    // Registers are left as the kernels leave them.
    void run();

private:
    static constexpr size_t MOST = 32;
    struct Tag {
        uint8_t *to;
        size_t bytes;
    };
    // The last answer of call_for, until run(): costs may change then.
    struct Last {
        const Suite *suite = nullptr;
        bool opens = false;
        uint64_t aad_bytes = 0, bytes = 0;
        const KernelCall *call = nullptr;
    };
    [[gnu::noinline]] void ask(const Suite &suite, bool opens, uint64_t aad_bytes, uint64_t bytes) {
        last_ = {&suite, opens, aad_bytes, bytes, list_call(suite, opens, aad_bytes, bytes)};
    }
    Last last_;
    size_t n_ = 0;
    bool any_short_ = false;
    cst_job jobs_[MOST];
    const KernelCall *calls_[MOST];
    Tag tags_[MOST];
    alignas(BLOCK) uint8_t made_[MOST][BLOCK];
};

}  // namespace cst::imb
