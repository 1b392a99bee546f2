// Walks of a class of messages (executors/walk.hpp): one over what is enciphered, one over what is hashed.
#pragma once

#include "list_writers.hpp"
#include "stitch.hpp"
#include "text.hpp"

namespace cst {

// A class of messages whose segments a walk runs.
struct Lists {
    // Whether a MAC or padding follows each text, with which its last blocks are assembled.
    bool pads() const { return suite.enciphers() && suite.expansion && !opens; }
    bool rc4() const { return suite.encrypt && suite.encrypt->record.kind == ALGORITHM_RC4; }

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
    MiddleState **middles = nullptr;  // where another walk does a part of each message; NULL: they are whole
};

// Returns what kernels are asked for, to encipher texts of that many bytes each with their last blocks. grain: as of
// Lists.
inline Need text_need(const Lists &lists, uint64_t bytes, uint64_t grain) {
    bytes = std::max<uint64_t>(bytes, grain ? grain : 1);
    Need need = {&lists.suite.ciphers(lists.opens), lists.n, bytes, bytes};
    need.one_key = lists.one_key;
    need.grain = grain;
    need.rounds_up = !grain;
    return need;
}

// Returns what kernels are asked for, to hash that many bytes of each message.
inline Need hash_need(const Lists &lists, uint64_t bytes) {
    Need need = {&lists.suite.hashes, lists.n, bytes, bytes};
    need.whole_only = true;
    return need;
}

// Returns the forced kernel if its iterations are longer than the blocks in which texts end.
inline const Variant *coarse_cipher(const Suite &suite, bool opens) {
    const Variant *const forced = suite.forced;
    const bool coarse = forced && suite.enciphers() && suite.ciphers(opens).holds(forced) && !rounds_up(suite, opens) &&
                        forced->step > suite.encrypt->record.block_bytes;
    return coarse ? forced : nullptr;
}
// Returns the forced kernel if it takes several blocks of a block cipher's MAC in an iteration.
inline const Variant *coarse_mac(const Suite &suite) {
    const Variant *const forced = suite.forced;
    return forced && forced->role == Role::hash && forced->step != suite.hash->record.block_bytes ? forced : nullptr;
}

// Walks texts on kernels that the need asks for. goes_on: as of MessageText. Returns false if the padding of a text was
// wrong.
template <typename Writer>
bool walk_texts(const Lists &lists, Need need, bool goes_on = false) {
    MiddleState *const *middles = lists.middles;
    bool all = true;
    for (cst_job *const *at = lists.jobs; need.messages;) {
        const Lineup lineup = line_up(lists.suite, need);
        all &= walk<Writer>(&lists.memory->lanes, *lineup.variant, at, lineup.messages, *lineup.variant,
                            &lists.memory->lanes, *at[0], need.rounds_up, goes_on, middles);
        at += lineup.messages;
        if (middles) middles += lineup.messages;
        need.messages -= lineup.messages;
    }
    return all;
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
// Walks on one kernel. readable: as of MessageMac.
template <typename Writer>
bool walk_macs(const Lists &lists, const Variant &v, cst_job *const *jobs, size_t n, MiddleState *const *middles,
               const uint8_t *readable) {
    LaneMemory *const memory = &lists.memory->lanes;
    return walk<Writer>(memory, v, jobs, n, lists.suite, v, memory, lists.opens, readable, middles);
}
template <typename Writer>
bool walk_macs(const Lists &lists, Need need) {
    return walk_macs(lists, need, [&](const Variant &v, cst_job *const *jobs, size_t n, size_t done) {
        return walk_macs<Writer>(lists, v, jobs, n, lists.middles ? lists.middles + done : nullptr, lists.readable);
    });
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
    if (right.n) texts(right);
}

// Runs texts and MACs in the order that the construction wants. Opening, a text whose MAC was wrong is not decrypted.
template <typename Texts, typename Macs>
bool run_in_order(const Lists &lists, Texts texts, Macs macs) {
    const Suite &suite = lists.suite;
    if (!suite.hash) return texts(lists);
    if (!suite.enciphers()) return macs(lists);
    if (lists.opens == suite.row.covers_plaintext) {
        texts(lists);
        return macs(lists);
    }
    if (macs(lists)) return texts(lists);
    run_right_texts(lists, texts);
    return false;
}

// Run texts, and MACs, that one walk cannot run (windows.cpp): texts that are in pieces, whose counter carries beyond
// the bits in which kernels count, or that end by ciphertext stealing; MACs of texts in pieces, which are too long to
// be copied.
bool run_text_windows(const Lists &lists);
bool run_mac_windows(const Lists &lists);

}  // namespace cst
