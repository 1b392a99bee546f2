// Which kernels do a suite's work.
#include "suite.hpp"

#include <algorithm>
#include <cmath>

namespace cst {
namespace {

// Whether a pair kernel can ever do the middle: a hand-over wants cipher and hash at the same byte (run/stitch.cpp), so
// a head of whole cipher blocks. Records of TLS are opened without pairs: what their MAC covers is known when all has
// been decrypted.
bool takes_pair(const Suite &suite, const Variant &variant) {
    if (suite.construction == Construction::tls && variant.role == Role::open_pair) return false;
    return suite.construction == Construction::chacha_poly || !variant.hand ||
           suite.construction == Construction::etm || suite.construction == Construction::rfc7518;
}

void plan_records(Suite *suite) {
    for (size_t i = 0; i < Suite::RECORD_STEPS; i++) {
        Query query;
        query.items = size_t(1) << i;
        query.bytes = query.least = 4096;
        query.one_key = true;
        query.aligned = false;
        const Pick pair = pick(suite->pairs, query, nullptr);
        const double apart =
            pick(suite->encrypts, query, nullptr).cycles_per_byte + pick(suite->hashes, query, nullptr).cycles_per_byte;
        suite->record_cycles[i] = pair.variant ? std::min(pair.cycles_per_byte, apart) : apart;
    }
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
            const bool both_ways = construction == Construction::rc4_hmac ||
                                   (counts() && construction == Construction::etm);  // opening enciphers too
            if (both_ways && !variant->hand) open_pairs.add(variant);
        }
        for (const Variant *variant : engine->family(Role::open_pair, decrypt, base).variants)
            if (takes_pair(*this, *variant)) (variant->hand ? handed_open_pairs : open_pairs).add(variant);
    }
    if (kind == CST_CIPHER) message[false] = encrypt, message[true] = decrypt;
    for (const bool opens : {false, true})
        if (message[opens]) messages[opens] = engine->family(Role::message, message[opens], nullptr);
    if (construction == Construction::gcm) whole_hashes = engine->family(Role::message, nullptr, base);
    if (block) blocks = engine->family(Role::message, block, nullptr);
    if (construction == Construction::tls) plan_records(this);
}

bool Suite::could_use(const Variant &variant) const {
    const Algorithm *c = variant.cipher.algorithm, *h = variant.hash.algorithm;
    switch (variant.role) {
        case Role::hash: return h == hash_base();
        case Role::encrypt: return c == encrypt;
        case Role::decrypt: return c == decrypt;
        case Role::message:
            return c ? c == message[false] || c == message[true]
                     : construction == Construction::gcm && h == hash_base();
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
    const bool block_mac = suite.construction == Construction::cmac || suite.construction == Construction::xcbc;
    if (block_mac && !suite.engine->has("aes")) return CST_ERR_UNSUPPORTED;
    if (suite.block)
        if (int error = ready(suite.blocks, suite.block->record.block_bytes)) return error;
    if (suite.hash)
        if (int error = ready(suite.hashes, suite.hash->record.block_bytes)) return error;
    if (suite.construction == Construction::gcm)
        if (int error = ready(suite.whole_hashes, suite.hash->record.block_bytes)) return error;
    if (suite.enciphers()) {
        if (suite.encrypt->record.is_aes() && !suite.engine->has("aes"))
            return CST_ERR_UNSUPPORTED;  // the key expansion
        if (int error = ready(suite.encrypts, suite.encrypt->record.block_bytes)) return error;
        if (int error = ready(suite.decrypts, suite.decrypt->record.block_bytes)) return error;
    }
    return CST_OK;
}

}  // namespace cst
