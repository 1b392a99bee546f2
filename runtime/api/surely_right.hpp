// The fast accept: finds by few tests that a job is surely right, which jobs that usually come are. Of any other job
// look_closer decides whether it is wrong, and how. This header states the rules of the fast accept. One job is tested
// by compares, each with a branch that is never taken, because the two are one operation for the CPU; without branches
// the tests take two to three times as long. Four and eight jobs at once are tested in vectors (surely_right_four.cpp,
// surely_right_wide.cpp).
#pragma once

#include <algorithm>
#include <cstddef>

#include "arguments.hpp"

namespace cst {

// A job's buffers, as indices of arrays.
enum JobBuffer { JOB_IV, JOB_AAD, JOB_IN, JOB_OUT, JOB_TAG, JOB_BUFFERS };

// Pairs of buffers that must not overlap; `in` and `out` may be the same.
// The last byte of one range of a bytes is 0 .. a + b - 2 bytes behind the first byte of another one of b bytes if and
// only if they overlap, or one of the two is empty and lies inside the other. Addresses are below 2^63 and lengths
// below 2^59: modulo 2^64 a negative distance is larger than any sum of two lengths.
struct BufferPair {
    JobBuffer first, second;
};
constexpr BufferPair APART[] = {{JOB_OUT, JOB_IN},  {JOB_IN, JOB_TAG}, {JOB_OUT, JOB_TAG}, {JOB_OUT, JOB_IV},
                                {JOB_OUT, JOB_AAD}, {JOB_TAG, JOB_IV}, {JOB_TAG, JOB_AAD}};
constexpr bool may_be_same(const BufferPair &pair) { return pair.second == JOB_IN; }

// What jobs of one kind have in common. Each of their buffers is in one piece, and the suite writes as many bytes of
// text as it reads, or none.
struct Kind {
    const Suite *suite = nullptr;  // NULL: look_closer decides
    int direction = 0;
    uint64_t iv = 0, aad = 0, tag = 0;            // lengths
    uint64_t least = 0, span = 0, remainder = 0;  // the text: length - least <= span, and length & remainder is 0
    uint64_t written = 0;                         // all bits: `out` becomes as long as `in`; 0: there is no `out`
};

// Returns the kind of a job of the right size.
[[gnu::always_inline]] inline Kind kind_of(const Engine &engine, const cst_job &job) {
    if (!job.key || unsigned(job.direction) > CST_OPEN) return {};
    const Suite &suite = *from(job.key)->suite;
    const SureLengths &sure = suite.sure[job.direction];
    if (suite.engine != &engine || !sure.hold(job.iv_len, job.aad_len, job.tag_len)) return {};
    uint64_t span = sure.text_span;
    if (suite.lengths.iv_and_count) {
        const uint64_t most = suite.lengths.most_input(job.direction == CST_OPEN, job.iv_len);
        if (most < sure.text_least) return {};
        span = std::min(span, most - sure.text_least);
    }
    return {&suite,          job.direction, job.iv_len,          job.aad_len, job.tag_len,
            sure.text_least, span,          sure.text_remainder, sure.written};
}

// Whether the job is of that kind, and surely right.
[[gnu::always_inline]] inline bool surely_right(const Kind &kind, const cst_job &job) {
    if (job.size != sizeof(job) || job.direction != kind.direction || job.iv_len != kind.iv ||
        job.aad_len != kind.aad || job.tag_len != kind.tag || job.n_in_pieces || job.n_out_pieces)
        return false;
    if (!job.key || from(job.key)->suite != kind.suite) return false;
    const uint64_t text = job.in_len, written = text & kind.written;
    if (text - kind.least > kind.span || text & kind.remainder || job.out_cap < written) return false;
    const uint64_t at[] = {address(job.iv), address(job.aad), address(job.in), address(job.out), address(job.tag)},
                   bytes[] = {kind.iv, kind.aad, text, written, kind.tag};
    static_assert(sizeof(at) == sizeof(uint64_t) * JOB_BUFFERS && sizeof(bytes) == sizeof(at));
    if ((at[JOB_OUT] | job.out_cap) & ~kind.written) return false;
#pragma GCC unroll 8
    for (int i = 0; i < JOB_BUFFERS; i++)
        if (int64_t(at[i]) <= 0 && (at[i] | bytes[i])) return false;
#pragma GCC unroll 8
    for (const BufferPair &pair : APART) {
        const uint64_t first = at[pair.first], to_last = bytes[pair.first] - 1, second = at[pair.second],
                       less_one = to_last + bytes[pair.second];
        const bool meet = first + to_last - second < less_one && less_one + 1;
        if (__builtin_expect(meet, false) && !(may_be_same(pair) && first == second)) return false;
    }
    return true;
}

// Whether a job is surely right by itself.
[[gnu::always_inline]] inline bool surely_right(const Engine &engine, const cst_job &job) {
    if (job.size != sizeof(job)) return false;
    const Kind kind = kind_of(engine, job);
    return kind.suite && surely_right(kind, job);
}

// Test the jobs from index i on, eight at a time, with AVX-512, or four, with AVX2, until these are not all of that
// kind and surely right, or fewer than so many of the n jobs are left. Return the index of the first that was not
// passed. unlike: set to another number than 0 if a text of those passed is not as long as that of the first of all
// jobs.
size_t surely_right_wide(const Kind &kind, const cst_job *jobs, size_t i, size_t n, uint64_t *unlike);
size_t surely_right_four(const Kind &kind, const cst_job *jobs, size_t i, size_t n, uint64_t *unlike);

}  // namespace cst
