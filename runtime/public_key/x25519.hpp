// Runs X25519 (RFC 7748, 5) for many jobs: kernels take a step of the Montgomery ladder in all lanes, and one inversion
// serves many jobs.
#pragma once

#include <memory>
#include <vector>

#include "../select/engine.hpp"
#include "lane_plan.hpp"

namespace cst {

class X25519 {
public:
    static constexpr size_t BYTES = 32;  // of a scalar, a u-coordinate, and a result
    struct Job {
        const uint8_t *scalar, *u;
        uint8_t result[BYTES];
        bool zero;  // the result is: u is a point of small order
    };

    // kernel: NULL, or the name of the kernel that must do everything. Returns CST_ERR_NAME: no kernel of that name
    // can; CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY: no kernel's code can be loaded.
    int init(const Engine &engine, const char *kernel);
    // Several threads may share an object. Everything in the jobs stays secret, but for `zero`; the caller clears the
    // registers.
    void run(Job *jobs, size_t n) const;

private:
    const Engine *engine_ = nullptr;
    std::vector<const Variant *> kernels_;  // their code is loaded
    std::unique_ptr<LanePlan> plan_;
};

}  // namespace cst
