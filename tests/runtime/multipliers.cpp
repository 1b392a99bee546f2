// Digits of multipliers, entries of tables, and inverses, of numbers that are given, one line for each:
//     inverse M A            1 / A modulo M
//     order BITS A           digits of A, modulo the order of Ed25519's base point, of so many bits
//     sparse WIDTH A         digits of A in the non-adjacent form of that width, up to the highest that is not 0
//     odd BITS A             the odd digits of A modulo P-256's order, 4, 5 or 6 bits, whose sum is A or the order less
//     entry WORDS N I        1 if both ways to read entry I, of N entries of 8, 12 or 20 words, read it; else 0
// Numbers are hexadecimal; what is printed is decimal, the lowest digit first.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "public_key/numbers/digits.hpp"
#include "public_key/numbers/inverse256.hpp"
#include "public_key/numbers/scalar25519.hpp"
#include "public_key/p256_digits.hpp"

using namespace cst;

namespace {

Number256 number(const std::string &text) {
    const std::string all = std::string(64 - text.size(), '0') + text;
    Number256 out;
    for (size_t i = 0; i < 4; i++) out.word[3 - i] = strtoull(all.substr(16 * i, 16).c_str(), nullptr, 16);
    return out;
}

template <typename Digits>
void print_odd(const Number256 &a) {
    const Digits digits(a);
    for (size_t i = 0; i < Digits::DIGITS; i++)
        printf("%d ", (digits.negative(i) ? -1 : 1) * (2 * int(digits.index(i)) + 1));
}

template <size_t WORDS>
bool is_read(size_t entries, size_t index, bool avx2) {
    std::vector<uint64_t> table(entries * WORDS), out(WORDS, 7);
    for (size_t i = 0; i < table.size(); i++) table[i] = (i + 1) * 0x9e3779b97f4a7c15;
    read_entry<WORDS>(table.data(), entries, index, avx2, out.data());
    return !memcmp(out.data(), &table[index * WORDS], WORDS * sizeof(out[0]));
}

template <size_t WORDS>
void print_read(size_t entries, size_t index) {
    printf("%d",
           is_read<WORDS>(entries, index, false) && is_read<WORDS>(entries, index, __builtin_cpu_supports("avx2")));
}

}  // namespace

int main() {
    char what[16], first[80], second[80], third[80] = "";
    while (scanf("%15s %79s %79s", what, first, second) == 3) {
        const std::string name = what;
        const size_t n = strtoul(first, nullptr, 10);
        if (name == "inverse") {
            const Number256 made = inverse256(number(second), number(first));
            printf("0x%016lx%016lx%016lx%016lx", made.word[3], made.word[2], made.word[1], made.word[0]);
        } else if (name == "order") {
            Scalar25519 a;
            const Number256 its = number(second);
            memcpy(&a, &its, sizeof(a));
            std::vector<int8_t> digits(256 / n);
            put_digits(a, unsigned(n), digits.data());
            for (const int digit : digits) printf("%d ", digit);
        } else if (name == "sparse") {
            const SparseDigits digits(number(second).word, unsigned(n));
            for (size_t i = 0; i < digits.end(); i++) printf("%d ", digits[i]);
        } else if (name == "odd") {
            if (n == P256Digits::BITS) print_odd<P256Digits>(number(second));
            else if (n == P256SingleDigits::BITS) print_odd<P256SingleDigits>(number(second));
            else print_odd<P256CombDigits>(number(second));
        } else if (name == "entry" && scanf("%79s", third) == 1) {
            const size_t entries = strtoul(second, nullptr, 10), index = strtoul(third, nullptr, 10);
            if (n == 8) print_read<8>(entries, index);
            else if (n == 12) print_read<12>(entries, index);
            else print_read<20>(entries, index);
        } else {
            return 1;
        }
        printf("\n");
    }
    return 0;
}
