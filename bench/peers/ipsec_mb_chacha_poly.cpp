// ChaCha20-Poly1305 by intel-ipsec-mb's job queue. It gives the tag; comparing is the caller's.
#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_chacha_poly.hpp"

#include "ipsec_mb_jobs.hpp"

namespace bench {
namespace {

class ChachaPolyTask : public Task {
public:
    ChachaPolyTask(IMB_MGR *manager, const Row &row, const Batch &batch) : queue_(manager), row_(row), batch_(batch) { variant = "burst"; }
    bool run() override {
        const size_t n = batch_.buffers.size();
        for (size_t begin = 0; begin < n; begin += IMB_MAX_BURST_SIZE) {
            const size_t count = n - begin < IMB_MAX_BURST_SIZE ? n - begin : IMB_MAX_BURST_SIZE;
            if (!queue_.run(count, [&](IMB_JOB &job, size_t i) { fill(job, batch_.buffers[begin + i]); })) return false;
        }
        for (const Buffer &b : batch_.buffers)
            if (row_.open && memcmp(b.tag, b.expected_tag, row_.tag_bytes) != 0) return false;
        return true;
    }

private:
    void fill(IMB_JOB &job, const Buffer &b) const {
        job.cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
        job.hash_alg = IMB_AUTH_CHACHA20_POLY1305;
        job.cipher_direction = row_.open ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
        job.chain_order = row_.open ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
        job.enc_keys = job.dec_keys = b.key;
        job.key_len_in_bytes = 32;
        job.src = b.in;
        job.dst = b.out;
        job.cipher_start_src_offset_in_bytes = job.hash_start_src_offset_in_bytes = 0;
        job.msg_len_to_cipher_in_bytes = job.msg_len_to_hash_in_bytes = b.bytes;
        job.iv = b.iv;
        job.iv_len_in_bytes = 12;
        job.u.CHACHA20_POLY1305.aad = b.iv - row_.header;
        job.u.CHACHA20_POLY1305.aad_len_in_bytes = row_.header;
        job.auth_tag_output = b.tag;
        job.auth_tag_output_len_in_bytes = row_.tag_bytes;
    }
    ImbQueue queue_;
    const Row row_;
    const Batch &batch_;
};

} // namespace

std::vector<std::unique_ptr<Task>> imb_chacha_poly_tasks(IMB_MGR *manager, const Row &row, const Batch &batch) {
    std::vector<std::unique_ptr<Task>> tasks;
    tasks.push_back(std::make_unique<ChachaPolyTask>(manager, row, batch));
    return tasks;
}

} // namespace bench
#endif
