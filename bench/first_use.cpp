// cst-first-use: what the first use of each suite takes in a process that has not used the library: the context, then
// the suite, a key and a first burst, with all code that is made for them. Each measurement is a forked child of its
// own; times are the child's CPU time, the least of the repetitions, because disturbances only add.
//
//   cst-first-use [TARGET [JOBS [REPETITIONS]]]      ("host", 1 job, 5 times; a job has 1 KiB)
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"

namespace {

constexpr size_t BYTES = 1024, MOST_JOBS = 64;

struct Times {
    double context, suite, key, first, again;  // microseconds
    double use() const { return suite + key + first; }
};

double now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e6 + double(t.tv_nsec) / 1e3;
}

void check(int error, const char *what) {
    if (!error) return;
    std::fprintf(stderr, "cst-first-use: %s: %s\n", what, cst_error_text(error));
    _exit(error == CST_ERR_UNSUPPORTED ? 2 : 1);
}

Times first_use(const char *name, const char *target, size_t n) {
    static uint8_t secret[64], in[MOST_JOBS][BYTES], out[MOST_JOBS][2 * BYTES], tag[MOST_JOBS][64];
    for (size_t i = 0; i < sizeof(secret); i++) secret[i] = uint8_t(7 * i + 1);
    std::memset(in, 1, sizeof(in));
    std::memset(out, 1, sizeof(out));
    cst_options options = {sizeof(options), 0, target, nullptr, nullptr};
    cst_ctx *ctx;
    Times t;
    double start = now();
    check(cst_ctx_new(&ctx, &options), target);
    t.context = now() - start;

    start = now();
    const cst_suite *suite;
    check(cst_suite_get(ctx, name, &suite), name);
    t.suite = now() - start;
    cst_suite_info info;
    info.size = sizeof(info);
    check(cst_suite_info_get(suite, &info), name);
    cst_key *key;
    const size_t mac_key = std::min(info.mac_key_max, std::max<size_t>(info.mac_key_min, 20));
    start = now();
    check(cst_key_new(suite, secret, info.key_bytes, secret, mac_key, &key), name);
    t.key = now() - start;

    cst_job jobs[MOST_JOBS] = {};
    for (size_t i = 0; i < n; i++) {
        cst_job &job = jobs[i];
        job.size = sizeof(job);
        job.key = key;
        job.direction = CST_SEAL;
        job.iv = job.aad = secret;
        job.iv_len = info.iv_bytes;
        job.aad_len = info.aad_min;
        job.in = in[i];
        job.in_len = BYTES;
        job.out = info.kind == CST_CIPHER || info.kind == CST_AEAD ? out[i] : nullptr;
        job.out_cap = job.out ? sizeof(out[i]) : 0;
        job.tag = info.tag_max ? tag[i] : nullptr;
        job.tag_len = info.tag_max;
    }
    start = now();
    check(cst_burst(ctx, jobs, n), name);
    t.first = now() - start;
    start = now();
    check(cst_burst(ctx, jobs, n), name);
    t.again = now() - start;
    return t;
}

// Runs in a child and reads what it writes. False: the suite does not run here.
template <class Work>
bool in_child(std::string *result, Work work) {
    int ends[2];
    if (pipe(ends)) std::abort();
    const pid_t child = fork();
    if (child < 0) std::abort();
    if (child == 0) {
        close(ends[0]);
        work(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    char buffer[4096];
    result->clear();
    for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;) result->append(buffer, size_t(got));
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) std::exit(1);
    return true;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double least(const std::vector<double> &values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

int main(int argc, char **argv) {
    const char *target = argc > 1 ? argv[1] : "host";
    const size_t jobs = argc > 2 ? size_t(std::atoi(argv[2])) : 1,
                 repetitions = argc > 3 ? size_t(std::atoi(argv[3])) : 5;
    if (argc > 4 || jobs < 1 || jobs > MOST_JOBS || repetitions < 1) {
        std::fprintf(
            stderr,
            "usage: cst-first-use [TARGET [JOBS [REPETITIONS]]], 1 to %zu jobs, e.g. cst-first-use host-no_avx512 16\n",
            MOST_JOBS);
        return 2;
    }
    std::string names;
    in_child(&names, [](int out) {
        cst_ctx *ctx;
        check(cst_ctx_new(&ctx, nullptr), "context");
        cst_list(
            ctx, CST_NAME_SUITE,
            [](const char *name, void *arg) -> int { return dprintf(*static_cast<int *>(arg), "%s\n", name) < 0; },
            &out);
    });
    std::vector<std::pair<std::string, Times>> rows;
    for (size_t at = 0, end; (end = names.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string name = names.substr(at, end - at);
        std::vector<double> parts[5];
        for (size_t i = 0; i < repetitions; i++) {
            std::string bytes;
            if (!in_child(&bytes, [&](int out) {
                    const Times t = first_use(name.c_str(), target, jobs);
                    if (write(out, &t, sizeof(t)) != ssize_t(sizeof(t))) _exit(1);
                }))
                break;
            Times t;
            if (bytes.size() != sizeof(t)) return 1;
            std::memcpy(&t, bytes.data(), sizeof(t));
            const double values[5] = {t.context, t.suite, t.key, t.first, t.again};
            for (size_t k = 0; k < 5; k++) parts[k].push_back(values[k]);
        }
        if (parts[0].empty()) continue;
        rows.push_back({name, {least(parts[0]), least(parts[1]), least(parts[2]), least(parts[3]), least(parts[4])}});
    }
    std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.second.use() > b.second.use(); });
    std::printf("%-32s %8s %8s %8s %8s %8s %8s  microseconds\n", "suite", "context", "suite", "key", "burst", "use",
                "again");
    std::vector<double> uses, contexts;
    for (const auto &row : rows) {
        const Times &t = row.second;
        std::printf("%-32s %8.0f %8.0f %8.0f %8.0f %8.0f %8.1f\n", row.first.c_str(), t.context, t.suite, t.key,
                    t.first, t.use(), t.again);
        uses.push_back(t.use());
        contexts.push_back(t.context);
    }
    if (rows.empty()) return 1;
    std::printf("%zu suites, %s, %zu jobs: first use median %.0f, worst %.0f; context median %.0f\n", rows.size(),
                target, jobs, median(uses), rows[0].second.use(), median(contexts));
    return 0;
}
