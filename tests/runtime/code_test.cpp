// Executable pages and the cache: `cst-code-test PACK`, where PACK holds the kernels of tests/runtime/test_code.py.
// Prints what failed.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "code/cache.hpp"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

using namespace cst;

static int failures = 0;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                         \
        }                                                       \
    } while (0)

static void fake_static(const struct cst_kernel_args *) {}
const struct cst_static_kernel cst::cst_static_kernels[] = {{"count_x4@sse", fake_static, 1, 1},
                                                            {"count_x8@sse", fake_static, 1, 1}};
const size_t cst::cst_static_kernel_count = 2;

static const uint8_t CODE[] = {0xb8, 42, 0, 0, 0, 0xc3};  // mov eax, 42; ret

static int call(const CodePages &pages) {
    int (*function)();
    std::memcpy(&function, &pages.base, sizeof function);
    return function();
}

// The permissions and the name of the mapping that holds the address.
static std::string mapping(const void *address) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin, end;
        char permissions[5];
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) != 3) continue;
        auto at = reinterpret_cast<unsigned long>(address);
        if (at >= begin && at < end)
            return permissions + (line.find("memfd") == std::string::npos ? std::string() : " memfd");
    }
    return "none";
}

// Runs in a child; true when it exits with 0.
template <class F>
static bool in_child(F f) {
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        failures = 0;
        alarm(20);
        f();
        std::fflush(stdout);
        _exit(failures != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) std::printf("child: status %x\n", status);
    return status == 0;
}

static void test_pages() {
    CodePages pages;
    CHECK(publish_code(CODE, sizeof CODE, &pages) == CST_OK);
    CHECK(call(pages) == 42);
    CHECK(mapping(pages.base) == "r-xp");
    CodePages copy = pages;
    release_code(&pages);
    CHECK(pages.base == nullptr && mapping(copy.base) != "r-xp");
    CHECK(code_pages_work());
}

static bool deny_write_execute() { return prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) == 0; }

static void test_sealed_pages() {
    if (!deny_write_execute()) return;  // before Linux 6.3
    CodePages pages;
    CHECK(publish_code(CODE, sizeof CODE, &pages) == CST_OK);
    CHECK(call(pages) == 42);
    CHECK(mapping(pages.base) == "r-xp memfd");
    CHECK(in_child([&] { CHECK(call(pages) == 42); }));
}

static void test_refusal(const Pack &pack) {
    if (!deny_write_execute()) return;
    rlimit none = {0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    CodePages pages;
    CHECK(publish_code(CODE, sizeof CODE, &pages) == CST_ERR_JIT && pages.base == nullptr);
    CHECK(!code_pages_work());
    Cache cache(true);
    cache.add(&pack);
    const Kernel *kernel = nullptr;
    CHECK(cache.get("count_x4@sse", &kernel) == CST_OK && kernel->origin == KernelOrigin::static_object);
    CHECK(cache.get("other@sse", &kernel) == CST_ERR_JIT);
}

static bool counts(const Kernel *kernel) {
    alignas(64) uint8_t state[1024] = {};
    cst_kernel_args args = {7, {state}};
    kernel->fn(&args);
    int32_t lane;
    std::memcpy(&lane, state + 64 + 12, 4);
    return lane == 28;
}

static void test_cache(const Pack &pack) {
    Cache cache(true);
    CHECK(cache.add(&pack) == CST_OK);
    const Kernel *kernel = nullptr, *again = nullptr;
    CHECK(cache.get("count_x4@sse", &kernel) == CST_OK && cache.get("count_x4@sse", &again) == CST_OK &&
          kernel == again);
    CHECK(kernel->origin == KernelOrigin::jit && kernel->assembled_ns > 0 && kernel->code_bytes > 30);
    CHECK(kernel->streams.size() == 1 && kernel->streams[0].program.lanes == 4 && kernel->lag == 0);
    CHECK(std::strcmp(kernel->streams[0].algorithm.name, "nohash") == 0);
    CHECK(kernel->streams[0].program.field("chain")->lane_offsets[3] == 12 &&
          kernel->streams[0].program.field("none") == nullptr);
    CHECK(counts(kernel));
    CHECK(cache.get("nothing", &kernel) == CST_ERR_NAME);
    CHECK(cache.get(&pack, 1000, &kernel) == CST_ERR_NAME);
    CHECK(cache.obtainable("other@sse"));

    Cache statics(false);
    CHECK(statics.add(&pack) == CST_OK);
    CHECK(statics.get("count_x4@sse", &kernel) == CST_OK && kernel->fn == fake_static && kernel->assembled_ns == 0);
    CHECK(statics.get("count_x8@sse", &kernel) == CST_ERR_JIT);  // the table's entry has another number of streams
    CHECK(statics.get("other@sse", &kernel) == CST_ERR_JIT && !statics.obtainable("other@sse"));
}

static void test_foreign(const Pack &pack, const Pack &foreign) {
    const Kernel *kernel = nullptr;
    Cache statics(false);
    statics.add(&foreign);
    CHECK(statics.get("count_x4@sse", &kernel) == CST_ERR_JIT);  // a foreign kernel is not the static one of its name
    Cache both(true);
    both.add(&pack);
    both.add(&foreign);
    CHECK(both.get("count_x4@sse", &kernel) == CST_OK && kernel->pack == &pack);
    CHECK(both.get(&foreign, 0, &kernel) == CST_OK && kernel->pack == &foreign && counts(kernel));
}

static void test_threads_and_fork(const Pack &pack) {
    for (int round = 0; round < 20; round++) {
        Cache cache(true);
        cache.add(&pack);
        std::atomic<bool> go{false};
        std::vector<const Kernel *> got(4);
        std::vector<std::thread> threads;
        for (const Kernel *&slot : got)
            threads.emplace_back([&cache, &go, &slot] {
                while (!go) std::this_thread::yield();
                for (uint32_t i = 0; i < 3; i++)
                    cache.get(i == 0 ? "count_x4@sse" : i == 1 ? "other@sse" : "count_x8@sse", &slot);
            });
        go = true;
        CHECK(in_child([&] {
            const Kernel *kernel = nullptr;
            CHECK(cache.get("count_x4@sse", &kernel) == CST_OK && counts(kernel));
        }));
        for (std::thread &thread : threads) thread.join();
        for (const Kernel *kernel : got) CHECK(kernel != nullptr && kernel == got[0]);
        // A child's kernels are its own.
        CHECK(in_child([&] { CHECK(cache.get("count_x4@sse", &got[0]) == CST_OK && counts(got[0])); }));
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Pack pack, foreign;
    CHECK(pack.open(bytes.data(), bytes.size(), Origin::built_in) == CST_OK);
    CHECK(foreign.open(bytes.data(), bytes.size(), Origin::foreign) == CST_OK);
    CHECK(foreign.open(bytes.data() + 1, bytes.size() - 1, Origin::foreign) == CST_ERR_ARGUMENT);
    CHECK(foreign.open(bytes.data(), bytes.size(), Origin::foreign) == CST_OK);
    if (failures != 0) return 1;
    test_pages();
    test_cache(pack);
    test_foreign(pack, foreign);
    test_threads_and_fork(pack);
    CHECK(in_child(test_sealed_pages));
    CHECK(in_child([&] { test_refusal(pack); }));
    if (failures == 0) std::puts("ok");
    return failures != 0;
}
