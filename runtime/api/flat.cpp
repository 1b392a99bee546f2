// The C API: one call runs many messages under one key, without a cst_job of the caller for each.

#include <algorithm>

#include "jobs.hpp"
#include "offsets.hpp"
#include "../executors/message.hpp"
#include "../suite/registers.hpp"

using namespace cst;

namespace {

// Calls make(i, job) for the n messages, some at a time, then run(jobs, count) for these. The first error ends the
// loop.
template <typename Make, typename Run>
int each_window(Memory *memory, size_t n, Make make, Run run) {
    struct Window {
        cst_job jobs[MOST_MESSAGES];
    };
    const InSlot<Window> window(memory->window);
    cst_job *const jobs = window->jobs;
    for (size_t i = 0; i < std::min(n, MOST_MESSAGES); i++) {
        jobs[i] = {};
        jobs[i].size = sizeof(cst_job);
    }
    for (size_t first = 0; first < n; first += MOST_MESSAGES) {
        const size_t some = std::min(n - first, MOST_MESSAGES);
        for (size_t i = 0; i < some; i++) make(first + i, &jobs[i]);
        if (int error = run(first, jobs, some)) return error;
    }
    return CST_OK;
}

// Checks all messages before it begins any. set_status(i, status) receives the result of each.
template <typename Make, typename SetStatus>
int run_many(const cst_key *key, size_t n, Make make, SetStatus set_status) {
    const Engine &engine = *from(key)->suite->engine;
    Memory memory;
    if (int error = memory.allocate(engine, n)) return error;
    const auto check = [&](size_t, cst_job *jobs, size_t some) {
        const int wrong = check_jobs(engine, jobs, some, nullptr);
        return wrong == CST_ERR_AUTH ? int(CST_OK) : wrong;
    };
    if (int error = each_window(&memory, n, make, check)) {
        each_window(&memory, n, make, [&](size_t first, cst_job *jobs, size_t some) {
            check_jobs(engine, jobs, some, nullptr);
            for (size_t i = 0; i < some; i++) set_status(first + i, jobs[i].status);
            return int(CST_OK);
        });
        return error;
    }
    const ClearRegisters clear(engine.cpu());
    return guarded([&]() -> int {
        bool all = true;
        each_window(&memory, n, make, [&](size_t first, cst_job *jobs, size_t some) {
            check_jobs(engine, jobs, some, nullptr);
            all &= run_checked(&memory, jobs, some) == CST_OK;
            for (size_t i = 0; i < some; i++) set_status(first + i, jobs[i].status);
            return int(CST_OK);
        });
        return all ? CST_OK : CST_ERR_AUTH;
    });
}

// n items of `bytes` bytes at equal distances.
struct Rows {
    const uint8_t *first;
    size_t bytes, stride;

    Rows(const void *at, size_t its_bytes, size_t its_stride)
        : first(static_cast<const uint8_t *>(at)), bytes(its_bytes), stride(its_stride ? its_stride : its_bytes) {}

    const uint8_t *operator[](size_t i) const { return bytes ? first + i * stride : nullptr; }
    Argument read(size_t n) const { return Argument::input(first, rows_of(n, bytes, stride)); }
    Argument written(size_t n) const { return Argument::output(first, rows_of(n, bytes, stride)); }
};

// The buffers of a text column whose places do not depend on the offsets.
struct TextBuffers {
    Argument column, ivs, aads, tags, offsets, statuses;

    TextBuffers(const cst_text_column &c, int direction)
        : column(Argument::inputs(&c)),
          ivs(Rows(c.ivs, c.iv_len, c.iv_stride).read(c.n)),
          aads(Rows(c.aads, c.aad_len, c.aad_stride).read(c.n)),
          tags(direction == CST_SEAL ? Rows(c.tags, c.tag_len, c.tag_stride).written(c.n)
                                     : Rows(c.tags, c.tag_len, c.tag_stride).read(c.n)),
          offsets(offset_array(c.offsets, c.offset_bytes, c.n)),
          statuses(Argument::outputs(c.statuses, c.statuses ? c.n : 0)) {}
};

template <typename Offset>
int run_texts(const cst_text_column &c, int direction, const TextBuffers &buffers) {
    const Offset *const offsets = static_cast<const Offset *>(c.offsets);
    if (!right_offsets<Offset>(offsets, c.n, c.bytes)) return CST_ERR_LENGTH;
    const uint8_t *const in = static_cast<const uint8_t *>(c.in);
    uint8_t *const out = static_cast<uint8_t *>(c.out);
    const size_t bytes = offsets[c.n] - offsets[0];
    if (int error = check_places({buffers.column, buffers.ivs, buffers.aads, buffers.tags, buffers.offsets,
                                  buffers.statuses, Argument::input(in + offsets[0], bytes).or_in_place(),
                                  Argument::output(out + offsets[0], bytes).or_in_place()}))
        return error;
    const Rows ivs(c.ivs, c.iv_len, c.iv_stride), aads(c.aads, c.aad_len, c.aad_stride),
        tags(c.tags, c.tag_len, c.tag_stride);
    const auto make = [&](size_t i, cst_job *job) {
        job->key = c.key;
        job->direction = direction;
        job->iv = ivs[i];
        job->iv_len = c.iv_len;
        job->aad = aads[i];
        job->aad_len = c.aad_len;
        job->in = in + offsets[i];
        job->out = out + offsets[i];
        job->in_len = job->out_cap = offsets[i + 1] - offsets[i];
        job->tag = const_cast<uint8_t *>(tags[i]);
        job->tag_len = c.tag_len;
    };
    return run_many(c.key, c.n, make, [&](size_t i, int status) {
        if (c.statuses) c.statuses[i] = status;
    });
}

int run_text_column(const cst_text_column *c, int direction) {
    if (!is_object(c) || c->size != sizeof(*c) || !c->key || !from(c->key)->suite->enciphers()) return CST_ERR_ARGUMENT;
    if (c->offset_bytes != 4 && c->offset_bytes != 8) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(c->key)->suite;
    const TextBuffers buffers(*c, direction);
    const Argument in = Argument::input(c->in, c->bytes),
                   out = Argument::input(c->out, c->bytes);  // not all is written
    if (any_wrong_pointer({in, out}) ||
        (c->n && any_wrong_pointer({buffers.ivs, buffers.aads, buffers.tags, buffers.offsets, buffers.statuses})))
        return CST_ERR_ARGUMENT;
    if (suite.expansion) return CST_ERR_UNSUPPORTED;
    if (!c->n) return CST_OK;
    if (c->iv_len > suite.iv_max || c->aad_len > suite.aad_max ||
        !suite.lengths.of(direction == CST_OPEN).hold_tag(c->tag_len))
        return CST_ERR_LENGTH;
    // All lengths, before offsets are read: how many there are is one of them.
    if (any_wrong_length({in, out, buffers.ivs, buffers.aads, buffers.tags, buffers.offsets, buffers.statuses}))
        return CST_ERR_LENGTH;
    return (c->offset_bytes == 8 ? run_texts<uint64_t> : run_texts<uint32_t>)(*c, direction, buffers);
}

}  // namespace

int cst_seal_column(const cst_text_column *column) { return run_text_column(column, CST_SEAL); }
int cst_open_column(const cst_text_column *column) { return run_text_column(column, CST_OPEN); }

int cst_digest_many(const cst_key *key, size_t n, const void *const *in, const size_t *in_len, void *tags,
                    size_t tag_len, size_t stride) {
    if (!key || from(key)->suite->enciphers()) return CST_ERR_ARGUMENT;
    const Rows rows(tags, tag_len, stride);
    if (int error = check_arguments(CST_OK, {Argument::inputs(in, n), Argument::inputs(in_len, n), rows.written(n)}))
        return error;
    if (!n) return CST_OK;
    const auto make = [&](size_t i, cst_job *job) {
        job->key = key;
        job->direction = CST_SEAL;
        job->in = in[i];
        job->in_len = in_len[i];
        job->tag = const_cast<uint8_t *>(rows[i]);
        job->tag_len = tag_len;
    };
    return run_many(key, n, make, [](size_t, int) {});
}

size_t cst_job_size(void) { return sizeof(cst_job); }
