#include "codec.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "copy.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr size_t MOST_INPUTS = 16, MOST_STEP = 256, STATE_ROOM = 4096;
constexpr size_t UNWANTED = 4096;  // bytes of an output that nobody wants

uint32_t outputs_of(const Variant &v) { return v.cipher.algorithm->record.key_bytes; }

bool has_room(const Variant &v) {
    return v.lanes <= MOST_INPUTS && outputs_of(v) < v.lanes && v.step <= MOST_STEP && v.state_bytes <= STATE_ROOM &&
           v.state_align <= 64 && outputs_of(v) * MOST_STEP <= UNWANTED && v.n_streams == 1 && !v.lag;
}

// The first call takes as many inputs as a kernel has; each one after it takes the outputs so far, too.
size_t calls(const Variant &v, size_t outputs, size_t inputs) {
    return inputs <= v.lanes ? 1 : 1 + (inputs - v.lanes + v.lanes - outputs - 1) / (v.lanes - outputs);
}

}  // namespace

// So many outputs of a kernel at once, of a few of the inputs: its state block.
class Codec::Call {
public:
    Call(const Codec &codec, const Variant &v, size_t outputs, const uint8_t *const *in, uint8_t *const *out)
        : codec_(codec),
          v_(v),
          nibbles_(16 * v.cipher.key_rows >= NIBBLE_PRODUCTS * outputs_of(v)),
          outputs_(outputs),
          in_(in),
          out_(out) {
        args_.state[0] = state_ + v.state_offset[0];
        memset(state_, 0, v.state_bytes);
    }
    ~Call() {  // factors are public
        if (tails_used_) wipe(tails_, sizeof(tails_)), wipe(unwanted_, sizeof(unwanted_));
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    // The next lane reads an output as it is so far, or an input.
    void add_output(size_t i) {
        from_[lanes_] = out_[i];
        put_factor(key(), i, 1);
        lanes_++;
    }
    void add_input(size_t j, const Matrix &factors, size_t first_row) {
        from_[lanes_] = in_[j];
        uint8_t *const its = key();
        const uint8_t *factor = factors.row(first_row) + j;
        for (size_t i = 0; i < outputs_; i++, factor += factors.columns) put_factor(its, i, *factor);
        lanes_++;
    }
    void run(size_t bytes) {
        const size_t whole = bytes & ~size_t(v_.step - 1), rest = bytes - whole;
        const size_t most = outputs_ < outputs_of(v_) ? UNWANTED : whole;
        for (size_t at = 0; at < whole; at += most) {
            for (size_t i = 0; i < v_.lanes; i++) point_in(i, (i < lanes_ ? from_[i] : from_[0]) + at);
            for (size_t i = 0; i < outputs_of(v_); i++) point_out(i, i < outputs_ ? out_[i] + at : unwanted_);
            call(std::min(most, whole - at) >> v_.step_log2);
        }
        if (!rest) return;
        tails_used_ = true;
        for (size_t i = 0; i < v_.lanes; i++) {
            if (i < lanes_) memcpy(tails_[i], from_[i] + whole, rest);
            point_in(i, tails_[i < lanes_ ? i : 0]);
        }
        for (size_t i = 0; i < outputs_of(v_); i++) point_out(i, unwanted_ + i * MOST_STEP);
        call(1);
        for (size_t i = 0; i < outputs_; i++) memcpy(out_[i] + whole, unwanted_ + i * MOST_STEP, rest);
    }

private:
    uint8_t *key() { return state_ + v_.cipher.lanes[lanes_].key; }
    void put_factor(uint8_t *key, size_t output, uint8_t factor) const {
        const Forms &its = codec_.forms_[factor];
        if (nibbles_) memcpy(key + NIBBLE_PRODUCTS * output, its.nibble_products, NIBBLE_PRODUCTS);
        else memcpy(key + BIT_MATRIX * output, its.bit_matrix, BIT_MATRIX);
    }
    void point_in(size_t lane, const uint8_t *to) { put_pointer(state_ + v_.cipher.lanes[lane].in, to); }
    void point_out(size_t lane, uint8_t *to) { put_pointer(state_ + v_.cipher.lanes[lane].out, to); }
    void call(size_t iterations) {
        args_.iterations = iterations;
        v_.kernel.load(std::memory_order_acquire)->fn(&args_);
        v_.calls.add(1);
    }

    const Codec &codec_;
    const Variant &v_;
    const bool nibbles_;  // else bit matrices
    const size_t outputs_;
    const uint8_t *const *const in_;
    uint8_t *const *const out_;
    size_t lanes_ = 0;
    bool tails_used_ = false;
    cst_kernel_args args_;
    const uint8_t *from_[MOST_INPUTS];
    alignas(64) uint8_t state_[STATE_ROOM];
    uint8_t tails_[MOST_INPUTS][MOST_STEP], unwanted_[UNWANTED];
};

int Codec::init(const Engine &engine, const char *kernel) {
    engine_ = &engine;
    int error = kernel ? CST_ERR_NAME : CST_ERR_UNSUPPORTED;
    for (const auto &v : engine.variants()) {
        if (v->role != Role::codec || !has_room(*v) || (kernel && strcmp(kernel, v->name) != 0)) continue;
        const Kernel *code;
        const int its = v->runnable ? engine.fetch(*v, &code) : CST_ERR_UNSUPPORTED;
        if (its == CST_ERR_MEMORY) return its;
        if (its) error = its;
        else if (kernels_.size() < MOST_KERNELS) kernels_.push_back(v.get());
    }
    forms_.resize(256);
    for (size_t factor = 0; factor < forms_.size(); factor++) {
        put_bit_matrix(uint8_t(factor), forms_[factor].bit_matrix);
        put_nibble_products(uint8_t(factor), forms_[factor].nibble_products);
    }
    return kernels_.empty() ? error : CST_OK;
}

const Variant &Codec::best(size_t outputs, size_t inputs, size_t bytes) const {
    // From the lowest bit: the kernel, inputs, outputs, bytes.
    const uint64_t question = uint64_t(bytes) << 24 | outputs << 16 | inputs << 7,
                   last = last_.load(std::memory_order_relaxed);
    if (bytes >> 40 == 0 && (last ^ question) < kernels_.size()) return *kernels_[last ^ question];
    size_t best = 0;
    double least = 0;
    for (size_t i = 0; i < kernels_.size(); i++) {
        const Variant *const v = kernels_[i];
        const size_t rounds = (outputs + outputs_of(*v) - 1) / outputs_of(*v),
                     some = std::min<size_t>(outputs_of(*v), outputs);
        const double cycles = double(rounds * calls(*v, some, inputs)) *
                              (v->cost.per_call + v->cost.per_iteration * double((bytes >> v->step_log2) + 1));
        if (!i || cycles < least) best = i, least = cycles;
    }
    last_.store(question | best, std::memory_order_relaxed);
    return *kernels_[best];
}

void Codec::run(const Matrix &factors, const uint8_t *const *in, uint8_t *const *out, size_t bytes, bool adds) const {
    for (size_t row = 0; row < factors.rows;) {
        const Variant &v = best(factors.rows - row, factors.columns + adds, bytes);
        const size_t outputs = std::min<size_t>(outputs_of(v), factors.rows - row);
        if (v.legacy_sse && engine_->avx()) clear_upper_halves();
        bool goes_on = adds;
        for (size_t done = 0; done < factors.columns; goes_on = true) {
            Call call(*this, v, outputs, in, out + row);
            size_t lanes = 0;
            for (; goes_on && lanes < outputs; lanes++) call.add_output(lanes);
            for (; lanes < v.lanes && done < factors.columns; lanes++) call.add_input(done++, factors, row);
            call.run(bytes);
        }
        row += outputs;
    }
}

}  // namespace cst
