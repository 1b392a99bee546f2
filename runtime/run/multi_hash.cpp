// A message is padded as the hash pads, to whole blocks of 1,024 bytes, whose 32-bit words are dealt to 16 segments in
// turn. Each segment is hashed without padding of its own. The digest is the hash of the segments' chaining values: the
// first words of all, in the byte order of the machine, then the second words, and so on.

#include "multi_hash.hpp"

#include <emmintrin.h>

#include <algorithm>

#include "../suite/secret.hpp"
#include "framed_list.hpp"

namespace cst {
namespace {

constexpr size_t SEGMENTS = MultiHashState::SEGMENTS, BLOCK = MultiHashState::BLOCK;
constexpr size_t UNIT = BLOCK / SEGMENTS;  // bytes of a segment's block
constexpr size_t MOST_BLOCKS = 16;  // that are dealt at once

// Deals a block: segment i goes to to + i * pitch. Four rows of four words at a time change places.
void deal(const uint8_t *block, uint8_t *to, size_t pitch) {
    for (size_t row = 0; row < 16; row += 4) {
        for (size_t column = 0; column < SEGMENTS; column += 4) {
            // In named values, which stay in registers: no text is left on the stack.
            const auto words = [&](size_t i) {
                return _mm_loadu_si128(reinterpret_cast<const __m128i *>(block + UNIT * (row + i) + 4 * column));
            };
            const auto put = [&](size_t i, __m128i dealt) {
                _mm_storeu_si128(reinterpret_cast<__m128i *>(to + pitch * (column + i) + 4 * row), dealt);
            };
            const __m128i r0 = words(0), r1 = words(1), r2 = words(2), r3 = words(3);
            const __m128i a = _mm_unpacklo_epi32(r0, r1), b = _mm_unpackhi_epi32(r0, r1),
                          c = _mm_unpacklo_epi32(r2, r3), d = _mm_unpackhi_epi32(r2, r3);
            put(0, _mm_unpacklo_epi64(a, c));
            put(1, _mm_unpackhi_epi64(a, c));
            put(2, _mm_unpacklo_epi64(b, d));
            put(3, _mm_unpackhi_epi64(b, d));
        }
    }
}

// The segments of a message while a call lasts.
class Segments {
public:
    Segments(Memory *memory, const cst_key *key) : memory_(*memory), key_(key) {
        for (size_t i = 0; i < SEGMENTS; i++) {
            states_[i].key = key;
            states_[i].bytes = 0;
            memcpy(states_[i].chain, of(key).inner(), chain_bytes());
        }
    }
    ~Segments() {
        wipe(states_, sizeof(states_));
        wipe(dealt_, dealt_used_);
    }
    Segments(const Segments &) = delete;
    Segments &operator=(const Segments &) = delete;

    void load(const MultiHashState &s) {
        for (size_t i = 0; i < SEGMENTS; i++) memcpy(states_[i].chain, s.chains[i], chain_bytes());
    }
    void store(MultiHashState *s) const {
        for (size_t i = 0; i < SEGMENTS; i++) memcpy(s->chains[i], states_[i].chain, chain_bytes());
    }
    void add(const uint8_t *blocks, uint64_t n) {
        for (uint64_t some; n; n -= some, blocks += some * BLOCK) {
            some = std::min<uint64_t>(n, MOST_BLOCKS);
            const size_t pitch = UNIT * size_t(some);
            for (size_t i = 0; i < some; i++) deal(blocks + BLOCK * i, dealt_ + UNIT * i, pitch);
            dealt_used_ = std::max(dealt_used_, SEGMENTS * pitch);
            hash(pitch);
        }
    }
    // Ends a message of `bytes` bytes with the last of them, which fill no block. digest: as long as the hash's.
    void end(const uint8_t *last, uint64_t bytes, uint8_t *digest) {
        uint8_t blocks[2 * BLOCK] = {};
        const AlgorithmRecord &hash = of(key_).suite->hash->record;
        const size_t used = size_t(bytes % BLOCK), all = used + 1 + hash.length_bytes <= BLOCK ? BLOCK : 2 * BLOCK;
        if (used) memcpy(blocks, last, used);
        blocks[used] = 0x80;
        const uint64_t bits = __builtin_bswap64(bytes << 3);
        memcpy(blocks + all - sizeof(bits), &bits, sizeof(bits));
        add(blocks, all / BLOCK);
        for (size_t i = 0; i < SEGMENTS; i++)
            for (size_t word = 0; word < hash.words; word++)
                memcpy(blocks + 4 * (SEGMENTS * word + i), states_[i].chain + 4 * word, 4);
        HashState whole = {};
        whole.key = key_;
        memcpy(whole.chain, of(key_).inner(), chain_bytes());
        const cst_part part = {sizeof(part), key_, &whole, blocks, SEGMENTS * chain_bytes(), digest, hash.digest_bytes};
        const cst_part *const list[] = {&part};
        run_plain_parts(&memory_, list, 1);
        wipe(blocks, sizeof(blocks));
        wipe(&whole, sizeof(whole));
    }

private:
    static const Key &of(const cst_key *key) { return *reinterpret_cast<const Key *>(key); }
    size_t chain_bytes() const { return of(key_).suite->hash->record.chain_bytes(); }
    void hash(size_t bytes) {
        cst_part parts[SEGMENTS];
        const cst_part *list[SEGMENTS];
        for (size_t i = 0; i < SEGMENTS; i++) {
            parts[i] = {sizeof(cst_part), key_, &states_[i], dealt_ + bytes * i, bytes, nullptr, 0};
            list[i] = &parts[i];
        }
        run_plain_parts(&memory_, list, SEGMENTS);
    }

    Memory &memory_;
    const cst_key *const key_;
    HashState states_[SEGMENTS];
    size_t dealt_used_ = 0;
    uint8_t dealt_[MOST_BLOCKS * BLOCK];
};

}  // namespace

bool run_multi_hashes(Memory *memory, cst_job *const *jobs, size_t n) {
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        Buffer in;
        in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        Segments segments(memory, job.key);
        uint8_t block[BLOCK], digest[MOST_CHAIN];
        uint64_t at = 0;
        while (job.in_len - at >= BLOCK) {
            const uint64_t together = job.n_in_pieces ? in.together(at) : job.in_len - at,
                           blocks = std::min<uint64_t>(together, job.in_len - at) / BLOCK;
            if (!blocks) in.read(at, block, BLOCK);
            segments.add(blocks ? in.at(at) : block, std::max<uint64_t>(blocks, 1));
            at += std::max<uint64_t>(blocks, 1) * BLOCK;
        }
        if (job.in_len > at) in.read(at, block, size_t(job.in_len - at));
        segments.end(block, job.in_len, digest);
        all &= settle_digest(jobs[i], digest);
        wipe(block, sizeof(block));
        wipe(digest, sizeof(digest));
    }
    return all;
}

void run_multi_hash_part(Memory *memory, const cst_part &part) {
    MultiHashState *const s = static_cast<MultiHashState *>(part.state);
    Segments segments(memory, part.key);
    if (s->key && s->bytes >= BLOCK) segments.load(*s);
    s->key = part.key;
    const uint8_t *in = static_cast<const uint8_t *>(part.in);
    uint64_t left = part.in_len;
    const size_t used = size_t(s->bytes % BLOCK);
    s->bytes += left;
    if (used) {
        const size_t some = size_t(std::min<uint64_t>(left, BLOCK - used));
        if (some) memcpy(s->block + used, in, some);
        in += some;
        left -= some;
        if (used + some == BLOCK) segments.add(s->block, 1);
    }
    if (left >= BLOCK) segments.add(in, left / BLOCK);
    if (left) memcpy(s->block, in + left / BLOCK * BLOCK, size_t(left % BLOCK));
    if (!part.tag) return segments.store(s);
    segments.end(s->block, s->bytes, static_cast<uint8_t *>(part.tag));
    wipe(s, sizeof(*s));
}

Ranking rank_multi_hashes(const Suite &suite, size_t messages, uint64_t bytes) {
    const uint64_t blocks = bytes / BLOCK + 1;
    Ranking ranking = rank_blocks(suite, SEGMENTS, blocks * SEGMENTS, blocks);
    ranking.cycles *= double(messages);
    return ranking;
}

}  // namespace cst
