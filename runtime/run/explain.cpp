#include "explain.hpp"

#include <cstdio>
#include <cstring>

#include "abreast_choice.hpp"
#include "chacha_alone.hpp"
#include "cipher_few.hpp"
#include "etm_abreast.hpp"
#include "gcm.hpp"
#include "gcm_few.hpp"
#include "hash_abreast.hpp"
#include "lanes.hpp"
#include "one_lane.hpp"
#include "work.hpp"

namespace cst {
namespace {

std::string number(double value) {
    char text[32];
    snprintf(text, sizeof(text), "%.3g", value);
    return text;
}

std::string plural(size_t n, const char *word) { return std::to_string(n) + " " + word + (n == 1 ? "" : "s"); }

std::string basis(const Engine &engine, const Variant &variant) {
    if (variant.cost.here) return "as calibrated on this machine";
    return variant.cost.measured ? "by the table for " + engine.cost_table() : "by an estimate from instruction counts";
}

template <size_t size>
void put(char (&field)[size], const std::string &text) {
    const size_t n = text.size() < size - 1 ? text.size() : size - 1;
    memcpy(field, text.data(), n);
    field[n] = 0;
}

}  // namespace

int explain(const Suite &suite, int direction, size_t jobs, size_t bytes, bool one_key, cst_choice *choice) {
    const size_t in_hand = jobs < MOST_WORKS ? jobs : MOST_WORKS;
    Query query;
    query.items = in_hand;
    query.bytes = bytes;
    const uint64_t unit = suite.hash ? suite.hash->record.block_bytes : 64;
    query.least = bytes < unit ? unit : bytes;
    query.one_key = one_key;
    Phase phase;
    phase.suite = &suite;
    phase.one_key = one_key;

    Pick chosen, other;  // other: what runs after the chosen one, when two kernels share the work
    bool stitched = false;
    const bool gcm = suite.construction == Construction::gcm;
    const bool chacha_poly = suite.construction == Construction::chacha_poly;
    const bool alone = chacha_poly && !suite.forced && in_hand < suite.chacha_several && bytes <= chacha_alone_most(suite);
    const bool whole = chacha_poly ? alone || bytes <= CHACHA_MOST_FIRST : gcm ? bytes <= GCM_SHORT_TEXT : suite.hash && fits_whole(suite, head_bytes(suite, suite.aad_min), bytes + suite.expansion);
    const Variant *const one_middle = in_hand == 1 ? etm_stitched(suite, direction, bytes, suite.aad_min) : nullptr;
    const bool etm_abreast = !one_middle && etm_abreast_serves(suite, direction, bytes, suite.aad_min, in_hand, one_key);
    if (suite.kind == CST_AEAD && (one_middle || (!whole && !etm_abreast))) {
        Query middle = query;  // what follows the block in which the head ends (see stitch.cpp)
        const OneLane one_lane(suite, one_key);
        if (one_middle) chosen.variant = one_middle;
        else if (gcm && !suite.forced) chosen.variant = one_lane.pair(bytes & ~(COUNTER_STRIDE - 1), false);
        if (chosen.variant) chosen.cycles_per_byte = one_lane.cost(*chosen.variant, bytes) / double(bytes);
        const uint64_t unit = suite.hash->record.block_bytes, first = chacha_poly ? chacha_first(bytes) : gcm ? 0 : -head_bytes(suite, suite.aad_min) & (unit - 1);
        middle.aligned = suite.construction != Construction::tls && first % 16 == 0;
        middle.bytes = middle.least = bytes > first ? bytes - first : 0;
        for (const Family *family : {&suite.pairs, &suite.handed_open_pairs, &suite.open_pairs}) {
            const bool both_ways = gcm || suite.construction == Construction::ccm;
            if (chosen.variant || (gcm && !suite.forced) || (family == &suite.pairs) != (direction == CST_SEAL || both_ways)) continue;
            phase.family = family;
            chosen = choose_pair(phase, middle);
        }
        stitched = chosen.variant != nullptr;
    }
    Pick cipher, hash;
    const Family &ciphers = suite.ciphers(direction == CST_OPEN);
    if (suite.enciphers()) cipher = abreast_serves(suite, bytes) || (etm_abreast && texts_serve(suite, bytes)) ? pick_abreast(suite, ciphers, in_hand, bytes, one_key) : pick(ciphers, query, suite.forced);
    if (etm_abreast || hash_abreast_serves(suite, bytes, in_hand)) {
        cst_job model = {};
        model.in_len = bytes;
        model.aad_len = suite.aad_min;
        hash = HashAbreast(suite, model).pick(in_hand);
    } else if (suite.hash) {
        hash = pick(suite.hashes, query, suite.forced);
    }
    if (!stitched) {
        // Name the forced one of the two; else the one that takes longer.
        const bool hash_longer = hash.variant && hash.cycles_per_byte > cipher.cycles_per_byte;
        const bool hash_first = !cipher.variant || (suite.forced && hash.variant == suite.forced) || (hash_longer && cipher.variant != suite.forced);
        chosen = hash_first ? hash : cipher;
        other = hash_first ? cipher : hash;
    }
    if (!chosen.variant) return CST_ERR_UNSUPPORTED;
    const Kernel *kernel;
    if (int error = suite.engine->fetch(*chosen.variant, &kernel)) return error;

    const Variant &v = *chosen.variant;
    const std::string source = basis(*suite.engine, v);
    auto figure = [&](const Variant &of, double cycles) {
        const std::string its = basis(*suite.engine, of);
        return number(cycles) + (its == source ? "" : " " + its);
    };
    std::string why = "for " + plural(in_hand, "job") + " of " + plural(bytes, "byte");
    if (suite.enciphers() && in_hand > 1) why += one_key ? " under one key" : " under their own keys";
    why += ": ";
    if (suite.forced == chosen.variant) {
        why += "forced by name, " + number(chosen.cycles_per_byte) + " cycles per byte " + source;
    } else {
        why += number(chosen.cycles_per_byte) + " cycles per byte " + source;
        if (chosen.next) {
            why += "; the next best, " + std::string(chosen.next->name) + ", " + figure(*chosen.next, chosen.next_cycles_per_byte);
            if (chosen.next_cycles_per_byte < chosen.cycles_per_byte) why += " (as good within the table's precision, and has more lanes)";
        }
    }
    if (stitched && cipher.variant && hash.variant)
        why += "; cipher and hash one after the other " + figure(*cipher.variant, cipher.cycles_per_byte) + " + " + figure(*hash.variant, hash.cycles_per_byte);
    if (other.variant) why += "; together with " + std::string(other.variant->name) + ", " + figure(*other.variant, other.cycles_per_byte);
    if (gcm ? !suite.forced && gcm_few(suite, bytes, suite.aad_min, in_hand == 1) : cipher_few(suite, direction, bytes)) why += "; such a text does without a kernel, though";
    if (alone && suite.wide && other.variant) why += ", though Poly1305 does without a kernel";
    if (etm_abreast && texts_few(suite, direction, bytes)) why += ", though the cipher does without a kernel";
    put(choice->kernel, v.name);
    put(choice->origin, kernel->origin == KernelOrigin::jit ? "jit" : "static");
    put(choice->why, why);
    choice->lanes = v.lanes;
    const bool measured = v.cost.measured && (!other.variant || other.variant->cost.measured);
    choice->cycles_per_byte = measured ? chosen.cycles_per_byte + other.cycles_per_byte : 0;
    return CST_OK;
}

}  // namespace cst
