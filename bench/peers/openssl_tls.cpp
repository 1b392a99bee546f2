#include "openssl_tls.hpp"

#include "../tls.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace bench {
namespace {

constexpr size_t AAD = 13; // sequence number, type, version, length

class TlsTask : public Task {
public:
    TlsTask(const Libcrypto &crypto, const Row &row, const Batch &batch) : crypto_(crypto), row_(row), batch_(batch) {}
    ~TlsTask() override {
        for (auto *c : ctx_) crypto_.EVP_CIPHER_CTX_free(c);
    }
    virtual bool prepare() {
        std::string hash = row_.hash;
        for (char &c : hash) c = char(toupper(c));
        EVP_CIPHER *cipher = crypto_.EVP_CIPHER_fetch(
            nullptr, ("AES-" + std::to_string(row_.key_bits) + "-CBC-HMAC-" + hash).c_str(), nullptr);
        bool ok = cipher != nullptr;
        const size_t keys = batch_.keys();
        for (size_t i = 0; i < keys && ok; i++) {
            const Buffer &b = batch_.buffers[i];
            ctx_.push_back(crypto_.EVP_CIPHER_CTX_new());
            ok = crypto_.EVP_CipherInit_ex2(ctx_.back(), cipher, b.key, b.iv, row_.open ? 0 : 1, nullptr) == 1 &&
                 crypto_.EVP_CIPHER_CTX_ctrl(ctx_.back(), EVP_CTRL_AEAD_SET_MAC_KEY, 32,
                                             const_cast<uint8_t *>(b.mac_key)) > 0;
        }
        crypto_.EVP_CIPHER_free(cipher);
        crypto_.ERR_clear_error();
        return ok;
    }

protected:
    EVP_CIPHER_CTX *ctx(size_t i) const { return ctx_[batch_.key_of(i)]; }
    // Both with the explicit IV in front, which the cipher treats as the first block of the text. 0: an error.
    size_t seal(EVP_CIPHER_CTX *ctx, uint64_t sequence, const uint8_t *in, size_t bytes, uint8_t *out) const {
        uint8_t aad[AAD];
        describe(sequence, bytes, aad);
        const int added = crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, AAD, aad);
        if (added <= 0 || crypto_.EVP_Cipher(ctx, out, in, unsigned(bytes + size_t(added))) <= 0) return 0;
        return bytes + size_t(added);
    }
    bool open(EVP_CIPHER_CTX *ctx, uint64_t sequence, const uint8_t *in, size_t bytes, uint8_t *out) const {
        uint8_t aad[AAD];
        describe(sequence, bytes, aad);
        return crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, AAD, aad) > 0 &&
               crypto_.EVP_Cipher(ctx, out, in, unsigned(bytes)) > 0;
    }
    static void describe(uint64_t sequence, size_t bytes, uint8_t *aad) {
        tls_head(sequence, aad);
        aad[11] = uint8_t(bytes >> 8);
        aad[12] = uint8_t(bytes);
    }
    const Libcrypto &crypto_;
    Row row_;
    const Batch &batch_;

private:
    std::vector<EVP_CIPHER_CTX *> ctx_;
};

// One call per record.
class RecordTask : public TlsTask {
public:
    using TlsTask::TlsTask;
    bool prepare() override {
        variant = "AES-CBC-HMAC";
        return TlsTask::prepare();
    }
    bool run() override {
        bool ok = true;
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            if (row_.open) ok &= open(ctx(i), b.sequence, b.in - TLS_IV, b.in_bytes + TLS_IV, b.out - TLS_IV);
            else
                ok &= seal(ctx(i), b.sequence, b.in - TLS_IV, b.bytes + TLS_IV, b.out - TLS_IV) == b.out_bytes + TLS_IV;
        }
        return ok;
    }

private:
    Turns turns_{batch_};
};

// A long text as libssl writes it with its longest records: eight or four at once while there is that much text, then
// one by one.
class WriteTask : public TlsTask {
public:
    WriteTask(const Libcrypto &crypto, const Row &row, const Batch &batch, bool multiblock)
        : TlsTask(crypto, row, batch), multiblock_(multiblock) {
        variant = multiblock ? "multiblock" : "AES-CBC-HMAC";
    }
    bool prepare() override {
        if (!TlsTask::prepare()) return false;
        if (!multiblock_) return true;
        if (batch_.longest < 4 * TLS_LONGEST) return false;
        return crypto_.EVP_CIPHER_CTX_ctrl(ctx(0), EVP_CTRL_TLS1_1_MULTIBLOCK_MAX_BUFSIZE, TLS_LONGEST, nullptr) > 0;
    }
    bool run() override {
        for (size_t i = 0; i < batch_.buffers.size(); i++)
            if (!write(ctx(i), batch_.buffers[i])) return false;
        return true;
    }

private:
    bool write(EVP_CIPHER_CTX *ctx, const Buffer &b) {
        uint8_t *out = b.out;
        uint64_t sequence = b.sequence;
        for (size_t done = 0; done < b.bytes;) {
            const size_t left = b.bytes - done;
            const unsigned several = !multiblock_ ? 0 : left >= 8 * TLS_LONGEST ? 8 : left >= 4 * TLS_LONGEST ? 4 : 0;
            const size_t text = several ? several * TLS_LONGEST : std::min(left, TLS_LONGEST);
            const size_t written = several ? write_several(ctx, sequence, b.in + done, text, several, out)
                                           : write_one(ctx, sequence, b.in + done, text, out);
            if (!written) return false;
            out += written;
            sequence += several ? several : 1;
            done += text;
        }
        return true;
    }
    size_t write_several(EVP_CIPHER_CTX *ctx, uint64_t sequence, const uint8_t *text, size_t bytes, unsigned several,
                         uint8_t *out) const {
        uint8_t aad[AAD];
        describe(sequence, 0, aad);
        EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM param = {nullptr, aad, bytes, several};
        const int packed = crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof param, &param);
        if (packed <= 0 || param.interleave != several) return 0;
        param.out = out;
        param.inp = text;
        param.len = bytes;
        return crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof param, &param) > 0
                   ? size_t(packed)
                   : 0;
    }
    size_t write_one(EVP_CIPHER_CTX *ctx, uint64_t sequence, const uint8_t *text, size_t bytes, uint8_t *out) const {
        uint8_t *payload = out + TLS_HEADER;
        if (crypto_.RAND_bytes(payload, TLS_IV) != 1) return 0;
        memcpy(payload + TLS_IV, text, bytes);
        const size_t sealed = seal(ctx, sequence, payload, bytes + TLS_IV, payload);
        const uint8_t header[TLS_HEADER] = {TLS_TYPE, TLS_VERSION[0], TLS_VERSION[1], uint8_t(sealed >> 8),
                                            uint8_t(sealed)};
        memcpy(out, header, TLS_HEADER);
        return sealed ? TLS_HEADER + sealed : 0;
    }
    bool multiblock_;
};

} // namespace

std::vector<std::unique_ptr<Task>> openssl_tls_tasks(const Libcrypto &crypto, const Row &row, const Batch &batch) {
    std::vector<std::unique_ptr<Task>> tasks;
    auto add = [&](std::unique_ptr<TlsTask> task) {
        if (task->prepare()) tasks.push_back(std::move(task));
    };
    if (!row.write) {
        add(std::make_unique<RecordTask>(crypto, row, batch));
    } else {
        add(std::make_unique<WriteTask>(crypto, row, batch, false));
        add(std::make_unique<WriteTask>(crypto, row, batch, true));
    }
    return tasks;
}

} // namespace bench
