// Checks kernels: registers fit, features are declared, hand-over buffers have one reader of their size that runs one
// iteration behind.
#include <algorithm>

#include "check.hpp"
#include "cryptostitch/cryptostitch.h"
#include "form.hpp"

namespace cst {

namespace {

constexpr uint64_t MAX_EMITTED =
    1u << 17;  // instructions of a kernel, ramp and drain included: less than 2 MiB of code
constexpr uint32_t GENERALS = 15, MASKS = 7;

struct End {
    ProgramRecord program;
    StreamRecord stream;
};

}  // namespace

int check_kernel(const Pack &pack, const KernelRecord &kernel, const ProgramFacts *facts, std::string *why) {
    const uint32_t declared = form_features(kernel.features), avx512 = form_features("avx512f");
    uint32_t narrow = 0, wide = 0, generals = 1, masks = 0, lag = 0,
             needed = 0;  // the loop counter is a general register
    uint64_t emitted = 0;
    bool xmm0 = false, rdx = false;
    std::vector<End> producers, consumers;
    for (uint32_t i = 0; i < kernel.n_streams; i++) lag = std::max(lag, kernel.streams[i].lag);
    for (uint32_t i = 0; i < kernel.n_streams; i++) {
        End end;
        end.stream = kernel.streams[i];
        if (int error = pack.program(end.stream.program, &end.program)) return error;
        const ProgramRecord &program = end.program;
        const ProgramFacts &fact = facts[end.stream.program];
        needed |= fact.features;
        xmm0 = xmm0 || fact.names_xmm0;
        rdx = rdx || fact.names_rdx;
        (fact.features & avx512 ? wide : narrow) += program.vectors;
        generals += program.generals + program.frame_generals() - 1;
        if (program.is_listed() && (kernel.n_streams != 1 || end.stream.ratio != 1 || lag))
            return refuse(why, "%s: a list of messages is woven with something else", kernel.name);
        if (program.is_listed() && (program.text_head() ? program.bytes & (program.bytes - 1) : program.n_body))
            return refuse(why, "%s: a list of messages has no such loop", kernel.name);
        masks += program.masks;
        emitted +=
            uint64_t(program.n_enter) + program.n_leave + uint64_t(program.n_body) * end.stream.ratio * (1 + lag);
        if (program.field("hand")) producers.push_back(end);
        if (program.field("from")) consumers.push_back(end);
    }
    if (needed & ~declared)
        return refuse(why, "%s: a program needs a CPU feature that the kernel does not declare", kernel.name);
    if (narrow + xmm0 > 16 || narrow + wide + xmm0 > 32 || generals + rdx > GENERALS || masks > MASKS)
        return refuse(why, "%s: its windows do not fit the registers", kernel.name);
    if (emitted > MAX_EMITTED) return refuse(why, "%s: it has too many instructions", kernel.name);
    if (producers.empty() || consumers.empty()) return CST_OK;
    if (producers.size() != consumers.size())
        return refuse(why, "%s: not every hand-over buffer has a reader", kernel.name);
    for (size_t i = 0; i < producers.size(); i++) {
        const End &a = producers[i], &b = consumers[i];
        const FieldRecord &hand = *a.program.field("hand");
        const uint64_t size = uint64_t(hand.rows) * hand.row_bytes,
                       wanted = uint64_t(2) * b.program.lanes * b.program.bytes;
        if (b.stream.lag != a.stream.lag + 1 || b.stream.ratio != a.stream.ratio)
            return refuse(why, "%s: %s has to run one iteration behind %s, at the same ratio", kernel.name,
                          b.program.name, a.program.name);
        if (size != wanted || hand.offset % size != 0 || a.program.state_align % size != 0)
            return refuse(why, "%s: the hand-over buffer of %s is not the one that %s reads", kernel.name,
                          a.program.name, b.program.name);
    }
    return CST_OK;
}

}  // namespace cst
