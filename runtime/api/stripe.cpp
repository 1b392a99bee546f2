// The C API: erasure codes with a checksum of every block. Blocks are processed piece by piece: the parities of a piece
// of all blocks, then the checksums of these pieces, while they are in the core's own cache.

#include "codes.hpp"
#include "../storage/checksum.hpp"
#include "../select/core_cache.hpp"
#include "../suite/registers.hpp"
#include "../suite/secret.hpp"

using namespace cst;

namespace {

// Returns the bytes of a piece of each of so many blocks. Together they fill half of the second-level cache: from there
// kernels of checksums read as fast as they compute, and the longer the pieces, the fewer the calls, and the better the
// CPU fetches ahead. (Pieces for the first-level cache took longer than two passes over memory.) Not less than LEAST,
// below which calls take longer than what they compute.
size_t piece_of(size_t blocks) {
    constexpr size_t GRAIN = 256, LEAST = 8 * GRAIN;  // GRAIN: the longest iteration of a kernel of either kind
    return std::max(LEAST, core_cache_bytes() / 2 / blocks / GRAIN * GRAIN);
}

// The checksums of all blocks of a code, and the pieces that all of them are cut into.
class Stripe {
public:
    Stripe(const cst_code &code, const Key &key, size_t bytes)
        : key_(key),
          blocks_(code.data + code.parity),
          bytes_(bytes),
          piece_(piece_of(blocks_)),
          at_(blocks_, key.crc().start) {}
    // Calls work(offset, bytes) for each piece.
    template <typename Work>
    void each(Work work) const {
        for (size_t at = 0; at < bytes_; at += piece_) work(at, std::min(piece_, bytes_ - at));
    }
    // Allocates what `products` needs for pieces.
    void prepare(const Products &products) const {
        products.prepare(std::min(piece_, bytes_));
        products.prepare(bytes_ % piece_);
    }
    size_t piece() const { return piece_; }
    void go_on(size_t block, const void *in, size_t bytes) { at_[block] = go_on_with(key_, at_[block], in, bytes); }
    uint64_t value(size_t block) const { return at_[block] ^ key_.crc().final; }

private:
    const Key &key_;
    const size_t blocks_, bytes_, piece_;
    std::vector<uint64_t> at_;
};

const uint8_t *behind(const void *p, size_t at) { return static_cast<const uint8_t *>(p) + at; }
uint8_t *behind(void *p, size_t at) { return static_cast<uint8_t *>(p) + at; }

bool of_checksum(const cst_key *key) { return key && is_checksum(*from(key)->suite); }
// Whether the checksum of a block that changes follows from what it was and the exclusive-or of old and new block, as
// that of a remainder does. Adler-32 adds bytes as integers, and the exclusive-or does not tell the sums' difference.
bool is_linear(const Key &key) { return !key.crc().modulus; }

}  // namespace

int cst_code_encode_checked(const cst_code *code, const cst_key *checksum, size_t bytes, const void *const *data,
                            void *const *parity, uint64_t *checksums) {
    if (!code || !of_checksum(checksum)) return CST_ERR_ARGUMENT;
    const Inputs in(data, code->data);
    const Outputs out(parity, code->parity);
    const Argument others[] = {Argument::inputs(data, in.n), Argument::inputs(parity, out.n),
                               Argument::outputs(checksums, in.n + out.n)};
    if (int error = check_arguments(CST_OK, others)) return error;
    if (int error = check_blocks(bytes, in, out, others)) return error;
    return guarded([&]() -> int {
        Stripe stripe(*code, *from(checksum), bytes);
        stripe.prepare(code->parities);
        std::vector<const void *> from_there(in.n);
        std::vector<void *> to_there(out.n);
        stripe.each([&](size_t at, size_t some) {
            for (size_t j = 0; j < in.n; j++) from_there[j] = behind(in.at[j], at);
            for (size_t i = 0; i < out.n; i++) to_there[i] = behind(out.at[i], at);
            code->parities.run(from_there.data(), to_there.data(), some);
            for (size_t j = 0; j < in.n; j++) stripe.go_on(j, from_there[j], some);
            for (size_t i = 0; i < out.n; i++) stripe.go_on(in.n + i, to_there[i], some);
        });
        for (size_t i = 0; i < in.n + out.n; i++) checksums[i] = stripe.value(i);
        return CST_OK;
    });
}

int cst_code_update_checked(const cst_code *code, const cst_key *checksum, size_t bytes, uint32_t index,
                            const void *change, void *const *parity, uint64_t *checksums) {
    if (!code || !of_checksum(checksum) || index >= code->data || !change) return CST_ERR_ARGUMENT;
    const Inputs in(&change, 1);
    const Outputs out(parity, code->parity);
    const Argument others[] = {Argument::inputs(parity, out.n), Argument::outputs(checksums, code->data + out.n)};
    if (int error = check_arguments(is_linear(*from(checksum)) ? CST_OK : CST_ERR_UNSUPPORTED, others)) return error;
    if (int error = check_blocks(bytes, in, out, others)) return error;
    if (!from(checksum)->crc().fits(checksums[index])) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        const Key &key = *from(checksum);
        Stripe stripe(*code, key, bytes);
        stripe.prepare(code->changes[index]);
        uint64_t changed = 0;  // remainders are sums: that of the change, begun with nothing, is added to the block's
        std::vector<void *> to_there(out.n);
        stripe.each([&](size_t at, size_t some) {
            const void *const there = behind(change, at);
            for (size_t i = 0; i < out.n; i++) to_there[i] = behind(out.at[i], at);
            code->changes[index].run(&there, to_there.data(), some);
            changed = go_on_with(key, changed, there, some);
            for (size_t i = 0; i < out.n; i++) stripe.go_on(code->data + i, to_there[i], some);
        });
        checksums[index] ^= changed;
        for (size_t i = 0; i < out.n; i++) checksums[code->data + i] = stripe.value(code->data + i);
        return CST_OK;
    });
}

int cst_code_check_blocks(const cst_code *code, const cst_key *checksum, size_t bytes, const void *const *blocks,
                          const uint64_t *checksums, uint8_t *bad, int *right) {
    if (!code || !of_checksum(checksum)) return CST_ERR_ARGUMENT;
    const size_t n = code->data + code->parity;
    const Argument others[] = {Argument::inputs(blocks, n), Argument::inputs(checksums, n), Argument::outputs(bad, n),
                               Argument::outputs(right)};
    if (int error = check_arguments(CST_OK, others)) return error;
    if (int error = check_blocks(bytes, {blocks, n}, {nullptr, 0}, others)) return error;
    const Inputs in(blocks, code->data), parity(blocks + code->data, code->parity);
    return guarded([&]() -> int {
        Stripe stripe(*code, *from(checksum), bytes);
        stripe.prepare(code->parities);
        const size_t piece = std::min(stripe.piece(), bytes);
        std::vector<uint8_t> made(parity.n * piece);
        const ClearRegisters clear(code->ctx->engine.cpu());
        std::vector<const void *> from_there(in.n);
        std::vector<void *> to_there(parity.n);
        for (size_t i = 0; i < parity.n; i++) to_there[i] = made.data() + i * piece;
        uint32_t same = 1;
        stripe.each([&](size_t at, size_t some) {
            for (size_t j = 0; j < in.n; j++) from_there[j] = behind(in.at[j], at);
            code->parities.run(from_there.data(), to_there.data(), some);
            for (size_t j = 0; j < in.n; j++) stripe.go_on(j, from_there[j], some);
            for (size_t i = 0; i < parity.n; i++) {
                stripe.go_on(in.n + i, behind(parity.at[i], at), some);
                same &= same_bytes(made.data() + i * piece, behind(parity.at[i], at), some);
            }
        });
        wipe(made.data(), made.size());
        for (size_t i = 0; i < in.n + parity.n; i++) {
            bad[i] = stripe.value(i) != checksums[i];
            same &= !bad[i];
        }
        *right = int(same);
        return CST_OK;
    });
}
