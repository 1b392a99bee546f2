// Cryptostitch through its public C API: one cst_burst for the whole batch, or one cst_tls_seal per text, or one
// cst_checksum_update, or one cst_code_encode, or one cst_pi_insert.
#include "../rsa_keys.hpp"
#include "p256.hpp"
#include "../pages.hpp"
#include "../peer.hpp"

#ifndef BENCH_CRYPTOSTITCH
namespace bench {
std::unique_ptr<Peer> make_cryptostitch(const std::string &, const std::string &, const std::string &,
                                        const std::vector<std::string> &, std::string &) {
    return nullptr;
}
std::vector<NamedSuite> cryptostitch_suites(const std::string &, const std::vector<std::string> &) { return {}; }
} // namespace bench
#else

#include "../quic.hpp"
#include "../tls.hpp"
#include "summed.hpp"

#include <cryptostitch/cryptostitch.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace bench {
namespace {

bool suite_info(cst_ctx *ctx, const std::string &name, cst_suite_info *info) {
    const cst_suite *suite = nullptr;
    info->size = sizeof *info;
    return cst_suite_get(ctx, name.c_str(), &suite) == CST_OK && cst_suite_info_get(suite, info) == CST_OK;
}

// The keys of a batch: each by itself, or all in one table of the caller's.
class CstKeys {
public:
    CstKeys(const Row &row, const Batch &batch, bool table) : row_(row), batch_(batch), in_table_(table) {}
    ~CstKeys() { drop(); }
    CstKeys(const CstKeys &) = delete;
    CstKeys &operator=(const CstKeys &) = delete;

    bool prepare(const cst_suite *suite) {
        suite_ = suite;
        pitch_ = cst_key_bytes(suite);
        keys_.resize(batch_.keys());
        if (in_table_) table_.resize(pitch_ * keys_.size());
        return make();
    }
    // Those that are there go.
    bool make() {
        if (!in_table_) drop();
        for (size_t k = 0; k < keys_.size(); k++)
            if (make(k) != CST_OK) return false;
        return true;
    }
    bool in_table() const { return in_table_; }
    const cst_key *of(size_t buffer) const { return keys_[batch_.key_of(buffer)]; }

private:
    int make(size_t k) {
        const uint8_t *key = row_.key_bits ? batch_.key(k) : nullptr,
                      *mac_key = row_.mac_key_bytes() ? batch_.mac_key(k) : nullptr;
        size_t key_bytes = row_.key_bytes(), mac_key_bytes = row_.mac_key_bytes();
        uint8_t both[64];
        if (row_.jose) {
            memcpy(both, mac_key, mac_key_bytes);
            memcpy(both + mac_key_bytes, key, key_bytes);
            key = both, key_bytes += mac_key_bytes, mac_key = nullptr, mac_key_bytes = 0;
        }
        return in_table_ ? cst_key_init(suite_, table_.data() + k * pitch_, pitch_, key, key_bytes, mac_key,
                                        mac_key_bytes, &keys_[k])
                         : cst_key_new(suite_, key, key_bytes, mac_key, mac_key_bytes, &keys_[k]);
    }
    void drop() {
        for (cst_key *&key : keys_) {
            (in_table_ ? cst_key_clear : cst_key_free)(key);
            key = nullptr;
        }
    }
    const Row row_;
    const Batch &batch_;
    const bool in_table_;
    const cst_suite *suite_ = nullptr;
    size_t pitch_ = 0;
    Table<uint8_t> table_;
    std::vector<cst_key *> keys_;
};

// The keys of a batch, and what the library says it will do.
class CstTask : public Task {
public:
    CstTask(cst_ctx *ctx, const Row &row, const Batch &batch, bool table = false)
        : ctx_(ctx), row_(row), batch_(batch), keys_(row, batch, table || batch.sessions) {}
    virtual bool prepare() {
        const cst_suite *suite = nullptr;
        if (cst_suite_get(ctx_, row_.suite.c_str(), &suite) != CST_OK) return false;
        cst_choice choice = {};
        choice.size = sizeof choice;
        if (cst_suite_choice(suite, direction(), batch_.jobs, batch_.mean(), batch_.one_key, &choice) == CST_OK)
            variant = strstr(choice.why, "without a kernel") ? "no kernel" : choice.kernel;
        return keys_.prepare(suite);
    }

protected:
    int direction() const { return row_.open ? CST_OPEN : CST_SEAL; }
    const cst_key *key(size_t i) const { return keys_.of(i); }
    cst_ctx *ctx_;
    Row row_;
    const Batch &batch_;
    CstKeys keys_;
};

class BurstTask : public CstTask {
public:
    using CstTask::CstTask;
    bool prepare() override {
        if (!CstTask::prepare()) return false;
        heads_.resize(batch_.buffers.size());
        for (size_t i = 0; i < batch_.buffers.size(); i++) jobs_.push_back(job(i));
        return true;
    }
    bool run() override { return cst_burst(ctx_, jobs_.data() + turns_.next(), batch_.jobs) == CST_OK; }

protected:
    std::vector<cst_job> jobs_;

private:
    struct Head {
        uint8_t bytes[11];
    };
    cst_job job(size_t i) {
        const Buffer &b = batch_.buffers[i];
        cst_job job = {};
        job.size = sizeof job;
        job.key = key(i);
        job.direction = direction();
        job.in = b.in;
        job.in_len = b.in_bytes;
        if (row_.key_bits) {
            job.iv = row_.iv_bytes() ? b.iv : nullptr;
            job.iv_len = row_.iv_bytes();
            job.out = b.out;
            job.out_cap = row_.open ? b.in_bytes : b.out_bytes;
        }
        if (row_.tls) {
            tls_head(b.sequence, heads_[i].bytes);
            job.aad = heads_[i].bytes;
            job.aad_len = sizeof heads_[i].bytes;
        } else if (row_.header) {
            job.aad = b.iv - row_.header;
            job.aad_len = row_.header;
        }
        if (row_.tag_bytes) {
            job.tag = row_.open ? const_cast<uint8_t *>(b.expected_tag) : b.tag;
            job.tag_len = row_.tag_bytes;
        }
        return job;
    }
    std::vector<Head> heads_;
    Turns turns_{batch_};
};

// Checksums as numbers, one call per buffer, as their peers are called.
class UpdateTask : public CstTask {
public:
    UpdateTask(cst_ctx *ctx, const Row &row, const Batch &batch)
        : CstTask(ctx, row, batch), form_(row.suite), of_nothing_(row.suite == "adler32") {}
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            uint64_t value = of_nothing_;
            if (cst_checksum_update(key(i), b.in, b.bytes, &value) != CST_OK) return false;
            form_.put(value, b.tag);
        }
        return true;
    }

private:
    const ChecksumForm form_;
    const uint64_t of_nothing_;
    Turns turns_{batch_};
};

// The parity of each text.
class CodeTask : public Task {
public:
    CodeTask(cst_ctx *ctx, const Row &row, const Batch &batch) : batch_(batch) {
        const int matrix = row.cauchy ? CST_CODE_CAUCHY : CST_CODE_VANDERMONDE;
        const cst_code_shape shape = {sizeof shape, uint32_t(row.data_blocks), uint32_t(row.parity_blocks), matrix,
                                      nullptr};
        if (cst_code_new(ctx, &shape, &code_) != CST_OK) code_ = nullptr;
        for (const Buffer &b : batch.buffers) blocks_.emplace_back(row, b);
        variant = "cst_code_encode";
    }
    ~CodeTask() override { cst_code_free(code_); }
    bool ready() const { return code_; }
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            Blocks &b = blocks_[i];
            if (cst_code_encode(code_, b.bytes, reinterpret_cast<const void *const *>(b.data.data()),
                                reinterpret_cast<void *const *>(b.parity.data())) != CST_OK)
                return false;
        }
        return true;
    }

private:
    const Batch &batch_;
    cst_code *code_ = nullptr;
    std::vector<Blocks> blocks_;
    Turns turns_{batch_};
};

// Sectors: one call for each text.
class SectorsTask : public Task {
public:
    SectorsTask(cst_ctx *ctx, const Row &row, const Batch &batch) : open_(row.open), batch_(batch) {
        const cst_suite *suite = nullptr;
        if (cst_suite_get(ctx, "crc16-t10-dif", &suite) != CST_OK ||
            cst_key_new(suite, nullptr, 0, nullptr, 0, &key_) != CST_OK)
            key_ = nullptr;
        pi_.size = sizeof pi_;
        pi_.key = key_;
        pi_.sector_bytes = row.sector_bytes;
        pi_.type = 1;
        variant = row.open ? "cst_pi_strip" : "cst_pi_insert";
    }
    ~SectorsTask() override { cst_key_free(key_); }
    bool ready() const { return key_; }
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            const size_t n = b.bytes / pi_.sector_bytes;
            if ((open_ ? cst_pi_strip(&pi_, b.in, n, b.out, nullptr) : cst_pi_insert(&pi_, b.in, n, b.out)) != CST_OK)
                return false;
        }
        return true;
    }

private:
    const bool open_;
    const Batch &batch_;
    cst_key *key_ = nullptr;
    cst_pi pi_ = {};
    Turns turns_{batch_};
};

// Public-key operations. A secret key has its public key behind it, as in OpenSSL's keys.
class PublicKeyTask : public Task {
public:
    PublicKeyTask(cst_ctx *ctx, const Row &row, const Batch &batch) : batch_(batch) {
        variant = row.agrees() ? row.public_key : row.public_key + (row.open ? "-verify" : "-sign");
        const size_t public_bytes = row.p256() ? P256_POINT : SECRET;
        for (size_t k = 0; k < batch.keys(); k++) keys_.insert(keys_.end(), batch.key(k), batch.key(k) + PAIR);
        if (!row.agrees() &&
            !make_public_keys(ctx, row.p256() ? "p256-public-key" : "ed25519-public-key", public_bytes))
            return;
        const size_t secret_bytes = row.public_key == "ed25519" ? 2 * SECRET : SECRET;
        for (size_t i = 0; i < batch.buffers.size(); i++) {
            const Buffer &b = batch.buffers[i];
            cst_pk_job job = {};
            job.size = sizeof job;
            job.key = keys_.data() + PAIR * batch.key_of(i) + (row.open ? SECRET : 0);
            job.key_len = row.open ? public_bytes : secret_bytes;
            job.in = row.public_key == "ecdh-p256" ? P256_PEER : b.in;
            job.in_len = row.public_key == "ecdh-p256" ? sizeof P256_PEER : row.agrees() ? SECRET : b.bytes;
            job.out = b.tag;
            job.out_cap = row.tag_bytes;
            job.signature = b.expected_tag;
            job.signature_len = row.tag_bytes;
            jobs_.push_back(job);
        }
        if (cst_pk_new(ctx, variant.c_str(), nullptr, &pk_) != CST_OK) pk_ = nullptr;
    }
    ~PublicKeyTask() override { cst_pk_free(pk_); }
    bool ready() const { return pk_; }
    bool run() override { return cst_pk_burst(pk_, jobs_.data() + turns_.next(), batch_.jobs) == CST_OK; }

private:
    static constexpr size_t SECRET = 32, P256_POINT = 65, PAIR = SECRET + P256_POINT;  // bytes
    bool make_public_keys(cst_ctx *ctx, const char *operation, size_t bytes) {
        cst_pk *pk = nullptr;
        if (cst_pk_new(ctx, operation, nullptr, &pk) != CST_OK) return false;
        std::vector<cst_pk_job> jobs(keys_.size() / PAIR);
        for (size_t k = 0; k < jobs.size(); k++) {
            jobs[k].size = sizeof jobs[k];
            jobs[k].key = keys_.data() + PAIR * k;
            jobs[k].out = keys_.data() + PAIR * k + SECRET;
            jobs[k].key_len = SECRET;
            jobs[k].out_cap = bytes;
        }
        const bool done = cst_pk_burst(pk, jobs.data(), jobs.size()) == CST_OK;
        cst_pk_free(pk);
        return done;
    }
    const Batch &batch_;
    cst_pk *pk_ = nullptr;
    std::vector<uint8_t> keys_;
    std::vector<cst_pk_job> jobs_;
    Turns turns_{batch_};
};

class RsaTask : public Task {
public:
    RsaTask(cst_ctx *ctx, const Row &row, const Batch &batch) : batch_(batch) {
        static const char operation[] = "rsa-sign-pkcs1-sha256";
        variant = operation;
        const std::vector<uint8_t> der = rsa_key(row.rsa_bits());
        if (cst_pk_new(ctx, operation, nullptr, &pk_) != CST_OK) return;
        if (cst_pk_key_new(pk_, der.data(), der.size(), &key_) != CST_OK) return;
        for (const Buffer &b : batch.buffers) {
            cst_pk_job job = {};
            job.size = sizeof job;
            job.prepared = key_;
            job.in = b.in;
            job.in_len = b.bytes;
            job.out = b.tag;
            job.out_cap = row.tag_bytes;
            jobs_.push_back(job);
        }
    }
    ~RsaTask() override {
        cst_pk_key_free(key_);
        cst_pk_free(pk_);
    }
    bool ready() const { return key_; }
    bool run() override { return cst_pk_burst(pk_, jobs_.data() + turns_.next(), batch_.jobs) == CST_OK; }

private:
    const Batch &batch_;
    cst_pk *pk_ = nullptr;
    cst_pk_key *key_ = nullptr;
    std::vector<cst_pk_job> jobs_;
    Turns turns_{batch_};
};

// QUIC packets: one call for all.
class PacketsTask : public Task {
public:
    PacketsTask(cst_ctx *ctx, const Row &row, const Batch &batch) : ctx_(ctx), row_(row), batch_(batch) {
        const std::string aead = row.suite.substr(row.suite.find('-') + 1);
        const size_t n = row.key_bytes();
        keys_.resize(batch.keys());
        for (size_t k = 0; k < keys_.size(); k++)
            if (cst_quic_key_new(ctx, aead.c_str(), batch.key(k), n, quic_iv(batch, k), QUIC_IV, quic_hp(batch, k), n,
                                 &keys_[k]) != CST_OK)
                return;
        for (size_t i = 0; i < batch.buffers.size(); i++) row.open ? add_received(i) : add_packet(i);
        variant = row.open ? "cst_quic_open" : "cst_quic_seal";
    }
    ~PacketsTask() override {
        for (cst_quic_key *key : keys_) cst_quic_key_free(key);
    }
    bool ready() const { return !variant.empty(); }
    bool run() override {
        const size_t first = turns_.next();
        if (row_.open) return cst_quic_open(ctx_, received_.data() + first, batch_.jobs) == CST_OK;
        for (size_t i = first; i < first + batch_.jobs; i++) *static_cast<uint8_t *>(packets_[i].header) = 0x40;
        return cst_quic_seal(ctx_, packets_.data() + first, batch_.jobs) == CST_OK;
    }

private:
    void add_packet(size_t i) {
        const Buffer &b = batch_.buffers[i];
        cst_quic_packet packet = {};
        packet.size = sizeof packet;
        packet.key = keys_[batch_.key_of(i)];
        packet.number = b.sequence;
        packet.number_len = 4;
        packet.header = b.out - QUIC_HEADER;
        packet.header_len = QUIC_HEADER;
        packet.in = b.in;
        packet.in_len = b.bytes;
        packet.out = b.out;
        packet.out_cap = b.out_bytes;
        packets_.push_back(packet);
    }
    void add_received(size_t i) {
        const Buffer &b = batch_.buffers[i];
        cst_quic_received packet = {};
        packet.size = sizeof packet;
        packet.key = keys_[batch_.key_of(i)];
        packet.expected = b.sequence;
        packet.in = b.in - QUIC_HEADER;
        packet.in_len = QUIC_HEADER + b.in_bytes;
        packet.number_at = QUIC_NUMBER_AT;
        packet.out = b.out - QUIC_HEADER;
        packet.out_cap = packet.in_len;
        received_.push_back(packet);
    }
    cst_ctx *const ctx_;
    const Row row_;
    const Batch &batch_;
    std::vector<cst_quic_key *> keys_;
    std::vector<cst_quic_packet> packets_;
    std::vector<cst_quic_received> received_;
    Turns turns_{batch_};
};

// Makes the keys anew, and frees, or overwrites, those that were there.
class KeyTask : public BurstTask {
public:
    KeyTask(cst_ctx *ctx, const Row &row, const Batch &batch, bool table) : BurstTask(ctx, row, batch, table) {}
    bool prepare() override {
        const bool ready = BurstTask::prepare();
        variant = keys_.in_table() ? "cst_key_init" : "cst_key_new, _free";
        return ready;
    }
    bool run() override { return keys_.make(); }
    bool prove() override {
        for (size_t i = 0; i < jobs_.size(); i++) jobs_[i].key = key(i);
        return BurstTask::run();
    }
};

// One cst_tls_seal per text, cut as the library likes.
class WriteTask : public CstTask {
public:
    using CstTask::CstTask;
    bool prepare() override {
        if (!CstTask::prepare()) return false;
        size_t most = 0;
        for (size_t i = 0; i < batch_.buffers.size(); i++) {
            size_t records = 0, bytes = 0;
            const Buffer &b = batch_.buffers[i];
            if (cst_tls_seal_size(key(i), b.bytes, 0, &records, &bytes) != CST_OK || bytes > b.out_bytes) return false;
            most = std::max(most, records);
            if (i == 0) variant = std::to_string(records) + (records == 1 ? " record" : " records");
        }
        std::mt19937 random{2};
        ivs_.resize(16 * most);
        for (uint8_t &byte : ivs_) byte = uint8_t(random());
        for (size_t i = 0; i < batch_.buffers.size(); i++) {
            const Buffer &b = batch_.buffers[i];
            cst_tls_write write = {};
            write.size = sizeof write;
            write.key = key(i);
            write.sequence = b.sequence;
            write.type = TLS_TYPE;
            write.version = uint16_t(TLS_VERSION[0] << 8 | TLS_VERSION[1]);
            write.iv = ivs_.data();
            write.iv_len = ivs_.size();
            write.in = b.in;
            write.in_len = b.bytes;
            write.out = b.out;
            write.out_cap = b.out_bytes;
            writes_.push_back(write);
        }
        return true;
    }
    bool run() override {
        for (cst_tls_write &write : writes_)
            if (cst_tls_seal(&write) != CST_OK) return false;
        return true;
    }

private:
    std::vector<uint8_t> ivs_;
    std::vector<cst_tls_write> writes_;
};

class Cryptostitch : public Peer {
public:
    Cryptostitch(cst_ctx *ctx, std::string force) : ctx_(ctx), force_(std::move(force)) {}
    ~Cryptostitch() override { cst_ctx_free(ctx_); }
    std::string name() const override { return "cryptostitch"; }
    std::string version() const override { return cst_version(); }
    std::vector<std::unique_ptr<Task> > prepare(const Row &row, const Batch &batch) override {
        std::vector<std::unique_ptr<Task> > tasks;
        if (row.stored()) {
            if (row.coded()) add_ready<CodeTask>(tasks, row, batch);
            else add_ready<SectorsTask>(tasks, row, batch);
            return tasks;
        }
        if (row.quic) {
            add_ready<PacketsTask>(tasks, row, batch);
            return tasks;
        }
        if (!row.public_key.empty()) {
            if (row.rsa_bits()) add_ready<RsaTask>(tasks, row, batch);
            else add_ready<PublicKeyTask>(tasks, row, batch);
            return tasks;
        }
        if (!force_.empty() && cst_suite_force(ctx_, row.suite.c_str(), force_.c_str()) != CST_OK) return tasks;
        if (row.make_keys) {
            for (bool table : {false, true}) add(tasks, std::make_unique<KeyTask>(ctx_, row, batch, table), row);
        } else if (row.write) {
            add(tasks, std::make_unique<WriteTask>(ctx_, row, batch), row);
        } else if (row.checksum && !row.open) {
            add(tasks, std::make_unique<UpdateTask>(ctx_, row, batch), row);
        } else {
            add(tasks, std::make_unique<BurstTask>(ctx_, row, batch), row);
            if (!row.sum.empty()) add_parts(tasks, row, batch);
        }
        return tasks;
    }

    bool gives_known_answers(const Row &row) override {
        cst_suite_info info = {};
        return suite_info(ctx_, row.suite, &info) && info.known_answers &&
               cst_selftest(ctx_, row.suite.c_str(), nullptr, nullptr) == CST_OK;
    }

private:
    template <typename T>
    void add_ready(std::vector<std::unique_ptr<Task> > &tasks, const Row &row, const Batch &batch) {
        auto task = std::make_unique<T>(ctx_, row, batch);
        if (task->ready()) tasks.push_back(std::move(task));
    }
    static void add(std::vector<std::unique_ptr<Task> > &tasks, std::unique_ptr<CstTask> task, const Row &row) {
        if (task->prepare()) tasks.push_back(std::move(task));
        else fprintf(stderr, "cst-bench: cryptostitch cannot do %s\n", row.name.c_str());
    }
    // The library's own parts, one after the other.
    void add_parts(std::vector<std::unique_ptr<Task> > &tasks, const Row &row, const Batch &batch) {
        const cst_suite *suite = nullptr;
        cst_key *key = nullptr;
        if (cst_suite_get(ctx_, row.sum.c_str(), &suite) != CST_OK ||
            cst_key_new(suite, nullptr, 0, nullptr, 0, &key) != CST_OK)
            return;
        const std::shared_ptr<cst_key> sum(key, cst_key_free);
        auto cipher = std::make_unique<BurstTask>(ctx_, without_sum(row), batch);
        if (!cipher->prepare()) return;
        const auto update = [sum](const uint8_t *in, size_t bytes) {
            uint64_t value = 0;
            cst_checksum_update(sum.get(), in, bytes, &value);
            return value;
        };
        tasks.push_back(std::make_unique<SummedTask>(std::move(cipher), update, "cst_checksum_update", row, batch));
    }
    cst_ctx *ctx_;
    std::string force_;
};

// Whether the file is a cost table, JSON, which is what the library is built from and not what a context reads.
bool is_cost_table(const std::string &path) {
    char first = 0;
    std::ifstream(path) >> first;
    return first == '{';
}

bool load_pack(cst_ctx *ctx, const std::string &file, std::string &error) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (!stream) {
        error = file + " cannot be read";
        return false;
    }
    const int result = cst_pack_load(ctx, bytes.data(), bytes.size());
    char why[1024] = "";
    if (result == CST_ERR_PACK) cst_pack_check(bytes.data(), bytes.size(), why, sizeof why);
    if (result != CST_OK) error = file + ": " + (*why ? why : cst_error_text(result));
    return result == CST_OK;
}

cst_ctx *open_context(const std::string &target, const std::string &costs, const std::vector<std::string> &packs,
                      std::string &error) {
    cst_options options = {};
    options.size = sizeof options;
    options.flags = CST_ALLOW_LEGACY | (packs.empty() ? 0 : CST_ALLOW_PACKS);
    options.target = target.empty() ? nullptr : target.c_str();
    options.costs = costs.empty() ? nullptr : costs.c_str();
    cst_ctx *ctx = nullptr;
    int result = cst_ctx_new(&ctx, &options);
    if (result == CST_ERR_COSTS && is_cost_table(costs))
        error = costs +
                " is a cost table, of which the library is built, and not a cost file, which it reads: "
                "`cryptostitch calibrate --cost-table " +
                costs + " --costs FILE` makes one of it";
    else if (result != CST_OK) error = cst_error_text(result) + (costs.empty() ? std::string() : ": " + costs);
    for (const std::string &file : packs)
        if (ctx && !load_pack(ctx, file, error)) {
            cst_ctx_free(ctx);
            return nullptr;
        }
    return ctx;
}

} // namespace

std::unique_ptr<Peer> make_cryptostitch(const std::string &target, const std::string &costs, const std::string &force,
                                        const std::vector<std::string> &packs, std::string &error) {
    cst_ctx *ctx = open_context(target, costs, packs, error);
    if (!ctx) return nullptr;
    if (!force.empty()) {
        char nearest[512];
        const cst_kernel *kernel = nullptr;
        int result = cst_kernel_get(ctx, force.c_str(), &kernel);
        if (result != CST_OK) {
            error = std::string(cst_error_text(result)) + ": " + force;
            if (cst_nearest(ctx, CST_NAME_KERNEL, force.c_str(), nearest, sizeof nearest) == CST_OK)
                error += "; nearest: " + std::string(nearest);
            cst_ctx_free(ctx);
            return nullptr;
        }
    }
    return std::make_unique<Cryptostitch>(ctx, force);
}

std::vector<NamedSuite> cryptostitch_suites(const std::string &target, const std::vector<std::string> &packs) {
    std::vector<std::string> names;
    std::vector<NamedSuite> suites;
    std::string error;
    if (cst_ctx *ctx = open_context(target, "", packs, error)) {
        cst_list(
            ctx, CST_NAME_SUITE,
            [](const char *name, void *arg) {
                static_cast<std::vector<std::string> *>(arg)->push_back(name);
                return 0;
            },
            &names);
        for (const std::string &name : names) {
            cst_suite_info info = {};
            const bool digest = suite_info(ctx, name, &info) && info.kind == CST_DIGEST && info.known_answers;
            suites.push_back({name, digest ? info.tag_max : 0});
        }
        cst_ctx_free(ctx);
    }
    return suites;
}

} // namespace bench
#endif
