#include "bind.hpp"

#include <algorithm>
#include <cstring>

#include "cryptostitch/cryptostitch.h"

namespace cst {

namespace {

enum : uint8_t { RAX, RCX, RBX = 3, RBP = 5, RSI, RDI };

constexpr uint16_t R12_TO_R15 = 0xf000;
constexpr AbiInfo SYSV = {
    {RAX, RCX, RDX, RSI, 8, 9, 10, 11, RDI, RBX, RBP, 12, 13, 14, 15}, RDI, 1 << RBX | 1 << RBP | R12_TO_R15, 0, 0};
constexpr AbiInfo WIN64 = {{RAX, RDX, 8, 9, 10, 11, RCX, RBX, RBP, RDI, RSI, 12, 13, 14, 15},
                           RCX,
                           1 << RBX | 1 << RBP | 1 << RDI | 1 << RSI | R12_TO_R15,
                           6,
                           16};

bool has_feature(const char *features, const char *feature) {
    size_t n = std::strlen(feature);
    for (const char *p = features; p != nullptr && *p; p = std::strchr(p, ',') ? std::strchr(p, ',') + 1 : nullptr)
        if (std::strncmp(p, feature, n) == 0 && (p[n] == ',' || p[n] == 0)) return true;
    return false;
}

}  // namespace

const AbiInfo &abi_info(Abi abi) { return abi == Abi::sysv ? SYSV : WIN64; }

Ins Binding::apply(uint32_t stream, const Ins &ins) const {
    Ins bound = ins;
    if (bound.mask != Ins::NO_MASK) bound.mask = masks[stream][bound.mask];
    for (uint32_t i = 0; i < bound.n_operands; i++) {
        Operand &o = bound.operands[i];
        if (o.kind == Operand::reg && !o.is_shared) {
            const std::vector<uint8_t> *tables[] = {&vectors[stream], &generals[stream], &masks[stream]};
            o.number = (*tables[int(class_of(o.width))])[o.number];
        } else if (o.kind == Operand::mem) {
            o.number = generals[stream][o.number];
            if (o.index != Operand::NO_INDEX) o.index = generals[stream][o.index];
        }
    }
    return bound;
}

int bind(const std::vector<Program> &programs, const AbiInfo &abi, Binding *out) {
    uint32_t n = uint32_t(programs.size());
    bool wide[MAX_STREAMS];
    std::copy(std::begin(abi.order), std::end(abi.order), out->order);
    for (const Program &program : programs) {
        if (program.names_xmm0) out->n_vectors = 1;
        if (program.names_rdx && out->n_generals == 0) {
            std::stable_partition(std::begin(out->order), std::end(out->order), [](uint8_t r) { return r == RDX; });
            out->n_generals = 1;
        }
    }
    for (uint32_t i = 0; i < n; i++) wide[i] = has_feature(programs[i].record.features, "avx512f");
    for (bool turn : {false, true})
        for (uint32_t i = 0; i < n; i++) {
            if (wide[i] != turn) continue;
            for (uint32_t r = 0; r < programs[i].record.vectors; r++)
                out->vectors[i].push_back(uint8_t(out->n_vectors++));
        }

    for (uint32_t i = 0; i < n; i++)
        for (uint8_t v : out->vectors[i])
            if (v >= (wide[i] ? 32 : 16)) return CST_ERR_PACK;

    for (uint32_t i = 0; i < n; i++) {
        const ProgramRecord &record = programs[i].record;
        if (out->n_generals + record.generals + record.frame_generals() > sizeof abi.order ||
            out->n_masks + record.masks > 7)
            return CST_ERR_PACK;
        for (uint32_t r = 0; r < record.generals; r++) out->generals[i].push_back(out->order[out->n_generals++]);
        for (uint32_t r = 0; r < record.masks; r++) out->masks[i].push_back(uint8_t(++out->n_masks));
    }
    out->counter = out->order[out->n_generals++];
    for (uint32_t i = 0; i < n; i++)
        if (programs[i].record.is_listed()) {
            out->jobs = out->order[out->n_generals++];
            if (programs[i].record.text_head()) out->strides = out->order[out->n_generals++];
        }
    return CST_OK;
}

}  // namespace cst
