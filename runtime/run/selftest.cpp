#include "selftest.hpp"

#include <fnmatch.h>

#include <cstring>
#include <new>

#include "../suite/ghash.hpp"
#include "../suite/poly1305.hpp"
#include "burst.hpp"
#include "work.hpp"

namespace cst {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes from_hex(const char *text) {
    auto digit = [](char c) { return uint8_t(c <= '9' ? c - '0' : c - 'a' + 10); };
    Bytes bytes;
    for (; text[0] && text[1]; text += 2) bytes.push_back(uint8_t(digit(text[0]) << 4 | digit(text[1])));
    return bytes;
}

// Bytes without a pattern that a wrong kernel could share.
void scramble(Bytes *bytes, uint64_t seed) {
    for (uint8_t &byte : *bytes) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        byte = uint8_t(seed >> 56);
    }
}

struct Sealed {
    Bytes out, tag;
};

int run_one(const Suite &suite, const Bytes &key, const Bytes &mac_key, const Bytes &iv, const Bytes &aad, const Bytes &in, size_t tag_len,
            Sealed *sealed) {
    Key expanded;
    if (int error = expand_key(suite, key.data(), key.size(), mac_key.data(), mac_key.size(), &expanded)) return error;
    sealed->out.assign(suite.enciphers() ? in.size() + suite.expansion : 0, 0);
    sealed->tag.assign(tag_len, 0);
    cst_job job = {sizeof(cst_job), reinterpret_cast<const cst_key *>(&expanded), CST_SEAL, JOB_WAITING, iv.data(), iv.size(), aad.data(), aad.size(),
                   in.data(), in.size(), sealed->out.data(), sealed->out.size(), 0, sealed->tag.data(), tag_len, nullptr, 0, nullptr, 0};
    Arena arena;
    if (int error = arena.allocate(*suite.engine, 1)) return error;
    if (int error = run_burst(&arena, &job, 1)) return error;
    sealed->out.resize(job.out_len);

    Bytes back(sealed->out.size(), 0xff);
    job.direction = CST_OPEN;
    job.status = JOB_WAITING;
    if (suite.enciphers()) {
        job.in = sealed->out.data();
        job.in_len = sealed->out.size();
        job.out = back.data();
        job.out_cap = back.size();
    }
    if (int error = run_burst(&arena, &job, 1)) return error == CST_ERR_AUTH ? CST_ERR_SELFTEST : error;
    if (suite.enciphers() && (job.out_len != in.size() || memcmp(back.data(), in.data(), in.size()) != 0)) return CST_ERR_SELFTEST;
    if (suite.kind == CST_CIPHER) return CST_OK;
    uint8_t *spoilt = tag_len ? sealed->tag.data() : sealed->out.data();  // what is wrong must be refused
    *spoilt ^= 1;
    job.status = JOB_WAITING;
    const int refused = run_burst(&arena, &job, 1);
    *spoilt ^= 1;
    return refused == CST_ERR_AUTH ? CST_OK : CST_ERR_SELFTEST;
}

// An encrypt-then-MAC suite against the cipher and the MAC that it is made of; in counter mode texts end anywhere.
int test_composition(const Suites &suites, const Suite &suite) {
    const Suite *cipher = suites.find(suite.encrypt->record.suite);
    const Suite *mac = suites.find(suite.block_mac() ? "aes-128-xcbc" : (std::string("hmac-") + suite.hash->record.suite).c_str());
    if (!cipher || !mac) return CST_ERR_SELFTEST;
    Bytes key(suite.key_bytes), mac_key(suite.block_mac() ? suite.mac_key_max : 20), iv(suite.iv_bytes), aad(suite.construction == Construction::esp ? ESP_HEADER : 13), in(1024);
    for (Bytes *bytes : {&key, &mac_key, &iv, &aad, &in}) scramble(bytes, bytes->size());
    for (size_t length : {size_t(16), size_t(80), size_t(368), size_t(1024)}) {
        in.resize(length - 3 * suite.counts() - DES_BLOCK * suite.half_blocks());
        Sealed sealed, plain, tag;
        if (int error = run_one(suite, key, mac_key, iv, aad, in, suite.tag_max, &sealed)) return error;
        if (int error = run_one(*cipher, key, Bytes(), iv, Bytes(), in, 0, &plain)) return error;
        Bytes text = aad;
        text.insert(text.end(), iv.begin(), iv.end());
        text.insert(text.end(), plain.out.begin(), plain.out.end());
        if (int error = run_one(*mac, Bytes(), mac_key, Bytes(), Bytes(), text, suite.tag_max, &tag)) return error;
        if (sealed.out != plain.out || sealed.tag != tag.tag) return CST_ERR_SELFTEST;
        in.resize(1024);
    }
    return CST_OK;
}

int test_suite(const Suites &suites, const Suite &suite) {
    if (int error = prepare_suite(suite)) return error;
    for (size_t i = 0; i < known_answer_count; i++) {
        const KnownAnswer &known = known_answers[i];
        if (suite.name != known.suite) continue;
        const Bytes tag = from_hex(known.tag);
        Sealed sealed;
        if (int error = run_one(suite, from_hex(known.key), from_hex(known.mac_key), from_hex(known.iv), from_hex(known.aad), from_hex(known.in),
                                tag.size(), &sealed))
            return error;
        if (sealed.tag != tag || sealed.out != from_hex(known.out)) return CST_ERR_SELFTEST;
    }
    return suite.construction == Construction::etm || suite.construction == Construction::esp || suite.construction == Construction::rc4_hmac ? test_composition(suites, suite) : CST_OK;
}

// Items are multiples of it, so that other kernels can finish them.
size_t unit_of(const Variant &v) { return v.step < 64 ? 64 : v.step; }

constexpr size_t CHAIN_ROOM = RC4_STATE;  // the longest of a cipher

// Buffers for one kernel: every item has its own input, output, chaining values and (unless one key serves all) key.
struct Buffers {
    size_t n, item_bytes;
    Bytes in, out, chains, hashes, keys, mac_keys;

    Buffers(const Variant &v, size_t items) : n(items) {
        const size_t unit = unit_of(v);
        item_bytes = unit * (v.lag + 5);
        in.resize(n * item_bytes + 64);
        out.resize(n * item_bytes + 64);
        chains.resize(n * CHAIN_ROOM);
        hashes.resize(n * 64);
        keys.resize(n * sizeof(Key::encrypt));
        uint64_t seed = 1;
        mac_keys.resize(n * sizeof(Key::powers));
        for (Bytes *bytes : {&in, &chains, &hashes, &keys, &mac_keys}) scramble(bytes, seed++);
        if (v.cipher.table_bytes)
            for (size_t i = 0; i < n; i++) rc4_expand_vartime(keys.data() + i * sizeof(Key::encrypt), 16, chains.data() + i * CHAIN_ROOM);
        if (v.cipher.algorithm && v.cipher.algorithm->record.is_des())  // what no kernel has to expect of a key's bits is its own affair
            for (size_t i = 0; i < n; i++) {
                uint8_t *rows = keys.data() + i * sizeof(Key::encrypt), key[DES_MOST_ROWS];
                memcpy(key, rows, sizeof(key));
                des_expand(key, v.cipher.algorithm->record.key_bytes, reinterpret_cast<uint8_t(*)[16]>(rows));
            }
        if (is_poly1305(v))
            for (size_t i = 0; i < n; i++) {
                hashes[64 * i + 16] &= 3;
                memset(hashes.data() + 64 * i + 17, 0, 47);
                poly1305_powers(poly_key(i), v.hash.key_rows, mac_keys.data() + (i + 1) * sizeof(Key::powers) - 16 * v.hash.key_rows);
            }
        if (!v.hash.algorithm || v.hash.algorithm->record.kind != ALGORITHM_GHASH) return;
        for (size_t i = 0; i < n; i++) {  // kernels take different numbers of powers
            uint8_t h[16];
            memcpy(h, mac_keys.data() + i * sizeof(Key::powers), sizeof(h));
            ghash_powers(h, GHASH_POWERS, reinterpret_cast<uint8_t(*)[16]>(mac_keys.data() + i * sizeof(Key::powers)));
        }
    }

    static bool is_poly1305(const Variant &v) { return v.hash.algorithm && v.hash.algorithm->record.kind == ALGORITHM_POLY1305; }
    PolyKey poly_key(size_t i) const {
        uint8_t bytes[32];
        memcpy(bytes, in.data() + i, sizeof(bytes));
        PolyKey key;
        poly1305_key(bytes, &key);
        return key;
    }
    // Without kernels, because those of another form want another key: adds blocks to accumulator i, and makes the tag, which numbers that are
    // congruent have in common.
    void poly1305(size_t i, const uint8_t *text, uint64_t bytes) {
        uint64_t accumulator[8];
        memcpy(accumulator, hashes.data() + 64 * i, sizeof(accumulator));
        poly1305_blocks(poly_key(i), accumulator, text, bytes / 16);
        memcpy(hashes.data() + 64 * i, accumulator, sizeof(accumulator));
        uint8_t tag[64] = {};
        poly1305_tag(poly_key(i), accumulator, tag);
        memcpy(hashes.data() + 64 * i, tag, sizeof(tag));
    }
};

// Item i has one to four more iterations than the shortest.
void run_family(const Suite &suite, const Family &family, const Variant &shape, bool cipher, bool hash, Arena *arena, Buffers *b) {
    const size_t unit = unit_of(shape);
    for (size_t i = 0; i < b->n; i++) {
        Item &item = *new (&arena->works[i].item) Item;
        arena->items[i] = &item;
        item.bytes = unit * (shape.lag + 1 + i % 5);
        if (cipher) {
            item.in = b->in.data() + i * b->item_bytes + i % 32;
            item.out = b->out.data() + i * b->item_bytes + i % 32;
            item.cipher_from = item.cipher_chain = b->chains.data() + CHAIN_ROOM * i;
            item.round_keys = b->keys.data() + (shape.one_key ? 0 : i * sizeof(Key::encrypt));
        }
        if (hash) {
            item.hash_in = (shape.role == Role::pair ? b->out.data() : b->in.data()) + i * b->item_bytes + i % 32;
            item.hash_from = item.hash_chain = b->hashes.data() + 64 * i;
            item.mac_keys_end = b->mac_keys.data() + (i + 1) * sizeof(Key::powers);
        }
    }
    Phase phase;
    phase.suite = &suite;
    phase.family = &family;
    phase.one_key = shape.one_key;
    run_phase(phase, &arena->lanes, arena->items, arena->order, b->n);
}

// Finishes what a lag kept a pair kernel from: fewer iterations than one call needs may be left of an item.
void finish_pair(const Suite &suite, const Family &ciphers, const Family *hashes, Arena *arena, size_t n) {
    std::vector<uint64_t> left(n);
    for (size_t i = 0; i < n; i++) left[i] = arena->items[i]->bytes;
    Phase phase;
    phase.suite = &suite;
    phase.family = &ciphers;
    run_phase(phase, &arena->lanes, arena->items, arena->order, n);
    for (size_t i = 0; i < n; i++) arena->items[i]->bytes = left[i];
    if (!hashes) return;
    phase.family = hashes;
    run_phase(phase, &arena->lanes, arena->items, arena->order, n);
}

// The kernels of a role, without the one that is being tested where there is another.
Family others(const Engine &engine, Role role, const Algorithm *cipher, const Algorithm *hash, const Variant &tested) {
    const Family all = engine.family(role, cipher, hash);
    Family rest;
    for (const Variant *v : all.variants)
        if (v != &tested && !v->one_key && v->need() <= unit_of(tested)) rest.add(v);
    return rest.variants.empty() ? all : rest;
}

int test_kernel(const Engine &engine, const Variant &v) {
    const Kernel *kernel;
    if (int error = engine.fetch(v, &kernel)) return error;
    if (v.role == Role::other) return CST_ERR_UNSUPPORTED;
    size_t n = v.lanes + v.lanes / 2 + 1;
    if (n > MOST_WORKS) n = MOST_WORKS;
    Arena arena;
    if (int error = arena.allocate(engine, n)) return error;
    Suite suite;
    suite.engine = &engine;
    Family alone;
    alone.add(&v);
    Buffers got(v, n), wanted(v, n);
    const bool cipher = !v.cipher.lanes.empty(), hash = !v.hash.lanes.empty();
    const bool decrypts = v.role == Role::decrypt || v.role == Role::open_pair;
    const Family ciphers = others(engine, decrypts ? Role::decrypt : Role::encrypt, v.cipher.algorithm, nullptr, v);
    const Family hashes = others(engine, Role::hash, nullptr, v.hash.algorithm, v);
    run_family(suite, alone, v, cipher, hash, &arena, &got);
    const bool poly1305 = Buffers::is_poly1305(v);
    if (v.stitched()) finish_pair(suite, ciphers, poly1305 ? nullptr : &hashes, &arena, n);
    for (size_t i = 0; poly1305 && i < n; i++) {
        const Item &item = arena.works[i].item;
        got.poly1305(i, item.hash_in, item.bytes);
    }
    if (cipher) run_family(suite, ciphers, v, true, false, &arena, &wanted);
    if (hash && !poly1305) run_family(suite, hashes, v, false, true, &arena, &wanted);
    for (size_t i = 0; poly1305 && i < n; i++) {
        const Bytes &text = v.role == Role::pair ? wanted.out : wanted.in;
        wanted.poly1305(i, text.data() + i * wanted.item_bytes + i % 32, (v.step < 64 ? 64 : v.step) * (v.lag + 1 + i % 5));
    }
    const bool same = got.out == wanted.out && got.chains == wanted.chains && got.hashes == wanted.hashes && got.in == wanted.in;
    return same ? CST_OK : CST_ERR_SELFTEST;
}

}  // namespace

int selftest(const Engine &engine, const Suites &suites, const char *glob, void (*each)(const char *name, int result, void *arg), void *arg) {
    int first = CST_OK;
    auto report = [&](const char *name, int result) {
        if (each) each(name, result, arg);
        if (first == CST_OK && result != CST_ERR_UNSUPPORTED && result != CST_ERR_JIT) first = result;
    };
    auto wanted = [&](const char *name) { return !glob || fnmatch(glob, name, 0) == 0; };
    for (const auto &suite : suites.all())
        if (wanted(suite->name.c_str())) report(suite->name.c_str(), test_suite(suites, *suite));
    for (const auto &variant : engine.variants())
        if (wanted(variant->name)) report(variant->name, variant->runnable ? test_kernel(engine, *variant) : CST_ERR_UNSUPPORTED);
    return first;
}

}  // namespace cst
