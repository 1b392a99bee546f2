// The instructions that a foreign pack may contain: exactly the rows of generator/cryptostitch/core/instructions.py,
// one form per width.
#pragma once

#include <cstdint>

#include "program.hpp"

namespace cst {

// Tells what is known about a result in a general register; `other`: nothing is known.
enum class Meaning : uint8_t { mov, add, sub, xor_, and_, lea, other };

struct Slot {
    enum Immediate : uint8_t { none, byte, word, signed_word, any };
    static constexpr uint8_t READ = 1, WRITE = 2, ADDRESS = 0xff;
    uint8_t access, registers;  // registers: a bit per Width
    uint8_t immediate;
    uint8_t memory;             // 0: none; ADDRESS: only an address; else 1 + log2 of the bytes
    uint8_t aligned;
    uint8_t element, copies;    // of an embedded broadcast: 0 or 1 + log2 of the bytes, log2 of the number
};

// Registers and flags that hold a value only within a glued run, because other streams write them, too: a bit each.
enum Shared : uint8_t { SHARED_XMM0 = 1, SHARED_RDX = 2, SHARED_FLAGS = 4 };

struct Form {
    const char *name;
    Meaning meaning;
    bool hint, maskable;
    uint8_t needs, sets;        // bits of Shared that it reads and writes implicitly
    uint32_t features;
    uint8_t n_operands;
    Slot slots[4];
};

// Finds the forms of a mnemonic: [*begin, *end), empty if there is none.
void find_forms(const char *mnemonic, const Form **begin, const Form **end);

// Whether the instruction has this form; features are not compared.
bool matches(const Form &form, const Ins &ins);

// Returns the set of those comma-separated names that the table knows, as in Form::features.
uint32_t form_features(const char *names);

}  // namespace cst
