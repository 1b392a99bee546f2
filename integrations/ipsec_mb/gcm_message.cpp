#include "gcm_message.hpp"

#include "library.hpp"
#include "message/constructions.hpp"
#include "message/gcm_call.hpp"
#include "parts/key_stream.hpp"
#include "suite/key.hpp"

namespace cst::imb {
namespace {

constexpr size_t BLOCK = 16;
static_assert(GCM_POWERS >= 2 * MOST_GCM_BLOCKS + 1 && GCM_POWERS >= MOST_SHORT_GCM_BLOCKS + 2, "as kernels need");
constexpr size_t ROWS_BEHIND = MOST_GCM_BLOCKS - 2;
static_assert(sizeof(gcm_key_data::ghash_keys) >= (GCM_POWERS + ROWS_BEHIND) * sizeof(KeyRow), "as many are read");

const KeyRow *powers_end(const gcm_key_data &key) {
    return reinterpret_cast<const KeyRow *>(&key.ghash_keys) + GCM_POWERS;
}

// The powers with which the shared reduction after the loop begins. In a piece, which another may follow, they are
// lower by two: H^0 is the row of zeros.
class EndPowers {
public:
    [[gnu::always_inline]] EndPowers(const GcmCall &call, const gcm_key_data &key, size_t stride, bool piece) {
        const KeyRow *const end = powers_end(key);
        rows_ = end - call.end_blocks() - 1;
        if (!piece) return;
        rows_ += 2;
        const size_t front = call.front_blocks();
        if (rows_ + front + stride <= end + ROWS_BEHIND) return;
        rows_ = static_cast<KeyRow *>(memcpy(copy_, rows_, (front + stride - 2) * sizeof(KeyRow)));
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

template <bool piece>
inline bool run(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &m, uint64_t aad_length, uint8_t *tag) {
    const Suite *const suite = cipher_suite(Cipher::gcm, key_bytes);
    KernelCall spare;
    const KernelCall *const kernel = suite ? whole_call(*suite, m.opens, m.aad_bytes, m.bytes, &spare) : nullptr;
    if (!kernel || wraps(m.counter, m.bytes)) return false;
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

bool has_powers(uint64_t aad_bytes, uint64_t bytes) {
    const auto blocks = [](uint64_t n) { return (n + BLOCK - 1) / BLOCK; };
    return bytes > MOST_SHORT_GCM_BLOCKS * BLOCK || blocks(aad_bytes) + blocks(bytes) + 1 <= GCM_POWERS;
}

bool run_gcm_message(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint64_t aad_length,
                     uint8_t *tag) {
    return run<false>(key_bytes, key, message, aad_length, tag);
}

bool run_gcm_piece(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &piece, uint8_t *chain) {
    return run<true>(key_bytes, key, piece, 0, chain);
}

}  // namespace cst::imb
