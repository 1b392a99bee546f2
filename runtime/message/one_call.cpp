#include "constructions.hpp"

#include <algorithm>

#include "../storage/checksum.hpp"
#include "checked.hpp"
#include "job_list.hpp"
#include "laid.hpp"
#include "whole_aead.hpp"
#include "whole_texts.hpp"

namespace cst {
namespace {

// Returns the call of a kernel for single blocks. NULL: there is no memory for it.
const KernelCall *laid_block(const Suite &suite) {
    KernelCall spare;
    const KernelCall *const call = &laid_down(suite, *line_up_whole(suite, suite.blocks, 1, AES_BLOCK), &spare);
    return call == &spare ? nullptr : call;
}

KernelCall lay_down_whole(const Suite &suite, const Variant &v) {
    KernelCall call = lay_down(*suite.engine, v);
    const KeyLayout &key = suite.key_layout;
    const bool aead = suite.kind == CST_AEAD;
    call.round_keys = uint32_t(aead ? size_t(KeyLayout::ENCRYPT) : key.round_keys(call.opens));
    call.tweak = uint32_t(key.tweak);
    call.powers_end = uint32_t(key.powers + sizeof(KeyRow) * GHASH_POWERS);
    if (suite.tweaked()) {
        call.parts.block = laid_block(suite);
        set_functions<XtsCalls>(&call);
    } else if (!aead) set_functions<WholeTextCalls>(&call);
    else if (suite.construction == Construction::chacha_poly) set_functions<ChachaPolyCalls>(&call);
    else set_functions<GcmCalls>(&call);
    return call;
}

// Finds the calls of kernels for messages of one suite, direction and AAD length.
class WholeCalls {
public:
    WholeCalls(const Suite &suite, bool opens, uint64_t aad)
        : suite_(suite),
          opens_(opens),
          aad_(aad),
          takes_(suite.kind == CST_AEAD ? aad <= MESSAGE_AAD || suite.construction == Construction::gcm
                                        : suite.kind == CST_CIPHER),
          remembers_(usual(suite)),
          lists_(list_need(suite, opens, 1, 0, aad).family->variants),
          listed_(!lists_.empty() && aad <= lists_.front()->jobs.most_aad),
          room_(suite),
          known_(calls().row(suite.engine->cost_generation(), aad)) {}

    // Whether jobs of equal lengths can run in one call each.
    bool take(const cst_job *jobs, size_t n) const { return takes_ && !in_pieces(*jobs) && room_.hold(jobs, n); }
    // Returns the call for one of n messages of that length, however many there are if it takes them as a list. NULL:
    // there is none, or others take less time. spare: memory for the call if there is no other.
    const KernelCall *of(size_t n, uint64_t bytes, KernelCall *spare) const {
        if (n > 1 && listed_)
            if (const KernelCall *const list = of(1, bytes, spare))
                if (list->place.is_listed) return list;
        const KernelCall *call;
        const bool remembered = n == 1 && remembers_;
        if (remembered && known_.recall(bytes, &call)) return call && call->run ? call : nullptr;
        return ask(n, bytes, spare, remembered);
    }

private:
    LaidCalls &calls() const { return suite_.laid[opens_]; }
    bool holds(const Variant &v) const {
        return suite_.construction == Construction::chacha_poly ? ChachaPolyCalls::Room::holds(v) : CallRoom::holds(v);
    }
    __attribute__((noinline)) const KernelCall *ask(size_t n, uint64_t bytes, KernelCall *spare,
                                                    bool remembered) const {
        const Variant *const list = listed_ ? choose_list(suite_, opens_, bytes, aad_) : nullptr;
        // One call is remembered for a range of lengths. The call for a length that lists do not take must not become
        // that of its neighbours, which they take.
        const bool of_no_list = listed_ && !lists_.front()->jobs.take_text(bytes);
        const KernelCall *call = list ? list_call(*list) : nullptr;
        const Variant *const v = call ? list : MessageKernels(suite_, opens_, n, aad_).of(bytes);
        if (!call && v && holds(*v)) {
            const auto lay_down_it = [&] { return lay_down_whole(suite_, *v); };
            call = calls().of(*v, true, lay_down_it);
            if (!call) return &(*spare = lay_down_it());
        }
        if (remembered && !of_no_list && !(v && !takes_range(*v, bytes)))
            calls().remember(suite_.engine->cost_generation(), aad_, bytes, call);
        return call;
    }

    // Returns the call of a kernel of lists, and of one for the jobs that it does not take, of whichever of its
    // lengths. NULL: there is none of these, or no memory.
    const KernelCall *list_call(const Variant &list) const {
        const Variant *const v = beside(list);
        const KernelCall *const others = v ? calls().of(*v, true, [&] { return lay_down_whole(suite_, *v); }) : nullptr;
        if (!others) return nullptr;
        return calls().of(list, true, [&] { return lay_down_list(*suite_.engine, list, opens_, others); });
    }
    // Returns a kernel of single messages that takes all lengths of a kernel of lists. That for the longest may be one
    // of short messages that are not much shorter, and for long ones parts in steps may take less time.
    const Variant *beside(const Variant &list) const {
        const MessageKernels kernels(suite_, opens_, 1, aad_);
        const auto of = [&](uint64_t bytes) -> const Variant * {
            const Variant *const v = kernels.of(bytes);
            const bool takes = v && v->takes_message(list.message.least) && v->takes_message(list.message.most);
            return takes && holds(*v) ? v : nullptr;
        };
        const Variant *v = of(list.message.most);
        for (uint64_t bytes = list.message.most + 1; !v && bytes >= list.message.least; bytes /= 2) v = of(bytes);
        return v;
    }

    const Suite &suite_;
    const bool opens_;
    const uint64_t aad_;
    const bool takes_, remembers_;
    const std::vector<const Variant *> &lists_;
    const bool listed_;
    const CounterRoom room_;
    const LaidCalls::Row known_;
};

}  // namespace

const KernelCall *choose_call(const Suite &suite, bool opens, uint64_t aad, uint64_t bytes, KernelCall *spare) {
    return WholeCalls(suite, opens, aad).of(1, bytes, spare);
}

const KernelCall *one_call(const Suite &suite, const cst_job *jobs, size_t n, KernelCall *spare) {
    const bool opens = jobs->direction == CST_OPEN;
    if (suite.messages[opens].variants.empty()) return nullptr;
    const WholeCalls calls(suite, opens, jobs->aad_len);
    if (!calls.take(jobs, n)) return nullptr;
    return calls.of(n, jobs->in_len, spare);
}

int run_one_call(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (is_checksum(suite)) {
        if (n == 1 && !in_pieces(*jobs)) lay_down_checksum(*jobs);
        return run_checksums(jobs, n);
    }
    if (is_checked(suite)) return run_checked_calls(jobs, n);
    KernelCall spare;
    const KernelCall *const call = one_call(suite, jobs, n, &spare);
    return call ? call->run(*call, JobList(jobs), n) : JOB_WAITING;
}

namespace {

// Whether steps in parallel lanes take less time than one call for each job.
bool lanes_are_faster(const Suite &suite, bool opens, JobList jobs, size_t n) {
    // A forced kernel may be one that serves some of the lengths only, of which each is asked about.
    if (!suite.hash || n < 2 || suite.forced) return false;
    Need need = message_need(suite, opens, n, 0, jobs[0]->aad_len);
    for (size_t i = 0; i < n; i++) {
        need.bytes += jobs[i]->in_len;
        need.most = std::max<uint64_t>(need.most, jobs[i]->in_len);
    }
    need.bytes /= n;
    return !choose_message(suite, opens, need);
}

// Jobs of one kind, and the call of each.
class OneCallEach {
public:
    OneCallEach(JobList jobs, size_t n) : jobs_(jobs), n_(n) {
        const Suite &suite = *key_of(*jobs[0]).suite;
        const bool opens = jobs[0]->direction == CST_OPEN;
        if (suite.messages[opens].variants.empty()) return;
        const WholeCalls calls(suite, opens, jobs[0]->aad_len);
        KernelCall spare;
        const KernelCall *const first = calls.of(1, jobs[0]->in_len, &spare);
        if (!(first && first->place.is_listed) && lanes_are_faster(suite, opens, jobs, n)) return;
        uintptr_t other = 0;
        for (size_t i = 0; i < n; i++) {
            const KernelCall *call = calls.take(jobs[i], 1) ? calls.of(1, jobs[i]->in_len, &spare) : nullptr;
            if (call == &spare) call = nullptr;  // the next job may need another kernel
            on_[i] = call;
            with_call_ += call != nullptr;
            other |= uintptr_t(call) ^ uintptr_t(on_[0]);
        }
        same_ = !other;
    }
    bool all() const { return with_call_ == n_; }
    // Runs the jobs that have a call: all those of one kernel before those of the next.
    bool run() {
        if (!with_call_) return true;
        if (same_) return on_[0]->run(*on_[0], jobs_, n_) == CST_OK;
        cst_job *left[MOST_MESSAGES], *of_call[MOST_MESSAGES];
        for (size_t i = 0; i < n_; i++) left[i] = jobs_[i];
        bool all = true;
        for_each_call(on_, left, of_call, n_, [&](const KernelCall *call, size_t n) {
            if (call) all &= call->run(*call, JobList(of_call), n) == CST_OK;
        });
        return all;
    }

private:
    const JobList jobs_;
    const size_t n_;
    size_t with_call_ = 0;
    bool same_ = false;  // all have the same call
    const KernelCall *on_[MOST_MESSAGES];
};

bool run_kind(cst_job **jobs, size_t n) {
    if (!is_checksum(*key_of(*jobs[0]).suite)) return OneCallEach(JobList(jobs), n).run();
    bool all = true;
    for (size_t i = 0; i < n; i++) all &= run_checksums(jobs[i], 1) == CST_OK;
    return all;
}

}  // namespace

int run_one_call_each(cst_job *jobs, size_t n) {
    if (n > MOST_MESSAGES) return JOB_WAITING;
    OneCallEach calls{JobList(jobs), n};
    if (!calls.all()) return JOB_WAITING;
    return calls.run() ? CST_OK : CST_ERR_AUTH;
}

bool run_one_calls(cst_job *jobs, size_t n) {
    const auto of_one_kind = [](const cst_job &a, const cst_job &b) {
        return key_of(a).suite == key_of(b).suite && a.direction == b.direction && as_long_but_text(a, b);
    };
    bool all = true;
    for (size_t first = 0, next; first < n; first = next) {
        cst_job *kind[MOST_MESSAGES];
        size_t some = 0;
        for (next = first; next < n; next++) {
            if (jobs[next].status != JOB_WAITING) continue;
            if (some && !of_one_kind(*kind[0], jobs[next])) break;
            kind[some++] = jobs + next;
        }
        if (some) all &= run_kind(kind, some);
    }
    return all;
}

}  // namespace cst
