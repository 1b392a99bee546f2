// Checks a foreign pack before any of it is assembled: a small copy of generator/cryptostitch/verify in C++, stricter
// and without terms.
#pragma once

#include <string>

#include "pack.hpp"

namespace cst {

// Returns CST_OK, or CST_ERR_PACK and one sentence in *why.
int check_pack(const Pack &pack, std::string *why);

// Facts about its programs that the check of a kernel uses.
struct ProgramFacts {
    uint32_t features = 0;
    bool names_xmm0 = false, names_rdx = false;
};

int check_layout(const ProgramRecord &record, const AlgorithmRecord &algorithm, std::string *why);
int check_program(const Pack &pack, const ProgramRecord &record, ProgramFacts *facts, std::string *why);
int check_kernel(const Pack &pack, const KernelRecord &kernel, const ProgramFacts *facts, std::string *why);

// Sets *why and returns CST_ERR_PACK.
int refuse(std::string *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace cst
