// GCM by intel-ipsec-mb: one call per buffer. It gives the tag; comparing is the caller's.
#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_gcm.hpp"

namespace bench {
namespace {

class GcmTask : public Task {
public:
    GcmTask(IMB_MGR *manager, const Row &row, const Batch &batch) : manager_(manager), row_(row), batch_(batch) {
        variant = "direct";
        keys_.resize(batch.keys());
        make_keys();
        if (row.make_keys) variant = "IMB_AES" + std::to_string(row.key_bits) + "_GCM_PRE";
    }
    bool run() override { return row_.make_keys ? make_keys() : run_jobs(); }
    bool prove() override { return run_jobs(); }

private:
    bool make_keys() {
        for (size_t k = 0; k < keys_.size(); k++) {
            const uint8_t *key = batch_.key(k);
            if (row_.key_bits == 128) IMB_AES128_GCM_PRE(manager_, key, &keys_[k]);
            if (row_.key_bits == 192) IMB_AES192_GCM_PRE(manager_, key, &keys_[k]);
            if (row_.key_bits == 256) IMB_AES256_GCM_PRE(manager_, key, &keys_[k]);
        }
        return true;
    }
    bool run_jobs() {
        const aes_gcm_enc_dec_t call = imb_gcm(manager_, row_);
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            call(&keys_[batch_.key_of(i)], &context_, b.out, b.in, b.bytes, b.iv, b.iv - row_.header, row_.header,
                 b.tag, row_.tag_bytes);
            if (row_.open && memcmp(b.tag, b.expected_tag, row_.tag_bytes) != 0) return false;
        }
        return true;
    }

    IMB_MGR *manager_;
    const Row row_;
    const Batch &batch_;
    struct alignas(64) Key : gcm_key_data {};
    Turns turns_{batch_};
    Table<Key> keys_;
    gcm_context_data context_;
};

} // namespace

std::vector<std::unique_ptr<Task>> imb_gcm_tasks(IMB_MGR *manager, const Row &row, const Batch &batch) {
    return tasks_of(std::make_unique<GcmTask>(manager, row, batch));
}

} // namespace bench
#endif
