// The C API: seals a long text as TLS records, several at a time in lanes.

#include <algorithm>
#include <cmath>
#include <vector>

#include "arguments.hpp"
#include "jobs.hpp"
#include "../executors/message.hpp"
#include "../run/run.hpp"
#include "../plan/lineup.hpp"
#include "../suite/registers.hpp"

using namespace cst;

namespace {

constexpr size_t HEADER = 5, IV = 16;
// In a record with less text, headers, MAC and padding are more than a twentieth.
constexpr size_t LEAST_FRAGMENT = 1024;
constexpr size_t MOST_LANES = 16;
constexpr size_t MOST_TEXT = size_t(1) << 48;

// Describes how a text is cut into records.
struct Cut {
    const Suite *suite;
    size_t records, fragment;
    uint64_t whole;  // bytes of text

    size_t text(size_t i) const { return std::min<uint64_t>(fragment, whole - i * fragment); }
    size_t sealed(size_t text) const { return suite->sealed_bytes(text); }
    size_t record(size_t text) const { return HEADER + IV + sealed(text); }
    size_t bytes() const { return (records - 1) * record(fragment) + record(text(records - 1)); }
};

// Returns the core cycles of records that are sealed together in lanes. Besides its text the MAC has three blocks:
// head, end, outer hash.
double cycles_of(const Suite &suite, size_t records, uint64_t text) {
    Need need = {&suite.pairs, records, text, text};
    need.one_key = true;
    need.aligned = false;
    double cycles;
    if (!choose_pair(suite, need, suite.encrypts, &cycles)) {
        need.family = &suite.encrypts;
        cycles = step_cycles(suite, need);
        need.family = &suite.hashes;
        cycles += step_cycles(suite, need);
    }
    const size_t block = suite.hash->record.block_bytes;
    return cycles + 3 * step_cycles(suite, {&suite.hashes, records, block, block});
}

// Returns the length of text per record with which records of equal shares are sealed fastest.
size_t fastest_fragment(const Suite &suite, size_t in_len) {
    if (in_len <= LEAST_FRAGMENT) return LEAST_FRAGMENT;
    size_t best = TLS_MOST_PLAIN;
    double least = HUGE_VAL;
    for (size_t lanes = 1; lanes <= MOST_LANES; lanes *= 2) {
        const size_t fragment = std::max(LEAST_FRAGMENT, ((in_len + lanes - 1) / lanes + 15) & ~size_t(15));
        const size_t records = (in_len - 1) / fragment + 1;
        if (fragment > TLS_MOST_PLAIN) continue;
        if (records <= lanes / 2) break;
        const double cycles = cycles_of(suite, records, fragment);
        if (cycles < least) least = cycles, best = fragment;
    }
    return best;
}

int cut_text(const cst_key *key, size_t in_len, size_t fragment, Cut *cut) {
    if (!key || from(key)->suite->construction != Construction::tls) return CST_ERR_ARGUMENT;
    if (fragment > TLS_MOST_PLAIN || in_len > MOST_TEXT) return CST_ERR_LENGTH;
    const Suite *const suite = from(key)->suite;
    if (!fragment) fragment = fastest_fragment(*suite, in_len);
    *cut = {suite, in_len ? (in_len - 1) / fragment + 1 : 1, fragment, in_len};
    return CST_OK;
}

int check_write(const cst_tls_write &write, Cut *cut) {
    if (write.size != sizeof(write)) return CST_ERR_ARGUMENT;
    if (write.version < 0x0302 || write.version > 0x0303) return CST_ERR_ARGUMENT;  // TLS 1.0 has no explicit IV
    if ((write.iv_len && !write.iv) || (write.out_cap && !write.out) || (write.in_len && !write.in))
        return CST_ERR_ARGUMENT;
    if (int error = cut_text(write.key, write.in_len, write.fragment, cut)) return error;
    const size_t iv_bytes = IV * cut->records, out_bytes = cut->bytes();
    const bool right =
        write.iv_len >= iv_bytes && write.out_cap >= out_bytes && write.sequence + (cut->records - 1) >= write.sequence;
    if (!right) return CST_ERR_LENGTH;
    return check_places({Argument::outputs(&write), Argument::input(write.in, write.in_len),
                         Argument::input(write.iv, write.iv_len), Argument::output(write.out, out_bytes)});
}

struct Head {
    uint8_t bytes[TLS_AAD];
};

// Writes header and IV of record i. Returns the job for the rest.
cst_job begin_record(const cst_tls_write &write, const Cut &cut, size_t i, Head *head) {
    const size_t text = cut.text(i), payload = IV + cut.sealed(text);
    const uint64_t sequence = __builtin_bswap64(write.sequence + i);
    uint8_t *out = static_cast<uint8_t *>(write.out) + i * cut.record(cut.fragment);
    const uint8_t *iv = static_cast<const uint8_t *>(write.iv) + IV * i;
    const uint8_t header[HEADER] = {write.type, uint8_t(write.version >> 8), uint8_t(write.version),
                                    uint8_t(payload >> 8), uint8_t(payload)};
    memcpy(head->bytes, &sequence, sizeof(sequence));
    memcpy(head->bytes + sizeof(sequence), header, 3);
    memcpy(out, header, HEADER);
    memcpy(out + HEADER, iv, IV);
    cst_job job = {};
    job.size = sizeof(job);
    job.key = write.key;
    job.direction = CST_SEAL;
    job.status = JOB_WAITING;
    job.iv = iv;
    job.iv_len = IV;
    job.aad = head->bytes;
    job.aad_len = TLS_AAD;
    job.in = static_cast<const uint8_t *>(write.in) + i * cut.fragment;
    job.in_len = text;
    job.out = out + HEADER + IV;
    job.out_cap = cut.sealed(text);
    return job;
}

}  // namespace

int cst_tls_seal_size(const cst_key *key, size_t in_len, size_t fragment, size_t *records, size_t *bytes) {
    Cut cut;
    const Argument buffers[] = {Argument::outputs(records, records ? 1 : 0), Argument::outputs(bytes, bytes ? 1 : 0)};
    if (any_wrong_pointer(buffers)) return CST_ERR_ARGUMENT;
    if (int error = cut_text(key, in_len, fragment, &cut)) return error;
    if (int error = check_places(buffers)) return error;
    if (records) *records = cut.records;
    if (bytes) *bytes = cut.bytes();
    return CST_OK;
}

int cst_tls_seal(cst_tls_write *write) {
    Cut cut;
    if (!is_object(write)) return CST_ERR_ARGUMENT;
    if (int error = check_write(*write, &cut)) return error;
    const Engine &engine = *from(write->key)->suite->engine;
    const ClearRegisters clear(engine.cpu());
    return guarded([&]() -> int {
        const size_t room = std::min(cut.records, MOST_MESSAGES);
        std::vector<cst_job> jobs(room);
        std::vector<Head> heads(room);
        Memory memory;
        if (int error = memory.allocate(engine, room)) return error;
        for (size_t first = 0; first < cut.records; first += room) {
            const size_t n = std::min(room, cut.records - first);
            for (size_t i = 0; i < n; i++) jobs[i] = begin_record(*write, cut, first + i, &heads[i]);
            run_jobs(&memory, jobs.data(), n);
        }
        write->records = cut.records;
        write->out_len = cut.bytes();
        return CST_OK;
    });
}
