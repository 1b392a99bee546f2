#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

namespace bench {

Bounds read_bounds(const std::string &path) {
    Bounds bounds;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string row, jobs;
        double value;
        if (line.empty() || line[0] == '#' || !(fields >> row >> jobs >> value)) continue;
        (jobs == "1" ? bounds.one : bounds.many)[row] = value;
    }
    return bounds;
}

static std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) >= 32) out += c;
    }
    return out + '"';
}

// Writes what a cell and a team have in common.
static void write_load(FILE *f, const std::string &row, const std::string &impl, const std::string &variant,
                       const Load &load, size_t bytes) {
    fprintf(f,
            "{\"row\": %s, \"impl\": %s, \"keys\": \"%s\", \"variant\": %s, \"size\": \"%s\", \"bytes\": %zu, "
            "\"jobs\": %zu, ",
            quoted(row).c_str(), quoted(impl).c_str(), load.keys().c_str(), quoted(variant).c_str(),
            load.size.text().c_str(), bytes, load.jobs);
}

bool write_json(const std::string &path, const Report &report) {
    std::string temporary = path + ".tmp"; // an interrupted run leaves the old file
    const bool to_stdout = path == "-";
    FILE *f = to_stdout ? stdout : fopen(temporary.c_str(), "w");
    if (!f) return false;
    char date[32];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    const Machine &m = report.machine;
    const Versions &versions = report.versions;
    fprintf(f,
            "{\n\"machine\": {\"cpu\": %s, \"microarchitecture\": %s, \"family\": %u, \"model\": %u, \"stepping\": %u, "
            "\"cores\": %zu,\n",
            quoted(m.brand).c_str(), quoted(m.microarchitecture).c_str(), m.family, m.model, m.stepping,
            m.cores.size());
    if (!report.tier.empty()) fprintf(f, "  \"tier\": %s,\n", quoted(report.tier).c_str());
    fprintf(f, "  \"core_ghz\": %.3f, \"tsc_ghz\": %.3f, \"compiler\": %s, \"date\": %s, \"versions\": {",
            report.core_ghz, m.tsc_ghz, quoted(__VERSION__).c_str(), quoted(date).c_str());
    for (size_t i = 0; i < versions.of.size(); i++)
        fprintf(f, "%s%s: %s", i ? ", " : "", quoted(versions.of[i].first).c_str(),
                quoted(versions.of[i].second).c_str());
    fprintf(f, "}},\n\"rows\": [");
    const char *comma = "\n";
    for (const Result &r : report.cells) {
        fputs(comma, f);
        comma = ",\n";
        write_load(f, r.row, r.impl, r.variant, r.load, r.bytes);
        fprintf(f, "\"cycles_per_byte\": %.5f, \"spread\": %.4f}", r.cycles_per_byte, r.spread);
    }
    fprintf(f, "\n],\n\"threads\": [");
    comma = "\n";
    for (const TeamResult &r : report.teams) {
        fputs(comma, f);
        comma = ",\n";
        write_load(f, r.row, r.impl, r.variant, r.load, r.bytes);
        fprintf(f,
                "\"threads\": %zu, \"cycles_per_byte\": %.5f, \"bytes_per_cycle\": %.5f, \"gigabytes_per_second\": "
                "%.4f, \"scaling\": %.4f, \"spread\": %.4f}",
                r.threads, r.cycles_per_byte(), r.bytes_per_cycle, r.gigabytes_per_second, r.scaling, r.spread);
    }
    fprintf(f, "\n]\n}\n");
    if (to_stdout) return fflush(f) == 0;
    return fclose(f) == 0 && rename(temporary.c_str(), path.c_str()) == 0;
}

namespace {
// Best result of one implementation in one cell.
const Result *best(const std::vector<Result> &results, size_t begin, size_t end, const std::string &impl) {
    const Result *found = nullptr;
    for (size_t i = begin; i < end; i++)
        if (results[i].impl == impl && (!found || results[i].cycles_per_byte < found->cycles_per_byte))
            found = &results[i];
    return found;
}
bool same_cell(const Result &a, const Result &b) {
    return a.row == b.row && a.load.size == b.load.size && a.load.jobs == b.load.jobs &&
           a.load.one_key == b.load.one_key && a.load.sessions == b.load.sessions;
}

bool is_of_keys(const std::string &row) {
    Row parsed;
    return parse_row(row, parsed) && parsed.make_keys;
}

void print_cells(const Report &report, const Bounds &bounds) {
    const std::vector<Result> &results = report.cells;
    const Versions &versions = report.versions;
    printf(
        "core cycles per byte; gain = best peer / cryptostitch; x bound = cryptostitch (or the best peer) / what the "
        "units allow\nrows /key: core cycles per key; keys: own of each job, one of all, or drawn from so many\n\n");
    bool ours = std::any_of(results.begin(), results.end(), [](const Result &r) { return r.impl == "cryptostitch"; });

    printf("%-33s %6s %5s %6s |", "row", "bytes", "jobs", "keys");
    auto width = [](const std::string &impl) { return int(std::max<size_t>(12, impl.size())); };
    for (const auto &version : versions.of) printf(" %*s", width(version.first), version.first.c_str());
    printf(" | %5s %7s  %s\n", "gain", "x bound", ours ? "variant" : "best");
    for (size_t begin = 0, end; begin < results.size(); begin = end) {
        for (end = begin + 1; end < results.size() && same_cell(results[begin], results[end]); end++) {}
        const Result &cell = results[begin];
        if (begin && results[begin - 1].row != cell.row) printf("\n");
        printf("%-33s %6s %5zu %6s |", cell.row.c_str(), cell.load.size.text().c_str(), cell.load.jobs,
               cell.load.keys().c_str());
        const Result *mine = nullptr, *peer = nullptr;
        for (const auto &version : versions.of) {
            const Result *r = best(results, begin, end, version.first);
            if (r) printf(" %*.3f", width(version.first), r->cycles_per_byte);
            else printf(" %*s", width(version.first), "-");
            if (version.first == "cryptostitch") mine = r;
            else if (r && (!peer || r->cycles_per_byte < peer->cycles_per_byte)) peer = r;
        }
        const Result *shown = ours ? mine : peer;
        if (mine && peer) printf(" | %5.2f", peer->cycles_per_byte / mine->cycles_per_byte);
        else printf(" | %5s", "");
        const auto &table = cell.load.jobs == 1 ? bounds.one : bounds.many;
        auto bound = table.find(cell.row);
        // Padding and the outer hash are most of a short job, and few lanes are not full: no bound is known there.
        bool known = bound != table.end() && !cell.load.size.mix && cell.bytes >= 1024 &&
                     (cell.load.jobs == 1 || cell.load.jobs >= 32);
        if (shown && known) printf(" %7.2f", shown->cycles_per_byte / bound->second);
        else printf(" %7s", "");
        printf("  %s", shown ? shown->variant.c_str() : "");
        if (shown && is_of_keys(shown->row))
            printf(" (%.1f million keys per second)", report.core_ghz * 1e3 / shown->cycles_per_byte);
        printf("\n");
    }
}

void print_teams(const Report &report) {
    printf(
        "threads, a core each%s; c/B: core cycles per byte of one thread; B/c: bytes per core cycle of all; scaling: "
        "B/c over that of one thread\n\n",
        report.machine.whole_cores < report.machine.cores.size()
            ? " (over the cores' number, the second threads of cores)"
            : "");
    printf("%-33s %6s %5s %4s %7s | %-12s %8s %8s %8s %8s  %s\n", "row", "bytes", "jobs", "keys", "threads", "impl",
           "c/B", "B/c", "GB/s", "scaling", "variant");
    for (const TeamResult &r : report.teams)
        printf("%-33s %6s %5zu %4s %7zu | %-12s %8.3f %8.3f %8.3f %8.2f  %s\n", r.row.c_str(),
               r.load.size.text().c_str(), r.load.jobs, r.load.keys().c_str(), r.threads, r.impl.c_str(),
               r.cycles_per_byte(), r.bytes_per_cycle, r.gigabytes_per_second, r.scaling, r.variant.c_str());
}
} // namespace

void print_table(const Report &report, const Bounds &bounds) {
    const Machine &m = report.machine;
    printf("%s (%s), core %.2f GHz, TSC %.2f GHz", m.brand.c_str(), m.microarchitecture.c_str(), report.core_ghz,
           m.tsc_ghz);
    if (!report.tier.empty()) printf(", all held to %s", report.tier.c_str());
    for (const auto &version : report.versions.of) printf("; %s %s", version.first.c_str(), version.second.c_str());
    printf("\n");
    if (!report.cells.empty()) print_cells(report, bounds);
    if (!report.cells.empty() && !report.teams.empty()) printf("\n");
    if (!report.teams.empty()) print_teams(report);
}

} // namespace bench
