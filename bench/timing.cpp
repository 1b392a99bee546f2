#include "timing.hpp"

#include "machine.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace bench {

long interruptions() {
    rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

double quantile(const std::vector<double> &sorted, double q) {
    return sorted[size_t(q * double(sorted.size() - 1) + 0.5)];
}

size_t calls_per_sample(Task &task, const Effort &effort, double ticks_per_ms, size_t turn) {
    const uint64_t start = ticks();
    task.run();
    const double once = std::max(1.0, double(ticks() - start));
    const size_t calls = std::max<size_t>(1, size_t(effort.min_ms * ticks_per_ms / once));
    return (calls + turn - 1) / turn * turn;
}

std::vector<Result> time_in_turn(Cell &cell, const std::vector<Peer *> &peers, const Effort &effort,
                                 double ticks_per_ms, std::vector<double> &clock) {
    struct Timed {
        Candidate candidate;
        size_t calls;
        std::vector<double> samples;
    };
    std::vector<Timed> timed;
    for (Candidate &candidate : cell.candidates(peers)) {
        // Each sample covers all lengths of a mix.
        const size_t calls =
            calls_per_sample(*candidate.task, effort, ticks_per_ms, cell.load().size.mix ? cell.runs() : 1);
        timed.push_back({std::move(candidate), calls, {}});
    }
    const double total = double(cell.batch().total);
    for (int round = 0; round < effort.repetitions; round++)
        for (Timed &t : timed) {
            Task &task = *t.candidate.task;
            uint64_t elapsed = 0;
            double ratio = 0;
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                task.run(); // warm again after the others
                long interrupted = interruptions();
                double before = cycles_per_tick();
                uint64_t start = ticks();
                for (size_t i = 0; i < t.calls; i++) task.run();
                elapsed = ticks() - start;
                ratio = (before + cycles_per_tick()) / 2;
                if (interruptions() == interrupted) break;
            }
            clock.push_back(ratio);
            t.samples.push_back(double(elapsed) * ratio / (double(t.calls) * total));
        }
    std::vector<Result> results;
    for (Timed &t : timed) {
        std::sort(t.samples.begin(), t.samples.end());
        Result r;
        r.row = cell.row().name;
        r.impl = t.candidate.impl;
        r.variant = t.candidate.task->variant;
        r.load = cell.load();
        r.bytes = cell.batch().mean();
        r.cycles_per_byte = quantile(t.samples, 0.5);
        r.spread = (quantile(t.samples, 0.75) - quantile(t.samples, 0.25)) / r.cycles_per_byte;
        results.push_back(r);
    }
    return results;
}

} // namespace bench
