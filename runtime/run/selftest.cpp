#include "selftest.hpp"

#include <fnmatch.h>

#include <cstring>
#include <new>

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
    if (int error = expand_key(suite, key.data(), mac_key.data(), mac_key.size(), &expanded)) return error;
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

// An encrypt-then-MAC suite against the cipher and the MAC that it is made of.
int test_composition(const Suites &suites, const Suite &suite) {
    const Suite *cipher = suites.find(suite.encrypt->record.suite);
    const Suite *mac = suites.find((std::string("hmac-") + suite.hash->record.suite).c_str());
    if (!cipher || !mac) return CST_ERR_SELFTEST;
    Bytes key(suite.key_bytes), mac_key(20), iv(16), aad(suite.construction == Construction::esp ? ESP_HEADER : 13), in(1024);
    for (Bytes *bytes : {&key, &mac_key, &iv, &aad, &in}) scramble(bytes, bytes->size());
    for (size_t length : {size_t(16), size_t(80), size_t(368), size_t(1024)}) {
        in.resize(length);
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
    return suite.construction == Construction::etm || suite.construction == Construction::esp ? test_composition(suites, suite) : CST_OK;
}

// Buffers for one kernel: every item has its own input, output, chaining values and (unless one key serves all) key.
struct Buffers {
    size_t n, item_bytes;
    Bytes in, out, chains, hashes, keys;

    Buffers(const Variant &v, size_t items) : n(items) {
        const size_t unit = v.step < 64 ? 64 : v.step;
        item_bytes = unit * (v.lag + 5);
        in.resize(n * item_bytes + 64);
        out.resize(n * item_bytes + 64);
        chains.resize(n * 16);
        hashes.resize(n * 64);
        keys.resize(n * sizeof(Key::encrypt));
        uint64_t seed = 1;
        for (Bytes *bytes : {&in, &chains, &hashes, &keys}) scramble(bytes, seed++);
    }
};

// Item i has one to four more iterations than the shortest.
void run_family(const Suite &suite, const Family &family, const Variant &shape, bool cipher, bool hash, Arena *arena, Buffers *b) {
    const size_t unit = shape.step < 64 ? 64 : shape.step;
    for (size_t i = 0; i < b->n; i++) {
        Item &item = *new (&arena->works[i].item) Item;
        arena->items[i] = &item;
        item.bytes = unit * (shape.lag + 1 + i % 5);
        if (cipher) {
            item.in = b->in.data() + i * b->item_bytes + i % 32;
            item.out = b->out.data() + i * b->item_bytes + i % 32;
            item.cipher_from = item.cipher_chain = b->chains.data() + 16 * i;
            item.round_keys = b->keys.data() + (shape.one_key ? 0 : i * sizeof(Key::encrypt));
        }
        if (hash) {
            item.hash_in = (shape.role == Role::pair ? b->out.data() : b->in.data()) + i * b->item_bytes + i % 32;
            item.hash_from = item.hash_chain = b->hashes.data() + 64 * i;
        }
    }
    Phase phase;
    phase.suite = &suite;
    phase.family = &family;
    phase.one_key = shape.one_key;
    run_phase(phase, &arena->lanes, arena->items, arena->order, b->n);
}

// Finishes what a lag kept a pair kernel from: fewer iterations than one call needs may be left of an item.
void finish_pair(const Suite &suite, const Family &ciphers, const Family &hashes, Arena *arena, size_t n) {
    std::vector<uint64_t> left(n);
    for (size_t i = 0; i < n; i++) left[i] = arena->items[i]->bytes;
    Phase phase;
    phase.suite = &suite;
    phase.family = &ciphers;
    run_phase(phase, &arena->lanes, arena->items, arena->order, n);
    for (size_t i = 0; i < n; i++) arena->items[i]->bytes = left[i];
    phase.family = &hashes;
    run_phase(phase, &arena->lanes, arena->items, arena->order, n);
}

// The kernels of a role, without the one that is being tested where there is another.
Family others(const Engine &engine, Role role, const Algorithm *cipher, const Algorithm *hash, const Variant &tested) {
    const Family all = engine.family(role, cipher, hash);
    Family rest;
    for (const Variant *v : all.variants)
        if (v != &tested && !v->one_key && v->need() <= 64) rest.add(v);
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
    if (v.stitched()) finish_pair(suite, ciphers, hashes, &arena, n);
    if (cipher) run_family(suite, ciphers, v, true, false, &arena, &wanted);
    if (hash) run_family(suite, hashes, v, false, true, &arena, &wanted);
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
