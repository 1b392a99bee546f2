// Damaged files of costs: every beginning, every byte changed in several ways, every line dropped, doubled or swapped,
// and words put in that an enemy would write; each as it is and with its checksum mended. The reader must stay inside
// the text (built with sanitizers), and accepts only what the writer writes, with figures in range and every name once.
// The second word seeds a bug: "behind" reads the byte behind the text, "blind" believes what was not accepted.
//
//   cst-cost-damage FILE [behind | blind]
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"
#include "select/cost_file.hpp"

namespace {

size_t tried = 0, accepted = 0, wrong = 0;
bool read_behind = false, believe = false;

void attempt(const std::string &text) {
    tried++;
    std::unique_ptr<char[]> exact(new char[text.size() ? text.size() : 1]);
    memcpy(exact.get(), text.data(), text.size());
    if (read_behind) (void)*static_cast<volatile char *>(&exact[text.size()]);
    cst::CostFile file;
    int result = cst::parse_costs(exact.get(), text.size(), &file);
    if (believe) result = CST_OK;
    bool good = result == CST_ERR_COSTS;
    if (result == CST_OK) {
        accepted++;
        good = file.text() == text;
        std::set<std::string> names;
        for (const cst::KernelCost &kernel : file.kernels)
            good = good && names.insert(kernel.name).second && kernel.centicycles_per_iteration >= 10 &&
                   kernel.centicycles_per_iteration <= 1000000000 && kernel.centicycles_per_call <= 1000000000;
    }
    if (!good && wrong++ < 5)
        printf("wrong (%d): %.*s\n", result, int(text.size() < 400 ? text.size() : 400), text.c_str());
}

void attempt_both(const std::string &text) {
    attempt(text);
    const size_t end = text.rfind("end ");
    if (end == std::string::npos) return;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < end; i++) h = (h ^ uint8_t(text[i])) * 0x100000001b3u;
    char line[32];
    snprintf(line, sizeof(line), "end %016llx\n", static_cast<unsigned long long>(h));
    attempt(text.substr(0, end) + line);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    read_behind = argc > 2 && strcmp(argv[2], "behind") == 0;
    believe = argc > 2 && strcmp(argv[2], "blind") == 0;
    std::ifstream in(argv[1], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    attempt(text);
    if (accepted != 1) wrong++;
    for (size_t i = 0; i < text.size(); i++) {
        attempt(text.substr(0, i));
        for (char c : {char(0), '\n', ' ', '0', '9', 'f', '-', char(0x80), char(text[i] ^ 1)}) {
            std::string other = text;
            other[i] = c;
            if (other != text) attempt_both(other);
        }
    }
    std::vector<std::string> lines;
    for (size_t at = 0, stop; at < text.size(); at = stop)
        lines.push_back(text.substr(at, (stop = text.find('\n', at) + 1) - at));
    const char *numbers[] = {
        "-1", "+1", "1e3", "nan", "inf", "0x10", "1.5", "4294967296", "18446744073709551617", "99999999999999999999999",
        "00", "",   " "};
    for (size_t i = 0; i < lines.size(); i++) {
        auto join = [&](size_t place, const std::string &line) {
            std::string whole;
            for (size_t j = 0; j < lines.size(); j++) whole += j == place ? line : lines[j];
            return whole;
        };
        attempt_both(join(i, ""));
        attempt_both(join(i, lines[i] + lines[i]));
        attempt_both(join(i, "\n" + lines[i]));
        attempt_both(join(i, std::string(5000, 'x') + "\n"));
        if (i + 1 < lines.size()) {
            std::vector<std::string> before = lines;
            std::swap(lines[i], lines[i + 1]);
            attempt_both(join(lines.size(), ""));
            lines = before;
        }
        for (const char *number : numbers)
            for (size_t space = lines[i].find(' '); space != std::string::npos; space = lines[i].find(' ', space + 1)) {
                const size_t stop = lines[i].find_first_of(" \n", space + 1);
                attempt_both(join(i, lines[i].substr(0, space + 1) + number + lines[i].substr(stop)));
            }
    }
    printf("%zu texts, %zu accepted, %zu wrong\n", tried, accepted, wrong);
    return wrong != 0;
}
