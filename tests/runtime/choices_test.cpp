// Tests the memory of choices: lengths within one range are one question, an answer belongs to its question even while
// other threads write, and 100,000 jobs of random lengths ask a few hundred questions.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cryptostitch/cryptostitch.h"
#include "api/handles.hpp"
#include "plan/lineup.hpp"
#include "run/explain.hpp"
#include "select/choices.hpp"

using cst::Choice;
using cst::Choices;
using cst::LengthRange;

namespace {

void check(bool right, const std::string &what) {
    if (right) return;
    printf("FAILED: %s\n", what.c_str());
    exit(1);
}

// As many iterations of 16, 32, ... bytes, and as many bytes beside them or none.
void ranges_of_lengths() {
    uint32_t last = 0;
    for (uint64_t bytes = 0; bytes < (1 << 20); bytes++) {
        const uint64_t sample = LengthRange::sample(bytes);
        const std::string which = "the range of " + std::to_string(bytes);
        check(LengthRange::of(sample) == LengthRange::of(bytes), which + ": its sample lies in another");
        check(LengthRange::sample(sample) == sample, which + ": its sample has another sample");
        if (bytes % 64 == 0) {
            check(LengthRange::of(bytes) >= last, which + " lies before that of a shorter length");
            last = LengthRange::of(bytes);
        }
        for (uint64_t step = 16; bytes < LengthRange::FINE && step <= 512; step *= 2) {
            check(bytes / step == sample / step, which + ": other whole iterations");
            check((bytes + step - 1) / step == (sample + step - 1) / step, which + ": other iterations");
        }
        const uint64_t most = LengthRange::most(bytes);
        check(most >= bytes && LengthRange::of(most) == LengthRange::of(bytes), which + " does not end so");
        if (bytes >= LengthRange::FINE)
            check(sample <= bytes && sample * 9 / 8 + 64 > bytes, which + " is wider than an eighth");
    }
    for (int log2 = 0; log2 < 64; log2++)
        check(LengthRange::of(uint64_t(1) << log2) < 1 << 10, "the number of a range has ten bits");
    check(LengthRange::of(UINT64_MAX) < 1 << 10, "the number of a range has ten bits");
    for (uint64_t k = 1; k < 4; k++)
        for (int log2 = 4; log2 < 12; log2++)
            check(LengthRange::floor_of_half(k << log2) == k << log2, "what a kernel needs is its own floor");
}

// A kernel of short messages that ends within a range is remembered for none of its lengths.
void remembered_for_a_whole_range() {
    cst::Variant v;
    v.any_length = true;
    v.message.is_short = true;
    const struct {
        uint32_t step;
        uint64_t bytes;
        bool all;
    } known[] = {{1024, 1024, true},  {1024, 1008, true},  {1024, 1088, false}, {1040, 1024, true}, {1040, 1030, false},
                 {1040, 1088, false}, {1536, 1536, true},  {1536, 1535, true},  {1536, 1472, true}, {1536, 1600, false},
                 {1600, 1600, true},  {1600, 1599, false}, {1664, 1599, true},  {1664, 1600, true}};
    for (const auto &k : known) {
        v.step = k.step;
        const std::string which = std::to_string(k.bytes) + " of at most " + std::to_string(k.step);
        check(cst::takes_range(v, k.bytes) == k.all, which);
        check(!k.all || v.takes_message(k.bytes), which + ": the message itself");
    }
}

// Any change of a question changes its answer.
Choice choice_for(uint64_t question) {
    const uint64_t mixed = question * 0x9e3779b97f4a7c15u;
    return {uint32_t(mixed >> 33) % (Choice::NONE + 1), (mixed >> 20 & 1) != 0};
}
bool same(const Choice &a, const Choice &b) { return a.index == b.index && a.full_rounds == b.full_rounds; }

uint64_t question_of(uint64_t number) {
    return (number * 0x2545f4914f6cdd1du ^ number << 39) & ((uint64_t(1) << Choices::QUESTION_BITS) - 1);
}

void forgetful_but_right() {
    Choices choices;
    Choice choice;
    size_t known = 0;
    for (uint64_t number = 1; number < 200000; number++) {
        const uint64_t question = question_of(number);
        choices.remember(question, choice_for(question));
        check(choices.recall(question, &choice) && same(choice, choice_for(question)), "what came last is known");
        const uint64_t older = question_of(number - number % 97);
        if (choices.recall(older, &choice)) {
            known++;
            check(same(choice, choice_for(older)), "another answer came back");
        }
        const uint64_t nearby = question ^ uint64_t(1) << number % Choices::QUESTION_BITS;
        if (choices.recall(nearby, &choice))
            check(same(choice, choice_for(nearby)), "the answer of a neighbour came back");
    }
    check(known > 0, "some older answers are known");
    check(!Choices(choices).recall(question_of(199999), &choice), "a copy knows nothing");
    choices = Choices();
    check(!choices.recall(question_of(199999), &choice), "forgotten");
}

// All that a family is asked in the bench: none pushes another out.
void holds_some_hundred() {
    Choices choices;
    size_t lost = 0;
    for (uint64_t number = 0; number < 250; number++) choices.remember(number << 18 | number, choice_for(number));
    Choice choice;
    for (uint64_t number = 0; number < 250; number++) lost += !choices.recall(number << 18 | number, &choice);
    check(lost < 10, std::to_string(lost) + " of 250 answers are lost");
}

void by_many_threads() {
    const auto choices = std::make_unique<Choices>();
    std::atomic<uint64_t> known{0};
    std::vector<std::thread> threads;
    for (uint64_t thread = 0; thread < 4; thread++)
        threads.emplace_back([&, thread] {
            Choice choice;
            for (uint64_t i = 0; i < 100000; i++) {
                const uint64_t mine = question_of(i * (thread + 1) % 3000 + 1), other = question_of(i % 3000 + 1);
                choices->remember(mine, choice_for(mine));
                if (!choices->recall(other, &choice)) continue;
                check(same(choice, choice_for(other)), "a torn or foreign answer came back");
                known++;
            }
        });
    for (std::thread &thread : threads) thread.join();
    check(known > 0, "answers are known across threads");
}

// Jobs of one suite over texts of random lengths.
class Jobs {
public:
    Jobs(cst_ctx *ctx, const char *name, int direction) : ctx_(ctx), direction_(direction) {
        info_.size = sizeof(info_);
        const cst_suite *suite;
        const uint8_t secret[256] = {1, 2, 3};
        check(!cst_suite_get(ctx, name, &suite) && !cst_suite_info_get(suite, &info_), name);
        uint8_t halves[64];
        for (size_t i = 0; i < sizeof(halves); i++) halves[i] = uint8_t(i);
        check(!cst_key_new(suite, info_.key_bytes ? halves : nullptr, info_.key_bytes,
                           info_.mac_key_max ? secret : nullptr,
                           info_.mac_key_max ? info_.mac_key_min + 16 * !info_.mac_key_min : 0, &key_),
              std::string("a key of ") + name);
    }
    ~Jobs() { cst_key_free(key_); }

    void run(size_t n, const std::vector<size_t> &lengths) {
        jobs_.clear();
        for (size_t i = 0; i < n; i++) {
            cst_job job = {};
            const size_t unit = info_.block_bytes ? info_.block_bytes : 1;
            const size_t bytes = std::max<size_t>(lengths[i] / unit * unit, size_t(info_.min_bytes));
            job.size = sizeof(job);
            job.key = key_;
            job.direction = direction_;
            job.in = in_;
            job.in_len = bytes;
            job.iv = info_.iv_bytes ? in_ : nullptr;
            job.iv_len = info_.iv_bytes;
            job.aad = info_.aad_min ? in_ : nullptr;
            job.aad_len = size_t(info_.aad_min);
            if (info_.key_bytes) job.out = out_, job.out_cap = sizeof(out_);
            if (info_.tag_max) job.tag = tag_, job.tag_len = info_.tag_max;
            jobs_.push_back(job);
        }
        const int error = cst_burst(ctx_, jobs_.data(), n);
        check(!error || (direction_ == CST_OPEN && error == CST_ERR_AUTH), "a burst: " + std::to_string(error));
    }

private:
    cst_ctx *const ctx_;
    const int direction_;
    cst_suite_info info_ = {};
    cst_key *key_ = nullptr;
    std::vector<cst_job> jobs_;
    uint8_t in_[17000] = {}, out_[20000], tag_[64] = {};
};

// Half of the jobs as packets come, half of all sizes; alone, and in bursts of 8 and 64.
void run_random(Jobs *jobs, unsigned seed) {
    std::mt19937 random{seed};
    size_t done = 0;
    for (size_t round = 0; done < 100000; round++) {
        const size_t n = round % 3 == 0 ? 1 : round % 3 == 1 ? 8 : 64;
        std::vector<size_t> lengths(n);
        for (size_t &length : lengths) {
            const double drawn = double(random()) / 4294967296.0;
            length = round / 3 % 2 ? 64 + size_t(drawn * 1400) : size_t(std::pow(16384.0, drawn));
        }
        jobs->run(n, lengths);
        done += n;
    }
}

void random_lengths_ask_little(const char *name, int direction) {
    cst_ctx *ctx;
    cst_options options = {};
    options.size = sizeof(options);
    check(!cst_ctx_new(&ctx, &options), "a context");
    {
        Jobs jobs(ctx, name, direction);
        uint64_t before = ctx->engine.questions(), asked[2];
        for (unsigned seed = 0; seed < 2; seed++) {
            run_random(&jobs, 34 + seed);
            asked[seed] = ctx->engine.questions() - before;
            before += asked[seed];
        }
        printf("%s%s\t%llu, then %llu\n", name, direction == CST_OPEN ? "/open" : "",
               static_cast<unsigned long long>(asked[0]), static_cast<unsigned long long>(asked[1]));
        check(asked[0] <= 1500, std::string(name) + ": too many questions");
        check(asked[1] <= 300, std::string(name) + ": the second 100,000 jobs ask as much as the first");
    }
    cst_ctx_free(ctx);
}

bool stitched(const cst_choice &choice) { return strchr(choice.kernel, '+'); }

// Compares the cost of choices for ranges of lengths with that of choices for the very lengths, by the same table.
void ranges_cost_little() {
    cst_ctx *ctx;
    cst_options options = {};
    options.size = sizeof(options);
    check(!cst_ctx_new(&ctx, &options), "a context");
    std::mt19937 random{35};
    double logs = 0, worst = 1;
    size_t cells = 0, flips = 0;
    std::string at;
    for (const auto &known : ctx->suites.all()) {
        const cst::Suite &suite = *known;
        if (cst::prepare_suite(suite)) continue;
        cst::Suite exact = suite;  // nothing is remembered, so each length is asked about
        exact.remembered = false;
        for (const int direction : {CST_SEAL, CST_OPEN}) {
            if (direction == CST_OPEN && suite.kind < CST_CIPHER) continue;
            for (const size_t n : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 100})
                for (int i = 0; i < 12; i++) {
                    size_t bytes = size_t(16 * std::pow(4096.0, double(random()) / 4294967296.0));
                    bytes = std::max<size_t>(bytes / suite.block_bytes * suite.block_bytes, size_t(suite.min_bytes));
                    if (bytes > suite.max_bytes) continue;
                    cst_choice by_range = {}, by_length = {};
                    if (cst::explain(suite, direction, n, bytes, n == 1, &by_range) ||
                        cst::explain(exact, direction, n, bytes, n == 1, &by_length) || !by_range.cycles_per_byte ||
                        !by_length.cycles_per_byte)
                        continue;
                    // The figure of a stitched kernel leaves out the calls in front of the middle and behind it.
                    if (stitched(by_range) != stitched(by_length)) {
                        flips++;
                        continue;
                    }
                    const double regret = by_range.cycles_per_byte / by_length.cycles_per_byte;
                    logs += std::log(std::max(regret, 1.0));
                    cells++;
                    if (regret <= worst) continue;
                    worst = regret;
                    at = suite.name + (direction == CST_OPEN ? "/open" : "") + ", " + std::to_string(n) + " x " +
                         std::to_string(bytes) + ": " + by_range.kernel + " for " + by_length.kernel;
                }
        }
    }
    const double mean = cells ? std::exp(logs / double(cells)) : 1;
    printf("ranges of lengths against lengths, %zu cells: %.4f in the mean, %.3f at worst (%s); %zu stitched or not\n",
           cells, mean, worst, at.c_str(), flips);
    check(flips * 50 <= cells, "a pair or its parts depends on where a range ends");
    check(mean <= 1.01 && worst <= 1.10, "ranges of lengths are too wide");
    cst_ctx_free(ctx);
}

}  // namespace

int main(int argc, char **argv) {
    ranges_of_lengths();
    remembered_for_a_whole_range();
    forgetful_but_right();
    holds_some_hundred();
    by_many_threads();
    for (int i = 1; i < argc; i++) {
        std::string name = argv[i];
        const size_t slash = name.find('/');
        random_lengths_ask_little(name.substr(0, slash).c_str(), slash == std::string::npos ? CST_SEAL : CST_OPEN);
    }
    if (argc > 1) ranges_cost_little();
    printf("passed\n");
    return 0;
}
