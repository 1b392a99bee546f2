// What was decided last about a family's kernels: programs that seal one message after the other ask the same again and
// again. One word, which is compared whole; lock-free.
#pragma once

#include <atomic>
#include <cstdint>

#include "dispatch.hpp"

namespace cst {

class LastChoice {
public:
    // So many messages with texts of so many bytes; `short_aad` as in Need. `generation`: of the costs.
    struct Question {
        uint64_t bytes;
        size_t messages;
        bool short_aad;
        uint16_t generation;
    };

    LastChoice() = default;
    LastChoice(const LastChoice &) {}  // a copy has decided nothing
    LastChoice &operator=(const LastChoice &) {
        word_.store(0, std::memory_order_relaxed);
        return *this;
    }

    // One of the family's kernels; NULL: something else was asked last.
    const Variant *recall(const Family &family, const Question &question) const {
        const uint64_t word = word_.load(std::memory_order_acquire);
        const size_t index = word >> VARIANT;
        if (!index || index > family.variants.size() || !fits(question)) return nullptr;
        return word == word_of(question, index) ? family.variants[index - 1] : nullptr;
    }
    void remember(const Family &family, const Question &question, const Variant *variant) {
        for (size_t i = 0; fits(question) && i < family.variants.size() && i < VARIANTS; i++)
            if (family.variants[i] == variant) word_.store(word_of(question, i + 1), std::memory_order_release);
    }

private:
    // From the lowest bit: bytes, generation, messages, short AAD, the kernel's index + 1 (0: none).
    static constexpr int GENERATION = 32, MESSAGES = 48, SHORT_AAD = 56, VARIANT = 57;
    static constexpr size_t VARIANTS = (size_t(1) << (64 - VARIANT)) - 1;

    static bool fits(const Question &question) {
        return question.bytes <= UINT32_MAX && question.messages <= UINT8_MAX;
    }
    static uint64_t word_of(const Question &question, uint64_t index) {
        return question.bytes | uint64_t(question.generation) << GENERATION | uint64_t(question.messages) << MESSAGES |
               uint64_t(question.short_aad) << SHORT_AAD | index << VARIANT;
    }

    std::atomic<uint64_t> word_ = 0;
};

}  // namespace cst
