#include "work.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "suite/secret.hpp"

namespace cst::imb {
namespace {

bool uses_block(const Plan &plan) { return plan.kind != Kind::composed || plan.in_bits; }

bool run_apart(Work *work, cst_job *job, Item *item) {
    const size_t bytes = job->in_len + job->aad_len;
    uint8_t *const copy = job->in ? static_cast<uint8_t *>(malloc(bytes)) : nullptr;
    if (!copy) return false;
    job->in = memcpy(copy, job->in, job->in_len);
    if (job->aad) job->aad = memcpy(copy + job->in_len, job->aad, job->aad_len);
    if (job->iv && job->iv_len <= sizeof(item->iv)) job->iv = memmove(item->iv, job->iv, job->iv_len);
    if (job->tag) set_tag(work, job, item, job->tag_len);
    work->use(item);
    const bool done = !cst_burst(context(), job, 1);
    wipe(copy, bytes);
    free(copy);
    return done;
}

}  // namespace

void Work::begin(size_t jobs) {
    jobs_ = jobs;
    n_ = steps_[0].n = steps_[1].n = keys_used_ = 0;
    any_failed_ = any_used_ = false;
    last_[0] = last_[1] = {};
    composed_ = {};
}

void Work::end() {
    wipe(keys_, keys_used_);
    constexpr size_t all = sizeof(Item) - offsetof(Item, tag), composed = offsetof(Item, block) - offsetof(Item, tag);
    for (size_t i = 0; any_used_ && i < n_; i++)
        if (items_[i].used)
            wipe_rows(reinterpret_cast<KeyRow *>(items_[i].tag),
                      (uses_block(*items_[i].plan) ? all : composed) / sizeof(KeyRow));
}

const Key *Work::key(const Suite &suite, const ExpandedKey &parts) {
    Made &last = last_[suite.enciphers()];
    if (last.suite == &suite && last.parts == parts) return last.key;
    if (keys_used_ + suite.key_layout.bytes > sizeof(keys_)) return nullptr;
    const Key *made;
    if (take_expanded_key(suite, parts, keys_ + keys_used_, &made)) return nullptr;
    keys_used_ += suite.key_layout.bytes;
    last = {&suite, parts, made};
    return made;
}

template <typename Condition>
void Work::drop(Step *step, Condition condition) {
    size_t kept = 0;
    for (size_t i = 0; i < step->n; i++) {
        if (condition(&step->jobs[i], step->items[i])) continue;
        step->jobs[kept] = step->jobs[i];
        step->items[kept++] = step->items[i];
    }
    step->n = kept;
}

void Work::run(unsigned number) {
    Step *const step = &steps_[number];
    if (any_failed_) drop(step, [](const cst_job *, const Item *item) { return item->failed; });
    while (step->n) {
        const int error = cst_burst(context(), step->jobs, step->n);
        if (!error) return;
        const size_t before = step->n;
        drop(step, [&](cst_job *job, Item *item) {
            const bool refused = job->status < 0 || error == CST_ERR_MEMORY;
            if (refused && !(job->status == CST_ERR_OVERLAP && run_apart(this, job, item)))
                item->failed = any_failed_ = true;
            return refused;
        });
        if (step->n < before) continue;
        // An error of the whole burst, which names no job.
        for (size_t i = 0; i < step->n; i++) step->items[i]->failed = true;
        any_failed_ = true;
        return;
    }
}

}  // namespace cst::imb
