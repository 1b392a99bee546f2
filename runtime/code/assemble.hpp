// Physical instructions to bytes. assemble.cpp is the only file that knows asmjit, and asmjit is nothing but an encoder
// here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "program.hpp"

namespace cst {

// Errors are remembered; finish() returns the first.
class Encoder {
public:
    // `check`: let asmjit validate every combination of operands, and refuse instructions that a stream must not
    // contain.
    Encoder(const Pack &pack, bool check);
    ~Encoder();

    // An instruction of a program, with physical registers; a constant's value is its offset in the pool.
    void emit(const Ins &ins);

    // What the frame adds, by name.
    void emit(const char *mnemonic);
    void emit(const char *mnemonic, Width width, uint8_t a);
    void emit(const char *mnemonic, Width width, uint8_t a, int32_t immediate);
    void emit2(const char *mnemonic, Width width, uint8_t a, uint8_t b);
    void emit3(const char *mnemonic, Width width, uint8_t a, uint8_t b, uint8_t c);
    void load(const char *mnemonic, Width width, uint8_t dst, uint8_t base, int32_t disp);
    void store(const char *mnemonic, Width width, uint8_t base, int32_t disp, uint8_t src);
    void bind_loop();
    void jump_to_loop();  // while the counter is not zero
    void skip_loop(uint8_t counter);  // where it is zero
    void bind_behind();  // where that goes
    void hop();  // jumps to the next instruction
    // The constant pool: zero bytes up to a multiple of 64, then these bytes.
    void pool(const std::vector<uint8_t> &bytes);

    // Bytes so far.
    size_t size() const;

    // CST_OK and the bytes; or CST_ERR_PACK, CST_ERR_MEMORY.
    int finish(std::vector<uint8_t> *code);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace cst
