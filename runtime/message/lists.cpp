// Runs messages as lists of segments (executors/walk.hpp) directly from their jobs, without the staged path: a cipher,
// a digest or a MAC alone, encrypt-then-MAC, CCM, TLS records. Cipher and MAC of a class take one walk
// each, on kernels of their own.

#include "constructions.hpp"
#include "list_writers.hpp"
#include "middle.hpp"
#include "record_writer.hpp"
#include "text.hpp"

namespace cst {
namespace {

// A class of messages whose segments a walk runs.
struct Lists {
    const Suite &suite;
    const bool opens;
    cst_job *const *jobs;
    size_t n;
    uint64_t mean = 0, most = 0;  // bytes per text
    bool one_key = true;
    uint64_t grain = 0;  // a power of two that divides all text lengths; 0: the last iteration of a text is padded
    Memory *memory = nullptr;
    const uint8_t *readable = nullptr;
};

Need text_need(const Lists &lists) {
    const auto bytes = [&](uint64_t text) { return lists.opens ? text : lists.suite.sealed_bytes(text); };
    Need need = {&lists.suite.ciphers(lists.opens), lists.n, bytes(lists.mean), bytes(lists.most)};
    need.one_key = lists.one_key;
    need.grain = lists.grain;
    need.rounds_up = !lists.grain;
    return need;
}

bool opens_records(const Lists &lists) { return lists.opens && lists.suite.row.is_record(); }

// Returns false if the padding of a text was wrong.
bool walk_texts(const Lists &lists) {
    if (!lists.n) return true;
    Need need = text_need(lists);
    bool all = true;
    for (cst_job *const *at = lists.jobs; need.messages;) {
        const Lineup lineup = line_up(lists.suite, need);
        all &= walk<TextWriter>(&lists.memory->lanes, *lineup.variant, at, lineup.messages, *lineup.variant,
                                &lists.memory->lanes, *at[0], need.rounds_up);
        at += lineup.messages;
        need.messages -= lineup.messages;
    }
    return all;
}

Need mac_need(const Suite &suite, size_t n, uint64_t aad, uint64_t mean, uint64_t most) {
    const uint64_t head = suite.row.head_bytes(aad);
    Need need = {&suite.hashes, n, hashed_bytes(suite, head + mean), hashed_bytes(suite, head + most)};
    need.whole_only = true;
    return need;
}
Need mac_need(const Lists &lists) {
    return mac_need(lists.suite, lists.n, lists.jobs[0]->aad_len, lists.mean, lists.most);
}

// Returns false if a job did not authenticate. more: what the Writer takes besides suite, kernel and memory.
template <typename Writer, typename... More>
[[gnu::noinline]] bool walk_macs(const Lists &lists, More... more) {
    const Suite &suite = lists.suite;
    LaneMemory *const memory = &lists.memory->lanes;
    Need need = mac_need(lists);
    bool all = true;
    for (cst_job *const *at = lists.jobs; need.messages;) {
        const Lineup lineup = line_up(suite, need);
        all &= walk<Writer>(memory, *lineup.variant, at, lineup.messages, suite, *lineup.variant, memory, more...);
        at += lineup.messages;
        need.messages -= lineup.messages;
    }
    return all;
}
bool walk_macs(const Lists &lists) {
    if (!opens_records(lists)) return walk_macs<MacWriter>(lists, lists.opens, lists.readable);
    return walk_macs<RecordWriter>(lists);
}

// Lists have neither a key for each message, nor a table in the state block.
bool serves(const Suite &suite) {
    const uint32_t hash = suite.hash ? suite.hash->record.kind : 0,
                   cipher = suite.encrypt ? suite.encrypt->record.kind : 0;
    return hash != ALGORITHM_GHASH && hash != ALGORITHM_POLY1305 && cipher != ALGORITHM_RC4;
}

// Whether a walk can run the forced kernel. If it cannot, another path runs the jobs, because a forced kernel must be
// seen to run wherever it fits. lengths: all lengths of what is encrypted or decrypted, or'ed.
bool forced_fits(const Lists &lists, uint64_t lengths) {
    const Suite &suite = lists.suite;
    const Variant *const forced = suite.forced;
    if (!forced || opens_records(lists)) return true;  // no stitched kernel opens records
    if (forced->stitched()) return false;
    return forced->role == Role::hash ? forced->step == suite.hash->record.block_bytes
                                      : !(lengths & (forced->step - 1));
}

// The head of a CCM message is assembled as a whole in the bounce buffer, which bounds the AAD.
constexpr size_t MOST_CCM_AAD = MOST_BLOCK;

// Whether no other path takes less time. aad: that of the longest head.
bool walks(const Lists &lists, uint64_t aad) {
    const Suite &suite = lists.suite;
    if (!suite.hash || (!suite.enciphers() && suite.hash->record.kind == ALGORITHM_HASH)) return true;
    if (fits_whole(suite, suite.row.head_bytes(aad), lists.most)) return true;
    if (suite.row.is_ccm() && aad > MOST_CCM_AAD) return false;
    Need texts = {&suite.ciphers(lists.opens), lists.n, lists.mean, lists.most};
    texts.one_key = lists.one_key;
    return !suite.enciphers() || !stitches(suite, lists.opens, aad, texts);
}

// Fills in what the jobs have in common. Returns false if other paths take them.
bool prepare(Lists *lists) {
    const Suite &suite = lists->suite;
    const cst_job &first = *lists->jobs[0];
    const bool enciphers = suite.enciphers();
    if (!serves(suite)) return false;
    const CounterRoom room(suite);
    uint64_t lengths = 0, sum = 0;
    size_t most_aad = 0;
    for (size_t i = 0; i < lists->n; i++) {
        const cst_job &job = *lists->jobs[i];
        if (in_pieces(job) || (enciphers && !job.in_len)) return false;
        if (!room.holds(job)) return false;
        lengths |= job.in_len;
        sum += job.in_len;
        lists->most = std::max<uint64_t>(lists->most, job.in_len);
        most_aad = std::max(most_aad, job.aad_len);
        lists->one_key &= job.key == first.key;
    }
    const bool pads = suite.expansion && !lists->opens;  // the last blocks are assembled
    if (!forced_fits(*lists, pads ? AES_BLOCK : lengths)) return false;
    lists->mean = lengths == first.in_len && sum == lengths * lists->n ? lengths : sum / lists->n;
    if (enciphers) {
        if (suite.tweaked() && lengths % suite.encrypt->record.block_bytes) return false;  // ciphertext stealing
        if (pads) {
            lists->grain = AES_BLOCK;
        } else if (!rounds_up(suite, lists->opens)) {
            lists->grain = lengths & -lengths;
            if (lists->grain < suite.encrypt->record.block_bytes) return false;
        }
    }
    return walks(*lists, most_aad);
}

}  // namespace

bool plan_lists(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan) {
    cst_job like_it = job;
    cst_job *jobs[MOST_MESSAGES];
    std::fill_n(jobs, n, &like_it);
    Lists lists = {suite, job.direction == CST_OPEN, jobs, n};
    lists.one_key = one_key;
    *plan = {};
    if (!prepare(&lists)) return false;
    if (suite.enciphers()) plan->cipher = rank(suite, text_need(lists));
    if (suite.hash) plan->hash = rank(suite, mac_need(lists));
    return true;
}

int run_lists(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    const cst_job &first = *jobs[0];
    const Suite &suite = *key_of(first).suite;
    Lists lists = {suite, first.direction == CST_OPEN, jobs, n};
    lists.memory = memory;
    lists.readable = readable;
    if (!prepare(&lists)) return JOB_WAITING;
    bool all = true;
    if (!suite.enciphers()) {
        all = walk_macs(lists);
    } else if (!suite.hash) {
        walk_texts(lists);
    } else if (lists.opens != suite.row.covers_plaintext) {
        all = walk_macs(lists);
        cst_job *right[MOST_MESSAGES];
        if (!all) {
            size_t some = 0;
            for (size_t i = 0; i < n; i++)
                if (jobs[i]->status == CST_OK) right[some++] = jobs[i];
            lists.jobs = right;
            lists.n = some;
        }
        all &= walk_texts(lists);
    } else {
        walk_texts(lists);
        all = walk_macs(lists);
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
