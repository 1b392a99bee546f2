// Single kernel calls outside of lanes: a cipher of single blocks (masks of tags, first tweaks), and its key schedule;
// GHASH (SP 800-38D, 6.4) of AAD, long IVs, lengths, and the bytes of a text that whole iterations leave; Poly1305 (RFC
// 8439, 2.5).
#pragma once

#include "../suite/poly1305.hpp"
#include "message_calls.hpp"
#include "../plan/lineup.hpp"

namespace cst {

// Encrypts single blocks, one after the other. The suite must have `blocks`.
class BlockCalls {
public:
    explicit BlockCalls(const Suite &suite);
    // call: of one of the suite's `blocks`, laid down.
    explicit BlockCalls(const KernelCall &call) : part_(call), call_(&part_.room) {}
    ~BlockCalls();
    BlockCalls(const BlockCalls &) = delete;
    BlockCalls &operator=(const BlockCalls &) = delete;

    // out == in is allowed.
    void encipher(const uint8_t (*round_keys)[16], const uint8_t *in, uint8_t *out);

private:
    PartRoom part_;
    BlockCall call_;
    size_t n_ = 0;
};

// A kernel of one lane, outside of lanes, for one iteration at a time.
class OneLane {
public:
    OneLane(const OneLane &) = delete;
    OneLane &operator=(const OneLane &) = delete;

protected:
    OneLane(const Engine &engine, const Variant &v);
    ~OneLane();
    void call();

    const Variant &v_;
    const LanePlace place_;
    const bool clears_;
    const cst_kernel_fn fn_;
    cst_kernel_args args_ = {1, {}};
    size_t n_ = 0;  // calls
    alignas(64) uint8_t state_[MOST_ALONE_STATE];
};

// Makes the round keys of a cipher of one's own, by a kernel of `schedules`.
class KeySchedule : public OneLane {
public:
    KeySchedule(const Suite &suite, const Variant &v) : OneLane(*suite.engine, v), record_(suite.schedule->record) {}
    void expand(const uint8_t *key, uint8_t (*round_keys)[16]);

private:
    const AlgorithmRecord &record_;
};

// Runs single blocks through a cipher of 16-byte blocks whose kernels take the round keys into their state.
class OneBlock : public OneLane {
public:
    // family: kernels of one lane and one block an iteration, of which prepare_suite has loaded one.
    OneBlock(const Suite &suite, const Family &family)
        : OneLane(*suite.engine, *ready_kernel(family, AES_BLOCK)), rows_(suite.encrypt->record.rounds + 1) {}
    void set_key(const uint8_t (*round_keys)[16]);
    // chain: the counter, or the tweak. out == in is allowed.
    void run(const uint8_t *chain, const uint8_t *in, uint8_t *out);

private:
    const uint32_t rows_;
};

// Encrypts single blocks with a cipher of one's own: its counter mode makes of a zero block the encrypted counter.
class CounterBlocks : public OneBlock {
public:
    explicit CounterBlocks(const Suite &suite) : OneBlock(suite, suite.blocks) {}
    // out == in is allowed.
    void encipher(const uint8_t (*round_keys)[16], const uint8_t *in, uint8_t *out);
};

// Continues Y with `bytes` bytes, padded with zeros to whole blocks, by one kernel call. `suite` is one of GCM;
// powers_end: the end of a key's powers, after H (suite/ghash.hpp), where GHASH_ZEROS rows of zeros follow.
void ghash(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, const void *data, uint64_t bytes);

// Continues Y with the block of the lengths of AAD and text, given in bytes (7.1, step 5), which is the last block of a
// tag or a counter block.
void ghash_lengths(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, uint64_t aad, uint64_t text);

// Make GCM's first counter block J0 (7.1, step 2): of an IV that is not 12 bytes long; of any.
void hash_iv(const cst_job &job, uint8_t *counter);
inline void first_counter(const cst_job &job, uint8_t *counter) {
    if (job.iv_len != GCM_IV) return hash_iv(job, counter);
    const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
    put_words(counter, load64(iv), load64(iv + 4) >> 32 | uint64_t(1) << 56);
}

// Poly1305: adds whole blocks, by the kernel that poly1305_alone names. prepare_suite has loaded its code already.
void poly1305_blocks(const Engine &engine, const Family &kernels, const PolyKey &key, uint64_t *accumulator,
                     const uint8_t *in, uint64_t blocks);

}  // namespace cst
