// cst-soak: see README.md.

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "where.hpp"
#include "worker.hpp"

using namespace soak;

namespace {

using Clock = std::chrono::steady_clock;

// In so many sessions every suite has had its turn, on whatever target.
uint64_t enough_bursts(const Subject &subject) { return 4 * SESSION * subject.suites().size(); }

struct Run {
    const Options &options;
    const Subject &subject;
    std::vector<std::unique_ptr<Tally>> tallies;
    std::atomic<bool> stop{false}, failed{false};
    std::atomic<unsigned> running;
    std::atomic<uint64_t> bursts{0};
    std::mutex mutex;

    Run(const Options &o, const Subject &s) : options(o), subject(s), running(o.threads) {}

    void work(unsigned thread) {
        use_signal_stack();
        try {
            Worker worker(subject, options, thread);
            for (uint64_t i = options.first_burst; i < options.end_burst && !stop.load(std::memory_order_relaxed);
                 i++) {
                worker.burst(i);
                bursts.fetch_add(1, std::memory_order_relaxed);
            }
            const std::lock_guard<std::mutex> lock(mutex);
            tallies[thread]->count(worker.tally());
        } catch (const std::exception &error) {
            const std::lock_guard<std::mutex> lock(mutex);
            say_where(error.what());
            failed = stop = true;
        }
        running--;
    }
};

// Until the time is up, or all is done.
void wait(Run *run, Clock::time_point begin) {
    const bool shows = isatty(STDERR_FILENO), narrow = run->options.end_burst != UINT64_MAX;
    for (auto shown = begin; run->running;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const auto now = Clock::now();
        const double seconds = std::chrono::duration<double>(now - begin).count();
        if (!narrow && seconds >= run->options.seconds) run->stop = true;
        if (!shows || now - shown < std::chrono::seconds(2)) continue;
        shown = now;
        fprintf(stderr, "\r%.0f s, %llu bursts", seconds, (unsigned long long)(run->bursts.load()));
        fflush(stderr);
    }
    if (shows) fputs("\r\033[K", stderr);
}

// Sums up; false: a suite or a target was left out although there was time for all.
bool report(const Run &run, double seconds) {
    Tally all(run.subject);
    for (const auto &tally : run.tallies) all.count(*tally);
    size_t suites = 0, targets = 0;
    std::string missing;
    for (size_t i = 0; i < all.suites.size(); i++) {
        suites += all.suites[i] != 0;
        if (!all.suites[i]) missing += " " + run.subject.suites()[i].name;
    }
    for (size_t i = 0; i < all.targets.size(); i++) {
        targets += all.targets[i] != 0;
        if (!all.targets[i]) missing += " target:" + run.subject.targets()[i].name;
    }
    printf("cst-soak: all right: %s, %zu of %zu suites on %zu of %zu targets, %.1f s, %u threads, seed %llu\n",
           all.line().c_str(), suites, all.suites.size(), targets, all.targets.size(), seconds, run.options.threads,
           (unsigned long long)(run.options.seed));
    if (missing.empty() || run.bursts < enough_bursts(run.subject) * run.options.threads) return true;
    printf("cst-soak: never drawn:%s\n", missing.c_str());
    return false;
}

int soak_all(const Options &options) {
    const Subject subject(options);
    Run run(options, subject);
    for (unsigned i = 0; i < options.threads; i++) run.tallies.push_back(std::make_unique<Tally>(subject));
    const auto begin = Clock::now();
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options.threads; i++) threads.emplace_back(&Run::work, &run, i);
    wait(&run, begin);
    for (std::thread &thread : threads) thread.join();
    if (run.failed) return 1;
    return report(run, std::chrono::duration<double>(Clock::now() - begin).count()) ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    const int status = parse_options(argc, argv, &options);
    if (status >= 0) return status;
    printf("cst-soak: seed %llu\n", (unsigned long long)(options.seed));
    fflush(stdout);
    say_where_on_death();
    try {
        return soak_all(options);
    } catch (const std::exception &error) {
        fprintf(stderr, "cst-soak: %s\n", error.what());
        return 2;
    }
}
