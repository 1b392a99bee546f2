/* Digests of a column, by kernels that hash a message in each lane. A hash's own file (column_<hash>.c) says before
 * what differs:
 *
 *     word, WORDS, initial[]   a chaining value and its start
 *     BLOCK, LENGTH            bytes of a block, and of the message's length in the last one
 *     BIG_ENDIAN_WORDS         whether words and length are
 *     DIGEST                   bytes of it
 *     MOST_LANES, MOST_STATE   of any kernel, and bytes of all its state blocks
 *
 * Items are taken in windows, and in each those of the most blocks first: lanes that begin together then end together.
 * A short item is copied and padded in one piece; of a long one the whole blocks are read where they lie, then its end
 * is padded. A lane that is done takes the next item.
 */
#include <emmintrin.h>
#include <string.h>

#include "column_cpu.h"

#ifdef __ELF__ /* a shared library does not export kernels */
#define CST_HIDDEN __attribute__((visibility("hidden")))
#else
#define CST_HIDDEN
#endif

struct kernel_args {
    uint64_t iterations;
    void *state[4];
};

/* A kernel, and where its fields lie. Lanes of several streams follow one another. */
struct kernel {
    const char *name;
    void (*run)(const struct kernel_args *);
    uint32_t needs; /* of column_cpu.h */
    uint32_t cycles; /* of an iteration, in the mean of CPUs where it was measured: kernels are chosen by them */
    uint16_t lanes, streams, state; /* bytes of a stream's state block */
    uint16_t chain, chain_row, chain_lane, chain_bytes; /* where the chaining values begin; to the next word, lane */
    uint16_t in, in_lane; /* pointers to what is read */
};

enum {
    WINDOW = 1024, /* items that are sorted at once */
    BUCKETS = 128, /* of block counts: one each up to LONG, then eight for each doubling, the last for all above */
    LONG = 32, /* blocks. Such items run by themselves, so that one does not hold up the lanes of many */
    SHORT = 4, /* blocks that are copied in one piece */
    PITCH = SHORT * BLOCK + 64, /* from a lane's copy to the next: neighbours begin in other sets of the cache */
    ROW = 16
};

struct column {
    const uint8_t *data, *end;
    const void *offsets;
    uint8_t *digests;
    int wide;
    uint64_t ahead; /* bytes of the window. So far behind an item lies what is wanted in the next one */
};

static inline uint64_t offset_at(const struct column *c, size_t i) {
    return c->wide ? ((const uint64_t *)c->offsets)[i] : ((const uint32_t *)c->offsets)[i];
}

static inline uint64_t padded_blocks(uint64_t bytes) { return (bytes + LENGTH + BLOCK) / BLOCK; }

/* The end of a message of `bytes` bytes: those of its last `used` that lie at `from`, with the padding. Returns how
 * many blocks that makes. No branch depends on a length but by whole blocks: lengths follow one another without any
 * order. */
static inline size_t put_end(uint8_t *to, const uint8_t *from, size_t used, uint64_t bytes, const uint8_t *readable) {
    const size_t all = padded_blocks(used) * BLOCK;
    if ((size_t)(readable - from) < all) {
        memset(to, 0, all);
        memcpy(to, from, used);
        from = to;
    }
    /* Before this row there is nothing but the message. */
    const size_t mixed = all > BLOCK ? (all - BLOCK - LENGTH) / ROW * ROW : 0;
    size_t at = 0;
    for (; at < mixed; at += ROW) _mm_store_si128((__m128i *)(to + at), _mm_loadu_si128((const __m128i *)(from + at)));
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i mark = _mm_set1_epi8((char)0x80), row = _mm_set1_epi8(ROW);
    __m128i last, rest = _mm_set1_epi8((char)(used - mixed)); /* of the message, from this row on */
    for (;; at += ROW, rest = _mm_sub_epi8(rest, row)) {
        last = _mm_and_si128(_mm_loadu_si128((const __m128i *)(from + at)), _mm_cmpgt_epi8(rest, places));
        last = _mm_or_si128(last, _mm_and_si128(mark, _mm_cmpeq_epi8(rest, places)));
        if (at == all - ROW) break;
        _mm_store_si128((__m128i *)(to + at), last);
    }
    const uint64_t bits =
        BIG_ENDIAN_WORDS ? __builtin_bswap64(bytes << 3) : bytes << 3; /* memory holds less than 2^61 */
    _mm_store_si128((__m128i *)(to + at), _mm_or_si128(last, _mm_set_epi64x((long long)bits, 0)));
    return all / BLOCK;
}

/* What a lane does. */
struct lane {
    uint8_t *in; /* where its pointer lies in the state block, and where the first word of its chaining value */
    uint8_t *chain;
    uint8_t *copy; /* PITCH bytes */
    const uint8_t *at; /* what is read next */
    uint64_t left; /* blocks until there is something else to do */
    size_t item, rest; /* bytes of it behind these blocks; NO_REST: nothing, padding included */
};
#define NO_REST SIZE_MAX

static inline void point(struct lane *lane, const uint8_t *at) {
    lane->at = at;
    memcpy(lane->in, &at, sizeof at);
}

static inline void put_chain(uint8_t *chain, const struct kernel *k) {
    for (size_t i = 0; i < WORDS; i++) memcpy(chain + i * k->chain_row, &initial[i], sizeof(word));
}

static inline void take_item(struct lane *lane, const struct column *c, size_t item) {
    const uint64_t from = offset_at(c, item), bytes = offset_at(c, item + 1) - from;
    lane->item = item;
    if (padded_blocks(bytes) <= SHORT) {
        const uintptr_t next = (uintptr_t)c->data + from + c->ahead;
        lane->left = put_end(lane->copy, c->data + from, (size_t)bytes, bytes, c->end);
        for (size_t at = 0; at < lane->left * BLOCK; at += 64) __builtin_prefetch((const void *)(next + at));
        lane->rest = NO_REST;
        point(lane, lane->copy);
    } else {
        lane->left = bytes / BLOCK;
        lane->rest = bytes % BLOCK;
        point(lane, c->data + from);
    }
}

static inline void take_rest(struct lane *lane, const struct column *c) {
    const uint64_t bytes = offset_at(c, lane->item + 1) - offset_at(c, lane->item);
    lane->left = put_end(lane->copy, lane->at, lane->rest, bytes, c->end);
    lane->rest = NO_REST;
    point(lane, lane->copy);
}

static inline void write_digest(const struct lane *lane, const struct kernel *k, const struct column *c) {
    uint8_t *const to = c->digests + lane->item * DIGEST;
    for (size_t i = 0; i < DIGEST / sizeof(word); i++) {
        word value;
        memcpy(&value, lane->chain + i * k->chain_row, sizeof value);
        if (BIG_ENDIAN_WORDS)
            value = sizeof value == 8 ? (word)__builtin_bswap64(value) : __builtin_bswap32((uint32_t)value);
        memcpy(to + i * sizeof value, &value, sizeof value);
    }
}

/* The items first + order[0 .. n), in the lanes of a kernel. */
static void run(const struct kernel *k, const struct column *c, size_t first, const uint16_t *order, size_t n) {
    uint8_t states[MOST_STATE] __attribute__((aligned(64))), copies[MOST_LANES * PITCH] __attribute__((aligned(64)));
    uint8_t fresh[MOST_STATE];
    struct lane lanes[MOST_LANES];
    uint16_t live[MOST_LANES], empty[MOST_LANES];
    struct kernel_args args = {0, {0}};
    const size_t width = k->lanes, each = width / k->streams;
    for (size_t i = 0; i < width; i++) {
        uint8_t *const state = states + i / each * k->state;
        args.state[i / each] = state;
        lanes[i].in = state + k->in + i % each * k->in_lane;
        lanes[i].chain = state + k->chain + i % each * k->chain_lane;
        lanes[i].copy = copies + i * PITCH;
        empty[i] = (uint16_t)i;
        if (i < each) put_chain(fresh + i * k->chain_lane, k);
    }
    size_t next = 0, alive = 0, free = width;
    for (;;) {
        const int all = free == width;
        if (all)
            for (size_t i = 0; i < k->streams; i++) memcpy((uint8_t *)args.state[i] + k->chain, fresh, k->chain_bytes);
        while (free && next < n) {
            struct lane *const lane = &lanes[live[alive++] = empty[--free]];
            if (!all) put_chain(lane->chain, k);
            take_item(lane, c, first + order[next++]);
        }
        if (!alive) return;
        uint64_t blocks = lanes[live[0]].left;
        for (size_t i = 1; i < alive; i++)
            if (lanes[live[i]].left < blocks) blocks = lanes[live[i]].left;
        for (size_t i = 0; i < free; i++)
            point(&lanes[empty[i]], lanes[live[0]].at); /* what becomes of it is not asked */
        args.iterations = blocks;
        k->run(&args);
        const size_t ran = alive;
        alive = 0;
        for (size_t i = 0; i < ran; i++) {
            struct lane *const lane = &lanes[live[i]];
            point(lane, lane->at + blocks * BLOCK);
            if (!(lane->left -= blocks)) {
                if (lane->rest == NO_REST) {
                    write_digest(lane, k, c);
                    empty[free++] = live[i];
                    continue;
                }
                take_rest(lane, c);
            }
            live[alive++] = live[i];
        }
    }
}

/* Items of a window in the order of their blocks, the most first; how many of them are LONG, and the blocks of these
 * and of the others: all, and the most. */
struct sorted {
    uint16_t order[WINDOW];
    size_t n_long;
    uint64_t all[2], most[2]; /* 1: of long ones */
};

static inline uint32_t bucket_of(uint64_t blocks) {
    if (blocks < LONG) return (uint32_t)blocks;
    const uint32_t log2 = 63 - (uint32_t)__builtin_clzll(blocks);
    const uint32_t bucket = LONG + 8 * (log2 - 5) + (uint32_t)(blocks >> (log2 - 3) & 7);
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static void sort(struct sorted *s, const struct column *c, size_t first, size_t n) {
    uint16_t from[BUCKETS + 1] = {0};
    uint8_t place[WINDOW];
    uint64_t begins = offset_at(c, first);
    memset(s->all, 0, sizeof s->all);
    memset(s->most, 0, sizeof s->most);
    for (size_t i = 0; i < n; i++) {
        const uint64_t ends = offset_at(c, first + i + 1), blocks = padded_blocks(ends - begins);
        begins = ends;
        const int is_long = blocks >= LONG;
        s->all[is_long] += blocks;
        if (blocks > s->most[is_long]) s->most[is_long] = blocks;
        place[i] = (uint8_t)(BUCKETS - 1 - bucket_of(blocks));
        from[place[i] + 1]++;
    }
    for (size_t i = 1; i < BUCKETS; i++) from[i] = (uint16_t)(from[i] + from[i - 1]);
    s->n_long = from[BUCKETS - LONG];
    for (size_t i = 0; i < n; i++) s->order[from[place[i]]++] = (uint16_t)i;
}

/* The kernel that takes least for so many blocks, of which one item has `most`. */
static const struct kernel *choose(const struct kernel *kernels, size_t n, uint32_t may, uint64_t all, uint64_t most) {
    const struct kernel *best = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!(may >> i & 1)) continue;
        const uint64_t shared = all * kernels[i].cycles / kernels[i].lanes, alone = most * kernels[i].cycles;
        const uint64_t cycles = shared > alone ? shared : alone;
        if (cycles < least) least = cycles, best = &kernels[i];
    }
    return best;
}

static int falls(const struct column *c, size_t n) {
    int found = 0;
    if (c->wide)
        for (size_t i = 0; i < n; i++)
            found |= ((const uint64_t *)c->offsets)[i + 1] < ((const uint64_t *)c->offsets)[i];
    else
        for (size_t i = 0; i < n; i++)
            found |= ((const uint32_t *)c->offsets)[i + 1] < ((const uint32_t *)c->offsets)[i];
    return found;
}

/* By the kernels of `may`, a bit for each. */
static int digest_column(const struct kernel *kernels, size_t n_kernels, uint32_t may, const void *data,
                         const void *offsets, size_t offset_bytes, size_t n, void *digests) {
    const uint32_t cpu = cpu_features();
    for (size_t i = 0; i < n_kernels; i++)
        if (kernels[i].needs & ~cpu) may &= ~(1u << i);
    if (offset_bytes != 4 && offset_bytes != 8) return CST_COLUMN_ARGUMENT;
    if (!may) return CST_COLUMN_UNSUPPORTED;
    if (!n) return CST_COLUMN_OK;
    if (!offsets || !digests || (uintptr_t)offsets % offset_bytes) return CST_COLUMN_ARGUMENT;
    struct column c = {data ? data : digests, NULL, offsets, digests, offset_bytes == 8, 0};
    if (falls(&c, n)) return CST_COLUMN_OFFSETS;
    if (!data && offset_at(&c, n) != offset_at(&c, 0)) return CST_COLUMN_ARGUMENT;
    c.end = c.data + offset_at(&c, n);
    for (size_t first = 0; first < n; first += WINDOW) {
        const size_t some = n - first < WINDOW ? n - first : WINDOW;
        struct sorted s;
        c.ahead = offset_at(&c, first + some) - offset_at(&c, first);
        sort(&s, &c, first, some);
        for (int is_long = 1; is_long >= 0; is_long--) {
            if (!s.all[is_long]) continue;
            const struct kernel *const k = choose(kernels, n_kernels, may, s.all[is_long], s.most[is_long]);
            run(k, &c, first, s.order + (is_long ? 0 : s.n_long), is_long ? s.n_long : some - s.n_long);
        }
    }
    return CST_COLUMN_OK;
}
