// Runs messages as lists of segments (executors/walk.hpp) directly from their jobs: a cipher, a digest or a MAC alone,
// encrypt-then-MAC, CCM, TLS records. Cipher and MAC of a class take one walk each, on kernels of their own; or, where
// that takes less time, a stitched kernel walks through the middle of the messages, and what comes before and after it
// takes a walk each (stitch.hpp).

#include "constructions.hpp"
#include "record_writer.hpp"
#include "walks.hpp"

namespace cst {
namespace {

Need text_need(const Lists &lists) {
    const auto bytes = [&](uint64_t text) { return lists.opens ? text : lists.suite.sealed_bytes(text); };
    Need need = text_need(lists, bytes(lists.mean), lists.grain);
    need.most = std::max(need.most, bytes(lists.most));
    return need;
}
bool walk_whole_texts(const Lists &lists) { return walk_texts<TextWriter<>>(lists, text_need(lists)); }

Need mac_need(const Lists &lists) {
    const auto bytes = [&](uint64_t body) {
        return hashed_bytes(lists.suite, lists.suite.row.head_bytes(lists.jobs[0]->aad_len) + body);
    };
    Need need = hash_need(lists, bytes(lists.mean));
    need.most = bytes(lists.most);
    return need;
}

bool opens_records(const Lists &lists) { return lists.opens && lists.suite.row.is_record(); }

// Runs MACs on such a kernel, with one of single blocks in front of the body's blocks and behind them.
bool walk_coarse_macs(const Lists &lists, const Variant &coarse) {
    const Suite &suite = lists.suite;
    const MessageMac<false> mac(suite, lists.opens, nullptr, nullptr);
    cst_job *jobs[MOST_MESSAGES], *shorter[MOST_MESSAGES];
    MiddleState *middles[MOST_MESSAGES];
    Lists rest = lists, those = lists;
    rest.jobs = shorter;
    those.jobs = jobs;
    those.middles = middles;
    rest.n = those.n = 0;
    for (size_t i = 0; i < lists.n; i++) {
        cst_job *const job = lists.jobs[i];
        const Shape shape(suite, *job, false);
        const uint64_t boundary = mac.boundary(*job), body = mac.body_bytes(*job),
                       bytes = body < boundary ? 0 : shape.blocks_of_body(body - boundary) & ~(coarse.step - 1);
        if (!bytes) {
            shorter[rest.n++] = job;
            continue;
        }
        MiddleState &middle = *new (lists.memory->area_of(i, sizeof(MiddleState))) MiddleState;
        middle.ahead = 0;
        middle.bytes = bytes;
        middle.body = static_cast<const uint8_t *>(mac.reads_output() ? job->out : job->in) + boundary;
        middles[those.n] = &middle;
        jobs[those.n++] = job;
    }
    bool all = !rest.n || walk_macs<MacWriter<>>(rest, mac_need(rest));
    if (!those.n) return all;
    walk_macs<MacWriter<Phase::before>>(those, hash_need(those, 2 * suite.hash->record.block_bytes));
    walk_macs<MacWriter<Phase::within>>(those, coarse, jobs, those.n, middles, nullptr);
    for (size_t i = 0; i < those.n; i++) middles[i]->body += middles[i]->bytes;
    return walk_macs<MacWriter<Phase::after>>(those, hash_need(those, suite.hash->record.block_bytes)) && all;
}

bool walk_whole_macs(const Lists &lists) {
    if (const Variant *const coarse = coarse_mac(lists.suite)) return walk_coarse_macs(lists, *coarse);
    if (!opens_records(lists)) return walk_macs<MacWriter<>>(lists, mac_need(lists));
    LaneMemory *const memory = &lists.memory->lanes;
    return walk_macs(lists, mac_need(lists), [&](const Variant &v, cst_job *const *jobs, size_t n, size_t) {
        return walk<RecordWriter>(memory, v, jobs, n, lists.suite, v, memory);
    });
}

// Lists have no key for each message.
bool suite_walks(const Suite &suite) {
    const uint32_t hash = suite.hash ? suite.hash->record.kind : 0;
    return hash != ALGORITHM_GHASH && hash != ALGORITHM_POLY1305;
}

// Says how a message runs: by one walk for the cipher and one for the MAC, or by several around a stitched middle; with
// its text in windows; with text and MAC in windows.
enum class Way : uint8_t { walks, text_windows, windows };
Way way_of(const Suite &suite, const CounterRoom &room, const cst_job &job) {
    if (in_pieces(job)) return Way::windows;
    const bool opens = job.direction == CST_OPEN, steals = suite.tweaked() && job.in_len % AES_BLOCK;
    const Variant *const coarse = coarse_cipher(suite, opens);
    const bool ends_within = coarse && job.in_len && suite.sealed_bytes(job.in_len) % coarse->step;
    return steals || ends_within || !room.holds(job) ? Way::text_windows : Way::walks;
}

// Selects a stitched kernel, if one takes less time. aad: that of the longest head.
void choose_walks(Lists *lists, uint64_t aad) {
    const Suite &suite = lists->suite;
    if (!suite.hash || !suite.enciphers()) return;
    if (fits_whole(suite, suite.row.head_bytes(aad), lists->most)) return;
    const bool forced = suite.forced && suite.forced->stitched();
    bool in_place = false;
    for (size_t i = 0; i < lists->n; i++)  // a plan has no buffers
        in_place |= lists->jobs[i]->in && lists->jobs[i]->in == lists->jobs[i]->out;
    cst_job like = *lists->jobs[0];
    like.aad_len = aad;
    like.in_len = lists->most;
    const Shape longest(suite, like, in_place);
    like.in_len = forced ? lists->most : lists->mean;
    const Shape mean(suite, like, in_place);
    lists->stitch = choose_stitch(suite, mean, longest, lists->n, lists->one_key, true);
    if (lists->stitch.pair && !line_up(suite, text_need(*lists, AES_BLOCK, AES_BLOCK)).variant) lists->stitch = {};
}

// Fills in what the jobs have in common.
void prepare(Lists *lists) {
    const Suite &suite = lists->suite;
    const cst_job &first = *lists->jobs[0];
    uint64_t lengths = 0, sum = 0;
    size_t most_aad = 0;
    lists->most = 0;
    for (size_t i = 0; i < lists->n; i++) {
        const cst_job &job = *lists->jobs[i];
        lengths |= job.in_len;
        sum += job.in_len;
        lists->most = std::max<uint64_t>(lists->most, job.in_len);
        most_aad = std::max(most_aad, job.aad_len);
        lists->one_key &= job.key == first.key;
    }
    lists->mean = lengths == first.in_len && sum == lengths * lists->n ? lengths : sum / lists->n;
    lists->grain = 0;
    if (lists->pads()) {
        lists->grain = AES_BLOCK;
    } else if (suite.enciphers() && !rounds_up(suite, lists->opens)) {
        lists->grain = lengths & -lengths;
        if (lists->grain < suite.encrypt->record.block_bytes) lists->grain = 0;  // DES: nothing follows a half block
    }
    choose_walks(lists, most_aad);
}

bool run_apart(const Lists &lists) {
    return run_in_order(
        lists, [](const Lists &those) { return walk_whole_texts(those); },
        [](const Lists &those) { return walk_whole_macs(those); });
}
bool run_text_in_windows(const Lists &lists) {
    return run_in_order(lists, run_text_windows, [](const Lists &those) { return walk_whole_macs(those); });
}
bool run_in_windows(const Lists &lists) { return run_in_order(lists, run_text_windows, run_mac_windows); }

// What a burst knows of its messages' middles.
struct MiddleMemory {
    ~MiddleMemory() { wipe(states, n * sizeof(*states)); }

    size_t n = 0;
    MiddleState *list[MOST_MESSAGES];
    cst_job *jobs[MOST_MESSAGES], *others[MOST_MESSAGES];
    MiddleState states[MOST_MESSAGES];
};

// Lists the messages that are long enough for the stitched kernel, and the others, whose number it returns.
size_t begin_middles(const Lists &lists, MiddleMemory *memory) {
    const Variant &pair = *lists.stitch.pair;
    size_t others = 0;
    for (size_t i = 0; i < lists.n; i++) {
        cst_job *const job = lists.jobs[i];
        const Shape shape(lists.suite, *job, job->in == job->out);
        const Start start(shape, pair.hand, pair.need(), pair.step);
        if (start.bytes < pair.need() || (pair.hand && !start.aligned)) {
            memory->others[others++] = job;
            continue;
        }
        MiddleState &middle = *(memory->list[memory->n] = &memory->states[memory->n]);
        middle.rc4 = lists.rc4() ? lists.memory->area_of(memory->n, RC4_STATE) : nullptr;
        middle.cipher = start.cipher;
        middle.ahead = start.hash - shape.boundary;
        middle.bytes = start.bytes;
        memory->jobs[memory->n++] = job;
    }
    return others;
}

// Returns the mean of what `of` returns for each message.
template <typename Of>
uint64_t mean_of(const Lists &lists, Of of) {
    uint64_t sum = 0;
    for (size_t i = 0; i < lists.n; i++) sum += of(*lists.jobs[i], *lists.middles[i]);
    return std::max<uint64_t>(sum / lists.n, AES_BLOCK);
}

// Runs the middles of messages, and what comes in front of them.
void walk_to_the_end_of_middles(const Lists &lists) {
    const Suite &suite = lists.suite;
    const Variant &pair = *lists.stitch.pair;
    LaneMemory *const memory = &lists.memory->lanes;
    const MiddleState &first = *lists.middles[0];
    const auto texts = [&](const Lists &those) {
        const uint64_t bytes = std::max<uint64_t>(first.cipher, AES_BLOCK);
        return walk_texts<TextWriter<Phase::before>>(those, text_need(those, bytes, AES_BLOCK));
    };
    const auto macs = [&](const Lists &those) {
        const uint64_t unit = suite.hash->record.block_bytes, head = suite.row.head_bytes(those.jobs[0]->aad_len),
                       bytes = std::max((head + unit - 1 + first.ahead) & ~(unit - 1), unit);
        return walk_macs<MacWriter<Phase::before>>(those, hash_need(those, bytes));
    };
    if (lists.opens == suite.row.covers_plaintext) texts(lists), macs(lists);
    else macs(lists), texts(lists);
    walk<PairWriter>(memory, pair, lists.jobs, lists.n, suite, pair, memory, *lists.jobs[0], lists.middles);
}

bool walk_rest(const Lists &lists) {
    const auto texts = [](const Lists &those) {
        const uint64_t bytes = mean_of(those, [](const cst_job &job, const MiddleState &middle) {
            return job.in_len - middle.cipher - middle.bytes;
        });
        return walk_texts<TextWriter<Phase::after>>(those, text_need(those, bytes, those.grain ? AES_BLOCK : 0));
    };
    const auto macs = [](const Lists &those) {
        const uint64_t bytes = mean_of(those, [](const cst_job &job, const MiddleState &middle) {
            return job.in_len - std::min<uint64_t>(job.in_len, middle.cipher + middle.ahead + middle.bytes);
        });
        return walk_macs<MacWriter<Phase::after>>(those, hash_need(those, hashed_bytes(those.suite, bytes)));
    };
    return run_in_order(lists, texts, macs);
}

bool run_stitched(const Lists &lists) {
    const InSlot<MiddleMemory> memory(lists.memory->work);
    memory->n = 0;
    Lists those = lists;
    those.jobs = memory->others;
    those.n = begin_middles(lists, &*memory);
    bool all = !those.n || run_apart(those);
    if (!memory->n) return all;
    those.jobs = memory->jobs;
    those.n = memory->n;
    those.middles = memory->list;
    walk_to_the_end_of_middles(those);
    return all & walk_rest(those);
}

bool run(Lists *lists, Way way) {
    prepare(lists);
    switch (way) {
        case Way::text_windows: return run_text_in_windows(*lists);
        case Way::windows: return run_in_windows(*lists);
        case Way::walks: break;
    }
    return lists->stitch.pair ? run_stitched(*lists) : run_apart(*lists);
}

// Runs messages that run in different ways: a message in windows keeps no other from a stitched kernel.
[[gnu::noinline]] bool run_parted(const Lists &lists, const CounterRoom &room) {
    bool all = true;
    for (const Way way : {Way::walks, Way::text_windows, Way::windows}) {
        cst_job *jobs[MOST_MESSAGES];
        Lists those = lists;
        those.jobs = jobs;
        those.n = 0;
        for (size_t i = 0; i < lists.n; i++)
            if (way_of(lists.suite, room, *lists.jobs[i]) == way) jobs[those.n++] = lists.jobs[i];
        if (those.n) all &= run(&those, way);
    }
    return all;
}

}  // namespace

bool plan_lists(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan) {
    *plan = {};
    if (!suite_walks(suite)) return false;
    cst_job like_it = job;
    cst_job *jobs[MOST_MESSAGES];
    std::fill_n(jobs, n, &like_it);
    Lists lists = {suite, job.direction == CST_OPEN, jobs, n};
    lists.one_key = one_key;
    prepare(&lists);
    if (lists.stitch.pair) {
        plan->pair = {{lists.stitch.pair, n}, lists.stitch.cycles, nullptr, 0};
    }
    if (suite.enciphers()) {
        Need need = text_need(lists);
        if (const Variant *const coarse = coarse_cipher(suite, lists.opens)) need.grain = coarse->step;
        plan->cipher = rank(suite, need);
    }
    if (suite.hash) {
        Need need = mac_need(lists);
        need.whole_only = !coarse_mac(suite);
        plan->hash = rank(suite, need);
    }
    return true;
}

int run_lists(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    const cst_job &first = *jobs[0];
    const Suite &suite = *key_of(first).suite;
    Lists lists = {suite, first.direction == CST_OPEN, jobs, n};
    lists.memory = memory;
    lists.readable = readable;
    if (!suite_walks(suite)) return JOB_WAITING;
    const CounterRoom room(suite);
    const Way way = way_of(suite, room, first);
    bool alike = true;
    for (size_t i = 1; i < n; i++) alike &= way_of(suite, room, *jobs[i]) == way;
    return (alike ? run(&lists, way) : run_parted(lists, room)) ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
