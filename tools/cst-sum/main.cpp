// cst-sum: digests of files, side by side in lanes; coreutils' md5sum, sha256sum and the others by name.

#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms.hpp"
#include "checker.hpp"
#include "composites.hpp"
#include "dedupe.hpp"
#include "descriptors.hpp"
#include "digester.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "queue.hpp"
#include "sources.hpp"
#include "trees.hpp"
#include "verity.hpp"

using namespace sum;

namespace {

constexpr unsigned REFRESH = 200;  // milliseconds

unsigned processors() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set)) return 1;
    return unsigned(CPU_COUNT(&set));
}

// Bytes of the files that are named; 0 where folders or lists will name more.
uint64_t total_of(const Options &options) {
    uint64_t total = 0;
    if (options.check || options.recursive) return 0;
    for (const std::string &name : options.files) {
        struct stat found;
        if (name != "-" && stat(name.c_str(), &found) == 0 && S_ISREG(found.st_mode)) total += uint64_t(found.st_size);
    }
    return total;
}

// Whether there is memory for lists, names and results beside what threads have.
bool has_reserve() {
    constexpr size_t RESERVE = size_t(32) << 20;
    void *const memory = mmap(nullptr, RESERVE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED && munmap(memory, RESERVE) == 0;
}

// glibc reserves 64 MiB of address space for the small blocks of each thread; other C libraries do not.
void share_small_blocks() {
#ifdef M_ARENA_MAX
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return;
    mallopt(M_ARENA_MAX, 1);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
#endif
}

struct Worker {
    DigestMemory memory;
    std::thread thread;
};

// Returns false if the system gives no more threads.
template <typename Work>
bool start(std::thread *thread, const Work &work, unsigned char *memory) {
    try {
        *thread = std::thread(work, memory);
        return true;
    } catch (const std::system_error &) {
        return false;
    }
}

// Runs with as many of the wanted threads as the system gives. Returns false if there is not even memory for one.
bool work(const Options &options, cst_ctx *context, Queue *queue, Descriptors *descriptors, Output *output) {
    const VerityForm form = {options.verity_block, options.salt};
    const auto digest = [&](unsigned char *memory) {
        if (options.verity) verity_files(form, queue, descriptors, memory);
        else if (options.dedupe) dedupe_files(context, size_t(options.dedupe), queue, descriptors, memory);
        else digest_files(context, queue, descriptors, memory);
    };
    const unsigned wanted = options.threads ? options.threads : processors();
    const bool shows = isatty(STDERR_FILENO) && !options.status;
    share_small_blocks();
    const DigestMemory memory = digest_memory();
    if (!memory) return false;
    std::vector<Worker> others;
    others.reserve(wanted);
    // This thread is one of them, unless it shows how far they are.
    while (others.size() + !shows < wanted && has_reserve()) {
        Worker one = {digest_memory(), {}};
        if (!one.memory || !start(&one.thread, digest, one.memory.get())) break;
        others.push_back(std::move(one));
    }
    if (others.empty() || !shows) {
        digest(memory.get());
    } else {
        const Progress progress(total_of(options));
        const auto show = [&](uint64_t files, uint64_t bytes) { output->show(progress.line(files, bytes)); };
        while (!queue->wait(REFRESH, show)) {}
        queue->wait(0, [output](uint64_t, uint64_t) { output->show(""); });
    }
    for (Worker &one : others) one.thread.join();
    return true;
}

std::unique_ptr<Sink> sink_of(const Options &options, Output *output) {
    if (options.check) return std::make_unique<Checker>(options, output);
    if (options.chunk) return std::make_unique<Chunks>(options, output);
    if (options.dedupe) return std::make_unique<Dedupes>(options, output);
    if (options.part) return std::make_unique<Etags>(options, output);
    if (options.verity) return std::make_unique<Verities>(options, output);
    return std::make_unique<Writer>(options, output);
}

// Finds out which mode of BLAKE3 is asked for; a key is read from the standard input. Returns what is wrong; "":
// nothing.
std::string read_mode(const Options &options, Mode *mode) {
    constexpr size_t KEY = 32;
    mode->length = options.length;
    if (options.derives) *mode = {"blake3-derive-key", options.context, options.length};
    if (!options.keyed) return "";
    *mode = {"blake3-keyed", std::string(KEY + 1, '\0'), options.length};
    size_t filled = 0;
    while (filled <= KEY) {
        const ssize_t n = read(STDIN_FILENO, &mode->mac_key[filled], KEY + 1 - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return "standard input: " + std::generic_category().message(errno);
        if (!n) break;
        filled += size_t(n);
    }
    mode->mac_key.resize(filled);
    return filled == KEY ? "" : "the standard input is not a key of 32 bytes";
}

// Descriptors 0 to 2 are the standard streams, even where the caller has closed one: a file that is opened must not be
// taken for it. Reading or writing it is an error all the same (EBADF).
void occupy_standard_streams() {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0) open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// The name for messages, even when nothing can be allocated any more.
const char *program_name = "cst-sum";

// Ends the program after an exception in any thread; the only one that is foreseen is lack of memory. The lines that
// were written are whole, and the status tells that some are missing.
[[noreturn]] void give_up() {
    static std::atomic_flag one = ATOMIC_FLAG_INIT;
    while (one.test_and_set()) pause();  // another thread ends the program
    const std::exception_ptr left = std::current_exception();
    if (!left) abort();
    try {
        std::rethrow_exception(left);
    } catch (const std::bad_alloc &) {
        char text[] = ": memory exhausted\n";
        const iovec parts[] = {{const_cast<char *>(program_name), strlen(program_name)}, {text, strlen(text)}};
        [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts, 2);
        _exit(EXIT_FAILURE);
    } catch (...) {
        abort();
    }
}

int run(int argc, char **argv) {
    setlocale(LC_ALL, "");  // NOLINT(concurrency-mt-unsafe): there are no threads yet
    const Options options = options_of(argc, argv);
    Output output(options.program);
    Algorithms algorithms;
    Mode mode;
    std::string wrong = read_mode(options, &mode);
    if (wrong.empty()) wrong = algorithms.open(options.packs, mode);
    if (!wrong.empty()) {
        output.message(wrong);
        return EXIT_FAILURE;
    }
    const bool any = options.algorithm.empty();
    std::string unknown;
    const Algorithm *const algorithm = algorithms.listed(any ? "sha256" : options.algorithm, &unknown);
    if (!algorithm) {
        output.message(unknown);
        refer_to_help(options);
    }
    Descriptors descriptors;
    std::unique_ptr<Source> source;
    if (options.check) source = std::make_unique<Lists>(options.files, algorithms, algorithm, !any);
    else
        source = std::make_unique<Names>(options.files, algorithm, options.recursive, options.chunk + options.part,
                                         options.part ? S3_MOST_PARTS : UINT64_MAX, &descriptors);
    std::unique_ptr<Sink> sink = sink_of(options, &output);
    if (!options.chunk && !options.part && !options.dedupe && !options.verity) {
        source = std::make_unique<TreeSource>(std::move(source));
        sink = std::make_unique<TreeSink>(std::move(sink));
    }
    Queue queue(source.get(), sink.get(), &descriptors);
    if (!work(options, algorithms.context(), &queue, &descriptors, &output)) {
        output.message("memory exhausted");
        return EXIT_FAILURE;
    }
    sink->end();
    output.close();
    return sink->all_right() && !output.failed() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc) program_name = argv[0];
    std::set_terminate(give_up);
    signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) is an error of write()
    occupy_standard_streams();
    return run(argc, argv);
}
