// The C API: checks the arguments of a job, by the rule of arguments.hpp.

#include <algorithm>

#include "jobs.hpp"
#include "surely_right.hpp"

using namespace cst;

namespace {

constexpr size_t kMostPieces = 1024;

// A buffer of a job, in one piece or several; `used` bytes of it are read or written.
class Pieces {
public:
    Pieces(const void *data, size_t bytes, const cst_piece *pieces, size_t n, size_t used)
        : data_(data), whole_(data, used), pieces_(pieces), n_(n), bytes_(bytes), used_(used) {}

    // The array of the pieces, which is read.
    Range array() const { return Range(pieces_, n_ * sizeof(*pieces_)); }
    bool wrong_pointer() const {
        if (!n_) return !whole_.first;
        if (!is_object(pieces_) || n_ > kMostPieces || data_ || array().wraps()) return true;
        return std::any_of(pieces_, pieces_ + n_, [](const cst_piece &piece) { return piece.bytes && !piece.data; });
    }
    bool wrong_length() const {
        if (!n_) return whole_.wraps();
        size_t sum = 0;
        for (size_t i = 0; i < n_; i++) {
            if (Range(pieces_[i].data, pieces_[i].bytes).wraps() || sum + pieces_[i].bytes < sum) return true;
            sum += pieces_[i].bytes;
        }
        return sum != bytes_;
    }

    bool meets(const Range &other) const {
        if (!n_) return whole_.meets(other);
        return any([&](const Range &range, size_t, size_t) { return range.meets(other); });
    }
    // Whether the two buffers share a byte that has different positions in them.
    bool clashes(const Pieces &other) const {
        if (!n_ && !other.n_) return whole_.first != other.whole_.first && whole_.meets(other.whole_);
        return any([&](const Range &a, size_t at, size_t) {
            return other.any(
                [&](const Range &b, size_t there, size_t) { return a.meets(b) && a.first - at != b.first - there; });
        });
    }
    bool meets_itself() const {
        return n_ && any([&](const Range &a, size_t, size_t i) {
                   return any([&](const Range &b, size_t, size_t j) { return j < i && a.meets(b); });
               });
    }

private:
    // Calls each(range, position, index) for the used part of every piece, until it returns true. Returns whether it
    // did.
    template <typename Each>
    bool any(Each each) const {
        if (!n_) return each(whole_, 0, 0);
        size_t position = 0;
        for (size_t i = 0; i < n_ && position < used_; i++) {
            const size_t bytes = pieces_[i].bytes < used_ - position ? pieces_[i].bytes : used_ - position;
            if (each(Range(pieces_[i].data, bytes), position, i)) return true;
            position += bytes;
        }
        return false;
    }

    const void *const data_;
    const Range whole_;
    const cst_piece *const pieces_;
    const size_t n_, bytes_, used_;
};

// Returns how many bytes the job writes to `out`.
size_t output_bytes(const Suite &suite, const cst_job &job) {
    if (!suite.enciphers()) return 0;
    return job.direction == CST_OPEN ? job.in_len : suite.sealed_bytes(job.in_len);
}

inline bool right_input(const Suite &suite, const cst_job &job) {
    return suite.lengths.hold_input(job.direction == CST_OPEN, job.iv_len, job.in_len);
}

// Checks all lengths except that of the input.
bool right_lengths(const Suite &suite, const cst_job &job) {
    const Lengths &lengths = suite.lengths;
    return job.iv_len - suite.iv_min <= suite.iv_max - suite.iv_min &&
           lengths.of(job.direction == CST_OPEN).hold_tag(job.tag_len) &&
           job.aad_len - suite.aad_min <= suite.aad_max - suite.aad_min &&
           !((job.aad_len - suite.aad_min) & (lengths.aad_step - 1));
}

// right_lengths: whether the suite takes the job's lengths.
int check_buffers(const Suite &suite, const cst_job &job, bool right_lengths) {
    if ((job.iv_len && !job.iv) || (job.aad_len && !job.aad) || (job.tag_len && !job.tag)) return CST_ERR_ARGUMENT;
    if (!suite.enciphers() && (job.out || job.out_cap || job.n_out_pieces)) return CST_ERR_ARGUMENT;
    // The output of an input that is too long for any suite may be computed wrong: the input's length is.
    const size_t written = output_bytes(suite, job);
    const Pieces in(job.in, job.in_len, job.in_pieces, job.n_in_pieces, job.in_len);
    const Pieces out(job.out, job.out_cap, job.out_pieces, job.n_out_pieces, written);
    if (in.wrong_pointer() || (out.wrong_pointer() && (job.out_cap >= written || job.n_out_pieces)))
        return CST_ERR_ARGUMENT;
    const Range tag(job.tag, job.tag_len), iv(job.iv, job.iv_len), aad(job.aad, job.aad_len);
    if (!right_lengths || job.out_cap < written || in.wrong_length() || out.wrong_length() || tag.wraps() ||
        iv.wraps() || aad.wraps())
        return CST_ERR_LENGTH;
    const Range arrays[] = {in.array(), out.array()};
    if (out.clashes(in) || out.meets_itself() || out.meets(tag) || out.meets(iv) || out.meets(aad) ||
        out.meets(arrays[0]) || out.meets(arrays[1]))
        return CST_ERR_OVERLAP;
    if (job.direction == CST_SEAL &&
        (in.meets(tag) || tag.meets(iv) || tag.meets(aad) || tag.meets(arrays[0]) || tag.meets(arrays[1])))
        return CST_ERR_OVERLAP;
    return CST_OK;
}

// Whether all jobs are surely right, and of the kind of the first. unlike: not 0 if two texts have not one length.
bool all_surely_right(const Engine &engine, const cst_job *jobs, size_t n, uint64_t *unlike) {
    if (jobs->size != sizeof(*jobs)) return false;
    const Kind kind = kind_of(engine, *jobs);
    if (!kind.suite) return false;
    size_t i = 0;
    if (engine.avx512()) i = surely_right_wide(kind, jobs, i, n, unlike);
    if (engine.avx2() && i < n) i = surely_right_four(kind, jobs, i, n, unlike);
    for (; i < n && surely_right(kind, jobs[i]); i++) *unlike |= jobs[i].in_len ^ jobs->in_len;
    return i == n;
}

}  // namespace

// Not inlined: the registers that it needs are not saved for jobs that are surely right.
[[gnu::noinline]] int cst::look_closer(const Engine &engine, const cst_job &job) {
    if (job.size != sizeof(cst_job) || !job.key || (job.direction != CST_SEAL && job.direction != CST_OPEN))
        return CST_ERR_ARGUMENT;
    const Suite &suite = *from(job.key)->suite;
    if (suite.engine != &engine) return CST_ERR_ARGUMENT;
    const bool right = right_input(suite, job), by_peer = suite.kind == CST_AEAD && job.direction == CST_OPEN;
    const bool countable =
        suite.kind != CST_AEAD || (job.in_len <= MOST_COUNTED && job.in_len + job.aad_len <= MOST_BYTES);
    if (int error = check_buffers(suite, job, right_lengths(suite, job) && (right || by_peer) && countable))
        return error;
    return right ? CST_OK : CST_ERR_AUTH;
}

int cst::check_job(const Engine &engine, const cst_job &job) {
    return surely_right(engine, job) ? CST_OK : look_closer(engine, job);
}

int cst::check_one(const Engine &engine, cst_job *job) {
    if (surely_right(engine, *job)) {
        job->status = JOB_WAITING;
        return CST_OK;
    }
    const int wrong = look_closer(engine, *job);
    if (job->size == sizeof(cst_job)) job->status = wrong ? wrong : JOB_WAITING;
    return wrong;
}

int cst::check_jobs(const Engine &engine, cst_job *jobs, size_t n, Likeness *likeness) {
    uint64_t unlike = 0;
    if (all_surely_right(engine, jobs, n, &unlike)) {
        for (size_t i = 0; i < n; i++) jobs[i].status = JOB_WAITING;
        if (likeness) *likeness = unlike ? Likeness::kind : Likeness::shape;
        return CST_OK;
    }
    if (likeness) *likeness = Likeness::none;
    size_t other = 0;
    for (size_t i = 0; i < n; i++) {
        other |= jobs[i].size ^ sizeof(cst_job);
        __builtin_prefetch(jobs[i].key);  // fetches all keys in no cache at once; the pointer may be invalid
    }
    if (other) return CST_ERR_ARGUMENT;  // an array of another type has no status to write
    return check_each(engine, n, [=](size_t i) { return jobs + i; });
}
