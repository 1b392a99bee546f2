// Prints what the runtime assembles: `jitdump [--win64] [--foreign] PACK [KERNEL...]`, one line per kernel: name,
// space, hex bytes. `jitdump --verify KEY SIGNATURE MESSAGE` (hex; MESSAGE may be empty) verifies an Ed25519 signature:
// exit status 0 or 3. Without kernel names: all of the pack. `jitdump --time PACK KERNEL` prints the nanoseconds of the
// fastest of 200 builds.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "code/frame.hpp"
#include "code/pack.hpp"
#include "code/signature.hpp"
#include "cryptostitch/cryptostitch.h"

static int fail(const char *what, const char *name, int error) {
    std::fprintf(stderr, "%s %s: error %d\n", what, name, error);
    return 1;
}

static void print_time(const cst::Pack &pack, uint32_t index, cst::Abi abi) {
    std::vector<uint8_t> code;
    long long best = -1;
    for (int i = 0; i < 200; i++) {
        auto start = std::chrono::steady_clock::now();
        cst::build_kernel(pack, index, abi, &code);
        long long ns =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
        if (best < 0 || ns < best) best = ns;
    }
    std::printf("%lld ns, %zu bytes\n", best, code.size());
}

static std::vector<uint8_t> unhex(const char *text) {
    std::vector<uint8_t> bytes;
    unsigned value;
    for (; std::sscanf(text, "%2x", &value) == 1; text += 2) bytes.push_back(uint8_t(value));
    return bytes;
}

int main(int argc, char **argv) {
    if (argc == 5 && !std::strcmp(argv[1], "--verify")) {
        const std::vector<uint8_t> key = unhex(argv[2]), signature = unhex(argv[3]), message = unhex(argv[4]);
        if (key.size() != cst::PUBLIC_KEY_BYTES || signature.size() != cst::SIGNATURE_BYTES) return 2;
        return cst::verify_signature(key.data(), signature.data(), message.data(), message.size()) ? 0 : 3;
    }
    cst::Abi abi = cst::Abi::sysv;
    cst::Origin origin = cst::Origin::built_in;
    bool time = false;
    int arg = 1;
    for (; arg < argc && argv[arg][0] == '-'; arg++) {
        if (!std::strcmp(argv[arg], "--win64")) abi = cst::Abi::win64;
        else if (!std::strcmp(argv[arg], "--foreign")) origin = cst::Origin::foreign;
        else if (!std::strcmp(argv[arg], "--time")) time = true;
        else return fail("unknown option", argv[arg], CST_ERR_ARGUMENT);
    }
    if (arg == argc) return fail("no", "pack", CST_ERR_ARGUMENT);
    std::ifstream file(argv[arg], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    cst::Pack pack;
    if (int error = pack.open(bytes.data(), bytes.size(), origin)) {
        std::fprintf(stderr, "%s\n", pack.why().c_str());
        return fail("pack", argv[arg], error);
    }
    std::vector<uint32_t> kernels;
    for (int i = arg + 1; i < argc; i++) {
        uint32_t index;
        if (int error = pack.find_kernel(argv[i], &index)) return fail("kernel", argv[i], error);
        kernels.push_back(index);
    }
    if (kernels.empty())
        for (uint32_t i = 0; i < pack.n_kernels(); i++) kernels.push_back(i);
    for (uint32_t index : kernels) {
        cst::KernelRecord record;
        std::vector<uint8_t> code;
        int error = pack.kernel(index, &record);
        if (!error) error = cst::build_kernel(pack, index, abi, &code);
        if (error) return fail("kernel", record.name, error);
        if (time) {
            print_time(pack, index, abi);
            continue;
        }
        std::string hex;
        for (uint8_t byte : code) {
            char two[3];
            std::snprintf(two, sizeof two, "%02x", byte);
            hex += two;
        }
        std::printf("%s %s\n", record.name, hex.c_str());
    }
    return 0;
}
