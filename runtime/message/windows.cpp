// Runs messages that one walk cannot run, window by window: a walk processes the next window of every message, then the
// one behind it. A window is a contiguous part of a text in pieces, or a copy of a few bytes of several pieces. A
// counter does not carry in a window beyond the bits in which kernels count. The end of an XTS text, where ciphertext
// is stolen, is processed after the last window.

#include <algorithm>
#include <cstddef>
#include <optional>

#include "walks.hpp"
#include "xts.hpp"

namespace cst {
namespace {

constexpr size_t COPIED = 512;  // greatest window that is copied
constexpr size_t GRAIN = 512;  // greatest iteration, a multiple of all others

// A message, in its area of the burst's memory.
struct Windows {
    cst_job job;  // has the current window in place of the text
    MiddleState state;
    Buffer in, out;
    uint64_t at, stop;  // where the window begins, and where the last one ends
    bool ends, copied;  // whether the window is the last one; whether it is in `copy`
    alignas(16) uint8_t last[AES_BLOCK];  // its last block of ciphertext, to be opened
    alignas(64) uint8_t copy[COPIED + MOST_LAST];
    alignas(64) uint8_t rc4[RC4_STATE];

    uint64_t left() const { return stop - at; }
};
static_assert(sizeof(Windows) <= Memory::AREA_BYTES, "it fits");

Windows &begin(const Lists &lists, size_t i) {
    Windows &w = *new (lists.memory->area_of(i, lists.rc4() ? sizeof(Windows) : offsetof(Windows, rc4))) Windows;
    const cst_job &job = *lists.jobs[i];
    w.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
    w.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
    w.job = job;
    w.job.n_in_pieces = w.job.n_out_pieces = 0;
    w.state.cipher = w.state.ahead = w.state.bytes = 0;
    w.state.rc4 = w.rc4;
    w.at = 0;
    return w;
}

// The messages whose next windows one walk processes.
struct WindowWalk {
    explicit WindowWalk(const Lists &all) : lists(all) {
        lists.jobs = jobs;
        lists.middles = middles;
        lists.readable = nullptr;  // a window may be a copy
    }
    void begin() { lists.n = 0; }
    void add(Windows *w, cst_job *job) {
        jobs[lists.n] = job;
        middles[lists.n++] = &w->state;
    }

    Lists lists;
    cst_job *jobs[MOST_MESSAGES];
    MiddleState *middles[MOST_MESSAGES];
};

class TextWindows {
public:
    explicit TextWindows(const Lists &lists)
        : lists_(lists),
          walk_(lists),
          suite_(lists.suite),
          unit_(suite_.encrypt->record.block_bytes),
          counts_(counts(suite_)),
          coarse_(coarse_cipher(suite_, lists.opens)),
          word_(suite_.construction),
          text_(suite_, lists.opens, AES_BLOCK, false, 0, suite_.tweaked() ? &blocks_.emplace(suite_) : nullptr) {
        if (suite_.tweaked()) end_.emplace(suite_, lists.opens);
    }

    bool run() {
        for (size_t i = 0; i < lists_.n; i++) begin_text(i);
        for (;;) {
            size_t waiting = 0;
            for (size_t i = 0; i < lists_.n; i++) waiting += open(windows_[i]);
            if (!waiting) return all_right_;
            walk(false);
            walk(true);
        }
    }

private:
    void begin_text(size_t i) {
        Windows &w = *(windows_[i] = &begin(lists_, i));
        if (lists_.rc4()) memcpy(w.rc4, key_of(w.job).rc4(), RC4_STATE);
        else if (w.job.iv_len) text_.put_chain(w.state.chain, w.job);
        w.stop = end_ ? StolenEnd::before(w.job.in_len) : w.job.in_len;
        if (w.left()) return;
        w.job.in_len = 0;
        text_done(&w.job);
        finish(&w, lists_.jobs[i]);
    }

    // Returns how many bytes the next window may have.
    uint64_t most_of(const Windows &w) const {
        const uint64_t left = w.left();
        if (counts_ && word_.carries()) return std::min(left, word_.left(w.state.chain) * unit_);
        if (!coarse_) return left;
        const uint64_t whole = (left - lists_.pads()) & ~(coarse_->step - 1);
        return whole ? whole : left;
    }
    // Returns how many bytes the output of a window has, of so many bytes of the input.
    size_t output_bytes(uint64_t bytes, bool ends) const {
        return ends && lists_.pads() ? suite_.sealed_bytes(bytes) : size_t(bytes);
    }
    // Sets the next window. Returns false if there is none.
    bool open(Windows *w) {
        const uint64_t left = w->left();
        if (!left) return false;
        const uint64_t most = most_of(*w);
        const uint64_t in = w->in.together(w->at), out = w->out.together(w->at);
        const bool contiguous = in >= most && out >= output_bytes(most, most == left);
        uint64_t bytes = contiguous ? most : std::min({in, out, most - 1}) & ~uint64_t(GRAIN - 1);
        w->copied = !bytes;
        if (w->copied) {
            bytes = std::min<uint64_t>(most, COPIED);
            w->in.read(w->at, w->copy, bytes);
        }
        w->ends = bytes == left;
        w->job.in = w->copied ? w->copy : w->in.at(w->at);
        w->job.out = w->copied ? w->copy : w->out.at(w->at);
        w->job.in_len = bytes;
        if (lists_.opens && bytes >= AES_BLOCK)
            memcpy(w->last, static_cast<const uint8_t *>(w->job.in) + bytes - AES_BLOCK, AES_BLOCK);
        return true;
    }

    // Runs the windows behind which the texts end, or those behind which they go on.
    void walk(bool ends) {
        walk_.begin();
        uint64_t lengths = 0, sum = 0;
        for (size_t i = 0; i < lists_.n; i++) {
            Windows &w = *windows_[i];
            if (!w.left() || w.ends != ends) continue;
            walk_.add(&w, &w.job);
            lengths |= w.job.in_len;
            sum += w.job.in_len;
        }
        if (!walk_.lists.n) return;
        const uint64_t common = ends && lists_.pads() ? AES_BLOCK : std::min<uint64_t>(lengths & -lengths, GRAIN),
                       grain = lists_.grain ? common : 0;
        walk_texts<TextWriter<Phase::after>>(walk_.lists, text_need(walk_.lists, sum / walk_.lists.n, grain), !ends);
        for (size_t i = 0; i < lists_.n; i++)
            if (windows_[i]->left() && windows_[i]->ends == ends) close(windows_[i], lists_.jobs[i]);
    }

    void close(Windows *w, cst_job *job) {
        const uint64_t bytes = w->job.in_len;
        if (w->copied) w->out.write(w->at, w->copy, output_bytes(bytes, w->ends));
        if (counts_) count_on(suite_.construction, w->state.chain, (bytes + unit_ - 1) / unit_);
        else if (end_) advance_tweak(w->state.chain, bytes / AES_BLOCK, w->state.chain);
        else if (lists_.opens) memcpy(w->state.chain, w->last, AES_BLOCK);
        else if (!w->ends) memcpy(w->state.chain, static_cast<uint8_t *>(w->job.out) + bytes - AES_BLOCK, AES_BLOCK);
        w->at += bytes;
        if (w->ends) finish(w, job);
    }
    void finish(Windows *w, cst_job *job) {
        if (end_ && w->stop < job->in_len) {
            const size_t stolen = size_t(job->in_len - w->stop);
            w->in.read(w->stop, w->copy, stolen);
            end_->run(key_of(*job), w->state.chain, w->copy, stolen, w->copy);
            w->out.write(w->stop, w->copy, stolen);
            w->job.out_len += stolen;
        }
        if (w->job.status != CST_OK) return all_right_ = false, refuse_unopened(job);
        job->status = CST_OK;
        job->out_len = size_t(w->stop - w->job.in_len) + w->job.out_len;
    }

    const Lists &lists_;
    WindowWalk walk_;
    const Suite &suite_;
    const uint64_t unit_;
    const bool counts_;
    const Variant *const coarse_;
    const CounterWord word_;
    std::optional<BlockCalls> blocks_;
    const MessageText text_;
    std::optional<StolenEnd> end_;
    Windows *windows_[MOST_MESSAGES];
    bool all_right_ = true;
};

class MacWindows {
public:
    explicit MacWindows(const Lists &lists)
        : lists_(lists),
          walk_(lists),
          unit_(lists.suite.hash->record.block_bytes),
          mac_(lists.suite, lists.opens, nullptr, nullptr) {}

    bool run() {
        hash_heads();
        while (hash_bodies()) {}
        walk_.begin();
        for (size_t i = 0; i < lists_.n; i++) {
            Windows &w = *windows_[i];
            walk_.add(&w, lists_.jobs[i]);
            w.state.ahead = w.at - mac_.boundary(w.job);
            w.state.bytes = 0;
            open(&w, w.left());
        }
        return walk_macs<MacWriter<Phase::after>>(walk_.lists,
                                                  hash_need(walk_.lists, hashed_bytes(lists_.suite, COPIED)));
    }

private:
    Buffer &body(Windows *w) const { return mac_.reads_output() ? w->out : w->in; }
    // Sets the next window of at most `most` bytes of the body. Returns its length.
    uint64_t open(Windows *w, uint64_t most) const {
        const uint64_t together = body(w).together(w->at);
        w->state.body = together >= std::min<uint64_t>(most, COPIED) ? body(w).at(w->at) : w->copy;
        if (w->state.body != w->copy) return std::min(most, together);
        most = std::min<uint64_t>(most, COPIED);
        body(w).read(w->at, w->copy, most);
        return most;
    }
    // Hashes what precedes the body, and the first window.
    void hash_heads() {
        walk_.begin();
        uint64_t sum = 0;
        for (size_t i = 0; i < lists_.n; i++) {
            Windows &w = *(windows_[i] = &begin(lists_, i));
            w.stop = mac_.body_bytes(w.job);
            const uint64_t boundary = mac_.boundary(w.job), bytes = open(&w, w.stop - 1);
            w.job.in = w.job.out = const_cast<uint8_t *>(w.state.body);
            w.state.ahead = (bytes - boundary) & ~uint64_t(unit_ - 1);
            w.at = boundary + w.state.ahead;
            sum += w.at;
            walk_.add(&w, &w.job);
        }
        walk_macs<MacWriter<Phase::before>>(walk_.lists, hash_need(walk_.lists, sum / lists_.n));
    }
    // Hashes the next windows. Returns false if only the ends are left.
    bool hash_bodies() {
        walk_.begin();
        uint64_t sum = 0;
        for (size_t i = 0; i < lists_.n; i++) {
            Windows &w = *windows_[i];
            if (w.left() <= COPIED) continue;
            w.state.bytes = open(&w, w.left() - 1) & ~uint64_t(unit_ - 1);
            w.at += w.state.bytes;
            sum += w.state.bytes;
            walk_.add(&w, &w.job);
        }
        if (!walk_.lists.n) return false;
        walk_macs<MacWriter<Phase::within>>(walk_.lists, hash_need(walk_.lists, sum / walk_.lists.n));
        return true;
    }

    const Lists &lists_;
    WindowWalk walk_;
    const size_t unit_;
    const MessageMac<false> mac_;
    Windows *windows_[MOST_MESSAGES];
};

}  // namespace

bool run_text_windows(const Lists &lists) {
    const InSlot<TextWindows> windows(lists.memory->windows, lists);
    return windows->run();
}
bool run_mac_windows(const Lists &lists) {
    const InSlot<MacWindows> windows(lists.memory->windows, lists);
    return windows->run();
}

}  // namespace cst
