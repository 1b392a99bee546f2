// leaves.txt, and its CPUs as sources of CPUID. See README.md.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "select/cpu.hpp"

namespace dump {

using Registers = std::array<uint32_t, 4>;

struct Dump {
    std::string name;
    std::map<std::pair<uint32_t, uint32_t>, Registers> leaves;  // by leaf and subleaf
    bool has_xcr0 = false;
    uint64_t xcr0 = 0;
};

[[noreturn]] inline void refuse(const std::string &why) {
    fprintf(stderr, "%s\n", why.c_str());
    exit(2);
}

inline std::pair<uint32_t, uint32_t> leaf_of(const std::string &text) {
    const size_t dot = text.find('.');
    const uint32_t subleaf = dot == std::string::npos ? 0 : uint32_t(std::stoul(text.substr(dot + 1), nullptr, 16));
    return {uint32_t(std::stoul(text.substr(0, dot), nullptr, 16)), subleaf};
}

inline uint32_t *register_of(Registers *registers, const std::string &name) {
    const char *names[] = {"eax", "ebx", "ecx", "edx"};
    for (size_t i = 0; i < 4; i++)
        if (name == names[i]) return &(*registers)[i];
    refuse("no register " + name);
}

inline std::vector<Dump> read(const char *path) {
    std::ifstream file(path);
    if (!file) refuse(std::string("cannot read ") + path);
    std::vector<Dump> dumps;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string word, leaf, name;
        if (!(words >> word) || word[0] == '#' || word == "from" || word == "assumed") continue;
        if (word == "cpu") {
            dumps.emplace_back();
            words >> dumps.back().name;
            continue;
        }
        Dump &dump = dumps.back();
        if (word == "like") {
            words >> name;
            bool found = false;
            for (size_t i = 0; i + 1 < dumps.size(); i++) {
                if (dumps[i].name != name) continue;
                dump.leaves = dumps[i].leaves;
                found = true;
            }
            if (!found) refuse("no CPU " + name);
        } else if (word == "xcr0") {
            dump.has_xcr0 = bool(words >> std::hex >> dump.xcr0);
        } else if (word == "set" || word == "clear") {
            words >> leaf >> name;
            uint32_t *value = register_of(&dump.leaves[leaf_of(leaf)], name);
            for (unsigned bit; words >> bit;) *value = word == "set" ? *value | 1u << bit : *value & ~(1u << bit);
        } else {
            if (word == "leaf") words >> word;
            Registers &registers = dump.leaves[leaf_of(word)];
            for (uint32_t &value : registers)
                if (!(words >> std::hex >> value)) refuse("four registers wanted: " + line);
        }
    }
    return dumps;
}

inline const Dump *current = nullptr;

inline Registers leaf(uint32_t number, uint32_t subleaf) {
    const auto found = current->leaves.find({number, subleaf});
    return found == current->leaves.end() ? Registers{} : found->second;
}

// Out of range, Intel CPUs answer with their highest basic leaf, others with zeros (SDM volume 2A, CPUID).
inline void cpuid(uint32_t number, uint32_t subleaf, uint32_t *registers) {
    const Registers first = leaf(0, 0);
    const bool intel = first[1] == 0x756e6547;
    Registers answer = leaf(number, subleaf);
    if (number < 0x80000000u && number > first[0]) answer = intel ? leaf(first[0], 0) : Registers{};
    if (number > 0x80000000u && number > leaf(0x80000000u, 0)[0]) answer = intel ? leaf(first[0], 0) : Registers{};
    memcpy(registers, answer.data(), sizeof(answer));
}

inline uint64_t xcr0() {
    if (!(leaf(1, 0)[2] >> 27 & 1)) refuse("XGETBV without OSXSAVE: that is a fault");
    return current->has_xcr0 ? current->xcr0 : leaf(0xd, 0)[0];  // an operating system that enables all that there is
}

inline cst::CpuLeaves leaves(const Dump &dump) {
    current = &dump;
    return cst::read_cpu({cpuid, xcr0});
}

inline cst::Cpu cpu(const Dump &dump) { return cst::decode_cpu(leaves(dump)); }

}  // namespace dump
