#include "counter.hpp"

#include <algorithm>
#include <cstring>

#include "executors/alone.hpp"
#include "message/constructions.hpp"
#include "message/job_list.hpp"
#include "parts/key_stream.hpp"

namespace cst::imb {
namespace {

// Returns false, and does nothing, if there is no kernel of whole texts for it, or others take less time.
bool run_whole(const Suite &suite, const void *round_keys, const uint8_t *counter, const uint8_t *in, uint8_t *out,
               uint64_t bytes) {
    KernelCall spare;
    const KernelCall *const kernel = without_list(whole_call(suite, false, 0, bytes, &spare));
    if (!kernel) return false;
    CallRoom room(*kernel);
    CipherCalls(&room).run(round_keys, counter, in, out, bytes);
    kernel->variant->calls.add(1);
    return true;
}

// The counter does not carry into its last 32 bits' neighbours.
bool run_text(const Suite &suite, const void *round_keys, const uint8_t *counter, const uint8_t *in, uint8_t *out,
              uint64_t bytes) {
    return run_whole(suite, round_keys, counter, in, out, bytes) ||
           !add_key_stream(&suite, round_keys, counter, {in, size_t(bytes)}, out);
}

}  // namespace

void encrypt_block(uint64_t key_bytes, const void *round_keys, const uint8_t *in, uint8_t *out) {
    const Suite &suite = basic_suite(Cipher::ecb, key_bytes);
    if (run_whole(suite, round_keys, nullptr, in, out, BLOCK)) return;
    BlockCalls(suite).encipher(static_cast<const KeyRow *>(round_keys), in, out);
}

bool counter_blocks(uint64_t key_bytes, const void *round_keys, uint8_t *counter, const uint8_t *in, uint8_t *out,
                    uint64_t blocks) {
    const Suite &suite = basic_suite(Cipher::ctr, key_bytes);
    bool done = true;
    while (blocks && done) {  // where the 32 bits are used up, the library's counter would carry
        const uint64_t some = std::min(blocks, (uint64_t(1) << 32) - counter_word(counter));
        done = run_text(suite, round_keys, counter, in, out, some * BLOCK);
        count_on(counter, some);
        in += some * BLOCK;
        out += some * BLOCK;
        blocks -= some;
    }
    return done;
}

}  // namespace cst::imb
