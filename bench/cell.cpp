#include "cell.hpp"

#include "machine.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

namespace bench {

static uint8_t *aligned(std::vector<uint8_t> &bytes) {
    return reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(bytes.data()) + 63) & ~uintptr_t(63));
}

// Buffers lie `pitch` apart: the data starts on a cache line, its IV right before it, and equal offsets of neighbours fall into different sets.
Cell::Cell(const Row &row, size_t bytes, size_t jobs, bool one_key, Peer &reference) : row_(row) {
    const size_t tag_pitch = 64, key_pitch = 128;
    pitch_ = 64 + (bytes + 63) / 64 * 64 + 64;
    batch_.bytes = bytes;
    batch_.one_key = one_key;
    if (row.hash == "md5") batch_.tag_bytes = 16;
    else if (row.hash == "sha1") batch_.tag_bytes = 20;
    else if (!row.hash.empty()) batch_.tag_bytes = 32;

    std::mt19937 random(unsigned(bytes * 131 + jobs));
    auto fill = [&](std::vector<uint8_t> &v, size_t size) {
        v.resize(size + 64);
        for (uint8_t &byte : v) byte = uint8_t(random());
    };
    fill(keys_, jobs * key_pitch);
    fill(in_, jobs * pitch_);
    fill(out_, jobs * pitch_);
    fill(tags_, jobs * tag_pitch);
    fill(expected_tags_, jobs * tag_pitch);
    for (size_t i = 0; i < jobs; i++) {
        Buffer b;
        uint8_t *key = aligned(keys_) + (one_key ? 0 : i) * key_pitch;
        uint8_t *in = aligned(in_) + i * pitch_ + 64;
        b.key = key;
        b.mac_key = key + 64;
        b.in = in;
        b.out = aligned(out_) + i * pitch_ + 64;
        b.iv = row.open ? in - 16 : b.out - 16;
        memcpy(b.out - 16, in - 16, 16);
        b.tag = aligned(tags_) + i * tag_pitch;
        b.expected_tag = aligned(expected_tags_) + i * tag_pitch;
        batch_.buffers.push_back(b);
    }

    // The right answers come from the reference's sealing direction, also for open: then the input becomes what it sealed.
    Row seal = row;
    seal.open = false;
    auto tasks = reference.prepare(seal, batch_);
    if (tasks.empty() || !tasks[0]->run()) return;
    for (size_t i = 0; i < jobs; i++) {
        const Buffer &b = batch_.buffers[i];
        memcpy(const_cast<uint8_t *>(b.expected_tag), b.tag, tag_pitch);
    }
    if (row.open) {
        std::vector<uint8_t> plain(bytes);
        for (const Buffer &b : batch_.buffers) {
            uint8_t *in = const_cast<uint8_t *>(b.in);
            expected_out_.insert(expected_out_.end(), in, in + bytes);
            memcpy(in, b.out, bytes);
        }
    } else if (row.key_bits) {
        for (const Buffer &b : batch_.buffers) expected_out_.insert(expected_out_.end(), b.out, b.out + bytes);
    }
    ok_ = true;
}

bool Cell::check(Task &task) {
    for (const Buffer &b : batch_.buffers) {
        memset(b.out, 0xa5, batch_.bytes);
        if (!row_.open) memset(b.tag, 0xa5, 64);
    }
    if (!task.run()) return false;
    for (size_t i = 0; i < batch_.buffers.size(); i++) {
        const Buffer &b = batch_.buffers[i];
        if (!expected_out_.empty() && memcmp(b.out, expected_out_.data() + i * batch_.bytes, batch_.bytes) != 0) return false;
        if (!row_.open && batch_.tag_bytes && memcmp(b.tag, b.expected_tag, batch_.tag_bytes) != 0) return false;
    }
    return true;
}

namespace {
struct Timed {
    std::unique_ptr<Task> task;
    std::string impl;
    size_t calls = 1;
    std::vector<double> samples;
};
// How often this process has been put off its core. A sample during which that happened is taken again: it would time somebody else.
long interruptions() {
    rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}
double quantile(const std::vector<double> &sorted, double q) { return sorted[size_t(q * double(sorted.size() - 1) + 0.5)]; }
} // namespace

std::vector<Result> Cell::measure(const std::vector<Peer *> &peers, const Effort &effort, double ticks_per_ms, std::vector<double> &clock) {
    std::vector<Timed> timed;
    for (Peer *peer : peers) {
        auto tasks = peer->prepare(row_, batch_);
        for (auto &task : tasks) {
            if (!check(*task)) {
                fprintf(stderr, "cst-bench: %s (%s): wrong output for %s, %zu bytes, %zu jobs; not timed\n", peer->name().c_str(), task->variant.c_str(),
                        row_.name.c_str(), batch_.bytes, batch_.buffers.size());
                failed_ = true;
                continue;
            }
            Timed t;
            t.task = std::move(task);
            t.impl = peer->name();
            uint64_t start = ticks();
            t.task->run();
            double once = std::max(1.0, double(ticks() - start));
            t.calls = std::max<size_t>(1, size_t(effort.min_ms * ticks_per_ms / once));
            timed.push_back(std::move(t));
        }
    }
    double total = double(batch_.bytes) * double(batch_.buffers.size());
    for (int round = 0; round < effort.repetitions; round++)
        for (Timed &t : timed) {
            uint64_t elapsed = 0;
            double ratio = 0;
            for (int attempt = 0; attempt < 5; attempt++) {
                t.task->run(); // warm again after the others
                long interrupted = interruptions();
                double before = cycles_per_tick();
                uint64_t start = ticks();
                for (size_t i = 0; i < t.calls; i++) t.task->run();
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
        r.row = row_.name;
        r.impl = t.impl;
        r.variant = t.task->variant;
        r.one_key = batch_.one_key;
        r.bytes = batch_.bytes;
        r.jobs = batch_.buffers.size();
        r.cycles_per_byte = quantile(t.samples, 0.5);
        r.spread = (quantile(t.samples, 0.75) - quantile(t.samples, 0.25)) / r.cycles_per_byte;
        results.push_back(r);
    }
    return results;
}

} // namespace bench
