// AEAD_CHACHA20_POLY1305 (RFC 8439, 2.8) of short messages of like lengths, each step for all of them: a message in each lane, of ChaCha20 and of Poly1305.
#pragma once

#include "../suite/poly1305.hpp"
#include "chacha.hpp"

namespace cst {

// Messages of one suite and direction. Wipes what it used.
class ChaChaAbreast {
public:
    static constexpr size_t MOST = 16;  // messages at once

    ChaChaAbreast(const Suite &suite, int direction) : suite_(suite), opens_(direction == CST_OPEN) {}
    ~ChaChaAbreast();
    ChaChaAbreast(const ChaChaAbreast &) = delete;
    ChaChaAbreast &operator=(const ChaChaAbreast &) = delete;

    static bool takes(const cst_job &job) { return !(job.n_in_pieces | job.n_out_pieces) && job.in_len <= MOST_TEXT && job.aad_len <= CHACHA_BLOCK; }
    // Of jobs in the order of their lengths, how many go with the first: those that are alike, and with them as much longer ones as cost the cipher little.
    static size_t group(cst_job *const *jobs, size_t n);
    // Whether they can be run, and one after the other would take longer.
    bool prepare(cst_job *const *jobs, size_t n);
    // Those that it is prepared for. False: one did not authenticate.
    bool run(cst_job *const *jobs, size_t n);

private:
    // Texts up to a size, and what of others there is room for, are put together behind the block of the key, and enciphered with it in one call; longer ones, which
    // are alike, run where they lie.
    static constexpr size_t MOST_TEXT = 4096, MOST_TOGETHER = 640;
    static constexpr size_t PLACE = CHACHA_BLOCK + MOST_TOGETHER + CHACHA_BLOCK;  // at most
    // Bytes of a call over a text with its key, rounded up (Suite::chacha_blocks).
    static constexpr size_t MOST_STRIDE = CHACHA_MOST_BLOCKS * CHACHA_BLOCK, MOST_CALL = MOST_TEXT + MOST_STRIDE;
    static_assert(MOST_TEXT % MOST_STRIDE == 0, "the key begins another stride");
    static constexpr size_t BLOCK = 16, STATE_ALIGNED = 64, CIPHER_STATE = 4096, HASH_STATE = 2048;

    struct Text {
        const cst_job *job;
        const uint8_t *in;
        uint8_t *out;
        uint8_t *rest;  // in its place
    };

    static constexpr size_t padded(size_t bytes, size_t to) { return (bytes + to - 1) & ~(to - 1); }
    static constexpr size_t stride_for(size_t text) { return CHACHA_BLOCK + padded(text + BLOCK, CHACHA_BLOCK); }
    static constexpr bool fit(size_t n, size_t text) { return n * stride_for(text) <= MOST * PLACE; }
    uint8_t *place(size_t i) { return places_ + i * stride_; }
    uint8_t *opened(size_t i) { return opened_ + i * stride_; }

    bool compare(size_t n);
    bool usable(const Variant &v) const;
    const Variant *smallest() const;
    const Variant *choose(size_t n, uint64_t bytes) const;
    void encipher(size_t n, uint32_t counter, uint64_t bytes, const Variant *known = nullptr);
    void encipher_on(const Variant &v, const Text *texts, size_t n, uint32_t counter, uint64_t bytes, uint64_t done);

    void make_first_blocks(size_t n);
    void encipher_where_they_lie(size_t n);
    void put_ends(size_t i);
    void hash(size_t n);
    void hash_on(const Variant &v, size_t first, size_t n);
    void hash_alone(size_t i);
    template <typename Each>
    void each_piece(size_t i, Each each);
    bool check(size_t i);
    void seal(size_t n);
    bool open(size_t n);

    const Suite &suite_;
    const bool opens_;
    // Of what it is prepared for: the most bytes.
    size_t bytes_ = 0, aad_bytes_ = 0;
    bool together_ = false;
    size_t in_place_ = 0, with_key_ = 0, stride_ = 0;  // bytes of each text in its place; of the call that makes its key; from place to place
    const Variant *hash_ = nullptr, *makes_keys_ = nullptr;  // hash_: NULL: none; makes_keys_: NULL: to be chosen

    cst_job *const *jobs_ = nullptr;
    Text texts_[MOST];
    size_t messages_used_ = 0, places_used_ = 0, opened_used_ = 0, cipher_used_ = 0, hash_used_ = 0, idle_used_ = 0;
    // From here on what was used is wiped.
    PolyKey keys_[MOST];
    uint64_t accumulators_[MOST][3];
    // A line that becomes the key and then the end of the AAD; the text, or what is left of it behind whole blocks; the lengths.
    alignas(64) uint8_t places_[MOST * PLACE];
    alignas(64) uint8_t opened_[MOST * PLACE];  // not to be released yet
    alignas(64) uint8_t cipher_state_[CIPHER_STATE];
    alignas(64) uint8_t hash_state_[HASH_STATE];
    alignas(64) uint8_t idle_out_[MOST_CALL];
};

// Whether the burst, checked, is of several jobs and begins with one of such a suite, and no kernel is forced.
bool chacha_abreast_takes(const cst_job *jobs, size_t n);
// Those of its jobs for which it pays; the others stay waiting. As run_burst.
int chacha_abreast(cst_job *jobs, size_t n);

}  // namespace cst
