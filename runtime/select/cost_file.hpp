// Costs measured on this machine, as a file. It only influences speed; whatever it holds, no kernel runs that would not
// run without it.
//
//     cryptostitch costs 1
//     brand AMD EPYC 9R14
//     cpu 25 17 1
//     features sse2,pclmul,...
//     kernel sha1_x16@avx512 5f2a90c1d4e8b733 52311 41027
//     ...
//     end 0f4c7b2e9d1a6385
//
// `cpu` gives family, model and stepping; `features` lists the features after lowering; `kernel` gives its name, the
// digest of its code, and centicycles per iteration (all lanes) and per call; `end` gives FNV-1a, 64 bits, of all that
// comes before this line.
//
// Or a table, which replaces the library's own on any CPU; kernels that it lacks are estimated:
//
//     cryptostitch costs 1
//     table zen4
//     message 39000
//     kernel sha1_x16@avx512 52311 41027
//     ...
//     end 9b1de07c3344f02a
//
// `table` tells whose figures they are (~zen4: derived ones); `message`, which may be absent, gives the centicycles of
// a message that is done in steps, besides calls.
#pragma once

#include <string>
#include <vector>

#include "cost.hpp"
#include "cpu.hpp"

namespace cst {

struct CostFile {
    std::string table;  // its name; empty: costs measured on one machine, which the next members describe
    std::string brand, features;
    uint32_t family = 0, model = 0, stepping = 0;
    uint32_t message = 0;  // for tables: centicycles of a message in steps; 0: not known
    std::vector<KernelCost> kernels;  // every name occurs once

    CostFile() = default;
    CostFile(const Cpu &cpu, std::vector<KernelCost> costs);
    bool is_table() const { return !table.empty(); }
    // Whether the costs were measured on this CPU, with these features.
    bool made_on(const Cpu &cpu) const;
    std::string text() const;
};

// Parses a file's text. Returns CST_OK, or CST_ERR_COSTS for anything that text() does not write. Reads nothing after
// `text[size]`.
int parse_costs(const char *text, size_t size, CostFile *out);

// Reads a file. Returns CST_OK; CST_ERR_FILE: it cannot be read (`absent`: because it does not exist), or is not a
// regular file; CST_ERR_COSTS: see parse_costs.
int read_costs(const char *path, CostFile *out, bool *absent);

// Whether write_costs could make its file, to be known before measuring. Returns CST_OK or CST_ERR_FILE.
int try_to_write(const char *path);
// Writes the text under another name beside `path` first, so that it appears complete under its name, or not at all
// (CST_ERR_FILE). Replaces only a regular file.
int write_costs(const char *path, const std::string &text);

}  // namespace cst
