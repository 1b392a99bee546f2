#ifdef BENCH_IPSEC_MB

#include "ipsec_mb_tls.hpp"

#include "../tls.hpp"

#include <algorithm>

namespace bench {
namespace {

constexpr size_t AAD = 13, ROOM = 16; // sequence number, type, version, length; what stands before the text

class ImbTlsTask : public Task {
public:
    ImbTlsTask(IMB_MGR *manager, const Row &row, const Batch &batch)
        : queue_(manager),
          row_(row),
          batch_(batch),
          hash_(imb_hash(row)),
          hash_bytes_(hash_bytes(row.hash)),
          expansion_(manager, row) {}
    void prepare() {
        keys_.resize(batch_.keys());
        for (size_t i = 0; i < keys_.size(); i++) keys_[i].expand(expansion_, batch_.key(i), batch_.mac_key(i));
        for (size_t i = 0; i < batch_.buffers.size(); i++) {
            first_record_.push_back(records_.size());
            cut(i);
        }
        first_record_.push_back(records_.size());
        variant = row_.write ? "burst of records" : "burst";
    }
    bool run() override {
        const size_t first = turns_.next(), end = first_record_[first + batch_.jobs];
        for (size_t begin = first_record_[first]; begin < end; begin += IMB_MAX_BURST_SIZE) {
            const size_t count = std::min<size_t>(end - begin, IMB_MAX_BURST_SIZE);
            if (!queue_.run(count, [&](IMB_JOB &job, size_t i) { fill(job, records_[begin + i]); })) return false;
        }
        return true;
    }

private:
    // Head, text, room for the MAC, padding: it is hashed and encrypted in place of the caller's text, which was copied
    // here beforehand, uncounted.
    struct Record {
        const ImbKeys *keys;
        std::vector<uint8_t> laid_out;
        size_t text, sealed;
        const uint8_t *iv;
        uint8_t *out;
    };
    // A write becomes as many records as fill its lanes.
    void cut(size_t i) {
        const Buffer &b = batch_.buffers[i];
        const size_t share = (b.bytes / 16 + 15) / 16 * 16,
                     fragment = row_.write ? std::min(TLS_LONGEST, std::max<size_t>(1024, share)) : b.bytes;
        uint8_t *out = b.out;
        for (size_t done = 0, number = 0; done < b.bytes; done += fragment, number++) {
            Record r;
            r.keys = &keys_[batch_.key_of(i)];
            r.text = std::min(fragment, b.bytes - done);
            r.sealed = tls_ciphertext_bytes(row_, r.text);
            r.laid_out.resize(ROOM + r.sealed);
            uint8_t *aad = r.laid_out.data() + ROOM - AAD;
            tls_head(b.sequence + number, aad);
            aad[11] = uint8_t(r.text >> 8);
            aad[12] = uint8_t(r.text);
            memcpy(aad + AAD, b.in + done, r.text);
            const size_t padding = r.sealed - r.text - hash_bytes_;
            memset(aad + AAD + r.sealed - padding, int(padding - 1), padding);
            if (row_.write) out += TLS_HEADER + TLS_IV;
            r.out = out;
            r.iv = row_.write ? b.in : b.iv; // a write's IVs: any bytes
            out += r.sealed;
            records_.push_back(std::move(r));
        }
    }
    void fill(IMB_JOB &job, Record &r) {
        if (row_.write) {
            const size_t payload = TLS_IV + r.sealed;
            const uint8_t header[TLS_HEADER] = {TLS_TYPE, TLS_VERSION[0], TLS_VERSION[1], uint8_t(payload >> 8),
                                                uint8_t(payload)};
            memcpy(r.out - TLS_IV - TLS_HEADER, header, TLS_HEADER);
            memcpy(r.out - TLS_IV, r.iv, TLS_IV);
        }
        job.src = r.laid_out.data();
        job.dst = r.out;
        job.cipher_mode = IMB_CIPHER_CBC;
        job.cipher_direction = IMB_DIR_ENCRYPT;
        job.chain_order = IMB_ORDER_HASH_CIPHER;
        job.enc_keys = r.keys->encrypt;
        job.dec_keys = r.keys->decrypt;
        job.key_len_in_bytes = uint64_t(row_.key_bits / 8);
        job.iv = r.iv;
        job.iv_len_in_bytes = TLS_IV;
        job.cipher_start_src_offset_in_bytes = ROOM;
        job.msg_len_to_cipher_in_bytes = r.sealed;
        job.hash_start_src_offset_in_bytes = ROOM - AAD;
        job.msg_len_to_hash_in_bytes = AAD + r.text;
        job.hash_alg = hash_;
        job.auth_tag_output = r.laid_out.data() + ROOM + r.text;
        job.auth_tag_output_len_in_bytes = hash_bytes_;
        job.u.HMAC._hashed_auth_key_xor_ipad = r.keys->ipad;
        job.u.HMAC._hashed_auth_key_xor_opad = r.keys->ipad + expansion_.opad_at;
    }
    ImbQueue queue_;
    Row row_;
    const Batch &batch_;
    const IMB_HASH_ALG hash_;
    const size_t hash_bytes_;
    const ImbExpansion expansion_;
    Table<ImbKeys> keys_;
    Turns turns_{batch_};
    std::vector<Record> records_;
    std::vector<size_t> first_record_;  // of each buffer, and the end
};

} // namespace

std::vector<std::unique_ptr<Task>> imb_tls_tasks(IMB_MGR *manager, const Row &row, const Batch &batch) {
    std::vector<std::unique_ptr<Task>> tasks;
    if (row.open) return tasks;
    auto task = std::make_unique<ImbTlsTask>(manager, row, batch);
    task->prepare();
    if (task->run()) tasks.push_back(std::move(task));
    return tasks;
}

} // namespace bench
#endif
