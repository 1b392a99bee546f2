// intel-ipsec-mb: its job queue filled by bursts, and its synchronous bursts of one cipher or one hash where the
// version has them.
#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_aead.hpp"
#include "ipsec_mb_calls.hpp"
#include "ipsec_mb_gcm.hpp"
#include "ipsec_mb_quic.hpp"
#include "ipsec_mb_tls.hpp"

#include <cstring>

namespace bench {
namespace {

// Which of its interfaces a task uses.
enum class Style { queue, cipher_burst, hash_burst };

class ImbTask : public Task {
public:
    ImbTask(IMB_MGR *manager, const Row &row, const Batch &batch, Style style)
        : manager_(manager),
          queue_(manager),
          row_(row),
          batch_(batch),
          style_(style),
          cipher_(row.key_bits ? imb_cipher(row) : IMB_CIPHER_NULL),
          hash_(imb_hash(row)),
          direction_(row.open ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT),
          key_size_(IMB_KEY_SIZE_BYTES(row.key_bits / 8)),
          head_bytes_(row.pair() ? row.head_bytes() : 0),
          iv_bytes_(row.iv_bytes()),
          compares_(row.open && row.pair()),
          hashes_output_(!row.open && row.pair()),
          expansion_(manager, row) {
        variant = style == Style::queue ? "burst" : style == Style::cipher_burst ? "cipher_burst" : "hash_burst";
    }
    bool prepare() {
        size_t n = batch_.buffers.size();
        keys_.resize(batch_.keys());
        make_keys();
        if (row_.make_keys) variant = row_.hmac ? "key functions and blocks of hashes" : "key functions";
        if (style_ != Style::queue) jobs_.resize(n);
        for (size_t i = 0; i < jobs_.size(); i++) {
            memset(&jobs_[i], 0, sizeof(IMB_JOB));
            fill(jobs_[i], i);
        }
        return true;
    }
    bool run() override { return row_.make_keys ? make_keys() : run_jobs(); }
    bool prove() override { return run_jobs(); }

private:
    bool make_keys() {
        for (size_t k = 0; k < keys_.size(); k++) keys_[k].expand(expansion_, batch_.key(k), batch_.mac_key(k));
        return true;
    }
    bool run_jobs() {
        const size_t first = turns_.next(), end = first + batch_.jobs;
        for (size_t begin = first; begin < end; begin += IMB_MAX_BURST_SIZE) {
            size_t count = end - begin < IMB_MAX_BURST_SIZE ? end - begin : IMB_MAX_BURST_SIZE;
            bool ok = style_ == Style::queue ? run_queue(begin, count) : run_burst(begin, count);
            if (!ok) return false;
        }
        for (size_t i = first; i < end && compares_; i++)
            if (memcmp(batch_.buffers[i].tag, batch_.buffers[i].expected_tag, row_.tag_bytes) != 0) return false;
        return true;
    }
    bool run_queue(size_t begin, size_t count) {
        return queue_.run(count, [&](IMB_JOB &job, size_t i) { fill(job, begin + i); });
    }
    bool run_burst(size_t begin, size_t count) {
        for (size_t i = 0; i < count; i++) jobs_[begin + i].status = IMB_STATUS_BEING_PROCESSED;
        IMB_JOB *jobs = jobs_.data() + begin;
        uint32_t done = style_ == Style::cipher_burst
                            ? IMB_SUBMIT_CIPHER_BURST(manager_, jobs, uint32_t(count), cipher_, direction_, key_size_)
                            : IMB_SUBMIT_HASH_BURST(manager_, jobs, uint32_t(count), jobs->hash_alg);
        return done == count;
    }
    void fill(IMB_JOB &job, size_t i) {
        const Buffer &b = batch_.buffers[i];
        const ImbKeys &keys = keys_[batch_.key_of(i)];
        const uint8_t *const opad = keys.ipad + expansion_.opad_at;
        job.src = b.in;
        job.dst = b.out;
        job.cipher_mode = cipher_;
        job.cipher_direction = direction_;
        job.chain_order = row_.open || !row_.key_bits ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
        job.enc_keys = expansion_.des ? static_cast<const void *>(keys.rare->three) : keys.encrypt;
        job.dec_keys = expansion_.des ? static_cast<const void *>(keys.rare->three) : keys.decrypt;
        job.key_len_in_bytes = key_size_;
        job.iv = b.iv;
        job.iv_len_in_bytes = iv_bytes_;
        job.cipher_start_src_offset_in_bytes = 0;
        job.msg_len_to_cipher_in_bytes = row_.key_bits ? b.bytes : 0;
        // The offset counts from `src`; a hash over what the cipher writes reaches `dst` through it. Pairs hash header
        // || iv || ciphertext.
        const uint8_t *hashed = (hashes_output_ ? b.out : b.in) - head_bytes_;
        job.hash_start_src_offset_in_bytes = uint64_t(hashed) - uint64_t(b.in);
        job.msg_len_to_hash_in_bytes = b.bytes + head_bytes_;
        job.hash_alg = hash_;
        job.auth_tag_output = b.tag;
        job.auth_tag_output_len_in_bytes = row_.tag_bytes;
        if (expansion_.cmac) {
            job.u.CMAC = {keys.encrypt, keys.ipad, opad};
            return;
        }
        if (expansion_.xcbc) {
            job.u.XCBC = {keys.rare->xcbc, keys.ipad, opad};
            return;
        }
        job.u.HMAC._hashed_auth_key_xor_ipad = keys.ipad;
        job.u.HMAC._hashed_auth_key_xor_opad = opad;
    }
    IMB_MGR *manager_;
    ImbQueue queue_;
    Row row_;
    const Batch &batch_;
    Style style_;
    // The constructor derives these from the strings of the row, so that no timed burst compares strings: a program
    // that calls the library has constants in their place.
    const IMB_CIPHER_MODE cipher_;
    const IMB_HASH_ALG hash_;
    const IMB_CIPHER_DIRECTION direction_;
    const IMB_KEY_SIZE_BYTES key_size_;
    const size_t head_bytes_, iv_bytes_;
    const bool compares_, hashes_output_;
    const ImbExpansion expansion_;
    Turns turns_{batch_};
    Table<ImbKeys> keys_;
    std::vector<IMB_JOB> jobs_;  // of the synchronous bursts
};

class IpsecMb : public Peer {
public:
    IpsecMb(const ImbCalls &calls, const Build &build, IMB_MGR *manager)
        : calls_(calls), build_(build), manager_(manager) {}
    ~IpsecMb() override { calls_.free(manager_); }
    std::string name() const override { return build_.name(calls_.version()); }
    std::string version() const override {
        std::string text = calls_.version();
        if (build_.tier.empty()) return text;
        const auto used = manager_->used_arch;
        return text + " with " +
               (used == IMB_ARCH_SSE    ? "sse"
                : used == IMB_ARCH_AVX2 ? "avx2"
                                        : "other instruction sets");
    }
    std::vector<std::unique_ptr<Task>> prepare(const Row &row, const Batch &batch) override {
        if (row.stored() || !row.public_key.empty()) return {};
        if (!row.sum.empty()) return {};
        std::vector<std::unique_ptr<Task>> tasks;
        const bool known = imb_knows(row);
        if (row.make_keys && (row.chacha() || row.mode == "CCM" || row.tls)) return tasks; // no function of its own
        if (row.tls && batch.sessions) return tasks;
        if (row.tls) return known ? imb_tls_tasks(manager_, row, batch) : std::move(tasks);
        if (row.quic) return imb_quic_tasks(manager_, row, batch);
        if (row.aead) return (row.mode == "GCM" ? imb_gcm_tasks : imb_aead_tasks)(manager_, row, batch);
        if (row.mode == "XTS" || row.rc4() || row.jose) return tasks; // it has none
        if (row.chacha()) return tasks; // its block counter begins at 1
        if (row.des() && misplaces_des()) return tasks;
        if (!known || batch.longest > 65000) return tasks; // its lanes count in 16 bits
        add(tasks, row, batch, Style::queue);
#if IMB_VERSION_NUM >= IMB_VERSION(1, 2, 0)
        if (row.make_keys) return tasks;
        if (row.key_bits && !row.pair()) add(tasks, row, batch, Style::cipher_burst);
        if (!row.key_bits && !row.mac_bits && row.hash != "md5") add(tasks, row, batch, Style::hash_burst);
#endif
        return tasks;
    }

private:
    // With AVX-512 the 2.0 releases write the texts of several DES jobs to each other's places (its issue 169).
    bool misplaces_des() const {
        return IMB_VERSION_NUM >= IMB_VERSION(2, 0, 0) && IMB_VERSION_NUM < IMB_VERSION(2, 1, 0) &&
               manager_->used_arch >= IMB_ARCH_AVX512;
    }
    // A style that this version refuses for the row says so at its first run.
    void add(std::vector<std::unique_ptr<Task>> &tasks, const Row &row, const Batch &batch, Style style) {
        auto task = std::make_unique<ImbTask>(manager_, row, batch, style);
        if (task->prepare() && task->run()) tasks.push_back(std::move(task));
    }
    const ImbCalls calls_;
    const Build build_;
    IMB_MGR *const manager_;
};

} // namespace

std::unique_ptr<Peer> make_imb_peer(const ImbCalls &calls, const Build &build, std::string &error) {
    IMB_MGR *manager = calls.alloc(0);
    if (!manager) {
        error = "ipsec-mb could not be started";
        return nullptr;
    }
    IMB_ARCH arch;
    if (build.tier == "avx2") calls.init_avx2(manager);
    else if (build.tier == "sse") calls.init_sse(manager);
    else calls.init_auto(manager, &arch);
    if (manager->imb_errno != 0) {
        calls.free(manager);
        error = "ipsec-mb cannot run " + (build.tier.empty() ? "here" : build.tier + " here");
        return nullptr;
    }
    return std::make_unique<IpsecMb>(calls, build, manager);
}

} // namespace bench
#endif
