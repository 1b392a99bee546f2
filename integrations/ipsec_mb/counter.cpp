#include "counter.hpp"

#include <algorithm>
#include <cstring>

#include "executors/calls.hpp"
#include "parts/key_stream.hpp"
#include "plan/lineup.hpp"

namespace cst::imb {
namespace {

uint32_t low_word(const uint8_t *counter) {
    uint32_t word;
    memcpy(&word, counter + 12, sizeof(word));
    return __builtin_bswap32(word);
}

// Encrypts a text in counter mode, or a single block.
class TextCall : public Calls {
public:
    TextCall(const Suite &suite, const Variant &v, uint64_t bytes) : Calls(*suite.engine, v, bytes) {}

    static bool has_room(const Variant &v) { return Calls::has_room(v); }

    void run(const void *round_keys, const uint8_t *counter, const uint8_t *in, uint8_t *out) {
        if (counter) memcpy(state_ + place_.chain, counter, BLOCK);
        point(place_.key, round_keys);
        call(in, out);
        v_.calls.add(1);
    }
};

const Variant *block_kernel(const Suite &suite) {
    Need need = {&suite.blocks, 1, BLOCK, BLOCK};
    need.whole = true;
    return line_up(suite, need).variant;
}

// The counter does not carry into its last 32 bits' neighbours.
bool run_text(const Suite &suite, const void *round_keys, const uint8_t *counter, const uint8_t *in, uint8_t *out,
              uint64_t bytes) {
    const Variant *const v = MessageKernels(suite, false, 1, 0).of(bytes);
    if (v && TextCall::has_room(*v)) {
        TextCall(suite, *v, bytes).run(round_keys, counter, in, out);
        return true;
    }
    return !add_key_stream(&suite, round_keys, counter, {in, size_t(bytes)}, out);
}

}  // namespace

void count_on_32(uint8_t *counter, uint64_t blocks) {
    const uint32_t word = __builtin_bswap32(low_word(counter) + uint32_t(blocks));
    memcpy(counter + 12, &word, sizeof(word));
}

void encrypt_block(uint64_t key_bytes, const void *round_keys, const uint8_t *in, uint8_t *out) {
    static std::atomic<const Variant *> kernels[3];
    const Suite &suite = basic_suite(Cipher::ecb, key_bytes);
    std::atomic<const Variant *> &known = kernels[key_bytes / 8 - 2];
    const Variant *v = known.load(std::memory_order_acquire);
    if (!v) known.store(v = block_kernel(suite), std::memory_order_release);
    TextCall(suite, *v, BLOCK).run(round_keys, nullptr, in, out);
}

bool counter_blocks(uint64_t key_bytes, const void *round_keys, uint8_t *counter, const uint8_t *in, uint8_t *out,
                    uint64_t blocks) {
    const Suite &suite = basic_suite(Cipher::ctr, key_bytes);
    bool done = true;
    while (blocks && done) {  // where the 32 bits are used up, the library's counter would carry
        const uint64_t some = std::min(blocks, (uint64_t(1) << 32) - low_word(counter));
        done = run_text(suite, round_keys, counter, in, out, some * BLOCK);
        count_on_32(counter, some);
        in += some * BLOCK;
        out += some * BLOCK;
        blocks -= some;
    }
    return done;
}

}  // namespace cst::imb
