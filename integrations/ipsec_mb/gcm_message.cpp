#include "gcm_message.hpp"

#include "library.hpp"
#include "plan/lineup.hpp"
#include "executors/calls.hpp"
#include "suite/key.hpp"

namespace cst::imb {
namespace {

constexpr size_t BLOCK = 16;
static_assert(GCM_POWERS == 2 * MOST_GCM_BLOCKS + 1, "as kernels need");
constexpr size_t ROWS_BEHIND = MOST_GCM_BLOCKS - 1;
static_assert(sizeof(gcm_key_data::ghash_keys) >= (GCM_POWERS + ROWS_BEHIND) * sizeof(KeyRow), "as many are read");

const KeyRow *powers_end(const gcm_key_data &key) {
    return reinterpret_cast<const KeyRow *>(&key.ghash_keys) + GCM_POWERS;
}

// The powers with which the shared reduction after the loop begins. In a piece, which another may follow, they are
// lower by two: H^0 is the row of zeros.
class EndPowers {
public:
    EndPowers(const Variant &v, const gcm_key_data &key, size_t end_blocks, bool piece) {
        const size_t stride = v.step / BLOCK, front = v.message.is_short ? v.message.aad_blocks : stride;
        const KeyRow *const end = powers_end(key);
        rows_ = end - front - end_blocks - 1;
        if (!piece) return;
        rows_ += 2;
        if (rows_ + front + stride <= end + ROWS_BEHIND) return;
        rows_ = static_cast<KeyRow *>(memcpy(copy_, rows_, (front + stride - 1) * sizeof(KeyRow)));
    }
    ~EndPowers() {
        if (rows_ == copy_) wipe(copy_, sizeof(copy_));
    }
    EndPowers(const EndPowers &) = delete;
    EndPowers &operator=(const EndPowers &) = delete;
    const KeyRow *rows() const { return rows_; }

private:
    const KeyRow *rows_;
    KeyRow copy_[2 * MOST_GCM_BLOCKS];  // where a row that is read would lie behind the caller's
};

struct Lengths {
    uint64_t aad, text;
};

// A call of a kernel whose masks are bits, which reads and writes no masked byte, or of one whose text ends with a
// stride, so that no byte is masked. It is as short as possible: with Calls a short message takes half as long again.
class MaskedCall {
public:
    static bool has_room(const Variant &v, size_t end) {
        return (v.message.bits || end == v.step) && v.state_bytes <= ROOM && v.state_align <= ALIGNED;
    }

    __attribute__((always_inline)) inline void run(const Variant &v, const gcm_key_data &key, const GcmMessage &m,
                                                   const Lengths &lengths, const EndPowers &powers, uint8_t *tag) {
        const MessagePlace &place = v.message;
        cst_kernel_args args;
        args.state[0] = state_ + v.state_offset[0];
        args.iterations = m.bytes && !place.is_short ? (m.bytes - 1) >> v.step_log2 : 0;
        const uint64_t front = args.iterations << v.step_log2, end = m.bytes - front;
        put_pointer(state_ + v.cipher.lanes[0].in, m.in);
        put_pointer(state_ + v.cipher.lanes[0].out, m.out);
        put_pointer(state_ + place.end_in, m.in + front);
        put_pointer(state_ + place.end_out, m.out + front);
        const uint64_t before_aad = BLOCK * (place.aad_blocks - (m.aad_bytes + BLOCK - 1) / BLOCK);
        if (place.bits) {
            for (uint64_t at = 0; at < v.step; at += 64) put_mask(place.end_mask + at / 8, end > at ? end - at : 0);
            put_mask(place.aad_mask, m.aad_bytes, before_aad & 63);
            put_pointer(state_ + place.aad, m.aad_bytes ? m.aad - before_aad : state_);
        } else {
            if (place.end_mask != NO_FIELD) memset(state_ + place.end_mask, 0xff, v.step);
            memset(aad_, 0, sizeof(aad_));
            copy_few(aad_ + before_aad, m.aad, size_t(m.aad_bytes));
            put_pointer(state_ + place.aad, aad_);
        }
        put_words(state_ + place.counter, load64(m.counter), load64(m.counter + 8));
        put_words(state_ + place.lengths, __builtin_bswap64(8 * lengths.aad), __builtin_bswap64(8 * lengths.text));
        put_pointer(state_ + place.key, key.expanded_keys);
        put_pointer(state_ + place.powers, powers_end(key) - v.step / BLOCK);
        put_pointer(state_ + place.end_powers, powers.rows());
        v.kernel.load(std::memory_order_acquire)->fn(&args);
        put_words(tag, load64(state_ + place.chain), load64(state_ + place.chain + 8));
        wipe_rows(reinterpret_cast<KeyRow *>(state_), v.state_bytes / sizeof(KeyRow));
        v.calls.add(1);
    }

private:
    static constexpr size_t ROOM = 512, ALIGNED = 64;

    void put_mask(uint64_t field, uint64_t bytes, unsigned shift = 0) {
        const uint64_t bits = (bytes >= 64 ? ~uint64_t(0) : (uint64_t(1) << bytes) - 1) << shift;
        memcpy(state_ + field, &bits, sizeof(bits));
    }

    alignas(ALIGNED) uint8_t state_[ROOM], aad_[MESSAGE_AAD];
};

class GcmCall : public Calls {
public:
    GcmCall(const Suite &suite, const Variant &v, const GcmMessage &message)
        : Calls(*suite.engine, v, message.bytes), message_(message) {}

    static bool has_room(const Variant &v) { return Calls::has_room(v); }

    void run(const gcm_key_data &key, const Lengths &lengths, const EndPowers &powers, uint8_t *tag) {
        put_words(state_ + place_.counter, load64(message_.counter), load64(message_.counter + 8));
        put_words(state_ + place_.lengths, __builtin_bswap64(8 * lengths.aad), __builtin_bswap64(8 * lengths.text));
        const size_t aad_bytes = size_t(message_.aad_bytes);
        if (place_.bits) put_word(place_.aad_mask, ~uint64_t(0));
        memset(aad_, 0, MESSAGE_AAD);
        if (aad_bytes) copy_few(aad_ + BLOCK * (place_.aad_blocks - blocks_of(aad_bytes)), message_.aad, aad_bytes);
        point(place_.aad, aad_);
        point(place_.key, key.expanded_keys);
        point(place_.powers, powers_end(key) - v_.step / BLOCK);
        point(place_.end_powers, powers.rows());
        call(message_.in, message_.out);
        put_words(tag, load64(state_ + place_.chain), load64(state_ + place_.chain + 8));
        v_.calls.add(1);
    }

private:
    const GcmMessage &message_;
    alignas(ALIGNED) uint8_t aad_[MESSAGE_AAD];
};

// Whether the last 32 bits of a counter block wrap, which kernels cannot handle.
bool wraps(const uint8_t *counter, uint64_t bytes) {
    uint32_t word;
    memcpy(&word, counter + 12, sizeof(word));
    return __builtin_bswap32(word) + (bytes + BLOCK - 1) / BLOCK > UINT32_MAX;
}

template <bool piece>
inline bool run(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &m, uint64_t aad_length, uint8_t *tag) {
    const Suite *const suite = cipher_suite(Cipher::gcm, key_bytes);
    const Variant *const v = suite ? MessageKernels(*suite, m.opens, 1, m.aad_bytes).of(m.bytes) : nullptr;
    if (!v || wraps(m.counter, m.bytes)) return false;
    const size_t rest = size_t(m.bytes & (v->step - 1)), end = m.bytes && !rest ? v->step : rest;
    const EndPowers powers(*v, key, (end + BLOCK - 1) / BLOCK, piece);
    const Lengths lengths = {aad_length, piece ? 0 : m.bytes};
    if (MaskedCall::has_room(*v, end)) {
        MaskedCall call;  // its state is not set to zeros
        call.run(*v, key, m, lengths, powers, tag);
        return true;
    }
    if (!GcmCall::has_room(*v)) return false;
    GcmCall(*suite, *v, m).run(key, lengths, powers, tag);
    return true;
}

}  // namespace

bool run_gcm_message(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint64_t aad_length,
                     uint8_t *tag) {
    return run<false>(key_bytes, key, message, aad_length, tag);
}

bool run_gcm_piece(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &piece, uint8_t *chain) {
    return run<true>(key_bytes, key, piece, 0, chain);
}

}  // namespace cst::imb
