#include <cstddef>
#include <type_traits>

#include "../suite/registers.hpp"
#include "../suite/secret.hpp"
#include "message.hpp"

namespace cst {
namespace {

// Bytes of the stack where functions that run bursts may leave texts, keys, states and lengths of paddings: where
// registers are short, compilers store there what nobody reads.
constexpr size_t BELOW = 8192;

constexpr size_t LINE = Memory::LINE;
constexpr size_t lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }
static_assert(alignof(Message) <= LINE && IDLE_OUT_BYTES % LINE == 0 && SCRATCH_PITCH % LINE == 0 &&
                  Memory::AREA_BYTES % LINE == 0,
              "the parts are aligned to cache lines");
static_assert(std::is_trivially_destructible<Message>::value, "used as plain memory, never destroyed");

}  // namespace

void Buffer::seek(uint64_t position) {
    while (position < first_) first_ -= pieces_[--index_].bytes;
    while (index_ + 1 < n_ && position - first_ >= pieces_[index_].bytes) first_ += pieces_[index_++].bytes;
    data_ = static_cast<uint8_t *>(pieces_[index_].data);
    bytes_ = pieces_[index_].bytes;
}

void Buffer::read(uint64_t position, uint8_t *to, size_t n) {
    if (!pieces_) return copy_few(to, data_ + position, n);
    each(position, n, [&](uint8_t *data, size_t some) {
        copy_few(to, data, some);
        to += some;
    });
}

void Buffer::write(uint64_t position, const uint8_t *from, size_t n) {
    if (!pieces_) return copy_few(data_ + position, from, n);
    each(position, n, [&](uint8_t *data, size_t some) {
        copy_few(data, from, some);
        from += some;
    });
}

void Buffer::zero(uint64_t position, uint64_t n) {
    each(position, n, [](uint8_t *data, size_t some) { wipe(data, some); });
}

int Memory::allocate(const Engine &engine, size_t n) {
    n = n < MOST_MESSAGES ? n : MOST_MESSAGES;
    const size_t state_bytes = lines(engine.most_state_bytes()), scratch_bytes = MAX_LANES * SCRATCH_PITCH,
                 message_bytes = lines(n * sizeof(Message)), list_bytes = lines(n * sizeof(Message *));
    base_ = engine.spare().take(STATE_ALIGN + state_bytes + IDLE_OUT_BYTES + scratch_bytes + message_bytes +
                                3 * list_bytes + n * AREA_BYTES + COPIES_BYTES + lanes.step.bytes + window.bytes +
                                pieces.bytes + halves.bytes + windows.bytes + work.bytes);
    if (!base_) return CST_ERR_MEMORY;
    spare_ = &engine.spare();
    uint8_t *p = static_cast<uint8_t *>(base_);
    p += -reinterpret_cast<uintptr_t>(p) & (STATE_ALIGN - 1);
    lanes.state = p;
    lanes.idle_out = p += state_bytes;
    messages = reinterpret_cast<Message *>(p += IDLE_OUT_BYTES);
    list = reinterpret_cast<Message **>(p += message_bytes);
    other = reinterpret_cast<Message **>(p += list_bytes);
    waiting = reinterpret_cast<cst_job **>(p += list_bytes);
    lanes.scratch = p += list_bytes;
    areas_ = p += scratch_bytes;
    copies = p += n * AREA_BYTES;
    lanes.step.at = p += COPIES_BYTES;
    window.at = p += lanes.step.bytes;
    pieces.at = p += window.bytes;
    halves.at = p += pieces.bytes;
    windows.at = p += halves.bytes;
    work.at = p + windows.bytes;
    room_ = n;
    return CST_OK;
}

void Memory::clean() {
    wipe(lanes.state, lanes.state_used);
    wipe(lanes.idle_out, lanes.idle_used);
    for (uint32_t lane = 0; lane < lanes.scratch_lanes; lane++)
        wipe(lanes.scratch + lane * SCRATCH_PITCH, lanes.scratch_used + PAD_SLACK);
    for (size_t i = 0; i < messages_used; i++) wipe(messages[i].chain, secret_bytes);
    for (size_t i = 0; i < areas_wiped_; i++) wipe(areas_ + i * AREA_BYTES, area_used);
    wipe(copies, copies_used);
    lanes.state_used = lanes.idle_used = lanes.scratch_lanes = lanes.scratch_used = messages_used = secret_bytes =
        area_used = areas_wiped_ = copies_used = 0;
    clear_below<BELOW>();
}

Memory::~Memory() {
    if (!base_) return;
    clean();
    spare_->give(base_);
}

bool settle_digest(cst_job *job, const uint8_t *digest) {
    job->out_len = 0;
    job->status = CST_OK;
    if (job->direction == CST_SEAL) memcpy(job->tag, digest, job->tag_len);
    else if (!same_bytes(digest, static_cast<const uint8_t *>(job->tag), job->tag_len)) job->status = CST_ERR_AUTH;
    return job->status == CST_OK;
}

void refuse_unopened(cst_job *job) {
    if (reinterpret_cast<const Key *>(job->key)->suite->enciphers()) {
        Buffer out;
        out.set(job->out, job->out_cap, job->out_pieces, job->n_out_pieces);
        out.zero(0, job->in_len);
    }
    job->out_len = 0;
    job->status = CST_ERR_AUTH;
}

}  // namespace cst
