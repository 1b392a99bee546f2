#include "cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cst {
namespace {

// Figures between those of small and large cores; only the order of the results matters. Vectors of 512 bits have half
// the units of narrower ones, or occupy them twice, and all vectors have longer latencies than general registers.
constexpr double kPerCycle = 4.0;       // instructions of a kernel with enough independent work
constexpr double kLanesPerCycle = 3.5;  // of hashes in lanes on AVX2: there are three or four such units
constexpr double kEach = 1 / 50.0;      // cycles that each costs besides the bottleneck
constexpr double kWidePerCycle = 2.2;   // of its AVX-512 streams
constexpr double kEdgesPerCycle = 2.7;  // in front of ChaCha20-Poly1305's loop and behind it, on narrower vectors
constexpr double kWideChained = 1.9;    // of one hash alone on AVX-512: its rounds depend on one another
constexpr double kAhead = 20.0;   // instructions of a list's next message that run while this one's wait
constexpr double kAesPerCycle = 2.0;    // rounds of a block: two units of 128 bits,
constexpr double kVaesPerCycle = 4.0;   // or of 256, or one of 512
constexpr double kAesRound = 4.0;       // latency of aesenc
constexpr uint32_t kAesBlock = 16;    // bytes
constexpr double kInFlight = 175.0;  // instructions, of iterations that do not wait for one another
constexpr double kDesRound = 14.0;      // of streams/des.j2: a lookup, two merges, two products, one sum
constexpr double kFold = 7;  // a product, and two sums
constexpr double kShaNiPerByte = 2.0;   // latency of sha1rnds4, sha256rnds2
constexpr double kShaNiUnit = 1.2;      // cycles for which a byte of one lane keeps the unit busy
constexpr double kMd5Step = 4.5;        // latency: function, sum, rotation, sum. A byte is a step
constexpr double kMd5VectorStep = 6.0;  // where two shifts and a merge make the rotation,
constexpr double kMd5WideStep = 5.0;    // or one instruction, as the function
constexpr double kChaChaRounds = 20.0;
constexpr double kChaChaRound = 14.0;  // latency: a quarter round's twelve operations, a shuffle on either side
constexpr double kCall = 35.0;
constexpr double kMessage = 400.0;  // to write and read its positions and chaining values: executors/message.hpp
constexpr double kLane = 22.0;         // with several lanes: pointer and chaining value are sorted into vectors
constexpr double kWritingLane = 18.0;  // more for a lane that writes: output pointer and key

// Digests eight bytes at a time: all programs of the default pack in a few milliseconds.
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

bool has(const ProgramRecord &program, const char *feature) {
    const size_t n = strlen(feature);
    for (const char *at = program.features; (at = strstr(at, feature)); at += n)
        if ((at == program.features || at[-1] == ',') && (!at[n] || at[n] == ',')) return true;
    return false;
}

// Returns the cycles that an iteration takes because its instructions depend on one another. wide: instructions on 512
// bits.
double chain(const ProgramRecord &program, const AlgorithmRecord &algorithm, double bytes, double wide) {
    switch (algorithm.kind) {
        case ALGORITHM_CIPHER_ENC:
        case ALGORITHM_CBC_MAC: return bytes / 16 * (algorithm.rounds + 1) * kAesRound;  // block after block
        case ALGORITHM_DES_ENC: return bytes / 8 * algorithm.rounds * kDesRound;
        case ALGORITHM_CHACHA: return kChaChaRounds * kChaChaRound;
        case ALGORITHM_CHECKSUM: return kFold;
        case ALGORITHM_HASH: break;
        default: return 0;
    }
    if (has(program, "sha")) return bytes * kShaNiPerByte;
    if (!(algorithm.flags & ALGORITHM_BIG_ENDIAN))
        return bytes * (wide > 0 ? kMd5WideStep : program.lanes > 1 ? kMd5VectorStep : kMd5Step);
    return wide / kWideChained;
}

// Returns the cycles of an iteration of a block of AES that the CPU interleaves with others: it waits for its rounds,
// and so do as many others as are in flight.
double interleaved(const AlgorithmRecord &algorithm, double instructions) {
    return (algorithm.rounds + 1) * kAesRound * instructions / kInFlight;
}

// Returns the cycles of a message of a list that is hashed, by so many instructions. If its padding is not there, that
// is a block of its own; HMAC has an outer block.
double hashed_message(const ProgramRecord &program, const AlgorithmRecord &algorithm, double instructions) {
    const uint32_t blocks = !program.field("padded_in") + (program.field("key") != nullptr);
    const double bytes = double(program.bytes + blocks * algorithm.block_bytes);
    const double latency = chain(program, algorithm, bytes, 0) / (1 + kAhead / instructions);
    return std::max({instructions / kPerCycle, bytes * kShaNiUnit, latency}) + instructions * kEach;
}

}  // namespace

bool find_costs(const Pack &pack, const std::string &microarchitecture, CostRecord *out) {
    for (const std::string &name : {microarchitecture, std::string("generic")})
        for (uint32_t i = 0; i < pack.n_costs(); i++)
            if (pack.cost(i, out) == CST_OK && TableName(out->microarchitecture).microarchitecture == name) return true;
    return false;
}

Cost estimate_cost(const PackRecords &records, const KernelRecord &kernel) {
    bool calls = true;
    double instructions = 0, issue = 0, wide = 0, sha = 0, aes = 0, lanes = 0, edges = 0, latency = 0;
    for (uint32_t i = 0; i < kernel.n_streams; i++) {
        const StreamRecord &stream = kernel.streams[i];
        const ProgramRecord &program = records.program(stream);
        const AlgorithmRecord &algorithm = records.algorithm(stream).record;
        const double body = double(program.n_body) * stream.ratio;
        const double bytes = double(program.bytes) * stream.ratio;
        const bool fills_512 =
            has(program, "avx512f") && (!algorithm.has_words() || program.lanes * algorithm.word_bytes >= 64);
        const bool in_lanes = algorithm.has_words() && program.lanes > 1 && has(program, "avx2");
        instructions += body;
        issue += body / (in_lanes ? kLanesPerCycle : kPerCycle);
        wide += fills_512 ? body : 0;
        if (has(program, "sha")) sha += bytes * program.lanes * kShaNiUnit;
        if (algorithm.is_aes())
            aes +=
                bytes * program.lanes / 16 * algorithm.rounds / (has(program, "vaes") ? kVaesPerCycle : kAesPerCycle);
        if (program.lanes > 1) lanes += program.lanes * (algorithm.reads_only() ? kLane : kLane + kWritingLane);
        // The edges of ChaCha20-Poly1305, and of lists, are rounds like those of their loops, and a hash that waits for
        // them.
        const bool works = algorithm.is_chacha_poly() || program.is_listed();
        const double edge = program.n_enter + program.n_leave + double(stream.lag) * body;
        edges += program.is_listed() && algorithm.kind == ALGORITHM_HASH ? hashed_message(program, algorithm, edge)
                                                                         : edge / (!works      ? kPerCycle
                                                                                   : fills_512 ? kWidePerCycle
                                                                                               : kEdgesPerCycle);
        calls &= !program.is_listed();  // there is one for all messages
        latency = std::max(latency, chain(program, algorithm, bytes, fills_512 ? body : 0));
        if (program.is_listed() && algorithm.is_aes() && program.bytes == kAesBlock)
            latency = std::max(latency, interleaved(algorithm, body));
    }
    Cost cost;
    cost.per_iteration = std::max({issue, wide / kWidePerCycle, sha, aes, latency}) + instructions * kEach;
    cost.per_call = (calls ? kCall : 0) + lanes + edges;
    return cost;
}

Cost table_cost(const CostEntry &entry, bool derived, const Cost &estimate) {
    Cost cost;
    cost.per_iteration = entry.centicycles_per_iteration / 100.0;
    cost.per_call = entry.centicycles_per_call / 100.0;
    cost.measured = true;
    if (derived) {
        cost.per_iteration = std::sqrt(cost.per_iteration * estimate.per_iteration);
        cost.per_call = (cost.per_call + estimate.per_call) / 2;
    }
    return cost;
}

double message_cost(uint32_t centicycles, bool derived) {
    if (!centicycles) return kMessage;
    return derived ? (centicycles / 100.0 + kMessage) / 2 : centicycles / 100.0;
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
