// intel-ipsec-mb: its job queue filled by bursts, and its synchronous bursts of one cipher or one hash where the version has them.
#include "../peer.hpp"

#ifndef BENCH_IPSEC_MB
namespace bench {
std::unique_ptr<Peer> make_ipsec_mb() { return nullptr; }
} // namespace bench
#else

#include <intel-ipsec-mb.h>

#include <cstring>

namespace bench {
namespace {

struct alignas(64) Keys {
    alignas(64) uint32_t encrypt[15 * 4];
    alignas(64) uint32_t decrypt[15 * 4];
    alignas(64) uint8_t ipad[64], opad[64];
};

// Which of its interfaces a task uses.
enum class Style { queue, cipher_burst, hash_burst };

class ImbTask : public Task {
public:
    ImbTask(IMB_MGR *manager, const Row &row, const Batch &batch, Style style) : manager_(manager), row_(row), batch_(batch), style_(style) {
        variant = style == Style::queue ? "burst" : style == Style::cipher_burst ? "cipher_burst" : "hash_burst";
    }
    bool prepare() {
        size_t n = batch_.buffers.size();
        keys_.resize(batch_.one_key ? 1 : n);
        for (size_t i = 0; i < keys_.size(); i++) expand(batch_.buffers[i], keys_[i]);
        jobs_.resize(n);
        for (size_t i = 0; i < n; i++) {
            memset(&jobs_[i], 0, sizeof(IMB_JOB));
            fill(jobs_[i], i);
        }
        return true;
    }
    bool run() override {
        size_t n = batch_.buffers.size();
        for (size_t begin = 0; begin < n; begin += IMB_MAX_BURST_SIZE) {
            size_t count = n - begin < IMB_MAX_BURST_SIZE ? n - begin : IMB_MAX_BURST_SIZE;
            bool ok = style_ == Style::queue ? run_queue(begin, count) : run_burst(begin, count);
            if (!ok) return false;
        }
        if (row_.open && row_.hmac)
            for (const Buffer &b : batch_.buffers)
                if (memcmp(b.tag, b.expected_tag, batch_.tag_bytes) != 0) return false;
        return true;
    }

private:
    bool run_queue(size_t begin, size_t count) {
        IMB_JOB *slots[IMB_MAX_BURST_SIZE];
        if (IMB_GET_NEXT_BURST(manager_, uint32_t(count), slots) != count) return false;
        for (size_t i = 0; i < count; i++) fill(*slots[i], begin + i);
        uint32_t done = IMB_SUBMIT_BURST(manager_, uint32_t(count), slots);
        bool ok = done != 0 || imb_get_errno(manager_) == 0;
        for (uint32_t i = 0; i < done; i++) ok &= slots[i]->status == IMB_STATUS_COMPLETED;
        while (ok && done < count) {
            uint32_t more = IMB_FLUSH_BURST(manager_, uint32_t(count - done), slots);
            for (uint32_t i = 0; i < more; i++) ok &= slots[i]->status == IMB_STATUS_COMPLETED;
            ok &= more != 0;
            done += more;
        }
        return ok;
    }
    bool run_burst(size_t begin, size_t count) {
        for (size_t i = 0; i < count; i++) jobs_[begin + i].status = IMB_STATUS_BEING_PROCESSED;
        IMB_JOB *jobs = jobs_.data() + begin;
        uint32_t done = style_ == Style::cipher_burst
                            ? IMB_SUBMIT_CIPHER_BURST(manager_, jobs, uint32_t(count), IMB_CIPHER_CBC, jobs->cipher_direction, IMB_KEY_SIZE_BYTES(row_.key_bits / 8))
                            : IMB_SUBMIT_HASH_BURST(manager_, jobs, uint32_t(count), jobs->hash_alg);
        return done == count;
    }
    void expand(const Buffer &b, Keys &keys) {
        if (row_.key_bits == 128) IMB_AES_KEYEXP_128(manager_, b.key, keys.encrypt, keys.decrypt);
        if (row_.key_bits == 192) IMB_AES_KEYEXP_192(manager_, b.key, keys.encrypt, keys.decrypt);
        if (row_.key_bits == 256) IMB_AES_KEYEXP_256(manager_, b.key, keys.encrypt, keys.decrypt);
        if (!row_.hmac) return;
        for (int outer = 0; outer < 2; outer++) {
            uint8_t block[64], *to = outer ? keys.opad : keys.ipad;
            memset(block, outer ? 0x5c : 0x36, sizeof block);
            for (int i = 0; i < 32; i++) block[i] ^= b.mac_key[i];
            if (row_.hash == "sha1") IMB_SHA1_ONE_BLOCK(manager_, block, to);
            if (row_.hash == "sha256") IMB_SHA256_ONE_BLOCK(manager_, block, to);
            if (row_.hash == "md5") IMB_MD5_ONE_BLOCK(manager_, block, to);
        }
    }
    void fill(IMB_JOB &job, size_t i) {
        const Buffer &b = batch_.buffers[i];
        const Keys &keys = keys_[batch_.one_key ? 0 : i];
        bool pair = row_.key_bits && row_.hmac;
        job.src = b.in;
        job.dst = b.out;
        job.cipher_mode = row_.key_bits ? IMB_CIPHER_CBC : IMB_CIPHER_NULL;
        job.cipher_direction = row_.open ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
        job.chain_order = row_.open || !row_.key_bits ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
        job.enc_keys = keys.encrypt;
        job.dec_keys = keys.decrypt;
        job.key_len_in_bytes = uint64_t(row_.key_bits / 8);
        job.iv = b.iv;
        job.iv_len_in_bytes = 16;
        job.cipher_start_src_offset_in_bytes = 0;
        job.msg_len_to_cipher_in_bytes = row_.key_bits ? batch_.bytes : 0;
        // The offset counts from `src`; a hash over what the cipher writes reaches `dst` through it. Pairs hash iv || ciphertext.
        const uint8_t *hashed = !pair ? b.in : row_.open ? b.in - 16 : b.out - 16;
        job.hash_start_src_offset_in_bytes = uint64_t(hashed) - uint64_t(b.in);
        job.msg_len_to_hash_in_bytes = batch_.bytes + (pair ? 16 : 0);
        job.hash_alg = hash_algorithm();
        job.auth_tag_output = b.tag;
        job.auth_tag_output_len_in_bytes = batch_.tag_bytes;
        job.u.HMAC._hashed_auth_key_xor_ipad = keys.ipad;
        job.u.HMAC._hashed_auth_key_xor_opad = keys.opad;
    }
    IMB_HASH_ALG hash_algorithm() const {
        if (row_.hash.empty()) return IMB_AUTH_NULL;
        if (row_.hash == "sha1") return row_.hmac ? IMB_AUTH_HMAC_SHA_1 : IMB_AUTH_SHA_1;
        if (row_.hash == "sha256") return row_.hmac ? IMB_AUTH_HMAC_SHA_256 : IMB_AUTH_SHA_256;
        return IMB_AUTH_MD5; // their name for HMAC-MD5
    }
    IMB_MGR *manager_;
    Row row_;
    const Batch &batch_;
    Style style_;
    std::vector<Keys> keys_;
    std::vector<IMB_JOB> jobs_;
};

class IpsecMb : public Peer {
public:
    explicit IpsecMb(IMB_MGR *manager) : manager_(manager) {}
    ~IpsecMb() override { free_mb_mgr(manager_); }
    std::string name() const override { return "ipsec-mb"; }
    std::string version() const override { return imb_get_version_str(); }
    std::vector<std::unique_ptr<Task>> prepare(const Row &row, const Batch &batch) override {
        std::vector<std::unique_ptr<Task>> tasks;
        bool known = row.hash.empty() || row.hash == "sha1" || row.hash == "sha256" || (row.hash == "md5" && row.hmac);
        if (!known || batch.bytes > 65000) return tasks; // its lanes count in 16 bits
        add(tasks, row, batch, Style::queue);
#if IMB_VERSION_NUM >= IMB_VERSION(1, 2, 0)
        if (row.hash.empty()) add(tasks, row, batch, Style::cipher_burst);
        if (!row.key_bits && row.hash != "md5") add(tasks, row, batch, Style::hash_burst);
#endif
        return tasks;
    }

private:
    // A style that this version refuses for the row says so at its first run.
    void add(std::vector<std::unique_ptr<Task>> &tasks, const Row &row, const Batch &batch, Style style) {
        auto task = std::make_unique<ImbTask>(manager_, row, batch, style);
        if (task->prepare() && task->run()) tasks.push_back(std::move(task));
    }
    IMB_MGR *manager_;
};

} // namespace

std::unique_ptr<Peer> make_ipsec_mb() {
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (!manager) return nullptr;
    IMB_ARCH arch;
    init_mb_mgr_auto(manager, &arch);
    if (imb_get_errno(manager) != 0) {
        free_mb_mgr(manager);
        return nullptr;
    }
    return std::make_unique<IpsecMb>(manager);
}

} // namespace bench
#endif
