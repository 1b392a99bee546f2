// Runs messages through the lanes of one kernel. A message is a list of segments; a lane runs one list after the other
// and takes the next message when its list ends. A kernel call has as many iterations as the shortest segment in
// progress has left.
#pragma once

#include <algorithm>
#include <type_traits>

#include "../suite/suite.hpp"
#include "lanes.hpp"

namespace cst {

// A contiguous run of bytes that a kernel processes in whole iterations.
struct TextSegment {
    const uint8_t *in;
    uint8_t *out;
    uint64_t iterations;
};
struct HashSegment {
    const uint8_t *in;
    const uint8_t *load;  // chaining value to begin with; NULL: the lane continues with its own
    uint8_t *store;  // where the digest goes after the segment; NULL: nowhere
    size_t store_bytes;  // length of that digest
    uint64_t iterations;
};
// Of a stitched kernel; the hash advances with the text.
struct PairSegment {
    const uint8_t *in;
    uint8_t *out;
    const uint8_t *load;  // the hash's, as above
    uint8_t *store;
    uint64_t iterations;
};

// A Writer (message/list_writers.hpp) knows what messages consist of, and the fields of the state block:
//   Segment                      TextSegment, HashSegment or PairSegment
//   MOST_SEGMENTS                greatest number of them in a message's list
//   write(lane, job, segments)   writes the message's list; returns its length
//   point(lane, in, out)         sets where the lane reads and, for texts, writes next
//   load(lanes, n, segment)      loads segment(i).load into the i-th of these lanes, which are in ascending order
//   store(lanes, n, segment)     stores the digest of the i-th of these lanes as segment(i) says
//   done(lane, job)              finishes the job when its list ends
//   left(lane, iterations)       a stitched kernel has left these, at most as many as its hash lags behind
template <typename Writer>
class Walker {
    typedef typename Writer::Segment Segment;
    static constexpr bool HASHES = !std::is_same_v<Segment, TextSegment>,
                          WRITES = !std::is_same_v<Segment, HashSegment>, BOTH = HASHES && WRITES;

public:
    Walker(const Variant &v, LaneMemory *memory, Writer *writer)
        : v_(v), memory_(*memory), writer_(*writer), width_(v.lanes), log2_(v.step_log2), lag_(BOTH ? v.lag : 0) {}

    void run(cst_job *const *jobs, size_t n) {
        const cst_kernel_fn fn = v_.kernel.load(std::memory_order_acquire)->fn;
        cst_kernel_args args = begin_calls(*key_of(*jobs[0]).suite->engine, v_, &memory_);
        next_ = jobs;
        end_ = jobs + n;
        alive_ = width_;
        uint32_t turns[MAX_LANES];
        for (uint32_t lane = 0; lane < width_; lane++) {
            turns[lane] = lane;
            at_[lane] = last_[lane] = nullptr;
        }
        uint64_t calls = 0;
        for (size_t some = width_;;) {
            turn(turns, some);
            if (!alive_) break;
            args.iterations = alive_ == width_ ? least() : prepare_idle(least());
            fn(&args);
            calls++;
            some = advance(args.iterations, turns);
        }
        v_.calls.add(calls);
    }

private:
    static constexpr uint64_t IDLE = UINT64_MAX;  // left_ of a lane without a message

    uint64_t least() const {
        uint64_t least = IDLE;
        for (uint32_t lane = 0; lane < width_; lane++) least = std::min(least, left_[lane]);
        return least;
    }
    // Prepares lanes without a message: they repeat the input of another lane and write to a buffer that nothing reads.
    // The size of that buffer bounds a call; returns the iterations that the call may do.
    uint64_t prepare_idle(uint64_t iterations) {
        uint32_t model = 0;
        while (left_[model] == IDLE) model++;
        for (uint32_t lane = 0; lane < width_; lane++)
            if (left_[lane] == IDLE) {
                in_[lane] = in_[model];
                if constexpr (WRITES) out_[lane] = memory_.idle_out;
                point(lane);
            }
        if (!WRITES) return iterations;
        memory_.idle_used = IDLE_OUT_BYTES;
        return std::min<uint64_t>(iterations, IDLE_OUT_BYTES >> log2_);
    }
    // Returns how many lanes have finished their segment, and lists them in `turns`, which has room for all lanes.
    size_t advance(uint64_t iterations, uint32_t *turns) {
        const uint64_t bytes = iterations << log2_;
        size_t some = 0;
        for (uint32_t lane = 0; lane < width_; lane++) {
            if (left_[lane] == IDLE) continue;
            if ((left_[lane] -= iterations) > lag_) {
                in_[lane] += bytes;
                if constexpr (WRITES) out_[lane] += bytes;
                point(lane);
            } else {
                turns[some++] = lane;
            }
        }
        return some;
    }
    // Switches lanes that have finished their segment, or have had none, to their next segment.
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t moves[MAX_LANES];
        const auto segment = [&](size_t i) -> const Segment & { return *at_[moves[i]]; };
        size_t loads = 0;
        if constexpr (HASHES) {
            size_t stores = 0;
            for (size_t i = 0; i < n; i++)
                if (at_[lanes[i]] && at_[lanes[i]]->store) moves[stores++] = lanes[i];
            if (stores) writer_.store(moves, stores, segment);
        }
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            if (!next_segment(lane)) continue;
            const Segment &its = *at_[lane];
            left_[lane] = its.iterations;
            in_[lane] = its.in;
            if constexpr (WRITES) out_[lane] = its.out;
            if constexpr (HASHES)
                if (its.load) moves[loads++] = lane;
            point(lane);
        }
        if constexpr (HASHES)
            if (loads) writer_.load(moves, loads, segment);
    }
    void point(uint32_t lane) {
        if constexpr (WRITES) writer_.point(lane, in_[lane], out_[lane]);
        else writer_.point(lane, in_[lane]);
    }
    // Returns false if the lane has no further segment and there is no further message.
    bool next_segment(uint32_t lane) {
        if (at_[lane] != last_[lane]) return ++at_[lane], true;
        if constexpr (BOTH)
            if (at_[lane]) writer_.left(lane, left_[lane]);
        if (at_[lane]) writer_.done(lane, job_[lane]);
        while (next_ != end_) {
            job_[lane] = *next_++;
            at_[lane] = lists_[lane];
            const size_t n = writer_.write(lane, *job_[lane], lists_[lane]);
            last_[lane] = lists_[lane] + n - 1;
            if (n) return true;
            writer_.done(lane, job_[lane]);
        }
        alive_--;
        left_[lane] = IDLE;
        return false;
    }

    const Variant &v_;
    LaneMemory &memory_;
    Writer &writer_;
    const uint32_t width_, log2_, lag_;
    cst_job *const *next_ = nullptr, *const *end_ = nullptr;
    size_t alive_ = 0;  // lanes with a message
    uint64_t left_[MAX_LANES];
    const Segment *at_[MAX_LANES], *last_[MAX_LANES];
    const uint8_t *in_[MAX_LANES];
    uint8_t *out_[MAX_LANES];
    cst_job *job_[MAX_LANES];
    Segment lists_[MAX_LANES][Writer::MOST_SEGMENTS];
};

// Walks n jobs through the lanes of a kernel, by a Writer made of `arguments`. Returns whether all were right.
template <typename Writer, typename... Arguments>
bool walk(LaneMemory *memory, const Variant &v, cst_job *const *jobs, size_t n, Arguments &&...arguments) {
    struct Walk {
        Walk(LaneMemory *lanes, const Variant &variant, Arguments &&...its)
            : writer(std::forward<Arguments>(its)...), walker(variant, lanes, &writer) {}
        Writer writer;
        Walker<Writer> walker;
    };
    const InSlot<Walk> its(memory->step, memory, v, std::forward<Arguments>(arguments)...);
    its->walker.run(jobs, n);
    return its->writer.all_right();
}

}  // namespace cst
