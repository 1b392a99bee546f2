#include "stats.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "library.hpp"

namespace cst::imb {
namespace {

constexpr size_t DIRECTIONS = 3, MOST_FILL = 256;
constexpr const char *NAMES[] = {"cryptostitch", "real", "refused"};

std::atomic<uint64_t> jobs_of[size_t(RanOn::NUMBER)][IMB_CIPHER_NUM][IMB_AUTH_NUM][DIRECTIONS], bursts[MOST_FILL + 1];

class Item {  // of a list or an object, with the comma that stands before all but the first
public:
    explicit Item(std::string *text) : text_(text) {}
    void add(const std::string &item) {
        *text_ += (first_ ? "" : ", ") + item;
        first_ = false;
    }

private:
    std::string *text_;
    bool first_ = true;
};

std::string quoted(const std::string &name) { return "\"" + name + "\": "; }

void list_jobs(std::string *text) {
    Item items(text);
    for (size_t on = 0; on < size_t(RanOn::NUMBER); on++)
        for (size_t cipher = 0; cipher < IMB_CIPHER_NUM; cipher++)
            for (size_t hash = 0; hash < IMB_AUTH_NUM; hash++)
                for (size_t direction = 0; direction < DIRECTIONS; direction++)
                    if (const uint64_t n = jobs_of[on][cipher][hash][direction])
                        items.add("{" + quoted("cipher") + std::to_string(cipher) + ", " + quoted("hash") +
                                  std::to_string(hash) + ", " + quoted("direction") + std::to_string(direction) + ", " +
                                  quoted("on") + "\"" + NAMES[on] + "\", " + quoted("jobs") + std::to_string(n) + "}");
}

std::string line() {
    std::string text = "{" + quoted("pid") + std::to_string(getpid()) + ", " + quoted("jobs") + "[";
    list_jobs(&text);
    text += "], " + quoted("fill") + "{";
    Item fills(&text);
    for (size_t n = 1; n <= MOST_FILL; n++)
        if (bursts[n]) fills.add(quoted(std::to_string(n)) + std::to_string(bursts[n]));
    text += "}, " + quoted("kernels") + "{";
    Item kernels(&text);
    if (engine())
        for (const auto &variant : engine()->variants())
            if (const uint64_t calls = variant->calls.sum()) kernels.add(quoted(variant->name) + std::to_string(calls));
    return text + "}}\n";
}

class Writer {
public:
    Writer() {
        const char *const file = secure_getenv("CRYPTOSTITCH_IPSEC_MB_STATS");
        if (file) file_ = file;
    }
    ~Writer() {
        if (file_.empty()) return;
        const int file = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (file < 0) return;
        const std::string text = line();
        if (write(file, text.data(), text.size()) < 0) { /* there is nobody to tell */
        }
        close(file);
    }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;
    bool wanted() const { return !file_.empty(); }

private:
    std::string file_;
};

}  // namespace

std::atomic<bool> counting{false};

void begin_counting() {
    static const Writer writer;
    counting.store(writer.wanted(), std::memory_order_relaxed);
}

void add_job(const IMB_JOB &job, RanOn where) {
    const unsigned cipher = number_of(job.cipher_mode), hash = number_of(job.hash_alg);
    const unsigned direction = number_of(job.cipher_direction);
    if (cipher >= IMB_CIPHER_NUM || hash >= IMB_AUTH_NUM) return;
    jobs_of[size_t(where)][cipher][hash][direction < DIRECTIONS ? direction : 0].fetch_add(1,
                                                                                           std::memory_order_relaxed);
}

void add_burst(size_t jobs) { bursts[jobs < MOST_FILL ? jobs : MOST_FILL].fetch_add(1, std::memory_order_relaxed); }

}  // namespace cst::imb
