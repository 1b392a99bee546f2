#include "ccm_abreast.hpp"

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "call.hpp"
#include "copy.hpp"
#include "direct.hpp"

namespace cst {
namespace {

constexpr size_t MOST_JOBS = 64;  // at once
constexpr size_t FEW = 8;         // fewer beside jobs of other lengths are better off sharing lanes with them
constexpr size_t LENGTHS = 4;     // that are looked for: where every job has its own, looking would take longer than it saves

}  // namespace

// The cheapest of those that leave nothing over.
const Variant *CcmAbreast::choose_mac(size_t n) const {
    const uint64_t question = n | uint64_t(message_) << 8 | uint64_t(together_) << 46 | uint64_t(1) << 47;
    const Variant *best = suite_.memo ? suite_.memo->recall_exact(suite_.hashes, question) : nullptr;
    if (best && best->kernel.load(std::memory_order_acquire)) return best;
    Query query;
    query.items = n;
    query.bytes = query.least = message_;
    Pick pick;
    for (const Variant *v : suite_.hashes.variants) {
        if ((together_ ? message_ : BLOCK) & (v->step - 1) || v->lag || !competes(*v, query)) continue;
        pick.offer(v, double(v->full_rounds(n + v->lanes - 1)) * (v->cost.per_call + v->cost.per_byte * double(message_)));
    }
    const Kernel *kernel;
    if (!pick.variant || suite_.engine->fetch(*pick.variant, &kernel)) return nullptr;
    if (suite_.memo) suite_.memo->remember_exact(suite_.hashes, question, pick.variant);
    return pick.variant;
}

bool CcmAbreast::prepare_together(size_t head) {
    const uint64_t text = BLOCK + whole_blocks(bytes_);
    cipher_ = end_cipher_ = which_.rounded_up(suite_.encrypts, text);
    if (!cipher_) return false;
    text_at_ = MESSAGE + head;
    used_ = std::max(MESSAGE + message_ + BLOCK, text_at_ - BLOCK + cipher_->whole_iterations(text));
    return used_ <= BLOCKS_BYTES;
}

bool CcmAbreast::prepare_apart(size_t head) {
    const Kernel *kernel;
    cipher_ = which_.choose(suite_.encrypts, bytes_);
    if (!cipher_ || suite_.engine->fetch(*cipher_, &kernel)) return false;
    bulk_ = bytes_ & ~uint64_t(cipher_->step - 1);
    end_cipher_ = bulk_ == bytes_ ? cipher_ : which_.rounded_up(suite_.encrypts, bytes_ - bulk_);
    if (!end_cipher_) return false;
    text_at_ = END;
    used_ = std::max(MESSAGE + head + 2 * BLOCK, END + end_cipher_->whole_iterations(bytes_ - bulk_));
    return used_ <= BLOCKS_BYTES;
}

bool CcmAbreast::prepare(const cst_job &model, size_t n) {
    bytes_ = model.in_len;
    aad_bytes_ = model.aad_len;
    together_ = bytes_ <= MOST_TOGETHER;
    const size_t head = BLOCK + (aad_bytes_ ? whole_blocks(2 + aad_bytes_) : 0);
    message_ = head + whole_blocks(bytes_);
    if (n == 1 && bytes_ > MOST_LONE) return false;  // stitched, cipher and MAC of one message are better
    mac_ = choose_mac(n);
    if (!mac_ || !(together_ ? prepare_together(head) : prepare_apart(head))) return false;
    if (cipher_->cipher.key_row_bytes != BLOCK || end_cipher_->cipher.key_row_bytes != BLOCK) return false;
    if ((cipher_->legacy_sse || end_cipher_->legacy_sse || mac_->legacy_sse) && avx_) clear_upper_halves();
    arena_->lanes.state_used = std::max<size_t>({arena_->lanes.state_used, mac_->state_bytes, cipher_->state_bytes, end_cipher_->state_bytes});
    return true;
}

// A.2: what CBC-MAC reads in front of the text.
void CcmAbreast::make_head(const cst_job &job, uint8_t *place) const {
    uint8_t *const aad = place + MESSAGE + BLOCK;
    put_ccm_first(job, place + MESSAGE);
    if (!aad_bytes_) return;
    const uint16_t length = __builtin_bswap16(uint16_t(aad_bytes_));
    for (size_t i = 0; i < whole_blocks(sizeof(length) + aad_bytes_); i += BLOCK) put_words(aad + i, 0, 0);
    memcpy(aad, &length, sizeof(length));
    copy_few(aad + sizeof(length), static_cast<const uint8_t *>(job.aad), aad_bytes_);
}

void CcmAbreast::load_macs(cst_job *const *jobs, size_t n) {
    const size_t rows = mac_->hash.key_rows, stride = mac_->hash.key_row_bytes;
    for (size_t i = 0; i < n; i++) {
        const LanePlace &lane = mac_->hash.lanes[i];
        uint8_t *const state = arena_->lanes.state;
        const uint8_t *from = key_of(*jobs[i]).encrypt[0];
        put_words(state + lane.chain, 0, 0);
        for (size_t r = 0; r < rows; r++) memcpy(state + lane.key + r * stride, from + r * BLOCK, BLOCK);
    }
}

// Of every lane so many bytes; a lane without a job repeats the first one's.
template <typename At>
void CcmAbreast::hash(size_t n, uint64_t bytes, At at) {
    uint8_t *const state = arena_->lanes.state;
    for (size_t i = 0; i < mac_->lanes; i++) put_pointer(state + mac_->hash.lanes[i].in, at(i < n ? i : 0));
    call_kernel(*mac_, state, bytes);
}

// Of as many jobs as there are lanes at most, to the chaining values of the state block.
void CcmAbreast::make_macs(cst_job *const *jobs, size_t n) {
    Work *const works = arena_->works;
    load_macs(jobs, n);
    if (together_) return hash(n, message_, [&](size_t i) { return works[i].blocks + MESSAGE; });
    const uint64_t whole = bytes_ & ~uint64_t(BLOCK - 1), head = message_ - whole_blocks(bytes_);
    hash(n, head, [&](size_t i) { return works[i].blocks + MESSAGE; });
    hash(n, whole, [&](size_t i) { return plaintext(*jobs[i]); });
    if (whole == bytes_) return;
    for (size_t i = 0; i < n; i++) {
        uint8_t *const end = works[i].blocks + MESSAGE + head;
        put_words(end, 0, 0);
        copy_few(end, plaintext(*jobs[i]) + whole, bytes_ - whole);
    }
    hash(n, BLOCK, [&](size_t i) { return works[i].blocks + MESSAGE + head; });
}

void CcmAbreast::run_cipher(const Variant &v, const cst_job &job, uint64_t number, const uint8_t *in, uint8_t *out, uint64_t bytes) {
    const LanePlace &lane = v.cipher.lanes[0];
    uint8_t *const state = arena_->lanes.state;
    put_ccm_block(job, 0, number, state + lane.chain);
    put_pointer(state + lane.in, in);
    put_pointer(state + lane.out, out);
    const uint8_t *keys = key_of(job).encrypt[0];
    for (size_t r = 0; r < v.cipher.key_rows; r++) memcpy(state + lane.key + r * BLOCK, keys + r * BLOCK, BLOCK);
    call_kernel(v, state, v.whole_iterations(bytes));
}

// A.3: the text, and E(K, counter block 0).
void CcmAbreast::encipher(const cst_job &job, uint8_t *place) {
    if (together_) {
        uint8_t *const from = place + text_at_ - BLOCK;
        put_words(from, 0, 0);
        run_cipher(*cipher_, job, 0, from, from, BLOCK + bytes_);
        memcpy(place, from, BLOCK);
        return;
    }
    const uint8_t *const in = static_cast<const uint8_t *>(job.in);
    uint8_t *const out = static_cast<uint8_t *>(job.out), *const end = place + text_at_;
    put_ccm_block(job, 0, 0, place);
    aes_encrypt(key_of(job).encrypt, suite_.encrypt->record.rounds, place, place);
    if (bulk_) run_cipher(*cipher_, job, 1, in, out, bulk_);
    const size_t rest = size_t(bytes_ - bulk_);
    if (!rest) return;
    copy_few(end, in + bulk_, rest);
    run_cipher(*end_cipher_, job, 1 + bulk_ / BLOCK, end, end, rest);
    copy_few(out + bulk_, end, rest);
}

// The tag, in `mac` (6.1, step 8). False: it is not the job's, which is then as good as never opened.
bool CcmAbreast::finish(cst_job *job, uint8_t *place, const uint8_t *mac) const {
    put_words(place, load64(place) ^ load64(mac), load64(place + 8) ^ load64(mac + 8));
    text_done(job);
    if (!opens_) copy_few(static_cast<uint8_t *>(job->tag), place, job->tag_len);
    if (!opens_ || same_bytes(place, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
        if (together_) copy_few(static_cast<uint8_t *>(job->out), place + text_at_, bytes_);
        return true;
    }
    refuse(job);
    return false;
}

bool CcmAbreast::run(cst_job *const *jobs, size_t n) {
    const size_t lanes = mac_->lanes;
    bool all = true;
    for (size_t at = 0; at < n; at += lanes) {
        const size_t some = std::min(lanes, n - at);
        cst_job *const *these = jobs + at;
        for (size_t i = 0; i < some; i++) {
            const cst_job &job = *these[i];
            uint8_t *const place = at ? arena_->works[i].blocks : arena_->begin(i)->blocks;
            arena_->works[i].use_blocks(used_);
            if (together_) copy_few(place + text_at_, static_cast<const uint8_t *>(job.in), bytes_);
            if (opens_) encipher(job, place);
            make_head(job, place);
            if (together_) put_words(place + text_at_ + bytes_, 0, 0);
        }
        make_macs(these, some);
        uint8_t macs[MAX_LANES][BLOCK];
        for (size_t i = 0; i < some; i++) memcpy(macs[i], arena_->lanes.state + mac_->hash.lanes[i].chain, BLOCK);
        for (size_t i = 0; i < some; i++) {
            uint8_t *const place = arena_->works[i].blocks;
            if (!opens_) encipher(*these[i], place);
            all &= finish(these[i], place, macs[i]);
        }
        wipe(macs, some * BLOCK);
    }
    return all;
}

bool ccm_takes(const cst_job &job) { return !key_of(job).suite->forced && CcmAbreast::takes(job); }

// Of every length that some of the first jobs have those of this length, unless they are few among others.
int ccm_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n) {
    const size_t window = std::min(n, MOST_JOBS);
    const auto waits = [&](const cst_job &job) { return job.status == JOB_WAITING && job.direction == direction && key_of(job).suite == &suite; };
    size_t waiting = 0;
    for (size_t i = 0; i < window; i++) waiting += waits(jobs[i]);
    CcmAbreast abreast(arena, suite, direction, one_key(jobs, n));
    const cst_job *seen[LENGTHS];
    size_t lengths = 0;
    int result = CST_OK;
    for (size_t i = 0; i < window && lengths < LENGTHS; i++) {
        const cst_job &model = jobs[i];
        const auto as_long = [](const cst_job &a, const cst_job &b) { return a.in_len == b.in_len && a.aad_len == b.aad_len; };
        if (!waits(model) || !CcmAbreast::takes(model)) continue;
        if (std::any_of(seen, seen + lengths, [&](const cst_job *other) { return as_long(*other, model); })) continue;
        seen[lengths++] = &model;
        cst_job *alike[MOST_JOBS];
        size_t some = 0;
        for (size_t k = i; k < window; k++)
            if (as_long(jobs[k], model) && waits(jobs[k]) && CcmAbreast::takes(jobs[k])) alike[some++] = &jobs[k];
        if ((some < FEW && some < waiting) || !abreast.prepare(model, some)) continue;
        if (!abreast.run(alike, some)) result = CST_ERR_AUTH;
        waiting -= some;
    }
    return result;
}

}  // namespace cst
