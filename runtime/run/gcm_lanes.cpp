#include "gcm_lanes.hpp"

#include "call.hpp"
#include "direct.hpp"
#include "key_rows.hpp"

namespace cst {
namespace {

constexpr uint64_t STRIDE = 64;  // of the kernels
static_assert(KEY_ROW == GCM_BLOCK, "rows of either key are blocks");

void copy_round_keys(uint8_t *to, const uint8_t *from, uint32_t rows) {
    switch (rows) {
        case 11: return copy_rows<11, Lie::by_two>(to, KEY_ROW, from);
        case 13: return copy_rows<13, Lie::by_two>(to, KEY_ROW, from);
        default: return copy_rows<15, Lie::by_two>(to, KEY_ROW, from);
    }
}

}  // namespace

GcmLanes::GcmLanes(const Suite &suite, int direction) : suite_(suite), opens_(direction == CST_OPEN) {
    if (!suite.memo || suite.forced) return;
    cipher_ = choose(suite.encrypts, 0);
    if (cipher_) hash_ = choose(suite.hashes, lanes_ = cipher_->lanes);
}

GcmLanes::~GcmLanes() {
    if (!used_) return;
    wipe(cipher_state_, cipher_->state_bytes);
    wipe(hash_state_, hash_->state_bytes);
    wipe(room_, used_);
}

// The cheapest kernel of as many lanes; 0: of several. NULL: there is none.
const Variant *GcmLanes::choose(const Family &family, uint64_t lanes) const {
    const uint64_t question = uint64_t(1) << 47 | uint64_t(&family == &suite_.hashes) << 45 | lanes;
    const Variant *best = suite_.memo->recall_exact(family, question);
    if (best && best->kernel.load(std::memory_order_acquire)) return best;
    best = nullptr;
    Query query;
    query.bytes = query.least = STRIDE;
    for (const Variant *v : family.variants) {
        if (v->lanes == 1 || v->lanes > MOST_LANES || (lanes && v->lanes != lanes) || v->one_key || v->lag || v->step != STRIDE || v->legacy_sse) continue;
        if (v->state_bytes > MOST_STATE || v->state_align > GcmPlace::LINE || !competes(*v, query) || (best && best->cost.per_byte <= v->cost.per_byte)) continue;
        const Kernel *kernel;
        if (!suite_.engine->fetch(*v, &kernel)) best = v;
    }
    if (best) suite_.memo->remember_exact(family, question, best);
    return best;
}

GcmLanes::Group *GcmLanes::begin_group(const cst_job &job) {
    Group *const group = &groups_[n_groups_ < GROUPS ? n_groups_++ : replaced_++ % GROUPS];  // who waited there goes on waiting
    group->bytes = job.in_len;
    group->aad_bytes = job.aad_len;
    group->n = 0;
    return group;
}

void GcmLanes::finish() {
    for (size_t i = 0; i < n_groups_; i++)
        if (enough(groups_[i])) run(groups_[i]);
    n_groups_ = 0;
}

void GcmLanes::load_key(const cst_job &job, size_t lane) {
    if (keys_[lane] == job.key) return;
    keys_[lane] = job.key;
    const Key &key = *reinterpret_cast<const Key *>(job.key);
    const uint32_t rows = hash_->hash.key_rows;
    uint8_t *const powers = hash_state_ + hash_->hash.lanes[lane].key;
    copy_round_keys(cipher_state_ + cipher_->cipher.lanes[lane].key, key.encrypt[0], cipher_->cipher.key_rows);
    for (uint32_t i = 0; i < rows; i++) copy_row(powers + i * hash_->hash.key_row_bytes, key.powers[MOST_POWERS - rows + i]);
}

// Lanes without a job run over what their place has. The kernels need AVX2 themselves.
__attribute__((target("avx2"))) void GcmLanes::run(const Group &group) {
    if (!lies_.fits(*group.jobs[0])) lies_ = GcmPlace(*group.jobs[0], *cipher_, *hash_);
    stride_ = lies_.size();
    used_ = std::max(used_, lanes_ * stride_);
    for (size_t i = 0; i < lanes_; i++) {
        const LanePlace &cipher = cipher_->cipher.lanes[i], &hash = hash_->hash.lanes[i];
        put_pointer(cipher_state_ + cipher.in, place(i) + lies_.enciphered_at());
        put_pointer(cipher_state_ + cipher.out, place(i) + lies_.enciphered_at());
        put_pointer(hash_state_ + hash.in, place(i) + lies_.hashed_at());
        put_zeros(hash_state_ + hash.chain);
        if (i >= group.n) continue;
        const cst_job &job = *group.jobs[i];
        load_key(job, i);
        put_first_counter(cipher_state_ + cipher.chain, job.iv);
        lies_.put_text(place(i), job);
        if (opens_) lies_.begin_hash(place(i), job);
        else lies_.begin_cipher(place(i));
    }
    if (opens_) {
        call_kernel(*hash_, hash_state_, lies_.hashed());
        for (size_t i = 0; i < group.n; i++) lies_.begin_cipher(place(i));
    }
    call_kernel(*cipher_, cipher_state_, lies_.enciphered());
    for (size_t i = 0; i < group.n; i++) {
        lies_.keep_tag_block(place(i));
        if (opens_) continue;
        lies_.take_text(place(i), group.jobs[i]);
        lies_.begin_hash(place(i), *group.jobs[i]);
    }
    if (!opens_) call_kernel(*hash_, hash_state_, lies_.hashed());
    for (size_t i = 0; i < group.n; i++) all_ &= lies_.finish(place(i), hash_state_ + hash_->hash.lanes[i].chain, opens_, group.jobs[i]);
}

bool run_gcm_lanes(const Suite &suite, int direction, cst_job *jobs, size_t n) {
    if (n == 1 || suite.wide) return true;  // wide: they need no kernel
    GcmLanes lanes(suite, direction);
    if (!lanes.usable()) return true;
    each_waiting(suite, direction, jobs, n, GcmLanes::takes, [&](cst_job *job) { lanes.add(job); });
    lanes.finish();
    return lanes.all();
}

}  // namespace cst
