// TLS records (RFC 5246, 6.2.3.2). Sealing: the MAC covers head and text, then text, MAC and padding are encrypted. In
// the stitched middle the hash is ahead of the cipher where the cipher overwrites the text (middle.cpp).
//
// Opening: decrypts, then checks padding and MAC. How much padding there is, and whether anything is right, must not
// show in the time (the attacks of Vaudenay, 2002, and of AlFardan and Paterson, "Lucky Thirteen", 2013). Only the
// record's length n is public. With a MAC of m bytes the text has between n - m - 256 (or 0) and n - m - 1 bytes:
// blocks of the hash below the former are hashed as usual; from there on (the tail) every block that the longest text
// could have is made with masks and hashed, and the chaining value that counts is kept by a mask.

#include <algorithm>

#include "../suite/mask.hpp"
#include "../suite/registers.hpp"
#include "../suite/secret.hpp"
#include "constructions.hpp"
#include "mac.hpp"
#include "middle.hpp"
#include "text.hpp"

namespace cst {

static_assert((15 + TLS_MOST_MAC) / 16 * 16 + 16 <= MOST_LAST, "text, MAC and padding have room");

void seal_records(const Class &c) {
    const Suite &suite = *c.suite;
    const size_t mac = suite.hash->record.digest_bytes;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.text_end = m.text_stop = m.job->in_len & ~uint64_t(15);
        m.body = &m.in;
        m.body_bytes = m.ready = m.job->in_len;
        m.record_length = uint16_t(m.job->in_len);
        begin_mac(suite, &m);
    }
    run_middles_behind(c, run_macs);
    finish_macs(c);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const size_t rest = m.job->in_len % 16, padding = 16 - (rest + mac) % 16;
        m.in.read(m.text_end, m.last, rest);
        copy_few(m.last + rest, m.digest, mac);
        memset(m.last + rest + mac, int(padding - 1), padding);
        m.last_bytes = uint32_t(rest + mac + padding);
        m.job->out_len = size_t(m.text_end + m.last_bytes);
        m.job->status = CST_OK;
    }
    run_all_texts(c, false);
}

namespace {

// Layout of a message's area: a block of the hash; at TAIL the tail.
constexpr size_t TAIL = MOST_BLOCK;
constexpr size_t MOST_TAIL = TLS_HEAD + DIGEST_ROOM + TLS_MOST_PADDING + MOST_BLOCK;
static_assert(TAIL + MOST_TAIL + PAD_SLACK <= Memory::AREA_BYTES, "the tail has room");

uint8_t *area_of(const Class &c, const Message &m) { return c.memory->area_of(m, TAIL + MOST_TAIL + PAD_SLACK); }

// The padding of a decrypted record, as read_padding() finds it. All of it but `least` is secret.
struct Padding {
    uint32_t least;  // lower bound of the text's bytes
    uint32_t text;  // bytes of the text; the longest possible where the padding is wrong
    uint32_t right;  // mask: the padding is right
};

uint32_t length_of(const Message &m) { return uint32_t(m.job->in_len); }
uint32_t mac_bytes(const Message &m) { return m.key->suite->hash->record.digest_bytes; }

// Reads the padding: the last byte is the number of padding bytes before it, and they all have its value.
Padding read_padding(Message *m, uint8_t *area) {
    const uint32_t n = length_of(*m), mac = mac_bytes(*m);
    const uint32_t window = std::min<uint32_t>(n, TLS_MOST_PADDING);  // whole blocks
    uint8_t *const bytes = area + TAIL;
    m->out.read(n - window, bytes, window);
    const uint32_t said = hidden(bytes[window - 1]);
    const uint32_t fits = mask_less(said + mac, n);
    const uint32_t count = said & fits;
    const __m128i wanted = _mm_set1_epi8(char(said));
    __m128i same = _mm_set1_epi32(int32_t(fits));
    for (uint32_t at = 0; at < window; at += 16)
        same = _mm_and_si128(
            same, _mm_or_si128(mask_before(at, window - 1 - count), _mm_cmpeq_epi8(load_block(bytes + at), wanted)));
    const uint32_t room = n - mac, least = room - std::min<uint32_t>(room, TLS_MOST_PADDING);
    return {least, room - 1 - count, mask_equal(hidden(uint32_t(_mm_movemask_epi8(same))), 0xffff)};
}

// Reads the message from its first block that is not hashed yet; the head too, if the text may end before the head's
// block is full. Returns the number of bytes.
uint32_t read_tail(Message *m, uint32_t head, uint8_t *area) {
    const uint32_t bytes = length_of(*m) - uint32_t(m->hashed);
    if (head) {
        const uint16_t length = __builtin_bswap16(m->record_length);
        memcpy(area + TAIL, m->job->aad, TLS_AAD);
        memcpy(area + TAIL + TLS_AAD, &length, sizeof(length));
    }
    m->out.read(m->hashed, area + TAIL + head, bytes);
    return head + bytes;
}

// Makes block i of the tail for a message whose text ends at `end` of the tail: data, 0x80, zeros, in the last block
// the length. Returns a mask: whether the block is the last.
uint32_t make_block(const AlgorithmRecord &hash, uint8_t *area, uint32_t i, uint32_t tail, uint32_t end,
                    uint64_t message_bytes) {
    const uint32_t unit = hash.block_bytes, first = i * unit;
    const __m128i top = _mm_set1_epi8(char(0x80));
    for (uint32_t at = 0; at < unit; at += 16) {
        const __m128i text = mask_before(first + at, end), through = mask_before(first + at, end + 1);
        const __m128i data =
            first + at < tail ? _mm_and_si128(text, load_block(area + TAIL + first + at)) : _mm_setzero_si128();
        store_block(_mm_or_si128(data, _mm_and_si128(_mm_andnot_si128(text, through), top)), area + at);
    }
    const uint32_t last = mask_less(end + hash.length_bytes, first + unit) & ~mask_less(end + hash.length_bytes, first);
    const uint64_t bits = message_bytes << 3;
    const bool big_endian = hash.flags & ALGORITHM_BIG_ENDIAN;
    uint8_t *place = area + unit - (big_endian ? sizeof(bits) : hash.length_bytes);
    uint64_t word;
    memcpy(&word, place, sizeof(word));
    word |= (big_endian ? __builtin_bswap64(bits) : bits) & (uint64_t(last) << 32 | last);
    memcpy(place, &word, sizeof(word));
    return last;
}

// Hashes the block at the beginning of the area of each of these messages.
void hash_block(const Class &c, Message **list, size_t n) {
    const size_t unit = c.suite->hash->record.block_bytes;
    for (size_t i = 0; i < n; i++) {
        Message &m = *list[i];
        m.in.set(area_of(c, m), unit, nullptr, 0);
        m.body = &m.in;
        m.scattered = m.to_end = false;
        m.hashed = 0;
        m.hash_stop = unit;
        m.stage = Stage::body;
    }
    run_macs(c, list, n);
}

// Hashes what is left of every message; hash_chain becomes the inner hash.
void hash_tails(const Class &c, const Padding *padding) {
    const AlgorithmRecord &hash = c.suite->hash->record;
    const uint32_t unit = hash.block_bytes;
    uint32_t tails[MOST_MESSAGES], ends[MOST_MESSAGES], lasts[MOST_MESSAGES], blocks[MOST_MESSAGES], most = 0;
    Message **const list = c.memory->list;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const uint32_t head = m.ready < m.boundary ? uint32_t(TLS_HEAD) : 0;
        tails[i] = read_tail(&m, head, area_of(c, m));
        ends[i] = hidden(head + padding[i].text - uint32_t(m.hashed));
        const uint32_t longest = tails[i] - mac_bytes(m) - 1;
        blocks[i] = (longest + 1 + hash.length_bytes + unit - 1) / unit;
        most = std::max(most, blocks[i]);
        memset(m.last, 0, sizeof(m.last));
    }
    for (uint32_t block = 0; block < most; block++) {
        size_t n = 0;
        for (size_t i = 0; i < c.n; i++) {
            Message &m = c.messages[i];
            if (block >= blocks[i]) continue;
            lasts[i] =
                make_block(hash, area_of(c, m), block, tails[i], ends[i], uint64_t(unit) + TLS_HEAD + padding[i].text);
            list[n++] = &m;
        }
        hash_block(c, list, n);
        for (size_t i = 0; i < c.n; i++) {
            Message &m = c.messages[i];
            if (block >= blocks[i]) continue;
            const __m128i mask = _mm_set1_epi32(int32_t(lasts[i]));
            for (size_t k = 0; k < sizeof(m.last); k += 16)
                store_block(_mm_or_si128(load_block(m.last + k), _mm_and_si128(load_block(m.hash_chain + k), mask)),
                            m.last + k);
        }
    }
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        uint8_t *const area = area_of(c, m);
        hash_digest(hash, m.last, area, hash.digest_bytes);
        hash_pad(hash, area, hash.digest_bytes, uint64_t(unit) + hash.digest_bytes);
        m.hash_from = m.key->outer();
        list[i] = &m;
    }
    hash_block(c, list, c.n);
    wipe(ends, sizeof(ends));
    wipe(lasts, sizeof(lasts));
}

// Returns a mask: whether the MAC in the record is right.
uint32_t check_mac(Message *m, const Padding &padding, uint8_t *area) {
    const uint32_t mac = mac_bytes(*m), window = length_of(*m) - padding.least;
    uint8_t *const bytes = area + TAIL;
    m->out.read(padding.least, bytes, window);
    memset(bytes + window, 0, MOST_TAIL - window);
    shift_down(bytes, padding.text - padding.least, mac);
    hash_digest(m->key->suite->hash->record, m->hash_chain, m->digest, mac);
    return 0 - same_bytes(m->digest, bytes, mac);
}

// Clears MAC and padding of an authentic record. It writes all bytes that could belong to them, because the time of the
// zeros alone would reveal the length of the padding.
void keep_text(Message *m, const Padding &padding, uint8_t *area) {
    const uint32_t first = padding.least & ~15u, window = length_of(*m) - first, kept = hidden(padding.text - first);
    const bool together = m->out.together(first) >= window;
    uint8_t *const bytes = together ? m->out.at(first) : area + TAIL;
    if (!together) m->out.read(first, bytes, window);
    for (uint32_t at = 0; at < window; at += 16)
        store_block(_mm_and_si128(load_block(bytes + at), mask_before(at, kept)), bytes + at);
    if (!together) m->out.write(first, bytes, window);
}

}  // namespace

namespace {

void open_deciphered(const Class &c) {
    Padding padding[MOST_MESSAGES];
    Message **const list = c.memory->list;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        padding[i] = read_padding(&m, area_of(c, m));
        m.body = &m.out;
        m.body_bytes = m.job->in_len;
        begin_mac(*c.suite, &m);
        m.whole = false;
        m.record_length = uint16_t(padding[i].text);
        m.ready = m.hash_stop = padding[i].least;
        list[i] = &m;
    }
    run_macs(c, list, c.n);
    hash_tails(c, padding);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.record_length = 0;
        const uint32_t right = hidden(padding[i].right & check_mac(&m, padding[i], area_of(c, m)));
        if (!right) {
            fail(&m);
            continue;
        }
        m.job->status = CST_OK;
        m.job->out_len = padding[i].text;
        keep_text(&m, padding[i], area_of(c, m));
    }
    wipe(padding, sizeof(padding));
}

}  // namespace

void open_records(const Class &c) {
    constexpr size_t BELOW = 8192;  // where the lengths of paddings may be left
    run_all_texts(c, true);
    open_deciphered(c);
    clear_below<BELOW>();
}

}  // namespace cst
