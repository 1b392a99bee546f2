// Finds a function by a kernel's name. Of this folder, the layers above need only this header and pack.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "announce.hpp"
#include "codemem.hpp"
#include "cryptostitch/cryptostitch.h"
#include "pack.hpp"

namespace cst {

// One stream of a kernel. Every lane advances program.bytes * ratio bytes per iteration of the kernel.
struct KernelStream {
    ProgramRecord program;
    AlgorithmRecord algorithm;
    uint32_t ratio;
    int32_t lead;
    uint32_t lag;
};

enum class KernelOrigin { static_object, jit };

struct Kernel {
    const Pack *pack = nullptr;
    uint32_t index = 0;  // in the pack
    const char *name = nullptr, *target = nullptr, *features = nullptr;
    KernelOrigin origin = KernelOrigin::jit;
    cst_kernel_fn fn = nullptr;
    const uint8_t *code = nullptr;
    size_t code_bytes = 0;      // constants included
    uint64_t assembled_ns = 0;  // 0 for static kernels
    uint32_t lag = 0;           // the largest of all streams; iterations must exceed it
    std::vector<KernelStream> streams;

    Kernel() = default;
    Kernel(const Kernel &) = delete;
    Kernel &operator=(const Kernel &) = delete;
    ~Kernel() {
        withdraw_kernel(announced);
        release_code(&pages);
    }

    CodePages pages;
    KernelFrame frame;
    Announced *announced = nullptr;
};

// The kernels that were linked in as objects; the generated table defines both symbols.
extern "C" {
struct cst_static_kernel {
    const char *name;
    cst_kernel_fn fn;
    size_t code_bytes;
    uint32_t streams;
};
extern const struct cst_static_kernel cst_static_kernels[];
extern const size_t cst_static_kernel_count;
}

// Kernels by name, made on first use. Lock-free: if two threads want the same new kernel, both assemble it, and one of
// them discards its copy; so there is no lock that a fork could leave locked. add() and remove_last() must not race
// with anything.
class Cache {
public:
    // jit false: static kernels only. Otherwise JIT first, static if the OS refuses executable memory.
    explicit Cache(bool jit) : jit_(jit) {}
    ~Cache();
    Cache(const Cache &) = delete;
    Cache &operator=(const Cache &) = delete;

    // Adds a pack, which must stay open until the cache is gone. If two packs define a name, the first pack wins.
    int add(const Pack *pack);
    // Removes the pack that was added last, and its kernels.
    void remove_last() noexcept {
        for (uint32_t i = 0; i < packs_.back()->n_kernels(); i++) delete slots_.back()[i].load();
        packs_.pop_back();
        slots_.pop_back();
    }
    const std::vector<const Pack *> &packs() const { return packs_; }
    bool jit() const { return jit_; }
    // From now on, assembles nothing and requests no executable memory: a kernel that does not exist yet is static, or
    // refused. No other thread may use the cache meanwhile.
    void freeze() { frozen_ = true; }

    // Gets a kernel; *out lives as long as the cache. Returns CST_ERR_NAME: no such kernel; CST_ERR_JIT: it needs
    // executable memory and there is none; CST_ERR_PACK, CST_ERR_MEMORY. The caller has checked that the CPU offers the
    // kernel's features.
    int get(const char *name, const Kernel **out);
    int get(const Pack *pack, uint32_t index, const Kernel **out);
    // Whether get() can succeed on this machine, without trying: there is a static kernel of that name, or a working
    // JIT.
    bool obtainable(const char *name) const;

private:
    using Slot = std::atomic<const Kernel *>;
    int make(const Pack *pack, uint32_t index, Kernel *kernel) const;

    static constexpr int UNKNOWN = -1;
    bool jit_, frozen_ = false;
    mutable std::atomic<int> pages_work_{UNKNOWN};
    std::vector<const Pack *> packs_;
    std::vector<std::unique_ptr<Slot[]>> slots_;
};

// Describes the kernel and its streams, without code (`fn` NULL), whether or not it can run here.
int describe_kernel(const Pack *pack, uint32_t index, Kernel *out);

}  // namespace cst
