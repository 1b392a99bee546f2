// Single blocks of AES by a kernel: masks of tags, first tweaks.
#pragma once

#include "calls.hpp"
#include "lineup.hpp"

namespace cst {

// For some of them, one after the other. Of a suite that has `blocks`.
class BlockCalls : public Calls {
public:
    explicit BlockCalls(const Suite &suite) : Calls(*suite.engine, kernel(suite), BLOCK) {}
    ~BlockCalls() { v_.calls.add(n_); }

    // out == in is allowed.
    void encipher(const uint8_t (*round_keys)[16], const uint8_t *in, uint8_t *out) {
        point(place_.key, round_keys);
        call(in, out);
        n_++;
    }

private:
    static const Variant &kernel(const Suite &suite) {
        Need need = {&suite.blocks, 1, BLOCK, BLOCK};
        need.whole = true;
        return *line_up(suite, need).variant;
    }

    size_t n_ = 0;
};

}  // namespace cst
