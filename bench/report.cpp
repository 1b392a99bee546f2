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

bool write_json(const std::string &path, const Machine &m, double core_ghz, const Versions &versions, const std::vector<Result> &results) {
    std::string temporary = path + ".tmp"; // an interrupted run leaves the old file
    const bool to_stdout = path == "-";
    FILE *f = to_stdout ? stdout : fopen(temporary.c_str(), "w");
    if (!f) return false;
    char date[32];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(f, "{\n\"machine\": {\"cpu\": %s, \"microarchitecture\": %s, \"family\": %u, \"model\": %u, \"stepping\": %u,\n", quoted(m.brand).c_str(),
            quoted(m.microarchitecture).c_str(), m.family, m.model, m.stepping);
    fprintf(f, "  \"core_ghz\": %.3f, \"tsc_ghz\": %.3f, \"compiler\": %s, \"date\": %s, \"versions\": {", core_ghz, m.tsc_ghz, quoted(__VERSION__).c_str(), quoted(date).c_str());
    for (size_t i = 0; i < versions.of.size(); i++)
        fprintf(f, "%s%s: %s", i ? ", " : "", quoted(versions.of[i].first).c_str(), quoted(versions.of[i].second).c_str());
    fprintf(f, "}},\n\"rows\": [");
    for (size_t i = 0; i < results.size(); i++) {
        const Result &r = results[i];
        fprintf(f, "%s\n{\"row\": %s, \"impl\": %s, \"keys\": \"%s\", \"variant\": %s, \"bytes\": %zu, \"jobs\": %zu, \"cycles_per_byte\": %.5f, \"spread\": %.4f}",
                i ? "," : "", quoted(r.row).c_str(), quoted(r.impl).c_str(), r.one_key ? "one" : "own", quoted(r.variant).c_str(), r.bytes, r.jobs,
                r.cycles_per_byte, r.spread);
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
        if (results[i].impl == impl && (!found || results[i].cycles_per_byte < found->cycles_per_byte)) found = &results[i];
    return found;
}
bool same_cell(const Result &a, const Result &b) { return a.row == b.row && a.bytes == b.bytes && a.jobs == b.jobs && a.one_key == b.one_key; }
} // namespace

void print_table(const Machine &m, double core_ghz, const Versions &versions, const Bounds &bounds, const std::vector<Result> &results) {
    printf("%s (%s), core %.2f GHz, TSC %.2f GHz", m.brand.c_str(), m.microarchitecture.c_str(), core_ghz, m.tsc_ghz);
    for (const auto &version : versions.of) printf("; %s %s", version.first.c_str(), version.second.c_str());
    printf("\ncore cycles per byte; gain = best peer / cryptostitch; x bound = cryptostitch (or the best peer) / what the units allow\n\n");
    bool ours = std::any_of(results.begin(), results.end(), [](const Result &r) { return r.impl == "cryptostitch"; });

    printf("%-33s %6s %5s %4s |", "row", "bytes", "jobs", "keys");
    for (const auto &version : versions.of) printf(" %12s", version.first.c_str());
    printf(" | %5s %7s  %s\n", "gain", "x bound", ours ? "variant" : "best");
    for (size_t begin = 0, end; begin < results.size(); begin = end) {
        for (end = begin + 1; end < results.size() && same_cell(results[begin], results[end]); end++) {}
        const Result &cell = results[begin];
        if (begin && results[begin - 1].row != cell.row) printf("\n");
        printf("%-33s %6zu %5zu %4s |", cell.row.c_str(), cell.bytes, cell.jobs, cell.one_key ? "one" : "own");
        const Result *mine = nullptr, *peer = nullptr;
        for (const auto &version : versions.of) {
            const Result *r = best(results, begin, end, version.first);
            if (r) printf(" %12.3f", r->cycles_per_byte);
            else printf(" %12s", "-");
            if (version.first == "cryptostitch") mine = r;
            else if (r && (!peer || r->cycles_per_byte < peer->cycles_per_byte)) peer = r;
        }
        const Result *shown = ours ? mine : peer;
        if (mine && peer) printf(" | %5.2f", peer->cycles_per_byte / mine->cycles_per_byte);
        else printf(" | %5s", "");
        const auto &table = cell.jobs == 1 ? bounds.one : bounds.many;
        auto bound = table.find(cell.row);
        // Padding and the outer hash are most of a short job, and few lanes are not full: no bound is known there.
        bool known = bound != table.end() && cell.bytes >= 1024 && (cell.jobs == 1 || cell.jobs >= 32);
        if (shown && known) printf(" %7.2f", shown->cycles_per_byte / bound->second);
        else printf(" %7s", "");
        printf("  %s\n", shown ? shown->variant.c_str() : "");
    }
}

} // namespace bench
