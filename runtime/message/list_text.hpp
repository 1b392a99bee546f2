// Lists the segments of a text to be encrypted or decrypted, for executors/walk.hpp.
#pragma once

#include <optional>

#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "../executors/lane_state.hpp"
#include "../executors/walk.hpp"

namespace cst {

// Takes texts of at least one byte, of one suite and direction. A partial iteration at the end of a text is zero-padded
// in the lane's bounce buffer: the kernel must be one whose texts may be padded (rounds_up), or no length ends in a
// partial iteration. If the suite adds a MAC or padding to what is encrypted, the text's last blocks are assembled
// there; of a TLS record the MAC is in the output already, where the text ends (list_mac.hpp).
class TextWriter {
public:
    typedef TextSegment Segment;

    // fills: some texts end in a partial iteration.
    TextWriter(const Variant &v, LaneMemory *memory, const cst_job &first, bool fills)
        : places_(v.cipher.lanes.data()),
          state_(memory->state),
          memory_(*memory),
          step_(v.step),
          log2_(v.step_log2),
          suite_(*key_of(first).suite),
          round_keys_(suite_.key_layout.round_keys(first.direction == CST_OPEN)),
          begins_(begin_of(suite_)),
          end_(fills ? End::zeros : end_of(suite_, first.direction == CST_OPEN)),
          unpads_(suite_.construction == Construction::rfc7518 && first.direction == CST_OPEN),
          mac_bytes_(end_ == End::record ? suite_.hash->record.digest_bytes : 0),
          keys_(v.cipher, memory->state) {
        if (begins_ == Begin::tweak) blocks_.emplace(suite_);
        if (v.one_key) keys_.share(reinterpret_cast<const uint8_t *>(first.key) + round_keys_);
    }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        const LanePlace &place = places_[lane];
        if (place.chain != NO_FIELD) put_chain(state_ + place.chain, job);
        keys_.put(lane, reinterpret_cast<const uint8_t *>(job.key) + round_keys_);
        const uint8_t *const in = static_cast<const uint8_t *>(job.in);
        uint8_t *const out = static_cast<uint8_t *>(job.out);
        if (end_ == End::none) return to[0] = {in, out, job.in_len >> log2_}, 1;
        const size_t rest = rest_of(job), body = job.in_len - rest;
        size_t n = 0;
        if (body) to[n++] = {in, out, body >> log2_};
        const size_t bytes = end_bytes(rest);
        if (!bytes) return n;
        uint8_t *const aside = memory_.scratch_of(lane, bytes);
        copy_few(aside, in + body, rest);
        if (end_ == End::zeros) {
            memset(aside + rest, 0, bytes - rest);
        } else {
            copy_few(aside + rest, out + job.in_len, mac_bytes_);
            pad(aside, rest + mac_bytes_, bytes);
        }
        to[n++] = {aside, aside, bytes >> log2_};
        return n;
    }
    void point(uint32_t lane, const uint8_t *in, const uint8_t *out) const {
        put_pointer(state_ + places_[lane].in, in);
        put_pointer(state_ + places_[lane].out, out);
    }
    void done(uint32_t lane, cst_job *job) {
        text_done(job);
        if (end_ != End::none) {
            const size_t rest = rest_of(*job), body = job->in_len - rest,
                         end = end_ == End::zeros ? rest : end_bytes(rest);
            copy_few(static_cast<uint8_t *>(job->out) + body, memory_.scratch_of(lane, 0), end);
            job->out_len = body + end;
        }
        if (unpads_) remove_padding(job);
    }

    // Whether the padding of all texts was right (RFC 7518, 5.2.2.2).
    bool all_right() const { return all_right_; }

private:
    // Tells what the chaining value is made of.
    enum class Begin : uint8_t { iv, half, tweak, ccm };
    static Begin begin_of(const Suite &suite) {
        if (suite.construction == Construction::ccm) return Begin::ccm;
        return suite.tweaked() ? Begin::tweak : suite.half_blocks() ? Begin::half : Begin::iv;
    }
    void put_chain(uint8_t *to, const cst_job &job) {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        if (begins_ == Begin::iv) return void(memcpy(to, iv, 16));
        if (begins_ == Begin::half) return put_words(to, 0, load64(iv));  // the kernel uses the second block only
        if (begins_ == Begin::ccm) return put_ccm_block(job, 0, 1, to);
        if (blocks_) blocks_->encipher(key_of(job).tweak(), iv, to);  // IEEE 1619, 5.3.1: the first tweak is E(K2, i)
    }
    // Tells what follows a text in its last iteration, or in the blocks after it: PKCS#7's padding (RFC 7518, 5.2.2.1),
    // a MAC and the padding of a TLS record (RFC 5246, 6.2.3.2).
    enum class End : uint8_t { none, zeros, padding, record };
    static End end_of(const Suite &suite, bool opens) {
        if (opens || !suite.expansion) return End::none;
        return suite.construction == Construction::tls ? End::record : End::padding;
    }
    // Return, of a text whose end is assembled, how many bytes at the end of the input go through the bounce buffer
    // (all bytes of a short text that is filled with zeros, so that it is one segment), and how many the kernel
    // processes from there on.
    size_t rest_of(const cst_job &job) const {
        if (end_ != End::zeros) return job.in_len % AES_BLOCK;
        const size_t rest = job.in_len & (step_ - 1);
        return rest && job.in_len <= MOST_BOUNCE ? job.in_len : rest;
    }
    size_t end_bytes(size_t rest) const {
        return end_ == End::zeros ? (rest + step_ - 1) & ~(step_ - 1) : suite_.sealed_bytes(rest);
    }
    // Each byte of PKCS#7's padding is its length; of a TLS record's, its length less one.
    void pad(uint8_t *end, size_t used, size_t bytes) const {
        memset(end + used, int(bytes - used - (end_ == End::record)), bytes - used);
    }
    void remove_padding(cst_job *job) {
        uint8_t *const end = static_cast<uint8_t *>(job->out) + job->in_len;
        const uint32_t padding = padding_bytes(end - AES_BLOCK);
        if (!padding) {
            refuse_unopened(job);
            all_right_ = false;
            return;
        }
        job->out_len -= padding;
        memset(end - padding, 0, padding);
    }

    const LanePlace *const places_;
    uint8_t *const state_;
    LaneMemory &memory_;
    const size_t step_;
    const uint32_t log2_;
    const Suite &suite_;
    const size_t round_keys_;
    const Begin begins_;
    const End end_;
    const bool unpads_;
    const size_t mac_bytes_;
    bool all_right_ = true;
    LaneKeys keys_;
    std::optional<BlockCalls> blocks_;
};

}  // namespace cst
