// The code layer (runtime/code) with kernels in portable C++: same records, same state blocks, same lag, no machine
// code. Linked with the real upper layers it gives a library to test those without the generator, and an oracle for the
// real one.

#include <functional>
#include <string>

#include "code/cache.hpp"
#include "code/signature.hpp"
#include "cryptostitch/cryptostitch.h"
#include "primitives.hpp"

extern "C" {
extern const uint8_t cst_default_pack[4], cst_default_pack_end[1];
const uint8_t cst_default_pack[4] = {}, cst_default_pack_end[1] = {};
}

namespace cst {
namespace {

struct MockProgram {
    std::string stream, name, features;
    ProgramRecord record{};
    std::vector<std::vector<uint16_t>> offsets;
};
struct MockKernel {
    std::string name, target, features;
    std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> streams;  // program, (ratio, lag)
};
struct World {
    std::vector<AlgorithmRecord> algorithms;
    std::vector<std::string> texts;
    std::vector<std::unique_ptr<MockProgram>> programs;
    std::vector<std::unique_ptr<MockKernel>> kernels;
    World();
    uint32_t program(const char *algorithm, uint32_t lanes, uint32_t flags, uint32_t bytes, const char *features);
    void kernel(std::string name, const char *target, const char *features,
                std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> streams);
};
World &world() {
    static World w;
    return w;
}

uint32_t algorithm_index(const World &w, const char *name) {
    for (uint32_t i = 0; i < w.algorithms.size(); i++)
        if (!strcmp(w.algorithms[i].name, name)) return i;
    abort();
}

uint32_t World::program(const char *algorithm, uint32_t lanes, uint32_t flags, uint32_t bytes, const char *features) {
    auto p = std::make_unique<MockProgram>();
    const AlgorithmRecord &a = algorithms[algorithm_index(*this, algorithm)];
    const bool hash = a.kind == ALGORITHM_HASH;
    p->stream = std::string(algorithm) + "_x" + std::to_string(lanes) + (flags & PROGRAM_BY1 ? "_by1" : "") +
                (flags & PROGRAM_SHARED_KEY ? "_1key" : "") + (flags & PROGRAM_HAND ? "_hand" : "");
    p->name = p->stream + "@mock#0";
    p->features = features;
    ProgramRecord &r = p->record;
    r.algorithm = algorithm_index(*this, algorithm);
    r.lanes = lanes;
    r.bytes = bytes;
    r.flags = flags | PROGRAM_READS_INPUT;
    r.n_body = hash ? 800 : 400;
    r.n_enter = r.n_leave = 20;
    uint32_t at = 0;
    auto field = [&](const char *name, uint32_t rows, uint32_t entry, uint32_t n, uint32_t field_flags) {
        std::vector<uint16_t> lane;
        for (uint32_t i = 0; i < n; i++) lane.push_back(uint16_t(entry * i));
        p->offsets.push_back(lane);
        const uint32_t row_bytes = (entry * n + 63) / 64 * 64;
        r.fields.push_back({name, at, rows, row_bytes, entry, field_flags, 0, n, p->offsets.back().data()});
        at += rows * row_bytes;
    };
    p->offsets.reserve(8);
    if (!(hash && (flags & PROGRAM_HAND))) field("in", 1, 8, lanes, 0);
    if (!hash) field("out", 1, 8, lanes, 0);
    field("chain", hash ? a.words : 1, hash ? a.word_bytes : 16, lanes, FIELD_SECRET);
    if (!hash)
        field("key", a.rounds + 1, 16, flags & PROGRAM_SHARED_KEY ? 4 : lanes,
              flags & PROGRAM_SHARED_KEY ? FIELD_SECRET | FIELD_SHARED : uint32_t(FIELD_SECRET));
    if (flags & PROGRAM_HAND) field(hash ? "from" : "hand", hash ? 1 : 2, hash ? 8 : 64, hash ? 1 : lanes, 0);
    r.state_bytes = at;
    r.state_align = 64;
    programs.push_back(std::move(p));
    return uint32_t(programs.size() - 1);
}

void World::kernel(std::string name, const char *target, const char *features,
                   std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> streams) {
    auto k = std::make_unique<MockKernel>();
    k->name = name + "@" + target;
    k->target = target;
    k->features = features;
    k->streams = streams;
    kernels.push_back(std::move(k));
}

World::World() {
    texts.reserve(64);
    auto hash = [&](const char *name, uint32_t block, uint32_t word, uint32_t words, uint32_t digest, uint32_t flags,
                    std::vector<uint64_t> initial, uint32_t base = 0) {
        AlgorithmRecord a = {};
        a.name = a.suite = name;
        a.cipher = "";
        a.kind = ALGORITHM_HASH;
        a.block_bytes = a.input_bytes = block;
        a.word_bytes = word;
        a.words = words;
        a.digest_bytes = digest;
        a.flags = flags | ALGORITHM_HMAC;
        a.length_bytes = block / 8;
        a.base = base;
        for (size_t i = 0; i < initial.size(); i++) a.initial[i] = initial[i];
        algorithms.push_back(a);
    };
    const std::vector<uint64_t> md = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    hash("sha1", 64, 4, 5, 20, ALGORITHM_BIG_ENDIAN, md);
    hash("md5", 64, 4, 4, 16, 0, {md.begin(), md.begin() + 4});
    const std::vector<uint64_t> sha2 = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    std::vector<uint64_t> high;
    for (uint64_t v : sha2) high.push_back(v >> 32);
    hash("sha256", 64, 4, 8, 32, ALGORITHM_BIG_ENDIAN, high);
    hash("sha512", 128, 8, 8, 64, ALGORITHM_BIG_ENDIAN, sha2);
    const uint32_t sha512 = uint32_t(algorithms.size());  // index + 1
    hash("sha384", 128, 8, 8, 48, ALGORITHM_BIG_ENDIAN,
         {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31,
          0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4},
         sha512);
    hash("sha512_256", 128, 8, 8, 32, ALGORITHM_BIG_ENDIAN,
         {0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd, 0x96283ee2a88effe3,
          0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2},
         sha512);
    for (uint32_t key : {16, 24, 32}) {
        const std::string bits = std::to_string(8 * key);
        texts.push_back("aes" + bits + "_cbc_enc");
        texts.push_back("aes" + bits + "_cbc_dec");
        texts.push_back("aes-" + bits + "-cbc");
        texts.push_back("aes-" + bits);
        const std::string *t = &texts[texts.size() - 4];
        for (uint32_t i = 0; i < 2; i++) {
            AlgorithmRecord a = {};
            a.name = t[i].c_str();
            a.suite = t[2].c_str();
            a.cipher = t[3].c_str();
            a.kind = ALGORITHM_CIPHER_ENC + i;
            a.block_bytes = a.iv_bytes = 16;
            a.key_bytes = key;
            a.rounds = 6 + key / 4;
            algorithms.push_back(a);
        }
    }
    const char *wide = "avx512f";
    for (const char *h : {"sha1", "md5", "sha256", "sha512"}) {
        const uint32_t block = strcmp(h, "sha512") ? 64 : 128;
        const uint32_t x16 = program(h, 16, 0, block, wide), x1 = program(h, 1, 0, block, ""),
                       x4 = program(h, 4, 0, block, "ssse3");
        const uint32_t hand = program(h, 16, PROGRAM_HAND, block, wide);
        const std::string n = h;
        kernel(n + "_x16", "avx512", wide, {{x16, {1, 0}}});
        kernel(n + "_x32", "avx512", wide, {{x16, {1, 0}}, {x16, {1, 0}}});
        kernel(n + "_x1", "scalar", "", {{x1, {1, 0}}});
        kernel(n + "_x4", "sse", "ssse3", {{x4, {1, 0}}});
        for (const char *bits : {"128", "192", "256"}) {
            const std::string cipher = std::string("aes") + bits + "_cbc_enc";
            const char *c = cipher.c_str();
            const uint32_t ratio = block / 64;
            const uint32_t own = program(c, 16, 0, 64, wide), one = program(c, 1, 0, 64, "aes"),
                           by1 = program(c, 1, PROGRAM_BY1, 16, "aes");
            const uint32_t own_hand = program(c, 16, PROGRAM_HAND, 64, wide),
                           key_hand = program(c, 16, PROGRAM_HAND | PROGRAM_SHARED_KEY, 64, wide);
            kernel(cipher + "_x16+" + n + "_x16", "avx512_vaes", wide, {{own, {ratio, 0}}, {x16, {1, 1}}});
            kernel(cipher + "_x1+" + n + "_x1", "sse_aesni", "aes", {{one, {ratio, 0}}, {x1, {1, 1}}});
            kernel(cipher + "_x1_by1+" + n + "_x1", "sse_aesni", "aes", {{by1, {4 * ratio, 0}}, {x1, {1, 1}}});
            if (ratio > 1) continue;
            kernel(cipher + "_x16_hand+" + n + "_x16_hand", "avx512_vaes", wide, {{own_hand, {1, 0}}, {hand, {1, 1}}});
            kernel(cipher + "_x32_1key_hand+" + n + "_x32_hand", "avx512_vaes", wide,
                   {{key_hand, {1, 0}}, {key_hand, {1, 0}}, {hand, {1, 1}}, {hand, {1, 1}}});
            const std::string opener = std::string("aes") + bits + "_cbc_dec";
            const char *d = opener.c_str();
            const uint32_t dec = program(d, 1, 0, 64, "aes"), wide_dec = program(d, 16, 0, 64, wide),
                           hand_dec = program(d, 16, PROGRAM_HAND, 64, wide);
            kernel(opener + "_x1+" + n + "_x1", "sse_aesni", "aes", {{dec, {1, 0}}, {x1, {1, 0}}});
            kernel(opener + "_x16+" + n + "_x16", "avx512_vaes", wide, {{wide_dec, {1, 0}}, {x16, {1, 0}}});
            kernel(opener + "_x16_hand+" + n + "_x16_hand", "avx512_vaes", wide, {{hand_dec, {1, 0}}, {hand, {1, 1}}});
        }
    }
    for (const char *bits : {"128", "192", "256"}) {
        const std::string e = std::string("aes") + bits + "_cbc_enc", d = std::string("aes") + bits + "_cbc_dec";
        auto single = [&](const std::string &algorithm, uint32_t lanes, uint32_t flags, const char *features) {
            const uint32_t p = program(algorithm.c_str(), lanes, flags, flags & PROGRAM_BY1 ? 16 : 64, features);
            kernel(programs[p]->stream, lanes > 1 ? "avx512_vaes" : "sse_aesni", features, {{p, {1, 0}}});
            return p;
        };
        single(e, 16, 0, wide);
        const uint32_t shared = single(e, 16, PROGRAM_SHARED_KEY, wide);
        kernel(e + "_x32_1key", "avx512_vaes", wide, {{shared, {1, 0}}, {shared, {1, 0}}});
        single(e, 16, PROGRAM_BY1, wide);
        single(e, 1, 0, "aes");
        single(e, 1, PROGRAM_BY1, "aes");
        single(d, 1, 0, "aes");
        single(d, 1, PROGRAM_BY1, "aes");
    }
}

const uint8_t *pointer(const uint8_t *at) {
    const uint8_t *p;
    memcpy(&p, at, 8);
    return p;
}

void run_cipher(const AlgorithmRecord &a, const ProgramRecord &r, uint8_t *state, uint64_t body) {
    const FieldRecord *in = r.field("in"), *out = r.field("out"), *chain = r.field("chain"), *key = r.field("key"),
                      *hand = r.field("hand");
    for (uint32_t lane = 0; lane < r.lanes; lane++) {
        const uint8_t *src = pointer(state + in->offset + in->lane_offsets[lane]) + body * r.bytes;
        uint8_t *dst = const_cast<uint8_t *>(pointer(state + out->offset + out->lane_offsets[lane])) + body * r.bytes;
        uint8_t *c = state + chain->offset + chain->lane_offsets[lane];
        uint8_t keys[15][16];
        const uint32_t column = key->flags & FIELD_SHARED ? lane % key->n_lanes : lane;
        for (uint32_t row = 0; row <= a.rounds; row++)
            memcpy(keys[row], state + key->offset + row * key->row_bytes + key->lane_offsets[column], 16);
        for (uint32_t at = 0; at < r.bytes; at += 16) {
            uint8_t block[16], next[16];
            memcpy(block, src + at, 16);
            memcpy(next, block, 16);
            if (a.kind == ALGORITHM_CIPHER_ENC) {
                for (int i = 0; i < 16; i++) block[i] ^= c[i];
                mock::aes_encrypt(keys, int(a.rounds), block);
                memcpy(next, block, 16);
            } else {
                mock::aes_decrypt(keys, int(a.rounds), block);
                for (int i = 0; i < 16; i++) block[i] ^= c[i];
            }
            memcpy(c, next, 16);
            memcpy(dst + at, block, 16);
            if (hand)
                memcpy(state + hand->offset + (body & 1) * hand->row_bytes + hand->lane_offsets[lane] + at, next, 16);
        }
    }
}

void run_hash(const AlgorithmRecord &a, const ProgramRecord &r, uint8_t *state, uint64_t body) {
    const FieldRecord *in = r.field("in"), *chain = r.field("chain"), *from = r.field("from");
    for (uint32_t lane = 0; lane < r.lanes; lane++) {
        const uint8_t *src = from ? pointer(state + from->offset) + (body & 1) * r.lanes * 64 + lane * 64
                                  : pointer(state + in->offset + in->lane_offsets[lane]) + body * r.bytes;
        uint64_t h[8] = {};
        uint8_t *c = state + chain->offset + chain->lane_offsets[lane];
        for (uint32_t i = 0; i < a.words; i++) memcpy(&h[i], c + i * chain->row_bytes, a.word_bytes);
        for (uint32_t at = 0; at < r.bytes; at += a.block_bytes) {
            if (!strcmp(a.name, "sha1")) mock::sha1(h, src + at);
            if (!strcmp(a.name, "md5")) mock::md5(h, src + at);
            if (!strcmp(a.name, "sha256")) mock::sha256(h, src + at);
            if (!strcmp(a.name, "sha512")) mock::sha512(h, src + at);
        }
        for (uint32_t i = 0; i < a.words; i++) memcpy(c + i * chain->row_bytes, &h[i], a.word_bytes);
    }
}

// As the frame does it; within one step the hash goes first, which is the worst that a weave can do to it where it
// reads what the cipher wrote, and last where it reads what is decrypted, perhaps in place.
template <size_t index>
void run_kernel(const cst_kernel_args *args) {
    const MockKernel &k = *world().kernels[index];
    uint32_t lag = 0;
    for (const auto &s : k.streams) lag = s.second.second > lag ? s.second.second : lag;
    if (args->iterations <= lag) abort();
    for (uint64_t step = 0; step < args->iterations + lag; step++)
        for (size_t n = k.streams.size(), j = 0; j < n; j++) {
            const bool opens =
                world().algorithms[world().programs[k.streams[0].first]->record.algorithm].kind == ALGORITHM_CIPHER_DEC;
            const size_t i = opens ? j : n - 1 - j;
            const auto &s = k.streams[i];
            if (step < s.second.second || step - s.second.second >= args->iterations) continue;
            const ProgramRecord &r = world().programs[s.first]->record;
            const AlgorithmRecord &a = world().algorithms[r.algorithm];
            for (uint32_t b = 0; b < s.second.first; b++) {
                const uint64_t body = (step - s.second.second) * s.second.first + b;
                (a.kind == ALGORITHM_HASH ? run_hash : run_cipher)(a, r, static_cast<uint8_t *>(args->state[i]), body);
            }
        }
}

constexpr size_t kMost = 256;
template <size_t... index>
void fill_functions(cst_kernel_fn *out, std::index_sequence<index...>) {
    ((out[index] = run_kernel<index>), ...);
}

}  // namespace

const FieldRecord *ProgramRecord::field(const char *field_name) const {
    for (const FieldRecord &f : fields)
        if (!strcmp(f.name, field_name)) return &f;
    return nullptr;
}

int Pack::open(const void *, size_t, Origin origin) {
    if (origin == Origin::foreign) return CST_ERR_PACK;
    algorithms_.count = uint32_t(world().algorithms.size());
    programs_.count = uint32_t(world().programs.size());
    kernels_.count = uint32_t(world().kernels.size());
    if (world().kernels.size() > kMost) abort();
    return CST_OK;
}
int Pack::algorithm(uint32_t index, AlgorithmRecord *out, const char **) const {
    return *out = world().algorithms[index], CST_OK;
}
int Pack::program(uint32_t index, ProgramRecord *out) const {
    MockProgram &p = *world().programs[index];
    p.record.stream = p.stream.c_str();
    p.record.name = p.name.c_str();
    p.record.features = p.features.c_str();
    return *out = p.record, CST_OK;
}
int Pack::kernel(uint32_t index, KernelRecord *out) const {
    const MockKernel &k = *world().kernels[index];
    *out = {k.name.c_str(), k.target.c_str(), k.features.c_str(), 0, KERNEL_STATIC, uint32_t(k.streams.size()), {}};
    for (size_t i = 0; i < k.streams.size(); i++)
        out->streams[i] = {k.streams[i].first, k.streams[i].second.first, 0, k.streams[i].second.second};
    return CST_OK;
}
int Pack::cost(uint32_t, CostRecord *) const { return CST_ERR_PACK; }
int Pack::answer(uint32_t, AnswerRecord *) const { return CST_ERR_PACK; }

static int describe(const Pack *pack, uint32_t index, Kernel *out) {
    const MockKernel &k = *world().kernels[index];
    out->pack = pack;
    out->index = index;
    out->name = k.name.c_str();
    out->target = k.target.c_str();
    out->features = k.features.c_str();
    out->origin = KernelOrigin::static_object;
    out->fn = nullptr;
    out->code = nullptr;
    out->code_bytes = 0;
    out->assembled_ns = 0;
    out->lag = 0;
    for (const auto &s : k.streams) {
        ProgramRecord program;
        pack->program(s.first, &program);
        out->streams.push_back({program, world().algorithms[program.algorithm], s.second.first, 0, s.second.second});
        if (s.second.second > out->lag) out->lag = s.second.second;
    }
    return CST_OK;
}

Cache::~Cache() {
    for (auto &slots : slots_)
        for (size_t i = 0; i < world().kernels.size(); i++) delete slots[i].load();
}
int Cache::add(const Pack *pack) {
    packs_.push_back(pack);
    slots_.emplace_back(new Slot[kMost]());
    return CST_OK;
}
bool Cache::obtainable(const char *) const { return true; }
int Cache::get(const Pack *pack, uint32_t index, const Kernel **out) {
    static cst_kernel_fn functions[kMost];
    if (!functions[0]) fill_functions(functions, std::make_index_sequence<kMost>());
    auto kernel = std::make_unique<Kernel>();
    describe(pack, index, kernel.get());
    kernel->fn = functions[index];
    const Kernel *expected = nullptr;
    if (slots_[0][index].compare_exchange_strong(expected, kernel.get())) expected = kernel.release();
    *out = expected;
    return CST_OK;
}

int take_signature(const uint8_t *, size_t *, const uint8_t *, std::string *) { return CST_OK; }

}  // namespace cst
