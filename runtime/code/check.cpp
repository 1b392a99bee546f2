#include "check.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "cryptostitch/cryptostitch.h"

namespace cst {

namespace {

constexpr size_t MAX_NAME = 127;  // cst_choice.kernel holds one and its terminator

// Printable, without spaces: names are shown and compared.
bool is_name(const char *text) {
    size_t n = 0;
    for (; text[n]; n++)
        if (n == MAX_NAME || text[n] < '!' || text[n] > '~') return false;
    return n != 0;
}

int check_names(std::vector<const char *> names, const char *what, std::string *why) {
    for (const char *name : names)
        if (!is_name(name)) return refuse(why, "a %s has a name that is empty, too long or not printable", what);
    std::sort(names.begin(), names.end(), [](const char *a, const char *b) { return std::strcmp(a, b) < 0; });
    for (size_t i = 1; i < names.size(); i++)
        if (std::strcmp(names[i - 1], names[i]) == 0) return refuse(why, "two of its %ss are called %s", what, names[i]);
    return CST_OK;
}

}  // namespace

int refuse(std::string *why, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *why = text;
    return CST_ERR_PACK;
}

int check_pack(const Pack &pack, std::string *why) {
    std::vector<const char *> names;
    for (uint32_t i = 0; i < pack.n_mnemonics(); i++) {
        const char *text;
        if (pack.mnemonic(i, &text)) return refuse(why, "mnemonic %u is damaged", i);
        names.push_back(text);
    }
    if (int error = check_names(std::move(names), "mnemonic", why)) return error;
    std::vector<AlgorithmRecord> algorithms(pack.n_algorithms());
    names.clear();
    for (uint32_t i = 0; i < pack.n_algorithms(); i++) {
        if (pack.algorithm(i, &algorithms[i])) return refuse(why, "the record of algorithm %u is damaged", i);
        if (!is_name(algorithms[i].suite)) return refuse(why, "algorithm %u has a suite without a proper name", i);
        names.push_back(algorithms[i].name);
    }
    if (int error = check_names(std::move(names), "algorithm", why)) return error;
    std::vector<ProgramFacts> facts(pack.n_programs());
    names.clear();
    uint64_t code_bytes = 0;
    for (uint32_t i = 0; i < pack.n_programs(); i++) {
        ProgramRecord record;
        if (pack.program(i, &record)) return refuse(why, "the record of program %u is damaged", i);
        if (!is_name(record.name) || !is_name(record.stream)) return refuse(why, "program %u has no proper name", i);
        names.push_back(record.name);
        code_bytes += record.code_bytes;  // records that share their bytes would make the work quadratic
        if (code_bytes > pack.size()) return refuse(why, "its programs overlap");
        if (int error = check_layout(record, algorithms[record.algorithm], why)) return error;
        if (int error = check_program(pack, record, &facts[i], why)) return error;
    }
    if (int error = check_names(std::move(names), "program", why)) return error;
    names.clear();
    for (uint32_t i = 0; i < pack.n_kernels(); i++) {
        KernelRecord kernel;
        if (pack.kernel(i, &kernel)) return refuse(why, "the record of kernel %u is damaged", i);
        if (!is_name(kernel.target)) return refuse(why, "kernel %u has a target without a proper name", i);
        names.push_back(kernel.name);
        if (int error = check_kernel(pack, kernel, facts.data(), why)) return error;
    }
    if (int error = check_names(std::move(names), "kernel", why)) return error;
    CostRecord cost;
    for (uint32_t i = 0; i < pack.n_costs(); i++)
        if (pack.cost(i, &cost)) return refuse(why, "cost table %u is damaged", i);
    return CST_OK;
}

}  // namespace cst
