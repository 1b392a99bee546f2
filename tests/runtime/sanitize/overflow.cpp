// Seeded bugs that the sanitizers must report: `cst-overflow address` reads behind a pack that claims to be longer than
// it is, `cst-overflow undefined` overflows a signed sum.
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>

#include "code/pack.hpp"

int main(int argc, char **argv) {
    if (argc == 2 && std::strcmp(argv[1], "address") == 0) {
        std::unique_ptr<uint32_t[]> bytes(new uint32_t[2]());  // less than a header
        cst::Pack pack;
        std::printf("%d\n", pack.open(bytes.get(), 4096, cst::Origin::built_in));
        return 0;
    }
    if (argc == 2 && std::strcmp(argv[1], "undefined") == 0) {
        volatile int most = INT_MAX;
        std::printf("%d\n", most + argc);
        return 0;
    }
    return 2;
}
