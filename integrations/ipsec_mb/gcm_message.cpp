#include "gcm_message.hpp"

#include <algorithm>

#include "counter.hpp"
#include "message/constructions.hpp"
#include "message/gcm_call.hpp"
#include "message/job_list.hpp"
#include "parts/key_stream.hpp"
#include "suite/ghash.hpp"

namespace cst::imb {
namespace {

// Offset of the end of the powers, which begin in the cache line behind the round keys.
constexpr size_t powers_end_at(uint64_t key_bytes) {
    const size_t round_keys = (7 + key_bytes / 4) * sizeof(KeyRow), line = alignof(Key);
    return (round_keys + line - 1) / line * line + GHASH_POWERS * sizeof(KeyRow);
}
constexpr size_t IS_SHORT_AT = offsetof(gcm_key_data, ghash_keys) + sizeof(gcm_key_data::ghash_keys) - 1;
static_assert(powers_end_at(24) == powers_end_at(32) && powers_end_at(32) + sizeof(KeyRow) <= IS_SHORT_AT);
static_assert(powers_end_at(16) - GHASH_POWERS * sizeof(KeyRow) >= 11 * sizeof(KeyRow), "behind the round keys");

uint8_t *octets_of(gcm_key_data *key) { return reinterpret_cast<uint8_t *>(key); }
const uint8_t *octets_of(const gcm_key_data &key) { return reinterpret_cast<const uint8_t *>(&key); }

// How many rows behind the powers can be read.
size_t rows_behind(const gcm_key_data &key) {
    return (octets_of(key) + sizeof(key) - reinterpret_cast<const uint8_t *>(powers_end(key))) / sizeof(KeyRow);
}

// How many of them are zeros.
size_t zeros_behind(const gcm_key_data &key) {
    return (octets_of(key) + IS_SHORT_AT - reinterpret_cast<const uint8_t *>(powers_end(key))) / sizeof(KeyRow);
}

// The powers with which the shared reduction after the loop begins. In a piece, which another may follow, they are
// lower by two: H^0 is the row of zeros.
class EndPowers {
public:
    [[gnu::always_inline]] EndPowers(const GcmCall &call, const gcm_key_data &key, size_t stride, bool piece) {
        const KeyRow *const end = powers_end(key);
        rows_ = end - call.end_blocks() + (piece ? 1 : -1);
        const size_t wanted = call.front_blocks() + stride, there = size_t(end - rows_) + rows_behind(key);
        if (wanted > there) rows_ = static_cast<KeyRow *>(memcpy(copy_, rows_, there * sizeof(KeyRow)));
    }
    ~EndPowers() {
        if (rows_ == copy_) wipe(copy_, sizeof(copy_));
    }
    EndPowers(const EndPowers &) = delete;
    EndPowers &operator=(const EndPowers &) = delete;
    const KeyRow *rows() const { return rows_; }

private:
    const KeyRow *rows_;
    // Holds a copy of the rows, for a message whose kernel would read behind the caller's own.
    KeyRow copy_[SHORT_MESSAGE_AAD / BLOCK + MOST_SHORT_GCM_BLOCKS];
};

// Whether the last 32 bits of a counter block wrap, which kernels cannot handle.
bool wraps(const uint8_t *counter, uint64_t bytes) {
    return counter_word(counter) + (bytes + BLOCK - 1) / BLOCK > UINT32_MAX;
}

// Makes a message a job of a list for a kernel call. J0 is `counter`, GCM_IV bytes, and the number 1. Returns false if
// the kernel does not take it.
inline bool make_listed(const KernelCall &call, const gcm_key_data &key, const GcmMessage &m, uint8_t *tag,
                        cst_job *job) {
    // The key of a job begins with a header, which kernels do not read.
    job->key = reinterpret_cast<const cst_key *>(octets_of(key) - KeyLayout::ENCRYPT);
    job->iv = m.counter;
    job->iv_len = GCM_IV;
    job->aad = m.aad;
    job->aad_len = size_t(m.aad_bytes);
    job->in = m.in;
    job->in_len = size_t(m.bytes);
    job->out = m.out;
    job->tag = tag;
    // The first power is the one behind the end's, and as many rows are read as the kernel has blocks. Without masks of
    // bytes it is that of the blocks in front of the last one, for a block less; what is read behind must be zeros.
    const size_t end = size_t((m.bytes - 1) & (call.step - 1)) / BLOCK + 1;
    const size_t there = call.variant->jobs.masks ? 1 + rows_behind(key) : zeros_behind(key);
    return ListTakes(call, *job)(*job) && call.step / BLOCK <= end + there;
}

template <bool piece>
inline bool run(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &m, uint64_t aad_length, uint8_t *tag) {
    const Suite *const suite = cipher_suite(Cipher::gcm, key_bytes);
    KernelCall spare;
    const KernelCall *kernel = suite ? whole_call(*suite, m.opens, m.aad_bytes, m.bytes, &spare) : nullptr;
    if (!kernel || wraps(m.counter, m.bytes)) return false;
    kernel = without_list(kernel);
    CallRoom room(*kernel);
    GcmCall call(&room, m.bytes);
    const EndPowers powers(call, key, kernel->step / BLOCK, piece);
    call.run({key.expanded_keys,
              powers_end(key),
              m.counter,
              {m.aad, size_t(m.aad_bytes)},
              m.in,
              m.out,
              m.bytes,
              aad_length,
              piece ? 0 : m.bytes},
             powers.rows(), tag);
    return true;
}

}  // namespace

const KeyRow *powers_end(const gcm_key_data &key) {
    const uint8_t *const at = octets_of(key);
    return reinterpret_cast<const KeyRow *>(at + (at[IS_SHORT_AT] ? powers_end_at(16) : powers_end_at(32)));
}

void put_powers(uint64_t key_bytes, const uint8_t *h, gcm_key_data *key) {
    uint8_t *const end = octets_of(key) + powers_end_at(key_bytes);
    ghash_powers(h, GHASH_POWERS, reinterpret_cast<KeyRow *>(end) - GHASH_POWERS);
    memset(end, 0, size_t(octets_of(key) + IS_SHORT_AT - end));
    octets_of(key)[IS_SHORT_AT] = key_bytes == 16;
}

bool has_powers(uint64_t aad_bytes, uint64_t bytes) {
    const auto blocks = [](uint64_t n) { return (n + BLOCK - 1) / BLOCK; };
    return bytes > MOST_SHORT_GCM_BLOCKS * BLOCK || blocks(aad_bytes) + blocks(bytes) + 1 <= GHASH_POWERS;
}

bool run_gcm_listed(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &m, uint8_t *tag) {
    if (overwrites_head(m)) return false;
    const Suite *const suite = cipher_suite(Cipher::gcm, key_bytes);
    const KernelCall *const call = suite ? list_call(*suite, m.opens, m.aad_bytes, m.bytes) : nullptr;
    cst_job job, *const list = &job;
    if (!call || !make_listed(*call, key, m, tag, &job)) return false;
    make_tags(*call, &list, 1);
    return true;
}

bool run_gcm_message(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint64_t aad_length,
                     uint8_t *tag) {
    return run<false>(key_bytes, key, message, aad_length, tag);
}

bool run_gcm_piece(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &piece, uint8_t *chain) {
    return run<true>(key_bytes, key, piece, 0, chain);
}

bool GcmList::add(const KernelCall &call, const gcm_key_data &key, bool opens, const GcmInput &input, uint8_t *out,
                  const uint8_t *in, uint64_t bytes, uint8_t *tag, uint64_t tag_bytes) {
    if (n_ == MOST) run();
    const bool is_short = tag_bytes != BLOCK;
    const GcmMessage message = {opens, input.iv, input.aad, input.aad_bytes, in, out, bytes};
    if ((in != out && meet(in, bytes, out, bytes)) || overwrites_head(message)) return false;
    if (!make_listed(call, key, message, is_short ? made_[n_] : tag, &jobs_[n_])) return false;
    calls_[n_] = &call;
    tags_[n_++] = {tag, size_t(tag_bytes)};
    any_short_ |= is_short;
    return true;
}

void GcmList::run() {
    cst_job *jobs[MOST], *its[MOST];
    for (size_t i = 0; i < n_; i++) jobs[i] = &jobs_[i];
    for_each_call(calls_, jobs, its, n_, [&](const KernelCall *call, size_t n) { make_tags(*call, its, n); });
    for (size_t i = 0; any_short_ && i < n_; i++)
        if (tags_[i].bytes != BLOCK) copy_few(tags_[i].to, made_[i], tags_[i].bytes);
    if (any_short_) wipe_rows(made_, n_);
    n_ = 0;
    any_short_ = false;
    last_ = {};
}

}  // namespace cst::imb
