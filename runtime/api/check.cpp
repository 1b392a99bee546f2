// The C API: checks the arguments of a job, by the rule of arguments.hpp.

#include <algorithm>

#include "arguments.hpp"
#include "jobs.hpp"
#include "../executors/message.hpp"

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

// Checks all lengths except that of the input.
inline bool right_lengths(const Suite &suite, const cst_job &job) {
    const Lengths &lengths = suite.lengths;
    return job.iv_len - suite.iv_min <= suite.iv_max - suite.iv_min &&
           lengths.of(job.direction == CST_OPEN).hold_tag(job.tag_len) &&
           job.aad_len - suite.aad_min <= suite.aad_max - suite.aad_min &&
           !((job.aad_len - suite.aad_min) & (lengths.aad_step - 1));
}
inline bool right_input(const Suite &suite, const cst_job &job) {
    return suite.lengths.hold_input(job.direction == CST_OPEN, job.iv_len, job.in_len);
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

// Holds right lengths, below 2^59, of buffers in one piece and a text as long as its input. Decides whether a job with
// these lengths is right, by few tests, which jobs that usually come do not fail. If the answer is no, look_closer must
// decide.
class SurelyRight {
public:
    SurelyRight() = default;
    explicit SurelyRight(const cst_job &job)
        : suite_(from(job.key)->suite),
          direction_(job.direction),
          in_(job.in_len),
          aad_(job.aad_len),
          iv_(job.iv_len),
          tag_(job.tag_len),
          some_aad_(aad_ != 0),
          some_iv_(iv_ != 0),
          some_tag_(tag_ != 0) {}

    explicit operator bool() const { return suite_; }
    bool of_suite(const cst_job &job) const { return job.key && from(job.key)->suite == suite_; }
    // Takes over the text's length of a job of this suite and direction whose other lengths are the same. Returns
    // false if they are not, or the suite does not take that length.
    bool follow(const cst_job &job) {
        if (!of_suite(job) || job.direction != direction_ ||
            ((job.aad_len ^ aad_) | (job.iv_len ^ iv_) | (job.tag_len ^ tag_) | job.n_in_pieces | job.n_out_pieces))
            return false;
        if (job.in_len == in_) return true;
        in_ = job.in_len;
        return !(in_ >> 59) && right_input(*suite_, job);
    }

    // Whether the buffers of a job with these lengths do not overlap. Ranges meet as Range::meets says, and also if an
    // empty one is inside the other: if they do not meet, the distance from the first byte of one to the last byte of
    // the other is at least the sum of both lengths less one. For empty texts the answer is no.
    __attribute__((always_inline)) bool places(const cst_job &job) const {
        if (!in_) return false;
        const uint64_t in = address(job.in), out = address(job.out), tag = address(job.tag), iv = address(job.iv),
                       aad = address(job.aad);
        // An address is above 2^63, or is NULL for a buffer that is not empty.
        if (int64_t(in | out | tag | iv | aad | (in - 1) | (tag - some_tag_) | (iv - some_iv_) | (aad - some_aad_)) < 0)
            return false;
        const uint64_t text = in_ - 1, in_last = in + text, out_last = out + text;
        if (in_last - tag < text + tag_) return false;
        if (!suite_->enciphers()) return !(out | job.out_cap);
        if (job.out_cap < in_ || int64_t(out - 1) < 0 || (out != in && out_last - in < text + in_)) return false;
        if (out_last - tag < text + tag_ || out_last - iv < text + iv_ || out_last - aad < text + aad_) return false;
        const uint64_t rest = tag_ - 1, tag_last = tag + rest;
        return !tag_ || (tag_last - iv >= rest + iv_ && tag_last - aad >= rest + aad_);
    }

private:
    const Suite *suite_ = nullptr;  // NULL: no lengths are known
    int direction_ = 0;
    uint64_t in_ = 0, aad_ = 0, iv_ = 0, tag_ = 0;
    uint64_t some_aad_ = 0, some_iv_ = 0, some_tag_ = 0;  // 1: the buffer is not empty
};

// Returns how many jobs, from the first on, are like that one but for the text's length, and surely right. Not inlined,
// so that values that follow from the lengths stay where they are.
__attribute__((noinline)) size_t right_alike(SurelyRight of, const cst_job *jobs, size_t n) {
    size_t i = 0;
    while (i < n && of.follow(jobs[i]) && of.places(jobs[i])) i++;
    return i;
}

// Fast accept of a job of the right size. of: receives its lengths, if they are right.
__attribute__((always_inline)) inline bool surely_right(const Engine &engine, const cst_job &job, SurelyRight *of) {
    const Suite *const suite = job.key ? from(job.key)->suite : nullptr;
    const bool right = suite && unsigned(job.direction) <= CST_OPEN && suite->engine == &engine && !suite->expansion &&
                       !(job.n_in_pieces | job.n_out_pieces | (job.in_len | job.aad_len | job.iv_len) >> 59) &&
                       right_lengths(*suite, job) && right_input(*suite, job);
    *of = right ? SurelyRight(job) : SurelyRight();
    return right && of->places(job);
}

int look_closer(const Engine &engine, const cst_job &job) {
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

}  // namespace

int cst::check_job(const Engine &engine, const cst_job &job) {
    SurelyRight of;
    return job.size == sizeof(cst_job) && surely_right(engine, job, &of) ? CST_OK : look_closer(engine, job);
}

int cst::check_one(const Engine &engine, cst_job *job) {
    const int wrong = check_job(engine, *job);
    if (!wrong) job->status = JOB_WAITING;
    else if (job->size == sizeof(cst_job)) job->status = wrong;
    return wrong;
}

int cst::check_jobs(const Engine &engine, cst_job *jobs, size_t n, Likeness *likeness) {
    size_t other = 0;
    for (size_t i = 0; i < n; i++) {
        other |= jobs[i].size ^ sizeof(cst_job);
        __builtin_prefetch(jobs[i].key);  // fetches all keys in no cache at once; the pointer may be invalid
    }
    if (other) return CST_ERR_ARGUMENT;  // an array of another type has no status to write
    int error = CST_OK;
    bool forged = false;
    SurelyRight last;
    bool one_kind = true;
    uint64_t unlike = 0;  // not 0: two texts have not one length
    for (size_t i = 0; i < n; i++) {
        if (last && last.of_suite(jobs[i])) {
            const size_t more = engine.avx512() ? surely_right_alike_wide(jobs[i - 1], jobs + i, n - i)
                                                : right_alike(last, jobs + i, n - i);
            for (const size_t end = i + more; i < end; i++) {
                jobs[i].status = JOB_WAITING;
                unlike |= jobs[i].in_len ^ jobs->in_len;
            }
            if (i == n) break;
        }
        cst_job &job = jobs[i];
        const int wrong = surely_right(engine, job, &last) ? CST_OK : look_closer(engine, job);
        one_kind &= !i && last;
        job.status = wrong ? wrong : JOB_WAITING;
        if (wrong == CST_ERR_AUTH) forged = true;
        else if (!error) error = wrong;
    }
    if (likeness) *likeness = !one_kind ? Likeness::none : unlike ? Likeness::kind : Likeness::shape;
    if (!forged) return error;
    if (!error) return CST_ERR_AUTH;
    for (cst_job *job = jobs; job < jobs + n; job++)
        if (job->status == CST_ERR_AUTH) job->status = JOB_WAITING;
    return error;
}
