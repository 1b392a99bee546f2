#include "machine.hpp"

#include <cpuid.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

namespace bench {

double cycles_per_tick() {
    double best = 0;
    for (int i = 0; i < 3; i++) { // an interrupt can only lower the result
        uint64_t count = 250, x = 0, start = ticks();
        __asm__ volatile("1:\n\t.rept 64\n\tadd %1, %0\n\t.endr\n\tdec %1\n\tjnz 1b" : "+r"(x), "+r"(count)::"cc");
        uint64_t elapsed = ticks() - start;
        best = std::max(best, 250.0 * 64 / double(elapsed));
    }
    return best;
}

static std::string name_of(const std::string &vendor, unsigned family, unsigned model) {
    if (vendor == "AuthenticAMD") {
        if (family == 0x17) return model >= 0x30 ? "zen2" : "zen1";
        if (family == 0x19) return (model >= 0x10 && model <= 0x1f) || model >= 0x60 ? "zen4" : "zen3";
        if (family == 0x1a) return "zen5";
    }
    if (vendor == "GenuineIntel" && family == 6) {
        switch (model) {
            case 0x55: return "skylake_server";
            case 0x6a:
            case 0x6c:
            case 0x7e: return "icelake";
            case 0x8f:
            case 0xcf: return "sapphire_rapids";
            case 0xad:
            case 0xae: return "granite_rapids";
        }
    }
    char text[32];
    snprintf(text, sizeof text, "%x-%x", family, model);
    return text;
}

void pin_to(int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

// "package core", the same for the threads of one core; empty where the system does not tell.
static std::string place_of(int cpu) {
    std::string place;
    for (const char *name : {"physical_package_id", "core_id"}) {
        std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" + name);
        std::string value;
        if (!(file >> value)) return "";
        place += value + " ";
    }
    return place;
}

static void find_cores(Machine &machine) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    std::set<std::string> taken;
    std::vector<int> second;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) { // from the last one: core 0 serves most interrupts
        if (!CPU_ISSET(cpu, &allowed)) continue;
        const std::string place = place_of(cpu);
        (place.empty() || taken.insert(place).second ? machine.cores : second).push_back(cpu);
    }
    machine.whole_cores = machine.cores.size();
    machine.cores.insert(machine.cores.end(), second.begin(), second.end());
}

Machine pin_and_describe() {
    Machine machine;
    find_cores(machine);
    if (!machine.cores.empty()) pin_to(machine.cores[0]);

    unsigned r[4] = {};
    char vendor[13] = {}, brand[49] = {};
    __get_cpuid(0, &r[0], &r[1], &r[2], &r[3]);
    memcpy(vendor, &r[1], 4), memcpy(vendor + 4, &r[3], 4), memcpy(vendor + 8, &r[2], 4);
    __get_cpuid(1, &r[0], &r[1], &r[2], &r[3]);
    machine.stepping = r[0] & 15;
    machine.family = (r[0] >> 8 & 15) + (r[0] >> 20 & 255);
    machine.model = (r[0] >> 4 & 15) + (r[0] >> 16 & 15) * 16;
    for (unsigned i = 0; i < 3; i++)
        if (__get_cpuid(0x80000002 + i, &r[0], &r[1], &r[2], &r[3])) memcpy(brand + 16 * i, r, 16);
    machine.brand = brand;
    machine.brand.erase(machine.brand.find_last_not_of(' ') + 1);
    machine.microarchitecture = name_of(vendor, machine.family, machine.model);

    auto begin = std::chrono::steady_clock::now();
    uint64_t start = ticks();
    double ns;
    do ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    while (ns < 2e7);
    machine.tsc_ghz = double(ticks() - start) / ns;
    return machine;
}

} // namespace bench
