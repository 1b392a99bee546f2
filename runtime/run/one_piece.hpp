// Jobs with buffers in pieces, as jobs in one piece: kernels of whole messages and lists take these, and a copy takes
// less time than a call for each piece.
#pragma once

#include "../executors/message.hpp"

namespace cst {

// Some jobs of a burst. A buffer of one piece is used where it is; several are copied, if the text is not too long for
// the memory: then the job keeps its pieces.
class OnePieceJobs {
public:
    explicit OnePieceJobs(Memory *memory) : memory_(*memory) {}

    // Adds a job. Returns false if there is no more room, which there is for the first.
    bool add(const cst_job &job);
    cst_job *jobs() { return jobs_; }
    size_t size() const { return n_; }
    // Writes outputs and results back to the jobs, which are in the order in which they were added.
    void settle(cst_job *jobs);

private:
    Memory &memory_;
    size_t n_ = 0, used_ = 0;
    cst_job jobs_[MOST_MESSAGES];
};

inline bool any_in_pieces(const cst_job *jobs, size_t n) {
    bool pieces = false;
    for (size_t i = 0; i < n; i++) pieces |= in_pieces(jobs[i]);
    return pieces;
}

}  // namespace cst
