// cst-bench: Cryptostitch and its peers, timed in turn in one run.
#include "peers/library.hpp"
#include "plan.hpp"
#include "progress.hpp"
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace bench;

static int fail(const std::string &why) {
    fprintf(stderr, "cst-bench: %s\n", why.c_str());
    return 2;
}

int main(int argc, char **argv) {
    Options options;
    int status = parse_options(argc, argv, options);
    if (status >= 0) return status;
    if (options.tier && !enter(*options.tier, argv)) return fail("--tier: cannot start again with OPENSSL_ia32cap set");
    if (options.tier && options.target.empty()) options.target = options.tier->target;

    const std::vector<Row> rows = chosen_rows(options, all_rows(options.target, options.packs));
    if (options.list) {
        for (const Row &row : rows) puts(row.name.c_str());
        return 0;
    }
    if (rows.empty()) return fail("no row matches --rows (--rows '*' --list shows them all)");

    auto wanted = [&](const char *peer) { return std::count(options.peers.begin(), options.peers.end(), peer) != 0; };
    std::string error;
    std::unique_ptr<Peer> reference = make_reference(),
                          ours = make_cryptostitch(options.target, options.costs, options.kernel, options.packs, error);
    if (!error.empty()) return fail(error);
    std::vector<Build> builds;
    for (const char *linked : {"openssl", "ipsec-mb"})
        if (wanted(linked)) builds.push_back({linked, "", "", ""});
    builds.insert(builds.end(), options.builds.begin(), options.builds.end());
    auto make_peer = [&](Build build, std::string &why) {
        if (options.tier) build.tier = options.tier->name;
        return (build.kind == "ipsec-mb" ? make_ipsec_mb : make_openssl)(build, why);
    };
    for (const char *kind : {"openssl", "aws-lc", "ipsec-mb"}) {
        const Build build = {kind, peers_folder() + kind + "/peer.so", "", ""};
        auto same = [&](const Build &other) { return other.kind == kind; };
        if (!wanted("built") || access(build.file.c_str(), R_OK) != 0 ||
            std::any_of(options.builds.begin(), options.builds.end(), same))
            continue;
        std::string why;
        if (make_peer(build, why)) builds.push_back(build);
        else fprintf(stderr, "cst-bench: left out: %s\n", why.c_str());
    }
    auto make_peers = [&](std::string &why) {
        PeerSet peers;
        if (ours) peers.all.push_back(ours.get());
        for (const Build &build : builds)
            if (auto peer = make_peer(build, why)) peers.own.push_back(std::move(peer));
        if (wanted("isal") && !options.tier)
            if (auto peer = make_isal()) peers.own.push_back(std::move(peer));
        if (wanted("zlib") && !options.tier)
            if (auto peer = make_zlib()) peers.own.push_back(std::move(peer));
        for (auto &peer : peers.own) peers.all.push_back(peer.get());
        return peers;
    };
    PeerSet peers = make_peers(error);
    if (!error.empty()) return fail(error);
    Report report;
    if (options.tier) report.tier = options.tier->name;
    for (Peer *peer : peers.all) report.versions.of.push_back({peer->name(), peer->version()});
    auto built = [&](const char *peer) {
        return std::any_of(peers.all.begin(), peers.all.end(), [&](Peer *p) { return p->name() == peer; });
    };
    if (wanted("ipsec-mb") && !built("ipsec-mb"))
        fprintf(stderr,
                "cst-bench: built without ipsec-mb; on Debian type: apt install libipsec-mb-dev && rm "
                "build/CMakeCache.txt && make\n");
    if (wanted("isal") && !built("isa-l") && !options.tier)
        fprintf(stderr,
                "cst-bench: built without isa-l; on Debian type: apt install libisal-dev && rm "
                "build/CMakeCache.txt && make\n");

    const Machine machine = report.machine = pin_and_describe();
    if (options.threads > machine.cores.size())
        return fail("--threads: there are only " + std::to_string(machine.cores.size()) + " cores to run on");
    const size_t most_threads = options.threads ? options.threads : machine.cores.size();
    std::vector<double> clock;
    bool failed = false;
    std::set<std::string> unchecked;
    const std::vector<Planned> cells = plan(options, rows);
    auto progress = std::make_unique<Progress>(cells.size());
    for (size_t i = 0; i < cells.size(); i++) {
        const Planned &planned = cells[i];
        progress->begin(i, planned.row.name);
        if (planned.threads) {
            auto more = time_team(
                planned.row, planned.load, most_threads, [&] { return make_peers(error); }, options.effort, machine,
                failed);
            report.teams.insert(report.teams.end(), more.begin(), more.end());
            continue;
        }
        auto cell_by = [&](Peer &right) { return std::make_unique<Cell>(planned.row, planned.load, right); };
        std::unique_ptr<Cell> checked = cell_by(*reference);
        if (!checked->ok() && ours && ours->gives_known_answers(planned.row)) checked = cell_by(*ours);
        Cell &cell = *checked;
        if (!cell.ok()) {
            if (unchecked.insert(planned.row.name).second)
                fprintf(stderr, "cst-bench: OpenSSL cannot check %s, and its pack has no known answers; left out\n",
                        planned.row.name.c_str());
            continue;
        }
        auto more = time_in_turn(cell, peers.all, options.effort, machine.tsc_ghz * 1e6, clock);
        report.cells.insert(report.cells.end(), more.begin(), more.end());
        failed |= cell.failed();
    }
    progress.reset();
    if (report.cells.empty() && report.teams.empty()) return fail("nothing was timed");
    if (clock.empty()) clock.push_back(cycles_per_tick());
    std::sort(clock.begin(), clock.end());
    report.core_ghz = quantile(clock, 0.5) * machine.tsc_ghz;

    std::string bounds = options.bounds.empty()
                             ? std::string(BENCH_FOLDER "/bounds/") + machine.microarchitecture + ".tsv"
                             : options.bounds;
    if (options.json != "-") print_table(report, read_bounds(bounds));
    if (!options.json.empty() && !write_json(options.json, report)) {
        perror(options.json.c_str());
        return 1;
    }
    return failed ? 1 : 0;
}
