// States how the text of a message is encrypted or decrypted: which bytes a kernel processes in place, and which are
// assembled aside. An executor runs it, in the lanes of a kernel (list_writers.hpp) or at once (at_once.cpp).
#pragma once

#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "../executors/copy.hpp"

namespace cst {

// Takes texts of at least one byte, of one suite and direction. If the suite adds a MAC or padding to what is
// encrypted, the text's last blocks are assembled aside; of a TLS record the MAC is in the output already, where the
// text ends (message_mac.hpp).
class MessageText {
public:
    // step: bytes of a kernel's iteration. fills: a partial iteration at the end of a text is zero-padded aside; the
    // kernel must be one whose texts may be padded (rounds_up). Else no length ends in a partial iteration. Such a text
    // of at most most_aside bytes is copied aside as a whole. blocks: enciphers first tweaks; NULL if the suite has
    // none. goes_on: the messages have more text behind these texts, so that neither MAC nor padding follows them.
    MessageText(const Suite &suite, bool opens, size_t step, bool fills, size_t most_aside, BlockCalls *blocks,
                bool goes_on = false)
        : suite_(suite),
          blocks_(blocks),
          step_(step),
          most_aside_(most_aside),
          round_keys_(suite.key_layout.round_keys(opens)),
          begins_(suite.row.chain),
          end_(fills     ? End::zeros
               : goes_on ? End::none
                         : end_of(suite, opens)),
          unpads_(suite.row.pads() && opens && !goes_on),
          mac_bytes_(end_ == End::record ? suite.hash->record.digest_bytes : 0) {}

    // Whether all bytes of every text are processed in place.
    bool in_place() const { return end_ == End::none; }
    const uint8_t *round_keys(const cst_job &job) const {
        return reinterpret_cast<const uint8_t *>(job.key) + round_keys_;
    }
    // Writes the cipher's chaining value in front of the text.
    [[gnu::always_inline]] void put_chain(uint8_t *to, const cst_job &job) const {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        if (begins_ == Chain::iv) return void(memcpy(to, iv, 16));
        if (begins_ == Chain::half_block) return put_words(to, 0, load64(iv));  // the kernel uses the second block only
        if (begins_ == Chain::ccm_block) return put_ccm_block(job, 0, 1, to);
        blocks_->encipher(key_of(job).tweak(), iv, to);  // IEEE 1619, 5.3.1: the first tweak is E(K2, i)
    }
    // Returns how many bytes are processed in place, before those aside.
    uint64_t body_bytes(const cst_job &job) const { return job.in_len - rest_of(job); }
    // Returns how many bytes are then processed aside; 0: none.
    size_t end_bytes(const cst_job &job) const { return end_bytes(rest_of(job)); }
    // Assembles these bytes.
    void put_end(const cst_job &job, uint8_t *aside) const {
        const size_t rest = rest_of(job), bytes = end_bytes(rest);
        copy_few(aside, static_cast<const uint8_t *>(job.in) + job.in_len - rest, rest);
        if (end_ == End::zeros) {
            memset(aside + rest, 0, bytes - rest);
        } else {
            copy_few(aside + rest, static_cast<const uint8_t *>(job.out) + job.in_len, mac_bytes_);
            pad(aside, rest + mac_bytes_, bytes);
        }
    }
    // Copies what was processed aside to the output.
    void take_end(const cst_job &job, const uint8_t *aside) const {
        const size_t rest = rest_of(job), end = end_ == End::zeros ? rest : end_bytes(rest);
        copy_few(static_cast<uint8_t *>(job.out) + job.in_len - rest, aside, end);
    }
    // Finishes the job, whose output is complete. Returns false if its padding was wrong (RFC 7518, 5.2.2.2).
    [[gnu::always_inline]] bool settle(cst_job *job) const {
        text_done(job);
        if (end_ == End::padding || end_ == End::record) job->out_len = suite_.sealed_bytes(job->in_len);
        return !unpads_ || remove_padding(job);
    }

private:
    typedef MessageRow::Chain Chain;
    // Tells what follows a text in its last iteration, or in the blocks after it.
    enum class End : uint8_t { none, zeros, padding, record };
    static End end_of(const Suite &suite, bool opens) {
        if (opens || !suite.expansion) return End::none;
        return suite.row.is_record() ? End::record : End::padding;
    }
    // Returns how many bytes at the end of the input are copied aside.
    size_t rest_of(const cst_job &job) const {
        if (end_ == End::none) return 0;
        if (end_ != End::zeros) return job.in_len % AES_BLOCK;
        const size_t rest = job.in_len & (step_ - 1);
        return rest && job.in_len <= most_aside_ ? job.in_len : rest;
    }
    size_t end_bytes(size_t rest) const {
        if (end_ == End::none) return 0;
        return end_ == End::zeros ? (rest + step_ - 1) & ~(step_ - 1) : suite_.sealed_bytes(rest);
    }
    // Each byte of PKCS#7's padding is its length; of a TLS record's, its length less one.
    void pad(uint8_t *end, size_t used, size_t bytes) const {
        memset(end + used, int(bytes - used - (end_ == End::record)), bytes - used);
    }
    static bool remove_padding(cst_job *job) {
        uint8_t *const end = static_cast<uint8_t *>(job->out) + job->in_len;
        const uint32_t padding = padding_bytes(end - AES_BLOCK);
        if (!padding) return refuse_unopened(job), false;
        job->out_len -= padding;
        memset(end - padding, 0, padding);
        return true;
    }

    const Suite &suite_;
    BlockCalls *const blocks_;
    const size_t step_, most_aside_;
    const size_t round_keys_;  // offset in a key
    const Chain begins_;
    const End end_;
    const bool unpads_;
    const size_t mac_bytes_;
};

}  // namespace cst
