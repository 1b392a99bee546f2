#include "selftest.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "../select/name_glob.hpp"
#include "../suite/crc.hpp"
#include "../suite/ghash.hpp"
#include "../message/checked.hpp"
#include "../storage/checksum.hpp"
#include "../storage/codec.hpp"
#include "../executors/message.hpp"
#include "../keys/keys.hpp"
#include "../run/run.hpp"
#include "../plan/lineup.hpp"
#include "../message/mac.hpp"
#include "../message/middle.hpp"
#include "../executors/alone.hpp"
#include "../message/text.hpp"

namespace cst {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes bytes_of(const AnswerRecord::Part &part) { return Bytes(part.data, part.data + part.size); }

// Fills the buffer with bytes without a pattern that a wrong kernel could share.
void scramble(Bytes *bytes, uint64_t seed) {
    for (uint8_t &byte : *bytes) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        byte = uint8_t(seed >> 56);
    }
}

struct Sealed {
    Bytes out, tag;
};

// Seals a message, opens it and, spoilt, does not. Suites that belong to a kernel under test may lack others that they
// need here.
int run_one(const Suite &suite, const Bytes &key, const Bytes &mac_key, const Bytes &iv, const Bytes &aad,
            const Bytes &in, size_t tag_len, Sealed *sealed) {
    if (int error = prepare_suite(suite)) return error;
    KeyPointer expanded;
    if (int error = new_key(suite, key.data(), key.size(), mac_key.data(), mac_key.size(), &expanded)) return error;
    sealed->out.assign(suite.enciphers() ? in.size() + suite.expansion : 0, 0);
    sealed->tag.assign(tag_len, 0);
    cst_job job = {sizeof(cst_job),
                   reinterpret_cast<const cst_key *>(expanded.get()),
                   CST_SEAL,
                   JOB_WAITING,
                   iv.data(),
                   iv.size(),
                   aad.data(),
                   aad.size(),
                   in.data(),
                   in.size(),
                   sealed->out.data(),
                   sealed->out.size(),
                   0,
                   sealed->tag.data(),
                   tag_len,
                   nullptr,
                   0,
                   nullptr,
                   0};
    Memory memory;
    if (int error = memory.allocate(*suite.engine, 1)) return error;
    if (int error = run_jobs(&memory, &job, 1)) return error;
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
    if (int error = run_jobs(&memory, &job, 1)) return error == CST_ERR_AUTH ? CST_ERR_SELFTEST : error;
    if (suite.enciphers() && (job.out_len != in.size() || !std::equal(in.begin(), in.end(), back.begin())))
        return CST_ERR_SELFTEST;
    if (suite.kind == CST_CIPHER && !suite.tag_max) return CST_OK;
    uint8_t *spoilt = tag_len ? sealed->tag.data() : sealed->out.data();  // a spoilt message must be refused
    *spoilt ^= 1;
    job.status = JOB_WAITING;
    const int refused = run_jobs(&memory, &job, 1);
    *spoilt ^= 1;
    return refused == CST_ERR_AUTH ? CST_OK : CST_ERR_SELFTEST;
}

// Tests an encrypt-then-MAC suite against the cipher and the MAC that it is made of; in counter mode with arbitrary
// lengths.
int test_composition(const Suites &suites, const Suite &suite) {
    const Suite *cipher = suites.find(suite.encrypt->record.suite);
    const Suite *mac =
        suites.find(suite.block_mac() ? "aes-128-xcbc" : (std::string("hmac-") + suite.hash->record.suite).c_str());
    if (!cipher || !mac) return CST_ERR_SELFTEST;
    Bytes key(suite.key_bytes), mac_key(suite.block_mac() ? suite.mac_key_max : 20), iv(suite.iv_bytes),
        aad(suite.construction == Construction::esp ? ESP_HEADER : 13), in(1024);
    for (Bytes *bytes : {&key, &mac_key, &iv, &aad, &in}) scramble(bytes, bytes->size());
    for (size_t length : {size_t(16), size_t(80), size_t(368), size_t(1024)}) {
        in.resize(length - 3 * suite.counts() - DES_BLOCK * suite.half_blocks());
        Sealed sealed, plain, tag;
        if (int error = run_one(suite, key, mac_key, iv, aad, in, suite.tag_max, &sealed)) return error;
        if (int error = run_one(*cipher, key, Bytes(), iv, Bytes(), in, 0, &plain)) return error;
        Bytes text = aad;
        if (suite.mac_iv_bytes) text.insert(text.end(), iv.begin(), iv.end());
        text.insert(text.end(), plain.out.begin(), plain.out.end());
        if (int error = run_one(*mac, Bytes(), mac_key, Bytes(), Bytes(), text, suite.tag_max, &tag)) return error;
        if (sealed.out != plain.out || sealed.tag != tag.tag) return CST_ERR_SELFTEST;
        in.resize(1024);
    }
    return CST_OK;
}

// Calls each(answer), which returns CST_OK or an error that ends the walk, for all known answers of the suite.
template <typename Each>
int walk_answers(const Suite &suite, Each each) {
    for (const Pack *pack : suite.engine->packs())
        for (uint32_t i = 0; i < pack->n_answers(); i++) {
            AnswerRecord known;
            if (int error = pack->answer(i, &known)) return error;
            if (suite.name != known.suite) continue;
            if (int error = each(known)) return error;
        }
    return CST_OK;
}

int test_answer(const Suite &suite, const AnswerRecord &known) {
    Sealed sealed;
    if (int error = run_one(suite, bytes_of(known.key), bytes_of(known.mac_key), bytes_of(known.iv),
                            bytes_of(known.aad), bytes_of(known.in), known.tag.size, &sealed))
        return error;
    return sealed.tag == bytes_of(known.tag) && sealed.out == bytes_of(known.out) ? CST_OK : CST_ERR_SELFTEST;
}

int test_suite(const Suites &suites, const Suite &suite) {
    if (int error = prepare_suite(suite)) return error;
    if (int error = walk_answers(suite, [&](const AnswerRecord &known) { return test_answer(suite, known); }))
        return error;
    return suite.construction == Construction::etm || suite.construction == Construction::esp ||
                   suite.construction == Construction::rc4_hmac
               ? test_composition(suites, suite)
               : CST_OK;
}

// Returns a number of bytes of which items are multiples, so that other kernels can finish them.
size_t unit_of(const Variant &v) { return v.step < 64 ? 64 : v.step; }

constexpr size_t CHAIN_ROOM = RC4_STATE;  // the longest chaining value of a cipher
constexpr size_t KEY_BYTES = KEY_MOST_ROWS * sizeof(KeyRow), POWER_BYTES = GHASH_POWERS * sizeof(KeyRow);

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
        keys.resize(n * KEY_BYTES);
        uint64_t seed = 1;
        mac_keys.resize(n * POWER_BYTES);
        for (Bytes *bytes : {&in, &chains, &hashes, &keys, &mac_keys}) scramble(bytes, seed++);
        if (v.cipher.table_bytes)
            for (size_t i = 0; i < n; i++)
                rc4_expand_vartime(keys.data() + i * KEY_BYTES, 16, chains.data() + i * CHAIN_ROOM);
        if (v.cipher.algorithm &&
            v.cipher.algorithm->record.is_des())  // a kernel may treat key bits that never occur as it likes
            for (size_t i = 0; i < n; i++) {
                uint8_t *rows = keys.data() + i * KEY_BYTES, key[3 * DES_KEY];
                memcpy(key, rows, sizeof(key));
                des_expand(key, v.cipher.algorithm->record.key_bytes, reinterpret_cast<uint8_t (*)[16]>(rows));
            }
        if (is_poly1305(v))
            for (size_t i = 0; i < n; i++) {
                hashes[64 * i + 16] &= 3;
                memset(hashes.data() + 64 * i + 17, 0, 47);
                poly1305_powers(poly_key(i), v.hash.key_form,
                                mac_keys.data() + (i + 1) * POWER_BYTES - 16 * v.hash.key_rows);
            }
        if (!v.hash.algorithm || v.hash.algorithm->record.kind != ALGORITHM_GHASH) return;
        for (size_t i = 0; i < n; i++) {  // kernels take different numbers of powers
            uint8_t h[16];
            memcpy(h, mac_keys.data() + i * POWER_BYTES, sizeof(h));
            ghash_powers(h, GHASH_POWERS, reinterpret_cast<uint8_t (*)[16]>(mac_keys.data() + i * POWER_BYTES));
        }
    }

    static bool is_poly1305(const Variant &v) {
        return v.hash.algorithm && v.hash.algorithm->record.kind == ALGORITHM_POLY1305;
    }
    PolyKey poly_key(size_t i) const {
        uint8_t bytes[32];
        memcpy(bytes, in.data() + i, sizeof(bytes));
        PolyKey key;
        poly1305_key(bytes, &key);
        return key;
    }
    // Adds blocks to accumulator i by a kernel that takes r itself, because others want other keys, and makes the tag,
    // which is equal for congruent numbers.
    void poly1305(const Engine &engine, const Variant &v, size_t i, const uint8_t *text, uint64_t bytes) {
        uint64_t accumulator[8];
        memcpy(accumulator, hashes.data() + 64 * i, sizeof(accumulator));
        const Family kernels = engine.family(Role::hash, nullptr, v.hash.algorithm);
        const Kernel *kernel;
        if (engine.fetch(*poly1305_alone(kernels), &kernel))
            return;  // then the bytes differ from those of the other kernel
        poly1305_blocks(engine, kernels, poly_key(i), accumulator, text, bytes / 16);
        memcpy(hashes.data() + 64 * i, accumulator, sizeof(accumulator));
        uint8_t tag[64] = {};
        poly1305_tag(poly_key(i), accumulator, tag);
        memcpy(hashes.data() + 64 * i, tag, sizeof(tag));
    }
};

// Makes a suite of these families alone: a cipher and a hash side by side, without anything around them.
Suite suite_of(const Engine &engine, const Variant &v) {
    Suite suite;
    suite.engine = &engine;
    suite.kind = CST_CIPHER;
    suite.remembered = false;
    suite.encrypt = suite.decrypt = v.cipher.algorithm;
    suite.hash = v.hash.algorithm;
    if (suite.encrypt && suite.counts()) suite.construction = Construction::counter;
    if (suite.encrypt && suite.encrypt->record.kind == ALGORITHM_CHACHA) suite.construction = Construction::chacha;
    return suite;
}

uint64_t bytes_of(const Variant &v, size_t i) { return unit_of(v) * (v.lag + 1 + i % 5); }

// Hashes bodies as far as whole iterations of the family's kernels go.
void run_whole_bodies(const Class &c) {
    for (;;) {
        Need need = {&c.suite->hashes, c.n, 0, 0};
        for (size_t i = 0; i < c.n; i++) {
            const Message &m = c.messages[i];
            need.most = std::max(need.most, m.hash_stop - m.hashed);
            c.memory->list[i] = &c.messages[i];
        }
        need.bytes = need.most;
        const Lineup lineup = need.most ? line_up(*c.suite, need) : Lineup();
        if (!lineup.variant) return;
        run_bodies(c, c.memory->list, c.n, *lineup.variant);
    }
}

// Runs messages; message i has one to four more iterations than the shortest. Chaining values go to the buffers.
void run_messages(const Suite &suite, const Variant &shape, Memory *memory, Buffers *b, const Variant *pair) {
    const Class c = {&suite, memory, memory->messages, b->n, false, shape.one_key};
    const bool cipher = !suite.encrypts.variants.empty() || pair, hash = !suite.hashes.variants.empty() || pair;
    memory->messages_used = b->n;
    for (size_t i = 0; i < b->n; i++) {
        Message &m = *new (&memory->messages[i]) Message();
        const uint64_t bytes = bytes_of(shape, i);
        uint8_t *const in = b->in.data() + i * b->item_bytes + i % 32, *const out =
                                                                           b->out.data() + i * b->item_bytes + i % 32;
        m.in.set(in, bytes, nullptr, 0);
        m.out.set(out, bytes, nullptr, 0);
        m.text_end = m.text_stop = m.body_bytes = m.hash_stop = bytes;
        m.chain_wanted = true;
        m.stage = Stage::body;
        m.body = shape.role == Role::pair ? &m.out : &m.in;
        m.cipher_from = b->chains.data() + CHAIN_ROOM * i;
        m.round_keys = b->keys.data() + (shape.one_key ? 0 : i * KEY_BYTES);
        m.hash_from = b->hashes.data() + 64 * i;
        m.mac_keys_end = b->mac_keys.data() + (i + 1) * POWER_BYTES;
        m.paired = pair;
        memory->list[i] = &m;
    }
    if (pair) {
        Middle middle;
        middle.aligned = true;
        middle.choice = pair;
        run_middles(c, middle);
    }
    // Cipher and hash alone finish what a lag keeps a pair kernel from; ciphers that open read what the hash reads.
    for (size_t i = 0; i < b->n; i++) memory->list[i] = &memory->messages[i];
    if (cipher) run_texts(c, memory->list, b->n);
    if (hash && !Buffers::is_poly1305(shape)) run_whole_bodies(c);
    for (size_t i = 0; i < b->n; i++) {
        Message &m = memory->messages[i];
        uint8_t *const chain = b->chains.data() + CHAIN_ROOM * i, *const hashed = b->hashes.data() + 64 * i;
        const size_t chain_bytes = shape.cipher.table_bytes ? CHAIN_ROOM : 16;
        if (cipher && m.cipher_from != chain) memcpy(chain, m.cipher_from, chain_bytes);
        if (hash && m.hash_from != hashed) memcpy(hashed, m.hash_from, shape.hash.chain_rows * shape.hash.chain_entry);
    }
}

// Returns the kernels of a role, without the one that is being tested if there is another.
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
    const size_t n = std::min<size_t>(v.lanes + v.lanes / 2 + 1, MOST_MESSAGES);
    Memory memory;
    if (int error = memory.allocate(engine, n)) return error;
    Buffers got(v, n), wanted(v, n);
    const bool decrypts = v.role == Role::decrypt || v.role == Role::open_pair;
    Suite reference = suite_of(engine, v), tested = reference;
    if (v.cipher.algorithm)
        reference.encrypts = reference.decrypts =
            others(engine, decrypts ? Role::decrypt : Role::encrypt, v.cipher.algorithm, nullptr, v);
    if (v.hash.algorithm) reference.hashes = others(engine, Role::hash, nullptr, v.hash.algorithm, v);
    tested.encrypts = tested.decrypts = reference.encrypts;
    tested.hashes = reference.hashes;
    Family alone;
    alone.add(&v);
    (v.stitched() ? tested.pairs : v.role == Role::hash ? tested.hashes : tested.encrypts) = alone;
    run_messages(tested, v, &memory, &got, v.stitched() ? &v : nullptr);
    const bool poly1305 = Buffers::is_poly1305(v);
    if (poly1305) {
        for (size_t i = 0; i < n; i++) {
            const Message &m = memory.messages[i];
            Message copy = m;
            got.poly1305(engine, v, i, copy.body->at(copy.hashed), copy.body_bytes - copy.hashed);
        }
    }
    memory.clean();
    run_messages(reference, v, &memory, &wanted, nullptr);
    for (size_t i = 0; poly1305 && i < n; i++) {
        const Bytes &text = v.role == Role::pair ? wanted.out : wanted.in;
        wanted.poly1305(engine, v, i, text.data() + i * wanted.item_bytes + i % 32, bytes_of(v, i));
    }
    const bool same =
        got.out == wanted.out && got.chains == wanted.chains && got.hashes == wanted.hashes && got.in == wanted.in;
    return same ? CST_OK : CST_ERR_SELFTEST;
}

// Tests a checksum kernel against the definition, bit by bit.
int test_checksum_kernel(const Suites &suites, const Variant &v) {
    const uint64_t before = v.calls.sum();
    for (const auto &suite : suites.all()) {
        if (!is_checksum(*suite) || suite->hash_base() != v.hash.algorithm) continue;
        Crc crc(suite->hash->record);
        Bytes key;
        if (suite->key_bytes) {  // a width and terms that no other checksum has
            crc = Crc(61, crc.reflected, 0x1234567890abcdef, 0x123456789, 0x987654321);
            key.resize(sizeof(crc));
            memcpy(key.data(), &crc, sizeof(crc));
        }
        Suite tested = *suite;
        tested.remembered = false;
        tested.forced = &v;
        Bytes in(3 * v.step + 5), wanted(suite->tag_max);
        scramble(&in, in.size());
        for (const size_t length : {size_t(in.size()), size_t(v.step), size_t(v.step - 1), size_t(17), size_t(0)}) {
            in.resize(length);
            Sealed got;
            if (int error = run_one(tested, key, Bytes(), Bytes(), Bytes(), in, suite->tag_max, &got)) return error;
            uint64_t value = crc.go_on(crc.start, in.data(), length) ^ crc.final;
            if (!crc.reflected) value = __builtin_bswap64(value << (64 - 8 * wanted.size()));
            memcpy(wanted.data(), &value, wanted.size());
            if (got.tag != wanted) return CST_ERR_SELFTEST;
        }
    }
    return v.calls.sum() > before ? CST_OK : CST_ERR_SELFTEST;
}

// Returns the kernels that hash the text itself, or do such a step as the kernel does, or encipher as it does.
Family &hashes_of(Suite *suite, const Variant &v) {
    if (suite->beside && v.hash.algorithm == suite->beside) return suite->beside_hashes;
    if (suite->start && v.hash.algorithm == suite->start) return suite->starts;
    if (suite->finish && v.hash.algorithm == suite->finish) return suite->finishes;
    if (v.role == Role::encrypt) return suite->encrypts;
    return suite->segments ? suite->segment_hashes : suite->hashes;
}

// Whether the kernel needs what its suites do around it: padded blocks, steps, two hashes.
bool runs_in_suites_alone(const Variant &v) {
    if (v.role == Role::encrypt) return v.cipher.algorithm->record.kind == ALGORITHM_DUPLEX;
    if (v.role != Role::hash) return v.role == Role::both;
    return v.hash.algorithm->record.of_another_kind() || v.hash.algorithm->record.is_step();
}

// Compares digests, tags and texts with such a kernel to those without it: of messages of several lengths, more than
// the kernel has lanes.
int test_in_suites(const Suites &suites, const Variant &v) {
    const uint64_t before = v.calls.sum();
    for (const auto &suite : suites.all()) {
        if ((suite->kind != CST_DIGEST && !suite->start) || !suite->could_use(v)) continue;
        Suite tested = *suite, reference = *suite;
        tested.remembered = reference.remembered = false;
        tested.forced = &v;
        reference.forced = nullptr;
        if (v.role == Role::both) reference.pairs = reference.segments_and_beside = Family();
        else hashes_of(&reference, v) = others(*suite->engine, v.role, v.cipher.algorithm, v.hash.algorithm, v);
        if (v.role != Role::both && hashes_of(&reference, v).variants.empty()) return CST_ERR_UNSUPPORTED;
        const size_t n = v.lanes + 1, tag_len = extends(*suite) ? 3 * v.step : suite->tag_max;
        Bytes in(n * 3 * v.step), key_bytes(suite->key_bytes), mac_key(suite->mac_key_max), tags[2], texts[2];
        scramble(&in, n);
        scramble(&key_bytes, n);
        scramble(&mac_key, n);
        for (const Suite *its : {&tested, &reference}) {
            Bytes &out = tags[its == &reference], &text = texts[its == &reference];
            out.assign(n * tag_len, 0);
            text.assign(suite->enciphers() ? n * in.size() : 0, 0);
            KeyPointer key;
            if (int error = prepare_suite(*its)) return error;
            if (int error = new_key(*its, key_bytes.data(), key_bytes.size(), mac_key.data(), mac_key.size(), &key))
                return error;
            std::vector<cst_job> jobs(n);
            for (size_t i = 0; i < n; i++) {
                jobs[i].size = sizeof(cst_job);
                jobs[i].key = reinterpret_cast<const cst_key *>(key.get());
                jobs[i].status = JOB_WAITING;
                jobs[i].in = in.data() + i;
                jobs[i].in_len = i * 3 * v.step / n;
                jobs[i].tag = out.data() + i * tag_len;
                jobs[i].tag_len = tag_len;
                if (!suite->enciphers()) continue;
                jobs[i].iv = jobs[i].aad = jobs[i].in;
                jobs[i].iv_len = suite->iv_bytes;
                jobs[i].aad_len = in.size() - n - i;
                jobs[i].out = text.data() + i * in.size();
                jobs[i].out_cap = in.size();
            }
            if (int error = run_jobs(*suite->engine, jobs.data(), n, Likeness::none)) return error;
        }
        if (tags[0] != tags[1] || texts[0] != texts[1]) return CST_ERR_SELFTEST;
    }
    return v.calls.sum() > before ? CST_OK : CST_ERR_UNSUPPORTED;
}

// Tests an erasure code's kernel against the definition, byte by byte: more inputs and outputs than the kernel has, and
// an end.
int test_codec_kernel(const Engine &engine, const Variant &v) {
    Codec codec;
    if (int error = codec.init(engine, v.name)) return error;
    const size_t rows = 5, columns = v.lanes + 1, bytes = 2 * v.step + 7;
    Matrix factors(rows, columns);
    scramble(&factors.at, rows);
    Bytes in(columns * bytes), out(rows * bytes);
    scramble(&in, bytes);
    scramble(&out, columns);
    Bytes wanted = out;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            for (size_t at = 0; at < bytes; at++)
                wanted[i * bytes + at] ^= galois_product(factors.row(i)[j], in[j * bytes + at]);
    std::vector<const void *> ins;
    std::vector<void *> outs;
    for (size_t j = 0; j < columns; j++) ins.push_back(in.data() + j * bytes);
    for (size_t i = 0; i < rows; i++) outs.push_back(out.data() + i * bytes);
    Products(codec, factors, true).run(ins.data(), outs.data(), bytes);
    return out == wanted ? CST_OK : CST_ERR_SELFTEST;
}

// Tests a kernel that is stitched of a cipher and a checksum, forced, against its suites without such kernels.
int test_checked_kernel(const Suites &suites, const Variant &v) {
    for (const auto &suite : suites.all()) {
        if (!is_checked(*suite) || !suite->could_use(v)) continue;
        std::vector<Suite> copies(2, *suite);  // which are large for a stack
        Suite &tested = copies[0], &reference = copies[1];
        tested.remembered = reference.remembered = false;
        tested.forced = &v;
        reference.forced = nullptr;
        reference.pairs = reference.open_pairs = Family();
        Bytes key(suite->key_bytes), iv(suite->iv_bytes), in(4 * v.step);
        for (Bytes *bytes : {&key, &iv, &in}) scramble(bytes, bytes->size());
        for (const size_t length : {size_t(4 * v.step), size_t(3 * v.step + 16), size_t(v.need() + 15)}) {
            in.resize(length / 16 * 16);
            const uint64_t before = v.calls.sum();
            Sealed got, wanted;
            if (int error = run_one(reference, key, Bytes(), iv, Bytes(), in, suite->tag_max, &wanted)) return error;
            if (int error = run_one(tested, key, Bytes(), iv, Bytes(), in, suite->tag_max, &got)) return error;
            if (got.out != wanted.out || got.tag != wanted.tag || v.calls.sum() == before) return CST_ERR_SELFTEST;
        }
        return CST_OK;
    }
    return CST_ERR_UNSUPPORTED;
}

// Tests a kernel of whole messages, forced, against its suite without such kernels: others do the parts of a message.
int test_message_kernel(const Suites &suites, const Variant &v) {
    if (v.hash.algorithm && v.hash.algorithm->record.kind == ALGORITHM_CHECKSUM) return test_checksum_kernel(suites, v);
    for (const auto &suite : suites.all()) {
        for (const bool opens : {false, true}) {
            const bool listed = v.role == Role::list;
            const bool mac = v.hash.algorithm && !listed;  // its messages may have a longer IV, too
            const size_t aad_bytes = listed ? std::min<size_t>(20, v.jobs.most_aad) : 20;
            if (listed ? !suite->lists[opens].holds(&v)
                : mac  ? suite->construction != Construction::gcm
                       : suite->message[opens] != v.cipher.algorithm)
                continue;
            Suite tested = *suite, reference = *suite;
            tested.remembered = reference.remembered = false;
            tested.forced = &v;
            reference.forced = nullptr;
            for (Family &family : reference.messages) family = Family();
            for (Family &family : reference.lists) family = Family();
            for (Family &family : reference.lists_of_any_aad) family = Family();
            if (mac) tested.messages[false] = tested.messages[true] = Family();
            Bytes key(suite->key_bytes), mac_key(suite->mac_key_min), iv(suite->iv_bytes),
                aad(suite->aad_max ? aad_bytes : 0), in(v.message.head + 3 * v.step + 5);
            for (Bytes *bytes : {&key, &mac_key, &iv, &aad, &in}) scramble(bytes, bytes->size());
            const uint64_t before = v.calls.sum();
            std::vector<Bytes>
                between;  // keeps the places of those before: kernels of lists do not take what ends near a page's end
            do {
                in.resize(v.message.head + 3 * v.step + 5);
                for (Bytes *bytes : {&aad, &in}) {
                    Bytes copy(*bytes);
                    between.push_back(std::move(*bytes));
                    *bytes = std::move(copy);
                }
                for (const size_t length :
                     {in.size(), size_t(v.message.head + v.step), size_t(v.message.head + v.step - 1),
                      size_t(v.message.head + 17), size_t(v.message.least), size_t(0)}) {
                    const size_t bytes = length / suite->block_bytes * suite->block_bytes;
                    if (!v.takes_message(bytes) || bytes < suite->lengths.of(opens).min) continue;
                    in.resize(bytes);
                    Sealed got, wanted;
                    if (int error = run_one(tested, key, mac_key, iv, aad, in, suite->tag_max, &got)) return error;
                    if (int error = run_one(reference, key, mac_key, iv, aad, in, suite->tag_max, &wanted))
                        return error;
                    if (got.out != wanted.out || got.tag != wanted.tag) return CST_ERR_SELFTEST;
                }
            } while (v.calls.sum() == before && between.size() < 64);
            return v.calls.sum() > before ? CST_OK : CST_ERR_SELFTEST;
        }
    }
    return CST_ERR_UNSUPPORTED;
}

}  // namespace

size_t known_answers(const Suite &suite) {
    size_t n = 0;
    walk_answers(suite, [&](const AnswerRecord &) {
        n++;
        return int(CST_OK);
    });
    return n;
}

int selftest(const Engine &engine, const Suites &suites, const char *glob,
             void (*each)(const char *name, int result, void *arg), void *arg) {
    int first = CST_OK;
    bool any = false;
    auto report = [&](const char *name, int result) {
        any = true;
        if (each) each(name, result, arg);
        if (first == CST_OK && result != CST_ERR_UNSUPPORTED && result != CST_ERR_JIT) first = result;
    };
    for (const auto &suite : suites.all())
        if (suite->named && matches_glob(glob, suite->name.c_str()))
            report(suite->name.c_str(), test_suite(suites, *suite));
    for (const auto &variant : engine.variants())
        if (matches_glob(glob, variant->name))
            // Known answers of its suites test a key schedule.
            report(variant->name, !variant->runnable || variant->role == Role::schedule ? CST_ERR_UNSUPPORTED
                                  : variant->role == Role::message || variant->role == Role::list
                                      ? test_message_kernel(suites, *variant)
                                  : variant->role == Role::checked    ? test_checked_kernel(suites, *variant)
                                  : variant->role == Role::codec      ? test_codec_kernel(engine, *variant)
                                  : variant->role == Role::arithmetic ? test_arithmetic_kernel(engine, suites, *variant)
                                  : runs_in_suites_alone(*variant)    ? test_in_suites(suites, *variant)
                                                                      : test_kernel(engine, *variant));
    return any ? first : CST_ERR_NAME;
}

}  // namespace cst
