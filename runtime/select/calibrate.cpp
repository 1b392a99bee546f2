#include "calibrate.hpp"

#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "name_glob.hpp"
#include "upper_halves.hpp"

namespace cst {
namespace {

constexpr double kSecondsPerKernel = 0.01, kSecondsForAll = 3.0;
// Disturbances add time. Short ones (an interrupt) meet few samples of a pass, and its median does not see them. Long
// ones (another program on the core's other thread) meet some of the passes over all kernels, and the second least pass
// counts: the least may come from a disturbance of the clock, which takes time off.
constexpr size_t kPasses = 8;
constexpr size_t kLeastSamples = 3, kMostSamples = 200;  // per kernel and pass
constexpr uint64_t kSampleTicks = 12000;  // long against the clock's resolution, short against a time slice
constexpr size_t kMostCalls = 64;  // per sample
constexpr size_t kJobs = 64;
constexpr uint64_t kTarget = 2048;  // bytes of a job; those of all jobs stay in the second-level cache
constexpr uint64_t kListed = 16;      // jobs of a list
constexpr uint64_t kMostBuffer = 1u << 16;
constexpr size_t kApart = 128;  // equal offsets of neighbouring jobs fall into different cache sets
constexpr uint64_t kChain = 250, kChainAdds = 64;

uint64_t ticks() {
    _mm_lfence();
    const uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
}

// Returns the ticks of the time-stamp counter, which does not follow the core's clock, for kChain * kChainAdds core
// cycles: an addition that depends on the one before takes one cycle.
uint64_t chain_ticks() {
    uint64_t x = 0, rounds = kChain;
    const uint64_t start = ticks();
    __asm__ volatile("1:\n\t.rept 64\n\tadd %1, %0\n\t.endr\n\tsub $1, %1\n\tjnz 1b" : "+r"(x), "+r"(rounds) : : "cc");
    return std::max<uint64_t>(ticks() - start, 1);
}

// Stands for the kernel to measure the rest of a call.
void nothing(const cst_kernel_args *) { __asm__ volatile(""); }

// Returns the value with `rank` others below it.
double ranked(std::vector<double> *values, size_t rank) {
    const auto place = values->begin() + std::ptrdiff_t(rank);
    std::nth_element(values->begin(), place, values->end());
    return *place;
}

double median(std::vector<double> *values) { return ranked(values, values->size() / 2); }

// Iterations of a short and of a long call, and the bytes of a job that the long one takes. Of a list they are those of
// each message, in front of its end, and the loop may never run.
struct Shape {
    uint64_t few, many, bytes;

    explicit Shape(const Variant &v)
        : few(v.role == Role::list ? 0 : uint64_t(v.lag) + 1),
          many(v.role == Role::list && v.message.is_short ? few : std::max(few + 4, kTarget >> v.step_log2)),
          bytes(v.role == Role::list ? text(v, many) : many << v.step_log2) {}
    static uint64_t text(const Variant &v, uint64_t iterations) {
        return v.message.head + (iterations << v.step_log2) + v.step;
    }
    size_t pitch() const { return size_t(bytes + kApart); }
};

// A state block, and the inputs and outputs of the jobs. Calls take the jobs in turn, as many as there are lanes, as a
// burst does: a call finds its state in the first-level cache, but not its data.
class Bench {
public:
    ~Bench() { free(base_); }
    int allocate(const Engine &engine, const std::vector<const Variant *> &variants) {
        state_bytes_ = engine.most_state_bytes();
        for (const Variant *v : variants) state_bytes_ = std::max<size_t>(state_bytes_, v->jobs.key_bytes);
        state_bytes_ = (state_bytes_ + 63) / 64 * 64;
        for (const Variant *v : variants)
            side_ = std::max(side_, (sets(*v) * v->lanes * Shape(*v).pitch() + 63) / 64 * 64);
        const size_t size = STATE_ALIGN + state_bytes_ + 2 * side_;
        base_ = static_cast<uint8_t *>(malloc(size));
        if (!base_) return CST_ERR_MEMORY;
        state_ = base_ + (-reinterpret_cast<uintptr_t>(base_) & (STATE_ALIGN - 1));
        uint64_t seed = 1;
        for (uint8_t *p = base_; p < base_ + size; p++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            *p = uint8_t(seed >> 56);
        }
        return CST_OK;
    }

    void prepare(const Variant &v) {
        v_ = &v;
        pitch_ = Shape(v).pitch();
        sets_ = sets(v);
        for (const Variant::Link &link : v.links) put(link.from, state_ + link.hand);
        for (uint32_t i = 0; i < v.n_streams; i++) args_.state[i] = state_ + v.state_offset[i];
        if (v.role == Role::list) args_.state[0] = jobs_;
        if (v.role == Role::message || v.role == Role::checked) prepare_message(v.message, v.step);
        if (v.role == Role::checked) prepare_sum(v.sum, v.step);
    }

    // Returns the ticks of `calls` calls, one after the other; of a list those of a message in each.
    uint64_t time(cst_kernel_fn fn, uint64_t iterations, size_t calls) {
        const bool listed = v_->role == Role::list;
        args_.iterations = listed ? kListed : iterations;
        const uint64_t start = ticks();
        for (size_t i = 0; i < calls; i++) {
            if (listed) {
                list(iterations);
            } else {
                point(set_ % sets_);
                set_++;
            }
            fn(&args_);
            _mm_lfence();
        }
        return (ticks() - start) / (listed ? kListed : 1);
    }

private:
    static size_t sets(const Variant &v) { return std::max<size_t>(1, kJobs / v.lanes); }
    void put(uint32_t offset, const uint8_t *target) {
        if (offset != NO_FIELD) memcpy(state_ + offset, &target, sizeof(target));
    }
    // Prepares a message whose AAD and end have no missing bytes.
    void prepare_message(const MessagePlace &place, uint32_t step) {
        uint8_t *const in = state_ + state_bytes_;
        for (uint32_t field : {place.key, place.tweak_key, place.powers, place.aad, place.head_in, place.end_in,
                               place.end_powers, place.phase})
            put(field, in);
        for (uint32_t field : {place.head_out, place.end_out}) put(field, in + side_);
        if (place.aad_mask != NO_FIELD) memset(state_ + place.aad_mask, 0xff, MESSAGE_AAD / 8);
        for (uint32_t mask : {place.head_mask, place.end_mask})
            if (mask != NO_FIELD) memset(state_ + mask, 0xff, place.bits ? step / 8 : step);
    }
    // Prepares jobs of a list, whose ends and AADs have no missing bytes.
    void list(uint64_t iterations) {
        for (uint64_t i = 0; i < kListed; i++, set_++) {
            uint8_t *const in = state_ + state_bytes_ + set_ % sets_ * pitch_;
            cst_job &job = its_jobs_[i];
            job.in = in;
            job.out = in + side_;
            job.iv = job.aad = in;
            job.key = reinterpret_cast<const cst_key *>(state_);
            job.in_len = Shape::text(*v_, iterations);
            job.aad_len = SHORT_MESSAGE_AAD;
            job.tag = in + side_;
            jobs_[i] = &job;
        }
    }
    // Prepares the checksum beside a message.
    void prepare_sum(const SumPlace &place, uint32_t step) {
        uint8_t *const in = state_ + state_bytes_;
        put(place.phase, in);
        put(place.end_in, place.reads_input ? in : in + side_);
        memset(state_ + place.end_mask, 0xff, step / 8);
    }
    // Sets the pointers of all lanes. Lanes of a pair hash what their cipher writes.
    void point(size_t set) {
        const Variant &v = *v_;
        uint8_t *in = state_ + state_bytes_ + set * v.lanes * pitch_, *out = in + side_;
        for (size_t i = 0; i < v.cipher.lanes.size(); i++) {
            put(v.cipher.lanes[i].in, in + i * pitch_);
            put(v.cipher.lanes[i].out, out + i * pitch_);
        }
        const bool reads_output = v.role == Role::pair || (v.role == Role::checked && !v.sum.reads_input);
        for (size_t i = 0; i < v.hash.lanes.size(); i++)
            put(v.hash.lanes[i].in, (reads_output ? out : in) + i * pitch_);
    }

    uint8_t *base_ = nullptr, *state_ = nullptr;
    size_t state_bytes_ = 0, side_ = 0;
    const Variant *v_ = nullptr;
    size_t pitch_ = 0, sets_ = 1, set_ = 0;
    cst_kernel_args args_ = {};
    cst_job its_jobs_[kListed] = {}, *jobs_[kListed] = {};
};

// A kernel and its samples, in core cycles.
class Trial {
public:
    Trial(const Variant &v, const Kernel *kernel) : v_(v), shape_(v), kernel_(kernel) {}
    const Variant &variant() const { return v_; }

    // Runs one pass: takes as many samples as there is time for.
    void sample(Bench *bench, bool avx, std::chrono::steady_clock::time_point stop) {
        if (v_.legacy_sse && avx) clear_upper_halves();
        bench->prepare(v_);
        const size_t many_calls = calls(bench, shape_.many), few_calls = calls(bench, shape_.few);
        std::vector<double> longs, shorts;
        while (longs.size() < kLeastSamples ||
               (longs.size() < kMostSamples && std::chrono::steady_clock::now() < stop)) {
            const uint64_t before = chain_ticks();
            const double empty = double(bench->time(nothing, 0, few_calls)) / double(few_calls);
            const double longer = double(bench->time(kernel_->fn, shape_.many, many_calls)) / double(many_calls);
            const double shorter = double(bench->time(kernel_->fn, shape_.few, few_calls)) / double(few_calls);
            const double scale = double(kChain * kChainAdds) / double(std::min(before, chain_ticks()));
            longs.push_back(scale * (longer - empty));
            shorts.push_back(scale * (shorter - empty));
        }
        long_.push_back(median(&longs));
        short_.push_back(median(&shorts));
    }

    // Returns false if the figures are not plausible. To be called after all passes.
    bool cost(KernelCost *out) {
        const double longer = ranked(&long_, 1), shorter = ranked(&short_, 1);
        const double slope = shape_.many > shape_.few ? (longer - shorter) / double(shape_.many - shape_.few) : 0,
                     call = std::max(0.0, shorter - slope * double(shape_.few));
        const double least = v_.message.is_short ? LEAST_ITERATION : 0;  // its loop is empty and never runs
        const double iteration = std::max(slope * 100 + 0.5, least), once = call * 100 + 0.5;
        if (!(iteration >= LEAST_ITERATION && iteration <= MOST_CENTICYCLES && once <= MOST_CENTICYCLES)) return false;
        out->centicycles_per_iteration = uint32_t(iteration);
        out->centicycles_per_call = uint32_t(once);
        return true;
    }

private:
    size_t calls(Bench *bench, uint64_t iterations) const {
        bench->time(kernel_->fn, iterations, 1);
        const uint64_t once = bench->time(kernel_->fn, iterations, 2) / 2 + 1;
        return size_t(std::min<uint64_t>(std::max<uint64_t>(kSampleTicks / once, 1), kMostCalls));
    }

    const Variant &v_;
    Shape shape_;
    const Kernel *kernel_;
    std::vector<double> long_, short_;  // the passes' medians
};

// Holds code that exists already, or that is made for the time of the measuring.
class Codes {
public:
    explicit Codes(bool jit) : cache_(jit) {}
    int get(const Variant &v, const Kernel **out) {
        if ((*out = v.kernel.load(std::memory_order_acquire))) return CST_OK;
        const auto &packs = cache_.packs();
        if (std::find(packs.begin(), packs.end(), v.pack) == packs.end())
            if (int error = cache_.add(v.pack)) return error;
        return cache_.get(v.pack, v.index, out);
    }

private:
    Cache cache_;
};

bool worth_measuring(const Variant &v) { return v.for_suites() && Shape(v).bytes <= kMostBuffer; }

}  // namespace

int measure_costs(const Engine &engine, const char *glob, double seconds, const Progress &progress,
                  std::vector<KernelCost> *out) {
    using Clock = std::chrono::steady_clock;
    std::vector<const Variant *> wanted;
    for (const auto &variant : engine.variants())
        if (worth_measuring(*variant) && matches_glob(glob, variant->name)) wanted.push_back(variant.get());
    if (wanted.empty()) return glob ? CST_ERR_NAME : CST_ERR_UNSUPPORTED;
    if (seconds == 0) seconds = std::min(kSecondsForAll, kSecondsPerKernel * double(wanted.size()));
    Bench bench;
    if (int error = bench.allocate(engine, wanted)) return error;
    Codes codes(engine.jit());
    std::vector<std::unique_ptr<Trial>> trials(wanted.size());
    const Clock::time_point start = Clock::now();
    const size_t steps = kPasses * wanted.size();
    for (size_t step = 0; step < steps; step++) {
        const size_t i = step % wanted.size();
        if (progress.tell)
            if (int stop = progress.tell(step, steps, wanted[i]->name, progress.arg)) return stop;
        if (step < wanted.size()) {
            const Kernel *kernel;
            const int error = codes.get(*wanted[i], &kernel);
            if (error == CST_ERR_MEMORY) return error;
            if (!error) trials[i] = std::make_unique<Trial>(*wanted[i], kernel);
        }
        const auto share = std::chrono::duration<double>(seconds * double(step + 1) / double(steps));
        if (trials[i])
            trials[i]->sample(&bench, engine.avx(), start + std::chrono::duration_cast<Clock::duration>(share));
    }
    out->clear();
    for (const auto &trial : trials) {
        KernelCost cost;
        if (!trial || !trial->cost(&cost)) continue;
        cost.name = trial->variant().name;
        if (int error = code_digest(*trial->variant().pack, trial->variant().index, &cost.code)) return error;
        out->push_back(std::move(cost));
    }
    return CST_OK;
}

}  // namespace cst
