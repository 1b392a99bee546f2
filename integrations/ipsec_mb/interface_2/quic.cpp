// QUIC's packets under one key: their protection (RFC 9001, 5.3) and the masks of their headers (5.4), of which five
// bytes are wanted for each sample.

#include <algorithm>
#include <cstring>

#include "batch.hpp"
#include "errors.hpp"
#include "functions.hpp"
#include "chacha.hpp"
#include "gcm.hpp"
#include "executors/copy.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

using namespace cst::imb;

namespace {

constexpr size_t SAMPLE = 16, MASK = 5;

bool refused(IMB_MGR *manager, int error) {
    set_error(manager, error);
    return error != 0;
}

// Tables of buffers, one for each packet.
struct Packets {
    void *const *out;
    const void *const *in;
    const uint64_t *bytes;
    const void *const *iv;
    const void *const *aad;
    uint64_t aad_bytes;
    void *const *tag;
};

int wrong_packets(const Packets &packets, uint64_t n) {
    if (!packets.out) return IMB_ERR_NULL_DST;
    if (!packets.in) return IMB_ERR_NULL_SRC;
    if (!packets.iv) return IMB_ERR_NULL_IV;
    if (!packets.aad) return IMB_ERR_NULL_AAD;
    if (!packets.tag) return IMB_ERR_NULL_AUTH;
    for (uint64_t i = 0; i < n; i++) {
        if (!packets.out[i] && packets.bytes[i]) return IMB_ERR_NULL_DST;
        if (!packets.in[i] && packets.bytes[i]) return IMB_ERR_NULL_SRC;
        if (!packets.iv[i]) return IMB_ERR_NULL_IV;
        if (!packets.aad[i] && packets.aad_bytes) return IMB_ERR_NULL_AAD;
        if (!packets.tag[i]) return IMB_ERR_NULL_AUTH;
    }
    return 0;
}

int wrong_direction(IMB_CIPHER_DIRECTION direction) {
    const unsigned number = number_of(direction);
    return number == IMB_DIR_ENCRYPT || number == IMB_DIR_DECRYPT ? 0 : IMB_ERR_JOB_CIPH_DIR;
}

int wrong_samples(const void *key, void *const *out, const void *const *in, uint64_t n) {
    if (!key) return IMB_ERR_NULL_EXP_KEY;
    if (!out) return IMB_ERR_NULL_DST;
    if (!in) return IMB_ERR_NULL_SRC;
    for (uint64_t i = 0; i < n; i++)
        if (!out[i] || !in[i]) return !out[i] ? IMB_ERR_NULL_DST : IMB_ERR_NULL_SRC;
    return 0;
}

// 5.4.3: the samples are enciphered as one text.
template <unsigned key_bytes>
bool make_aes_masks(const void *in, const void *round_keys, void *out, uint64_t n) {
    const void *const *const samples = static_cast<const void *const *>(in);
    void *const *const masks = static_cast<void *const *>(out);
    alignas(16) uint8_t blocks[64][SAMPLE];
    bool done = true;
    for (uint64_t at = 0; at < n; at += 64) {
        const uint64_t some = std::min<uint64_t>(n - at, 64);
        for (uint64_t i = 0; i < some; i++) memcpy(blocks[i], samples[at + i], SAMPLE);
        IMB_JOB job = {}, *const list = &job;
        job.cipher_mode = IMB_CIPHER_ECB;
        job.cipher_direction = IMB_DIR_ENCRYPT;
        job.hash_alg = IMB_AUTH_NULL;
        job.chain_order = IMB_ORDER_CIPHER_HASH;
        job.enc_keys = round_keys;
        job.key_len_in_bytes = key_bytes;
        job.src = job.dst = blocks[0];
        job.msg_len_to_cipher_in_bytes = some * SAMPLE;
        run_jobs(&list, 1, false);
        done &= job.status == IMB_STATUS_COMPLETED;
        if (job.status != IMB_STATUS_COMPLETED) memset(blocks, 0, sizeof(blocks));
        for (uint64_t i = 0; i < some; i++) memcpy(masks[at + i], blocks[i], MASK);
    }
    cst::wipe(blocks, sizeof(blocks));
    return done;
}
template <unsigned key_bytes>
void aes_masks(const void *in, const void *round_keys, void *out, uint64_t n) {
    report(make_aes_masks<key_bytes>(in, round_keys, out, n));
}

// 5.4.4: a sample is the number of a block, little-endian, and a nonce.
void chacha_masks(const void *key, const void *const *samples, void **masks, const uint64_t n) {
    const cst::ClearRegisters clear(cpu());
    static const uint8_t zeros[MASK] = {};
    for (uint64_t i = 0; i < n; i++) {
        uint8_t sample[SAMPLE];
        uint32_t block;
        memcpy(sample, samples[i], SAMPLE);
        memcpy(&block, sample, sizeof(block));
        if (key_stream(key, sample + sizeof(block), block, zeros, octets(masks[i]), MASK)) continue;
        memset(masks[i], 0, MASK);
        report(false);
    }
}

IMB_JOB *chacha_poly_job(IMB_MGR *, IMB_JOB *job) {
    run_jobs(&job, 1, false);
    return job;
}

}  // namespace

namespace cst::imb {

void set_quic_functions(IMB_MGR *manager) {
    manager->aes_ecb_128_quic = aes_masks<16>;
    manager->aes_ecb_256_quic = aes_masks<32>;
    manager->chacha20_hp_quic = chacha_masks;
    manager->chacha20_poly1305_quic = chacha_poly_job;
}

}  // namespace cst::imb

void imb_quic_aes_gcm(IMB_MGR *manager, const gcm_key_data *key, const IMB_KEY_SIZE_BYTES key_bytes,
                      const IMB_CIPHER_DIRECTION direction, void *out[], const void *const in[], const uint64_t bytes[],
                      const void *const iv[], const void *const aad[], const uint64_t aad_bytes, void *tag[],
                      const uint64_t tag_bytes, const uint64_t n) {
    const Packets packets = {out, in, bytes, iv, aad, aad_bytes, tag};
    int error = !manager ? IMB_ERR_NULL_MBMGR : !key ? IMB_ERR_NULL_EXP_KEY : wrong_packets(packets, n);
    const unsigned number = number_of(key_bytes);  // QUIC has no AES-192
    if (!error && number != IMB_KEY_128_BYTES && number != IMB_KEY_256_BYTES) error = IMB_ERR_KEY_LEN;
    if (!error) error = wrong_direction(direction);
    if (!error && (!tag_bytes || tag_bytes > BLOCK)) error = IMB_ERR_AUTH_TAG_LEN;
    if (refused(manager, error)) return;
    const cst::ClearRegisters clear(cpu());
    const bool opens = direction == IMB_DIR_DECRYPT;
    const cst::Suite &suite = basic_suite(Cipher::gcm, number);
    GcmList list;
    for (uint64_t i = 0; i < n; i++) {
        const GcmInput input = {octets(iv[i]), cst::GCM_IV, octets(aad[i]), aad_bytes};
        const cst::KernelCall *const call = list.call_for(suite, opens, input, bytes[i]);
        if (call &&
            list.add(*call, *key, opens, input, octets(out[i]), octets(in[i]), bytes[i], octets(tag[i]), tag_bytes))
            continue;
        alignas(BLOCK) uint8_t all[BLOCK];
        const bool done = gcm_whole(number, *key, opens, input, octets(out[i]), octets(in[i]), bytes[i], all);
        cst::copy_few(octets(tag[i]), all, size_t(tag_bytes));
        cst::wipe(all, sizeof(all));
        if (!done) set_error(manager, ENOMEM);
    }
    list.run();
}

void imb_quic_chacha20_poly1305(IMB_MGR *manager, const void *key, const IMB_CIPHER_DIRECTION direction, void *out[],
                                const void *const in[], const uint64_t bytes[], const void *const iv[],
                                const void *const aad[], const uint64_t aad_bytes, void *tag[], const uint64_t n) {
    const Packets packets = {out, in, bytes, iv, aad, aad_bytes, tag};
    int error = !manager ? IMB_ERR_NULL_MBMGR : !key ? IMB_ERR_NULL_KEY : wrong_packets(packets, n);
    if (!error) error = wrong_direction(direction);
    if (refused(manager, error)) return;
    IMB_JOB jobs[64], *list[64];
    for (uint64_t at = 0; at < n; at += 64) {
        const uint64_t some = std::min<uint64_t>(n - at, 64);
        for (uint64_t i = 0; i < some; i++) {
            IMB_JOB &job = *(list[i] = &jobs[i]);
            job = {};
            job.cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
            job.hash_alg = IMB_AUTH_CHACHA20_POLY1305;
            job.cipher_direction = direction;
            job.chain_order = direction == IMB_DIR_ENCRYPT ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
            job.enc_keys = job.dec_keys = key;
            job.key_len_in_bytes = IMB_CHACHA20_POLY1305_KEY_SIZE;
            job.src = octets(in[at + i]);
            job.dst = octets(out[at + i]);
            job.msg_len_to_cipher_in_bytes = job.msg_len_to_hash_in_bytes = bytes[at + i];
            job.iv = octets(iv[at + i]);
            job.iv_len_in_bytes = IMB_CHACHA20_POLY1305_IV_SIZE;
            job.u.CHACHA20_POLY1305.aad = aad[at + i];
            job.u.CHACHA20_POLY1305.aad_len_in_bytes = aad_bytes;
            job.auth_tag_output = octets(tag[at + i]);
            job.auth_tag_output_len_in_bytes = BLOCK;
        }
        if (refused(manager, run_jobs(list, size_t(some), false))) return;
        if (std::any_of(jobs, jobs + some, [](const IMB_JOB &job) { return job.status != IMB_STATUS_COMPLETED; }))
            return set_error(manager, ENOMEM);
    }
}

void imb_quic_hp_aes_ecb(IMB_MGR *manager, const void *round_keys, void *out[], const void *const in[],
                         const uint64_t n, const IMB_KEY_SIZE_BYTES key_bytes) {
    const unsigned number = number_of(key_bytes);
    int error = !manager ? IMB_ERR_NULL_MBMGR : wrong_samples(round_keys, out, in, n);
    if (!error && number != IMB_KEY_128_BYTES && number != IMB_KEY_256_BYTES) error = IMB_ERR_KEY_LEN;
    if (!refused(manager, error)) (number == IMB_KEY_128_BYTES ? aes_masks<16> : aes_masks<32>)(in, round_keys, out, n);
}

void imb_quic_hp_chacha20(IMB_MGR *manager, const void *key, void *out[], const void *const in[], const uint64_t n) {
    if (!refused(manager, !manager ? IMB_ERR_NULL_MBMGR : wrong_samples(key, out, in, n)))
        chacha_masks(key, in, out, n);
}
