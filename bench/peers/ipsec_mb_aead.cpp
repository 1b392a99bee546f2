// It gives the tag; comparing is the caller's.
#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_aead.hpp"

namespace bench {
namespace {

class AeadTask : public Task {
public:
    AeadTask(IMB_MGR *manager, const Row &row, const Batch &batch)
        : queue_(manager),
          row_(row),
          batch_(batch),
          chacha_(row.chacha()),
          cipher_(imb_cipher(row)),
          hash_(imb_hash(row)) {
        variant = "burst";
        if (chacha_) return;
        keys_.resize(batch.keys());
        for (size_t i = 0; i < keys_.size(); i++) keys_[i].expand({manager, row}, batch.key(i), batch.mac_key(i));
    }
    bool run() override {
        const size_t first = turns_.next(), end = first + batch_.jobs;
        for (size_t begin = first; begin < end; begin += IMB_MAX_BURST_SIZE) {
            const size_t count = end - begin < IMB_MAX_BURST_SIZE ? end - begin : IMB_MAX_BURST_SIZE;
            if (!queue_.run(count, [&](IMB_JOB &job, size_t i) { fill(job, begin + i); })) return false;
        }
        for (size_t i = first; i < end && row_.open; i++)
            if (memcmp(batch_.buffers[i].tag, batch_.buffers[i].expected_tag, row_.tag_bytes) != 0) return false;
        return true;
    }

private:
    void fill(IMB_JOB &job, size_t i) const {
        const Buffer &b = batch_.buffers[i];
        if (chacha_) return imb_fill_chacha_poly(job, row_, b, b.iv, b.iv - row_.header, row_.header, b.tag);
        imb_fill_aead(job, row_, b, b.iv, b.tag, row_.tag_bytes);  // CCM, which authenticates the text
        job.cipher_mode = cipher_;
        job.hash_alg = hash_;
        job.chain_order = row_.open ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
        job.enc_keys = job.dec_keys = keys_[batch_.key_of(i)].encrypt;
        job.u.CCM.aad = b.iv - row_.header;
        job.u.CCM.aad_len_in_bytes = row_.header;
    }
    ImbQueue queue_;
    const Row row_;
    const Batch &batch_;
    const bool chacha_;
    const IMB_CIPHER_MODE cipher_;
    const IMB_HASH_ALG hash_;
    Turns turns_{batch_};
    Table<ImbKeys> keys_;
};

} // namespace

std::vector<std::unique_ptr<Task>> imb_aead_tasks(IMB_MGR *manager, const Row &row, const Batch &batch) {
    return tasks_of(std::make_unique<AeadTask>(manager, row, batch));
}

} // namespace bench
#endif
