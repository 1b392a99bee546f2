#include "masks.hpp"

#include <algorithm>

#include "../run/run.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/aes.hpp"

namespace cst {
namespace {

// Collects blocks of one number of rounds until there are AES_AT_ONCE.
class AesMasks {
public:
    explicit AesMasks(uint32_t rounds) : rounds_(rounds) {}
    void add(const HeaderKey &key, const Mask *sample, Mask *mask) {
        blocks_[n_++] = {key.aes, sample->bytes, mask->bytes};
        if (n_ == AES_AT_ONCE) run();
    }
    // Fills up with the last block, whose mask is written again.
    void end() {
        if (!n_) return;
        std::fill(blocks_ + n_, blocks_ + AES_AT_ONCE, blocks_[n_ - 1]);
        run();
    }

private:
    void run() {
        aes_encrypt_each(blocks_, rounds_);
        n_ = 0;
    }
    const uint32_t rounds_;
    size_t n_ = 0;
    AesBlock blocks_[AES_AT_ONCE];
};

constexpr uint8_t ZEROS[QUIC_SAMPLE] = {};

// 5.4.4: the sample is block counter and nonce, as iv of the suite chacha20.
void make_chacha_job(cst_job *at, const HeaderKey &key, const Mask *sample, Mask *mask) {
    cst_job &job = new_job(at, *key.chacha, CST_SEAL);
    job.iv = sample->bytes;
    job.iv_len = QUIC_SAMPLE;
    job.in = ZEROS;
    job.in_len = sizeof(ZEROS);
    job.out = mask->bytes;
    job.out_cap = sizeof(mask->bytes);
}

}  // namespace

void make_masks(bool avx, const HeaderKey *const *keys, const Mask *samples, size_t n, Memory *memory, cst_job *jobs,
                Mask *masks) {
    size_t chacha = 0;
    AesMasks aes_128(AES_LEAST_ROUNDS), aes_256(AES_MOST_ROUNDS);
    if (avx) clear_upper_halves();
    for (size_t i = 0; i < n; i++) {
        const HeaderKey &key = *keys[i];
        if (key.chacha) make_chacha_job(jobs + chacha++, key, samples + i, masks + i);
        else (key.rounds == AES_LEAST_ROUNDS ? aes_128 : aes_256).add(key, samples + i, masks + i);
    }
    aes_128.end();
    aes_256.end();
    if (chacha) run_jobs(memory, jobs, chacha);
}

}  // namespace cst
