// Checks the state block: fields and their entries do not overlap, and pointers are where the runtime puts them.
#include <algorithm>
#include <cstring>

#include "check.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

namespace {

constexpr uint64_t MAX_ENTRIES = 8192;  // of a field: rows times lanes
constexpr uint32_t MAX_REACH = 1 << 16;

// How the runtime aligns the memory that pointers point to, and whether it may be written. A program that expects more
// is refused.
constexpr struct {
    const char *name;
    uint32_t align;
    bool written;
} POINTED_TO[] = {{"key", 16, false},      {"tweak_key", 16, false}, {"powers", 16, false}, {"powers_end", 16, false},
                  {"phase", 8, false},     {"iv", 1, false},         {"aad", 1, false},     {"text_in", 1, false},
                  {"padded_in", 1, false}, {"text_out", 1, true},    {"tag", 1, true},      {"head_in", 1, false},
                  {"head_out", 1, true},   {"end_in", 1, false},     {"end_out", 1, true}};

bool is(const FieldRecord &f, const char *name) { return std::strcmp(f.name, name) == 0; }

bool entries_overlap(const FieldRecord &f) {
    std::vector<uint32_t> starts;
    for (uint32_t row = 0; row < f.rows; row++)
        for (uint32_t i = 0; i < f.n_lanes; i++) starts.push_back(row * f.row_bytes + f.lane_offsets[i]);
    std::sort(starts.begin(), starts.end());
    for (size_t i = 1; i < starts.size(); i++)
        if (starts[i] - starts[i - 1] < f.entry_bytes) return true;
    return false;
}

}  // namespace

int check_layout(const ProgramRecord &record, const AlgorithmRecord &algorithm, std::string *why) {
    struct Span {
        uint64_t begin, end;
        const char *name;
    };
    std::vector<Span> spans;
    const bool hash = algorithm.reads_only();
    for (const FieldRecord &f : record.fields) {
        if (f.name[0] == 0) return refuse(why, "%s: a field has no name", record.name);
        if (f.rows == 0 || f.entry_bytes == 0 || uint64_t(f.rows) * f.n_lanes > MAX_ENTRIES)
            return refuse(why, "%s: field %s has no entries, or too many", record.name, f.name);
        if (record.field(f.name) != &f) return refuse(why, "%s: two fields are called %s", record.name, f.name);
        if (entries_overlap(f)) return refuse(why, "%s: entries of field %s overlap", record.name, f.name);
        const bool lanes = is(f, "in") || is(f, "out"), from = is(f, "from");
        if ((lanes || from) && (f.rows != 1 || f.entry_bytes != 8 || f.n_lanes != (from ? 1 : record.lanes)))
            return refuse(why, "%s: field %s does not hold one pointer per lane", record.name, f.name);
        if (f.reach && (lanes || from || f.rows != 1 || f.entry_bytes != 8 || f.n_lanes != 1 || record.lanes != 1 ||
                        f.reach > MAX_REACH || f.reach_align() == 0 || f.reach_align() > 64))
            return refuse(why, "%s: field %s is not one pointer", record.name, f.name);
        for (const auto &pointed : POINTED_TO)
            if (f.reach && is(f, pointed.name) &&
                (f.reach_align() > pointed.align || (f.flags & FIELD_REACH_WRITTEN && !pointed.written)))
                return refuse(why, "%s: what field %s points to is not aligned so, or not to be written", record.name,
                              f.name);
        if (record.is_listed() &&
            ((is(f, "text_bytes") && f.entry_bytes != 8) || record.state_align > alignof(cst_job)))
            return refuse(why, "%s: a job of a list has no such field %s, or no such alignment", record.name, f.name);
        if (is(f, "out") && hash) return refuse(why, "%s: a hash has no output that the runtime sets", record.name);
        if ((is(f, "hand") && hash) || (from && !hash))
            return refuse(why, "%s: field %s belongs to the other side of a pair", record.name, f.name);
        uint64_t last = 0;
        for (uint32_t i = 0; i < f.n_lanes; i++) last = std::max<uint64_t>(last, f.lane_offsets[i]);
        const uint64_t rows = uint64_t(f.rows) * f.row_bytes,
                       entries = uint64_t(f.rows - 1) * f.row_bytes + last + f.entry_bytes;
        const uint64_t size = std::max(rows, entries);
        if (f.offset + size > record.state_bytes)
            return refuse(why, "%s: field %s leaves the state block", record.name, f.name);
        spans.push_back({f.offset, f.offset + size, f.name});
    }
    std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.begin < b.begin; });
    for (size_t i = 1; i < spans.size(); i++)
        if (spans[i].begin < spans[i - 1].end)
            return refuse(why, "%s: field %s overlaps %s", record.name, spans[i].name, spans[i - 1].name);
    const FieldRecord *key = record.field("key");
    const uint32_t flags = (key && (key->flags & FIELD_SHARED) ? uint32_t(PROGRAM_SHARED_KEY) : 0) |
                           (record.field("hand") || record.field("from") ? uint32_t(PROGRAM_HAND) : 0);
    if ((record.flags & (PROGRAM_SHARED_KEY | PROGRAM_HAND)) != flags)
        return refuse(why, "%s: its flags contradict its fields", record.name);
    return CST_OK;
}

}  // namespace cst
