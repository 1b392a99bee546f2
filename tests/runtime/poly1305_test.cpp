// Whether poly1305_wide gives what poly1305_blocks gives (poly1305_test): every number of blocks up to 300, for keys,
// blocks and accumulators that are random, all zeros and all ones, where accumulators have up to 131 bits; and whether
// it reads nothing in front of the blocks or behind them. Prints how many cases there were.

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <random>

#include "suite/poly1305_wide.hpp"

using namespace cst;

namespace {

constexpr size_t MOST = 300, PAGE = 4096;
std::mt19937_64 random_word(7);

enum class Fill { random, zeros, ones };

void fill(void *data, size_t bytes, Fill how) {
    uint8_t *const to = static_cast<uint8_t *>(data);
    for (size_t i = 0; i < bytes; i++)
        to[i] = how == Fill::random ? uint8_t(random_word()) : how == Fill::ones ? 0xff : 0;
}

}  // namespace

int main() {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512ifma"))
        return puts("this CPU has no AVX-512 IFMA"), 77;
    // Between pages that may not be touched.
    const size_t room = (16 * MOST + PAGE - 1) / PAGE * PAGE;
    void *const mapped = mmap(nullptr, room + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return puts("no memory"), 1;
    uint8_t *const begin = static_cast<uint8_t *>(mapped) + PAGE, *const end = begin + room;
    if (mprotect(begin, room, PROT_READ | PROT_WRITE)) return puts("no memory"), 1;
    size_t cases = 0;
    for (size_t blocks = 1; blocks <= MOST; blocks++)
        for (Fill keys : {Fill::random, Fill::zeros, Fill::ones})
            for (Fill texts : {Fill::random, Fill::random, Fill::zeros, Fill::ones})
                for (int top = 0; top < 8; top += 2) {
                    uint8_t bytes[32];
                    PolyKey key;
                    fill(bytes, sizeof(bytes), keys);
                    poly1305_key(bytes, &key);
                    uint8_t *const text = cases % 2 ? begin : end - 16 * blocks;
                    fill(text, 16 * blocks, texts);
                    uint64_t one[3], other[3];
                    fill(one, sizeof(one), top == 6 ? Fill::ones : Fill::random);
                    one[2] = uint64_t(top) + cases % 2;  // 7 at most
                    memcpy(other, one, sizeof(one));
                    poly1305_blocks(key, one, text, blocks);
                    poly1305_wide(key, other, text, blocks);
                    uint8_t tag[16], wide_tag[16];
                    poly1305_tag(key, one, tag);
                    poly1305_tag(key, other, wide_tag);
                    if (memcmp(tag, wide_tag, 16) || other[2] > 7)
                        return printf("%zu blocks: another tag\n", blocks), 1;
                    cases++;
                }
    printf("%zu cases\n", cases);
    return 0;
}
