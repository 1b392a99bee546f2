// What was remembered for a question, and nothing else, comes back for it; whoever writes meanwhile.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "select/last_choice.hpp"
#include "select/lineup_memo.hpp"

using cst::LineupMemo;

namespace {

void check(bool right, const char *what) {
    if (right) return;
    printf("FAILED: %s\n", what);
    exit(1);
}

// Any change of a question changes its answer.
LineupMemo::Answer answer_to(const LineupMemo::Question &question) {
    LineupMemo::Answer answer = {};
    for (size_t i = 0; i < answer.size(); i++) {
        answer[i] = i + 1;
        for (uint64_t word : question) answer[i] = (answer[i] ^ word) * 0x9e3779b97f4a7c15u;
    }
    return answer;
}

LineupMemo::Question question_of(uint64_t number) {
    return {number % 7, number % 64 << 8 | number % 5, number, number / 3};
}

void forgetful_but_right() {
    const auto memo = std::make_unique<LineupMemo>();
    size_t known = 0;
    LineupMemo::Answer answer;
    for (uint64_t number = 0; number < 200000; number++) {
        const LineupMemo::Question question = question_of(number);
        memo->remember(question, answer_to(question));
        check(memo->recall(question, &answer) && answer == answer_to(question), "what came last is known");
        LineupMemo::Question other = question_of(number / 2);
        if (memo->recall(other, &answer)) {
            known++;
            check(answer == answer_to(other), "another answer came back");
        }
        other[number % 4] ^= uint64_t(1) << number % 64;
        if (memo->recall(other, &answer)) check(answer == answer_to(other), "an answer to a question nearby came back");
    }
    check(known > 0, "some older answers are known");
    memo->forget();
    for (uint64_t number = 0; number < 200000; number++)
        check(!memo->recall(question_of(number), &answer), "forgotten");
}

void by_many_threads() {
    const auto memo = std::make_unique<LineupMemo>();
    std::atomic<uint64_t> known{0};
    std::vector<std::thread> threads;
    for (uint64_t thread = 0; thread < 4; thread++)
        threads.emplace_back([&, thread] {
            LineupMemo::Answer answer;
            for (uint64_t i = 0; i < 100000; i++) {
                const LineupMemo::Question mine = question_of(i * (thread + 1) % 3000), other = question_of(i % 3000);
                memo->remember(mine, answer_to(mine));
                if (!memo->recall(other, &answer)) continue;
                check(answer == answer_to(other), "a torn or foreign answer came back");
                known++;
            }
        });
    for (std::thread &thread : threads) thread.join();
    check(known > 0, "answers are known across threads");
}

void one_word() {
    using cst::LastChoice;
    const cst::Variant variants[3] = {};
    cst::Family family;
    for (const cst::Variant &variant : variants) family.variants.push_back(&variant);
    const LastChoice::Question asked = {1000, 7, true, 3};
    LastChoice last;
    check(!last.recall(family, asked), "nothing is known at first");
    for (const cst::Variant &variant : variants) {
        last.remember(family, asked, &variant);
        check(last.recall(family, asked) == &variant, "what came last is known");
    }
    for (const LastChoice::Question &other :
         {LastChoice::Question{1001, 7, true, 3}, LastChoice::Question{1000 + (uint64_t(1) << 32), 7, true, 3},
          LastChoice::Question{1000, 8, true, 3}, LastChoice::Question{1000, 7 + 256, true, 3},
          LastChoice::Question{1000, 7, false, 3}, LastChoice::Question{1000, 7, true, 4}})
        check(!last.recall(family, other), "an answer to another question came back");
    check(!LastChoice(last).recall(family, asked), "a copy knows nothing");
    family.variants.pop_back();
    check(!last.recall(family, asked), "a kernel that is gone came back");
    last.remember(family, {uint64_t(1) << 32, 1, true, 3}, variants);
    check(!last.recall(family, {0, 1, true, 3}), "a length that does not fit was remembered");
}

}  // namespace

int main() {
    one_word();
    forgetful_but_right();
    by_many_threads();
    printf("passed\n");
    return 0;
}
