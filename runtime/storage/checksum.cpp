#include "checksum.hpp"

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "../executors/copy.hpp"
#include "../plan/lineup.hpp"
#include "../executors/message.hpp"

namespace cst {
namespace {

constexpr size_t MOST_STEP = 16 * CRC_MOST_BLOCKS;

// Says which bytes of a stride there are, behind so many zeros: a bit for each.
void put_bits(uint8_t *to, uint64_t zeros, uint64_t step) {
    const auto put_word = [to](uint64_t first, uint64_t bits) { memcpy(to + first / 8, &bits, sizeof(bits)); };
    for (uint64_t first = 0; first < step; first += 64) put_word(first, 0 - uint64_t(first >= zeros));
    if (zeros < step) put_word(zeros & ~uint64_t(63), ~uint64_t(0) << (zeros & 63));
}

// Calls the kernel once (streams/crc.j2, streams/adler32.j2). A checksum reveals of its text no more than the caller
// discloses, but no copy of the text stays in memory.
uint64_t call(const Variant &v, const Key &key, uint64_t at, const uint8_t *in, uint64_t bytes) {
    alignas(64) uint8_t state[MOST_CHECKSUM_STATE], aside[MOST_STEP];
    const auto point = [&](uint32_t field, const void *to) { put_pointer(state + field, to); };
    const MessagePlace &place = v.message;
    const Crc &crc = key.crc();
    const uint32_t above = crc.reflected ? 0 : 64 - crc.width;
    const uint64_t iterations = bytes ? (bytes - 1) >> v.step_log2 : 0, head = bytes - (iterations << v.step_log2),
                   zeros = v.step - head;
    const bool apart = !place.bits && zeros;
    if (!crc.modulus) {
        put_words(state + place.chain, crc.reflected ? 0 : at << above, crc.reflected ? at : 0);
        point(place.key, key.powers());
        point(place.phase, key.phase(head));
    }
    point(v.hash.lanes[0].in, in + head);
    if (apart) {
        for (uint64_t i = 0; i < zeros; i += 16) put_zeros(aside + i);
        if (head) copy_few(aside + zeros, in, head);
        point(place.head_in, aside);
    } else {
        point(place.head_in, bytes ? in - zeros : state);  // of no bytes the kernel uses none
        if (place.bits) put_bits(state + place.head_mask, zeros, v.step);
    }
    cst_kernel_args args = {iterations, {}};
    args.state[0] = state + v.state_offset[0];
    v.kernel.load(std::memory_order_acquire)->fn(&args);
    if (apart) wipe(aside + zeros, head);
    const uint64_t low = load64(state + place.chain), high = load64(state + place.chain + 8);
    wipe(state + place.chain, 16);  // it has more bits than the checksum
    if (crc.modulus) return crc.add_sums(at, bytes, low, high);
    return (crc.reflected ? high : low) >> above;
}

int run_alone(const KernelCall &call, cst_job *job);
int run_many(const KernelCall &call, JobList jobs, size_t n);

// Selects the kernel for n texts. Every kernel of a checksum takes every text, so that a cached choice needs no check.
const Variant &kernel_for(const Suite &suite, size_t n, uint64_t bytes) {
    const Family &family = suite.whole_hashes;
    Need need = {&family, n, bytes, bytes};
    need.whole = true;
    Choice choice;
    if (usual(suite) && family.choices.recall(Question(suite, need, Question::Kind::step).number, &choice) &&
        choice.index != Choice::NONE)
        return *family.variants[choice.index];
    return *line_up_whole(suite, family, n, bytes);
}

// Lays down the call of the kernel for a text alone, of a suite that is not forced.
const Variant &lay_down(const Suite &suite, bool opens, uint64_t aad, uint64_t bytes) {
    const Variant &v = kernel_for(suite, 1, bytes);
    LaidCalls &laid = suite.laid[opens];
    const KernelCall *const call = laid.of(v, true, [&] {
        KernelCall made = {};
        made.variant = &v;
        made.run_one = run_alone;
        made.run = run_many;
        return made;
    });
    if (call) laid.remember(suite.engine->cost_generation(), aad, bytes, call);
    return v;
}

// Selects the kernel for one text by one load, where its call has been laid down.
const Variant &kernel_alone(const Suite &suite, uint64_t bytes) {
    if (!usual(suite)) return kernel_for(suite, 1, bytes);
    const KernelCall *call;
    if (suite.laid[false].row(suite.engine->cost_generation(), 0).recall(bytes, &call) && call) return *call->variant;
    return lay_down(suite, false, 0, bytes);
}

bool finish(cst_job *job, uint64_t at) {
    uint8_t digest[8];
    put_checksum(key_of(*job), at, digest);
    return settle_digest(job, digest);
}

}  // namespace

ChecksumCalls::ChecksumCalls(const Suite &suite, size_t n, uint64_t bytes)
    : ChecksumCalls(*suite.engine, kernel_for(suite, n, bytes), n) {}
ChecksumCalls::ChecksumCalls(const Engine &engine, const Variant &v, size_t n) : v_(v) {
    if (v_.legacy_sse && engine.avx()) clear_upper_halves();
    v_.calls.add(n);
}

uint64_t ChecksumCalls::run(const Key &key, uint64_t at, const void *in, uint64_t bytes) const {
    const uint8_t *from = static_cast<const uint8_t *>(in);
    if (key.crc().modulus)
        for (; bytes > MOST_SUMMED; bytes -= MOST_SUMMED, from += MOST_SUMMED)
            at = call(v_, key, at, from, MOST_SUMMED);
    return call(v_, key, at, from, bytes);
}

uint64_t go_on_with(const Key &key, uint64_t at, const void *in, uint64_t bytes) {
    return ChecksumCalls(*key.suite->engine, kernel_alone(*key.suite, bytes), 1).run(key, at, in, bytes);
}

void put_checksum(const Key &key, uint64_t at, void *tag) {
    const size_t bytes = key.suite->tag_max;
    uint64_t value = at ^ key.crc().final;
    if (!key.crc().reflected) value = __builtin_bswap64(value << (64 - 8 * bytes));
    memcpy(tag, &value, bytes);
}

namespace {

bool run_with(const ChecksumCalls &calls, cst_job *job) {
    const Key &key = key_of(*job);
    return finish(job, calls.run(key, key.crc().start, job->in, job->in_len));
}
}  // namespace

int run_checksums(cst_job *jobs, size_t n) {
    bool all = true;
    if (jobs->n_in_pieces) {
        for (cst_job *job = jobs; job < jobs + n; job++) {
            uint64_t at = key_of(*job).crc().start;
            for (size_t i = 0; i < job->n_in_pieces; i++)
                at = go_on_with(key_of(*job), at, job->in_pieces[i].data, job->in_pieces[i].bytes);
            all &= finish(job, at);
        }
        return all ? CST_OK : CST_ERR_AUTH;
    }
    const ChecksumCalls calls(*key_of(*jobs).suite, n, jobs->in_len);
    for (cst_job *job = jobs; job < jobs + n; job++) all &= run_with(calls, job);
    return all ? CST_OK : CST_ERR_AUTH;
}

namespace {

int run_alone(const KernelCall &call, cst_job *job) {
    return run_with(ChecksumCalls(*key_of(*job).suite->engine, *call.variant, 1), job) ? CST_OK : CST_ERR_AUTH;
}
int run_many(const KernelCall &call, JobList jobs, size_t n) {
    const ChecksumCalls calls(*key_of(*jobs[0]).suite->engine, *call.variant, n);
    bool all = true;
    for (size_t i = 0; i < n; i++) all &= run_with(calls, jobs[i]);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace

void lay_down_checksum(const cst_job &job) {
    const Suite &suite = *key_of(job).suite;
    if (usual(suite)) lay_down(suite, job.direction == CST_OPEN, job.aad_len, job.in_len);
}

}  // namespace cst
