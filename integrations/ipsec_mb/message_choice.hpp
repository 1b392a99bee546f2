// Which kernel takes a message whole, remembered by the message's blocks: to ask takes as long as a short message.
#pragma once

#include <atomic>

#include "library.hpp"
#include "run/lineup.hpp"

namespace cst::imb {

// Of the suites of a cipher, by the bytes of their keys. Costs do not change while a process runs.
class MessageChoice {
public:
    explicit constexpr MessageChoice(Cipher cipher) : cipher_(cipher) {}

    // NULL: there is none, or the parts one after the other take less. The kernel's code is there.
    const Variant *of(uint64_t key_bytes, bool opens, uint64_t bytes, uint64_t aad_bytes) {
        const uint64_t blocks = (bytes + BLOCK - 1) / BLOCK;
        if (blocks > MOST_BLOCKS) return ask(key_bytes, opens, blocks, aad_bytes);
        Known &known = known_[key_bytes / 8 - 2][opens][aad_bytes <= SHORT_MESSAGE_AAD][blocks];
        const Variant *const v = known.load(std::memory_order_acquire);
        return v ? v : ask_first(&known, key_bytes, opens, blocks, aad_bytes);
    }

private:
    static constexpr uint64_t BLOCK = 16, MOST_BLOCKS = 128;
    typedef std::atomic<const Variant *> Known;

    const Variant *ask(uint64_t key_bytes, bool opens, uint64_t blocks, uint64_t aad_bytes) const {
        const Suite *const suite = cipher_suite(cipher_, key_bytes);
        const uint64_t bytes = blocks * BLOCK;
        return suite ? choose_message(*suite, opens, 1, bytes, bytes, aad_bytes).variant : nullptr;
    }
    __attribute__((noinline)) const Variant *ask_first(Known *known, uint64_t key_bytes, bool opens, uint64_t blocks,
                                                       uint64_t aad_bytes) const {
        const Variant *const v = ask(key_bytes, opens, blocks, aad_bytes);
        known->store(v, std::memory_order_release);
        return v;
    }

    const Cipher cipher_;
    Known known_[3][2][2][MOST_BLOCKS + 1] = {};
};

}  // namespace cst::imb
