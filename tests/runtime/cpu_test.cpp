// CPUs that are not this one.
//   cpu_test decode FILE   of each CPU of the file: name, family, model, microarchitecture, registers, features, brand,
//   between tabs
//   cpu_test lower TARGET  the error code, and what is left of a set that has everything
//   cpu_test lesser FILE HOST  the same as decode of every lesser CPU (lesser_cpu.hpp) on a CPU of the file, after the
//   error code

#include <cstdio>
#include <cstring>

#include "cpuid/dump.hpp"
#include "select/lesser_cpu.hpp"
#include "select/target.hpp"

using namespace cst;

static void print(const std::string &name, const Cpu &cpu) {
    const char *registers[] = {"xmm", "ymm", "zmm"};
    printf("%s\t%x\t%x\t%s\t%s\t%s\t%s\n", name.c_str(), cpu.family, cpu.model, cpu.microarchitecture.c_str(),
           registers[int(cpu.registers)], feature_names(cpu.features).c_str(), cpu.brand.c_str());
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "lower") == 0) {
        Features features = ~Features(0);
        const int error = lower_features(argv[2], &features);
        printf("%d %s\n", error, error ? "" : feature_names(features).c_str());
        return 0;
    }
    const bool lesser = argc == 4 && strcmp(argv[1], "lesser") == 0;
    if (!lesser && (argc != 3 || strcmp(argv[1], "decode") != 0)) return 2;
    for (const dump::Dump &one : dump::read(argv[2])) {
        if (!lesser) print(one.name, dump::cpu(one));
        if (!lesser || one.name != argv[3]) continue;
        for (const std::string &name : lesser_cpus()) {
            CpuLeaves leaves = dump::leaves(one);
            const int error = lower_cpu(name.c_str(), &leaves);
            printf("%d\t", error);
            print(name, decode_cpu(leaves));
        }
    }
    return 0;
}
