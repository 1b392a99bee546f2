// Whether what ChoiceMemo remembers of one question ever answers another (memo_test): every two questions about the families of every suite, where these lie in
// memory as they do in the library. Prints how many questions there were; each confusion is a line on stderr, and the exit status 1. And whether a burst's
// two exact questions, about its length and about what a kernel leaves over of it, displace one another more often than chance has it; and whether a set of slots keeps the newest four.

#include <cstdio>
#include <vector>

#include "suite/suite.hpp"

using namespace cst;

namespace {

struct Question {
    const Family *family;
    Query query;
    bool pair;
};

std::vector<Question> questions(const Suite &suite) {
    std::vector<Question> all;
    for (const Family *family : {&suite.hashes, &suite.encrypts, &suite.decrypts, &suite.pairs, &suite.tweaks, &suite.open_pairs, &suite.handed_open_pairs}) {
        if (family->variants.empty()) continue;
        for (uint64_t bytes = 16; bytes <= 16384; bytes *= 2)
            for (size_t items : {0, 1, 8, 64})
                for (uint64_t least : {16, 64, 128})
                    for (bool one_key : {false, true}) {
                        Query query;
                        query.items = items;
                        query.bytes = bytes;
                        query.least = least;
                        query.one_key = one_key;
                        all.push_back({family, query, family == &suite.pairs});
                    }
    }
    return all;
}

size_t confusions(const Suite &suite, const std::vector<Question> &all) {
    ChoiceMemo memo;
    size_t n = 0;
    const Variant *choice;
    for (const Question &known : all) {
        memo.forget();
        memo.remember(*known.family, known.query, known.pair, known.family->variants[0]);
        for (const Question &other : all) n += &other != &known && memo.recall(*other.family, other.query, other.pair, &choice);
    }
    if (n) fprintf(stderr, "%s: %zu confusions\n", suite.name.c_str(), n);
    return n;
}

// Four questions of a set stay, however often one of them is put again.
bool doubles() {
    SlotSets<1> sets;
    for (uint64_t i = 1; i <= 4; i++) sets.put(0, i << 16 | i);
    for (int i = 0; i < 9; i++) sets.put(0, uint64_t(2) << 16 | 7);
    bool lost = sets.find(0, uint64_t(2) << 16) != (uint64_t(2) << 16 | 7);
    for (uint64_t i : {1, 3, 4}) lost |= sets.find(0, i << 16) != (i << 16 | i);
    sets.put(0, uint64_t(5) << 16 | 5);
    lost |= sets.find(0, uint64_t(1) << 16) != 0 || sets.find(0, uint64_t(5) << 16) == 0;  // the oldest goes
    if (lost) fprintf(stderr, "a set lost a question, or kept one too long\n");
    return lost;
}

bool displaced(const Family &family, uint64_t n, uint64_t bytes, uint64_t rest) {
    ChoiceMemo memo;
    memo.remember_exact(family, n | bytes << 8, family.variants[0]);
    memo.remember_exact(family, n | rest << 8, family.variants[0]);
    return !memo.recall_exact(family, n | bytes << 8);
}

// Lengths as bursts have them: some kilobytes and a block or four.
bool displace(const Family &family) {
    size_t pairs = 0, n = 0;
    for (uint64_t jobs : {1, 2, 3, 8, 16, 24, 64})
        for (uint64_t whole = 64; whole <= 65536; whole *= 2)
            for (uint64_t rest : {16, 32, 48, 64}) {
                pairs++;
                n += whole != rest && displaced(family, jobs, whole + rest, rest);
            }
    if (16 * n > pairs) fprintf(stderr, "%zu of %zu pairs of questions displace one another\n", n, pairs);
    return 16 * n > pairs;
}

}  // namespace

int main() {
    Engine engine;
    if (engine.init(nullptr, false, true)) return 2;
    Suites suites;
    suites.derive(engine);
    size_t asked = 0, wrong = doubles();
    for (const auto &suite : suites.all()) {
        const std::vector<Question> all = questions(*suite);
        asked += all.size();
        wrong += confusions(*suite, all);
        if (!suite->encrypts.variants.empty()) wrong += displace(suite->encrypts);
    }
    printf("%zu questions\n", asked);
    return wrong != 0;
}
