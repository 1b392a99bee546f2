#include "form.hpp"

#include <algorithm>
#include <cstring>

namespace cst {

namespace {

constexpr const char *FEATURES[] = {
#define FEATURE(name) name,
#define FORM(...)
#include "instruction_table.inc"
#undef FEATURE
#undef FORM
};

constexpr Meaning mov = Meaning::mov, add = Meaning::add, sub = Meaning::sub, xor_ = Meaning::xor_,
                  and_ = Meaning::and_, lea = Meaning::lea, other = Meaning::other;

constexpr Form FORMS[] = {
#define FEATURE(name)
#define FORM(name, meaning, hint, maskable, needs, sets, features, n, ...) \
    {name, meaning, hint, maskable, needs, sets, features, n, {__VA_ARGS__}},
#include "instruction_table.inc"
#undef FEATURE
#undef FORM
};

struct ByName {
    bool operator()(const Form &form, const char *name) const { return std::strcmp(form.name, name) < 0; }
    bool operator()(const char *name, const Form &form) const { return std::strcmp(name, form.name) < 0; }
};

bool fits(uint8_t kind, int64_t value) {
    switch (kind) {
        case Slot::byte: return value >= -128 && value <= 255;
        case Slot::word: return value >= INT32_MIN && value <= int64_t(UINT32_MAX);
        case Slot::signed_word: return value >= INT32_MIN && value <= INT32_MAX;
        case Slot::any: return true;
        default: return false;
    }
}

bool fits(const Slot &slot, const Operand &o) {
    if (o.kind == Operand::reg) return slot.registers >> int(o.width) & 1;
    if (o.kind == Operand::imm) return fits(slot.immediate, o.value);
    if (slot.memory == 0) return false;
    if (slot.memory == Slot::ADDRESS) return o.bytes_log2 == Operand::NO_ACCESS && o.broadcast_log2 == 0;
    if (o.broadcast_log2 != 0) return slot.element == o.bytes_log2 + 1 && slot.copies == o.broadcast_log2;
    return slot.memory == o.bytes_log2 + 1;
}

}  // namespace

void find_forms(const char *mnemonic, const Form **begin, const Form **end) {
    auto range = std::equal_range(std::begin(FORMS), std::end(FORMS), mnemonic, ByName());
    *begin = range.first;
    *end = range.second;
}

bool matches(const Form &form, const Ins &ins) {
    if (ins.n_operands != form.n_operands || (ins.mask != Ins::NO_MASK && !form.maskable)) return false;
    uint32_t memories = 0;
    for (uint32_t i = 0; i < ins.n_operands; i++) {
        const Operand &o = ins.operands[i];
        if (!fits(form.slots[i], o)) return false;
        memories += o.kind == Operand::mem || o.kind == Operand::constant;
    }
    return memories <= 1;
}

uint32_t form_features(const char *names) {
    uint32_t found = 0;
    while (*names) {
        size_t n = std::strcspn(names, ",");
        for (size_t i = 0; i < sizeof FEATURES / sizeof *FEATURES; i++)
            if (std::strlen(FEATURES[i]) == n && std::memcmp(FEATURES[i], names, n) == 0) found |= 1u << i;
        names += n;
        if (*names) names++;
    }
    return found;
}

}  // namespace cst
