#include "codec.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/registers.hpp"
#include "../suite/secret.hpp"
#include "../executors/copy.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr size_t MOST_INPUTS = 16, MOST_STEP = 256, STATE_ROOM = 4096;
constexpr size_t UNWANTED = 4096;  // bytes of a buffer for outputs that are not wanted

uint32_t outputs_of(const Variant &v) { return v.cipher.algorithm->record.key_bytes; }

bool has_room(const Variant &v) {
    return v.lanes <= MOST_INPUTS && outputs_of(v) < v.lanes && v.step <= MOST_STEP && v.state_bytes <= STATE_ROOM &&
           v.state_align <= 64 && outputs_of(v) * MOST_STEP <= UNWANTED && v.n_streams == 1 && !v.lag;
}

// Returns the number of calls. The first takes as many inputs as a kernel has; each later one takes the outputs so far,
// too.
size_t calls(const Variant &v, size_t outputs, size_t inputs) {
    return inputs <= v.lanes ? 1 : 1 + (inputs - outputs - 1) / (v.lanes - outputs);
}

// Returns how many bytes of the state block are between the first lane's factors and the end of the last lane's.
size_t key_bytes(const Variant &v) {
    return v.cipher.lanes.back().key - v.cipher.lanes.front().key + 16 * v.cipher.key_rows;
}

}  // namespace

int Codec::init(const Engine &engine, const char *kernel) {
    engine_ = &engine;
    const auto fits = [](const Variant &v) { return v.role == Role::codec && has_room(v); };
    if (int error = engine.fetch_all(kernel, fits, &kernels_)) return error;
    forms_.resize(256);
    for (size_t factor = 0; factor < forms_.size(); factor++) {
        put_bit_matrix(uint8_t(factor), forms_[factor].bit_matrix);
        put_nibble_products(uint8_t(factor), forms_[factor].nibble_products);
    }
    return CST_OK;
}

// The factors of all calls for as many outputs as a kernel makes at once, from a row on.
struct Products::Round {
    Round(const Products &products, const Variant &v, size_t first_row);

    const Variant &kernel;
    const size_t row, outputs;
    std::vector<uint8_t> keys;  // key_bytes(kernel) for each call
    mutable std::atomic<size_t> bytes{0};  // length of blocks for which it was chosen last
    const Round *next = nullptr;
};

Products::Round::Round(const Products &products, const Variant &v, size_t first_row)
    : kernel(v), row(first_row), outputs(std::min<size_t>(outputs_of(v), products.factors_.rows - first_row)) {
    const bool nibbles = v.cipher.key_form == KEY_NIBBLES;
    const size_t columns = products.factors_.columns, size = key_bytes(v);
    keys.resize(size * calls(v, outputs, columns + products.adds_ * outputs));
    const auto put = [&](uint8_t *key, size_t i, uint8_t factor) {
        const Codec::Forms &its = products.codec_.forms_[factor];
        if (nibbles) memcpy(key + NIBBLE_PRODUCTS * i, its.nibble_products, NIBBLE_PRODUCTS);
        else memcpy(key + BIT_MATRIX * i, its.bit_matrix, BIT_MATRIX);
    };
    bool goes_on = products.adds_;
    uint8_t *call = keys.data();
    for (size_t done = 0; done < columns; goes_on = true, call += size) {
        for (size_t lane = 0; lane < v.lanes && done < columns; lane++) {
            uint8_t *const key = call + (v.cipher.lanes[lane].key - v.cipher.lanes[0].key);
            if (goes_on && lane < outputs) {
                put(key, lane, 1);
                continue;
            }
            for (size_t i = 0; i < outputs; i++) put(key, i, products.factors_.row(row + i)[done]);
            done++;
        }
    }
}

// Calls the kernel of a round. A state block holds no secret: factors and addresses of blocks.
class Products::Call {
public:
    Call(const Round &round, const Cpu &cpu) : v_(round.kernel), outputs_(round.outputs), cpu_(cpu) {
        args_.state[0] = state_ + v_.state_offset[0];
    }
    // Reads the outputs if goes_on, then `inputs` blocks of `in`; there is a lane for each.
    void run(const uint8_t *keys, bool goes_on, const void *const *in, size_t inputs, void *const *out, size_t bytes) {
        memcpy(state_ + v_.cipher.lanes[0].key, keys, key_bytes(v_));
        lanes_ = 0;
        if (goes_on)
            while (lanes_ < outputs_) from_[lanes_] = static_cast<const uint8_t *>(out[lanes_]), lanes_++;
        for (size_t j = 0; j < inputs; j++) from_[lanes_++] = static_cast<const uint8_t *>(in[j]);
        const size_t whole = bytes & ~size_t(v_.step - 1);
        const size_t most = outputs_ < outputs_of(v_) ? UNWANTED : whole;
        for (size_t at = 0; at < whole; at += most) {
            for (size_t i = 0; i < v_.lanes; i++) point_in(i, from_[i < lanes_ ? i : 0] + at);
            for (size_t i = 0; i < outputs_of(v_); i++)
                point_out(i, i < outputs_ ? static_cast<uint8_t *>(out[i]) + at : unwanted_);
            call(std::min(most, whole - at) >> v_.step_log2);
        }
        if (bytes > whole) run_end(out, whole, bytes - whole);
    }

private:
    // Processes less than a step, with nothing read or written beyond it.
    __attribute__((noinline)) void run_end(void *const *out, size_t whole, size_t rest) {
        const ClearRegisters clear(cpu_);  // data passes through registers
        uint8_t ends[MOST_INPUTS][MOST_STEP];
        for (size_t i = 0; i < lanes_; i++) memcpy(ends[i], from_[i] + whole, rest);
        for (size_t i = 0; i < v_.lanes; i++) point_in(i, ends[i < lanes_ ? i : 0]);
        for (size_t i = 0; i < outputs_of(v_); i++) point_out(i, unwanted_ + i * MOST_STEP);
        call(1);
        for (size_t i = 0; i < outputs_; i++)
            memcpy(static_cast<uint8_t *>(out[i]) + whole, unwanted_ + i * MOST_STEP, rest);
        for (size_t i = 0; i < lanes_; i++) wipe(ends[i], rest);
        wipe(unwanted_, outputs_ * MOST_STEP);
    }
    void point_in(size_t lane, const uint8_t *to) { put_pointer(state_ + v_.cipher.lanes[lane].in, to); }
    void point_out(size_t lane, uint8_t *to) { put_pointer(state_ + v_.cipher.lanes[lane].out, to); }
    void call(size_t iterations) {
        args_.iterations = iterations;
        v_.kernel.load(std::memory_order_acquire)->fn(&args_);
        v_.calls.add(1);
    }

    const Variant &v_;
    const size_t outputs_;
    const Cpu &cpu_;
    size_t lanes_ = 0;
    cst_kernel_args args_;
    const uint8_t *from_[MOST_INPUTS];
    alignas(64) uint8_t state_[STATE_ROOM];
    uint8_t unwanted_[UNWANTED];
};

Products::Products(const Codec &codec, Matrix factors, bool adds)
    : codec_(codec), factors_(std::move(factors)), adds_(adds) {}

Products::~Products() {
    for (const Round *made = rounds_.load(); made;) {
        const Round *const next = made->next;
        delete made;
        made = next;
    }
}

const Variant &Products::best(size_t outputs, size_t bytes) const {
    const Variant *best = nullptr;
    double least = 0;
    for (const Variant *v : codec_.kernels_) {
        const size_t most = outputs_of(*v), rounds = (outputs + most - 1) / most, some = std::min(most, outputs);
        const size_t iterations = bytes >> v->step_log2, rest = bytes & (v->step - 1),
                     times = (iterations > 0) + (rest > 0);
        const double cycles =
            double(rounds * calls(*v, some, factors_.columns + adds_ * some)) *
            (v->cost.per_call * double(times) + v->cost.per_iteration * double(iterations + (rest > 0)));
        if (!best || cycles < least) best = v, least = cycles;
    }
    return *best;
}

// The choice of a round depends on the row and the bytes alone, so that a round once made is found again.
const Products::Round &Products::round(size_t row, size_t bytes) const {
    const Round *const newest = rounds_.load(std::memory_order_acquire);
    for (const Round *made = newest; made; made = made->next)
        if (made->row == row && made->bytes.load(std::memory_order_relaxed) == bytes) return *made;
    const Variant &v = best(factors_.rows - row, bytes);
    const Round *found = newest;
    while (found && (found->row != row || &found->kernel != &v)) found = found->next;
    if (!found) {
        Round *const made = new Round(*this, v, row);
        made->next = newest;
        while (!rounds_.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {}
        found = made;
    }
    found->bytes.store(bytes, std::memory_order_relaxed);
    return *found;
}

void Products::prepare(size_t bytes) const {
    for (size_t row = 0; row < factors_.rows;) row += round(row, bytes).outputs;
}

void Products::run(const void *const *in, void *const *out, size_t bytes) const {
    if (!bytes) return;
    prepare(bytes);
    for (size_t row = 0; row < factors_.rows;) {
        const Round &its = round(row, bytes);
        const Variant &v = its.kernel;
        if (v.legacy_sse && codec_.engine_->avx()) clear_upper_halves();
        Call call(its, codec_.engine_->cpu());
        const uint8_t *keys = its.keys.data();
        bool goes_on = adds_;
        for (size_t done = 0; done < factors_.columns; goes_on = true, keys += key_bytes(v)) {
            const size_t inputs = std::min(v.lanes - goes_on * its.outputs, factors_.columns - done);
            call.run(keys, goes_on, in + done, inputs, out + row, bytes);
            done += inputs;
        }
        row += its.outputs;
    }
}

}  // namespace cst
