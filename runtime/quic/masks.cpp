#include "masks.hpp"

#include "../run/run.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/aes.hpp"

namespace cst {
namespace {

constexpr uint8_t ZEROS[QUIC_SAMPLE] = {};

// 5.4.4: the sample is block counter and nonce, as iv of the suite chacha20.
void make_chacha_job(cst_job *at, const HeaderKey &key, const uint8_t *sample, Mask *mask) {
    cst_job &job = new_job(at, *key.chacha, CST_SEAL);
    job.iv = sample;
    job.iv_len = QUIC_SAMPLE;
    job.in = ZEROS;
    job.in_len = sizeof(ZEROS);
    job.out = mask->bytes;
    job.out_cap = sizeof(mask->bytes);
}

}  // namespace

void make_masks(bool avx, const HeaderKey *const *keys, const uint8_t *const *samples, size_t n, Memory *memory,
                cst_job *jobs, Mask *masks) {
    size_t chacha = 0;
    if (avx) clear_upper_halves();
    for (size_t i = 0; i < n; i++) {
        const HeaderKey &key = *keys[i];
        if (key.chacha) make_chacha_job(jobs + chacha++, key, samples[i], masks + i);
        else aes_encrypt(key.aes, key.rounds, samples[i], masks[i].bytes);
    }
    if (chacha) run_jobs(memory, jobs, chacha);
}

}  // namespace cst
