#include "run_accepted.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "cryptostitch/cryptostitch.h"
#include "select/cpu.hpp"
#include "select/features.hpp"
#include "select/lesser_cpu.hpp"

namespace {

constexpr size_t PAGE = 4096, MOST_BYTES = 1 << 22, NONE = SIZE_MAX;

// `bytes` between pages that nothing may touch, at the first byte or the last.
struct Guarded {
    Guarded(size_t bytes, bool at_end, int protection) : size((bytes + PAGE - 1) / PAGE * PAGE + 2 * PAGE) {
        base = static_cast<uint8_t *>(mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (base == MAP_FAILED) std::abort();
        if (size > 2 * PAGE && mprotect(base + PAGE, size - 2 * PAGE, protection)) std::abort();
        data = at_end ? base + size - PAGE - bytes : base + PAGE;
    }
    ~Guarded() { munmap(base, size); }
    Guarded(const Guarded &) = delete;
    Guarded &operator=(const Guarded &) = delete;

    size_t size;
    uint8_t *base, *data;
};

bool has_all(const char *features) {
    static const cst::Features have = [] {
        cst::Cpu cpu;  // of no features where CRYPTOSTITCH_CPU is wrong
        cst::detect_cpu(&cpu);
        return cpu.features;
    }();
    cst::Features wanted;
    return cst::parse_features(features, &wanted) && (wanted & ~have) == 0;
}

}  // namespace

void AcceptedRuns::add(const cst::Pack &pack, uint32_t number, const std::vector<uint8_t> &code) {
    cst::KernelRecord record;
    Kernel kernel;
    kernel.code = code;
    if (pack.kernel(number, &record)) return;
    uint32_t lag = 0;
    for (uint32_t i = 0; i < record.n_streams; i++) lag = std::max(lag, record.streams[i].lag);
    kernel.iterations = uint64_t(lag) + 2;
    bool fits = has_all(record.features);
    for (uint32_t i = 0; i < record.n_streams; i++) {
        cst::ProgramRecord program;
        if (pack.program(record.streams[i].program, &program)) return;
        const uint64_t bytes = kernel.iterations * record.streams[i].ratio * program.bytes;
        fits = fits && bytes <= MOST_BYTES && program.state_bytes <= MOST_BYTES && program.state_align <= PAGE &&
               program.state_bytes % program.state_align == 0;
        const size_t handed = size_t(2) * program.lanes * program.bytes;
        Stream stream = {program.state_bytes, size_t(bytes), handed, NONE, NONE, {}, {}};
        for (const cst::FieldRecord &f : program.fields) {
            if (!std::strcmp(f.name, "from")) {
                stream.from_offset = f.offset;
                fits = fits && PAGE % handed == 0;
            }
            if (!std::strcmp(f.name, "hand")) stream.hand_offset = f.offset;
            std::vector<uint32_t> *pointers = !std::strcmp(f.name, "in")    ? &stream.in
                                              : !std::strcmp(f.name, "out") ? &stream.out
                                                                            : nullptr;
            for (uint32_t lane = 0; pointers && lane < f.n_lanes; lane++)
                pointers->push_back(f.offset + f.lane_offsets[lane]);
        }
        kernel.streams.push_back(std::move(stream));
    }
    if (!fits) {
        left_out++;
        return;
    }
    kernels_.push_back(std::move(kernel));
    if (kernels_.size() == AT_ONCE) sound_ = run() && sound_;
}

void AcceptedRuns::call(const Kernel &kernel, bool at_end) {
    Guarded code(kernel.code.size(), false, PROT_READ | PROT_WRITE);
    std::memcpy(code.data, kernel.code.data(), kernel.code.size());
    if (mprotect(code.data, kernel.code.size(), PROT_READ | PROT_EXEC)) std::abort();
    cst_kernel_args args = {kernel.iterations, {}};
    std::vector<std::unique_ptr<Guarded>> memory;
    auto place = [&](size_t bytes, int protection) {
        memory.push_back(std::make_unique<Guarded>(bytes, at_end, protection));
        return memory.back()->data;
    };
    auto point = [](uint8_t *state, size_t offset, const uint8_t *to) { std::memcpy(state + offset, &to, sizeof to); };
    std::vector<uint8_t *> hands;
    for (size_t i = 0; i < kernel.streams.size(); i++) {
        const Stream &s = kernel.streams[i];
        uint8_t *state = place(s.state_bytes, PROT_READ | PROT_WRITE);
        args.state[i] = state;
        if (s.hand_offset != NONE) hands.push_back(state + s.hand_offset);
        if (!s.in.empty()) {
            const uint8_t *in = place(s.data_bytes, PROT_READ);
            for (uint32_t offset : s.in) point(state, offset, in);
        }
        for (uint32_t offset : s.out) point(state, offset, place(s.data_bytes, PROT_READ | PROT_WRITE));
    }
    size_t reader = 0;
    for (size_t i = 0; i < kernel.streams.size(); i++) {
        const Stream &s = kernel.streams[i];
        if (s.from_offset == NONE) continue;
        const uint8_t *from = reader < hands.size() ? hands[reader++] : place(s.handed_bytes, PROT_READ);
        point(static_cast<uint8_t *>(args.state[i]), s.from_offset, from);
    }
    cst_kernel_fn run;
    uint8_t *entry = code.data;
    std::memcpy(&run, &entry, sizeof run);
    run(&args);
}

bool AcceptedRuns::run() {
    auto *at =
        static_cast<volatile size_t *>(mmap(nullptr, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (at == MAP_FAILED) std::abort();
    const pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < kernels_.size(); i++) {
            *at = i;
            call(kernels_[i], false);
            call(kernels_[i], true);
        }
        _exit(0);
    }
    int status = 0;
    const bool sound =
        child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!sound) std::printf("the kernel of an accepted pack faulted: number %zu that was run\n", done + *at);
    done += kernels_.size();
    kernels_.clear();
    munmap(const_cast<size_t *>(at), PAGE);
    return sound && sound_;
}
