// The instructions of one program, decoded and checked. Registers are relative to the stream's window.
#pragma once

#include <cstdint>
#include <vector>

#include "pack.hpp"

namespace cst {

enum class Width : uint8_t { v128 = 0, v256 = 1, v512 = 2, g32 = 3, g64 = 4, mask = 5, g8 = 6, g16 = 7 };
enum class RegClass : uint8_t { vector, general, mask };

inline RegClass class_of(Width width) {
    return width <= Width::v512 ? RegClass::vector : width == Width::mask ? RegClass::mask : RegClass::general;
}

constexpr uint8_t RDX = 2;

struct Operand {
    enum Kind : uint8_t { none, reg, imm, mem, constant };
    Kind kind = none;
    bool is_shared = false;      // reg: xmm0 or rdx itself, which streams share outside their windows
    Width width = Width::v128;   // reg
    uint8_t number = 0;          // reg: register; mem: base
    uint8_t index = NO_INDEX;    // mem: index register
    uint8_t scale_log2 = 0;      // mem
    uint8_t bytes_log2 = 0;      // mem, constant: NO_ACCESS for lea
    uint8_t broadcast_log2 = 0;  // mem, constant
    int64_t value =
        0;  // imm: the value; mem: displacement; constant: its index in the program, once framed: in the pool

    static constexpr uint8_t NO_INDEX = 0xff;
    static constexpr uint8_t NO_ACCESS = 0xff;
};

struct Ins {
    static constexpr uint8_t NO_MASK = 0xff;
    static constexpr uint32_t MAX_OPERANDS = 4;
    uint16_t mnemonic = 0;  // index in the pack
    uint8_t n_operands = 0;
    uint8_t mask = NO_MASK;
    bool glue = false, zeroing = false;
    Operand operands[MAX_OPERANDS];
};

struct Program {
    ProgramRecord record;
    std::vector<Ins> enter, body, leave;
    bool names_xmm0 = false, names_rdx = false;
};

// Decodes a program. Returns CST_OK or CST_ERR_PACK; may throw std::bad_alloc.
int decode_program(const Pack &pack, const ProgramRecord &record, Program *out);

}  // namespace cst
