// Functions that the calls of the C API that take jobs share.
#pragma once

#include "handles.hpp"
#include "../executors/message.hpp"

namespace cst {

// Checks every argument of a job, before any of its bytes is touched. Returns CST_OK, or the error that the header
// names for the first argument that is wrong. CST_ERR_AUTH: the arguments are right, but the input to be opened has a
// length that sealing never makes, which is its sender's doing; it only remains to call `refuse_unopened`.
int check_job(const Engine &engine, const cst_job &job);
// Checks all jobs of an array and sets their statuses to the error of each, or to JOB_WAITING. Returns the first error,
// or CST_ERR_AUTH if there is no other (if there is, jobs to be refused have the status JOB_WAITING). likeness: NULL,
// or receives what the jobs have in common, or less than that.
int check_jobs(const Engine &engine, cst_job *jobs, size_t n, Likeness *likeness);
int check_one(const Engine &engine, cst_job *job);

// Decides as check_job does, without the fast accept (surely_right.hpp).
int look_closer(const Engine &engine, const cst_job &job);

// Checks n jobs of the right size, one after the other; at(i) returns the address of one. Sets statuses and returns
// errors as check_jobs does.
template <typename At>
int check_each(const Engine &engine, size_t n, At at) {
    int error = CST_OK;
    bool forged = false;
    for (size_t i = 0; i < n; i++) {
        const int status = check_one(engine, at(i));
        if (status == CST_ERR_AUTH) forged = true;
        else if (!error) error = status;
    }
    if (!forged) return error;
    if (!error) return CST_ERR_AUTH;
    for (size_t i = 0; i < n; i++)
        if (at(i)->status == CST_ERR_AUTH) at(i)->status = JOB_WAITING;
    return error;
}

// Runs jobs for which check_jobs returned CST_OK or CST_ERR_AUTH, and refuses those that it found forged. CST_OK, or
// CST_ERR_AUTH if at least one job did not authenticate.
int run_checked(Memory *memory, cst_job *jobs, size_t n);

// Implements cst_burst for at least one job.
int burst(const Engine *engine, cst_job *jobs, size_t n);

}  // namespace cst
