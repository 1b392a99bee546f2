// cst_tls_seal: texts of any length as TLS records.

#include <algorithm>
#include <stdexcept>

#include "worker.hpp"

namespace soak {
namespace {

constexpr size_t HEADER = 5, IV = 16, MOST_FRAGMENT = 16384;  // RFC 5246, 6.2.1 and 6.2.3.2
constexpr size_t MOST_TEXT = 60'000;

[[noreturn]] void wrong(const std::string &what) { throw std::runtime_error("cst_tls_seal: " + what); }

}  // namespace

bool Worker::wants_records(Random &random) const {
    return subject_.suites()[habits_.suites[0]].meaning.form == Form::tls && random.chance(12);
}

void Worker::run_records(Random &random) {
    const size_t suite = habits_.suites[0], which = random.below(KEYS);
    cst_tls_write write = {};
    write.size = sizeof(write);
    write.key = habits_.target->offers[suite].keys[which];
    write.sequence = random.next() >> random.between(2, 60);
    write.type = uint8_t(random.between(20, 23));
    write.version = random.chance(50) ? 0x0302 : 0x0303;
    write.fragment = random.chance(50) ? 0 : random.chance(30) ? MOST_FRAGMENT : random.between(200, MOST_FRAGMENT);
    const size_t length =
        std::min(random.chance(50) ? random.pick(habits_.lengths) : random.below(MOST_TEXT), MOST_TEXT);
    size_t records = 0, bytes = 0;
    want_ok(cst_tls_seal_size(write.key, length, write.fragment, &records, &bytes), "cst_tls_seal_size");
    const Bytes text = random.bytes(length), ivs = random.bytes(IV * records);
    uint8_t *const in = memory_.place(length, Edge::end), *const iv = memory_.place(ivs.size(), Edge::end);
    uint8_t *const out = memory_.place(bytes, random.chance(50) ? Edge::end : Edge::begin);
    std::copy(text.begin(), text.end(), in);
    std::copy(ivs.begin(), ivs.end(), iv);
    write.iv = iv;
    write.iv_len = ivs.size();
    write.in = in;
    write.in_len = length;
    write.out = out;
    write.out_cap = bytes;
    want_ok(cst_tls_seal(&write), "cst_tls_seal");
    if (write.records != records || write.out_len != bytes) wrong("another size than cst_tls_seal_size said");
    check_records(write, ivs, text, model_of(suite, which));
    if (memory_.changed()) wrong("bytes beside a buffer have changed");
    if (!std::equal(text.begin(), text.end(), in) || !std::equal(ivs.begin(), ivs.end(), iv))
        wrong("inputs have changed");
    add(&tally_.entries[RECORDS], 1);
    add(&tally_.bytes, length);
    add(&tally_.jobs, records);
    tally_.suites[suite] += records;
    tally_.targets[size_t(habits_.target - subject_.targets().data())] += records;
}

// Where one record ends and the next begins is the library's choice where the caller leaves it; what a record must be
// follows from its text.
void Worker::check_records(const cst_tls_write &write, const Bytes &ivs, const Bytes &text, Model *model) {
    const uint8_t *at = static_cast<const uint8_t *>(write.out), *const end = at + write.out_len;
    size_t done = 0;
    for (size_t i = 0; i < write.records; i++) {
        const std::string which = "record " + std::to_string(i) + " of " + std::to_string(write.records) + ": ";
        if (size_t(end - at) < HEADER + IV) wrong(which + "it is cut off");
        const size_t bytes = size_t(at[3] << 8 | at[4]);
        if (at[0] != write.type || at[1] != write.version >> 8 || at[2] != (write.version & 255))
            wrong(which + "its header");
        if (bytes < 2 * IV || bytes % 16 || size_t(end - at) < HEADER + bytes) wrong(which + "its length");
        Message m;
        m.iv.assign(ivs.begin() + long(IV * i), ivs.begin() + long(IV * (i + 1)));
        if (!std::equal(m.iv.begin(), m.iv.end(), at + HEADER)) wrong(which + "its IV");
        const Bytes ciphertext(at + HEADER + IV, at + HEADER + bytes);
        const size_t some = model->text_of_record(m.iv, ciphertext).size();
        const size_t most = write.fragment ? write.fragment : MOST_FRAGMENT;
        if (some > most || some > text.size() - done || (!some && !text.empty())) wrong(which + "its text's length");
        m.text.assign(text.begin() + long(done), text.begin() + long(done + some));
        const uint64_t number = write.sequence + i;
        for (int shift = 56; shift >= 0; shift -= 8) m.aad.push_back(uint8_t(number >> shift));
        m.aad.insert(m.aad.end(), at, at + 3);
        Bytes sealed, none;
        model->seal(m, &sealed, &none);
        if (sealed != ciphertext) wrong(which + "its ciphertext");
        done += some;
        at += HEADER + bytes;
    }
    if (done != text.size() || at != end) wrong("text is missing");
}

}  // namespace soak
