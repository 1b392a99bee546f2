// Finds the kernels that do a suite's work.

#include "poly1305.hpp"
#include "suite.hpp"

namespace cst {
namespace {

// Whether a pair kernel can ever do the middle. A hand-over needs cipher and hash at the same byte
// (message/middle.cpp), so a head of whole cipher blocks. Records of TLS are opened without pairs, because what their
// MAC covers is known only when all has been decrypted.
bool takes_pair(const Suite &suite, const Variant &variant) {
    if (suite.construction == Construction::tls && variant.role == Role::open_pair) return false;
    return suite.construction == Construction::chacha_poly || !variant.hand ||
           suite.construction == Construction::etm || suite.construction == Construction::rfc7518;
}

// Returns the kernels that run outside of lanes: those of one lane, and of at most `bytes` bytes in an iteration.
Family alone(const Family &family, uint64_t bytes) {
    Family found;
    for (const Variant *v : family.variants)
        if (v->lanes == 1 && v->cipher.lanes[0].key != NO_FIELD && v->need() <= bytes &&
            v->state_bytes <= MOST_ALONE_STATE && v->state_align <= 64)
            found.add(v);
    return found;
}

double one_call(const Variant &v) { return v.cost.per_call + v.cost.per_iteration; }

const Variant *cheapest(const Family &family, uint64_t bytes, bool only_ready) {
    Query query;
    query.least = bytes;
    query.only_ready = only_ready;
    const Variant *best = nullptr;
    for (const Variant *v : family.variants)
        if (fits(*v, query) && (!best || one_call(*v) < one_call(*best))) best = v;
    return best;
}

// Loads the code of a kernel that computes a block: the first that can be had, the cheapest for that first.
int ready(const Engine &engine, const Family &family, uint64_t block) {
    for (;;) {
        const Variant *const best = cheapest(family, block, false);
        if (!best) return CST_ERR_UNSUPPORTED;
        const Kernel *kernel;
        const int error = engine.fetch(*best, &kernel);
        if (error == CST_OK || error == CST_ERR_MEMORY) return error;  // the kernel remembers any other error
    }
}

// Returns the byte of a key object behind the last that a kernel of lists reads.
size_t listed_key_bytes(const Suite &suite, bool opens) {
    const KeyLayout &key = suite.key_layout;
    if (!suite.message[opens]) return suite.hmac() ? key.outer + suite.hash->record.chain_bytes() : 0;
    if (suite.construction == Construction::gcm) return key.powers + AES_BLOCK * (GHASH_POWERS + GHASH_ZEROS);
    const size_t from = suite.tweaked() ? key.tweak : key.round_keys(opens);
    return from + AES_BLOCK * (suite.message[opens]->record.rounds + 1);
}

}  // namespace

void Suite::find_kernels() {
    laid[0] = laid[1] = LaidCalls();
    lists[0] = lists[1] = lists_of_any_aad[0] = lists_of_any_aad[1] = Family();
    const Algorithm *base = hash_base();
    if (construction == Construction::checked) {  // its halves have the kernels
        for (Family *family : {&messages[0], &messages[1], &hashes, &encrypts, &decrypts, &pairs, &whole_hashes,
                               &blocks, &single[0], &single[1], &open_pairs, &handed_open_pairs, &schedules})
            *family = Family();
        for (const bool opens : {false, true})  // but those that are stitched of both
            for (const Variant *v : engine->family(Role::checked, halves[0]->message[opens], halves[1]->hash).variants)
                if (v->sum.reads_input == (sums_plaintext != opens)) (opens ? open_pairs : pairs).add(v);
        return;
    }
    if (second) pairs = engine->family(Role::both, base, second->base);
    if (segments) segment_hashes = engine->family(Role::hash, nullptr, segments);
    if (beside) {
        beside_hashes = engine->family(Role::hash, nullptr, beside);
        segments_and_beside = engine->family(Role::both, segments, beside);
    }
    if (base) hashes = engine->family(Role::hash, nullptr, base);
    if (start) starts = engine->family(Role::hash, nullptr, start);
    if (finish) finishes = engine->family(Role::hash, nullptr, finish);
    if (encrypt) {
        encrypts = engine->family(Role::encrypt, encrypt, nullptr);
        decrypts = encrypt == decrypt ? encrypts : engine->family(Role::decrypt, decrypt, nullptr);
    }
    if (encrypt && base) {
        for (const Variant *variant : engine->family(Role::pair, encrypt, base).variants) {
            if (!takes_pair(*this, *variant)) continue;
            pairs.add(variant);
            const bool both_ways = construction == Construction::rc4_hmac ||
                                   (counts() && construction == Construction::etm);  // opening encrypts, too
            if (both_ways && !variant->hand) open_pairs.add(variant);
        }
        for (const Variant *variant : engine->family(Role::open_pair, decrypt, base).variants)
            if (takes_pair(*this, *variant)) (variant->hand ? handed_open_pairs : open_pairs).add(variant);
    }
    if (kind == CST_CIPHER) message[false] = encrypt, message[true] = decrypt;
    // Kernels of lists of messages that are hashed have the initial value of the hash.
    const Algorithm *const listed_hash = construction == Construction::single && base == hash ? base : nullptr;
    for (const bool opens : {false, true}) {
        if (message[opens]) messages[opens] = engine->family(Role::message, message[opens], nullptr);
        if (!message[opens] && !listed_hash) continue;
        for (const Variant *v :
             engine->family(Role::list, message[opens], message[opens] ? nullptr : listed_hash).variants) {
            if (v->jobs.key_bytes != listed_key_bytes(*this, opens)) continue;
            lists[opens].add(v);
            if (!v->jobs.least_aad) lists_of_any_aad[opens].add(v);
        }
    }
    if (construction == Construction::gcm || construction == Construction::checksum)
        whole_hashes = engine->family(Role::message, nullptr, base);
    if (block) blocks = engine->family(Role::message, block, nullptr);
    else if (needs_block()) blocks = alone(encrypts, AES_BLOCK);
    if (tweaked())
        for (const bool opens : {false, true}) single[opens] = alone(ciphers(opens), AES_BLOCK);
    if (schedule) schedules = alone(engine->family(Role::schedule, schedule, nullptr), UINT64_MAX);
}

bool Suite::could_use(const Variant &variant) const {
    const Algorithm *c = variant.cipher.algorithm, *h = variant.hash.algorithm;
    // Other kernels are forced for its halves.
    if (construction == Construction::checked) return pairs.holds(&variant) || open_pairs.holds(&variant);
    if (construction == Construction::both) return variant.role == Role::both && c == hash->base && h == second->base;
    switch (variant.role) {
        case Role::hash:
            if (h == start || h == finish) return true;
            return segments ? h == segments || (beside && h == beside) : h == hash_base();
        case Role::both: return beside && c == segments && h == beside;
        case Role::encrypt: return c == encrypt;
        case Role::decrypt: return c == decrypt;
        case Role::list: return lists[false].holds(&variant) || lists[true].holds(&variant);
        case Role::message:
            return c ? c == message[false] || c == message[true]
                     : (construction == Construction::gcm || construction == Construction::checksum) &&
                           h == hash_base();
        case Role::pair: return c == encrypt && h == hash_base() && takes_pair(*this, variant);
        case Role::open_pair: return c == decrypt && h == hash_base() && takes_pair(*this, variant);
        default: return false;
    }
}

const Variant *poly1305_alone(const Family &kernels) {
    const Variant *least = nullptr;
    for (const Variant *v : kernels.variants)
        if (v->hash.key_form == KEY_R && v->runnable && v->state_bytes <= POLY1305_ALONE_STATE &&
            (!least || v->lanes < least->lanes))
            least = v;
    return least;
}

const Variant *ready_kernel(const Family &family, uint64_t bytes) { return cheapest(family, bytes, true); }

int prepare_suite(const Suite &suite) {
    if (suite.halves[0]) {
        const int error = prepare_suite(*suite.halves[0]);
        return error ? error : prepare_suite(*suite.halves[1]);
    }
    const bool block_mac = suite.construction == Construction::cmac || suite.construction == Construction::xcbc;
    if (block_mac && !suite.engine->has("aes")) return CST_ERR_UNSUPPORTED;
    if (suite.needs_block())
        if (int error = ready(*suite.engine, suite.blocks, AES_BLOCK)) return error;
    if (suite.tweaked())
        for (const Family &single : suite.single)
            if (int error = ready(*suite.engine, single, AES_BLOCK)) return error;
    if (suite.schedule)
        if (int error = ready(*suite.engine, suite.schedules, UINT64_MAX)) return error;
    const bool checksum = suite.construction == Construction::checksum;
    if (suite.hash && !checksum)
        if (int error = ready(*suite.engine, suite.hashes, suite.hash->record.read_bytes())) return error;
    if (suite.start)
        if (int error = ready(*suite.engine, suite.starts, suite.start->record.read_bytes())) return error;
    if (suite.finish)
        if (int error = ready(*suite.engine, suite.finishes, suite.finish->record.read_bytes())) return error;
    if (suite.segments)
        if (int error = ready(*suite.engine, suite.segment_hashes, suite.segments->record.block_bytes)) return error;
    if (suite.beside)
        if (int error = ready(*suite.engine, suite.beside_hashes, suite.beside->record.block_bytes)) return error;
    if (suite.construction == Construction::chacha_poly) {
        const Variant *const v = poly1305_alone(suite.hashes);
        const Kernel *kernel;
        if (!v) return CST_ERR_UNSUPPORTED;
        if (int error = suite.engine->fetch(*v, &kernel)) return error;
    }
    if (suite.construction == Construction::gcm || checksum)
        if (int error = ready(*suite.engine, suite.whole_hashes, suite.hash->record.block_bytes)) return error;
    if (suite.enciphers()) {
        if (suite.encrypt->record.is_aes() && !suite.engine->has("aes"))
            return CST_ERR_UNSUPPORTED;  // the key expansion
        if (int error = ready(*suite.engine, suite.encrypts, suite.encrypt->record.read_bytes())) return error;
        if (int error = ready(*suite.engine, suite.decrypts, suite.decrypt->record.read_bytes())) return error;
    }
    return CST_OK;
}

}  // namespace cst
