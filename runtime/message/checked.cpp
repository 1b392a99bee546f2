// Runs a cipher and a checksum of the same messages (aes-256-xts+crc32c, ...). Where that takes less time, each message
// is one call of a kernel that is stitched of both. Other messages run on the paths of the cipher's own suite, and
// their checksums by one kernel call for each contiguous run of the text; few messages at a time, so that the second of
// the two reads what the first has left in the first-level cache.

#include "checked.hpp"

#include <algorithm>

#include "../suite/registers.hpp"
#include "../suite/secret.hpp"
#include "../storage/checksum.hpp"
#include "constructions.hpp"
#include "laid.hpp"
#include "../plan/lineup.hpp"
#include "../executors/message.hpp"
#include "run_class.hpp"

namespace cst {
namespace {

constexpr size_t MOST_TOGETHER = 8192;  // bytes of messages that are processed together; a longer one is alone
constexpr size_t MOST_SUM = sizeof(uint64_t);

// Computes the checksum of the first `bytes` bytes of a buffer.
void sum_up(const Key &key, Buffer buffer, uint64_t bytes, uint8_t *sum) {
    uint64_t at = key.crc().start;
    for (uint64_t done = 0, some; done < bytes; done += some) {
        some = std::min(bytes - done, buffer.together(done));
        if (some) at = go_on_with(key, at, buffer.at(done), some);
    }
    put_checksum(key, at, sum);
}

// Runs messages on a kernel that is stitched of cipher and checksum.
class StitchedCalls : public MessageCalls {
public:
    typedef CallRoom Room;

    [[gnu::always_inline]] StitchedCalls(Room *room, const cst_job &) : MessageCalls(room), sum_(call_.variant->sum) {}

    // Texts whose ciphertext is stolen end outside of kernels. Forced kernels of the halves must be seen to run.
    static bool takes(const Suite &suite, const cst_job &job) {
        return job.in_len % AES_BLOCK == 0 && !suite.halves[0]->forced && !suite.halves[1]->forced;
    }

    // Returns false on a mismatch of the checksum.
    [[gnu::always_inline]] bool run(cst_job *job) {
        if (job->in_len != bytes_) {
            set_length(job->in_len);
            put_mask();
        }
        const Key &cipher = key_of(*job).half(0), &sums = key_of(*job).half(1);
        memcpy(state_ + place_.chain, job->iv, BLOCK);
        if (is_new(job->key)) {
            point(place_.key, cipher.round_keys(call_.opens));
            point(place_.tweak_key, cipher.tweak());
        }
        const uint8_t *const text = static_cast<const uint8_t *>(sum_.reads_input ? job->in : job->out);
        point(sum_.in, text);
        point(sum_.end_in, text + front_ - zeros());
        point(sum_.phase, sums.phase(end_));
        put_words(state_ + sum_.chain, 0, sums.crc().start);
        call(job->in, job->out);
        uint64_t sum = 0;
        put_checksum(sums, load64(state_ + sum_.chain + sizeof(sum)), &sum);
        const size_t sum_bytes = sums.suite->tag_max;
        const bool right = !call_.opens || same_bytes(reinterpret_cast<const uint8_t *>(&sum),
                                                      static_cast<const uint8_t *>(job->tag), sum_bytes);
        if (!call_.opens) memcpy(job->tag, &sum, sum_bytes);
        wipe(&sum, sizeof(sum));
        if (right) text_done(job);
        else refuse_unopened(job);
        return right;
    }

private:
    size_t zeros() const { return step_ - end_; }  // in front of the end, for the checksum
    void put_mask() {
        for (size_t at = 0; at < step_; at += 64)
            put_word(sum_.end_mask + uint32_t(at / 8), ~first_bits(zeros() > at ? zeros() - at : 0));
    }

    const SumPlace &sum_;
};

// Returns the call that runs a message and its checksum together, where such a one takes n messages of its length.
// NULL: there is none, or it takes longer. spare: memory for the call, if there is no other.
const KernelCall *stitched_call(const cst_job &job, size_t n, KernelCall *spare) {
    const Suite &suite = *key_of(job).suite;
    if (in_pieces(job) || !StitchedCalls::takes(suite, job)) return nullptr;
    const bool opens = job.direction == CST_OPEN;
    const Variant *const v = choose_checked(suite, opens, n, job.in_len);
    if (!v || !CallRoom::holds(*v)) return nullptr;
    const auto lay_down_it = [&] {
        KernelCall call = lay_down(*suite.engine, *v);
        set_functions<StitchedCalls>(&call);
        return call;
    };
    const KernelCall *const call = suite.laid[opens].of(*v, true, lay_down_it);
    if (!call) return &(*spare = lay_down_it());
    if (n == 1 && usual(suite) && takes_range(*v, job.in_len))
        suite.laid[opens].remember(suite.engine->cost_generation(), job.aad_len, job.in_len, call);
    return call;
}

// Runs those messages that take less time so; the others, whose number it returns, go to `apart`.
size_t run_stitched(cst_job *const *jobs, size_t n, cst_job **apart, bool *all) {
    KernelCall spare;
    size_t rest = 0, first = 0;
    const KernelCall *before = nullptr;  // runs the jobs from the first on
    const auto run_before = [&](size_t end) {
        if (before) *all &= before->run(*before, JobList(jobs + first), end - first) == CST_OK;
        first = end;
    };
    for (size_t i = 0; i < n; i++) {
        const KernelCall *const call = stitched_call(*jobs[i], 1, &spare);
        if (call != before) run_before(i);
        before = call;
        if (!call) apart[rest++] = jobs[i];
        if (call != &spare) continue;
        run_before(i + 1);  // the next job may need another kernel
        before = nullptr;
    }
    run_before(n);
    return rest;
}

// At most MOST jobs of one suite and direction, as jobs of the cipher's suite.
template <size_t MOST>
class Checked {
public:
    explicit Checked(const cst_job &first)
        : suite_(*key_of(first).suite),
          cipher_tag_(suite_.halves[0]->tag_max),
          sum_bytes_(suite_.halves[1]->tag_max),
          opens_(first.direction == CST_OPEN),
          sums_input_(suite_.sums_plaintext != opens_) {}
    ~Checked() { wipe(sums_, sizeof(sums_[0]) * most_); }
    Checked(const Checked &) = delete;
    Checked &operator=(const Checked &) = delete;

    // Runs n jobs; job(i) returns the i-th, cipher(jobs, n) runs the cipher's. Returns false on a mismatch of a tag or
    // of a checksum.
    template <typename Job, typename Cipher>
    bool run(size_t n, Job job, Cipher cipher) {
        most_ = std::max(most_, n);
        for (size_t i = 0; i < n; i++) begin(*job(i), &copies_[i]);
        if (sums_input_)  // before the cipher, which may overwrite it
            for (size_t i = 0; i < n; i++) sum_input(*job(i), sums_[i]);
        cipher(copies_, n);
        if (!sums_input_)
            for (size_t i = 0; i < n; i++)
                if (copies_[i].status == CST_OK) sum_output(*job(i), sums_[i]);
        bool all = true;
        for (size_t i = 0; i < n; i++) all &= settle(job(i), copies_[i], sums_[i]);
        if (suite_.sums_plaintext) clear_below<BELOW>();  // of a forgery nothing is to be known
        return all;
    }

private:
    static constexpr size_t BELOW = 2048;  // bytes of the stack where checksums may be left

    void begin(const cst_job &job, cst_job *copy) const {
        *copy = job;
        copy->key = reinterpret_cast<const cst_key *>(&key_of(job).half(0));
        copy->tag = cipher_tag_ ? job.tag : nullptr;
        copy->tag_len = cipher_tag_;
        copy->status = JOB_WAITING;
    }
    static void sum_input(const cst_job &job, uint8_t *sum) {
        Buffer in;
        in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        sum_up(key_of(job).half(1), in, job.in_len, sum);
    }
    static void sum_output(const cst_job &job, uint8_t *sum) {
        Buffer out;
        out.set(job.out, job.in_len, job.out_pieces, job.n_out_pieces);
        sum_up(key_of(job).half(1), out, job.in_len, sum);
    }
    bool settle(cst_job *job, const cst_job &copy, const uint8_t *sum) const {
        job->status = copy.status;
        job->out_len = copy.out_len;
        if (copy.status != CST_OK) return false;
        uint8_t *const tag = static_cast<uint8_t *>(job->tag) + cipher_tag_;
        if (!opens_) memcpy(tag, sum, sum_bytes_);
        else if (!same_bytes(sum, tag, sum_bytes_)) return refuse_unopened(job), false;
        return true;
    }

    const Suite &suite_;
    const size_t cipher_tag_, sum_bytes_;
    const bool opens_;
    const bool sums_input_;  // the checksum is that of what is read, else of what is written
    size_t most_ = 0;
    cst_job copies_[MOST];
    uint8_t sums_[MOST][MOST_SUM];
};

}  // namespace

int run_checked_calls(cst_job *jobs, size_t n) {
    KernelCall spare;
    if (const KernelCall *const both = stitched_call(*jobs, n, &spare)) return both->run(*both, JobList(jobs), n);
    const KernelCall *const call = one_call(*key_of(*jobs).suite->halves[0], jobs, n, &spare);
    if (!call) return JOB_WAITING;
    constexpr size_t MOST_ON_STACK = 16;
    const size_t together = std::clamp<size_t>(MOST_TOGETHER / std::max<size_t>(jobs->in_len, 1), 1, MOST_ON_STACK);
    Checked<MOST_ON_STACK> checked(*jobs);
    bool all = true;
    for (size_t first = 0; first < n; first += together)
        all &= checked.run(
            std::min(together, n - first), [=](size_t i) { return jobs + first + i; },
            [=](cst_job *some, size_t number) { call->run(*call, JobList(some), number); });
    return all ? CST_OK : CST_ERR_AUTH;
}

bool run_checked(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    struct Apart {
        cst_job *jobs[MOST_MESSAGES], *rest[MOST_MESSAGES];
    };
    const InSlot<Apart> apart(memory->work);
    bool all = true;
    n = run_stitched(jobs, n, apart->jobs, &all);
    if (!n) return all;
    jobs = apart->jobs;
    cst_job **const rest = apart->rest;
    const InSlot<Checked<MOST_MESSAGES>> checked(memory->halves, *jobs[0]);
    for (size_t first = 0, next; first < n; first = next) {
        size_t bytes = 0;
        for (next = first; next < n && (next == first || bytes + jobs[next]->in_len <= MOST_TOGETHER); next++)
            bytes += jobs[next]->in_len;
        all &= checked->run(
            next - first, [=](size_t i) { return jobs[first + i]; },
            [=](cst_job *some, size_t number) {
                size_t waiting = 0;
                run_one_calls(some, number);
                for (size_t i = 0; i < number; i++)
                    if (some[i].status == JOB_WAITING) rest[waiting++] = some + i;
                if (waiting) run_class(memory, rest, waiting, readable);
            });
    }
    return all;
}

}  // namespace cst
