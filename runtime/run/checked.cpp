// Runs a cipher and a checksum of the same messages (aes-256-xts+crc32c, ...): the cipher on the paths of its own
// suite, and the checksum by one kernel call for each contiguous run of the text. Few messages at a time are processed,
// so that the second of the two reads what the first has left in the first-level cache.

#include "checked.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "checksum.hpp"
#include "constructions.hpp"

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

// Some jobs of one suite and direction, as jobs of the cipher's suite.
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
        return all;
    }

private:
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
    cst_job copies_[MOST_MESSAGES];
    uint8_t sums_[MOST_MESSAGES][MOST_SUM];
};

}  // namespace

int run_checked_calls(cst_job *jobs, size_t n) {
    const Variant *const v = one_call_kernel(*key_of(*jobs).suite->halves[0], jobs, n);
    if (!v) return JOB_WAITING;
    const size_t together = std::clamp<size_t>(MOST_TOGETHER / std::max<size_t>(jobs->in_len, 1), 1, MOST_MESSAGES);
    Checked checked(*jobs);
    bool all = true;
    for (size_t first = 0; first < n; first += together)
        all &= checked.run(
            std::min(together, n - first), [=](size_t i) { return jobs + first + i; },
            [=](cst_job *some, size_t number) { run_one_call_on(*v, some, number); });
    return all ? CST_OK : CST_ERR_AUTH;
}

bool run_checked(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    Checked checked(*jobs[0]);
    bool all = true;
    for (size_t first = 0, next; first < n; first = next) {
        size_t bytes = 0;
        for (next = first; next < n && (next == first || bytes + jobs[next]->in_len <= MOST_TOGETHER); next++)
            bytes += jobs[next]->in_len;
        all &= checked.run(
            next - first, [=](size_t i) { return jobs[first + i]; },
            [=](cst_job *some, size_t number) {
                cst_job *rest[MOST_MESSAGES];
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
