// Messages that need no bookkeeping: short texts, each a stretch of a kernel; digests and HMACs in one piece; MACs of
// what a lane's scratch holds altogether. They run straight from the jobs: a Message for each takes longer than the
// work.

#include <algorithm>
#include <optional>

#include "../suite/block_mac.hpp"
#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "constructions.hpp"
#include "lane_state.hpp"
#include "lanes.hpp"
#include "lineup.hpp"
#include "mac.hpp"
#include "run.hpp"
#include "text.hpp"

namespace cst {
namespace {

// The steps run over some of a class.
struct Whole {
    Memory *memory;
    cst_job *const *jobs;
    size_t n;
    uint64_t mean;  // bytes of a text
    bool one_key;
    uint64_t grain;  // of texts: a power of two that divides all lengths; 0: what is left of an iteration is filled up
    const uint8_t *readable;
};

class WholeTextStep : public TextLanes {
public:
    WholeTextStep(const Variant &v, LaneMemory *memory, const cst_job &first)
        : TextLanes(v, memory),
          round_keys_(key_of(first).suite->key_layout.round_keys(first.direction == CST_OPEN)),
          begins_(begin_of(*key_of(first).suite)) {
        if (begins_ == Begin::tweak) blocks_.emplace(*key_of(first).suite);
        if (v.one_key) keys_.share(reinterpret_cast<const uint8_t *>(first.key) + round_keys_);
    }

    cst_job *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        // What is stored to a state could, for all the compiler knows, be a field of this step.
        const LanePlace *const places = places_;
        uint8_t *const state = state_;
        const uint64_t step = step_;
        const size_t round_keys = round_keys_;
        const uint32_t log2 = log2_;
        const Begin begins = begins_;
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            const cst_job &job = *message[lane];
            const LanePlace &place = places[lane];
            if (place.chain != NO_FIELD) put_chain(begins, state + place.chain, job);
            keys_.put(lane, reinterpret_cast<const uint8_t *>(job.key) + round_keys);
            const uint8_t *in = static_cast<const uint8_t *>(job.in);
            uint8_t *out = static_cast<uint8_t *>(job.out);
            const uint64_t bytes = (job.in_len + step - 1) & ~uint64_t(step - 1);
            if (bytes != job.in_len) {
                out = memory_->scratch_of(lane, bytes);
                copy_few(out, in, job.in_len);
                memset(out + job.in_len, 0, bytes - job.in_len);
                in = out;
            }
            in_[lane] = in;
            out_[lane] = out;
            left[lane] = bytes >> log2;
            put_pointer(state + place.in, in);
            put_pointer(state + place.out, out);
        }
    }
    void turn(const uint32_t *lanes, size_t n) {
        for (size_t i = 0; i < n; i++) {
            cst_job *const job = message[lanes[i]];
            left[lanes[i]] = 0;
            if (job->in_len & (step_ - 1))
                copy_few(static_cast<uint8_t *>(job->out), memory_->scratch_of(lanes[i], 0), job->in_len);
            text_done(job);
        }
    }

private:
    // What the chaining value is made of.
    enum class Begin : uint8_t { iv, half, tweak, ccm };
    static Begin begin_of(const Suite &suite) {
        if (suite.construction == Construction::ccm) return Begin::ccm;
        return suite.tweaked() ? Begin::tweak : suite.half_blocks() ? Begin::half : Begin::iv;
    }
    void put_chain(Begin begins, uint8_t *to, const cst_job &job) {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        if (begins == Begin::iv) return void(memcpy(to, iv, 16));
        if (begins == Begin::half) return put_words(to, 0, load64(iv));  // of two blocks before only the second counts
        if (begins == Begin::ccm) return put_ccm_block(job, 0, 1, to);
        if (blocks_) blocks_->encipher(key_of(job).tweak(), iv, to);  // IEEE 1619, 5.3.1: the first tweak is E(K2, i)
    }

    const size_t round_keys_;
    const Begin begins_;
    std::optional<BlockCalls> blocks_;
};

// Texts of at least a byte.
void run_whole_texts(const Whole &w) {
    if (!w.n) return;
    const Suite &suite = *key_of(*w.jobs[0]).suite;
    Need need = {&suite.ciphers(w.jobs[0]->direction == CST_OPEN), w.n, w.mean, w.jobs[0]->in_len};
    need.one_key = w.one_key;
    need.grain = w.grain;
    need.rounds_up = !w.grain;
    for (cst_job *const *at = w.jobs; need.messages;) {
        const Lineup lineup = line_up(suite, need);
        WholeTextStep step(*lineup.variant, &w.memory->lanes, *at[0]);
        execute(*suite.engine, *lineup.variant, &w.memory->lanes, &step, at, lineup.messages);
        at += lineup.messages;
        need.messages -= lineup.messages;
    }
}

// The end of a hashed message, put together without a branch that depends on its length: ends of different lengths
// follow one another, and a branch that is guessed wrong takes as long as hashing sixteen bytes.

// At byte WHOLE_MESSAGE - n: what n bytes of a message are and'ed with, and what is or'ed to them.
struct HashEndMasks {
    uint8_t keep[2 * WHOLE_MESSAGE] = {}, mark[2 * WHOLE_MESSAGE] = {};

    constexpr HashEndMasks() {
        for (size_t i = 0; i < WHOLE_MESSAGE; i++) keep[i] = 0xff;
        mark[WHOLE_MESSAGE] = 0x80;
    }
};
constexpr HashEndMasks HASH_END_MASKS;

// So many bytes hash_pad makes of `used`.
inline size_t hash_end_bytes(const AlgorithmRecord &hash, size_t used) {
    const size_t unit = hash.block_bytes;
    return (used + hash.length_bytes + unit) & ~(unit - 1);
}
// Makes them, at most WHOLE_MESSAGE, of as many bytes at `from`, of which those behind `used` do not count.
inline void hash_end(const AlgorithmRecord &hash, uint8_t *to, const uint8_t *from, size_t used, uint64_t bytes) {
    typedef uint64_t Row __attribute__((vector_size(16)));
    const uint8_t *const keeps = HASH_END_MASKS.keep + WHOLE_MESSAGE - used;
    const uint8_t *const marks = HASH_END_MASKS.mark + WHOLE_MESSAGE - used;
    const auto row_at = [=](size_t at) {
        Row row, keep, mark;
        memcpy(&row, from + at, sizeof(row));
        memcpy(&keep, keeps + at, sizeof(keep));
        memcpy(&mark, marks + at, sizeof(mark));
        return (row & keep) | mark;
    };
    const auto put = [=](size_t at, Row row) { memcpy(to + at, &row, sizeof(row)); };
    const uint64_t bits = bytes << 3, count = hash.flags & ALGORITHM_BIG_ENDIAN ? __builtin_bswap64(bits) : bits;
    const size_t last = hash_end_bytes(hash, used) - sizeof(Row);
    for (size_t at = 0; at < last; at += sizeof(Row)) put(at, row_at(at));
    put(last, row_at(last) | Row{0, count});
}

class WholeMacStep : public DigestLanes<WholeMacStep> {
public:
    WholeMacStep(const Suite &suite, const Variant &v, LaneMemory *memory, bool opens, const uint8_t *readable)
        : DigestLanes(suite.hash->record, v, memory),
          suite_(suite),
          opens_(opens),
          hmac_(suite.hmac()),
          headed_(suite.kind == CST_AEAD),
          block_mac_(hash_.kind == ALGORITHM_CBC_MAC),
          ccm_(suite.construction == Construction::ccm),
          reads_output_(headed_ && opens == ccm_),
          keys_end_(suite.key_layout.mac + 16 * (hash_.rounds + 1)),
          key_bytes_(16 * v.hash.key_rows),
          keys_(v.hash, state_),
          readable_(readable),
          most_whole_(WHOLE_MESSAGE - 1 - hash_.length_bytes) {
        if (ccm_) blocks_.emplace(suite);
    }

    cst_job *message[MAX_LANES];
    bool all_right = true;

    // Not inline: the compiler makes begin_message a part of it then, which runs for every message.
    __attribute__((noinline)) void load(const uint32_t *lanes, size_t n) {
        static const uint8_t zero[16] = {};
        if (block_mac_) {
            chains_.put(lanes, n, [](size_t) { return zero; });
            for (size_t i = 0; i < n; i++)
                keys_.put(lanes[i], reinterpret_cast<const uint8_t *>(message[lanes[i]]->key) + keys_end_ - key_bytes_);
        } else {
            chains_.put(lanes, n, [&](size_t i) { return key_of(*message[lanes[i]]).inner(); });
        }
        for (size_t i = 0; i < n; i++) begin_message(lanes[i], *message[lanes[i]]);
    }

private:
    friend DigestLanes<WholeMacStep>;
    static constexpr size_t ROOM = READ + WHOLE_MESSAGE + 3 * PAD_SLACK;  // CCM fills up two blocks
    static_assert(ROOM <= SCRATCH_BYTES, "it fits");

    const Key &key_at(uint32_t lane) const { return key_of(*message[lane]); }

    void begin_message(uint32_t lane, const cst_job &job) {
        if (!headed_ && !block_mac_ && job.in_len > most_whole_) {
            begin(lane, static_cast<const uint8_t *>(job.in), job.in_len & ~uint64_t(hash_.block_bytes - 1));
            next_[lane] = Next::end;
            return;
        }
        if (!headed_ && !block_mac_) return end(lane, static_cast<const uint8_t *>(job.in), job.in_len, job.in_len);
        uint8_t *const to = put_together(lane);
        const uint8_t *const body = static_cast<const uint8_t *>(reads_output_ ? job.out : job.in);
        next_[lane] = hmac_ ? Next::outer : Next::nothing;
        if (ccm_) {  // SP 800-38C, A.2: AAD and text filled up to whole blocks
            size_t used = put_ccm_head(job, to);
            copy_few(to + used, static_cast<const uint8_t *>(job.aad), job.aad_len);
            used = fill_with_zeros(to, used + job.aad_len);
            copy_few(to + used, body, job.in_len);
            return void(begin(lane, to, fill_with_zeros(to, used + job.in_len)));
        }
        const size_t head = headed_ ? put_head(suite_, job, to) : 0;
        copy_few(to + head, body, job.in_len);
        size_t used = head + job.in_len;
        if (headed_) used += put_trailer(suite_, job, to + used);
        if (block_mac_) begin(lane, to, mask_end(key_of(job), to, used));
        else begin_end(lane, to, used, used);
    }
    bool go_on(uint32_t lane) {
        if (next_[lane] != Next::end) return false;
        const cst_job &job = *message[lane];
        const size_t rest = job.in_len & (hash_.block_bytes - 1);
        end(lane, static_cast<const uint8_t *>(job.in) + job.in_len - rest, rest, job.in_len);
        return true;
    }
    bool wants_outer(uint32_t lane) {
        const bool wants = next_[lane] == Next::outer;
        next_[lane] = Next::nothing;
        return wants;
    }
    // The rest of a message of so many bytes.
    void end(uint32_t lane, const uint8_t *from, size_t rest, uint64_t bytes) {
        uint8_t *const to = put_together(lane);
        next_[lane] = hmac_ ? Next::outer : Next::nothing;
        const size_t all = hash_end_bytes(hash_, rest);
        if (readable_ && size_t(readable_ - from) >= all) {
            hash_end(hash_, to, from, rest, bytes + (hmac_ ? hash_.block_bytes : 0));
            return void(begin(lane, to, all));
        }
        copy_few(to, from, rest);
        begin_end(lane, to, rest, bytes);
    }
    uint8_t *put_together(uint32_t lane) const { return memory_->scratch_of(lane, ROOM) + READ; }
    void begin_end(uint32_t lane, uint8_t *last, size_t used, uint64_t bytes) {
        begin(lane, last, hash_pad(hash_, last, used, bytes + (hmac_ ? hash_.block_bytes : 0)));
    }

    void finish(const uint32_t *lanes, size_t n) {
        take(lanes, n);
        for (size_t i = 0; i < n; i++) {
            cst_job *const job = message[lanes[i]];
            const uint8_t *digest = scratch(lanes[i]);  // of a block cipher it is the chaining value
            left[lanes[i]] = 0;
            if (!block_mac_ && !opens_) {
                hash_digest(hash_, digest, static_cast<uint8_t *>(job->tag), job->tag_len);
            } else if (!block_mac_) {
                uint8_t *const to = scratch(lanes[i]) + READ;
                hash_digest(hash_, digest, to, hash_.digest_bytes);
                digest = to;
            }
            if (blocks_) mask_ccm_tag(&*blocks_, *job, scratch(lanes[i]), scratch(lanes[i]) + READ);
            if (opens_ && !same_bytes(digest, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
                refuse_unopened(job);
                all_right = false;
                continue;
            }
            if (!opens_ && block_mac_) copy_few(static_cast<uint8_t *>(job->tag), digest, job->tag_len);
            job->out_len = headed_ ? job->in_len : 0;
            job->status = CST_OK;
        }
    }

    const Suite &suite_;
    const bool opens_, hmac_, headed_, block_mac_, ccm_, reads_output_;
    const size_t keys_end_, key_bytes_;
    LaneKeys keys_;
    std::optional<BlockCalls> blocks_;
    const uint8_t *const readable_;  // Whole::readable
    const size_t most_whole_;  // bytes of a message without a head
    enum class Next : uint8_t { end, outer, nothing } next_[MAX_LANES];  // what follows what the lane does
};

// Sealing, writes tags; opening, a job whose tag is wrong is refused. Sets status and out_len of all. False: one was.
bool run_whole_macs(const Whole &w) {
    const cst_job &first = *w.jobs[0];
    const Suite &suite = *key_of(first).suite;
    const uint64_t head = head_bytes(suite, first.aad_len);
    Need need = {&suite.hashes, w.n, hashed_bytes(suite, head + w.mean), hashed_bytes(suite, head + first.in_len)};
    need.whole_only = true;
    bool all = true;
    for (cst_job *const *at = w.jobs; need.messages;) {
        const Lineup lineup = line_up(suite, need);
        WholeMacStep step(suite, *lineup.variant, &w.memory->lanes, first.direction == CST_OPEN, w.readable);
        execute(*suite.engine, *lineup.variant, &w.memory->lanes, &step, at, lineup.messages);
        all &= step.all_right;
        at += lineup.messages;
        need.messages -= lineup.messages;
    }
    return all;
}

bool serves(const Suite &suite) {
    switch (suite.construction) {
        case Construction::single:
        case Construction::counter:
        case Construction::chacha:
        case Construction::cmac:
        case Construction::xcbc:
        case Construction::xts:
        case Construction::ccm:
        case Construction::etm:
        case Construction::esp: return true;
        default: return false;
    }
}

// What is forced must be seen to run, where it fits.
bool forced_fits(const Suite &suite, uint64_t lengths) {
    const Variant *const forced = suite.forced;
    if (!forced) return true;
    if (forced->stitched()) return false;
    return forced->role == Role::hash ? forced->step == suite.hash->record.block_bytes
                                      : !(lengths & (forced->step - 1));
}

}  // namespace

int run_whole(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    const bool enciphers = suite.enciphers(), opens = jobs[0]->direction == CST_OPEN;
    if (!serves(suite) || (enciphers && jobs[0]->in_len > SCRATCH_BYTES)) return JOB_WAITING;
    const bool together = suite.hash && (enciphers || suite.hash->record.kind == ALGORITHM_CBC_MAC);
    const bool counted = enciphers && counts(suite);
    Whole w = {memory, jobs, n, 0, true, 0, readable};
    uint64_t lengths = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        if ((job.n_in_pieces | job.n_out_pieces) || (enciphers && !job.in_len)) return JOB_WAITING;
        if (together && !fits_whole(suite, head_bytes(suite, job.aad_len), job.in_len)) return JOB_WAITING;
        if (counted && !CounterRoom(suite, job.in_len).holds(job.iv)) return JOB_WAITING;
        lengths |= job.in_len;
        sum += job.in_len;
        w.one_key &= job.key == jobs[0]->key;
    }
    if (!forced_fits(suite, lengths)) return JOB_WAITING;
    w.mean = lengths == jobs[0]->in_len && sum == lengths * n ? lengths : sum / n;
    if (!enciphers) return run_whole_macs(w) ? CST_OK : CST_ERR_AUTH;
    if (suite.tweaked() && lengths % suite.encrypt->record.block_bytes) return JOB_WAITING;  // ciphertext stealing
    if (jobs[0]->in_len > MOST_DETOUR || !rounds_up(suite, opens)) {
        w.grain = lengths & -lengths;
        if (w.grain < suite.encrypt->record.block_bytes) return JOB_WAITING;
    }
    if (!suite.hash) {
        run_whole_texts(w);
        return CST_OK;
    }
    // CCM's MAC is of the plaintext, the others' of the ciphertext.
    const bool mac_first = opens != (suite.construction == Construction::ccm);
    if (!mac_first) run_whole_texts(w);
    const bool all = run_whole_macs(w);
    if (!mac_first) return all ? CST_OK : CST_ERR_AUTH;
    cst_job *opened[MOST_MESSAGES];
    if (!all) {
        size_t some = 0;
        for (size_t i = 0; i < n; i++)
            if (jobs[i]->status == CST_OK) opened[some++] = jobs[i];
        w.jobs = opened;
        w.n = some;
    }
    run_whole_texts(w);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
