// A message is padded as the hash pads, to whole blocks of 1,024 bytes, whose 32-bit words belong to 16 segments in
// turn: word w of segment s is 64 w + 4 s bytes into a block, so that a kernel reads a word of neighbouring segments as
// a vector, where they lie. Each segment is hashed without padding of its own. The digest is the hash of the segments'
// chaining values: the first words of all, in the byte order of the machine, then the second words, and so on.

#include "multi_hash.hpp"

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "framed_list.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = MultiHashState::BLOCK, WORD = 4, ROW = WORD * SEGMENTS;
constexpr uint64_t MOST_BLOCKS = 16;  // that one call reads after another, and stay in the first-level cache meanwhile

// Returns the number of calls that do all segments.
size_t calls(const Variant &v) { return ROW / v.hash.chain_row_bytes; }

// Compares the costs of the kernels that fit.
Ranking decide(const Suite &suite, uint64_t blocks, bool only_ready) {
    const auto cycles = [&](const Variant &v) {
        return double(calls(v)) * (v.cost.per_call + v.cost.per_iteration * double(blocks));
    };
    Query query;
    query.least = BLOCK;
    query.only_ready = only_ready;
    Pick pick;
    for (const Variant *v : suite.segment_hashes.variants) {
        if (!competes(*v, query)) continue;
        if (v == suite.forced) return {{v, 1}, cycles(*v), nullptr, 0};
        pick.offer(v, cycles(*v));
    }
    return {{pick.variant, 1}, pick.cycles, pick.next, pick.next_cycles};
}

// Selects among kernels whose code can be made; if the system refuses a kernel's code, among those that exist already.
const Variant &select(const Suite &suite, uint64_t blocks) {
    const Variant *const v = decide(suite, blocks, false).chosen.variant;
    const Kernel *kernel;
    return v && !suite.engine->fetch(*v, &kernel) ? *v : *decide(suite, blocks, true).chosen.variant;
}

// The segments of a message while a call lasts.
class Segments {
public:
    Segments(Memory *memory, const cst_key *key, uint64_t blocks)
        : memory_(*memory), key_(key), v_(select(*of(key).suite, blocks)) {
        args_.state[0] = state_ + v_.state_offset[0];
        for (size_t at = 0; at < chains_bytes(); at += WORD)
            memcpy(chains_ + at, of(key).inner() + at / ROW * WORD, WORD);
    }
    ~Segments() {
        wipe(state_, v_.state_bytes);
        wipe(chains_, chains_bytes());
    }
    Segments(const Segments &) = delete;
    Segments &operator=(const Segments &) = delete;

    void load(const MultiHashState &s) { memcpy(chains_, s.chains, chains_bytes()); }
    void store(MultiHashState *s) const { memcpy(s->chains, chains_, chains_bytes()); }
    void add(const uint8_t *blocks, uint64_t n) {
        const size_t row = v_.hash.chain_row_bytes;
        if (v_.legacy_sse && of(key_).suite->engine->avx()) clear_upper_halves();
        for (uint64_t some; n; n -= some, blocks += some * BLOCK) {
            some = row == ROW ? n : std::min(n, MOST_BLOCKS);
            for (size_t at = 0; at < ROW; at += row) call(blocks + at, some, chains_ + at, row);
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
        HashState whole = {};
        whole.key = key_;
        memcpy(whole.chain, of(key_).inner(), hash.chain_bytes());
        const cst_part part = {sizeof(part), key_, &whole, chains_, chains_bytes(), digest, hash.digest_bytes};
        const cst_part *const list[] = {&part};
        run_plain_parts(&memory_, list, 1);
        wipe(blocks, sizeof(blocks));
        wipe(&whole, sizeof(whole));
    }

private:
    static const Key &of(const cst_key *key) { return *reinterpret_cast<const Key *>(key); }
    size_t chains_bytes() const { return of(key_).suite->hash->record.words * ROW; }
    // Hashes as many segments as the kernel has, from those at `in` on.
    void call(const uint8_t *in, uint64_t n, uint8_t *chains, size_t row) {
        const LanePlace &place = v_.hash.lanes[0];
        put_pointer(state_ + place.in, in);
        for (size_t i = 0; i < v_.hash.chain_rows; i++) memcpy(state_ + place.chain + i * row, chains + i * ROW, row);
        args_.iterations = n;
        v_.kernel.load(std::memory_order_acquire)->fn(&args_);
        v_.calls.add(1);
        for (size_t i = 0; i < v_.hash.chain_rows; i++) memcpy(chains + i * ROW, state_ + place.chain + i * row, row);
    }

    Memory &memory_;
    const cst_key *const key_;
    const Variant &v_;
    cst_kernel_args args_ = {};
    uint8_t chains_[MultiHashState::MOST_CHAINS];
    alignas(64) uint8_t state_[MOST_ALONE_STATE];
};

}  // namespace

bool run_multi_hashes(Memory *memory, cst_job *const *jobs, size_t n) {
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        Buffer in;
        in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        Segments segments(memory, job.key, job.in_len / BLOCK + 1);
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
    Segments segments(memory, part.key, part.in_len / BLOCK + 1);
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
    Ranking ranking = decide(suite, bytes / BLOCK + 1, false);
    ranking.chosen.messages = messages;
    ranking.cycles *= double(messages);
    ranking.next_cycles *= double(messages);
    return ranking;
}

}  // namespace cst
