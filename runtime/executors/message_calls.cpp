#include "message_calls.hpp"

namespace cst {

KernelCall lay_down(const Engine &engine, const Variant &v) {
    KernelCall call = {};
    const LanePlace &lane = (v.cipher.algorithm ? v.cipher : v.hash).lanes[0];
    call.fn = v.kernel.load(std::memory_order_acquire)->fn;
    call.variant = &v;
    call.step = v.step;
    call.step_log2 = v.step_log2;
    for (uint32_t i = 0; i < 2; i++) call.state_offset[i] = v.state_offset[i];
    call.in = lane.in;
    call.out = lane.out;
    if (v.cipher.algorithm) call.cipher_lane = v.cipher.lanes[0];
    if (v.hash.algorithm) call.hash_lane = v.hash.lanes[0];
    call.opens = v.cipher.algorithm && v.cipher.algorithm->record.decrypts_only();
    call.clears_upper = v.legacy_sse && engine.avx();
    call.place = v.message;
    call.copies_ends = v.message.bits && v.role == Role::message;  // a checksum beside a cipher reads its text, too
    for (size_t i = 0; i < Variant::MOST_SECRETS; i++) call.secrets[i] = v.secrets[i];
    return call;
}

void MessageCalls::copy_end(uint8_t *to, const uint8_t *from, size_t n) { copy_few(to, from, n); }

const KernelCall &laid_down(const Suite &suite, const Variant &v, KernelCall *spare) {
    const auto lay_down_it = [&] { return lay_down(*suite.engine, v); };
    const KernelCall *const call = suite.laid[0].of(v, false, lay_down_it);
    return call ? *call : *spare = lay_down_it();
}

}  // namespace cst
