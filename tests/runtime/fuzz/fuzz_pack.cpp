// A pack of an application: opened as a foreign and as a built-in one, every record read, every kernel assembled,
// nothing run. CRC and size are mended after each mutation, else nothing would get past the first check. With
// CRYPTOSTITCH_FUZZ_SEEDED set, one byte behind a pack that was accepted is read: that must be found.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "code/frame.hpp"
#include "code/pack.hpp"

#ifdef __clang__
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

uint32_t crc32(const uint8_t *data, size_t n) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
    }
    return ~crc;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned) {
    size = LLVMFuzzerMutate(data, size, most);
    if (size < 24) return size;
    const uint32_t whole = uint32_t(size), crc = crc32(data + 24, size - 24);
    std::memcpy(data + 12, &whole, 4);
    std::memcpy(data + 16, &crc, 4);
    return size;
}
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const bool seeded = std::getenv("CRYPTOSTITCH_FUZZ_SEEDED") != nullptr;
    std::unique_ptr<uint8_t[]> exact(new uint8_t[size ? size : 1]);  // so that a sanitizer sees the first byte too many
    if (size) std::memcpy(exact.get(), data, size);
    for (cst::Origin origin : {cst::Origin::foreign, cst::Origin::built_in}) {
        cst::Pack pack;
        if (pack.open(exact.get(), size, origin) != 0) continue;
        if (seeded && origin == cst::Origin::foreign) (void)*static_cast<volatile uint8_t *>(&exact[size]);
        std::vector<uint8_t> code;
        for (uint32_t i = 0; i < pack.n_kernels() && i < 16; i++) {
            const int error = cst::build_kernel(pack, i, cst::Abi::sysv, &code);
            // what the checks let through must have a form
            if (origin == cst::Origin::foreign && error != 0) std::abort();
        }
        cst::CostRecord cost;
        cst::AlgorithmRecord algorithm;
        cst::ProgramRecord program;
        for (uint32_t i = 0; i < pack.n_costs() && i < 16; i++) pack.cost(i, &cost);
        for (uint32_t i = 0; i < pack.n_algorithms() && i < 16; i++) pack.algorithm(i, &algorithm);
        for (uint32_t i = 0; i < pack.n_programs() && i < 16; i++) pack.program(i, &program);
    }
    return 0;
}
