// The middle of one message of encrypt-then-MAC with CBC, or of one TLS record, that is sealed: a call of a stitched kernel. In front of it and behind the cipher has a few
// blocks, for which no kernel is worth its state block.
#pragma once

#include "../suite/key.hpp"
#include "hash_chains.hpp"
#include "one_lane.hpp"

namespace cst {

// Why the middle is right: stitch.cpp. Wipes what it used.
class EtmStitched {
public:
    // The kernel for a text of so many bytes, of whose body the first `hashed` are hashed together with the head; NULL: none pays. overwrites: the cipher overwrites what
    // the hash reads, as in a record in place.
    static const Variant *choose(const Suite &suite, uint64_t bytes, size_t hashed, bool overwrites);

    // The job is in one piece, of a suite with AES in CBC mode, and no kernel is forced.
    EtmStitched(const cst_job &job, size_t hashed);
    ~EtmStitched();
    EtmStitched(const EtmStitched &) = delete;
    EtmStitched &operator=(const EtmStitched &) = delete;

    // Whether there is a kernel. If so, enciphers what of the body is hashed together with the head.
    bool begin();
    // Of the body the hash is to take so many bytes more before `run`, where the cipher overwrites.
    uint64_t ahead() const { return ahead_; }
    // Goes on with the chaining value there. Returns how many bytes of the body, whole blocks of the hash, that took. Of a body that is ciphertext the rest is there then.
    uint64_t run(const HashChains &chains);
    // The text is enciphered so far.
    uint64_t enciphered() const { return enciphered_; }
    // Enciphers it up to there, which are whole blocks. in, out: the whole text.
    void encipher(const uint8_t *in, uint8_t *out, uint64_t end);

private:
    static constexpr size_t BLOCK = 16, ROOM = 4096, ALIGNED = 64;

    static uint64_t start(const Suite &suite, size_t hashed);  // where the kernel begins with the text

    const cst_job &job_;
    const Key &key_;
    const Suite &suite_;
    const bool record_;
    const size_t hashed_;
    const Variant *pair_ = nullptr;  // its kernel is there
    uint64_t ahead_ = 0, enciphered_ = 0;
    alignas(BLOCK) uint8_t chain_[BLOCK];  // the last block of ciphertext, or the IV
    alignas(ALIGNED) uint8_t state_[ROOM];
};

}  // namespace cst
