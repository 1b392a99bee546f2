// Calls every kernel of a pack that this CPU can run, under both calling conventions, with a pattern in every register,
// and wants afterwards: callee-saved registers as they were; every other register either as it was or zero (nothing
// left behind). Before that it proves itself on functions that break each rule. `cst-abi-probe PACK [KERNEL...]`
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "code/bind.hpp"
#include "code/codemem.hpp"
#include "code/frame.hpp"
#include "code/pack.hpp"
#include "cryptostitch/cryptostitch.h"

using namespace cst;

struct Registers {
    uint64_t general[16];
    uint8_t vector[32][64];
    uint64_t mask[8];
};
extern "C" void cst_probe(const void *fn, const Registers *before, Registers *after, uint64_t level);

static bool has(const std::string &feature) {
#define CPU_HAS(name, gcc) \
    if (feature == name) return __builtin_cpu_supports(gcc)
    CPU_HAS("aes", "aes");
    CPU_HAS("pclmul", "pclmul");
    CPU_HAS("ssse3", "ssse3");
    CPU_HAS("sse4.1", "sse4.1");
    CPU_HAS("bmi1", "bmi");
    CPU_HAS("bmi2", "bmi2");
    CPU_HAS("avx", "avx");
    CPU_HAS("avx2", "avx2");
    CPU_HAS("avx512f", "avx512f");
    CPU_HAS("avx512bw", "avx512bw");
    CPU_HAS("avx512vl", "avx512vl");
    CPU_HAS("avx512dq", "avx512dq");
    CPU_HAS("vaes", "vaes");
    CPU_HAS("vpclmulqdq", "vpclmulqdq");
    CPU_HAS("gfni", "gfni");
    if (feature == "sha") {
        unsigned a = 7, b = 0, c = 0, d = 0;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        return b >> 29 & 1;
    }
    return false;  // unknown: the kernel is skipped, and counted
}

static bool can_run(const char *features) {
    std::string text = features, part;
    for (char c : text + ",") {
        if (c != ',') part += c;
        else if (!part.empty() && !has(part)) return false;
        else part.clear();
    }
    return true;
}

static uint64_t level() { return has("avx512bw") && has("avx512vl") ? 2 : has("avx2") ? 1 : 0; }

static bool zero_or_same(const uint8_t *after, const uint8_t *before) {
    static const uint8_t zero[16] = {};
    return std::memcmp(after, zero, 16) == 0 || std::memcmp(after, before, 16) == 0;
}

// Empty when the function keeps the rules, else the register that broke them.
static std::string probe(const void *fn, const cst_kernel_args *args, Abi abi) {
    const AbiInfo &info = abi_info(abi);
    Registers before, after;
    uint8_t *bytes = reinterpret_cast<uint8_t *>(&before);
    for (size_t i = 0; i < sizeof before; i++) bytes[i] = uint8_t(0x80 | std::rand());
    before.general[info.args] = reinterpret_cast<uint64_t>(args);
    std::memcpy(&after, &before, sizeof after);
    cst_probe(fn, &before, &after, level());
    for (int g = 0; g < 16; g++) {
        if (g == RSP || after.general[g] == before.general[g]) continue;
        if (info.saves_general(uint8_t(g)) || after.general[g] != 0) return "general register " + std::to_string(g);
    }
    for (int v = 0; v < 32; v++)
        for (int chunk = 0; chunk < 4; chunk++) {
            const uint8_t *was = before.vector[v] + 16 * chunk, *is = after.vector[v] + 16 * chunk;
            bool saved = chunk == 0 && v >= info.saved_vectors_begin && v < info.saved_vectors_end;
            if (saved ? std::memcmp(was, is, 16) != 0 : !zero_or_same(is, was))
                return "vector register " + std::to_string(v);
        }
    for (int k = 1; k < 8; k++)
        if (after.mask[k] != 0 && after.mask[k] != before.mask[k]) return "mask register " + std::to_string(k);
    return "";
}

// State blocks whose pointers lead to real buffers, filled with noise.
struct Memory {
    std::vector<void *> blocks;
    ~Memory() {
        for (void *block : blocks) std::free(block);
    }
    uint8_t *get(size_t size, size_t align) {
        auto *block = static_cast<uint8_t *>(std::aligned_alloc(align, (size + align - 1) / align * align));
        for (size_t i = 0; i < size; i++) block[i] = uint8_t(std::rand());
        blocks.push_back(block);
        return block;
    }
};

static void put_pointer(uint8_t *at, const void *pointer) { std::memcpy(at, &pointer, sizeof pointer); }

static int run_kernel(const Pack &pack, uint32_t index, const KernelRecord &kernel, Abi abi) {
    Memory memory;
    cst_kernel_args args = {3, {}};
    std::vector<ProgramRecord> programs(kernel.n_streams);
    std::vector<const uint8_t *> hands;
    for (uint32_t i = 0; i < kernel.n_streams; i++) args.iterations += kernel.streams[i].lag;
    for (uint32_t i = 0; i < kernel.n_streams; i++) {
        ProgramRecord &p = programs[i];
        if (int error = pack.program(kernel.streams[i].program, &p)) return error;
        uint8_t *state = memory.get(p.state_bytes, p.state_align);
        args.state[i] = state;
        for (const char *name : {"in", "out"})
            if (const FieldRecord *f = p.field(name))
                for (uint32_t lane = 0; lane < f->n_lanes; lane++)
                    put_pointer(state + f->offset + f->lane_offsets[lane],
                                memory.get(p.bytes * kernel.streams[i].ratio * args.iterations, 64));
        if (const FieldRecord *hand = p.field("hand")) hands.push_back(state + hand->offset);
    }
    size_t next = 0;
    for (uint32_t i = 0; i < kernel.n_streams; i++)
        if (const FieldRecord *from = programs[i].field("from")) {
            if (hands.empty()) hands.push_back(memory.get(4096, 64));
            put_pointer(static_cast<uint8_t *>(args.state[i]) + from->offset, hands[next++ % hands.size()]);
        }
    std::vector<uint8_t> code;
    CodePages pages;
    if (int error = build_kernel(pack, index, abi, &code)) return error;
    if (int error = publish_code(code.data(), code.size(), &pages)) return error;
    std::string broken = probe(pages.base, &args, abi);
    release_code(&pages);
    if (broken.empty()) return 0;
    std::printf("%s (%s): %s\n", kernel.name, abi == Abi::sysv ? "sysv" : "win64", broken.c_str());
    return 1;
}

// Each function breaks one rule; the last one keeps them all.
static bool probe_sees_faults() {
    struct {
        std::vector<uint8_t> code;
        Abi abi;
        const char *broken;
    } samples[] = {
        {{0x48, 0xff, 0xc3, 0xc3}, Abi::sysv, "general register 3"},  // inc rbx
        {{0x49, 0xff, 0xc7, 0xc3}, Abi::sysv, "general register 15"},  // inc r15
        {{0x48, 0xff, 0xc6, 0xc3}, Abi::win64, "general register 6"},  // inc rsi
        {{0x31, 0xff, 0xc3}, Abi::win64, "general register 7"},  // xor edi, edi
        {{0xb8, 1, 2, 3, 4, 0xc3}, Abi::sysv, "general register 0"},  // mov eax, imm: left behind
        {{0x66, 0x0f, 0x76, 0xc9, 0xc3}, Abi::sysv, "vector register 1"},  // pcmpeqd xmm1, xmm1
        {{0x66, 0x0f, 0xef, 0xf6, 0xc3}, Abi::win64, "vector register 6"},  // pxor xmm6, xmm6
        {{0x66, 0x45, 0x0f, 0xef, 0xff, 0xc3}, Abi::win64, "vector register 15"},  // pxor xmm15, xmm15
        {{0x62, 0xa3, 0x7d, 0x40, 0x25, 0xc0, 0xff, 0xc3},
         Abi::sysv,
         "vector register 16"},  // vpternlogd zmm16, zmm16, zmm16, 255
        {{0xc4, 0xe1, 0xf4, 0x46, 0xd1, 0xc3}, Abi::sysv, "mask register 2"},  // kxnorq k2, k1, k1
        {{0x66, 0x0f, 0xef, 0xf6, 0x31, 0xff, 0xc3}, Abi::sysv, ""},  // pxor xmm6, xmm6; xor edi, edi
    };
    cst_kernel_args args = {1, {}};
    bool good = true;
    for (auto &sample : samples) {
        bool wide = sample.code[0] == 0x62 || sample.code[0] == 0xc4;
        if (wide && level() < 2) continue;
        CodePages pages;
        if (publish_code(sample.code.data(), sample.code.size(), &pages) != CST_OK) return false;
        std::string broken = probe(pages.base, &args, sample.abi);
        release_code(&pages);
        if (broken == sample.broken) continue;
        std::printf("the probe says '%s' where '%s' was broken\n", broken.c_str(), sample.broken);
        good = false;
    }
    return good;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    if (!probe_sees_faults()) return 1;
    std::ifstream file(argv[1], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Pack pack;
    if (pack.open(bytes.data(), bytes.size(), Origin::built_in) != CST_OK) return 1;
    uint32_t probed = 0, skipped = 0, failed = 0;
    for (uint32_t i = 0; i < pack.n_kernels(); i++) {
        KernelRecord kernel;
        if (pack.kernel(i, &kernel) != CST_OK) return 1;
        bool wanted = argc == 2;
        for (int a = 2; a < argc; a++) wanted = wanted || !std::strcmp(argv[a], kernel.name);
        if (!wanted) continue;
        if (!can_run(kernel.features)) {
            skipped++;
            continue;
        }
        probed++;
        for (Abi abi : {Abi::sysv, Abi::win64}) failed += run_kernel(pack, i, kernel, abi) != 0;
    }
    std::printf("%u probed, %u skipped, %u failed\n", probed, skipped, failed);
    return failed != 0;
}
