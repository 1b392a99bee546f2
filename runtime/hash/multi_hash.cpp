// A message is padded as the hash pads, to whole blocks of 1,024 bytes, whose 32-bit words belong to 16 segments in
// turn: word w of segment s is 64 w + 4 s bytes into a block, so that a kernel reads a word of neighbouring segments as
// a vector, where they lie. Each segment is hashed without padding of its own. The digest is the hash of the segments'
// chaining values: the first words of all, in the byte order of the machine, then the second words, and so on. Another
// hash may read the same bytes (MurmurHash3), stitched into the kernel of the first segments. isa-l_crypto stores the
// digest as words of the machine, so that its bytes are those of the hash with each word reversed.

#include "multi_hash.hpp"

#include <algorithm>
#include <cmath>

#include "../select/upper_halves.hpp"
#include "../suite/murmur3.hpp"
#include "../suite/registers.hpp"
#include "../suite/secret.hpp"
#include "framed_list.hpp"
#include "plain_parts.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = MultiHashState::BLOCK, WORD = 4, ROW = WORD * SEGMENTS, STATE_ROOM = MOST_ALONE_STATE;
constexpr size_t BELOW = 4096;  // bytes of the stack where Segments::end may leave numbers
constexpr uint64_t MOST_BLOCKS = 16;  // that one call reads after another, and stay in the first-level cache meanwhile

const Part &segments_of(const Variant &v) { return v.role == Role::both ? v.cipher : v.hash; }
size_t row_of(const Variant &v) { return segments_of(v).chain_row_bytes; }
// Returns the number of calls that do all segments.
size_t calls(const Variant &v) { return ROW / row_of(v); }

double cycles(const Variant &v, uint64_t iterations) {
    return v.cost.per_call + v.cost.per_iteration * double(iterations);
}

bool fits(const Variant &v, uint64_t bytes, bool only_ready) {
    Query query;
    query.least = bytes;
    query.only_ready = only_ready;
    return v.state_bytes <= STATE_ROOM && competes(v, query);
}

bool holds(const Family &family, const Variant *v) {
    return std::find(family.variants.begin(), family.variants.end(), v) != family.variants.end();
}

// Compares the costs of the kernels that hash segments; row: 0, or how many bytes of a row a call must do.
Ranking rank_segments(const Suite &suite, uint64_t blocks, size_t row, bool only_ready) {
    Pick pick;
    for (const Variant *v : suite.segment_hashes.variants) {
        if (!fits(*v, BLOCK, only_ready) || (row && row_of(*v) != row)) continue;
        const double its = double(calls(*v)) * cycles(*v, blocks);
        if (v == suite.forced) return {{v, 1}, its, nullptr, 0};
        pick.offer(v, its);
    }
    return {{pick.variant, 1}, pick.cycles, pick.next, pick.next_cycles};
}

// Returns the kernel of the hash beside that takes the least time for a number of bytes, of which it leaves some.
const Variant *best_beside(const Suite &suite, uint64_t bytes, bool only_ready) {
    Pick pick;
    for (const Variant *v : suite.beside_hashes.variants) {
        if (!fits(*v, bytes, only_ready)) continue;
        if (v == suite.forced) return v;
        pick.offer(v, cycles(*v, bytes >> v->step_log2) + v->cost.per_byte * double(bytes & (v->step - 1)));
    }
    return pick.variant;
}

// The kernels of a message: `stitched`, if there is one, does the first segments and the hash beside; `segments` does
// the others.
struct Kernels {
    Ranking segments, stitched;
};

Kernels decide(const Suite &suite, uint64_t blocks, bool only_ready) {
    Kernels kernels;
    kernels.segments = rank_segments(suite, blocks, 0, only_ready);
    const bool others = holds(suite.segment_hashes, suite.forced) || holds(suite.beside_hashes, suite.forced);
    if (!suite.beside || others) return kernels;
    const Variant *const beside = best_beside(suite, blocks * BLOCK, only_ready);
    double least = beside ? kernels.segments.cycles + cycles(*beside, blocks * BLOCK >> beside->step_log2) : HUGE_VAL;
    for (const Variant *v : suite.segments_and_beside.variants) {
        const Ranking rest = rank_segments(suite, blocks, row_of(*v), only_ready);
        if (!fits(*v, BLOCK, only_ready) || v->step != BLOCK || !rest.chosen.variant) continue;
        const double its = cycles(*v, blocks) + rest.cycles * (1 - 1 / double(calls(*v)));
        if (v != suite.forced && its >= least) continue;
        kernels.stitched = {{v, 1}, its, kernels.segments.chosen.variant, least};
        kernels.segments = rest;
        least = v == suite.forced ? 0 : its;
    }
    return kernels;
}

// Selects among kernels whose code can be made; if the system refuses a kernel's code, among those that exist already.
Kernels select(const Suite &suite, uint64_t blocks) {
    const Kernels kernels = decide(suite, blocks, false);
    const Variant *const beside = suite.beside ? best_beside(suite, blocks * BLOCK, false) : nullptr;
    for (const Variant *v : {kernels.segments.chosen.variant, kernels.stitched.chosen.variant, beside}) {
        const Kernel *kernel;
        if (v && suite.engine->fetch(*v, &kernel)) return decide(suite, blocks, true);
    }
    return kernels;
}

void reverse_words(uint8_t *bytes, size_t n) {
    for (size_t at = 0; at < n; at += WORD) std::reverse(bytes + at, bytes + at + WORD);
}

// The segments of a message while a call lasts, and the hash beside them.
class Segments {
public:
    Segments(Memory *memory, const cst_key *key, uint64_t blocks)
        : memory_(*memory),
          key_(key),
          suite_(*of(key).suite),
          segments_(*(kernels_ = select(suite_, blocks)).segments.chosen.variant),
          stitched_(kernels_.stitched.chosen.variant) {
        for (size_t at = 0; at < chains_bytes(); at += WORD)
            memcpy(chains_ + at, of(key).inner() + at / ROW * WORD, WORD);
    }
    ~Segments() {
        wipe(state_, state_used_);
        wipe(chains_, chains_bytes());
        wipe(beside_, sizeof(beside_));
    }
    Segments(const Segments &) = delete;
    Segments &operator=(const Segments &) = delete;

    void load(const MultiHashState &s) {
        memcpy(chains_, s.chains, chains_bytes());
        memcpy(beside_, s.beside, sizeof(beside_));
    }
    void store(MultiHashState *s) const {
        memcpy(s->chains, chains_, chains_bytes());
        memcpy(s->beside, beside_, sizeof(beside_));
    }
    void add(const uint8_t *blocks, uint64_t n) {
        if (!suite_.beside) return hash(segments_, blocks, n);
        if (stitched_) return hash(*stitched_, blocks, n);
        hash(segments_, blocks, n);
        hash_beside(blocks, n * BLOCK);
    }
    // Ends a message of `bytes` bytes with the last of them, which fill no block. digest: as long as the suite's.
    void end(const uint8_t *last, uint64_t bytes, uint8_t *digest) {
        uint8_t blocks[2 * BLOCK] = {};
        const AlgorithmRecord &hash = suite_.hash->record;
        const size_t used = size_t(bytes % BLOCK), all = used + 1 + hash.length_bytes <= BLOCK ? BLOCK : 2 * BLOCK;
        if (used) memcpy(blocks, last, used);
        if (suite_.beside) {
            const size_t whole = used / MURMUR_BLOCK * MURMUR_BLOCK;
            hash_beside(blocks, whole);
            murmur_end(beside_, blocks + whole, bytes, digest + hash.digest_bytes);
        }
        blocks[used] = 0x80;
        const uint64_t bits = __builtin_bswap64(bytes << 3);
        memcpy(blocks + all - sizeof(bits), &bits, sizeof(bits));
        this->hash(segments_, blocks, all / BLOCK);
        HashState whole = {};
        whole.key = key_;
        memcpy(whole.chain, of(key_).inner(), hash.chain_bytes());
        const cst_part part = {sizeof(part), key_, &whole, chains_, chains_bytes(), 1, digest, hash.digest_bytes};
        const cst_part *const list[] = {&part};
        run_plain_parts(&memory_, list, 1);
        reverse_words(digest, hash.digest_bytes);
        wipe(blocks, sizeof(blocks));
        wipe(&whole, sizeof(whole));
    }

private:
    static const Key &of(const cst_key *key) { return *reinterpret_cast<const Key *>(key); }
    size_t chains_bytes() const { return suite_.hash->record.words * ROW; }

    // Hashes blocks: the first segments by one kernel, the others by `segments_`.
    void hash(const Variant &first, const uint8_t *blocks, uint64_t n) {
        const size_t row = row_of(first);
        for (uint64_t some; n; n -= some, blocks += some * BLOCK) {
            some = row == ROW ? n : std::min(n, MOST_BLOCKS);
            for (size_t at = 0; at < ROW; at += row) {
                const Variant &v = at ? segments_ : first;
                const Part &part = segments_of(v);
                uint8_t *const chain = state_ + part.lanes[0].chain;
                put_pointer(state_ + part.lanes[0].in, blocks + at);
                for (size_t i = 0; i < part.chain_rows; i++) memcpy(chain + i * row, chains_ + i * ROW + at, row);
                const LanePlace *const beside = v.role == Role::both ? v.hash.lanes.data() : nullptr;
                if (beside) put_beside(*beside, blocks);
                call(v, some);
                for (size_t i = 0; i < part.chain_rows; i++) memcpy(chains_ + i * ROW + at, chain + i * row, row);
                if (beside) memcpy(beside_, state_ + beside->chain, sizeof(beside_));
            }
        }
    }
    void hash_beside(const uint8_t *in, uint64_t bytes) {
        for (uint64_t some; bytes; bytes -= some, in += some) {
            const Kernel *kernel;
            const Variant *const best = best_beside(suite_, bytes, false);
            const Variant &v = suite_.engine->fetch(*best, &kernel) ? *best_beside(suite_, bytes, true) : *best;
            some = bytes & ~uint64_t(v.step - 1);
            put_beside(v.hash.lanes[0], in);
            call(v, some >> v.step_log2);
            memcpy(beside_, state_ + v.hash.lanes[0].chain, sizeof(beside_));
        }
    }
    void put_beside(const LanePlace &place, const uint8_t *in) {
        put_pointer(state_ + place.in, in);
        memcpy(state_ + place.chain, beside_, sizeof(beside_));
    }
    void call(const Variant &v, uint64_t iterations) {
        cst_kernel_args args = {iterations, {}};
        for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = state_ + v.state_offset[i];
        if (v.legacy_sse && suite_.engine->avx()) clear_upper_halves();
        state_used_ = std::max<size_t>(state_used_, v.state_bytes);
        v.kernel.load(std::memory_order_acquire)->fn(&args);
        v.calls.add(1);
    }

    Memory &memory_;
    const cst_key *const key_;
    const Suite &suite_;
    Kernels kernels_;
    const Variant &segments_;
    const Variant *const stitched_;  // NULL: there is none, or it takes more time
    size_t state_used_ = 0;
    uint8_t chains_[MultiHashState::MOST_CHAINS], beside_[MURMUR_BLOCK] = {};
    alignas(64) uint8_t state_[STATE_ROOM];
};

}  // namespace

bool run_multi_hashes(Memory *memory, cst_job *const *jobs, size_t n) {
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        Buffer in;
        in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        const InSlot<Segments> its(memory->work, memory, job.key, job.in_len / BLOCK + 1);
        Segments &segments = *its;
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
        clear_below<BELOW>();
        all &= settle_digest(jobs[i], digest);
        wipe(block, sizeof(block));
        wipe(digest, sizeof(digest));
    }
    return all;
}

void run_multi_hash_part(Memory *memory, const cst_part &part) {
    MultiHashState *const s = static_cast<MultiHashState *>(part.state);
    const InSlot<Segments> its(memory->work, memory, part.key, part.in_len / BLOCK + 1);
    Segments &segments = *its;
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
    if (!part.last) return segments.store(s);
    segments.end(s->block, s->bytes, static_cast<uint8_t *>(part.tag));
    clear_below<BELOW>();
    wipe(s, sizeof(*s));
}

void plan_multi_hashes(const Suite &suite, size_t messages, uint64_t bytes, Plan *plan) {
    const uint64_t blocks = bytes / BLOCK + 1;
    plan->hash = rank_segments(suite, blocks, 0, false);
    if (suite.beside) {
        plan->cipher = plan->hash;  // the first of two digests takes the place of a cipher
        const Variant *const beside = best_beside(suite, blocks * BLOCK, false);
        plan->hash = {{beside, 1}, beside ? cycles(*beside, blocks * BLOCK >> beside->step_log2) : 0, nullptr, 0};
        plan->pair = decide(suite, blocks, false).stitched;
    }
    for (Ranking *ranking : {&plan->pair, &plan->cipher, &plan->hash}) {
        ranking->chosen.messages = messages;
        ranking->cycles *= double(messages);
        ranking->next_cycles *= double(messages);
    }
}

}  // namespace cst
