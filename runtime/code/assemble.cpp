#include "assemble.hpp"

#include <asmjit/x86.h>

#include <cstring>

#include "cryptostitch/cryptostitch.h"

namespace cst {

using namespace asmjit;

namespace {

// Where LLVM MC and asmjit choose different bytes for the same instruction, the encoder follows LLVM: a VEX instruction
// of the 0F map needs only a two-byte prefix if its last register is one of 0 to 7; to get there, LLVM exchanges the
// sources of a commutative instruction, and stores instead of loads in a register move.
constexpr const char *COMMUTATIVE[] = {
    "vpaddb",  "vpaddd",   "vpaddq",   "vpaddsb",  "vpaddsw",  "vpaddusb", "vpaddusw", "vpaddw",  "vpand",
    "vpavgb",  "vpavgw",   "vpcmpeqb", "vpcmpeqd", "vpcmpeqw", "vpmaddwd", "vpmaxsw",  "vpmaxub", "vpminsw",
    "vpminub", "vpmulhuw", "vpmulhw",  "vpmullw",  "vpmuludq", "vpor",     "vpsadbw",  "vpxor",   "vandps",
    "vandpd",  "vorps",    "vorpd",    "vxorps",   "vxorpd",   "vaddps",   "vaddpd",   "vmulps",  "vmulpd",
};
// asmjit does not offer the storing form of vmovdqa, so the encoder writes these four bytes itself.
constexpr struct Move {
    const char *name;
    uint8_t prefix, opcode;  // VEX.pp and the opcode of the storing form
} MOVES[] = {{"vmovdqa", 1, 0x7f}, {"vmovdqu", 2, 0x7f}, {"vmovaps", 0, 0x29},
             {"vmovapd", 1, 0x29}, {"vmovups", 0, 0x11}, {"vmovupd", 1, 0x11}};

// A stream never touches the stack and never jumps. The check of foreign packs (check_program.cpp) admits no such
// instruction; this list is the second lock.
constexpr const char *REFUSED[] = {"push",   "pop",     "pushfq",   "popfq",    "pushf",   "popf", "enter",
                                   "leave",  "syscall", "sysenter", "int",      "int3",    "ud2",  "hlt",
                                   "wrpkru", "xrstor",  "xrstor64", "wrfsbase", "wrgsbase"};

template <size_t N>
bool contains(const char *const (&names)[N], const char *name) {
    for (const char *candidate : names)
        if (std::strcmp(candidate, name) == 0) return true;
    return false;
}

struct Known {
    InstId id = x86::Inst::kIdNone;
    bool looked_up = false, commutative = false;
    const Move *move = nullptr;
};

InstId find(const char *mnemonic) { return InstAPI::stringToInstId(Arch::kX64, mnemonic, std::strlen(mnemonic)); }

x86::Reg reg(Width width, uint8_t n) {
    switch (width) {
        case Width::v128: return x86::xmm(n);
        case Width::v256: return x86::ymm(n);
        case Width::v512: return x86::zmm(n);
        case Width::g32: return x86::gpd(n);
        case Width::g64: return x86::gpq(n);
        case Width::g16: return x86::gpw(n);
        case Width::g8: return x86::gpb_lo(n);
        default: return x86::KReg(n);
    }
}

// Whether the assemblers choose a VEX encoding for the instruction, whose operands must all be registers.
bool is_vex(const Ins &ins) {
    bool vex = ins.n_operands >= 2 && ins.mask == Ins::NO_MASK;
    for (uint32_t i = 0; i < ins.n_operands; i++) {
        const cst::Operand &o = ins.operands[i];
        vex = vex && o.kind == cst::Operand::reg && (o.width == Width::v128 || o.width == Width::v256) && o.number < 16;
    }
    return vex;
}

}  // namespace

struct Encoder::State {
    State(const Pack &p, bool c) : pack(p), check(c), known(p.n_mnemonics()) {
        note(code.init(Environment(Arch::kX64)));
        note(code.attach(&a));
        if (check) a.addDiagnosticOptions(DiagnosticOptions::kValidateAssembler);
        loop = a.newLabel();
        behind = a.newLabel();
        job = a.newLabel();
        constants = a.newLabel();
    }

    void note(Error e) {
        if (error == kErrorOk) error = e;
    }

    const Known *lookup(uint16_t mnemonic) {
        Known &k = known[mnemonic];
        if (k.looked_up) return &k;
        k.looked_up = true;
        const char *name;
        if (pack.mnemonic(mnemonic, &name) != CST_OK) return &k;
        k.commutative = contains(COMMUTATIVE, name);
        for (const Move &move : MOVES)
            if (std::strcmp(move.name, name) == 0) k.move = &move;
        k.id = find(name);
        if (k.id != x86::Inst::kIdNone && check &&
            (contains(REFUSED, name) || x86::InstDB::infoById(k.id).controlFlow() != InstControlFlow::kRegular))
            k.id = x86::Inst::kIdNone;
        return &k;
    }

    x86::Mem memory(const Operand &o) const {
        uint32_t size = o.bytes_log2 == cst::Operand::NO_ACCESS ? 0 : 1u << o.bytes_log2;
        x86::Mem m = o.kind == cst::Operand::constant ? x86::ptr(constants, int32_t(o.value), size)
                     : o.index == cst::Operand::NO_INDEX
                         ? x86::ptr(x86::gpq(o.number), int32_t(o.value), size)
                         : x86::ptr(x86::gpq(o.number), x86::gpq(o.index), o.scale_log2, int32_t(o.value), size);
        if (o.broadcast_log2 != 0) m.setBroadcast(x86::Mem::Broadcast(o.broadcast_log2));
        return m;
    }

    // Writes VEX with two bytes: not R (the source is 8 to 15), no second source (1111), L, pp.
    void store_move(const Move &move, const cst::Operand &dst, const cst::Operand &src) {
        uint8_t length = dst.width == Width::v256 ? 4 : 0;
        uint8_t modrm = uint8_t(0xc0 | (src.number & 7) << 3 | dst.number);
        uint8_t bytes[] = {0xc5, uint8_t(0x78 | length | move.prefix), move.opcode, modrm};
        note(a.embed(bytes, sizeof bytes));
    }

    void run(const char *mnemonic, std::initializer_list<asmjit::Operand> operands) {
        note(a.emitOpArray(find(mnemonic), operands.begin(), operands.size()));
    }

    const Pack &pack;
    bool check;
    std::vector<Known> known;
    CodeHolder code;
    x86::Assembler a;
    Label loop, behind, job, constants;
    Error error = kErrorOk;
};

Encoder::Encoder(const Pack &pack, bool check) : state_(new State(pack, check)) {}
Encoder::~Encoder() = default;

void Encoder::emit(const Ins &ins) {
    State &s = *state_;
    const Known *known = s.lookup(ins.mnemonic);
    if (known->id == x86::Inst::kIdNone) return s.note(kErrorInvalidInstruction);
    asmjit::Operand operands[Ins::MAX_OPERANDS];
    for (uint32_t i = 0; i < ins.n_operands; i++) {
        const cst::Operand &o = ins.operands[i];
        if (o.kind == cst::Operand::reg) operands[i] = reg(o.width, o.number);
        else if (o.kind == cst::Operand::imm) operands[i] = imm(o.value);
        else operands[i] = s.memory(o);
    }
    if ((known->commutative || known->move) && is_vex(ins)) {
        if (known->move && ins.operands[0].number < 8 && ins.operands[1].number >= 8)
            return s.store_move(*known->move, ins.operands[0], ins.operands[1]);
        if (known->commutative && ins.n_operands == 3 && ins.operands[1].number < 8 && ins.operands[2].number >= 8)
            std::swap(operands[1], operands[2]);
    }
    if (ins.mask != Ins::NO_MASK) {
        s.a.setExtraReg(x86::KReg(ins.mask));
        if (ins.zeroing) s.a.addInstOptions(InstOptions::kX86_ZMask);
    }
    s.note(s.a.emitOpArray(known->id, operands, ins.n_operands));
}

void Encoder::emit(const char *mnemonic) { state_->run(mnemonic, {}); }

void Encoder::emit(const char *mnemonic, Width width, uint8_t a) { state_->run(mnemonic, {reg(width, a)}); }

void Encoder::emit(const char *mnemonic, Width width, uint8_t a, int32_t immediate) {
    state_->run(mnemonic, {reg(width, a), imm(immediate)});
}

void Encoder::emit2(const char *mnemonic, Width width, uint8_t a, uint8_t b) {
    state_->run(mnemonic, {reg(width, a), reg(width, b)});
}

void Encoder::emit3(const char *mnemonic, Width width, uint8_t a, uint8_t b, uint8_t c) {
    state_->run(mnemonic, {reg(width, a), reg(width, b), reg(width, c)});
}

void Encoder::load(const char *mnemonic, Width width, uint8_t dst, uint8_t base, int32_t disp) {
    x86::Reg r = reg(width, dst);
    state_->run(mnemonic, {r, x86::ptr(x86::gpq(base), disp, r.size())});
}

void Encoder::store(const char *mnemonic, Width width, uint8_t base, int32_t disp, uint8_t src) {
    x86::Reg r = reg(width, src);
    state_->run(mnemonic, {x86::ptr(x86::gpq(base), disp, r.size()), r});
}

void Encoder::bind_loop() { state_->note(state_->a.bind(state_->loop)); }

void Encoder::jump_to_loop() { state_->note(state_->a.emit(x86::Inst::kIdJnz, state_->loop)); }

void Encoder::skip_loop() { state_->note(state_->a.long_().emit(x86::Inst::kIdJz, state_->behind)); }

void Encoder::bind_behind() { state_->note(state_->a.bind(state_->behind)); }

void Encoder::bind_job() { state_->note(state_->a.bind(state_->job)); }

void Encoder::jump_to_job() { state_->note(state_->a.emit(x86::Inst::kIdJnz, state_->job)); }

void Encoder::hop() {
    State &s = *state_;
    const Label next = s.a.newLabel();
    s.note(s.a.short_().emit(x86::Inst::kIdJmp, next));
    s.note(s.a.bind(next));
}

void Encoder::pool(const std::vector<uint8_t> &bytes) {
    State &s = *state_;
    s.note(s.a.align(AlignMode::kZero, 64));
    s.note(s.a.bind(s.constants));
    s.note(s.a.embed(bytes.data(), bytes.size()));
}

size_t Encoder::size() const { return state_->a.offset(); }

int Encoder::finish(std::vector<uint8_t> *code) {
    State &s = *state_;
    if (s.error == kErrorOutOfMemory) return CST_ERR_MEMORY;
    if (s.error != kErrorOk || s.code.hasUnresolvedLinks() || s.code.hasRelocEntries()) return CST_ERR_PACK;
    const CodeBuffer &buffer = s.code.textSection()->buffer();
    code->assign(buffer.data(), buffer.data() + buffer.size());
    return CST_OK;
}

}  // namespace cst
