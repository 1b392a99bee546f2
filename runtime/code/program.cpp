#include "program.hpp"

#include "cryptostitch/cryptostitch.h"
#include "reader.hpp"
#include "stored.hpp"

namespace cst {

namespace {

enum : uint8_t { TAG_IMM8 = 16, TAG_IMM32 = 17, TAG_IMM64 = 18, TAG_XMM0 = 8, TAG_RDX = 9, TAG_MEMORY = 32 };
enum : uint8_t { OPERAND_COUNT = 0x0f, GLUE = 1 << 4, ZEROING = 1 << 5, HAS_MASK = 1 << 6 };
enum : uint8_t { HAS_BASE = 1, HAS_INDEX = 2, IS_CONSTANT = 4 };

struct Decoder {
    Reader r;
    const ProgramRecord &record;
    uint32_t n_mnemonics;
    bool names_xmm0 = false, names_rdx = false;

    uint32_t window(RegClass cls) const {
        return cls == RegClass::vector ? record.vectors : cls == RegClass::general ? record.generals : record.masks;
    }

    bool memory(Operand *out) {
        uint8_t flags = r.u8();
        out->number = r.u8();
        uint8_t index = r.u8();
        out->scale_log2 = r.u8();
        out->bytes_log2 = r.u8();
        out->broadcast_log2 = r.u8();
        out->value = int32_t(r.u32());
        if (out->scale_log2 > 3 || out->broadcast_log2 > 5) return false;
        if (out->bytes_log2 > 6 && out->bytes_log2 != Operand::NO_ACCESS) return false;
        if (flags == IS_CONSTANT) {
            out->kind = Operand::constant;
            return out->value >= 0 && uint64_t(out->value) < record.constants.size();
        }
        out->kind = Operand::mem;
        if (flags != HAS_BASE && flags != (HAS_BASE | HAS_INDEX)) return false;  // no absolute addresses
        if (flags & HAS_INDEX) {
            if (index >= record.generals) return false;
            out->index = index;
        }
        return out->number < record.generals;
    }

    bool operand(Operand *out) {
        uint8_t tag = r.u8();
        if (tag <= uint8_t(Width::g16)) {
            out->kind = Operand::reg;
            out->width = Width(tag);
            out->number = r.u8();
            return out->number < window(class_of(out->width));
        }
        if (tag == TAG_MEMORY) return memory(out);
        if (tag == TAG_XMM0) {
            out->kind = Operand::reg;
            out->is_shared = names_xmm0 = true;
            return true;
        }
        if (tag == TAG_RDX) {
            out->kind = Operand::reg;
            out->width = Width::g64;
            out->number = RDX;
            out->is_shared = names_rdx = true;
            return true;
        }
        out->kind = Operand::imm;
        if (tag == TAG_IMM8) out->value = int8_t(r.u8());
        else if (tag == TAG_IMM32) out->value = int32_t(r.u32());
        else if (tag == TAG_IMM64) out->value = int64_t(r.u64());
        else return false;
        return true;
    }

    bool instruction(Ins *out) {
        out->mnemonic = r.u16();
        uint8_t head = r.u8();
        out->n_operands = head & OPERAND_COUNT;
        out->glue = head & GLUE;
        out->zeroing = head & ZEROING;
        if (head & 0x80 || out->n_operands > Ins::MAX_OPERANDS || out->mnemonic >= n_mnemonics) return false;
        if (head & HAS_MASK) {
            out->mask = r.u8();
            if (out->mask >= record.masks || out->n_operands == 0) return false;
        } else if (out->zeroing) {
            return false;
        }
        for (uint32_t i = 0; i < out->n_operands; i++)
            if (!operand(&out->operands[i])) return false;
        return r.ok();
    }
};

}  // namespace

int decode_program(const Pack &pack, const ProgramRecord &record, Program *out) {
    out->record = record;
    std::vector<uint8_t> buffer;
    const uint8_t *code;
    if (int error = stored_code(record, &buffer, &code)) return error;
    Decoder decoder{Reader(code, record.code_bytes, 0, record.code_bytes), record, pack.n_mnemonics()};
    struct {
        std::vector<Ins> *code;
        uint32_t n;
    } sections[] = {{&out->enter, record.n_enter}, {&out->body, record.n_body}, {&out->leave, record.n_leave}};
    for (auto &section : sections) {
        if (uint64_t(section.n) * 3 > decoder.r.left())
            return CST_ERR_PACK;  // an instruction takes at least three bytes
        section.code->clear();
        section.code->resize(section.n);
        for (Ins &ins : *section.code)
            if (!decoder.instruction(&ins)) return CST_ERR_PACK;
    }
    out->names_xmm0 = decoder.names_xmm0;
    out->names_rdx = decoder.names_rdx;
    return decoder.r.left() == 0 ? CST_OK : CST_ERR_PACK;
}

}  // namespace cst
