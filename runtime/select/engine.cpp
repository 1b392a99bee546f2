#include "engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "clear_registers.hpp"
#include "../suite/crc.hpp"
#include "code/signature.hpp"
#include "lesser_cpu.hpp"
#include "target.hpp"
#include "weaves.hpp"

extern "C" {
extern const uint8_t cst_default_pack[];
extern const uint8_t cst_default_pack_end[];
}

namespace cst {
namespace {

bool same_bytes_of(const LeavesRecord::Bytes &a, const LeavesRecord::Bytes &b) {
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

bool same_leaves(const LeavesRecord &a, const LeavesRecord &b) {
    return a.leaf_bytes == b.leaf_bytes && a.digest_bytes == b.digest_bytes && a.leaf_domain == b.leaf_domain &&
           a.node_domain == b.node_domain && same_bytes_of(a.behind, b.behind) && same_bytes_of(a.marker, b.marker) &&
           same_bytes_of(a.end, b.end);
}

bool same_algorithm(const AlgorithmRecord &a, const AlgorithmRecord &b) {
    return a.kind == b.kind && a.block_bytes == b.block_bytes && a.word_bytes == b.word_bytes && a.words == b.words &&
           a.digest_bytes == b.digest_bytes && a.flags == b.flags && a.length_bytes == b.length_bytes &&
           a.key_bytes == b.key_bytes && a.iv_bytes == b.iv_bytes && a.rounds == b.rounds && a.padding == b.padding &&
           a.input_bytes == b.input_bytes && a.domain == b.domain && a.last == b.last &&
           a.squeeze_bytes == b.squeeze_bytes && same_leaves(a.leaves, b.leaves) && a.of_cipher(b) &&
           memcmp(a.initial, b.initial, sizeof(a.initial)) == 0 && strcmp(a.suite, b.suite) == 0;
}

// Suites use a cipher of which a pack brings the key schedule in counter mode alone.
bool suites_know(const AlgorithmRecord &a) {
    if (!(a.is_mode() || a.kind == ALGORITHM_SCHEDULE) || a.is_aes()) return true;
    return *a.cipher && (a.kind == ALGORITHM_COUNTER || a.kind == ALGORITHM_SCHEDULE);
}

bool has_legacy(const PackRecords &records, const KernelRecord &kernel) {
    for (uint32_t i = 0; i < kernel.n_streams; i++) {
        const uint32_t program = kernel.streams[i].program;
        if (program < records.programs.size() && records.programs[program].algorithm < records.algorithms.size() &&
            records.algorithm(kernel.streams[i]).record.legacy())
            return true;
    }
    return false;
}

}  // namespace

int Engine::init(const char *target, bool no_jit, bool legacy) {
    Cpu cpu;
    if (int error = detect_cpu(&cpu)) return error;
    return init(std::move(cpu), target, no_jit, legacy);
}

int Engine::init(Cpu cpu, const char *target, bool no_jit, bool legacy) {
    cpu_ = std::move(cpu);
    legacy_ = legacy;
    if (target && *target)
        if (int error = lower_features(target, &cpu_.features)) return error;
    if (const char *lower = secure_getenv("CRYPTOSTITCH_TARGET"))
        if (*lower)
            if (int error = lower_features(lower, &cpu_.features)) return error;
    avx_ = has("avx");
    avx2_ = has("avx2");
    avx512_ = has("avx512f");
    jit_ = !no_jit && code_pages_work();
    cache_.reset(new Cache(jit_));
    auto owned = std::make_unique<OwnedPack>();
    int error =
        owned->pack.open(cst_default_pack, size_t(cst_default_pack_end - cst_default_pack), cst::Origin::built_in);
    if (error) return error;
    Added added;
    if ((error = read_pack(owned->pack, &added))) return error;
    return commit(std::move(owned), &added);
}

int Engine::add_pack(const void *bytes, size_t size, const uint8_t *public_key) {
    if (!size || size > UINT32_MAX) return CST_ERR_PACK;
    auto owned = std::make_unique<OwnedPack>();
    owned->copy.reset(new uint32_t[size / 4 + 1]());
    memcpy(owned->copy.get(), bytes, size);
    std::string why;
    int error = take_signature(reinterpret_cast<const uint8_t *>(owned->copy.get()), &size, public_key, &why);
    if (!error) error = owned->pack.open(owned->copy.get(), size, cst::Origin::foreign);
    if (error) return error == CST_ERR_ARGUMENT ? CST_ERR_PACK : error;
    Added added;
    if ((error = read_pack(owned->pack, &added))) return error;
    return commit(std::move(owned), &added);
}

int Engine::read_pack(const Pack &pack, Added *added) const {
    PackRecords records;
    records.pack = &pack;
    std::vector<Algorithm *> fresh;  // NULL where an earlier pack has the algorithm
    for (uint32_t i = 0; i < pack.n_algorithms(); i++) {
        auto algorithm = std::make_unique<Algorithm>();
        if (int error = pack.algorithm(i, &algorithm->record)) return error;
        algorithm->usable = suites_know(algorithm->record) && (legacy_ || !algorithm->record.legacy());
        const Algorithm *known = nullptr;
        for (const auto &other : algorithms_)
            if (strcmp(other->record.name, algorithm->record.name) == 0) known = other.get();
        if (known && !same_algorithm(known->record, algorithm->record)) return CST_ERR_PACK;
        fresh.push_back(known ? nullptr : algorithm.get());
        records.algorithms.push_back(known ? known : algorithm.get());
        if (!known) added->algorithms.push_back(std::move(algorithm));
    }
    for (uint32_t i = 0; i < pack.n_algorithms(); i++) {
        AlgorithmRecord record;
        if (int error = pack.algorithm(i, &record)) return error;
        const Algorithm *base = records.algorithms[record.base ? record.base - 1 : i];
        if (fresh[i]) fresh[i]->base = base;
        if (records.algorithms[i]->base != base) return CST_ERR_PACK;
    }
    records.programs.resize(pack.n_programs());
    for (uint32_t i = 0; i < pack.n_programs(); i++)
        if (int error = pack.program(i, &records.programs[i])) return error;
    CostRecord costs;
    const bool has_costs = find_costs(pack, cpu_.microarchitecture, &costs);
    const TableName table(has_costs ? costs.microarchitecture : "");
    added->cost_table = table.microarchitecture;
    added->message_cost = cst::message_cost(has_costs ? costs.centicycles_per_message : 0, table.derived);
    std::vector<const CostEntry *> entry(pack.n_kernels(), nullptr);
    if (has_costs)
        for (const CostEntry &e : costs.entries)
            if (e.kernel < entry.size()) entry[e.kernel] = &e;
    for (uint32_t i = 0; i < pack.n_kernels(); i++) {
        auto variant = std::make_unique<Variant>();
        KernelRecord kernel;
        if (int error = pack.kernel(i, &kernel)) return error;
        if (!legacy_ && (strstr(kernel.name, "vartime") || has_legacy(records, kernel))) continue;
        if (int error = describe_variant(records, i, kernel, variant.get())) return error;
        if (find(variant->name)) continue;  // the first pack wins
        variant->runnable = (variant->features & ~cpu_.features) == 0 && (jit_ || cache_->obtainable(variant->name));
        Cost cost = variant->estimate = estimate_cost(records, kernel);
        if (entry[i]) cost = table_cost(*entry[i], table.derived, variant->estimate);
        bool known;
        if (int error = look_up(measured_, *variant, &known, &cost)) return error;
        variant->set_cost(cost);
        added->variants.push_back(std::move(variant));
    }
    added->families = families_;
    for (const auto &variant : added->variants)
        if (variant->for_suites())
            added->families[{variant->role, variant->cipher.algorithm, variant->hash.algorithm}].add(variant.get());
    return CST_OK;
}

int Engine::commit(std::unique_ptr<OwnedPack> pack, Added *added) {
    packs_.reserve(packs_.size() + 1);
    algorithms_.reserve(algorithms_.size() + added->algorithms.size());
    variants_.reserve(variants_.size() + added->variants.size());
    if (int error = cache_->add(&pack->pack)) return error;
    packs_.push_back(std::move(pack));
    for (auto &algorithm : added->algorithms) algorithms_.push_back(std::move(algorithm));
    for (auto &variant : added->variants) {
        most_state_bytes_ = std::max(most_state_bytes_, size_t(variant->state_bytes));
        variants_.push_back(std::move(variant));
    }
    settle_weaves(variants_);
    cost_generation_++;
    families_ = std::move(added->families);
    if (cost_table_.empty()) {
        cost_table_ = std::move(added->cost_table);
        message_cost_ = added->message_cost;
    }
    return CST_OK;
}

const std::vector<const Pack *> &Engine::packs() const { return cache_->packs(); }

void Engine::go_back(Mark *mark) noexcept {
    while (cache_->packs().size() > mark->packs) cache_->remove_last();
    variants_.resize(mark->variants);
    settle_weaves(variants_);
    cost_generation_++;
    algorithms_.resize(mark->algorithms);
    packs_.resize(mark->packs);
    most_state_bytes_ = mark->most_state_bytes;
    families_ = std::move(mark->families);
    cost_table_ = std::move(mark->cost_table);
    message_cost_ = mark->message_cost;
}

int Engine::look_up(const std::vector<KernelCost> &costs, const Variant &variant, bool *known, Cost *cost) {
    *known = false;
    const auto found = std::lower_bound(costs.begin(), costs.end(), variant.name,
                                        [](const KernelCost &c, const char *name) { return c.name < name; });
    if (found == costs.end() || found->name != variant.name) return CST_OK;
    uint64_t code;
    if (int error = code_digest(*variant.pack, variant.index, &code)) return error;
    *known = found->code == code;
    if (*known) *cost = found->cost();
    return CST_OK;
}

int Engine::take_costs(std::vector<KernelCost> costs) {
    auto by_name = [](const KernelCost &a, const KernelCost &b) { return a.name < b.name; };
    costs.insert(costs.end(), measured_.begin(), measured_.end());
    std::stable_sort(costs.begin(), costs.end(),
                     by_name);  // of two with one name, the given cost comes before the known one
    costs.erase(std::unique(costs.begin(), costs.end(),
                            [](const KernelCost &a, const KernelCost &b) { return a.name == b.name; }),
                costs.end());
    std::vector<std::pair<Variant *, Cost>> changes;
    for (const auto &variant : variants_) {
        bool known;
        Cost cost;
        if (int error = look_up(costs, *variant, &known, &cost)) return error;
        if (known) changes.emplace_back(variant.get(), cost);
    }
    for (const auto &change : changes) change.first->set_cost(change.second);
    settle_weaves(variants_);
    cost_generation_++;
    measured_ = std::move(costs);
    return CST_OK;
}

void Engine::take_table(const std::string &name, uint32_t message, const std::vector<KernelCost> &costs) {
    const TableName table(name);
    message_cost_ = cst::message_cost(message, table.derived);
    std::map<std::string, const KernelCost *> known;
    for (const KernelCost &kernel : costs) known[kernel.name] = &kernel;
    cpu_.microarchitecture = table.microarchitecture;
    cost_table_ = known.empty() ? "" : table.microarchitecture;
    for (const auto &variant : variants_) {
        const auto found = known.find(variant->name);
        Cost cost = variant->estimate;
        if (found != known.end()) {
            const KernelCost &kernel = *found->second;
            cost = table_cost({0, kernel.centicycles_per_iteration, kernel.centicycles_per_call}, table.derived, cost);
        }
        variant->set_cost(cost);
    }
    settle_weaves(variants_);
    cost_generation_++;
}

std::string Engine::costs_from() const {
    const bool some = std::any_of(variants_.begin(), variants_.end(),
                                  [](const auto &variant) { return variant->for_suites() && variant->cost.here; });
    if (some && all_measured()) return "calibrated on this machine";
    const std::string table = cost_table_.empty() ? "generic" : cost_table_;
    return some ? table + " + calibrated" : table;
}

bool Engine::all_measured() const {
    return std::all_of(variants_.begin(), variants_.end(),
                       [](const auto &variant) { return !variant->for_suites() || variant->cost.here; });
}

bool Engine::has(const char *feature) const { return (cpu_.features & feature_bit(feature, strlen(feature))) != 0; }

const Variant *Engine::find(const char *kernel_name) const {
    for (const auto &variant : variants_)
        if (strcmp(variant->name, kernel_name) == 0) return variant.get();
    return nullptr;
}

int Engine::fetch(const Variant &variant, const Kernel **out) const {
    *out = variant.kernel.load(std::memory_order_acquire);
    if (*out) return CST_OK;
    if (variant.features & ~cpu_.features) return CST_ERR_UNSUPPORTED;
    // What a call has left in registers would go to the stack: the dynamic linker stores all vectors when a symbol is
    // used for the first time, as those of exceptions are where memory is refused.
    clear_registers(cpu_.registers);
    int error = cache_->get(variant.pack, variant.index, out);
    if (error) {
        if (error != CST_ERR_MEMORY) variant.refused.store(true, std::memory_order_relaxed);
        return error;
    }
    if (!variant.calls.make()) return CST_ERR_MEMORY;
    variant.kernel.store(*out, std::memory_order_release);
    return CST_OK;
}

int Engine::fetch_all(const char *kernel, const std::function<bool(const Variant &)> &fits,
                      std::vector<const Variant *> *out) const {
    int error = kernel ? CST_ERR_NAME : CST_ERR_UNSUPPORTED;
    for (const auto &v : variants_) {
        if (!fits(*v) || (kernel && strcmp(kernel, v->name) != 0)) continue;
        const Kernel *code;
        const int its = v->runnable ? fetch(*v, &code) : CST_ERR_UNSUPPORTED;
        if (its == CST_ERR_MEMORY) return its;
        if (its) error = its;
        else out->push_back(v.get());
    }
    return out->empty() ? error : CST_OK;
}

Family Engine::family(Role role, const Algorithm *cipher, const Algorithm *hash) const {
    const auto found = families_.find({role, cipher, hash});
    return found == families_.end() ? Family() : found->second;
}

}  // namespace cst
