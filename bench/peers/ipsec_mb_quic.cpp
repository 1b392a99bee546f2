// A burst: packets are sealed, then masked, or unmasked, then opened. Masks of one key are made in one call, as
// imb_quic_hp_aes_ecb and imb_quic_hp_chacha20 do it.
#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_quic.hpp"

#include "../quic.hpp"

namespace bench {
namespace {
#if IMB_VERSION_NUM >= IMB_VERSION(1, 5, 0)

class ImbQuicTask : public Task {
public:
    ImbQuicTask(IMB_MGR *manager, const Row &row, const Batch &batch)
        : manager_(manager), queue_(manager), row_(row), batch_(batch), chacha_(row.chacha()) {
        variant = chacha_ ? "burst, hp_quic" : "direct, ecb_quic";
        keys_.resize(batch.keys());
        for (size_t k = 0; k < keys_.size() && !chacha_; k++) {
            uint8_t unused[15 * 16];
            if (row.key_bits == 128) {
                IMB_AES128_GCM_PRE(manager, batch.key(k), &keys_[k].gcm);
                IMB_AES_KEYEXP_128(manager, quic_hp(batch, k), keys_[k].hp, unused);
            } else {
                IMB_AES256_GCM_PRE(manager, batch.key(k), &keys_[k].gcm);
                IMB_AES_KEYEXP_256(manager, quic_hp(batch, k), keys_[k].hp, unused);
            }
        }
        packets_.resize(batch.buffers.size());
        for (size_t i = 0; i < packets_.size(); i++) {
            const Buffer &b = batch.buffers[i];
            samples_.push_back(row.open ? b.in : b.out);
            masks_.push_back(packets_[i].mask);
        }
    }
    bool run() override {
        const size_t first = turns_.next(), end = first + batch_.jobs;
        if (row_.open) make_masks(first, end);
        for (size_t i = first; i < end; i++) begin(i);
        if (chacha_ ? !run_queue(first, end) : !run_direct(first, end)) return false;
        if (!row_.open) make_masks(first, end);
        for (size_t i = first; i < end; i++) {
            const Buffer &b = batch_.buffers[i];
            if (!row_.open) mask_quic_header(packets_[i].mask, b.out - QUIC_HEADER, b.out - QUIC_HEADER);
            else if (memcmp(packets_[i].tag, b.in + b.bytes, QUIC_TAG) != 0) return false;
        }
        return true;
    }

private:
    struct Packet {
        uint8_t nonce[QUIC_IV], mask[QUIC_MASK], tag[QUIC_TAG];
    };
    struct alignas(64) Key {
        gcm_key_data gcm;
        alignas(16) uint8_t hp[15 * 16];
    };
    void begin(size_t i) {
        const Buffer &b = batch_.buffers[i];
        uint8_t *const header = b.out - QUIC_HEADER;
        uint64_t number = b.sequence;
        if (row_.open) {
            mask_quic_header(packets_[i].mask, b.in - QUIC_HEADER, header);
            number = quic_number(header, number);
        } else put_quic_header(header, number);
        put_quic_nonce(quic_iv(batch_, batch_.key_of(i)), number, packets_[i].nonce);
    }
    void make_masks(size_t first, size_t end) {
        const size_t at_once = batch_.one_key ? end - first : 1;
        for (size_t i = first; i < end; i += at_once) {
            const size_t k = batch_.key_of(i);
            if (chacha_) manager_->chacha20_hp_quic(quic_hp(batch_, k), &samples_[i], &masks_[i], at_once);
            else
                (row_.key_bits == 128 ? manager_->aes_ecb_128_quic : manager_->aes_ecb_256_quic)(
                    &samples_[i], keys_[k].hp, &masks_[i], at_once);
        }
    }
    uint8_t *tag(size_t i) { return row_.open ? packets_[i].tag : batch_.buffers[i].out + batch_.buffers[i].bytes; }
    bool run_direct(size_t first, size_t end) {
        const aes_gcm_enc_dec_t call = imb_gcm(manager_, row_);
        for (size_t i = first; i < end; i++) {
            const Buffer &b = batch_.buffers[i];
            call(&keys_[batch_.key_of(i)].gcm, &context_, b.out, b.in, b.bytes, packets_[i].nonce, b.out - QUIC_HEADER,
                 QUIC_HEADER, tag(i), QUIC_TAG);
        }
        return true;
    }
    bool run_queue(size_t first, size_t end) {
        for (size_t begin = first; begin < end; begin += IMB_MAX_BURST_SIZE) {
            const size_t count = end - begin < IMB_MAX_BURST_SIZE ? end - begin : IMB_MAX_BURST_SIZE;
            if (!queue_.run(count, [&](IMB_JOB &job, size_t i) { fill(job, begin + i); })) return false;
        }
        return true;
    }
    void fill(IMB_JOB &job, size_t i) {
        const Buffer &b = batch_.buffers[i];
        imb_fill_chacha_poly(job, row_, b, packets_[i].nonce, b.out - QUIC_HEADER, QUIC_HEADER, tag(i));
    }

    IMB_MGR *const manager_;
    ImbQueue queue_;
    const Row row_;
    const Batch &batch_;
    const bool chacha_;
    Turns turns_{batch_};
    Table<Key> keys_;
    std::vector<Packet> packets_;
    std::vector<const void *> samples_;
    std::vector<void *> masks_;
    gcm_context_data context_;
};

#endif
}  // namespace

std::vector<std::unique_ptr<Task>> imb_quic_tasks(IMB_MGR *manager, const Row &row, const Batch &batch) {
#if IMB_VERSION_NUM >= IMB_VERSION(1, 5, 0)
    return tasks_of(std::make_unique<ImbQuicTask>(manager, row, batch));
#else
    (void)manager, (void)row, (void)batch;
    return {};
#endif
}

}  // namespace bench
#endif
