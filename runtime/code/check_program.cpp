// Checks forms, registers and memory of one program. The loop is a fixpoint over the values of the general registers
// and the 64-bit spill slots at its head.
#include <cstring>
#include <map>

#include "check.hpp"
#include "check_value.hpp"
#include "cryptostitch/cryptostitch.h"
#include "form.hpp"
#include "program.hpp"

namespace cst {

namespace {

constexpr uint32_t MAX_ROUNDS = 16, MAX_GENERALS = 14, NO_MASK_PLACE = UINT32_MAX;

struct State {
    Value registers[MAX_GENERALS];
    std::map<uint32_t, Value> slots;  // by offset in the state block; a missing slot is unknown

    bool operator==(const State &other) const {
        for (uint32_t i = 0; i < MAX_GENERALS; i++)
            if (!(registers[i] == other.registers[i])) return false;
        return slots == other.slots;
    }
};

struct Pointer {
    Value::Base base;
    uint16_t lane;
};

enum class Section { enter, body, leave };
constexpr const char *SECTION_NAMES[] = {"enter", "body", "leave"};

bool is(const FieldRecord &f, const char *name) { return std::strcmp(f.name, name) == 0; }
bool is_spill(const FieldRecord &f) { return std::strncmp(f.name, "spill", 5) == 0; }
bool is_mask(const FieldRecord &f) {
    const size_t n = std::strlen(f.name);
    return n > 5 && std::strcmp(f.name + n - 5, "_mask") == 0;
}
// Whether `masks` are the masks of the memory that pointer f points to, as in core/contract.py.
bool masks_of(const FieldRecord &masks, const FieldRecord &f) {
    const size_t n = std::strcspn(f.name, "_");
    return std::strncmp(masks.name, f.name, n) == 0 && std::strcmp(masks.name + n, "_mask") == 0;
}
// The bytes that a pointer of a job points to are counted.
bool is_count(const FieldRecord &f) { return is(f, "text_bytes") || is(f, "aad_bytes"); }
const char *count_of(const FieldRecord &f) {
    return is(f, "aad") ? "aad_bytes" : is(f, "text_in") || is(f, "text_out") ? "text_bytes" : nullptr;
}
bool is_read_only(const FieldRecord &f) {
    return is_count(f) || is(f, "in") || is(f, "out") || is(f, "key") || is(f, "from") || is_mask(f) || f.reach;
}

uint32_t extent(const FieldRecord &f) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < f.n_lanes; i++) last = last < f.lane_offsets[i] ? f.lane_offsets[i] : last;
    uint32_t rows = f.rows * f.row_bytes, lanes = f.rows ? (f.rows - 1) * f.row_bytes + last + f.entry_bytes : 0;
    return rows < lanes ? lanes : rows;
}

class Checker {
public:
    Checker(const Pack &pack, const Program &program, std::string *why)
        : pack_(pack),
          program_(program),
          record_(program.record),
          why_(why),
          from_half_(record_.lanes * record_.bytes) {
        places_ = {record_.bytes, record_.state_align, 2 * from_half_};
        for (const FieldRecord &f : record_.fields) {
            Value::Base base = is(f, "in")     ? Value::in
                               : is(f, "out")  ? Value::out
                               : is(f, "from") ? Value::from
                               : f.reach       ? Value::reach
                                               : Value::unknown;
            if (record_.is_listed() && is_count(f)) base = Value::count;
            const size_t field = size_t(&f - record_.fields.data());
            for (uint32_t i = 0; base != Value::unknown && i < f.n_lanes; i++)
                pointers_[f.offset + f.lane_offsets[i]] = {base, uint16_t(base >= Value::reach ? field : i)};
        }
    }

    int run(ProgramFacts *facts) {
        declared_ = form_features(record_.features);
        for (Section section : {Section::enter, Section::body, Section::leave})
            if (int error = forms(section)) return error;
        facts->features = declared_;
        facts->names_xmm0 = program_.names_xmm0;
        facts->names_rdx = program_.names_rdx;
        State head;
        head.registers[0] = Value::of(Value::state);
        if (int error = walk(Section::enter, &head, true)) return error;
        for (uint32_t round = 0;; round++) {
            if (round == MAX_ROUNDS)
                return refuse(why_, "%s: the body changes its addresses in a way that is not understood", record_.name);
            State left = head;
            walk(Section::body, &left, false);
            State next = joined(head, left);
            if (next == head) break;
            head = next;
        }
        State left = head;
        if (int error = walk(Section::body, &left, true)) return error;
        return walk(Section::leave, &head, true);
    }

private:
    const std::vector<Ins> &code(Section section) const {
        return section == Section::enter ? program_.enter : section == Section::body ? program_.body : program_.leave;
    }

    template <class... Args>
    int wrong(Section section, size_t at, const char *format, Args... args) {
        std::string what;
        refuse(&what, format, args...);
        const char *name = "?";
        pack_.mnemonic(code(section)[at].mnemonic, &name);
        return refuse(why_, "%s: %s, instruction %zu (%s): %s", record_.name, SECTION_NAMES[int(section)], at, name,
                      what.c_str());
    }

    // ---- forms, windows, what streams share

    static uint8_t shared(const Operand &o) {
        return !o.is_shared ? 0 : class_of(o.width) == RegClass::general ? SHARED_RDX : SHARED_XMM0;
    }

    int unknown(Section section, size_t at, uint8_t missing) {
        return wrong(section, at, "reads %s, which another stream may have written",
                     missing & SHARED_XMM0  ? "xmm0"
                     : missing & SHARED_RDX ? "rdx"
                                            : "flags");
    }

    int forms(Section section) {
        const std::vector<Ins> &instructions = code(section);
        std::vector<const Form *> &found = forms_[int(section)];
        bool glued = false;
        uint8_t known = 0;  // of Shared: written by this glued run
        for (size_t at = 0; at < instructions.size(); at++) {
            const Ins &ins = instructions[at];
            const char *name;
            if (int error = pack_.mnemonic(ins.mnemonic, &name)) return error;
            const Form *form, *end;
            find_forms(name, &form, &end);
            if (form == end) return wrong(section, at, "is not in the instruction table");
            while (form != end && !matches(*form, ins)) form++;
            if (form == end) return wrong(section, at, "has operands that the instruction does not take");
            if (form->features & ~declared_)
                return wrong(section, at, "needs a CPU feature that the program does not declare");
            found.push_back(form);
            if (!glued) known = 0;
            glued = ins.glue;
            uint8_t needs = form->needs, sets = form->sets;
            for (uint32_t i = 0; i < ins.n_operands; i++) {
                const Operand &o = ins.operands[i];
                if (o.kind != Operand::reg) continue;
                const bool reads = form->slots[i].access & Slot::READ, writes = form->slots[i].access & Slot::WRITE;
                if (writes && !o.is_shared && class_of(o.width) == RegClass::general && o.number == 0)
                    return wrong(section, at, "writes register 0, which holds the state pointer");
                if (!o.is_shared) {
                    if (class_of(o.width) == RegClass::vector && o.number >= 16 && !(declared_ & avx512_))
                        return wrong(section, at, "names a vector register that only AVX-512 has");
                    continue;
                }
                if (reads) needs |= shared(o);
                if (writes) sets |= shared(o);
            }
            if (needs & ~known) return unknown(section, at, needs & ~known);
            known |= sets;
        }
        if (glued) return wrong(section, instructions.size() - 1, "is glued to nothing: it ends the section");
        return CST_OK;
    }

    // ---- values

    static const Value *slot_of(const State &state, const Value &address) {
        auto found = state.slots.find(uint32_t(address.c));
        return found == state.slots.end() ? nullptr : &found->second;
    }

    bool plain_state(const Value &address) const {
        return address.base == Value::state && !address.position && !address.half && !address.range && address.c >= 0 &&
               address.c < record_.state_bytes;
    }

    Value address(const State &state, const Operand &o) const {
        Value value = plus(state.registers[o.number], o.value);
        return o.index == Operand::NO_INDEX ? value : sum(value, scaled(state.registers[o.index], o.scale_log2));
    }

    Value load(const State &state, const Operand &o, uint32_t bytes) const {
        Value at = address(state, o);
        if (bytes != 8 || !plain_state(at)) return Value();
        if (const Value *slot = slot_of(state, at)) return *slot;
        auto pointer = pointers_.find(uint32_t(at.c));
        return pointer == pointers_.end() ? Value() : Value::of(pointer->second.base, 0, pointer->second.lane);
    }

    Value operand(const State &state, const Operand &o, uint32_t bytes) const {
        if (o.kind == Operand::imm) return Value::of(Value::number, bytes == 4 ? int64_t(uint32_t(o.value)) : o.value);
        if (o.kind == Operand::mem) return load(state, o, bytes);
        if (o.kind != Operand::reg || o.is_shared || o.width != Width::g64) return Value();
        return state.registers[o.number];
    }

    // Returns the value that a write leaves in a general register.
    Value result(const State &state, const Form &form, const Ins &ins) const {
        const uint32_t bytes = ins.operands[0].width == Width::g64 ? 8 : 4;
        const Operand &a = ins.operands[0], &b = ins.operands[1];
        if (a.is_shared) return Value();
        if (form.meaning == Meaning::other) return mask_part(state, form, ins);
        if (form.meaning == Meaning::xor_ && b.kind == Operand::reg && !b.is_shared && a.number == b.number)
            return Value::of(Value::number);
        if (form.meaning == Meaning::mov) return operand(state, b, bytes);
        if (form.meaning == Meaning::and_) return b.kind == Operand::imm ? part_of(state, a, b.value, bytes) : Value();
        if (bytes != 8) return Value();
        if (form.meaning == Meaning::lea) {
            if (b.kind != Operand::mem) return Value();
            const Value &twice = state.registers[b.number];
            if (twice.base == Value::bytes && !twice.range && b.index == b.number && !b.scale_log2 && b.value == 1) {
                Value more = twice;
                more.c++;
                more.range = 1;
                return more;
            }
            return address(state, b);
        }
        const Value left = state.registers[a.number];
        if (form.meaning == Meaning::add) return sum(left, operand(state, b, 8));
        if (b.kind != Operand::imm) return Value();
        return form.meaning == Meaning::sub ? plus(left, -b.value) : flip(left, b.value, places_);
    }

    // Returns what a mask leaves of a register's number.
    Value part_of(const State &state, const Operand &o, int64_t mask, uint32_t bytes) const {
        Value part = masked(mask);
        const Value of = bytes == 8 ? state.registers[o.number] : Value();
        if (of.base == Value::count && !of.position && of.c == -1 && part.range) part.part = uint16_t(of.lane + 1);
        return part;
    }

    // Returns the value of a part of a mask of the bytes that there are.
    Value mask_part(const State &state, const Form &form, const Ins &ins) const {
        const auto value = [&](uint32_t i) {
            const Operand &o = ins.operands[i];
            return i < ins.n_operands && o.kind == Operand::reg && !o.is_shared && o.width == Width::g64
                       ? state.registers[o.number]
                       : Value();
        };
        const auto is_form = [&](const char *name) { return std::strcmp(form.name, name) == 0; };
        if (is_form("sar") && ins.n_operands == 2 && ins.operands[1].kind == Operand::imm &&
            ins.operands[1].value == 63) {
            const Value a = value(0);
            return a.base == Value::count ? of_count(Value::sign, a) : Value();
        }
        if (ins.n_operands != 3) return Value();
        const Value a = value(1), b = value(2);
        if (is_form("bzhi") && a == Value::of(Value::number, -1) && b.base == Value::count)
            return of_count(Value::bytes, b);
        if (is_form("andn") && a.base == Value::sign && b.base == Value::bytes && a.lane == b.lane &&
            a.position == b.position && a.c == b.c - b.range)
            return of_count(Value::mask, b);
        return Value();
    }

    void store(State *state, const Ins &ins, const Operand &o, uint32_t size, const Value &value) const {
        Value at = address(*state, o);
        if (!plain_state(at)) return;  // refused, or inside the hand-over buffer, which holds no slot
        const uint32_t offset = uint32_t(at.c);
        auto from = state->slots.lower_bound(offset < 7 ? 0 : offset - 7);
        while (from != state->slots.end() && from->first < offset + size) from = state->slots.erase(from);
        if (size != 8 || value.base == Value::unknown || ins.mask != Ins::NO_MASK) return;
        const FieldRecord *f = field_at(offset, 8);
        if (f && is_spill(*f)) state->slots[offset] = value;
    }

    State joined(const State &head, const State &left) const {
        State next;
        for (uint32_t i = 0; i < MAX_GENERALS; i++)
            next.registers[i] = join(head.registers[i], left.registers[i], places_);
        for (const auto &slot : head.slots) {
            auto other = left.slots.find(slot.first);
            if (other == left.slots.end()) continue;
            Value value = join(slot.second, other->second, places_);
            if (value.base != Value::unknown) next.slots[slot.first] = value;
        }
        return next;
    }

    int walk(Section section, State *state, bool check) {
        for (MaskValue &mask : masks_) mask = MaskValue();
        const std::vector<Ins> &instructions = code(section);
        const std::vector<const Form *> &found = forms_[int(section)];
        for (size_t at = 0; at < instructions.size(); at++) {
            const Ins &ins = instructions[at];
            const Form &form = *found[at];
            Value value;
            const Operand &target = ins.operands[0];
            if (ins.n_operands && target.kind == Operand::reg && class_of(target.width) == RegClass::mask)
                load_mask(*state, form, ins);
            const bool writes = ins.n_operands != 0 && form.slots[0].access & Slot::WRITE;
            const bool general = writes && target.kind == Operand::reg && class_of(target.width) == RegClass::general;
            if (general) value = result(*state, form, ins);
            else if (writes && target.kind == Operand::mem && form.meaning == Meaning::mov)
                value = operand(*state, ins.operands[1], 1u << target.bytes_log2);
            for (uint32_t i = 0; i < ins.n_operands; i++) {
                const Operand &o = ins.operands[i];
                if (o.kind == Operand::constant && check)
                    if (int error = constant(section, at, form, o, form.slots[i])) return error;
                if (o.kind != Operand::mem) continue;
                const Slot &slot = form.slots[i];
                if (check && (slot.memory != Slot::ADDRESS || form.hint))
                    if (int error = access(section, at, address(*state, o), o, slot)) return error;
            }
            for (uint32_t i = 1; i < ins.n_operands; i++)  // a second result is unknown
                if (form.slots[i].access & Slot::WRITE && ins.operands[i].kind == Operand::reg &&
                    !ins.operands[i].is_shared && class_of(ins.operands[i].width) == RegClass::general)
                    state->registers[ins.operands[i].number] = Value();
            if (general && !target.is_shared) state->registers[target.number] = value;
            else if (writes && target.kind == Operand::mem) store(state, ins, target, 1u << target.bytes_log2, value);
        }
        return CST_OK;
    }

    void load_mask(const State &state, const Form &form, const Ins &ins) {
        const Operand &from = ins.operands[1];
        const Value at = ins.n_operands == 2 && from.kind == Operand::mem ? address(state, from) : Value();
        MaskValue mask;
        if (ins.n_operands == 2 && std::strcmp(form.name, "kmovq") == 0) {
            if (plain_state(at)) mask.place = uint32_t(at.c);
            if (from.kind == Operand::reg && from.width == Width::g64) mask.value = state.registers[from.number];
        }
        masks_[ins.operands[0].number & 7] = mask;
    }

    // ---- memory

    const FieldRecord *field_at(int64_t c, uint32_t size) const {
        for (const FieldRecord &f : record_.fields)
            if (c >= f.offset && c + size <= int64_t(f.offset) + extent(f)) return &f;
        return nullptr;
    }

    int constant(Section section, size_t at, const Form &form, const Operand &o, const Slot &slot) {
        if (slot.access & Slot::WRITE) return wrong(section, at, "writes a constant");
        if (slot.memory == Slot::ADDRESS)
            return form.hint ? CST_OK : wrong(section, at, "takes the address of a constant");
        const uint32_t size = 1u << o.bytes_log2, have = record_.constants[size_t(o.value)].size;
        if (size > have) return wrong(section, at, "reads %u bytes of a constant of %u", size, have);
        return CST_OK;
    }

    int access(Section section, size_t at, const Value &a, const Operand &o, const Slot &slot) {
        const bool hint = slot.memory == Slot::ADDRESS, write = slot.access & Slot::WRITE;
        const uint32_t size = hint ? 0 : 1u << o.bytes_log2;
        if (a.base == Value::unknown || a.base == Value::number || a.base >= Value::count)
            return wrong(section, at, "uses an address that is not known to lie in the contract's memory");
        if (a.base == Value::reach) return reach(section, at, a, size, slot);
        if (a.range) return table(section, at, a, size, slot);
        if (a.base == Value::in || a.base == Value::out) {
            if (section != Section::body || !a.position || a.half)
                return wrong(section, at, "uses the pointer of lane %u otherwise than in the body at the position",
                             unsigned(a.lane));
            if (hint) return CST_OK;  // reads nothing and cannot fault, so it may look ahead
            if (a.c < 0 || a.c + size > record_.bytes)
                return wrong(section, at, "accesses bytes %lld to %lld of the %u that lane %u has per iteration",
                             (long long)a.c, (long long)(a.c + size), record_.bytes, unsigned(a.lane));
            if (write != (a.base == Value::out))
                return wrong(section, at, write ? "stores to the input" : "reads the output");
            if (a.base == Value::in && !(record_.flags & PROGRAM_READS_INPUT))
                return wrong(section, at, "reads input, which the program denies");
            return slot.aligned ? wrong(section, at, "needs an aligned operand, the caller's memory may lie anywhere")
                                : CST_OK;
        }
        if (a.position) return wrong(section, at, "walks through the state block");
        if (a.base == Value::from) {
            if (write) return wrong(section, at, "stores to the producer's hand-over buffer");
            return half(section, at, a, size, from_half_, 0, slot);
        }
        if (a.half) {
            const FieldRecord *f = field_at(a.c, size);
            if (!f || !is(*f, "hand"))
                return wrong(section, at, "toggles an address that is not the hand-over buffer's");
            return half(section, at, a, size, extent(*f) / 2, f->offset, slot);
        }
        const FieldRecord *f = field_at(a.c, size);
        if (!f)
            return wrong(section, at, "accesses bytes %lld to %lld of the state block, which lie in no field",
                         (long long)a.c, (long long)(a.c + size));
        if (write && is_read_only(*f)) return wrong(section, at, "stores to the field %s, which is read-only", f->name);
        if (slot.aligned && (a.c % size != 0 || record_.state_align % size != 0))
            return wrong(section, at, "needs an aligned operand");
        return CST_OK;
    }

    // Memory with bit masks may be accessed only under the mask of exactly these bytes.
    int reach(Section section, size_t at, const Value &a, uint32_t size, const Slot &slot) {
        const FieldRecord &f = record_.fields[a.lane];
        const bool write = slot.access & Slot::WRITE;
        const char *const count = record_.is_listed() ? count_of(f) : nullptr;
        const bool counts = count && record_.field(count);
        if ((a.position && !counts) || a.half)
            return wrong(section, at, "moves the pointer %s, which stays where it is", f.name);
        if (size == 0) return CST_OK;
        if (a.added && (!counts || &record_.fields[a.added - 1u] != record_.field(count)))
            return wrong(section, at, "moves the pointer %s, which stays where it is", f.name);
        if (a.added && (a.position || a.range || a.c < -fewest(f) || a.c + size > 0))
            return wrong(section, at,
                         "accesses bytes %lld to %lld from the end of what %s points to, which has at least "
                         "%lld",
                         (long long)a.c, (long long)(a.c + size), f.name, (long long)fewest(f));
        if (!a.added && (a.c < 0 || a.c + a.range + size > f.reach))
            return wrong(section, at, "accesses bytes %lld to %lld of the %u that %s points to", (long long)a.c,
                         (long long)(a.c + a.range + size), f.reach, f.name);
        if (write != bool(f.flags & FIELD_REACH_WRITTEN))
            return wrong(section, at, "%s what %s points to", write ? "stores to" : "reads", f.name);
        if (slot.aligned && (a.range || a.c % size != 0 || f.reach_align() % size != 0))
            return wrong(section, at, "needs an aligned operand");
        if (counts) return counted(section, at, a, f, size);
        const FieldRecord *masks = nullptr;
        for (const FieldRecord &other : record_.fields)
            if (masks_of(other, f) && other.entry_bytes == 8) masks = &other;
        if (!masks) return CST_OK;
        const Ins &ins = code(section)[at];
        const uint32_t row = uint32_t(a.c) / size;
        if (a.c % size || size * masks->rows != f.reach || !moves_bytes(section, at) || ins.mask == Ins::NO_MASK ||
            masks_[ins.mask].place != masks->offset + row * masks->row_bytes)
            return wrong(section, at, "accesses what %s points to without the mask of these bytes", f.name);
        return CST_OK;
    }

    // Returns the least number of bytes that there are of memory which a job counts.
    int64_t fewest(const FieldRecord &f) const {
        return is(f, "aad") ? int64_t(record_.least_aad()) : int64_t(record_.text_head()) + 1;
    }

    // Whether each bit of the instruction's mask is a byte, and bytes whose bits are not set are not accessed.
    bool moves_bytes(Section section, size_t at) const {
        return std::strcmp(forms_[int(section)][at]->name, "vmovdqu8") == 0;
    }

    // Memory of which a job says how many bytes there are. A text has more than text_head() and what the iterations so
    // far have had, and in the body `bytes` more. What may be behind its end is accessed only under a mask of the bytes
    // that there are.
    int counted(Section section, size_t at, const Value &a, const FieldRecord &f, uint32_t size) {
        const FieldRecord *const count = record_.field(count_of(f)), *const text = record_.field("text_in");
        const bool is_text = count && is(*count, "text_bytes");
        if (!count || !text || (is_text && f.reach != text->reach) || (!is_text && a.position))
            return wrong(section, at, "accesses what %s points to, of which the job does not say how much there is",
                         f.name);
        if (a.added) return CST_OK;  // from its end on, as reach() has found
        int64_t least = fewest(f);
        if (is_text) least = record_.text_head() + (section == Section::body && a.position ? record_.bytes : 0);
        // Less a byte a text's length is a multiple of `bytes`, a power of two, which head and strides of the loop
        // have, and the length less 1 modulo `bytes`. A mask below `bytes` leaves at most the latter.
        const bool parted = a.part && is_text && &record_.fields[a.part - 1u] == count && a.range < record_.bytes &&
                            record_.text_head() == record_.bytes && !(record_.bytes & (record_.bytes - 1));
        if ((!a.range || parted) && a.c + size <= least) return CST_OK;
        const Ins &ins = code(section)[at];
        const Value mask = ins.mask == Ins::NO_MASK ? Value() : masks_[ins.mask].value;
        const int64_t sure = fewest(f);  // behind the position there are as many
        const bool clamped =
            mask.base == Value::mask || (mask.base == Value::bytes && mask.c - int64_t(mask.range) + sure >= 0);
        if (a.range || !clamped || !moves_bytes(section, at) || mask.c != -a.c || mask.position != a.position ||
            &record_.fields[mask.lane] != count)
            return wrong(section, at, "accesses what %s points to without the mask of the bytes that there are",
                         f.name);
        return CST_OK;
    }

    int table(Section section, size_t at, const Value &a, uint32_t size, const Slot &slot) {
        if (a.base != Value::state || a.position || a.half)
            return wrong(section, at, "computes an address outside the state block");
        const FieldRecord *f = field_at(a.c, a.range + size);
        if (!f || !is(*f, "table")) return wrong(section, at, "computes an address that may lie outside the table");
        return slot.aligned ? wrong(section, at, "needs an aligned operand, its address is computed") : CST_OK;
    }

    int half(Section section, size_t at, const Value &a, uint32_t size, uint32_t bytes, uint32_t offset,
             const Slot &slot) {
        const int64_t low = a.c - offset;
        if (a.half != bytes)
            return wrong(section, at, "toggles by %u; a half of the hand-over buffer has %u bytes", a.half, bytes);
        if (low < 0 || low + size > bytes) return wrong(section, at, "leaves its half of the hand-over buffer");
        const uint32_t align = a.base == Value::from ? places_.from_align : record_.state_align;
        if (slot.aligned && size != 0 && (a.c % size != 0 || bytes % size != 0 || align % size != 0))
            return wrong(section, at, "needs an aligned operand");
        return CST_OK;
    }

    const Pack &pack_;
    const Program &program_;
    const ProgramRecord &record_;
    std::string *why_;
    const uint32_t from_half_;
    const uint32_t avx512_ = form_features("avx512f");
    uint32_t declared_ = 0;
    Places places_;
    std::map<uint32_t, Pointer> pointers_;
    // From where in the state block a mask register was loaded in this section, or from which value.
    struct MaskValue {
        uint32_t place = NO_MASK_PLACE;
        Value value;
    };
    MaskValue masks_[8];
    std::vector<const Form *> forms_[3];
};

}  // namespace

int check_program(const Pack &pack, const ProgramRecord &record, ProgramFacts *facts, std::string *why) {
    Program program;
    if (decode_program(pack, record, &program))
        return refuse(why, "%s: its instructions cannot be decoded", record.name);
    return Checker(pack, program, why).run(facts);
}

}  // namespace cst
