#include "tally.hpp"

#include <cstdio>

namespace soak {

void Tally::count(const Tally &other) {
    add(&bursts, other.bursts);
    add(&jobs, other.jobs);
    add(&bytes, other.bytes);
    add(&forged, other.forged);
    add(&scattered, other.scattered);
    add(&refused, other.refused);
    for (size_t i = 0; i < ENTRIES; i++) add(&entries[i], other.entries[i]);
    for (size_t i = 0; i < suites.size(); i++) suites[i] += other.suites[i];
    for (size_t i = 0; i < targets.size(); i++) targets[i] += other.targets[i];
}

std::string Tally::line() const {
    char text[400];
    auto n = [](const std::atomic<uint64_t> &of) { return (unsigned long long)(of.load(std::memory_order_relaxed)); };
    snprintf(
        text, sizeof(text),
        "%llu bursts (%llu calls of cst_burst, %llu of single jobs, %llu by managers, %llu of TLS records), %llu jobs "
        "(%llu forged, %llu scattered), %llu refused, %.1f MB",
        n(bursts), n(entries[BURST]), n(entries[SINGLE]), n(entries[MANAGER]), n(entries[RECORDS]), n(jobs), n(forged),
        n(scattered), n(refused), double(n(bytes)) / 1e6);
    return text;
}

}  // namespace soak
