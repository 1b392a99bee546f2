// The packs and the CPU, brought together: every kernel described once, with its cost, and its code fetched on first
// use.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "cost.hpp"
#include "cpu.hpp"
#include "dispatch.hpp"
#include "recent.hpp"
#include "spare.hpp"

namespace cst {

class Engine {
public:
    // `target`: NULL or a lowering (target.hpp). Errors of CPU names, target names and packs. Without `legacy` there
    // are no kernels of variable time, and no suites of legacy algorithms.
    int init(const char *target, bool no_jit, bool legacy = false);
    // The same for another CPU: what it would choose. Kernels that this CPU does not have must not be run.
    int init(Cpu cpu, const char *target, bool no_jit, bool legacy = false);

    // Copies and adds a pack of the application. On an error nothing has changed. Not while other threads use the
    // engine. `public_key`: NULL, or the 32 bytes that the pack's signature must be by.
    int add_pack(const void *bytes, size_t size, const uint8_t *public_key);
    // Takes away the packs that were added since the mark, before anything refers to them.
    // Runnable kernels by role, cipher and hash.
    using Families = std::map<std::tuple<Role, const Algorithm *, const Algorithm *>, Family>;
    struct Mark {
        size_t packs, algorithms, variants, most_state_bytes;
        std::string cost_table;
        double message_cost;
        Families families;
    };
    Mark mark() const {
        return {packs_.size(), algorithms_.size(), variants_.size(), most_state_bytes_,
                cost_table_,   message_cost_,      families_};
    }
    void go_back(Mark *mark) noexcept;

    const Cpu &cpu() const { return cpu_; }
    bool jit() const { return jit_; }
    const std::vector<const Pack *> &packs() const;  // the library's own is the first
    bool has(const char *feature) const;
    bool avx() const { return avx_; }
    bool avx512() const { return avx512_; }
    const std::vector<std::unique_ptr<Algorithm>> &algorithms() const { return algorithms_; }
    const std::vector<std::unique_ptr<Variant>> &variants() const { return variants_; }
    const Variant *find(const char *kernel_name) const;  // NULL when there is none
    // The microarchitecture whose measured costs decide; empty: estimates do.
    const std::string &cost_table() const { return cost_table_; }
    // Core cycles that a message takes which is done in steps, beside the calls of kernels.
    double message_cost() const { return message_cost_; }
    // The same as cost_table in words, with what was measured on this machine.
    std::string costs_from() const;
    // Whether every kernel that suites can use has a cost that was measured on this machine.
    bool all_measured() const;
    // From here on measured costs decide, wherever name and code of a kernel agree; the others are kept for packs that
    // may come. Not while other threads use the engine. On an error nothing has changed.
    int take_costs(std::vector<KernelCost> costs);
    // From here on this is the CPU that the table's name says, as far as costs go: by kernels' names these decide,
    // instead of the pack's table, and estimates where they lack a kernel. `message`: centicycles of a message that is
    // done in steps; 0: not known. Not while other threads use the engine.
    void take_table(const std::string &name, uint32_t message, const std::vector<KernelCost> &costs);
    const std::vector<KernelCost> &measured_costs() const { return measured_; }  // sorted by name
    size_t most_state_bytes() const { return most_state_bytes_; }
    // Memory for the calls that are under way.
    Spare &spare() const { return spare_; }
    // The keys that bursts had.
    Recent &recent() const { return recent_; }
    // Changes whenever costs change: choices that were remembered under another generation do not count.
    uint16_t cost_generation() const { return cost_generation_; }
    // How often kernels were compared by their costs (run/lineup.cpp), rather than a choice remembered.
    uint64_t questions() const { return questions_.load(std::memory_order_relaxed); }
    void count_question() const { questions_.fetch_add(1, std::memory_order_relaxed); }

    // The code of a kernel, made on first use. CST_ERR_UNSUPPORTED when this CPU, or CST_ERR_JIT when this OS, cannot
    // run it.
    int fetch(const Variant &variant, const Kernel **out) const;

    // Cache::freeze.
    void freeze() { cache_->freeze(); }

    // The runnable kernels of a role over these algorithms (NULL: the role has no such part).
    Family family(Role role, const Algorithm *cipher, const Algorithm *hash) const;

private:
    struct OwnedPack {
        std::unique_ptr<uint32_t[]> copy;  // NULL for the built-in pack
        Pack pack;
    };
    struct Added {  // everything that a pack brings, before any of it is made visible
        std::vector<std::unique_ptr<Algorithm>> algorithms;
        std::vector<std::unique_ptr<Variant>> variants;
        std::string cost_table;
        double message_cost = 0;
        Families families;  // all, the new ones among them
    };
    int read_pack(const Pack &pack, Added *added) const;
    int commit(std::unique_ptr<OwnedPack> pack, Added *added);
    // Sets *known, and *cost, when the kernel is among `costs`.
    static int look_up(const std::vector<KernelCost> &costs, const Variant &variant, bool *known, Cost *cost);

    Cpu cpu_;
    bool jit_ = false, avx_ = false, avx512_ = false, legacy_ = false;
    std::string cost_table_;
    double message_cost_ = 0;
    std::vector<KernelCost> measured_;
    size_t most_state_bytes_ = 0;
    mutable Spare spare_;
    mutable Recent recent_;
    uint16_t cost_generation_ = 0;
    mutable std::atomic<uint64_t> questions_{0};
    std::vector<std::unique_ptr<OwnedPack>> packs_;
    std::vector<std::unique_ptr<Algorithm>> algorithms_;
    std::vector<std::unique_ptr<Variant>> variants_;
    Families families_;
    std::unique_ptr<Cache> cache_;  // destroyed first: it refers to the packs
};

}  // namespace cst
