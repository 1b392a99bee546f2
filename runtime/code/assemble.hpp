// Encodes physical instructions as bytes. assemble.cpp is the only file that knows asmjit, and uses it as an encoder
// only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "program.hpp"

namespace cst {

// Keeps errors; finish() returns the first.
class Encoder {
public:
    // check: asmjit validates every combination of operands, and instructions that a stream must not contain are
    // refused.
    Encoder(const Pack &pack, bool check);
    ~Encoder();

    // Emits an instruction of a program, with physical registers; a constant's value is its offset in the pool.
    void emit(const Ins &ins);

    // Emit what the frame adds, by name.
    void emit(const char *mnemonic);
    void emit(const char *mnemonic, Width width, uint8_t a);
    void emit(const char *mnemonic, Width width, uint8_t a, int32_t immediate);
    void emit2(const char *mnemonic, Width width, uint8_t a, uint8_t b);
    void emit3(const char *mnemonic, Width width, uint8_t a, uint8_t b, uint8_t c);
    void load(const char *mnemonic, Width width, uint8_t dst, uint8_t base, int32_t disp);
    void store(const char *mnemonic, Width width, uint8_t base, int32_t disp, uint8_t src);
    void bind_loop();
    void jump_to_loop();  // if the counter is not zero
    void skip_loop();  // jumps to bind_behind() if the counter is zero
    void bind_behind();  // target of skip_loop()
    void bind_job();
    void jump_to_job();  // if the number of jobs is not zero
    void hop();  // jumps to the next instruction
    // Emits the constant pool: zero bytes up to a multiple of 64, then these bytes.
    void pool(const std::vector<uint8_t> &bytes);

    // Returns the number of bytes so far.
    size_t size() const;

    // Returns CST_OK and the bytes; or CST_ERR_PACK, CST_ERR_MEMORY.
    int finish(std::vector<uint8_t> *code);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace cst
