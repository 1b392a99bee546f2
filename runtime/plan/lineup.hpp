// Kernel selection: which kernels do a step for the messages of a class. Costs decide (select/cost.hpp), once for each
// range of lengths (select/choices.hpp).
#pragma once

#include "question.hpp"

namespace cst {

// A kernel selection with its figures: core cycles for all messages, and the runner-up.
struct Ranking {
    Lineup chosen;
    double cycles = 0;
    const Variant *next = nullptr;
    double next_cycles = 0;
};

// The selections of one path for jobs of the same shape; one without a kernel: the path has nothing to do for it.
struct Plan {
    Ranking pair, cipher, hash;
    Ranking checksum;  // beside these, of a cipher with a checksum
};

// Selects the kernel for a need that was not asked about before.
Lineup line_up_now(const Suite &suite, const Need &need);
inline Lineup line_up(const Suite &suite, const Need &need) {
    Lineup lineup;
    if (usual(suite) && recall(suite, need, Question(suite, need, Question::Kind::step), &lineup)) return lineup;
    return line_up_now(suite, need);
}

// Returns the choice of line_up together with its expected cost.
Ranking rank(const Suite &suite, const Need &need);

// Returns the core cycles of a step, each part of the messages on the kernel selected for it; infinite if a part has
// none.
double step_cycles(const Suite &suite, const Need &need);

// Selects the kernel for n texts from a family that takes a text in one call (`whole_hashes` or `blocks`).
const Variant *line_up_whole(const Suite &suite, const Family &family, size_t n, uint64_t bytes);

// Returns the core cycles of a step besides the kernel's calls: to put a row of a key, a row of a chaining value or a
// pointer into a lane takes a store and a load.
double loading(const Variant &variant, bool one_key);

// Describes messages that are one kernel call each, with texts of `bytes` and AADs of `aad` bytes.
inline Need message_need(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t aad) {
    Need need = {&suite.messages[opens], messages, bytes, bytes};
    need.whole = true;
    need.short_aad = aad <= SHORT_MESSAGE_AAD;
    return need;
}

// Whether an AAD has so many bytes that all kernels of lists take it.
inline bool is_block_of_aad(uint64_t aad) { return aad >= ONE_BLOCK_AAD / 2 && aad <= ONE_BLOCK_AAD; }

// Describes n messages with texts of `bytes` and AADs of `aad` bytes, as a list.
inline Need list_need(const Suite &suite, bool opens, size_t n, uint64_t bytes, uint64_t aad) {
    Need need = message_need(suite, opens, n, bytes, aad);
    need.short_aad = true;
    need.family = &(is_block_of_aad(aad) ? suite.lists : suite.lists_of_any_aad)[opens];
    return need;
}

// Selects the kernel that takes messages of so many bytes, with an AAD of `aad`, as a list. NULL: there is none. No
// kernel that wants a state block is preferred to it: even for one message, what fills the block costs more than
// kernels of a length differ by.
const Variant *choose_list(const Suite &suite, bool opens, uint64_t bytes, uint64_t aad);

// Selects the kernel that takes n digests or HMACs of messages of so many bytes as a list. hashed: the bytes of such a
// message and its padding, of HMAC behind the key's block and without the outer block. NULL: there is none, or kernels
// of the hash take less time.
const Variant *choose_hash_list(const Suite &suite, bool opens, size_t n, uint64_t bytes, uint64_t hashed);

// Selects the kernel that processes whole messages. NULL: there is none, or, for an AEAD, separate kernels for the
// parts take less time.
const Variant *choose_message(const Suite &suite, bool opens, const Need &exact);

// Whether the kernel takes messages of all lengths that are in one range with this one, so that a call that is
// remembered for the range needs no check.
inline bool takes_range(const Variant &v, uint64_t bytes) {
    const uint64_t least = LengthRange::sample(bytes), most = LengthRange::most(bytes);
    return least >= v.need() && v.takes_message(least) && v.takes_message(most);
}

// Answers choose_message for n messages of any one length, of one suite, direction and AAD length.
class MessageKernels {
public:
    MessageKernels(const Suite &suite, bool opens, size_t n, uint64_t aad)
        : suite_(suite), opens_(opens), n_(n), aad_(aad) {
        const Need need = message_need(suite, opens, n, 0, aad);
        if (usual(suite)) question_ = Question::rest(suite, need, Question::Kind::message, false);
    }
    const Variant *of(uint64_t bytes) const {
        Choice choice;
        const Family &family = suite_.messages[opens_];
        if (question_ && family.choices.recall(question_ | LengthRange::of(bytes), &choice)) {
            if (choice.index == Choice::NONE) return nullptr;
            const Variant *const v = family.variants[choice.index];
            if (v->takes_message(bytes)) return v;
        }
        return choose_message(suite_, opens_, message_need(suite_, opens_, n_, bytes, aad_));
    }

private:
    const Suite &suite_;
    const bool opens_;
    const size_t n_;
    const uint64_t aad_;
    uint64_t question_ = 0;  // number of the question without the length; 0: not to be answered from the cache
};

// Selects the stitched kernel for the middle of the messages. NULL: there is none, or the parts one after the other
// take less time. cycles: NULL, or receives the kernel's core cycles.
const Variant *choose_pair(const Suite &suite, const Need &exact, const Family &ciphers, double *cycles);
// Whether a kernel that is stitched of two digests takes less time than the two one after the other.
bool both_beat_halves(const Suite &suite, const Need &exact);
// Selects the kernel for n messages of a cipher and their checksums together. NULL: there is none, or the two one after
// the other take less time.
const Variant *choose_checked(const Suite &suite, bool opens, size_t n, uint64_t bytes);
// Does so where the parts are lists (message/lists.cpp), and the pair kernel needs walks around it.
const Variant *choose_pair_of_lists(const Suite &suite, const Need &exact, const Family &ciphers, double *cycles);

}  // namespace cst
