// GCM by intel-ipsec-mb: one call per buffer. It gives the tag; comparing is the caller's.
#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_gcm.hpp"

namespace bench {
namespace {

class GcmTask : public Task {
public:
    GcmTask(IMB_MGR *manager, const Row &row, const Batch &batch) : manager_(manager), row_(row), batch_(batch) {
        variant = "direct";
        keys_.resize(batch.one_key ? 1 : batch.buffers.size());
        for (size_t i = 0; i < keys_.size(); i++) {
            const uint8_t *key = batch.buffers[i].key;
            if (row.key_bits == 128) IMB_AES128_GCM_PRE(manager, key, &keys_[i]);
            if (row.key_bits == 192) IMB_AES192_GCM_PRE(manager, key, &keys_[i]);
            if (row.key_bits == 256) IMB_AES256_GCM_PRE(manager, key, &keys_[i]);
        }
    }
    bool run() override {
        const aes_gcm_enc_dec_t call = row_.open ? (row_.key_bits == 128   ? manager_->gcm128_dec
                                                    : row_.key_bits == 192 ? manager_->gcm192_dec
                                                                           : manager_->gcm256_dec)
                                                 : (row_.key_bits == 128   ? manager_->gcm128_enc
                                                    : row_.key_bits == 192 ? manager_->gcm192_enc
                                                                           : manager_->gcm256_enc);
        for (size_t i = 0; i < batch_.buffers.size(); i++) {
            const Buffer &b = batch_.buffers[i];
            call(&keys_[batch_.one_key ? 0 : i], &context_, b.out, b.in, b.bytes, b.iv, b.iv - row_.header, row_.header, b.tag, row_.tag_bytes);
            if (row_.open && memcmp(b.tag, b.expected_tag, row_.tag_bytes) != 0) return false;
        }
        return true;
    }

private:
    IMB_MGR *manager_;
    const Row row_;
    const Batch &batch_;
    struct alignas(64) Key : gcm_key_data {};
    std::vector<Key> keys_;
    gcm_context_data context_;
};

} // namespace

std::vector<std::unique_ptr<Task>> imb_gcm_tasks(IMB_MGR *manager, const Row &row, const Batch &batch) {
    return tasks_of(std::make_unique<GcmTask>(manager, row, batch));
}

} // namespace bench
#endif
