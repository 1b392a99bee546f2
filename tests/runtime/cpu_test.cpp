// CPUs that are not this one.
//   cpu_test decode FILE   of each CPU of the file: name, family, model, microarchitecture, registers, features, brand,
//   between tabs cpu_test lower TARGET  the error code, and what is left of a set that has everything

#include <cstdio>
#include <cstring>

#include "cpuid/dump.hpp"
#include "select/target.hpp"

using namespace cst;

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "lower") == 0) {
        Features features = ~Features(0);
        const int error = lower_features(argv[2], &features);
        printf("%d %s\n", error, error ? "" : feature_names(features).c_str());
        return 0;
    }
    if (argc != 3 || strcmp(argv[1], "decode") != 0) return 2;
    const char *registers[] = {"xmm", "ymm", "zmm"};
    for (const dump::Dump &one : dump::read(argv[2])) {
        const Cpu cpu = dump::cpu(one);
        printf("%s\t%x\t%x\t%s\t%s\t%s\t%s\n", one.name.c_str(), cpu.family, cpu.model, cpu.microarchitecture.c_str(),
               registers[int(cpu.registers)], feature_names(cpu.features).c_str(), cpu.brand.c_str());
    }
    return 0;
}
