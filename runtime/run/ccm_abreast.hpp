// CCM messages of the same lengths, side by side.
#pragma once

#include "../suite/key.hpp"
#include "ccm_blocks.hpp"
#include "one_lane.hpp"

namespace cst {

// As many as CBC-MAC's kernel has lanes go through each step together. Of the shortest, B0, AAD and text are put together in the `blocks` of a work, a call
// makes their MACs, and one for each enciphers the text with the block of the tag in front. Longer texts are read and written where they lie.
class CcmAbreast {
public:
    CcmAbreast(Arena *arena, const Suite &suite, int direction, bool one_key)
        : arena_(arena), suite_(suite), which_(suite, one_key), opens_(direction == CST_OPEN), avx_(suite.engine->avx()) {}

    static bool takes(const cst_job &job) {
        return !(job.n_in_pieces | job.n_out_pieces) && job.in_len <= MOST_TEXT && job.aad_len <= MOST_AAD;
    }
    // For n jobs as long as this one, which it takes. False: there are no kernels.
    bool prepare(const cst_job &model, size_t n);
    // Those that it is prepared for. Whether all authenticated.
    bool run(cst_job *const *jobs, size_t n);

private:
    static constexpr size_t BLOCK = GCM_BLOCK, MOST_TEXT = 1 << 16, MOST_LONE = 2048, MOST_TOGETHER = 480, MOST_AAD = 46;
    // Places in `blocks`: of E(K, counter block 0), of the message, and of the end of a longer text while it is enciphered.
    static constexpr size_t MESSAGE = 64, END = 256;

    bool prepare_together(size_t head);
    bool prepare_apart(size_t head);
    const Variant *choose_mac(size_t n) const;
    void make_head(const cst_job &job, uint8_t *place) const;
    void load_macs(cst_job *const *jobs, size_t n);
    template <typename At>
    void hash(size_t n, uint64_t bytes, At at);
    void make_macs(cst_job *const *jobs, size_t n);
    void encipher(const cst_job &job, uint8_t *place);
    void run_cipher(const Variant &v, const cst_job &job, uint64_t number, const uint8_t *in, uint8_t *out, uint64_t bytes);
    bool finish(cst_job *job, uint8_t *place, const uint8_t *mac) const;
    const uint8_t *plaintext(const cst_job &job) const { return static_cast<const uint8_t *>(opens_ ? job.out : job.in); }

    Arena *const arena_;
    const Suite &suite_;
    const OneLane which_;
    const bool opens_, avx_;
    // For jobs of these lengths.
    uint64_t bytes_ = 0, aad_bytes_ = 0;
    bool together_ = false;
    size_t text_at_ = 0, message_ = 0, used_ = 0;
    uint64_t bulk_ = 0;  // bytes of a longer text that are enciphered where they lie
    const Variant *mac_ = nullptr, *cipher_ = nullptr, *end_cipher_ = nullptr;
};

}  // namespace cst
