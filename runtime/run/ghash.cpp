#include "ghash.hpp"

#include "calls.hpp"
#include "lineup.hpp"

namespace cst {
namespace {

class GhashCall : public Calls {
public:
    GhashCall(const Engine &engine, const Variant &v, uint64_t bytes) : Calls(engine, v, bytes) {}

    void run(const uint8_t (*powers_end)[16], uint8_t *y, const void *data) {
        memcpy(state_ + place_.chain, y, BLOCK);
        point(place_.powers, powers_end - v_.step / BLOCK);
        point(place_.end_powers, powers_end - blocks_of(end_));
        call(data, nullptr);
        memcpy(y, state_ + place_.chain, BLOCK);
    }
};

}  // namespace

void ghash(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, const void *data, uint64_t bytes) {
    if (!bytes) return;
    Need need = {&suite.whole_hashes, 1, bytes, bytes};
    need.whole = true;
    const Variant &v = *line_up(suite, need).variant;
    GhashCall(*suite.engine, v, bytes).run(powers_end, y, data);
    v.calls.add(1);
}

void ghash_lengths(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, uint64_t aad, uint64_t text) {
    alignas(16) uint8_t lengths[16];
    put_words(lengths, __builtin_bswap64(8 * aad), __builtin_bswap64(8 * text));
    ghash(suite, powers_end, y, lengths, sizeof(lengths));
}

}  // namespace cst
