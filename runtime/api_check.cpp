// The C API: the arguments of a job.

#include "jobs.hpp"
#include "range.hpp"
#include "run/burst.hpp"
#include "surely_right.hpp"

using namespace cst;

namespace {

// A hash counts 2^61 - 1 bytes. Nothing that is added to a length that passed this check can overflow.
constexpr uint64_t kMostBytes = (uint64_t(1) << 61) - 1;
constexpr uint64_t kMostAdded = 512;  // more than the IV, the key's block, the trailer and the padding together
constexpr size_t kMostPieces = 1024;

// A buffer of a job, in one piece or several; `used` bytes of it are read or written.
class Pieces {
public:
    Pieces(const void *data, size_t bytes, const cst_piece *pieces, size_t n, size_t used)
        : data_(data), whole_(data, used), pieces_(pieces), n_(n), bytes_(bytes), used_(used) {}

    int check() const {
        if (!n_) return !whole_.first ? CST_ERR_ARGUMENT : whole_.wraps() ? CST_ERR_LENGTH : CST_OK;
        if (!pieces_ || n_ > kMostPieces || data_) return CST_ERR_ARGUMENT;
        size_t sum = 0;
        for (size_t i = 0; i < n_; i++) {
            if (pieces_[i].bytes && !pieces_[i].data) return CST_ERR_ARGUMENT;
            if (Range(pieces_[i].data, pieces_[i].bytes).wraps() || sum + pieces_[i].bytes < sum) return CST_ERR_LENGTH;
            sum += pieces_[i].bytes;
        }
        return sum == bytes_ ? CST_OK : CST_ERR_LENGTH;
    }

    bool meets(const Range &other) const {
        if (!n_) return whole_.meets(other);
        return any([&](const Range &range, size_t, size_t) { return range.meets(other); });
    }
    // Whether a byte of one lies where a byte of the other does, at another position.
    bool clashes(const Pieces &other) const {
        if (!n_ && !other.n_) return whole_.first != other.whole_.first && whole_.meets(other.whole_);
        return any([&](const Range &a, size_t at, size_t) {
            return other.any([&](const Range &b, size_t there, size_t) { return a.meets(b) && a.first - at != b.first - there; });
        });
    }
    bool meets_itself() const {
        return n_ && any([&](const Range &a, size_t, size_t i) {
            return any([&](const Range &b, size_t, size_t j) { return j < i && a.meets(b); });
        });
    }

private:
    // Calls each(range, position, index) for what is used of every piece, until it returns true. Returns whether it did.
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

// What the job writes to `out`.
size_t output_bytes(const Suite &suite, const cst_job &job) {
    if (!suite.enciphers()) return 0;
    if (job.direction == CST_OPEN) return job.in_len;
    switch (suite.construction) {
        case Construction::rfc7518: return job.in_len / 16 * 16 + 16;
        case Construction::tls: return suite.record_bytes(job.in_len);
        default: return job.in_len;
    }
}

// SP 800-38C, A.1: a tag of whole words of 16 bits; what the IV leaves of 15 bytes counts the text's.
inline bool right_for_ccm(const cst_job &job) {
    const size_t q = 15 - job.iv_len;
    return job.tag_len % 2 == 0 && (q >= 8 || uint64_t(job.in_len) >> (8 * q) == 0);
}

int check_lengths(const Suite &suite, const cst_job &job) {
    if (job.iv_len < suite.iv_min || job.iv_len > suite.iv_max || job.tag_len < suite.tag_min || job.tag_len > suite.tag_max) return CST_ERR_LENGTH;
    if (suite.construction == Construction::ccm && !right_for_ccm(job)) return CST_ERR_LENGTH;
    if (suite.construction == Construction::gcm && job.tag_len < 12 && job.tag_len % 4) return CST_ERR_LENGTH;  // SP 800-38D, 5.2.1.2
    if (job.aad_len < suite.aad_min || job.aad_len > suite.aad_max) return CST_ERR_LENGTH;
    if (suite.construction == Construction::esp && job.aad_len != suite.aad_min && job.aad_len != suite.aad_max) return CST_ERR_LENGTH;
    const bool open = job.direction == CST_OPEN;
    if (job.in_len < suite.min_bytes) return CST_ERR_LENGTH;
    if (job.in_len > suite.max_bytes + (open && suite.construction == Construction::tls ? TLS_MOST_EXPANSION : 0)) return CST_ERR_LENGTH;
    if (suite.kind == CST_AEAD && uint64_t(job.in_len) + job.aad_len > kMostBytes - kMostAdded) return CST_ERR_LENGTH;
    if (open && suite.expansion) {  // at least the shortest padding, and the MAC that is inside
        const size_t least = suite.construction == Construction::tls ? suite.hash->record.digest_bytes + 1 : 1;
        return job.in_len >= least && job.in_len % 16 == 0 ? CST_OK : CST_ERR_LENGTH;
    }
    return job.in_len & (suite.block_bytes - 1) ? CST_ERR_LENGTH : CST_OK;  // a power of two
}

int check_buffers(const Suite &suite, const cst_job &job) {
    if ((job.iv_len && !job.iv) || (job.aad_len && !job.aad) || (job.tag_len && !job.tag)) return CST_ERR_ARGUMENT;
    const size_t written = output_bytes(suite, job);
    const Pieces in(job.in, job.in_len, job.in_pieces, job.n_in_pieces, job.in_len);
    const Pieces out(job.out, job.out_cap, job.out_pieces, job.n_out_pieces, written);
    if (int error = in.check()) return error;
    if (!suite.enciphers() && (job.out || job.out_cap || job.n_out_pieces)) return CST_ERR_ARGUMENT;
    if (job.out_cap < written) return CST_ERR_LENGTH;
    if (int error = out.check()) return error;
    const Range tag(job.tag, job.tag_len), iv(job.iv, job.iv_len), aad(job.aad, job.aad_len);
    if (tag.wraps() || iv.wraps() || aad.wraps()) return CST_ERR_LENGTH;
    if (out.clashes(in) || out.meets_itself() || out.meets(tag) || out.meets(iv) || out.meets(aad)) return CST_ERR_OVERLAP;
    if (job.direction == CST_SEAL && (in.meets(tag) || tag.meets(iv) || tag.meets(aad))) return CST_ERR_OVERLAP;
    return CST_OK;
}

// How many, from the first on, have those lengths and are surely right. Not inline: what follows from the lengths had better stay where it is.
__attribute__((noinline)) size_t right_alike(const SurelyRight &of, const cst_job *jobs, size_t n) {
    size_t i = 0;
    while (i < n && of.are_those_of(jobs[i]) && of.places(jobs[i])) i++;
    return i;
}

// Of a job of the right size. of: its lengths, if they are right.
__attribute__((always_inline)) inline bool surely_right(const Engine &engine, const cst_job &job, SurelyRight *of) {
    const bool right = job.key && unsigned(job.direction) <= CST_OPEN && from(job.key)->suite->engine == &engine && lengths_surely_right(from(job.key)->suite->sure, job);
    *of = right ? SurelyRight(job) : SurelyRight();
    return right && of->places(job);
}

int look_closer(const Engine &engine, const cst_job &job) {
    if (job.size != sizeof(cst_job) || !job.key || (job.direction != CST_SEAL && job.direction != CST_OPEN)) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(job.key)->suite;
    if (suite.engine != &engine) return CST_ERR_ARGUMENT;
    if (int error = check_lengths(suite, job)) return error;
    return check_buffers(suite, job);
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

int cst::check_jobs(const Engine &engine, cst_job *jobs, size_t n, bool *alike) {
    size_t other = 0;
    for (size_t i = 0; i < n; i++) other |= jobs[i].size ^ sizeof(cst_job);
    if (other) return CST_ERR_ARGUMENT;  // an array of something else: nowhere to put a status
    int error = CST_OK;
    SurelyRight last;
    size_t unlike = 0;
    for (size_t i = 0; i < n; i++) {
        if (last) {
            const size_t more = engine.avx512() ? surely_right_alike_wide(jobs[i - 1], jobs + i, n - i) : right_alike(last, jobs + i, n - i);
            for (const size_t end = i + more; i < end; i++) jobs[i].status = JOB_WAITING;
            if (i == n) break;
        }
        cst_job &job = jobs[i];
        const int wrong = surely_right(engine, job, &last) ? CST_OK : look_closer(engine, job);
        unlike += 1 + !last;
        job.status = wrong ? wrong : JOB_WAITING;
        if (!error) error = wrong;
    }
    *alike = unlike == 1;
    return error;
}

bool cst::surely_alike(const Engine &engine, const cst_job *jobs, size_t n, size_t most) {
    const Suite *const suite = from(jobs->key)->suite;
    const uint64_t bytes = jobs->in_len, iv_bytes = suite->iv_bytes;
    const uint64_t has_iv = iv_bytes != 0;
    const int direction = jobs->direction;
    if (suite->engine != &engine || !suite->sure.any || suite->iv_min != suite->iv_max) return false;
    if (bytes - 1 >= most || bytes < suite->min_bytes || bytes > suite->max_bytes || bytes & (suite->block_bytes - 1)) return false;
    if (direction != CST_SEAL && direction != CST_OPEN) return false;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = jobs[i];
        if (job.size != sizeof(cst_job) || !job.key || from(job.key)->suite != suite || job.direction != direction) return false;
        if (job.in_len != bytes || job.iv_len != iv_bytes || job.out_cap < bytes || (job.n_in_pieces | job.n_out_pieces | job.tag_len | job.aad_len)) return false;
        const uint64_t in = reinterpret_cast<uintptr_t>(job.in), out = reinterpret_cast<uintptr_t>(job.out), iv = reinterpret_cast<uintptr_t>(job.iv);
        if (int64_t(in | out | iv | (in - 1) | (out - 1) | (iv - has_iv)) < 0) return false;  // an address above 2^63, or none
        // As Where::meets: two ranges meet when the distance of their beginnings, counted from where the one would end at the other's, is below their sum.
        if (out != in && out - in + bytes - 1 < 2 * bytes - 1) return false;
        if (out - iv + bytes - 1 < bytes + iv_bytes - 1) return false;
    }
    return true;
}
