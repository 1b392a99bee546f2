#include "cache.hpp"

#include <chrono>
#include <cstring>
#include <new>

#include "frame.hpp"

namespace cst {

namespace {

#ifdef _WIN32
constexpr Abi NATIVE_ABI = Abi::win64;
#else
constexpr Abi NATIVE_ABI = Abi::sysv;
#endif

const cst_static_kernel *find_static(const char *name) {
    for (size_t i = 0; i < cst_static_kernel_count; i++)
        if (std::strcmp(cst_static_kernels[i].name, name) == 0) return &cst_static_kernels[i];
    return nullptr;
}

int use_static(Kernel *kernel) {
    // A foreign kernel of the same name is another kernel.
    const cst_static_kernel *entry = kernel->pack->origin() == Origin::built_in ? find_static(kernel->name) : nullptr;
    if (entry == nullptr || entry->streams != kernel->streams.size()) return CST_ERR_JIT;
    kernel->origin = KernelOrigin::static_object;
    kernel->fn = entry->fn;
    std::memcpy(&kernel->code, &entry->fn, sizeof kernel->code);
    kernel->code_bytes = entry->code_bytes;
    return CST_OK;
}

int use_jit(Kernel *kernel) {
    auto start = std::chrono::steady_clock::now();
    std::vector<uint8_t> code;
    if (int error = build_kernel(*kernel->pack, kernel->index, NATIVE_ABI, &code, &kernel->frame)) return error;
    if (int error = publish_code(code.data(), code.size(), &kernel->pages)) return error;
    auto elapsed = std::chrono::steady_clock::now() - start;
    kernel->origin = KernelOrigin::jit;
    kernel->code = static_cast<const uint8_t *>(kernel->pages.base);
    kernel->code_bytes = code.size();
    std::memcpy(&kernel->fn, &kernel->pages.base, sizeof kernel->fn);
    kernel->assembled_ns = uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
    return CST_OK;
}

}  // namespace

int describe_kernel(const Pack *pack, uint32_t index, Kernel *out) {
    KernelRecord record;
    if (int error = pack->kernel(index, &record)) return error;
    out->pack = pack;
    out->index = index;
    out->name = record.name;
    out->target = record.target;
    out->features = record.features;
    out->lag = 0;
    out->streams.resize(record.n_streams);
    for (uint32_t i = 0; i < record.n_streams; i++) {
        KernelStream &stream = out->streams[i];
        if (int error = pack->program(record.streams[i].program, &stream.program)) return error;
        if (int error = pack->algorithm(stream.program.algorithm, &stream.algorithm)) return error;
        stream.ratio = record.streams[i].ratio;
        stream.lead = record.streams[i].lead;
        stream.lag = record.streams[i].lag;
        if (stream.lag > out->lag) out->lag = stream.lag;
    }
    return CST_OK;
}

Cache::~Cache() {
    while (!packs_.empty()) remove_last();
}

int Cache::add(const Pack *pack) {
    try {
        std::unique_ptr<Slot[]> slots(new Slot[pack->n_kernels()]());
        packs_.reserve(packs_.size() + 1);
        slots_.reserve(slots_.size() + 1);
        packs_.push_back(pack);
        slots_.push_back(std::move(slots));
        return CST_OK;
    } catch (const std::bad_alloc &) {
        return CST_ERR_MEMORY;
    }
}

int Cache::get(const char *name, const Kernel **out) {
    for (const Pack *pack : packs_) {
        uint32_t index;
        int error = pack->find_kernel(name, &index);
        if (error == CST_OK) return get(pack, index, out);
        if (error != CST_ERR_NAME) return error;
    }
    return CST_ERR_NAME;
}

int Cache::get(const Pack *pack, uint32_t index, const Kernel **out) {
    for (size_t p = 0; p < packs_.size(); p++) {
        if (packs_[p] != pack || index >= pack->n_kernels()) continue;
        Slot &slot = slots_[p][index];
        if ((*out = slot.load(std::memory_order_acquire)) != nullptr) return CST_OK;
        try {
            std::unique_ptr<Kernel> kernel(new Kernel());
            if (int error = make(pack, index, kernel.get())) return error;
            if (kernel->origin == KernelOrigin::jit)
                kernel->announced = announce_kernel(kernel->name, kernel->code, kernel->code_bytes, kernel->frame);
            const Kernel *winner = nullptr;
            if (slot.compare_exchange_strong(winner, kernel.get(), std::memory_order_acq_rel))
                winner = kernel.release();
            *out = winner;
            return CST_OK;
        } catch (const std::bad_alloc &) {
            return CST_ERR_MEMORY;
        }
    }
    return CST_ERR_NAME;
}

int Cache::make(const Pack *pack, uint32_t index, Kernel *kernel) const {
    if (int error = describe_kernel(pack, index, kernel)) return error;
    int error = jit_ && !frozen_ ? use_jit(kernel) : CST_ERR_JIT;
    return error == CST_ERR_JIT ? use_static(kernel) : error;
}

bool Cache::obtainable(const char *name) const {
    if (!jit_) return find_static(name) != nullptr;
    int works = pages_work_.load(std::memory_order_relaxed);
    if (works == UNKNOWN) pages_work_.store(works = code_pages_work(), std::memory_order_relaxed);
    return works || find_static(name) != nullptr;
}

}  // namespace cst
