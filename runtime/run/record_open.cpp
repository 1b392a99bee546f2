// TLS records, opened: decrypt, then check padding and MAC. How much padding there is, and whether anything is right, must not show in the time
// (the attacks of Vaudenay, 2002, and of AlFardan and Paterson, "Lucky Thirteen", 2013). What is public is the record's length n. With a MAC
// of m bytes the text has between n - m - 256 (or 0) and n - m - 1 bytes: blocks of the hash below the former are hashed as usual; from there on
// (the tail) every block that the longest text could have is made with masks and hashed, and the chaining value that counts is kept by a mask.

#include <algorithm>
#include <cstring>

#include "../suite/mask.hpp"
#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

constexpr size_t TAIL = 2 * MOST_BLOCK;  // place in `blocks`, behind what make_heads and hash_outer use
constexpr size_t MOST_TAIL = TLS_HEAD + DIGEST_ROOM + TLS_MOST_PADDING + MOST_BLOCK;
static_assert(TAIL + MOST_TAIL <= sizeof(Work::blocks), "the tail has room");

// What is known of a record after its decryption. All of it but `least` is secret.
struct Padding {
    uint32_t least;   // bytes of the text, at least
    uint32_t text;    // bytes of the text; the longest possible where the padding is wrong
    uint32_t right;   // mask
};

uint32_t length_of(const Work &work) { return uint32_t(work.job->in_len); }
uint32_t mac_bytes(const Work &work) { return work.key->suite->hash->record.digest_bytes; }

void begin(Work *work) {
    cst_job &job = *work->job;
    work->in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
    work->out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
    work->body = &work->out;
    work->bulk = work->cipher_end = job.in_len;
}

// The last byte says how many before it are padding, and they say the same.
Padding read_padding(Work *work) {
    const uint32_t n = length_of(*work), mac = mac_bytes(*work);
    const uint32_t window = std::min<uint32_t>(n, TLS_MOST_PADDING);  // whole blocks
    uint8_t *bytes = work->blocks + TAIL;
    work->use_blocks(TAIL + MOST_TAIL);
    work->out.read(n - window, bytes, window);
    const uint32_t said = hidden(bytes[window - 1]);
    const uint32_t fits = mask_less(said + mac, n);
    const uint32_t count = said & fits;
    const __m128i wanted = _mm_set1_epi8(char(said));
    __m128i same = _mm_set1_epi32(int32_t(fits));
    for (uint32_t at = 0; at < window; at += 16)
        same = _mm_and_si128(same, _mm_or_si128(mask_before(at, window - 1 - count), _mm_cmpeq_epi8(load_block(bytes + at), wanted)));
    const uint32_t room = n - mac, least = room - std::min<uint32_t>(room, TLS_MOST_PADDING);
    return {least, room - 1 - count, mask_equal(hidden(uint32_t(_mm_movemask_epi8(same))), 0xffff)};
}

// Bytes of the message from its first block that is not hashed yet. Returns how many.
uint32_t read_tail(Work *work) {
    const uint32_t head = uint32_t(work->head), bytes = length_of(*work) - uint32_t(work->hashed);
    memcpy(work->blocks + TAIL, work->blocks, head);
    work->out.read(work->hashed, work->blocks + TAIL + head, bytes);
    return head + bytes;
}

// Block i of the tail as it is in a message whose text ends at `end` of the tail: data, 0x80, zeros, in the last block the length.
// Returns a mask: whether it is the last.
uint32_t make_block(const AlgorithmRecord &hash, Work *work, uint32_t i, uint32_t tail, uint32_t end, uint64_t message_bytes) {
    const uint32_t unit = hash.block_bytes, first = i * unit;
    const __m128i top = _mm_set1_epi8(char(0x80));
    for (uint32_t at = 0; at < unit; at += 16) {
        const __m128i text = mask_before(first + at, end), through = mask_before(first + at, end + 1);
        const __m128i data = first + at < tail ? _mm_and_si128(text, load_block(work->blocks + TAIL + first + at)) : _mm_setzero_si128();
        store_block(_mm_or_si128(data, _mm_and_si128(_mm_andnot_si128(text, through), top)), work->blocks + at);
    }
    const uint32_t last = mask_less(end + hash.length_bytes, first + unit) & ~mask_less(end + hash.length_bytes, first);
    const uint64_t bits = message_bytes << 3;
    const bool big_endian = hash.flags & ALGORITHM_BIG_ENDIAN;
    uint8_t *place = work->blocks + unit - (big_endian ? sizeof(bits) : hash.length_bytes);
    uint64_t word;
    memcpy(&word, place, sizeof(word));
    word |= (big_endian ? __builtin_bswap64(bits) : bits) & (uint64_t(last) << 32 | last);
    memcpy(place, &word, sizeof(word));
    return last;
}

// Hashes what is left of every message; hash_chain becomes the inner hash.
void hash_tails(const Batch &batch, const Padding *padding) {
    const AlgorithmRecord &hash = batch.suite->hash->record;
    const uint32_t unit = hash.block_bytes;
    uint32_t tails[MOST_WORKS], ends[MOST_WORKS], lasts[MOST_WORKS], most = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        tails[i] = read_tail(&work);
        ends[i] = hidden(uint32_t(work.head) + padding[i].text - uint32_t(work.hashed));
        const uint32_t longest = tails[i] - mac_bytes(work) - 1;
        work.tail_blocks = (longest + 1 + hash.length_bytes + unit - 1) / unit;
        most = std::max(most, work.tail_blocks);
        memset(work.last, 0, sizeof(work.last));
    }
    for (uint32_t block = 0; block < most; block++) {
        for (size_t i = 0; i < batch.n; i++) {
            Work &work = batch.works[i];
            if (block < work.tail_blocks)
                lasts[i] = make_block(hash, &work, block, tails[i], ends[i], uint64_t(unit) + TLS_HEAD + padding[i].text);
        }
        hash_tail_block(batch, block);
        for (size_t i = 0; i < batch.n; i++) {
            Work &work = batch.works[i];
            if (block >= work.tail_blocks) continue;
            const __m128i mask = _mm_set1_epi32(int32_t(lasts[i]));
            for (size_t k = 0; k < sizeof(work.last); k += 16)
                store_block(_mm_or_si128(load_block(work.last + k), _mm_and_si128(load_block(work.hash_chain + k), mask)), work.last + k);
        }
    }
    for (size_t i = 0; i < batch.n; i++) memcpy(batch.works[i].hash_chain, batch.works[i].last, sizeof(batch.works[i].last));
    wipe(ends, sizeof(ends));
    wipe(lasts, sizeof(lasts));
}

// Whether the MAC in the record is the right one: a mask.
uint32_t check_mac(Work *work, const Padding &padding) {
    const uint32_t mac = mac_bytes(*work), window = length_of(*work) - padding.least;
    uint8_t *bytes = work->blocks + TAIL;
    work->out.read(padding.least, bytes, window);
    memset(bytes + window, 0, MOST_TAIL - window);
    shift_down(bytes, padding.text - padding.least, mac);
    uint8_t digest[DIGEST_ROOM];
    read_tag(*work, digest, mac);
    const uint32_t right = 0 - same_bytes(digest, bytes, mac);
    wipe(digest, sizeof(digest));
    return right;
}

}  // namespace

void open_records(const Batch &batch) {
    Padding padding[MOST_WORKS];
    for (size_t i = 0; i < batch.n; i++) begin(&batch.works[i]);
    run_cipher(batch, true);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        padding[i] = read_padding(&work);
        work.record_length[0] = uint8_t(padding[i].text >> 8);
        work.record_length[1] = uint8_t(padding[i].text);
        work.ready = work.hash_end = padding[i].least;
    }
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.boundary = uint32_t(-TLS_HEAD & (batch.suite->hash->record.block_bytes - 1));
    }
    make_heads(batch);
    hash_bodies(batch);
    hash_tails(batch, padding);
    hash_outer(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const uint32_t right = hidden(padding[i].right & check_mac(&work, padding[i]));
        if (!right) {
            fail(&work);
            continue;
        }
        work.job->status = CST_OK;
        work.job->out_len = padding[i].text;
        work.out.zero(padding[i].text, length_of(work) - padding[i].text);
    }
    wipe(padding, sizeof(padding));
}

}  // namespace cst
