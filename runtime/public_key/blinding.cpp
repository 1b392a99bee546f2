#include "blinding.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

namespace cst {
namespace {

// A thread that only yields would wait for ever for one of lower priority.
void wait(int times) {
    constexpr int YIELDS = 100;
    if (times < YIELDS) std::this_thread::yield();
    else std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// An odd number above 1 that no other process has: processes with the same id begin at different times.
uint64_t number_of(int process) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return (uint64_t(unsigned(process)) << 32 ^ uint64_t(now)) | 3;
}

}  // namespace

void Blinding::begin(const BlindingFactors &first) {
    of_[0] = first;
    process_ = int(getpid());
}

void Blinding::next(const BlindingModuli &moduli, BlindingFactors *out) {
    const int self = int(getpid());
    int holder = 0;
    // The holder can be waited for only if it is a thread of this process.
    for (int times = 0; !holder_.compare_exchange_weak(holder, self, std::memory_order_acquire); times++) {
        if (holder != self) continue;
        wait(times);
        holder = 0;
    }
    if (process_ != self) depart(moduli, self);
    multiply(moduli, nullptr);
    *out = of_[current_.load(std::memory_order_relaxed)];
    holder_.store(0, std::memory_order_release);
}

// The product of a R and b R is a b R times what the kernels' R is larger than that of the modulus.
void Blinding::multiply(const BlindingModuli &moduli, const BlindingFactors *by) {
    const uint64_t now = current_.load(std::memory_order_relaxed);
    const BlindingFactors &from = of_[now];
    BlindingFactors &to = of_[1 - now];
    if (!by) by = &from;
    for (size_t i = 0; i < 2; i++) {
        const Modulus &modulus = i ? moduli.q : moduli.p;
        modulus.multiply(from.blind[i], by->blind[i], to.blind[i]);
        modulus.multiply(from.unblind[i], by->unblind[i], to.unblind[i]);
        modulus.shift_down(to.blind[i], moduli.larger);
        modulus.shift_down(to.unblind[i], moduli.larger);
    }
    current_.store(1 - now, std::memory_order_release);
}

// Raises the factors to a number of the process: they are no power of two of what the other process has.
void Blinding::depart(const BlindingModuli &moduli, int process) {
    const uint64_t exponent = number_of(process);
    const BlindingFactors base = of_[current_.load(std::memory_order_relaxed)];
    for (unsigned bit = 63 - unsigned(__builtin_clzll(exponent)); bit--;) {
        multiply(moduli, nullptr);
        if (exponent >> bit & 1) multiply(moduli, &base);
    }
    process_ = process;
}

}  // namespace cst
