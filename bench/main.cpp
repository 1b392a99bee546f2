// cst-bench: Cryptostitch and its peers, timed in turn in one run.
#include "options.hpp"
#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

using namespace bench;

// Every suite that the library offers, both directions; without the library, the ones that its peers could do.
static std::vector<Row> all_rows(const std::string &target) {
    std::vector<std::string> suites = cryptostitch_suites(target);
    if (suites.empty()) {
        const std::vector<std::string> hashes = {"md5", "sha1", "sha256"};
        for (const std::string &hash : hashes) suites.insert(suites.end(), {hash, "hmac-" + hash});
        for (const char *cipher : {"aes-128-cbc", "aes-192-cbc", "aes-256-cbc"}) {
            suites.push_back(cipher);
            for (const std::string &hash : hashes) suites.push_back(std::string(cipher) + "+hmac-" + hash + "-etm");
        }
    }
    std::vector<Row> rows;
    for (const std::string &suite : suites)
        for (const char *direction : {"", "/open"}) {
            Row row;
            if (parse_row(suite + direction, row)) rows.push_back(row);
        }
    return rows;
}

static void say_progress(size_t done, size_t all, const std::string &row) {
    static const auto start = std::chrono::steady_clock::now();
    static const bool terminal = isatty(2);
    if (!terminal || std::chrono::steady_clock::now() - start < std::chrono::seconds(2)) return;
    if (done == all) fprintf(stderr, "\r\033[K");
    else fprintf(stderr, "\r\033[K[%zu/%zu] %s", done, all, row.c_str());
    fflush(stderr);
}

int main(int argc, char **argv) {
    Options options;
    int status = parse_options(argc, argv, options);
    if (status >= 0) return status;

    std::vector<Row> rows;
    for (const Row &row : all_rows(options.target))
        if (matches(options.rows, row.name)) rows.push_back(row);
    // Rows in the order in which they were asked for.
    auto rank = [&](const Row &row) {
        size_t i = 0;
        while (i < options.rows.size() && !matches({options.rows[i]}, row.name)) i++;
        return i;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const Row &a, const Row &b) { return rank(a) < rank(b); });
    if (options.list) {
        for (const Row &row : rows) puts(row.name.c_str());
        return 0;
    }
    if (rows.empty()) {
        fprintf(stderr, "cst-bench: no row matches --rows (--rows '*' --list shows them all)\n");
        return 2;
    }

    auto wanted = [&](const char *peer) { return std::count(options.peers.begin(), options.peers.end(), peer) != 0; };
    std::unique_ptr<Peer> reference = make_openssl(), ipsec_mb = wanted("ipsec-mb") ? make_ipsec_mb() : nullptr;
    std::string error;
    std::unique_ptr<Peer> ours = make_cryptostitch(options.target, options.kernel, error);
    if (!error.empty()) {
        fprintf(stderr, "cst-bench: %s\n", error.c_str());
        return 2;
    }
    if (wanted("ipsec-mb") && !ipsec_mb) fprintf(stderr, "cst-bench: built without ipsec-mb\n");
    if (wanted("isal") && options.peers.size() < 3) fprintf(stderr, "cst-bench: built without isal (see bench/README.md)\n");
    std::vector<Peer *> peers;
    Versions versions;
    if (ours) peers.push_back(ours.get());
    if (wanted("openssl")) peers.push_back(reference.get());
    if (ipsec_mb) peers.push_back(ipsec_mb.get());
    for (Peer *peer : peers) versions.of.push_back({peer->name(), peer->version()});

    Machine machine = pin_and_describe();
    std::vector<Result> results;
    std::vector<double> clock;
    bool failed = false;
    size_t done = 0, all = rows.size() * options.sizes.size() * options.jobs.size();
    for (const Row &row : rows)
        for (size_t jobs : options.jobs)
            for (size_t bytes : options.sizes) {
                say_progress(done++, all, row.name);
                if (row.key_bits && bytes % 16) {
                    fprintf(stderr, "cst-bench: %s wants multiples of 16 bytes; %zu left out\n", row.name.c_str(), bytes);
                    continue;
                }
                for (bool one_key : {false, true}) {
                    bool keyless = !row.key_bits && !row.hmac;
                    if (one_key ? !options.one_key || keyless || jobs == 1 : !options.own_key && !keyless && jobs > 1) continue;
                    Cell cell(row, bytes, jobs, one_key, *reference);
                    if (!cell.ok()) {
                        fprintf(stderr, "cst-bench: OpenSSL cannot check %s; left out\n", row.name.c_str());
                        continue;
                    }
                    std::vector<Result> more = cell.measure(peers, options.effort, machine.tsc_ghz * 1e6, clock);
                    results.insert(results.end(), more.begin(), more.end());
                    failed |= cell.failed();
                }
            }
    say_progress(all, all, "");
    std::sort(clock.begin(), clock.end());
    double core_ghz = clock.empty() ? 0 : clock[clock.size() / 2] * machine.tsc_ghz;

    std::string bounds = options.bounds.empty() ? std::string(BENCH_FOLDER "/bounds/") + machine.microarchitecture + ".tsv" : options.bounds;
    if (options.json != "-") print_table(machine, core_ghz, versions, read_bounds(bounds), results);
    if (!options.json.empty() && !write_json(options.json, machine, core_ghz, versions, results)) {
        perror(options.json.c_str());
        return 1;
    }
    return failed ? 1 : 0;
}
