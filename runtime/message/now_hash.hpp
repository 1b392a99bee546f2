// Runs digests and HMACs (RFC 2104) one message after the other, on a kernel of one lane: whole blocks of a long
// message where they are, then its end with padding, then the block of HMAC's outer hash. A kernel that computes
// SHA-512 of one message executes nearly as many instructions in a cycle as the CPU can issue, so that all that runs
// around it takes its time: this states once more, without what other constructions need, what MessageMac
// (message_mac.hpp) states.
#pragma once

#include "../select/kernel_call.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "../suite/suite.hpp"
#include "hash_end.hpp"
#include "mac.hpp"

namespace cst {

// Whether messages of the suite are only hashed, for a digest or HMAC.
inline bool hashes_alone(const Suite &suite) { return suite.construction == Construction::single && suite.hash; }

// The memory of a message.
struct HashMemory {
    static constexpr size_t STATE = 512, ALIGNED = 64;

    cst_kernel_args args;
    alignas(ALIGNED) uint8_t state[STATE];
    alignas(16) uint8_t end[WHOLE_MESSAGE + MOST_BLOCK];
    alignas(16) uint8_t made[MOST_BLOCK + PAD_SLACK];  // the block of HMAC's outer hash; a digest to compare with
};

// It is apart from its memory: its members can stay in registers, because nothing has a pointer to them.
class NowHash {
public:
    // Whether the kernel's state block fits.
    static bool holds(const Variant &v) {
        return v.role == Role::hash && v.lanes == 1 && v.n_streams == 1 && v.hash.lanes[0].in != NO_FIELD &&
               v.hash.chain_together() && v.state_bytes <= HashMemory::STATE && v.state_align <= HashMemory::ALIGNED;
    }

    // Jobs of the suite, which only hashes, and of one direction.
    [[gnu::always_inline]] NowHash(HashMemory *memory, const KernelCall &call, const Suite &suite, bool opens)
        : memory_(*memory),
          call_(call),
          hash_(suite.hash->record),
          initial_(suite.initial),
          inner_(suite.key_layout.inner),
          outer_(suite.key_layout.outer),
          chain_bytes_(hash_.chain_bytes()),
          opens_(opens),
          hmac_(suite.hmac()) {
        memory_.args.state[0] = memory_.state;
        if (hmac_) hash_pad(hash_, memory_.made, hash_.digest_bytes, hash_.block_bytes + hash_.digest_bytes);
        if (call_.clears_upper) clear_upper_halves();
    }
    [[gnu::always_inline]] ~NowHash() {
        wipe_rows(memory_.state, call_.variant->state_bytes);
        wipe_rows(memory_.end, used_);
        if (hmac_ || opens_) wipe_rows(memory_.made, DIGEST_ROOM);
        call_.variant->calls.add(calls_);
    }
    NowHash(const NowHash &) = delete;
    NowHash &operator=(const NowHash &) = delete;

    // Returns false if the job did not authenticate.
    [[gnu::always_inline]] bool run(cst_job *job) {
        const uint8_t *const key = reinterpret_cast<const uint8_t *>(job->key);
        const uint8_t *in = static_cast<const uint8_t *>(job->in);
        uint64_t left = job->in_len;
        const uint64_t unit = hash_.block_bytes, all = (hmac_ ? unit : 0) + left;
        from(hmac_ ? key + inner_ : initial_);
        if (left > most_together(hash_, 0)) {
            const uint64_t whole = left & ~(unit - 1);
            hashed(in, whole);
            in += whole;
            left -= whole;
        }
        const size_t bytes = hash_end_exactly(hash_, memory_.end, in, size_t(left), all);
        if (used_ < bytes) used_ = bytes;
        hashed(memory_.end, bytes);
        if (hmac_) {
            hash_digest(hash_, chain(), memory_.made, hash_.digest_bytes);
            from(key + outer_);
            hashed(memory_.made, unit);
        }
        if (opens_) {
            hash_digest(hash_, chain(), memory_.made, hash_.digest_bytes);
            return settle_digest(job, memory_.made);
        }
        hash_digest(hash_, chain(), static_cast<uint8_t *>(job->tag), job->tag_len);
        job->out_len = 0;
        job->status = CST_OK;
        return true;
    }

private:
    [[gnu::always_inline]] uint8_t *chain() const { return memory_.state + call_.hash_lane.chain; }
    [[gnu::always_inline]] void from(const uint8_t *before) const { copy_few(chain(), before, chain_bytes_); }
    [[gnu::always_inline]] void hashed(const uint8_t *in, uint64_t bytes) {
        put_pointer(memory_.state + call_.hash_lane.in, in);
        memory_.args.iterations = bytes >> call_.step_log2;
        call_.fn(&memory_.args);
        calls_++;
    }

    HashMemory &memory_;
    const KernelCall &call_;
    const AlgorithmRecord &hash_;
    const uint8_t *const initial_;
    const size_t inner_, outer_, chain_bytes_;  // inner_, outer_: offsets in a key
    const bool opens_, hmac_;
    size_t used_ = 0;  // bytes of memory_.end
    uint64_t calls_ = 0;
};

}  // namespace cst
