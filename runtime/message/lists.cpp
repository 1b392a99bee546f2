// Runs messages as lists of segments (executors/walk.hpp) directly from their jobs: a cipher, a digest or a MAC alone,
// encrypt-then-MAC, CCM, TLS records. Cipher and MAC of a class take one walk each, on kernels of their own; or, where
// that takes less time, a stitched kernel walks through the middle of the messages, and what comes before and after it
// takes a walk each (stitch.hpp).

#include "constructions.hpp"
#include "list_writers.hpp"
#include "record_writer.hpp"
#include "stitch.hpp"
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
    Stitch stitch = {};
    MiddleState **middles = nullptr;  // of messages whose middle is done; NULL: they are whole
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

// Walks texts on kernels that the need asks for.
template <typename Writer>
bool walk_texts(const Lists &lists, Need need) {
    MiddleState *const *middles = lists.middles;
    bool all = true;
    for (cst_job *const *at = lists.jobs; need.messages;) {
        const Lineup lineup = line_up(lists.suite, need);
        all &= walk<Writer>(&lists.memory->lanes, *lineup.variant, at, lineup.messages, *lineup.variant,
                            &lists.memory->lanes, *at[0], need.rounds_up, middles);
        at += lineup.messages;
        if (middles) middles += lineup.messages;
        need.messages -= lineup.messages;
    }
    return all;
}
// Returns false if the padding of a text was wrong.
bool walk_texts(const Lists &lists) {
    if (!lists.n) return true;
    Need need = text_need(lists);
    return walk_texts<TextWriter<>>(lists, need);
}

// Of what comes in front of a stitched middle, which begins at a block, and behind it.
Need text_need_before(const Lists &lists, uint64_t bytes) {
    Need need = {&lists.suite.ciphers(lists.opens), lists.n, bytes, bytes};
    need.one_key = lists.one_key;
    need.grain = AES_BLOCK;
    return need;
}
Need text_need_after(const Lists &lists, uint64_t bytes) {
    Need need = text_need_before(lists, bytes);
    need.rounds_up = !lists.grain;
    if (need.rounds_up) need.grain = 0;
    return need;
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

// Returns false if a job did not authenticate. walk_some: walks jobs behind the first `done`.
template <typename Walk>
[[gnu::noinline]] bool walk_macs(const Lists &lists, Need need, Walk walk_some) {
    bool all = true;
    for (size_t done = 0; need.messages;) {
        const Lineup lineup = line_up(lists.suite, need);
        all &= walk_some(*lineup.variant, lists.jobs + done, lineup.messages, done);
        done += lineup.messages;
        need.messages -= lineup.messages;
    }
    return all;
}
template <typename Writer>
bool walk_macs(const Lists &lists, Need need) {
    LaneMemory *const memory = &lists.memory->lanes;
    return walk_macs(lists, need, [&](const Variant &v, cst_job *const *jobs, size_t n, size_t done) {
        return walk<Writer>(memory, v, jobs, n, lists.suite, v, memory, lists.opens, lists.readable,
                            lists.middles ? lists.middles + done : nullptr);
    });
}
bool walk_macs(const Lists &lists) {
    if (!opens_records(lists)) return walk_macs<MacWriter<>>(lists, mac_need(lists));
    LaneMemory *const memory = &lists.memory->lanes;
    return walk_macs(lists, mac_need(lists), [&](const Variant &v, cst_job *const *jobs, size_t n, size_t) {
        return walk<RecordWriter>(memory, v, jobs, n, lists.suite, v, memory);
    });
}

// Lists have neither a key for each message, nor a table in the state block.
bool suite_walks(const Suite &suite) {
    const uint32_t hash = suite.hash ? suite.hash->record.kind : 0,
                   cipher = suite.encrypt ? suite.encrypt->record.kind : 0;
    return hash != ALGORITHM_GHASH && hash != ALGORITHM_POLY1305 && cipher != ALGORITHM_RC4;
}

// Whether a message can be a list of segments, whatever the others of its class are.
bool walks(const Suite &suite, const CounterRoom &room, const cst_job &job) {
    if (in_pieces(job) || !room.holds(job)) return false;
    if (!suite.enciphers()) return true;
    if (!job.in_len) return false;
    if (suite.tweaked()) return !(job.in_len % suite.encrypt->record.block_bytes);  // else ciphertext stealing
    // The head of a CCM message is assembled as a whole in the bounce buffer, which bounds the AAD.
    return !suite.row.is_ccm() || job.aad_len <= MOST_BLOCK ||
           fits_whole(suite, suite.row.head_bytes(job.aad_len), job.in_len);
}

// Whether a walk can run the forced kernel. If it cannot, another path runs the jobs, because a forced kernel must be
// seen to run wherever it fits. lengths: all lengths of what is encrypted or decrypted, or'ed.
bool forced_fits(const Lists &lists, uint64_t lengths) {
    const Suite &suite = lists.suite;
    const Variant *const forced = suite.forced;
    if (!forced || opens_records(lists)) return true;  // no stitched kernel opens records
    if (forced->stitched()) return true;  // its messages may be too short for it
    return forced->role == Role::hash ? forced->step == suite.hash->record.block_bytes
                                      : !(lengths & (forced->step - 1));
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
    if (lists->stitch.pair && !line_up(suite, text_need_before(*lists, AES_BLOCK)).variant) lists->stitch = {};
}

// Fills in what the jobs have in common. Returns false if other paths take them.
bool prepare(Lists *lists) {
    const Suite &suite = lists->suite;
    const cst_job &first = *lists->jobs[0];
    const bool enciphers = suite.enciphers();
    if (!suite_walks(suite)) return false;
    const CounterRoom room(suite);
    uint64_t lengths = 0, sum = 0;
    size_t most_aad = 0;
    for (size_t i = 0; i < lists->n; i++) {
        const cst_job &job = *lists->jobs[i];
        if (!walks(suite, room, job)) return false;
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
        if (pads) {
            lists->grain = AES_BLOCK;
        } else if (!rounds_up(suite, lists->opens)) {
            lists->grain = lengths & -lengths;
            if (lists->grain < suite.encrypt->record.block_bytes)
                lists->grain = 0;  // DES: nothing follows a half block
        }
    }
    choose_walks(lists, most_aad);
    return true;
}

// Runs the texts of those whose MAC was right. Not inlined: its lists take room on the stack.
template <typename Texts>
[[gnu::noinline]] void run_right_texts(const Lists &lists, Texts texts) {
    Lists right = lists;
    cst_job *jobs[MOST_MESSAGES];
    MiddleState *middles[MOST_MESSAGES];
    right.jobs = jobs;
    if (lists.middles) right.middles = middles;
    right.n = 0;
    for (size_t i = 0; i < lists.n; i++) {
        if (lists.jobs[i]->status != CST_OK) continue;
        if (lists.middles) middles[right.n] = lists.middles[i];
        jobs[right.n++] = lists.jobs[i];
    }
    texts(right);
}

// Runs texts and MACs in the order that the construction wants. Opening, a text whose MAC was wrong is not decrypted.
template <typename Texts, typename Macs>
bool run_in_order(const Lists &lists, Texts texts, Macs macs) {
    if (lists.opens == lists.suite.row.covers_plaintext) {
        texts(lists);
        return macs(lists);
    }
    if (macs(lists)) return texts(lists);
    run_right_texts(lists, texts);
    return false;
}

bool run_apart(const Lists &lists) {
    return run_in_order(
        lists, [](const Lists &those) { return walk_texts(those); },
        [](const Lists &those) { return walk_macs(those); });
}

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
        return walk_texts<TextWriter<Phase::before>>(
            those, text_need_before(those, std::max<uint64_t>(first.cipher, AES_BLOCK)));
    };
    const auto macs = [&](const Lists &those) {
        const uint64_t unit = suite.hash->record.block_bytes, head = suite.row.head_bytes(those.jobs[0]->aad_len),
                       bytes = std::max((head + unit - 1 + first.ahead) & ~(unit - 1), unit);
        Need need = {&suite.hashes, those.n, bytes, bytes};
        need.whole_only = true;
        return walk_macs<MacWriter<Phase::before>>(those, need);
    };
    if (lists.opens == suite.row.covers_plaintext) texts(lists), macs(lists);
    else macs(lists), texts(lists);
    walk<PairWriter>(memory, pair, lists.jobs, lists.n, suite, pair, memory, *lists.jobs[0], lists.middles);
}

bool walk_rest(const Lists &lists) {
    const auto texts = [](const Lists &those) {
        if (!those.n) return true;
        const uint64_t bytes = mean_of(those, [](const cst_job &job, const MiddleState &middle) {
            return job.in_len - middle.cipher - middle.bytes;
        });
        return walk_texts<TextWriter<Phase::after>>(those, text_need_after(those, bytes));
    };
    const auto macs = [](const Lists &those) {
        const uint64_t bytes = mean_of(those, [](const cst_job &job, const MiddleState &middle) {
            return job.in_len - std::min<uint64_t>(job.in_len, middle.cipher + middle.ahead + middle.bytes);
        });
        Need need = {&those.suite.hashes, those.n, hashed_bytes(those.suite, bytes), hashed_bytes(those.suite, bytes)};
        need.whole_only = true;
        return walk_macs<MacWriter<Phase::after>>(those, need);
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

}  // namespace

bool is_list(const cst_job &job) {
    const Suite &suite = *key_of(job).suite;
    return suite_walks(suite) && walks(suite, CounterRoom(suite), job);
}

bool plan_lists(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan) {
    cst_job like_it = job;
    cst_job *jobs[MOST_MESSAGES];
    std::fill_n(jobs, n, &like_it);
    Lists lists = {suite, job.direction == CST_OPEN, jobs, n};
    lists.one_key = one_key;
    *plan = {};
    if (!prepare(&lists)) return false;
    if (lists.stitch.pair) {
        plan->pair = {{lists.stitch.pair, n}, lists.stitch.cycles, nullptr, 0};
    }
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
    const bool all = !suite.enciphers()  ? walk_macs(lists)
                     : !suite.hash       ? walk_texts(lists)
                     : lists.stitch.pair ? run_stitched(lists)
                                         : run_apart(lists);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
