#include "pack_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "errors.hpp"
#include "names.hpp"

namespace sum {
namespace {

constexpr size_t MOST_BYTES = (size_t(256) << 20) + 72;  // what cst_pack_load takes, and a signature

// Reads a file that is open, of at most MOST_BYTES. Returns what is wrong; "": nothing.
std::string read_all(int file, const std::string &name, std::string *bytes) {
    struct stat found;
    if (fstat(file, &found)) return what_is_wrong(name, errno);
    if (S_ISDIR(found.st_mode)) return what_is_wrong(name, EISDIR);
    if (!S_ISREG(found.st_mode)) return quoted(name) + ": a pack is a regular file";
    if (uint64_t(found.st_size) > MOST_BYTES) return what_is_wrong(name, EFBIG);
    // One byte of room more than the file has shows where it ends, if it has not grown.
    for (size_t filled = 0; filled <= MOST_BYTES;) {
        bytes->resize(std::max(size_t(found.st_size) + 1, filled + filled / 2 + 1));
        const ssize_t n = read(file, &(*bytes)[filled], bytes->size() - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return what_is_wrong(name, errno);
        filled += size_t(n);
        if (n) continue;
        bytes->resize(filled);
        return "";
    }
    return what_is_wrong(name, EFBIG);
}

}  // namespace

std::string load_pack(cst_ctx *context, const std::string &name) {
    // O_NONBLOCK: a FIFO is opened, and refused, without a writer.
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return what_is_wrong(name, errno);
    std::string bytes;
    std::string wrong = read_all(file, name, &bytes);
    close(file);
    if (!wrong.empty()) return wrong;
    const int error = cst_pack_load(context, bytes.data(), bytes.size());
    char why[1024] = "";
    if (error == CST_ERR_PACK) cst_pack_check(bytes.data(), bytes.size(), why, sizeof(why));
    return error ? quoted(name) + ": " + (*why ? why : cst_error_text(error)) : "";
}

}  // namespace sum
