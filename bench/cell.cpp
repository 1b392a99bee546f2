#include "cell.hpp"

#include "quic.hpp"
#include "tls.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

namespace bench {

static constexpr size_t HEAD = 64;

// Offset in a page of each kind of memory. A processor takes a load for one of an earlier store's bytes if the low 12
// bits of the addresses agree, so random offsets would change a figure by up to a sixth.
static constexpr size_t PAGE = 4096, OUTPUT = 2048, KEYS = 1024, TAGS = 3072;
static uint8_t *placed(Table<uint8_t> &bytes, size_t in_page) {
    return reinterpret_cast<uint8_t *>(((reinterpret_cast<uintptr_t>(bytes.data()) + PAGE - 1) & ~uintptr_t(PAGE - 1)) +
                                       in_page);
}
static size_t sealed_bytes(const Row &row, size_t text) {
    return row.write          ? tls_write_bytes(text)
           : row.tls          ? tls_ciphertext_bytes(row, text)
           : row.quic         ? text + QUIC_TAG
           : row.jose         ? text / 16 * 16 + 16
           : row.sector_bytes ? text / row.sector_bytes * (row.sector_bytes + 8)
           : row.coded()      ? text / row.data_blocks * row.parity_blocks
                              : text;
}

// Where the data of a slot begins, of which the first byte is this: on a cache line behind room for the IV; or so that
// it ends where a page does.
static uint8_t *in_slot(uint8_t *slot, size_t pitch, size_t bytes, bool at_page_end) {
    return at_page_end ? slot + pitch - ClosedPage::BYTES - bytes : slot + HEAD;
}

// Buffers lie one pitch apart: the data starts on a cache line, its IV right before it, and equal offsets of neighbours
// fall into different sets. With sessions those of a run lie anywhere, and so do their keys.
void Cell::lay_out() {
    const std::vector<size_t> sizes = lengths(row_, load_);
    for (size_t size : sizes) {
        batch_.total += row_.make_keys ? 1 : size;
        batch_.longest = std::max(batch_.longest, size);
    }
    const size_t jobs = sizes.size();
    batch_.total /= jobs / load_.jobs;
    batch_.one_key = load_.one_key;
    batch_.jobs = load_.jobs;
    batch_.sessions = load_.sessions;
    const size_t longest = std::max(batch_.longest, sealed_bytes(row_, batch_.longest));
    const bool at_page_ends = load_.size.mix && load_.size.mix->at_page_ends;
    const size_t pitch = at_page_ends ? (HEAD + longest + PAGE - 1) / PAGE * PAGE + ClosedPage::BYTES
                                      : HEAD + (longest + 63) / 64 * 64 + 64;

    std::mt19937 random(unsigned(batch_.longest * 131 + jobs));
    auto fill = [&](Table<uint8_t> &v, size_t size) {
        v.resize(size + 2 * PAGE);
        for (uint8_t &byte : v) byte = uint8_t(random());
    };
    std::vector<size_t> slots(jobs), sessions(jobs);
    for (size_t i = 0; i < jobs; i++) {
        slots[i] = i;
        sessions[i] = load_.sessions ? i % load_.sessions : 0;
    }
    if (load_.sessions) {
        std::shuffle(slots.begin(), slots.end(), random);
        std::shuffle(sessions.begin(), sessions.end(), random);
    }
    fill(keys_, std::max(load_.jobs, load_.sessions) * Batch::KEY_PITCH);
    batch_.first_key = placed(keys_, KEYS);
    fill(in_, jobs * pitch);
    fill(out_, jobs * pitch);
    fill(tags_, jobs * tag_pitch());
    fill(expected_tags_, jobs * tag_pitch());
    for (size_t i = 0; i < jobs; i++) {
        Buffer b;
        b.bytes = b.in_bytes = b.out_bytes = sizes[i];
        (row_.open ? b.in_bytes : b.out_bytes) = sealed_bytes(row_, b.bytes);
        const size_t last = std::max(b.in_bytes, b.out_bytes);  // the longer of both ends there
        uint8_t *const in_slots = placed(in_, 0), *const out_slots = placed(out_, at_page_ends ? 0 : OUTPUT);
        uint8_t *in = in_slot(in_slots + slots[i] * pitch, pitch, last, at_page_ends);
        b.session = sessions[i];
        const size_t key = load_.one_key ? 0 : load_.sessions ? b.session : i % load_.jobs;
        b.key = batch_.first_key + key * Batch::KEY_PITCH;
        b.mac_key = b.key + Batch::MAC_KEY;
        b.in = in;
        b.out = in_slot(out_slots + slots[i] * pitch, pitch, last, at_page_ends);
        b.iv = (row_.open ? in : b.out) - (row_.des() ? 8 : 16);
        if (row_.quic) put_quic_header(in - QUIC_HEADER, uint64_t(i) << 32);
        memcpy(b.out - HEAD, in - HEAD, HEAD);
        b.tag = placed(tags_, TAGS) + slots[i] * tag_pitch();
        b.expected_tag = placed(expected_tags_, TAGS) + slots[i] * tag_pitch();
        b.sequence = uint64_t(i) << 32;
        batch_.buffers.push_back(b);
        for (uint8_t *slots_of : {in_slots, out_slots})
            if (at_page_ends)
                closed_.push_back(std::make_unique<ClosedPage>(slots_of + (slots[i] + 1) * pitch - ClosedPage::BYTES));
    }
}

// The right answers come from the sealing direction, also for open: then the input becomes what was sealed.
bool Cell::answer() {
    if (row_.tls && !row_.open) return true;
    Row seal = row_;
    seal.open = seal.make_keys = false;
    Batch sealing = batch_;
    sealing.sessions = 0;
    sealing.jobs = batch_.buffers.size();
    if (row_.open)
        for (Buffer &b : sealing.buffers) std::swap(b.in_bytes, b.out_bytes);
    if (!row_.tls) {
        auto tasks = (row_.checksum || row_.stored() ? *make_storage_reference() : reference_).prepare(seal, sealing);
        if (tasks.empty() || !tasks[0]->run()) return false;
    }
    for (const Buffer &b : batch_.buffers) {
        if (row_.tls && !tls_seal(row_, b, b.sequence, b.iv, b.in, b.bytes, b.out)) return false;
        memcpy(const_cast<uint8_t *>(b.expected_tag), b.tag, tag_pitch());
        uint8_t *in = const_cast<uint8_t *>(b.in);
        if (row_.open && row_.public_key.empty()) {
            expected_out_.emplace_back(in - row_.lead(), in + b.bytes);
            memcpy(in - row_.lead(), b.out - row_.lead(), row_.lead() + b.in_bytes);
        } else if (row_.key_bits || row_.stored()) {
            expected_out_.emplace_back(b.out - row_.lead(), b.out + b.out_bytes);
        }
    }
    return true;
}

size_t Cell::tag_pitch() const { return std::max<size_t>(64, row_.tag_bytes); }

Cell::Cell(const Row &row, const Load &load, Peer &reference) : row_(row), load_(load), reference_(reference) {
    lay_out();
    ok_ = answer();
}

// Has the reference verify each signature: with random nonces, there is nothing to compare it with.
bool Cell::are_verified() const {
    Row open = row_;
    open.open = true;
    Batch batch = batch_;
    batch.jobs = batch.buffers.size();
    for (Buffer &b : batch.buffers) b.expected_tag = b.tag;
    const auto tasks = reference_.prepare(open, batch);
    return !tasks.empty() && tasks[0]->run();
}

bool Cell::is_right(const Buffer &b, size_t i, std::vector<uint8_t> &scratch) const {
    if (row_.write) return tls_is_written(row_, b);
    if (row_.tls && !row_.open) { // whoever sealed it may have chosen the IV
        scratch.resize(b.out_bytes);
        return tls_seal(row_, b, b.sequence, b.out - 16, b.in, b.bytes, scratch.data()) &&
               memcmp(b.out, scratch.data(), b.out_bytes) == 0;
    }
    if (!expected_out_.empty() && memcmp(b.out - row_.lead(), expected_out_[i].data(), row_.lead() + b.out_bytes) != 0)
        return false;
    return row_.open || memcmp(b.tag, b.expected_tag, row_.tag_bytes) == 0;
}

const char *Cell::fault(Task &task) {
    for (const Buffer &b : batch_.buffers) {
        memset(b.out, 0xa5, std::max(b.in_bytes, b.out_bytes));
        if (!row_.open) memset(b.tag, 0xa5, tag_pitch());
    }
    for (size_t i = 0; i < runs(); i++)
        if (!task.run()) return "an error";
    if (row_.make_keys && !task.prove()) return "an error with its keys";
    if (row_.public_key == "ecdsa-p256" && !row_.open) return are_verified() ? nullptr : "wrong output";
    std::vector<uint8_t> scratch;
    for (size_t i = 0; i < batch_.buffers.size(); i++)
        if (!is_right(batch_.buffers[i], i, scratch)) return "wrong output";
    return nullptr;
}

std::vector<Candidate> Cell::candidates(const std::vector<Peer *> &peers) {
    std::vector<Candidate> right;
    for (Peer *peer : peers)
        for (auto &task : peer->prepare(row_, batch_)) {
            if (const char *what = fault(*task)) {
                fprintf(stderr, "cst-bench: %s (%s): %s for %s, %s bytes, %zu jobs; not timed\n", peer->name().c_str(),
                        task->variant.c_str(), what, row_.name.c_str(), load_.size.text().c_str(), load_.jobs);
                failed_ = true;
                continue;
            }
            right.push_back({peer->name(), std::move(task)});
        }
    return right;
}

} // namespace bench
