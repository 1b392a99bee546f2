#include "cost_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "../code/file_size_signal.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr char kTitle[] = "cryptostitch costs 1";
constexpr size_t kMostBytes = 4u << 20;
constexpr size_t kMostName = 127;  // of a kernel: cst_choice::kernel
constexpr size_t kMostTable = 31;  // of a table: cst_cpu_info::microarchitecture
constexpr size_t kMostLine = 1024;

uint64_t fnv1a(const char *text, size_t size) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) h = (h ^ uint8_t(text[i])) * 0x100000001b3u;
    return h;
}

// Replaces what is not printable: the brand comes from CPUID, where a hypervisor can put anything.
std::string printable(std::string text) {
    for (char &c : text)
        if (c < ' ' || c > '~') c = '?';
    return text;
}

std::string hex(uint64_t value) {
    char text[17];
    snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
    return text;
}

// Reads one line after the other, and the words of a line. Checks everything against the end; nothing depends on the
// locale.
class Lines {
public:
    Lines(const char *text, size_t size) : at_(text), end_(text + size) {}

    // Reads the next line, without its newline. Returns false at the end, or if the line is too long, unfinished, or
    // not printable ASCII.
    bool next(std::string *line) {
        const size_t most = std::min(size_t(end_ - at_), kMostLine);
        const void *cut = most ? memchr(at_, '\n', most) : nullptr;
        if (!cut) return false;
        const char *stop = static_cast<const char *>(cut);
        line->assign(at_, size_t(stop - at_));
        at_ = stop + 1;
        return std::all_of(line->begin(), line->end(), [](char c) { return c >= ' ' && c <= '~'; });
    }
    const char *at() const { return at_; }
    bool done() const { return at_ == end_; }

private:
    const char *at_, *end_;
};

bool value_of(const std::string &line, const char *key, std::string *value) {
    const size_t n = strlen(key);
    if (line.size() < n + 1 || line.compare(0, n, key) != 0 || line[n] != ' ') return false;
    value->assign(line, n + 1, std::string::npos);
    return true;
}

std::vector<std::string> words_of(const std::string &text) {
    std::vector<std::string> words(1);
    for (char c : text)
        if (c == ' ') words.emplace_back();
        else words.back() += c;
    return words;
}

bool decimal(const std::string &word, uint64_t least, uint64_t most, uint32_t *out) {
    if (word.empty() || word.size() > 10 || (word[0] == '0' && word.size() > 1)) return false;
    uint64_t value = 0;
    for (char c : word) {
        if (c < '0' || c > '9') return false;
        value = value * 10 + uint64_t(c - '0');
    }
    *out = uint32_t(value);
    return value >= least && value <= most;
}

bool digest(const std::string &word, uint64_t *out) {
    if (word.size() != 16) return false;
    *out = 0;
    for (char c : word) {
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) return false;
        *out = *out << 4 | uint64_t(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

// Whether the readers of packs accept the name.
bool is_name(const std::string &word) {
    return !word.empty() && word.size() <= kMostName &&
           std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool parse_head(Lines *lines, CostFile *out) {
    std::string line, value;
    if (!lines->next(&line) || line != kTitle || !lines->next(&line)) return false;
    if (value_of(line, "table", &out->table)) {
        if (!is_name(out->table) || out->table.size() > kMostTable) return false;
        Lines rest = *lines;
        if (!rest.next(&line) || !value_of(line, "message", &value)) return true;
        *lines = rest;
        return decimal(value, 1, MOST_CENTICYCLES, &out->message);
    }
    if (!value_of(line, "brand", &out->brand)) return false;
    if (!lines->next(&line) || !value_of(line, "cpu", &value)) return false;
    const std::vector<std::string> words = words_of(value);
    if (words.size() != 3) return false;
    uint32_t *numbers[] = {&out->family, &out->model, &out->stepping};
    for (size_t i = 0; i < 3; i++)
        if (!decimal(words[i], 0, UINT32_MAX, numbers[i])) return false;
    return lines->next(&line) && value_of(line, "features", &out->features);
}

bool parse_kernel(const std::string &text, bool in_table, KernelCost *out) {
    const std::vector<std::string> words = words_of(text);
    const size_t n = words.size();
    if (n != (in_table ? 3 : 4) || !is_name(words[0])) return false;
    out->name = words[0];
    return (in_table || digest(words[1], &out->code)) &&
           decimal(words[n - 2], LEAST_ITERATION, MOST_CENTICYCLES, &out->centicycles_per_iteration) &&
           decimal(words[n - 1], 0, MOST_CENTICYCLES, &out->centicycles_per_call);
}

bool all_different(const std::vector<KernelCost> &kernels) {
    std::vector<const std::string *> names;
    for (const KernelCost &kernel : kernels) names.push_back(&kernel.name);
    std::sort(names.begin(), names.end(), [](const std::string *a, const std::string *b) { return *a < *b; });
    return std::adjacent_find(names.begin(), names.end(),
                              [](const std::string *a, const std::string *b) { return *a == *b; }) == names.end();
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int number() const { return number_; }

private:
    int number_;
};

// A temporary file in the folder of `path`, removed in the end unless it took the place of `path`.
class Beside {
public:
    explicit Beside(const char *path) : path_(path) {
        for (int i = 0; i < 100 && file_ < 0; i++) {
            name_ = path_ + "." + std::to_string(getpid()) + "." + std::to_string(i);
            file_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
            if (file_ < 0 && errno != EEXIST) break;
        }
        there_ = file_ >= 0;
    }
    ~Beside() {
        if (file_ >= 0) close(file_);
        if (there_) unlink(name_.c_str());
    }
    Beside(const Beside &) = delete;
    Beside &operator=(const Beside &) = delete;

    bool there() const { return there_; }
    bool write_all(const std::string &text) {
        const FileSizeSignal signal;
        for (size_t done = 0; done < text.size();) {
            const ssize_t n = write(file_, text.data() + done, text.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            done += size_t(n);
        }
        const bool kept = fsync(file_) == 0, closed = close(file_) == 0;
        file_ = -1;
        return kept && closed;
    }
    bool take_place() {
        there_ = rename(name_.c_str(), path_.c_str()) != 0;
        return !there_;
    }

private:
    const std::string path_;
    std::string name_;
    int file_ = -1;
    bool there_ = false;
};

// Whether the path may be replaced. A device, a pipe or a symbolic link would be lost, with a file in its place.
bool may_replace(const char *path) {
    struct stat status;
    return lstat(path, &status) ? errno == ENOENT : S_ISREG(status.st_mode);
}

}  // namespace

CostFile::CostFile(const Cpu &cpu, std::vector<KernelCost> costs)
    : brand(printable(cpu.brand)),
      features(feature_names(cpu.features)),
      family(cpu.family),
      model(cpu.model),
      stepping(cpu.stepping),
      kernels(std::move(costs)) {}

bool CostFile::made_on(const Cpu &cpu) const {
    const CostFile here(cpu, {});
    return !is_table() && brand == here.brand && family == here.family && model == here.model &&
           stepping == here.stepping && features == here.features;
}

std::string CostFile::text() const {
    std::string text = std::string(kTitle) + "\n";
    if (is_table()) text += "table " + table + "\n" + (message ? "message " + std::to_string(message) + "\n" : "");
    else
        text += "brand " + brand + "\ncpu " + std::to_string(family) + " " + std::to_string(model) + " " +
                std::to_string(stepping) + "\nfeatures " + features + "\n";
    for (const KernelCost &kernel : kernels)
        text += "kernel " + kernel.name + " " + (is_table() ? "" : hex(kernel.code) + " ") +
                std::to_string(kernel.centicycles_per_iteration) + " " + std::to_string(kernel.centicycles_per_call) +
                "\n";
    return text + "end " + hex(fnv1a(text.data(), text.size())) + "\n";
}

int parse_costs(const char *text, size_t size, CostFile *out) {
    *out = CostFile();
    Lines lines(text, size);
    if (!parse_head(&lines, out)) return CST_ERR_COSTS;
    for (;;) {
        const char *start = lines.at();
        std::string line, value;
        if (!lines.next(&line)) return CST_ERR_COSTS;
        if (value_of(line, "kernel", &value)) {
            KernelCost kernel;
            if (!parse_kernel(value, out->is_table(), &kernel)) return CST_ERR_COSTS;
            out->kernels.push_back(std::move(kernel));
            continue;
        }
        uint64_t stated;
        if (!value_of(line, "end", &value) || !digest(value, &stated) || !lines.done()) return CST_ERR_COSTS;
        return stated == fnv1a(text, size_t(start - text)) && all_different(out->kernels) ? CST_OK : CST_ERR_COSTS;
    }
}

int read_costs(const char *path, CostFile *out, bool *absent) {
    // O_NONBLOCK, because a FIFO at this path must not block the program.
    const Descriptor file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    *absent = file.number() < 0 && errno == ENOENT;
    struct stat status;
    if (file.number() < 0 || fstat(file.number(), &status) || !S_ISREG(status.st_mode)) return CST_ERR_FILE;
    if (status.st_size < 0 || uint64_t(status.st_size) > kMostBytes) return CST_ERR_COSTS;
    std::string text(size_t(status.st_size), 0);
    size_t have = 0;
    while (have < text.size()) {
        const ssize_t n = read(file.number(), &text[have], text.size() - have);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return CST_ERR_FILE;
        if (n == 0) break;
        have += size_t(n);
    }
    return parse_costs(text.data(), have, out);
}

int try_to_write(const char *path) { return may_replace(path) && Beside(path).there() ? CST_OK : CST_ERR_FILE; }

int write_costs(const char *path, const std::string &text) {
    if (text.size() > kMostBytes || !may_replace(path)) return CST_ERR_FILE;
    Beside file(path);
    return file.there() && file.write_all(text) && file.take_place() ? CST_OK : CST_ERR_FILE;
}

}  // namespace cst
