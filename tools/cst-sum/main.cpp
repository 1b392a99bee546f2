// cst-sum: digests of files, side by side in lanes; coreutils' md5sum, sha256sum and the others by name.

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "algorithms.hpp"
#include "checker.hpp"
#include "composites.hpp"
#include "digester.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "queue.hpp"
#include "sources.hpp"
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

// False: there is no memory, not even for one thread.
bool work(const Options &options, cst_ctx *context, Queue *queue, Output *output) {
    const VerityForm form = {options.verity_block, options.salt};
    const auto digest = [&](unsigned char *memory) {
        if (options.verity) verity_files(form, queue, memory);
        else digest_files(context, queue, memory);
    };
    const unsigned wanted = options.threads ? options.threads : processors();
    const bool shows = isatty(STDERR_FILENO) && !options.status;
    unsigned char *const first = digest_memory();
    if (!first) return false;
    if (wanted == 1 && !shows) {
        digest(first);
        return true;
    }
    std::vector<std::thread> threads;
    for (unsigned char *memory = first; memory; memory = threads.size() < wanted ? digest_memory() : nullptr)
        threads.emplace_back(digest, memory);
    if (shows) {
        const Progress progress(total_of(options));
        const auto show = [&](uint64_t files, uint64_t bytes) { output->show(progress.line(files, bytes)); };
        while (!queue->wait(REFRESH, show)) {}
        queue->wait(0, [output](uint64_t, uint64_t) { output->show(""); });
    }
    for (std::thread &thread : threads) thread.join();
    return true;
}

std::unique_ptr<Sink> sink_of(const Options &options, Output *output) {
    if (options.check) return std::make_unique<Checker>(options, output);
    if (options.chunk) return std::make_unique<Chunks>(options, output);
    if (options.part) return std::make_unique<Etags>(options, output);
    if (options.verity) return std::make_unique<Verities>(options, output);
    return std::make_unique<Writer>(options, output);
}

}  // namespace

int main(int argc, char **argv) {
    setlocale(LC_ALL, "");  // NOLINT(concurrency-mt-unsafe): there are no threads yet
    const Options options = options_of(argc, argv);
    Output output(options.program);
    Algorithms algorithms;
    const std::string wrong = algorithms.open();
    if (!wrong.empty()) {
        output.message(wrong);
        return EXIT_FAILURE;
    }
    const bool any = options.algorithm.empty();
    const Algorithm *const algorithm = algorithms.named(any ? "sha256" : options.algorithm);
    if (!algorithm) {
        output.message("no hash '" + options.algorithm + "'; there are " + algorithms.names());
        refer_to_help(options);
    }
    std::unique_ptr<Source> source;
    if (options.check) source = std::make_unique<Lists>(options.files, algorithms, algorithm, !any);
    else source = std::make_unique<Names>(options.files, algorithm, options.recursive, options.chunk + options.part);
    const std::unique_ptr<Sink> sink = sink_of(options, &output);
    Queue queue(source.get(), sink.get());
    if (!work(options, algorithms.context(), &queue, &output)) {
        output.message("memory exhausted");
        return EXIT_FAILURE;
    }
    output.flush();
    return sink->all_right() && !output.failed() ? EXIT_SUCCESS : EXIT_FAILURE;
}
