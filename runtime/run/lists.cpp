// Runs messages as lists of segments (walk.hpp) directly from their jobs, without the staged path: a cipher, a digest
// or a MAC alone, encrypt-then-MAC without padding, CCM. Cipher and MAC of a class take one walk each, on kernels of
// their own.

#include "constructions.hpp"
#include "list_mac.hpp"
#include "list_text.hpp"
#include "middle.hpp"
#include "text.hpp"

namespace cst {
namespace {

// A class of messages whose segments a walk runs.
struct Lists {
    Memory *memory;
    cst_job *const *jobs;
    size_t n;
    uint64_t mean, most;  // bytes per text
    bool one_key;
    uint64_t grain;  // a power of two that divides all text lengths; 0: the last iteration of a text is padded
    const uint8_t *readable;
};

void walk_texts(const Lists &lists) {
    if (!lists.n) return;
    const Suite &suite = *key_of(*lists.jobs[0]).suite;
    Need need = {&suite.ciphers(lists.jobs[0]->direction == CST_OPEN), lists.n, lists.mean, lists.most};
    need.one_key = lists.one_key;
    need.grain = lists.grain;
    need.rounds_up = !lists.grain;
    for (cst_job *const *at = lists.jobs; need.messages;) {
        const Lineup lineup = line_up(suite, need);
        TextWriter writer(*lineup.variant, &lists.memory->lanes, *at[0], need.rounds_up);
        Walker<TextWriter>(*lineup.variant, &lists.memory->lanes, &writer).run(at, lineup.messages);
        at += lineup.messages;
        need.messages -= lineup.messages;
    }
}

Need mac_need(const Suite &suite, size_t n, uint64_t aad, uint64_t mean, uint64_t most) {
    const uint64_t head = head_bytes(suite, aad);
    Need need = {&suite.hashes, n, hashed_bytes(suite, head + mean), hashed_bytes(suite, head + most)};
    need.whole_only = true;
    return need;
}

// Returns false if a job did not authenticate.
bool walk_macs(const Lists &lists) {
    const cst_job &first = *lists.jobs[0];
    const Suite &suite = *key_of(first).suite;
    Need need = mac_need(suite, lists.n, first.aad_len, lists.mean, lists.most);
    bool all = true;
    for (cst_job *const *at = lists.jobs; need.messages;) {
        const Lineup lineup = line_up(suite, need);
        MacWriter writer(suite, *lineup.variant, &lists.memory->lanes, first.direction == CST_OPEN, lists.readable);
        Walker<MacWriter>(*lineup.variant, &lists.memory->lanes, &writer).run(at, lineup.messages);
        all &= writer.all_right();
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

// Whether a walk can run the forced kernel. If it cannot, another path runs the jobs, because a forced kernel must be
// seen to run wherever it fits.
bool forced_fits(const Suite &suite, uint64_t lengths) {
    const Variant *const forced = suite.forced;
    if (!forced) return true;
    if (forced->stitched()) return false;
    return forced->role == Role::hash ? forced->step == suite.hash->record.block_bytes
                                      : !(lengths & (forced->step - 1));
}

// The head of a CCM message is assembled as a whole in the bounce buffer, which bounds the AAD.
constexpr size_t MOST_CCM_AAD = MOST_BLOCK;

}  // namespace

bool walks(const Suite &suite, bool opens, size_t n, uint64_t aad, uint64_t mean, uint64_t most, bool one_key) {
    if (!serves(suite)) return false;
    if (!suite.hash || (!suite.enciphers() && suite.hash->record.kind == ALGORITHM_HASH)) return true;
    if (fits_whole(suite, head_bytes(suite, aad), most)) return true;
    if (suite.construction == Construction::ccm && aad > MOST_CCM_AAD) return false;
    Need need = mac_need(suite, n, aad, mean, most);
    if (suite.hash->record.kind == ALGORITHM_CBC_MAC) {  // kernels of several blocks per iteration win on long bodies
        need.whole_only = false;
        const Variant *const v = line_up(suite, need).variant;
        if (!v || v->step != suite.hash->record.block_bytes) return false;
    }
    Need texts = {&suite.ciphers(opens), n, mean, most};
    texts.one_key = one_key;
    return !suite.enciphers() || !stitches(suite, opens, aad, texts);
}

int run_lists(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    const cst_job &first = *jobs[0];
    const Suite &suite = *key_of(first).suite;
    const bool enciphers = suite.enciphers(), opens = first.direction == CST_OPEN;
    if (!serves(suite)) return JOB_WAITING;
    const bool counted = enciphers && counts(suite);
    Lists lists = {memory, jobs, n, 0, 0, true, 0, readable};
    uint64_t lengths = 0, sum = 0;
    size_t most_aad = 0;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        if ((job.n_in_pieces | job.n_out_pieces) || (enciphers && !job.in_len)) return JOB_WAITING;
        if (counted && !CounterRoom(suite, job.in_len).holds(job.iv)) return JOB_WAITING;
        lengths |= job.in_len;
        sum += job.in_len;
        lists.most = std::max<uint64_t>(lists.most, job.in_len);
        most_aad = std::max(most_aad, job.aad_len);
        lists.one_key &= job.key == first.key;
    }
    if (!forced_fits(suite, lengths)) return JOB_WAITING;
    lists.mean = lengths == first.in_len && sum == lengths * n ? lengths : sum / n;
    if (enciphers) {
        if (suite.tweaked() && lengths % suite.encrypt->record.block_bytes) return JOB_WAITING;  // ciphertext stealing
        if (!rounds_up(suite, opens)) {
            lists.grain = lengths & -lengths;
            if (lists.grain < suite.encrypt->record.block_bytes) return JOB_WAITING;
        }
    }
    if (!walks(suite, opens, n, most_aad, lists.mean, lists.most, lists.one_key)) return JOB_WAITING;
    if (!enciphers) return walk_macs(lists) ? CST_OK : CST_ERR_AUTH;
    if (!suite.hash) {
        walk_texts(lists);
        return CST_OK;
    }
    // CCM authenticates the plaintext, the other constructions the ciphertext.
    const bool mac_first = opens != (suite.construction == Construction::ccm);
    if (!mac_first) walk_texts(lists);
    const bool all = walk_macs(lists);
    if (!mac_first) return all ? CST_OK : CST_ERR_AUTH;
    cst_job *opened[MOST_MESSAGES];
    if (!all) {
        size_t some = 0;
        for (size_t i = 0; i < n; i++)
            if (jobs[i]->status == CST_OK) opened[some++] = jobs[i];
        lists.jobs = opened;
        lists.n = some;
    }
    walk_texts(lists);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
