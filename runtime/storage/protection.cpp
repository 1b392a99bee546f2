#include "protection.hpp"

#include <cstring>

#include "checksum.hpp"
#include "../executors/copy.hpp"
#include "past_caches.hpp"

namespace cst {
namespace {

constexpr size_t T10_BYTES = 8, NVME_BYTES = 16;

uint64_t low_bits(uint32_t n) { return n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1; }

// In both layouts application tag, storage tag and reference tag are the lower bits of the last 8 bytes, a big-endian
// word. T10's guard is above them; NVMe's is a word in front.
uint64_t load_big(const uint8_t *from) { return __builtin_bswap64(load64(from)); }

}  // namespace

size_t Protection::bytes_of(const Key &key) {
    if (key.suite->name == "crc16-t10-dif") return T10_BYTES;
    return key.suite->name == "crc64-nvme" ? NVME_BYTES : 0;
}

uint32_t Protection::tag_bits(const Key &key) { return bytes_of(key) == T10_BYTES ? 32 : 48; }

Protection::Protection(const cst_pi &pi)
    : key_(*reinterpret_cast<const Key *>(pi.key)),
      data_bytes_(pi.sector_bytes),
      bytes_(bytes_of(key_)),
      tag_bits_(tag_bits(key_)),
      reference_bits_(low_bits(tag_bits_ - pi.storage_bits)),
      storage_bits_(low_bits(tag_bits_) & ~reference_bits_),
      first_(pi.reference),
      constant_(uint64_t(pi.application_tag) << tag_bits_ |
                (pi.storage_bits ? pi.storage_tag << (tag_bits_ - pi.storage_bits) : 0)),
      counts_(pi.type != 3),
      streams_(pi.flags & CST_STREAMING),
      ignored_(pi.ignored),
      application_bits_(uint64_t(uint16_t(~pi.application_ignored)) << tag_bits_) {}

uint64_t Protection::guard(const ChecksumCalls &calls, const uint8_t *data) const {
    const Crc &crc = key_.crc();
    return calls.run(key_, crc.start, data, data_bytes_) ^ crc.final;
}

// Copies a sector's data and returns its guard: that of the copy, or past the caches, where the copy cannot be read
// again, that of the data, which is in the first-level cache then.
uint64_t Protection::copy(const ChecksumCalls &calls, const uint8_t *in, uint8_t *out) const {
    if (!streams_) {
        memcpy(out, in, data_bytes_);
        return guard(calls, out);
    }
    const uint64_t sum = guard(calls, in);
    copy_past_caches(out, in, data_bytes_);
    return sum;
}

void Protection::put(uint8_t *to, uint64_t word) const {
    word = __builtin_bswap64(word);
    if (streams_) put_past_caches(to, word);
    else memcpy(to, &word, sizeof(word));
}

uint64_t Protection::tags(size_t sector) const {
    return constant_ | ((counts_ ? first_ + sector : first_) & reference_bits_);
}

bool Protection::is_unchecked(uint64_t tags) const {
    const uint64_t application = uint64_t(0xffff) << tag_bits_,
                   escape = counts_ ? application : application | reference_bits_;
    return (tags & escape) == escape;
}

uint32_t Protection::wrong_tags(uint64_t tags, uint64_t expected) const {
    const uint64_t different = tags ^ expected;
    uint32_t fields = 0;
    if (different & application_bits_) fields |= CST_PI_APPLICATION;
    if (different & storage_bits_) fields |= CST_PI_STORAGE;
    if (different & reference_bits_) fields |= CST_PI_REFERENCE;
    return fields;
}

void Protection::insert(const uint8_t *in, size_t n, uint8_t *out) const {
    if (!n) return;
    const ChecksumCalls calls(*key_.suite, n, data_bytes_);
    for (size_t i = 0; i < n; i++, in += data_bytes_, out += data_bytes_ + bytes_) {
        const uint64_t sum = copy(calls, in, out);
        uint8_t *const behind = out + data_bytes_;
        if (bytes_ == NVME_BYTES) put(behind, sum);
        put(behind + bytes_ - 8, tags(i) | (bytes_ == T10_BYTES ? sum << 48 : 0));
    }
    if (streams_) end_past_caches();
}

size_t Protection::check(const uint8_t *in, size_t n, uint8_t *out, uint32_t *fields) const {
    *fields = 0;
    if (!n) return n;
    const ChecksumCalls calls(*key_.suite, n, data_bytes_);
    size_t i = 0;
    for (; i < n; i++, in += data_bytes_ + bytes_) {
        const uint8_t *const behind = in + data_bytes_;
        const uint64_t last = load_big(behind + bytes_ - 8),
                       found = bytes_ == NVME_BYTES ? load_big(behind) : last >> 48;
        const uint64_t sum = out ? copy(calls, in, out) : guard(calls, in);
        if (!is_unchecked(last))
            *fields = (wrong_tags(last, tags(i)) | (sum == found ? 0u : uint32_t(CST_PI_GUARD))) & ~ignored_;
        if (*fields) {
            if (out) memset(out, 0, data_bytes_);
            break;
        }
        if (out) out += data_bytes_;
    }
    if (out && streams_) end_past_caches();
    return i;
}

}  // namespace cst
