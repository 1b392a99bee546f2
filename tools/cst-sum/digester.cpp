#include "digester.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace sum {
namespace {

// Files at once, twice the lanes of the widest kernels: short ones leave lanes to others before a round ends. Together
// their pieces are as much memory as a thread takes.
constexpr size_t SLOTS = 64;
constexpr size_t PIECE = DIGEST_MEMORY / SLOTS;
// Of new files so many in a round: a thread leaves some to the others.
constexpr size_t MOST_NEW = 32;

struct Slot {
    alignas(8) unsigned char state[CST_STATE_BYTES];
    unsigned char digest[64];
    Task task;
    Result result;
    unsigned char *piece;
    size_t filled;
    uint64_t size;  // that is to be read of a file on a disk; 0: not known
    uint64_t chunk_left;
    int file;
    bool busy, ended, closes;  // closes: the chunk
};

class Digester {
public:
    Digester(cst_ctx *context, Queue *queue, unsigned char *memory) : context_(context), queue_(queue), slots_(SLOTS) {
        for (size_t i = 0; i < SLOTS; i++) slots_[i].piece = memory + i * PIECE;
        for (Slot &slot : slots_) slot.busy = false;
    }

    void run() {
        for (size_t busy = 0;;) {
            const bool ended = fill(&busy);
            if (!busy) {
                if (ended) return;
                continue;
            }
            for (Slot &slot : slots_)
                if (slot.busy && !slot.ended && !slot.result.error) read_piece(&slot);
            take_in();
            for (Slot &slot : slots_) {
                if (!slot.busy || !(slot.ended || slot.result.error)) continue;
                finish(&slot);
                busy--;
            }
        }
    }

private:
    // New files into free slots. True: there are no more.
    bool fill(size_t *busy) {
        size_t some = 0;
        for (Slot &slot : slots_) {
            if (slot.busy) continue;
            if (some == MOST_NEW) return false;
            const Queue::Draw drawn = queue_->draw(&slot.task, *busy == 0);
            if (drawn != Queue::Draw::task) return drawn == Queue::Draw::end;
            begin(&slot);
            ++*busy;
            ++some;
            if (slot.task.alone) return false;
        }
        return false;
    }

    static void begin(Slot *slot) {
        slot->busy = true;
        slot->ended = false;
        slot->size = 0;
        slot->result = Result();
        memset(slot->state, 0, sizeof(slot->state));
        slot->file =
            slot->task.name == "-" ? STDIN_FILENO : open(slot->task.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
        struct stat found;
        slot->chunk_left = slot->task.chunk;
        if (slot->file < 0) {
            slot->result.error = errno;
        } else if (slot->task.name != "-" && fstat(slot->file, &found) == 0 && S_ISREG(found.st_mode)) {
            const uint64_t from = slot->task.from, size = uint64_t(found.st_size);
            slot->size = std::min(size > from ? size - from : 0, slot->task.rolls ? UINT64_MAX : slot->task.chunk);
            if (from) lseek(slot->file, off_t(from), SEEK_SET);
        }
        if (slot->size > PIECE) posix_fadvise(slot->file, 0, 0, POSIX_FADV_SEQUENTIAL);
    }

    void read_piece(Slot *slot) {
        slot->filled = 0;
        const bool fresh = slot->chunk_left == slot->task.chunk;
        const size_t most = size_t(std::min<uint64_t>(PIECE, slot->chunk_left));
        while (slot->filled < most && !slot->ended) {
            const ssize_t n = read(slot->file, slot->piece + slot->filled, most - slot->filled);
            if (n < 0) {
                if (errno == EINTR) continue;
                slot->result.error = errno;
                return;
            }
            slot->filled += size_t(n);
            slot->result.bytes += uint64_t(n);
            // What a file on a disk is said to have is all that it has: a second call would only say so. Of /proc it is
            // 0, and of others the end may come before.
            slot->ended = n == 0 || (slot->size && slot->result.bytes == slot->size);
        }
        slot->chunk_left -= slot->filled;
        slot->ended |= !slot->chunk_left && !slot->task.rolls;
        // Behind the last chunk there is not an empty one.
        const bool nothing = fresh && !slot->filled && !slot->result.digest.empty();
        slot->closes = (slot->ended || !slot->chunk_left) && !nothing;
    }

    void take_in() {
        cst_part parts[SLOTS];
        size_t n = 0;
        uint64_t bytes = 0;
        for (Slot &slot : slots_) {
            if (!slot.busy || slot.result.error) continue;
            const Algorithm &algorithm = *slot.task.algorithm;
            parts[n++] = {sizeof(cst_part),
                          algorithm.key,
                          slot.state,
                          slot.piece,
                          slot.filled,
                          slot.closes ? slot.digest : nullptr,
                          slot.closes ? algorithm.bytes : 0};
            bytes += slot.filled;
        }
        const int error = cst_digest_parts(context_, parts, n);  // of memory, and then nothing has happened
        for (Slot &slot : slots_) {
            if (!slot.busy || slot.result.error) continue;
            if (error) slot.result.error = ENOMEM;
            else if (slot.closes) close_chunk(&slot);
        }
        queue_->read(bytes);
    }

    // The library has left the state ready for another message.
    static void close_chunk(Slot *slot) {
        slot->result.digest.append(reinterpret_cast<const char *>(slot->digest), slot->task.algorithm->bytes);
        slot->chunk_left = slot->task.chunk;
    }

    void finish(Slot *slot) {
        if (slot->file >= 0 && slot->task.name != "-") close(slot->file);
        slot->busy = false;
        queue_->done(slot->task, std::move(slot->result));
    }

    cst_ctx *const context_;
    Queue *const queue_;
    std::vector<Slot> slots_;
};

}  // namespace

unsigned char *digest_memory() {
    void *const memory = mmap(nullptr, DIGEST_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<unsigned char *>(memory);
}

void digest_files(cst_ctx *context, Queue *queue, unsigned char *memory) { Digester(context, queue, memory).run(); }

}  // namespace sum
