// Cryptostitch through its public C API: one cst_burst for the whole batch.
#include "../peer.hpp"

#ifndef BENCH_CRYPTOSTITCH
namespace bench {
std::unique_ptr<Peer> make_cryptostitch(const std::string &, const std::string &, std::string &) { return nullptr; }
std::vector<std::string> cryptostitch_suites(const std::string &) { return {}; }
} // namespace bench
#else

#include <cryptostitch/cryptostitch.h>

namespace bench {
namespace {

class CstTask : public Task {
public:
    explicit CstTask(cst_ctx *ctx) : ctx_(ctx) {}
    ~CstTask() override {
        for (cst_key *key : keys_) cst_key_free(key);
    }
    bool prepare(const Row &row, const Batch &batch) {
        const cst_suite *suite = nullptr;
        if (cst_suite_get(ctx_, row.suite.c_str(), &suite) != CST_OK) return false;
        cst_choice choice = {};
        choice.size = sizeof choice;
        int direction = row.open ? CST_OPEN : CST_SEAL;
        if (cst_suite_choice(suite, direction, batch.buffers.size(), batch.bytes, batch.one_key, &choice) == CST_OK) variant = choice.kernel;
        size_t keys = batch.one_key ? 1 : batch.buffers.size();
        for (size_t i = 0; i < keys; i++) {
            const Buffer &b = batch.buffers[i];
            cst_key *key = nullptr;
            if (cst_key_new(suite, row.key_bits ? b.key : nullptr, size_t(row.key_bits / 8), row.hmac ? b.mac_key : nullptr, row.hmac ? 32 : 0, &key) != CST_OK) return false;
            keys_.push_back(key);
        }
        for (size_t i = 0; i < batch.buffers.size(); i++) {
            const Buffer &b = batch.buffers[i];
            cst_job job = {};
            job.size = sizeof job;
            job.key = keys_[batch.one_key ? 0 : i];
            job.direction = direction;
            job.in = b.in;
            job.in_len = batch.bytes;
            if (row.key_bits) {
                job.iv = b.iv;
                job.iv_len = 16;
                job.out = b.out;
                job.out_cap = batch.bytes;
            }
            if (batch.tag_bytes) {
                job.tag = row.open ? const_cast<uint8_t *>(b.expected_tag) : b.tag;
                job.tag_len = batch.tag_bytes;
            }
            jobs_.push_back(job);
        }
        return true;
    }
    bool run() override { return cst_burst(ctx_, jobs_.data(), jobs_.size()) == CST_OK; }

private:
    cst_ctx *ctx_;
    std::vector<cst_key *> keys_;
    std::vector<cst_job> jobs_;
};

class Cryptostitch : public Peer {
public:
    Cryptostitch(cst_ctx *ctx, std::string force) : ctx_(ctx), force_(std::move(force)) {}
    ~Cryptostitch() override { cst_ctx_free(ctx_); }
    std::string name() const override { return "cryptostitch"; }
    std::string version() const override { return cst_version(); }
    std::vector<std::unique_ptr<Task>> prepare(const Row &row, const Batch &batch) override {
        std::vector<std::unique_ptr<Task>> tasks;
        auto task = std::make_unique<CstTask>(ctx_);
        if (!force_.empty() && cst_suite_force(ctx_, row.suite.c_str(), force_.c_str()) != CST_OK) return tasks;
        if (task->prepare(row, batch)) tasks.push_back(std::move(task));
        return tasks;
    }

private:
    cst_ctx *ctx_;
    std::string force_;
};

cst_ctx *open_context(const std::string &target, std::string &error) {
    cst_options options = {};
    options.size = sizeof options;
    options.target = target.empty() ? nullptr : target.c_str();
    cst_ctx *ctx = nullptr;
    int result = cst_ctx_new(&ctx, &options);
    if (result != CST_OK) error = cst_error_text(result);
    return ctx;
}

} // namespace

std::unique_ptr<Peer> make_cryptostitch(const std::string &target, const std::string &force, std::string &error) {
    cst_ctx *ctx = open_context(target, error);
    if (!ctx) return nullptr;
    if (!force.empty()) {
        char nearest[512];
        const cst_kernel *kernel = nullptr;
        int result = cst_kernel_get(ctx, force.c_str(), &kernel);
        if (result != CST_OK) {
            error = std::string(cst_error_text(result)) + ": " + force;
            if (cst_nearest(ctx, CST_NAME_KERNEL, force.c_str(), nearest, sizeof nearest) == CST_OK) error += "; nearest: " + std::string(nearest);
            cst_ctx_free(ctx);
            return nullptr;
        }
    }
    return std::make_unique<Cryptostitch>(ctx, force);
}

std::vector<std::string> cryptostitch_suites(const std::string &target) {
    std::vector<std::string> names;
    std::string error;
    if (cst_ctx *ctx = open_context(target, error)) {
        cst_list(ctx, CST_NAME_SUITE, [](const char *name, void *arg) { static_cast<std::vector<std::string> *>(arg)->push_back(name); return 0; }, &names);
        cst_ctx_free(ctx);
    }
    return names;
}

} // namespace bench
#endif
