#include "digester.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "errors.hpp"
#include "trees.hpp"

namespace sum {
namespace {

// Files at once, twice the lanes of the widest kernels: short ones leave lanes to others before a round ends. Together
// their pieces are as much memory as a thread takes.
constexpr size_t SLOTS = 64;
constexpr size_t PIECE = DIGEST_MEMORY / SLOTS;
// A thread takes at most this many new files in a round, and leaves the others to other threads.
constexpr size_t MOST_NEW = 32;

struct Slot {
    alignas(8) unsigned char states[MOST_MEMBERS][CST_STATE_BYTES];  // of each pass over the file
    unsigned char digests[MOST_MEMBERS][64];
    Task task;
    Result result;
    unsigned char *piece;
    size_t filled;
    uint64_t size;  // that is to be read of a file on a disk; 0: not known
    uint64_t chunk_left;
    int file;  // NO_FILE: not open yet
    bool busy = false, ended, closes;  // closes: the chunk
};
constexpr int NO_FILE = -1;

class Digester {
public:
    Digester(cst_ctx *context, Queue *queue, Descriptors *descriptors, unsigned char *memory)
        : context_(context), queue_(queue), descriptors_(descriptors) {
        for (size_t i = 0; i < SLOTS; i++) slots_[i].piece = memory + i * PIECE;
    }

    void run() {
        for (size_t busy = 0;;) {
            const bool ended = fill(&busy);
            if (!busy) {
                if (ended) return;
                continue;
            }
            open_files();
            // The pieces of a round are taken in before it ends, so that their memory is free now.
            for (Slot &slot : slots_)
                if (reads(slot) && slot.task.tree) digest_part(&slot);
            for (Slot &slot : slots_)
                if (reads(slot) && !slot.ended) read_piece(&slot);
            take_in();
            for (Slot &slot : slots_) {
                if (!slot.busy || !(slot.ended || slot.result.error)) continue;
                finish(&slot);
                busy--;
            }
        }
    }

private:
    static bool reads(const Slot &slot) { return slot.busy && slot.file != NO_FILE && !slot.result.error; }
    static bool takes(const Slot &slot) { return reads(slot) && !slot.task.tree; }

    // New files into free slots. True: there are no more.
    bool fill(size_t *busy) {
        size_t some = 0;
        for (Slot &slot : slots_) {
            if (slot.busy) continue;
            if (some == MOST_NEW || starved_) return false;
            const Queue::Draw drawn = queue_->draw(&slot.task, *busy == 0);
            if (drawn != Queue::Draw::task) return drawn == Queue::Draw::end;
            slot.busy = true;
            slot.ended = false;
            slot.file = NO_FILE;
            slot.result = Result();
            ++*busy;
            ++some;
            // Other threads take the next parts of a large file.
            if (slot.task.alone || slot.task.tree) return false;
        }
        return false;
    }

    // Opens files that are not open yet. Where descriptors are lacking, they wait until other files are closed: this
    // thread's, if it has any, or other threads'.
    void open_files() {
        const uint64_t closed = descriptors_->closed();
        Slot *lacking = nullptr;
        bool some_open = false;
        for (Slot &slot : slots_) {
            if (!slot.busy || slot.result.error) continue;
            if (slot.file == NO_FILE && !lacking && !open_file(&slot)) lacking = &slot;
            some_open |= slot.file != NO_FILE;
        }
        starved_ = lacking && (some_open || descriptors_->wait(closed));
        if (lacking && !starved_) lacking->result.error = EMFILE;
    }

    // Returns false if there is no descriptor for it now.
    bool open_file(Slot *slot) {
        const Task &task = slot->task;
        slot->size = 0;
        slot->chunk_left = task.chunk;
        memset(slot->states, 0, task.algorithm->passes.size() * sizeof(slot->states[0]));
        slot->file = task.name == "-" ? STDIN_FILENO : descriptors_->open(task.name);
        if (slot->file == NO_FILE) {
            if (Descriptors::lacking(errno)) return false;
            slot->result.error = errno;
            return true;
        }
        struct stat found;
        if (task.name != "-" && fstat(slot->file, &found) == 0 && S_ISREG(found.st_mode)) {
            const uint64_t from = task.from, size = uint64_t(found.st_size);
            slot->size = std::min(size > from ? size - from : 0, task.rolls ? UINT64_MAX : task.chunk);
        }
        if (task.from && lseek(slot->file, off_t(task.from), SEEK_SET) < 0) slot->result.error = errno;
        if (slot->size > PIECE) posix_fadvise(slot->file, 0, 0, POSIX_FADV_SEQUENTIAL);
        return true;
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
            // The stated size of a file on a disk is its size: a second read would only confirm the end. In /proc it is
            // 0, and other files may end earlier.
            slot->ended = n == 0 || (slot->size && slot->result.bytes == slot->size);
        }
        if (fresh && slot->filled && slot->result.chunks == slot->task.most_chunks) slot->result.error = TOO_MANY_PARTS;
        slot->chunk_left -= slot->filled;
        slot->ended |= !slot->chunk_left && !slot->task.rolls;
        // No empty chunk follows the last one.
        const bool nothing = fresh && !slot->filled && slot->result.chunks;
        slot->closes = (slot->ended || !slot->chunk_left) && !nothing;
    }

    void digest_part(Slot *slot) {
        digest_tree_part(slot->file, slot->task, slots_[0].piece, &slot->result);
        slot->ended = true;
        queue_->read(slot->result.bytes);
    }

    void take_in() {
        uint64_t bytes = 0;
        size_t passes = 0;
        for (const Slot &slot : slots_) {
            if (!takes(slot)) continue;
            bytes += slot.filled;
            passes = std::max(passes, slot.task.algorithm->passes.size());
        }
        for (size_t i = 0; i < passes; i++) take_pass(i);
        for (Slot &slot : slots_)
            if (takes(slot) && slot.closes) close_chunk(&slot);
        queue_->read(bytes);
    }

    // Digests the pieces of all files that have a pass of this number, while they are cached.
    void take_pass(size_t number) {
        cst_part parts[SLOTS];
        Slot *of[SLOTS];
        size_t n = 0;
        for (Slot &slot : slots_) {
            if (!takes(slot) || number >= slot.task.algorithm->passes.size()) continue;
            const Pass &pass = slot.task.algorithm->passes[number];
            of[n] = &slot;
            parts[n++] = {sizeof(cst_part),
                          pass.key,
                          slot.states[number],
                          slot.piece,
                          slot.filled,
                          slot.closes,
                          slot.closes ? digest_of(&slot, number) : nullptr,
                          slot.closes ? pass.bytes : 0};
        }
        digest_parts(parts, of, n);
    }

    // If there is no memory for this many at once, nothing was written, and a smaller number may succeed.
    void digest_parts(const cst_part *parts, Slot *const *of, size_t n) {
        if (!n || cst_digest_parts(context_, parts, n) == CST_OK) return;
        if (n == 1) {
            of[0]->result.error = ENOMEM;
        } else {
            digest_parts(parts, of, n / 2);
            digest_parts(parts + n / 2, of + n / 2, n - n / 2);
        }
    }

    // Whether digests are longer than those of hashes (--length): they are made where they stay.
    static bool wide(const Slot &slot) { return slot.task.algorithm->passes[0].bytes > sizeof(slot.digests[0]); }
    static unsigned char *digest_of(Slot *slot, size_t number) {
        if (!wide(*slot)) return slot->digests[number];
        slot->result.digest.resize(slot->task.algorithm->bytes);
        return reinterpret_cast<unsigned char *>(slot->result.digest.data());
    }
    // The library has left the states ready for another message.
    static void close_chunk(Slot *slot) {
        if (!wide(*slot)) slot->result.digest += slot->task.algorithm->digest(slot->digests);
        slot->result.chunks++;
        slot->chunk_left = slot->task.chunk;
    }

    void finish(Slot *slot) {
        if (slot->file != NO_FILE && slot->task.name != "-") descriptors_->close(slot->file);
        slot->busy = false;
        queue_->done(slot->task, std::move(slot->result));
    }

    cst_ctx *const context_;
    Queue *const queue_;
    Descriptors *const descriptors_;
    bool starved_ = false;  // a slot waits for a descriptor
    Slot slots_[SLOTS];
};

// Memory that is mapped for a thread: its pieces, followed by the Digester.
constexpr size_t MAPPED = DIGEST_MEMORY + sizeof(Digester);

}  // namespace

void Unmap::operator()(unsigned char *memory) const { munmap(memory, MAPPED); }

DigestMemory digest_memory() {
    void *const memory = mmap(nullptr, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return DigestMemory(memory == MAP_FAILED ? nullptr : static_cast<unsigned char *>(memory));
}

void digest_files(cst_ctx *context, Queue *queue, Descriptors *descriptors, unsigned char *memory) {
    Digester *const digester = new (memory + DIGEST_MEMORY) Digester(context, queue, descriptors, memory);
    digester->run();
    digester->~Digester();
}

}  // namespace sum
