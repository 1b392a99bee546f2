// Gives the reader every truncation of a pack, and every aligned word and every byte replaced by extremes (with the CRC
// mended, so that the checks behind it are reached), and assembles whatever still opens; what the checks of foreign
// packs accept is run. Wants no crash; prints how many were accepted.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "code/frame.hpp"
#include "code/pack.hpp"
#include "run_accepted.hpp"

using Bytes = std::vector<uint8_t>;

static void put32(Bytes &b, size_t at, uint32_t v) { std::memcpy(&b[at], &v, 4); }

static uint32_t get32(const Bytes &b, size_t at) {
    uint32_t v;
    std::memcpy(&v, &b[at], 4);
    return v;
}

static uint32_t crc32(const uint8_t *data, size_t n) {
    static uint32_t table[256];
    if (table[1] == 0)
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
            table[i] = c;
        }
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) crc = table[(crc ^ data[i]) & 0xff] ^ (crc >> 8);
    return ~crc;
}

static size_t accepted = 0, tried = 0;
static AcceptedRuns runs;

static int ended() {
    const bool sound = runs.run();
    std::printf("%zu packs tried, %zu accepted, %zu kernels run, %zu not\n", tried, accepted, runs.done, runs.left_out);
    return sound ? 0 : 1;
}

// In a block of its own, so that a sanitizer or guard page sees the first byte too many.
static void attempt(const Bytes &bytes, bool mend_crc) {
    std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size() ? bytes.size() : 1]);
    if (!bytes.empty()) std::memcpy(exact.get(), bytes.data(), bytes.size());
    if (mend_crc && bytes.size() >= 24) {
        uint32_t crc = crc32(exact.get() + 24, bytes.size() - 24);
        std::memcpy(exact.get() + 16, &crc, 4);
    }
    tried++;
    for (cst::Origin origin : {cst::Origin::foreign, cst::Origin::built_in}) {
        cst::Pack pack;
        if (pack.open(exact.get(), bytes.size(), origin) != 0) continue;
        if (origin == cst::Origin::foreign) accepted++;
        for (uint32_t i = 0; i < pack.n_kernels() && i < 16; i++) {
            Bytes code;
            if (cst::build_kernel(pack, i, cst::Abi::sysv, &code) == 0 && origin == cst::Origin::foreign)
                runs.add(pack, i, code);
        }
        cst::CostRecord cost;
        cst::AlgorithmRecord algorithm;
        for (uint32_t i = 0; i < pack.n_costs() && i < 16; i++) pack.cost(i, &cost);
        for (uint32_t i = 0; i < pack.n_algorithms() && i < 16; i++) pack.algorithm(i, &algorithm);
    }
}

// `cst-pack-damage --each FILE`: packs one after the other, each behind its size in four bytes.
static int attempt_each(const char *path) {
    std::ifstream file(path, std::ios::binary);
    uint32_t size;
    while (file.read(reinterpret_cast<char *>(&size), 4)) {
        Bytes pack(size);
        file.read(reinterpret_cast<char *>(pack.data()), size);
        attempt(pack, false);
    }
    return ended();
}

// `cst-pack-damage --unchecked FILE`: runs the kernels of a pack that nothing has judged.
static int run_unchecked(const char *path) {
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    cst::Pack pack;
    if (pack.open(bytes.data(), bytes.size(), cst::Origin::built_in) != 0) return 2;
    for (uint32_t i = 0; i < pack.n_kernels(); i++) {
        Bytes code;
        if (cst::build_kernel(pack, i, cst::Abi::sysv, &code) == 0) runs.add(pack, i, code);
    }
    return ended();
}

int main(int argc, char **argv) {
    if (argc == 3 && !std::strcmp(argv[1], "--unchecked")) return run_unchecked(argv[2]);
    if (argc == 3 && !std::strcmp(argv[1], "--each")) return attempt_each(argv[2]);
    if (argc != 2) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    Bytes good((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    attempt(good, false);
    if (accepted != 1) {
        std::puts("the undamaged pack is refused");
        return 1;
    }
    for (size_t n = 0; n < good.size(); n++) {
        Bytes cut(good.begin(), good.begin() + long(n));
        attempt(cut, false);
        if (n >= 16) {
            put32(cut, 12, uint32_t(n));
            attempt(cut, true);
        }
    }
    if (accepted != 1) {
        std::printf("%zu truncated packs were accepted\n", accepted - 1);
        return 1;
    }
    for (size_t at = 0; at + 4 <= good.size(); at += 4) {
        uint32_t v = get32(good, at), size = uint32_t(good.size());
        for (uint32_t extreme : {0u, 1u, v + 1, v - 1, v + 4, v * 2, size, size - 1, size - 4, 0x7fffffffu, 0x80000000u,
                                 0xfffffffcu, 0xffffffffu}) {
            Bytes bad = good;
            put32(bad, at, extreme);
            attempt(bad, true);
        }
    }
    for (size_t at = 96; at < good.size(); at++)
        for (uint8_t extreme : {0x00, 0x01, 0x1f, 0x7f, 0x80, 0xff}) {
            Bytes bad = good;
            bad[at] = extreme;
            attempt(bad, true);
        }
    return ended();
}
