#include "aws_lc_aead.hpp"

#include "library.hpp"
#include "../quic.hpp"

namespace bench {
namespace {

// As AWS-LC's openssl/aead.h declares them, which does not go together with OpenSSL's headers.
using Aead = const void *();
struct Calls {
    void *(*create)(const void *aead, const uint8_t *key, size_t key_bytes, size_t tag_bytes);
    void (*destroy)(void *ctx);
    int (*init)(void *ctx, const void *aead, const uint8_t *key, size_t key_bytes, size_t tag_bytes, void *engine);
    void (*clean)(void *ctx);
    int (*seal)(const void *ctx, uint8_t *out, uint8_t *tag, size_t *tag_bytes, size_t tag_room, const uint8_t *iv,
                size_t iv_bytes, const uint8_t *in, size_t bytes, const uint8_t *more, size_t more_bytes,
                const uint8_t *aad, size_t aad_bytes);
    int (*open)(const void *ctx, uint8_t *out, const uint8_t *iv, size_t iv_bytes, const uint8_t *in, size_t bytes,
                const uint8_t *tag, size_t tag_bytes, const uint8_t *aad, size_t aad_bytes);
    bool load(const Library &library, std::string &error) {
        return library.find("EVP_AEAD_CTX_new", create, error) && library.find("EVP_AEAD_CTX_free", destroy, error) &&
               library.find("EVP_AEAD_CTX_init", init, error) && library.find("EVP_AEAD_CTX_cleanup", clean, error) &&
               library.find("EVP_AEAD_CTX_seal_scatter", seal, error) &&
               library.find("EVP_AEAD_CTX_open_gather", open, error);
    }
};

class OneCallTask : public Task {
public:
    OneCallTask(const Calls &calls, const void *aead, const Row &row, const Batch &batch)
        : calls_(calls), aead_(aead), row_(row), iv_bytes_(row.iv_bytes()), batch_(batch) {
        variant = row.make_keys ? "EVP_AEAD_CTX_init" : "EVP_AEAD";
        for (size_t k = 0; k < batch.keys(); k++)
            ctx_.push_back(calls.create(aead, batch.key(k), row.key_bytes(), row.tag_bytes));
    }
    ~OneCallTask() override {
        for (void *ctx : ctx_) calls_.destroy(ctx);
    }
    bool run() override { return row_.make_keys ? make_keys() : run_jobs(); }
    bool prove() override { return run_jobs(); }

private:
    // Into contexts that are there.
    bool make_keys() {
        for (size_t k = 0; k < ctx_.size(); k++) {
            calls_.clean(ctx_[k]);
            if (!calls_.init(ctx_[k], aead_, batch_.key(k), row_.key_bytes(), row_.tag_bytes, nullptr)) return false;
        }
        return true;
    }
    bool run_jobs() {
        size_t tag = 0;
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            const void *ctx = ctx_[batch_.key_of(i)];
            const uint8_t *aad = b.iv - row_.header;
            if (row_.open ? !calls_.open(ctx, b.out, b.iv, iv_bytes_, b.in, b.bytes, b.expected_tag, row_.tag_bytes,
                                         aad, row_.header)
                          : !calls_.seal(ctx, b.out, b.tag, &tag, row_.tag_bytes, b.iv, iv_bytes_, b.in, b.bytes,
                                         nullptr, 0, aad, row_.header))
                return false;
        }
        return true;
    }
    const Calls calls_;
    const void *const aead_;
    const Row row_;
    const size_t iv_bytes_;
    const Batch &batch_;
    Turns turns_{batch_};
    std::vector<void *> ctx_;
};

// Its block functions take a key's schedule; 15 round keys and a number of rounds.
struct BlockCalls {
    int (*expand)(const uint8_t *key, unsigned bits, void *schedule);
    void (*encrypt)(const uint8_t *in, uint8_t *out, const void *schedule);
    void (*chacha)(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *nonce,
                   uint32_t counter);
    bool load(const Library &library, std::string &error) {
        return library.find("AES_set_encrypt_key", expand, error) && library.find("AES_encrypt", encrypt, error) &&
               library.find("CRYPTO_chacha_20", chacha, error);
    }
};

class PacketTask : public QuicTask {
public:
    PacketTask(const Calls &calls, const BlockCalls &blocks, const void *aead, const Row &row, const Batch &batch)
        : QuicTask(row, batch), calls_(calls), blocks_(blocks), schedules_(chacha_ ? 0 : batch.keys()) {
        variant = "EVP_AEAD, a block";
        for (size_t k = 0; k < batch.keys(); k++)
            ctx_.push_back(calls.create(aead, batch.key(k), row.key_bytes(), QUIC_TAG));
        for (size_t k = 0; k < schedules_.size(); k++)
            blocks.expand(quic_hp(batch, k), unsigned(row.key_bits), schedules_[k].words);
    }
    ~PacketTask() override {
        for (void *ctx : ctx_) calls_.destroy(ctx);
    }

private:
    bool run_aead(size_t k, const uint8_t *nonce, const uint8_t *header, const Buffer &b) override {
        size_t tag = 0;
        return row_.open ? calls_.open(ctx_[k], b.out, nonce, QUIC_IV, b.in, b.bytes, b.in + b.bytes, QUIC_TAG, header,
                                       QUIC_HEADER)
                         : calls_.seal(ctx_[k], b.out, b.out + b.bytes, &tag, QUIC_TAG, nonce, QUIC_IV, b.in, b.bytes,
                                       nullptr, 0, header, QUIC_HEADER);
    }
    bool make_mask(size_t k, const uint8_t *sample, uint8_t *mask) override {
        static const uint8_t zeros[QUIC_MASK] = {};
        uint32_t counter;
        memcpy(&counter, sample, sizeof counter);
        if (chacha_) blocks_.chacha(mask, zeros, QUIC_MASK, quic_hp(batch_, k), sample + sizeof counter, counter);
        else blocks_.encrypt(sample, mask, schedules_[k].words);
        return true;
    }
    struct Schedule {
        alignas(16) uint32_t words[4 * 15 + 4];
    };
    const Calls calls_;
    const BlockCalls blocks_;
    std::vector<void *> ctx_;
    std::vector<Schedule> schedules_;
};

} // namespace

std::vector<std::unique_ptr<Task>> aws_lc_aead_tasks(const std::string &file, const Row &row, const Batch &batch) {
    const std::string name = row.chacha()        ? "EVP_aead_chacha20_poly1305"
                             : row.mode == "GCM" ? "EVP_aead_aes_" + std::to_string(row.key_bits) + "_gcm"
                                                 : "";
    Library library;
    Calls calls;
    Aead *aead = nullptr;
    std::string error;
    if (name.empty() || !library.open(file, error) || !calls.load(library, error) ||
        !library.find(name.c_str(), aead, error))
        return {};
    if (!row.quic) return tasks_of(std::make_unique<OneCallTask>(calls, aead(), row, batch));
    BlockCalls blocks;
    if (!blocks.load(library, error)) return {};
    return tasks_of(std::make_unique<PacketTask>(calls, blocks, aead(), row, batch));
}

} // namespace bench
