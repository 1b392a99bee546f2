#include "digests.hpp"

#include <new>

#include "../executors/message.hpp"
#include "../keys/keys.hpp"
#include "../run/run.hpp"

namespace cst {

int Digests::init(const Engine &engine, const Suites &suites, const char *suite) {
    engine_ = &engine;
    const Suite *const found = suites.find(suite);
    if (!found) return CST_ERR_UNSUPPORTED;
    if (int error = prepare_suite(*found)) return error;
    bytes_ = found->tag_max;
    most_ = found->lengths.seal.max;
    return new_key(*found, nullptr, 0, nullptr, 0, &key_);
}

void Digests::run(const std::vector<Text> &texts, uint8_t *digests) const {
    std::vector<cst_job> jobs(texts.size());
    for (size_t i = 0; i < jobs.size(); i++) {
        cst_job &job = new_job(&jobs[i], *key_, CST_SEAL);
        job.in_pieces = texts[i].part;
        job.n_in_pieces = 3;
        for (const cst_piece &part : texts[i].part)
            if (__builtin_add_overflow(job.in_len, part.bytes, &job.in_len)) throw std::bad_alloc();
        if (job.in_len > most_) throw std::bad_alloc();  // of a text that no hash can count, a part would be hashed
        job.tag = digests + i * bytes_;
        job.tag_len = bytes_;
    }
    if (run_jobs(*engine_, jobs.data(), jobs.size(), Likeness::none)) throw std::bad_alloc();
}

}  // namespace cst
