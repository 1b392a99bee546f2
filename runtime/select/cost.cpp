#include "cost.hpp"

#include <algorithm>
#include <cstring>

namespace cst {
namespace {

// Between what small and large cores reach; only the order of the results matters. Vectors of 512 bits have half the
// units of narrower ones, or take two turns in them, and all vectors wait longer for one another than general registers
// do.
constexpr double kPerCycle = 4.0;         // instructions of a kernel with enough independent work
constexpr double kWidePerCycle = 2.2;     // of its AVX-512 streams
constexpr double kWideChained = 1.9;      // of one hash alone on AVX-512: its rounds depend on one another
constexpr double kAesRound = 4.0;              // latency of aesenc
constexpr double kDesRound = 14.0;             // of streams/des.j2: a lookup, two merges, two products, one sum
constexpr double kShaNiPerByte = 2.0;          // latency of sha1rnds4, sha256rnds2
constexpr double kCall = 60.0;

// Eight bytes at a time: all programs of the default pack in a few milliseconds.
struct Digest {
    uint64_t value = 0x9ae16a3b2f90404fu;

    void add(uint64_t word) {
        value = (value ^ word) * 0x9e3779b97f4a7c15u;
        value ^= value >> 32;
    }
    void add(const uint8_t *bytes, size_t n) {
        add(n);
        for (; n >= 8; bytes += 8, n -= 8) {
            uint64_t word;
            memcpy(&word, bytes, 8);
            add(word);
        }
        for (; n; n--) add(*bytes++);
    }
};

}  // namespace

bool find_costs(const Pack &pack, const char *microarchitecture, CostRecord *out) {
    const char *names[] = {microarchitecture, "generic"};
    for (const char *name : names)
        for (uint32_t i = 0; i < pack.n_costs(); i++)
            if (pack.cost(i, out) == CST_OK && strcmp(out->microarchitecture, name) == 0) return true;
    return false;
}

Cost estimate_cost(const PackRecords &records, const KernelRecord &kernel) {
    double instructions = 0, wide = 0, edges = 0, latency = 0;
    for (uint32_t i = 0; i < kernel.n_streams; i++) {
        const StreamRecord &stream = kernel.streams[i];
        const ProgramRecord &program = records.program(stream);
        const AlgorithmRecord &algorithm = records.algorithm(stream).record;
        const double body = double(program.n_body) * stream.ratio;
        const double bytes = double(program.bytes) * stream.ratio;
        const bool avx512 = strstr(program.features, "avx512f");
        double chain = avx512 ? body / kWideChained : 0;
        if ((algorithm.kind == ALGORITHM_CIPHER_ENC || algorithm.kind == ALGORITHM_CBC_MAC) &&
            algorithm.block_bytes)  // CBC: block after block
            chain = bytes / algorithm.block_bytes * (algorithm.rounds + 1) * kAesRound;
        else if (algorithm.kind == ALGORITHM_DES_ENC) chain = bytes / 8 * algorithm.rounds * kDesRound;
        else if (algorithm.kind != ALGORITHM_HASH) chain = 0;
        else if (strstr(program.features, "sha")) chain = bytes * kShaNiPerByte;
        instructions += body;
        wide += avx512 ? body : 0;
        edges += program.n_enter + program.n_leave + double(stream.lag) * body;
        if (chain > latency) latency = chain;
    }
    Cost cost;
    cost.per_iteration = std::max({instructions / kPerCycle, wide / kWidePerCycle, latency});
    cost.per_call = kCall + edges / kPerCycle;
    return cost;
}

Cost KernelCost::cost() const {
    Cost cost;
    cost.per_iteration = centicycles_per_iteration / 100.0;
    cost.per_call = centicycles_per_call / 100.0;
    cost.measured = cost.here = true;
    return cost;
}

int code_digest(const Pack &pack, uint32_t kernel, uint64_t *out) {
    Digest digest;
    KernelRecord record;
    if (int error = pack.kernel(kernel, &record)) return error;
    digest.add(record.strategy);
    for (uint32_t i = 0; i < record.n_streams; i++) {
        const StreamRecord &stream = record.streams[i];
        ProgramRecord program;
        if (int error = pack.program(stream.program, &program)) return error;
        for (uint64_t word : {uint64_t(stream.ratio), uint64_t(stream.lead), uint64_t(stream.lag),
                              uint64_t(program.lanes), uint64_t(program.bytes)})
            digest.add(word);
        digest.add(program.stored, program.stored_bytes);
        for (const ConstantRecord &constant : program.constants) digest.add(constant.data, constant.size);
    }
    *out = digest.value;
    return CST_OK;
}

}  // namespace cst
