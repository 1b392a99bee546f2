// Which kernels do a suite's work.
#include "suite.hpp"

#include <algorithm>
#include <cmath>

namespace cst {
namespace {

// Whether a pair kernel can ever do the middle: a hand-over wants cipher and hash at the same byte (run/stitch.cpp), so a head of whole cipher blocks.
// Records of TLS are opened without pairs: what their MAC covers is known when all has been decrypted.
bool takes_pair(const Suite &suite, const Variant &variant) {
    if (suite.construction == Construction::tls && variant.role == Role::open_pair) return false;
    return suite.construction == Construction::chacha_poly || !variant.hand || suite.construction == Construction::etm || suite.construction == Construction::rfc7518;
}

// Core cycles around a call, measured on Zen 4.
constexpr double CHACHA_ANOTHER_CALL = 40;

// What run_phase will do for so many blocks of one text, in core cycles.
double chacha_cycles(const Family &family, size_t blocks) {
    double cycles = 0;
    for (uint64_t bytes = blocks * CHACHA_BLOCK; bytes;) {
        Query query;
        query.bytes = query.least = bytes;
        const Variant *v = pick(family, query, nullptr).variant;
        if (!v) return 0;
        cycles += v->cost.per_iteration * double(bytes >> v->step_log2) + v->cost.per_call;
        bytes &= v->step - 1;
    }
    return cycles;
}

// The least that one call of a kernel of one lane takes, in core cycles, what it runs beyond the blocks included; with `whole` it must not run any.
double chacha_call(const Family &family, size_t blocks, bool whole) {
    double least = HUGE_VAL;
    for (const Variant *v : family.variants) {
        const uint64_t bytes = v->whole_iterations(blocks * CHACHA_BLOCK);
        if (v->lanes != 1 || v->lag || v->one_key || (whole && bytes != blocks * CHACHA_BLOCK)) continue;
        least = std::min(least, v->cost.per_call + v->cost.per_iteration * double(bytes >> v->step_log2));
    }
    return least;
}

void plan_chacha(Suite *suite) {
    for (size_t i = 1; i <= CHACHA_MOST_BLOCKS; i++) {
        double least = chacha_call(suite->encrypts, i, false) - CHACHA_ANOTHER_CALL;
        suite->chacha_split[i] = 0;
        for (size_t first = 1; first < i; first++) {
            const double cycles = chacha_call(suite->encrypts, first, true) + chacha_call(suite->encrypts, i - first, false);
            if (cycles < least) least = cycles, suite->chacha_split[i] = uint8_t(first);
        }
    }
    size_t best = CHACHA_MOST_BLOCKS;
    double least = chacha_cycles(suite->encrypts, best);
    for (size_t i = CHACHA_MOST_BLOCKS; i; i--) {
        const double cycles = chacha_cycles(suite->encrypts, i);
        if (cycles <= least) best = i, least = cycles;
        suite->chacha_blocks[i] = uint8_t(best);
    }
    suite->chacha_several = SIZE_MAX;
    suite->chacha_lanes = 1;
    for (const Variant *v : suite->encrypts.variants) suite->chacha_lanes = std::max<size_t>(suite->chacha_lanes, v->lanes);
    Query query;
    query.bytes = query.least = CHACHA_BLOCK;
    for (query.items = MAX_LANES; query.items; query.items--) {
        const Variant *v = pick(suite->encrypts, query, nullptr).variant;
        if (!v || v->lanes == 1) break;
        suite->chacha_several = query.items;
    }
}

void plan_records(Suite *suite) {
    for (size_t i = 0; i < Suite::RECORD_STEPS; i++) {
        Query query;
        query.items = size_t(1) << i;
        query.bytes = query.least = 4096;
        query.one_key = true;
        query.aligned = false;
        const Pick pair = pick(suite->pairs, query, nullptr);
        const double apart = pick(suite->encrypts, query, nullptr).cycles_per_byte + pick(suite->hashes, query, nullptr).cycles_per_byte;
        suite->record_cycles[i] = pair.variant ? std::min(pair.cycles_per_byte, apart) : apart;
    }
}

// As measured on Zen 4. Blocks that do not wait for one another fill vectors by themselves; of a hash, kernels of few lanes are fast with SHA instructions only; where
// kernels take one message after the other into their lanes (short_jobs), those do as well.
size_t least_group(const Suite &suite) {
    if (suite.kind == CST_CIPHER) return suite.encrypt->record.kind == ALGORITHM_CIPHER_ENC ? 2 : 4;
    if (suite.construction != Construction::etm || !suite.counts()) return SIZE_MAX;
    auto by_instructions = [](const Variant *v) { return v->runnable && v->features & feature_bit("sha", 3); };
    return std::any_of(suite.hashes.variants.begin(), suite.hashes.variants.end(), by_instructions) ? 2 : 16;
}

}  // namespace

void Suite::find_kernels() {
    const Algorithm *base = hash_base();
    if (base) hashes = engine->family(Role::hash, nullptr, base);
    if (encrypt) {
        encrypts = engine->family(Role::encrypt, encrypt, nullptr);
        decrypts = encrypt == decrypt ? encrypts : engine->family(Role::decrypt, decrypt, nullptr);
    }
    if (encrypt && base) {
        for (const Variant *variant : engine->family(Role::pair, encrypt, base).variants) {
            if (!takes_pair(*this, *variant)) continue;
            pairs.add(variant);
            const bool both_ways = construction == Construction::rc4_hmac || (counts() && construction == Construction::etm);  // opening enciphers too
            if (both_ways && !variant->hand) open_pairs.add(variant);
        }
        for (const Variant *variant : engine->family(Role::open_pair, decrypt, base).variants)
            if (takes_pair(*this, *variant)) (variant->hand ? handed_open_pairs : open_pairs).add(variant);
    }
    if (tweak) tweaks = engine->family(Role::encrypt, tweak, nullptr);
    group_least = least_group(*this);
    if (construction == Construction::tls) plan_records(this);
    if (construction == Construction::chacha || construction == Construction::chacha_poly) plan_chacha(this);
}

bool Suite::could_use(const Variant &variant) const {
    const Algorithm *c = variant.cipher.algorithm, *h = variant.hash.algorithm;
    switch (variant.role) {
        case Role::hash: return h == hash_base();
        case Role::encrypt: return c == encrypt;
        case Role::decrypt: return c == decrypt;
        case Role::pair: return c == encrypt && h == hash_base() && takes_pair(*this, variant);
        case Role::open_pair: return c == decrypt && h == hash_base() && takes_pair(*this, variant);
        default: return false;
    }
}

int prepare_suite(const Suite &suite) {
    auto ready = [&](const Family &family, uint64_t least) -> int {
        Query query;
        query.bytes = query.least = least;
        for (;;) {
            Pick choice = pick(family, query, nullptr);
            if (!choice.variant) return CST_ERR_UNSUPPORTED;
            const Kernel *kernel;
            int error = suite.engine->fetch(*choice.variant, &kernel);
            if (error == CST_OK || error == CST_ERR_MEMORY) return error;  // after any other error pick leaves it out
        }
    };
    const bool chacha = suite.construction == Construction::chacha || suite.construction == Construction::chacha_poly;
    if (chacha) return ready(suite.encrypts, suite.encrypt->record.block_bytes);  // Poly1305 needs no kernel
    const bool block_mac = suite.construction == Construction::cmac || suite.construction == Construction::xcbc;
    if (block_mac && !suite.engine->has("aes")) return CST_ERR_UNSUPPORTED;
    if (suite.tweak)
        if (int error = ready(suite.tweaks, suite.tweak->record.block_bytes)) return error;
    if (suite.hash)
        if (int error = ready(suite.hashes, suite.hash->record.block_bytes)) return error;
    if (suite.enciphers()) {
        if (suite.encrypt->record.is_aes() && !suite.engine->has("aes")) return CST_ERR_UNSUPPORTED;  // the key expansion
        if (int error = ready(suite.encrypts, suite.encrypt->record.block_bytes)) return error;
        if (int error = ready(suite.decrypts, suite.decrypt->record.block_bytes)) return error;
    }
    return CST_OK;
}

}  // namespace cst
