// Lists the segments of the MACs of TLS records that are decrypted already, for executors/walk.hpp (RFC 5246, 6.2.3.2).
//
// How much padding there is, and whether anything is right, must not show in the time (the attacks of Vaudenay, 2002,
// and of AlFardan and Paterson, "Lucky Thirteen", 2013). Only the record's length n is public. With a MAC of m bytes
// the text has between n - m - 256 (or 0) and n - m - 1 bytes: blocks of the hash below the former are hashed as usual;
// from there on (the tail) every block that the longest text could have is made with masks and is a segment of its own,
// whose digest counts by a mask.
#pragma once

#include <algorithm>

#include "../suite/mask.hpp"
#include "../suite/secret.hpp"
#include "hash_writer.hpp"

namespace cst {

class RecordWriter : public HashWriter {
    static constexpr size_t MOST_TAIL = 4 * MOST_BLOCK, MOST_TAIL_BLOCKS = 6;

public:
    static constexpr size_t MOST_SEGMENTS = MOST_TAIL_BLOCKS + 3;  // the head's block, the body, the outer hash

    RecordWriter(const Suite &suite, const Variant &v, LaneMemory *memory)
        : HashWriter(v, memory),
          hash_(suite.hash->record),
          unit_(uint32_t(hash_.block_bytes)),
          mac_bytes_(uint32_t(hash_.digest_bytes)),
          inner_(suite.key_layout.inner),
          outer_(suite.key_layout.outer) {}

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        memory_.scratch_of(lane, sizeof(Record));
        Record &record = record_of(lane);
        const uint8_t *const key = reinterpret_cast<const uint8_t *>(job.key), *const text = out(job);
        const Padding padding = record.padding = read_padding(job);
        const Segment *const first = to;
        const auto hash = [&](const uint8_t *in, size_t blocks, uint8_t *store) {
            *to = {in, to == first ? key + inner_ : nullptr, store, mac_bytes_, blocks};
            to++;
        };
        const uint32_t length = uint32_t(job.in_len), boundary = unit_ - uint32_t(TLS_HEAD);
        uint32_t hashed = 0, head = 0;
        if (padding.least >= boundary) {
            put_head(job, padding.text, record.head);
            memcpy(record.head + TLS_HEAD, text, boundary);
            hash(record.head, 1, nullptr);
            const uint32_t blocks = (padding.least - boundary) / unit_;
            if (blocks) hash(text + boundary, blocks, nullptr);
            hashed = boundary + blocks * unit_;
        } else {  // the text may end before the head's block is full
            put_head(job, padding.text, record.tail);
            head = uint32_t(TLS_HEAD);
        }
        const uint32_t tail = head + length - hashed, end = hidden(head + padding.text - hashed),
                       blocks = (tail - mac_bytes_ + hash_.length_bytes + unit_ - 1) / unit_;
        memcpy(record.tail + head, text + hashed, length - hashed);
        for (uint32_t i = 0; i < blocks; i++) {
            record.is_last[i] = make_block(record.tail, i * unit_, tail, end, padding.text);
            hash(record.tail + i * unit_, 1, record.outer);
        }
        memset(record.outer, 0, mac_bytes_);  // the masked digests of the tail's blocks are added up here
        hash_pad(hash_, record.outer, mac_bytes_, uint64_t(unit_) + mac_bytes_);
        *to++ = {record.outer, key + outer_, record.mac, mac_bytes_, 1};
        return size_t(to - first);
    }
    template <typename Of>
    void store(const uint32_t *lanes, size_t n, Of segment) const {
        chains_.take(lanes, n, [&](size_t i) { return record_of(lanes[i]).chain; });
        for (size_t i = 0; i < n; i++) {
            Record &record = record_of(lanes[i]);
            const Segment &its = segment(i);
            hash_digest(hash_, record.chain, record.mac, mac_bytes_);
            if (its.store == record.mac) continue;
            const uint32_t is_last = record.is_last[size_t(its.in - record.tail) / unit_];
            for (size_t at = 0; at < mac_bytes_; at += sizeof(uint32_t)) {
                const uint32_t word = load32(its.store + at) | (load32(record.mac + at) & is_last);
                memcpy(its.store + at, &word, sizeof(word));
            }
        }
    }
    void done(uint32_t lane, cst_job *job) {
        Record &record = record_of(lane);
        const uint32_t right = hidden(record.padding.right & check_mac(*job, &record));
        if (!right) {
            refuse_unopened(job);
            all_right_ = false;
            return;
        }
        job->status = CST_OK;
        job->out_len = record.padding.text;
        keep_text(*job, record.padding);
    }

private:
    // The padding of a decrypted record. All of it but `least` is secret.
    struct Padding {
        uint32_t least;  // lower bound of the text's bytes
        uint32_t text;  // bytes of the text; the longest possible where the padding is wrong
        uint32_t right;  // mask: the padding is right
    };
    // Layout of a lane's bounce buffer.
    struct Record {
        uint8_t chain[MOST_CHAIN];
        uint8_t mac[DIGEST_ROOM];
        uint8_t outer[MOST_BLOCK + PAD_SLACK];  // the message of the outer hash
        uint8_t head[MOST_BLOCK];  // with the beginning of the text
        uint8_t tail[MOST_TAIL];
        Padding padding;
        uint32_t is_last[MOST_TAIL_BLOCKS];  // masks
    };
    static_assert(sizeof(Record) <= SCRATCH_BYTES);
    static_assert(TLS_HEAD < 64 && TLS_HEAD + 64 + TLS_MOST_PADDING + TLS_MOST_MAC <= MOST_TAIL, "hashes of 64 bytes");
    static_assert(MOST_BLOCK + TLS_MOST_PADDING + TLS_MOST_MAC <= MOST_TAIL, "hashes of larger blocks");
    static constexpr size_t READ_TO_SHIFT = TLS_MOST_MAC + 271;  // suite/mask.hpp
    static_assert(READ_TO_SHIFT <= MOST_TAIL);

    static uint8_t *out(const cst_job &job) { return static_cast<uint8_t *>(job.out); }
    Record &record_of(uint32_t lane) const { return *reinterpret_cast<Record *>(scratch(lane)); }

    // Reads the padding: the last byte is the number of padding bytes before it, and they all have its value.
    Padding read_padding(const cst_job &job) const {
        const uint32_t n = uint32_t(job.in_len), window = std::min<uint32_t>(n, TLS_MOST_PADDING);  // whole blocks
        const uint8_t *const bytes = out(job) + n - window;
        const uint32_t said = hidden(bytes[window - 1]);
        const uint32_t fits = mask_less(said + mac_bytes_, n);
        const uint32_t count = said & fits;
        const __m128i wanted = _mm_set1_epi8(char(said));
        __m128i same = _mm_set1_epi32(int32_t(fits));
        for (uint32_t at = 0; at < window; at += 16)
            same = _mm_and_si128(same, _mm_or_si128(mask_before(at, window - 1 - count),
                                                    _mm_cmpeq_epi8(load_block(bytes + at), wanted)));
        const uint32_t room = n - mac_bytes_, least = room - std::min<uint32_t>(room, TLS_MOST_PADDING);
        return {least, room - 1 - count, mask_equal(hidden(uint32_t(_mm_movemask_epi8(same))), 0xffff)};
    }
    static void put_head(const cst_job &job, uint32_t text, uint8_t *to) {
        const uint16_t length = __builtin_bswap16(uint16_t(text));
        memcpy(to, job.aad, TLS_AAD);
        memcpy(to + TLS_AAD, &length, sizeof(length));
    }
    // Makes the tail's block at `first` in its place, of a message whose text ends at `end` of the tail's `bytes`:
    // data, 0x80, zeros, in the last block the length. Returns a mask: whether the block is the last.
    uint32_t make_block(uint8_t *tail, uint32_t first, uint32_t bytes, uint32_t end, uint32_t text) const {
        const __m128i top = _mm_set1_epi8(char(0x80));
        for (uint32_t at = first; at < first + unit_; at += 16) {
            const __m128i before = mask_before(at, end), through = mask_before(at, end + 1);
            const __m128i data = at < bytes ? _mm_and_si128(before, load_block(tail + at)) : _mm_setzero_si128();
            store_block(_mm_or_si128(data, _mm_and_si128(_mm_andnot_si128(before, through), top)), tail + at);
        }
        const uint32_t length_at = end + hash_.length_bytes,
                       is_last = mask_less(length_at, first + unit_) & ~mask_less(length_at, first);
        const uint64_t bits = (uint64_t(unit_) + TLS_HEAD + text) << 3;
        const bool big_endian = hash_.flags & ALGORITHM_BIG_ENDIAN;
        uint8_t *const place = tail + first + unit_ - (big_endian ? sizeof(bits) : hash_.length_bytes);
        const uint64_t count = big_endian ? __builtin_bswap64(bits) : bits,
                       word = load64(place) | (count & (uint64_t(is_last) << 32 | is_last));
        memcpy(place, &word, sizeof(word));
        return is_last;
    }
    // Returns a mask: whether the MAC in the record is right.
    uint32_t check_mac(const cst_job &job, Record *record) const {
        const Padding &padding = record->padding;
        const uint32_t window = uint32_t(job.in_len) - padding.least;
        memcpy(record->tail, out(job) + padding.least, window);
        memset(record->tail + window, 0, MOST_TAIL - window);
        shift_down(record->tail, padding.text - padding.least, mac_bytes_);
        return 0 - same_bytes(record->mac, record->tail, mac_bytes_);
    }
    // Clears MAC and padding of an authentic record. It writes all bytes that could belong to them, because the time of
    // the zeros alone would reveal the length of the padding.
    static void keep_text(const cst_job &job, const Padding &padding) {
        const uint32_t first = padding.least & ~15u, window = uint32_t(job.in_len) - first,
                       kept = hidden(padding.text - first);
        uint8_t *const bytes = out(job) + first;
        for (uint32_t at = 0; at < window; at += 16)
            store_block(_mm_and_si128(load_block(bytes + at), mask_before(at, kept)), bytes + at);
    }

    const AlgorithmRecord &hash_;
    const uint32_t unit_, mac_bytes_;
    const size_t inner_, outer_;  // offsets in a key
};

}  // namespace cst
