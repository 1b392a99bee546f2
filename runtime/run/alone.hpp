// Messages one after the other on kernels of one lane: what a cipher in counter mode and a MAC whose streams have one lane do with few or short messages.
// Where a call takes a hundred cycles, asking for a phase (lanes.hpp) takes several times that.
#pragma once

#include <cmath>

#include "one_lane.hpp"
#include "work.hpp"

namespace cst {

// Kernels that have been called keep a state block of their own in the arena, and in it the rows of the key that they were last called with.
class Alone {
public:
    // one_key: most messages have the key of the one before. decrypts: by the cipher's other direction.
    Alone(const Suite &suite, LaneMemory *memory, bool one_key, bool decrypts = false);
    ~Alone();
    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;

    // Whether every length of text can be run: nothing is forced, and the smallest kernel of the cipher, if the suite has one, is there.
    bool usable() const { return usable_; }
    // Whether the family has a kernel of one lane, ready to be called, for every number of blocks.
    static bool has_smallest(const Family &family, uint64_t block);

    // The following are about this message: its key, its item's mac_keys_end, `chain` and `hash_chain`.
    void take(Work *work) { work_ = work; }
    // Whole blocks of the cipher, as many as `bytes`.
    void cipher(const uint8_t *in, uint8_t *out, uint64_t bytes);
    // Counter mode over a text in one piece: whole strides run where they are, the rest through the work's `blocks`.
    void text(const uint8_t *in, uint8_t *out, uint64_t bytes);
    // The same over what is in `blocks`, at most 512 bytes.
    void text_in_blocks(size_t bytes);
    // Whole blocks of the hash, until fewer than `least` bytes are left, or kernels take more than `cycles` per byte. Returns the number of bytes.
    uint64_t hash(const uint8_t *in, uint64_t bytes, uint64_t least, double cycles);
    // All of them; the hash has its smallest kernel.
    void hash(const uint8_t *in, uint64_t bytes) { hash(in, bytes, 1, HUGE_VAL); }
    double cost(const Variant &variant, uint64_t bytes) const { return which_.cost(variant, bytes); }
    // The cheapest kernel of the hash for so many whole blocks; NULL: none.
    const Variant *choose_hash(uint64_t bytes);
    // What a kernel will do of whole blocks. Returns the number of bytes.
    uint64_t hash_on(const Variant &variant, const uint8_t *in, uint64_t bytes);
    // The rows at mac_keys_end are other ones now.
    void forget_mac_keys();
    // OneLane::pair.
    const Variant *choose_pair(uint64_t bytes, bool ahead);
    // Runs it. Returns the number of bytes.
    uint64_t both(const Variant &pair, const uint8_t *in, uint8_t *out, const uint8_t *hash_in, uint64_t bytes);

private:
    struct Slot {
        const Variant *variant;
        cst_kernel_fn fn;
        uint8_t *state;
        LanePlace cipher, hash;
        uint32_t step_log2;
        const uint8_t *round_keys, *mac_keys_end;  // in the state
        cst_kernel_args args;
    };
    struct Answer {
        uint64_t bytes;
        Slot *slot;
    };
    static constexpr size_t SLOTS = 8, ANSWERS = 8;

    Slot *slot_of(const Variant &variant);
    Slot *find_slot(Answer *answer, const Family &family, uint64_t bytes);
    // NULL: no kernel.
    Slot *slot_for(Answer *answers, const Family &family, uint64_t bytes) {
        Answer &answer = answers[(bytes >> 4 ^ bytes >> 8) % ANSWERS];
        return answer.bytes == bytes ? answer.slot : find_slot(&answer, family, bytes);
    }
    void note_used();
    template <bool ciphers, bool hashes>
    void call(Slot *slot, const uint8_t *in, uint8_t *out, const uint8_t *hash_in, uint64_t iterations);

    const Suite &suite_;
    const Family &ciphers_;
    LaneMemory &memory_;
    const size_t room_;
    const OneLane which_;
    Work *work_ = nullptr;
    size_t used_ = 0, n_ = 0;
    bool usable_ = false;
    Answer cipher_answers_[ANSWERS], hash_answers_[ANSWERS];  // of 0 bytes: none
    struct {
        uint64_t bytes = 0;
        bool ahead = false;
        const Variant *pair = nullptr;
    } last_;  // choose_pair
    Slot slots_[SLOTS];
};

}  // namespace cst
