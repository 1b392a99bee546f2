#include "explain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "../message/checked.hpp"
#include "plan_class.hpp"

namespace cst {
namespace {

std::string number(double value) {
    char text[32];
    snprintf(text, sizeof(text), "%.3g", value);
    // The process's locale may have another decimal point, of several bytes perhaps.
    std::string plain;
    for (const char *at = text; *at; at++) {
        if (strchr("0123456789e+-", *at)) plain += *at;
        else if (plain.empty() || plain.back() != '.') plain += '.';
    }
    return plain;
}

std::string plural(size_t n, const char *word) { return std::to_string(n) + " " + word + (n == 1 ? "" : "s"); }

std::string basis(const Engine &engine, const Variant &variant) {
    if (variant.cost.here) return "as calibrated on this machine";
    return variant.cost.measured ? "by the table for " + engine.cost_table() : "by an estimate from instruction counts";
}

constexpr size_t USUAL_AAD = 13;  // bytes, a record's header

}  // namespace

int explain(const Suite &suite, int direction, size_t jobs, size_t bytes, bool one_key, cst_choice *choice) {
    const size_t n = jobs < MOST_MESSAGES ? jobs : MOST_MESSAGES;
    const bool opens = direction == CST_OPEN;
    static const uint8_t first_counter[16] = {};
    cst_job job = {};
    job.direction = direction;
    job.iv = first_counter;
    job.in_len = bytes;
    job.aad_len = suite.aad_min;
    const Suite &maced = is_checked(suite) ? *suite.halves[0] : suite;
    if (!maced.lists[opens].variants.empty()) {  // the usual shape
        const ListedJobs &usual = maced.lists[opens].variants.front()->jobs;
        job.iv_len = usual.iv;
        job.tag_len = usual.tag;
        job.aad_len = std::min<size_t>(usual.most_aad, USUAL_AAD);
    }
    const Plan plan = plan_class(suite, job, n, one_key);
    const Ranking &cipher = plan.cipher, &hash = plan.hash;
    const bool stitched = plan.pair.chosen.variant;
    Ranking chosen = plan.pair, other;  // other: the second kernel, if two share the work
    if (!stitched) {
        // Names the forced one of the two kernels; without one, the kernel that takes longer.
        const bool hash_longer = hash.chosen.variant && hash.cycles > cipher.cycles;
        const bool hash_first = !cipher.chosen.variant || (suite.forced && hash.chosen.variant == suite.forced) ||
                                (hash_longer && cipher.chosen.variant != suite.forced);
        chosen = hash_first ? hash : cipher;
        other = hash_first ? cipher : hash;
    }
    if (!chosen.chosen.variant) return CST_ERR_UNSUPPORTED;
    const Kernel *kernel;
    if (int error = suite.engine->fetch(*chosen.chosen.variant, &kernel)) return error;

    const Variant &v = *chosen.chosen.variant;
    const double all_bytes = double(n) * double(bytes ? bytes : 1);
    const std::string source = basis(*suite.engine, v);
    auto figure = [&](const Variant &of, double cycles) {
        const std::string its = basis(*suite.engine, of);
        return number(cycles / all_bytes) + (its == source ? "" : " " + its);
    };
    std::string why = "for " + plural(n, "job") + " of " + plural(bytes, "byte");
    if (suite.enciphers() && n > 1) why += one_key ? " under one key" : " under their own keys";
    why += ": ";
    if (suite.forced == chosen.chosen.variant) {
        why += "forced by name, " + number(chosen.cycles / all_bytes) + " cycles per byte " + source;
    } else {
        why += number(chosen.cycles / all_bytes) + " cycles per byte " + source;
        if (chosen.next) {
            why +=
                "; the next best, " + std::string(chosen.next->name) + ", " + figure(*chosen.next, chosen.next_cycles);
            if (chosen.next_cycles < chosen.cycles)
                why += " (as good within the table's precision, and has more lanes)";
        }
    }
    if (stitched && cipher.chosen.variant && hash.chosen.variant)
        why += std::string(suite.enciphers() ? "; cipher and hash" : "; the digests") + " one after the other " +
               figure(*cipher.chosen.variant, cipher.cycles) + " + " + figure(*hash.chosen.variant, hash.cycles);
    if (other.chosen.variant)
        why += "; together with " + std::string(other.chosen.variant->name) + ", " +
               figure(*other.chosen.variant, other.cycles);
    const Ranking &checksum = plan.checksum;
    if (checksum.chosen.variant)
        why += "; the checksum on " + std::string(checksum.chosen.variant->name) + ", " +
               figure(*checksum.chosen.variant, checksum.cycles);
    put_text(choice->kernel, v.name);
    put_text(choice->origin, kernel->origin == KernelOrigin::jit ? "jit" : "static");
    put_text(choice->why, why);
    choice->lanes = v.lanes;
    const auto estimated = [](const Ranking &of) { return of.chosen.variant && !of.chosen.variant->cost.measured; };
    const bool measured = v.cost.measured && !estimated(other) && !estimated(checksum);
    choice->cycles_per_byte = measured ? (chosen.cycles + other.cycles + checksum.cycles) / all_bytes : 0;
    return CST_OK;
}

}  // namespace cst
