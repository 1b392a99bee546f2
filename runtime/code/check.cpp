#include "check.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "cryptostitch/cryptostitch.h"

namespace cst {

namespace {

// Limits of entries of fields and bytes of restored code per byte of the pack, and of how often kernels may use a byte
// of a program; the default pack passes.
constexpr uint64_t MOST_ENTRIES = 8, MOST_EXPANSION = 64, MOST_USES = 64;
constexpr size_t MAX_NAME = 127;  // cst_choice.kernel holds a name and its terminator

// Whether a name is printable and without spaces, because names are shown and compared.
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
        if (std::strcmp(names[i - 1], names[i]) == 0)
            return refuse(why, "two of its %ss are called %s", what, names[i]);
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

namespace {

// Checks that known answers do not share their bytes. They may be of any suite, of several algorithms too.
int check_answers(const Pack &pack, std::string *why) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pack.n_answers(); i++) {
        AnswerRecord answer;
        if (pack.answer(i, &answer)) return refuse(why, "known answer %u is damaged", i);
        if (!is_name(answer.suite)) return refuse(why, "known answer %u is of a suite without a proper name", i);
        bytes += answer.record_bytes;
        if (bytes > pack.size()) return refuse(why, "its known answers overlap");
    }
    return CST_OK;
}

}  // namespace

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
        const char *broken;
        if (pack.algorithm(i, &algorithms[i], &broken)) {
            const AlgorithmRecord &a = algorithms[i];  // zeros where it lies outside the pack
            if (a.name && !a.known_kind())
                return refuse(why, "algorithm %u is of kind %u, which this library does not know", i, a.kind);
            if (broken && is_name(a.name)) return refuse(why, "algorithm %s: %s", a.name, broken);
            return refuse(why, "the record of algorithm %u is damaged", i);
        }
        if (!is_name(algorithms[i].suite)) return refuse(why, "algorithm %u has a suite without a proper name", i);
        names.push_back(algorithms[i].name);
    }
    if (int error = check_names(std::move(names), "algorithm", why)) return error;
    std::vector<ProgramFacts> facts(pack.n_programs());
    names.clear();
    // Records that share their bytes, and tables that say much in few bytes, would make the work far greater than the
    // pack.
    uint64_t program_bytes = 0, code_bytes = 0, entries = 0, used_bytes = 0, cost_bytes = 0;
    std::vector<uint32_t> bytes_of(pack.n_programs());
    for (uint32_t i = 0; i < pack.n_programs(); i++) {
        ProgramRecord record;
        if (pack.program(i, &record)) return refuse(why, "the record of program %u is damaged", i);
        if (!is_name(record.name) || !is_name(record.stream)) return refuse(why, "program %u has no proper name", i);
        names.push_back(record.name);
        bytes_of[i] = record.record_bytes;
        program_bytes += record.record_bytes;
        if (program_bytes > pack.size()) return refuse(why, "its programs overlap");
        code_bytes += record.code_bytes;
        if (code_bytes > MOST_EXPANSION * pack.size())
            return refuse(why, "its programs have more code than a pack of its size may");
        for (const FieldRecord &f : record.fields) entries += uint64_t(f.rows) * f.n_lanes;
        if (entries > MOST_ENTRIES * pack.size())
            return refuse(why, "its fields have more entries than a pack of its size may");
        if (algorithms[record.algorithm].base)
            return refuse(why, "program %s is of an algorithm that runs on another's", record.name);
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
        for (uint32_t s = 0; s < kernel.n_streams; s++) used_bytes += bytes_of[kernel.streams[s].program];
        if (used_bytes > MOST_USES * pack.size()) return refuse(why, "its kernels use its programs too often");
        if (int error = check_kernel(pack, kernel, facts.data(), why)) return error;
    }
    if (int error = check_names(std::move(names), "kernel", why)) return error;
    CostRecord cost;
    for (uint32_t i = 0; i < pack.n_costs(); i++) {
        if (pack.cost(i, &cost)) return refuse(why, "cost table %u is damaged", i);
        cost_bytes += 12 + 12 * uint64_t(cost.entries.size());
        if (cost_bytes > pack.size()) return refuse(why, "its cost tables overlap");
    }
    return check_answers(pack, why);
}

}  // namespace cst
