#include "etm_stitched.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/aes.hpp"
#include "../suite/secret.hpp"
#include "call.hpp"
#include "copy.hpp"
#include "key_rows.hpp"

namespace cst {

uint64_t EtmStitched::start(const Suite &suite, size_t hashed) { return suite.construction == Construction::tls ? 0 : (hashed + BLOCK - 1) & ~uint64_t(BLOCK - 1); }

const Variant *EtmStitched::choose(const Suite &suite, uint64_t bytes, size_t hashed, bool overwrites) {
    const uint64_t whole = bytes & ~uint64_t(BLOCK - 1), begin = start(suite, hashed);
    if (begin >= whole || hashed >= bytes) return nullptr;
    const Variant *const pair = OneLane(suite, false).pair(std::min(whole - begin, bytes - hashed), overwrites);
    if (!pair || pair->state_bytes > ROOM || pair->state_align > ALIGNED || pair->cipher.key_row_bytes != BLOCK || pair->step % suite.hash->record.block_bytes) return nullptr;
    return HashChains::lie_together(pair->hash) ? pair : nullptr;
}

EtmStitched::EtmStitched(const cst_job &job, size_t hashed)
    : job_(job), key_(key_of(job)), suite_(*key_.suite), record_(suite_.construction == Construction::tls), hashed_(hashed) {
    memcpy(chain_, job.iv, BLOCK);
}

EtmStitched::~EtmStitched() {
    if (pair_) wipe(state_, pair_->state_bytes);
}

bool EtmStitched::begin() {
    const bool overwrites = record_ && job_.in == job_.out;
    const Variant *const pair = choose(suite_, job_.in_len, hashed_, overwrites);
    const Kernel *kernel;
    if (!pair || suite_.engine->fetch(*pair, &kernel)) return false;
    pair_ = pair;
    if (overwrites) ahead_ = pair->need();
    encipher(static_cast<const uint8_t *>(job_.in), static_cast<uint8_t *>(job_.out), start(suite_, hashed_));
    return true;
}

uint64_t EtmStitched::run(const HashChains &chains) {
    const uint64_t whole = job_.in_len & ~uint64_t(BLOCK - 1), both = std::min(whole - enciphered_, job_.in_len - hashed_ - ahead_) >> pair_->step_log2 << pair_->step_log2;
    const uint8_t *const in = static_cast<const uint8_t *>(job_.in), *const body = record_ ? in : static_cast<const uint8_t *>(job_.out);
    uint8_t *const out = static_cast<uint8_t *>(job_.out);
    const LanePlace &cipher = pair_->cipher.lanes[0];
    const HashChains own(*pair_, suite_.hash->record, state_);
    if (pair_->legacy_sse && suite_.engine->avx()) clear_upper_halves();
    copy_rows(state_ + cipher.key, key_.encrypt[0], pair_->cipher.key_rows);
    memcpy(state_ + cipher.chain, chain_, BLOCK);
    put_pointer(state_ + cipher.in, in + enciphered_);
    put_pointer(state_ + cipher.out, out + enciphered_);
    put_pointer(state_ + pair_->hash.lanes[0].in, body + hashed_ + ahead_);
    own.put(1, [&](size_t) { return chains.first(); });
    call_kernel(*pair_, state_, both);
    chains.put(1, [&](size_t) { return own.first(); });
    memcpy(chain_, state_ + cipher.chain, BLOCK);
    enciphered_ += both;
    if (!record_) encipher(in, out, whole);
    return both;
}

void EtmStitched::encipher(const uint8_t *in, uint8_t *out, uint64_t end) {
    aes_cbc_encrypt(key_.encrypt, suite_.encrypt->record.rounds, chain_, in + enciphered_, out + enciphered_, size_t(end - enciphered_) / BLOCK);
    enciphered_ = end;
}

}  // namespace cst
