// cst-bench: Cryptostitch and its peers, timed in turn in one run.
#include "plan.hpp"
#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace bench;

static void say_progress(size_t done, size_t all, const std::string &row) {
    static const auto start = std::chrono::steady_clock::now();
    static const bool terminal = isatty(2);
    if (!terminal || std::chrono::steady_clock::now() - start < std::chrono::seconds(2)) return;
    if (done == all) fprintf(stderr, "\r\033[K");
    else fprintf(stderr, "\r\033[K[%zu/%zu] %s", done, all, row.c_str());
    fflush(stderr);
}

static int fail(const std::string &why) {
    fprintf(stderr, "cst-bench: %s\n", why.c_str());
    return 2;
}

int main(int argc, char **argv) {
    Options options;
    int status = parse_options(argc, argv, options);
    if (status >= 0) return status;

    const std::vector<Row> rows = chosen_rows(options, all_rows(options.target));
    if (options.list) {
        for (const Row &row : rows) puts(row.name.c_str());
        return 0;
    }
    if (rows.empty()) return fail("no row matches --rows (--rows '*' --list shows them all)");

    auto wanted = [&](const char *peer) { return std::count(options.peers.begin(), options.peers.end(), peer) != 0; };
    std::string error;
    std::unique_ptr<Peer> reference = make_openssl(), ours = make_cryptostitch(options.target, options.kernel, error);
    if (!error.empty()) return fail(error);
    auto make_peers = [&] {
        PeerSet peers;
        if (ours) peers.all.push_back(ours.get());
        if (wanted("openssl")) peers.own.push_back(make_openssl());
        if (wanted("ipsec-mb"))
            if (auto peer = make_ipsec_mb()) peers.own.push_back(std::move(peer));
        for (auto &peer : peers.own) peers.all.push_back(peer.get());
        return peers;
    };
    PeerSet peers = make_peers();
    Report report;
    for (Peer *peer : peers.all) report.versions.of.push_back({peer->name(), peer->version()});
    auto built = [&](const char *peer) { return std::any_of(peers.all.begin(), peers.all.end(), [&](Peer *p) { return p->name() == peer; }); };
    if (wanted("ipsec-mb") && !built("ipsec-mb")) fprintf(stderr, "cst-bench: built without ipsec-mb\n");
    if (wanted("isal") && options.peers.size() < 3) fprintf(stderr, "cst-bench: built without isal (see bench/README.md)\n");

    const Machine machine = report.machine = pin_and_describe();
    if (options.threads > machine.cores.size()) return fail("--threads: there are only " + std::to_string(machine.cores.size()) + " cores to run on");
    const size_t most_threads = options.threads ? options.threads : machine.cores.size();
    std::vector<double> clock;
    bool failed = false;
    const std::vector<Planned> cells = plan(options, rows);
    for (size_t i = 0; i < cells.size(); i++) {
        const Planned &planned = cells[i];
        say_progress(i, cells.size(), planned.row.name);
        if (planned.threads) {
            auto more = time_team(planned.row, planned.load, most_threads, make_peers, options.effort, machine, failed);
            report.teams.insert(report.teams.end(), more.begin(), more.end());
            continue;
        }
        Cell cell(planned.row, planned.load, *reference);
        if (!cell.ok()) {
            fprintf(stderr, "cst-bench: OpenSSL cannot check %s; left out\n", planned.row.name.c_str());
            continue;
        }
        auto more = time_in_turn(cell, peers.all, options.effort, machine.tsc_ghz * 1e6, clock);
        report.cells.insert(report.cells.end(), more.begin(), more.end());
        failed |= cell.failed();
    }
    say_progress(cells.size(), cells.size(), "");
    if (clock.empty()) clock.push_back(cycles_per_tick());
    std::sort(clock.begin(), clock.end());
    report.core_ghz = quantile(clock, 0.5) * machine.tsc_ghz;

    std::string bounds = options.bounds.empty() ? std::string(BENCH_FOLDER "/bounds/") + machine.microarchitecture + ".tsv" : options.bounds;
    if (options.json != "-") print_table(report, read_bounds(bounds));
    if (!options.json.empty() && !write_json(options.json, report)) {
        perror(options.json.c_str());
        return 1;
    }
    return failed ? 1 : 0;
}
