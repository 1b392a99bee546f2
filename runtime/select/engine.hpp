// Combines the packs and the CPU: describes every kernel once, with its cost, and loads its code on first use.
#pragma once

#include <map>
#include <functional>
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
    // target: NULL or a lowering (target.hpp). Returns the errors of CPU names, target names and packs. Without
    // `legacy` there are no kernels of variable time, and no suites of legacy algorithms.
    int init(const char *target, bool no_jit, bool legacy = false);
    // Does the same for another CPU, to tell what it would choose. Kernels that this CPU cannot run must not be run.
    int init(Cpu cpu, const char *target, bool no_jit, bool legacy = false);

    // Copies and adds a pack of the application. On an error nothing has changed. No other thread may use the engine
    // meanwhile. public_key: NULL, or the 32 bytes of the key that must verify the pack's signature.
    int add_pack(const void *bytes, size_t size, const uint8_t *public_key);
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
    // Removes the packs that were added since the mark, before anything refers to them.
    void go_back(Mark *mark) noexcept;

    const Cpu &cpu() const { return cpu_; }
    bool jit() const { return jit_; }
    const std::vector<const Pack *> &packs() const;  // the library's own is the first
    bool has(const char *feature) const;
    bool avx() const { return avx_; }
    bool avx2() const { return avx2_; }
    bool avx512() const { return avx512_; }
    const std::vector<std::unique_ptr<Algorithm>> &algorithms() const { return algorithms_; }
    const std::vector<std::unique_ptr<Variant>> &variants() const { return variants_; }
    const Variant *find(const char *kernel_name) const;  // NULL when there is none
    // Returns the microarchitecture whose measured costs are used; empty: estimates are.
    const std::string &cost_table() const { return cost_table_; }
    // Returns the core cycles of a message that is done in steps, besides the calls of kernels.
    double message_cost() const { return message_cost_; }
    // Describes in words where costs come from: cost_table, and what was measured on this machine.
    std::string costs_from() const;
    // Whether every kernel that suites can use has a cost that was measured on this machine.
    bool all_measured() const;
    // From now on, uses the measured costs, wherever name and code of a kernel agree; keeps the others for packs that
    // may come. No other thread may use the engine meanwhile. On an error nothing has changed.
    int take_costs(std::vector<KernelCost> costs);
    // From now on, costs are those of the CPU that the table's name says: these figures, by kernels' names, instead of
    // the pack's table, and estimates for kernels that they lack. message: centicycles of a message that is done in
    // steps; 0: not known. No other thread may use the engine meanwhile.
    void take_table(const std::string &name, uint32_t message, const std::vector<KernelCost> &costs);
    const std::vector<KernelCost> &measured_costs() const { return measured_; }  // sorted by name
    size_t most_state_bytes() const { return most_state_bytes_; }
    // Memory for the calls in progress.
    Spare &spare() const { return spare_; }
    // The keys that bursts used recently.
    Recent &recent() const { return recent_; }
    // Changes whenever costs change: choices cached under another generation are not used.
    uint16_t cost_generation() const { return cost_generation_; }
    // Returns how often kernels were compared by their costs (plan/lineup.cpp) because no choice was cached.
    uint64_t questions() const { return questions_.load(std::memory_order_relaxed); }
    void count_question() const { questions_.fetch_add(1, std::memory_order_relaxed); }

    // Loads the code of a kernel, which is made on first use. Returns CST_ERR_UNSUPPORTED if this CPU, or CST_ERR_JIT
    // if this OS, cannot run it.
    int fetch(const Variant &variant, const Kernel **out) const;
    // Loads the code of all kernels that fit, for a caller that selects among them itself; kernel: NULL, or the name of
    // the only one wanted. Returns CST_ERR_NAME: no kernel of that name fits; CST_ERR_UNSUPPORTED, CST_ERR_JIT,
    // CST_ERR_MEMORY: no kernel's code can be loaded.
    int fetch_all(const char *kernel, const std::function<bool(const Variant &)> &fits,
                  std::vector<const Variant *> *out) const;

    // See Cache::freeze.
    void freeze() { cache_->freeze(); }

    // Returns the runnable kernels of a role over these algorithms (NULL: the role has no such part).
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
        Families families;  // all, including the new ones
    };
    int read_pack(const Pack &pack, Added *added) const;
    int commit(std::unique_ptr<OwnedPack> pack, Added *added);
    // Sets *known, and *cost, if the kernel is among `costs`.
    static int look_up(const std::vector<KernelCost> &costs, const Variant &variant, bool *known, Cost *cost);

    Cpu cpu_;
    bool jit_ = false, avx_ = false, avx2_ = false, avx512_ = false, legacy_ = false;
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
