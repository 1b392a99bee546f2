#include "walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace sum {
namespace {

// Finds the type of a file where the file system does not tell it with the name.
int type_of(const std::string &path, unsigned char *type) {
    struct stat found;
    if (lstat(path.c_str(), &found)) return errno;
    *type = IFTODT(found.st_mode);
    return 0;
}

}  // namespace

Walk::Step Walk::next(bool patient, std::string *path, int *error) {
    *error = 0;
    while (!folders_.empty()) {
        Folder &folder = folders_.back();
        if (!folder.listed) {
            *error = list(&folder);
            if (patient && Descriptors::lacking(*error)) return Step::later;
            folder.listed = true;
            if (!*error) continue;
            *path = folder.path;
            return Step::found;
        }
        if (folder.at == folder.entries.size()) {
            folders_.pop_back();
            continue;
        }
        Entry &entry = folder.entries[folder.at++];
        *path = folder.path + (folder.path.back() == '/' ? "" : "/") + entry.name;
        if (entry.type == DT_UNKNOWN) *error = type_of(*path, &entry.type);
        if (*error || entry.type == DT_REG) return Step::found;
        if (entry.type == DT_DIR) enter(*path, O_NOFOLLOW);
    }
    return Step::end;
}

// Lists the entries that could be read. Returns 0 or errno.
int Walk::list(Folder *folder) {
    const int file = descriptors_->open(folder->path, O_DIRECTORY | folder->flags);
    if (file < 0) return errno;
    DIR *const stream = fdopendir(file);
    if (!stream) {
        const int error = errno;
        descriptors_->close(file);
        return error;
    }
    // The end and an error differ in errno alone.
    for (;;) {
        errno = 0;
        const dirent *const entry = readdir(stream);  // NOLINT(concurrency-mt-unsafe): a stream of its own
        if (!entry) break;
        const std::string name = entry->d_name;
        if (name != "." && name != "..") folder->entries.push_back({name, entry->d_type});
    }
    const int error = errno;
    closedir(stream);
    descriptors_->count_closed();
    std::sort(folder->entries.begin(), folder->entries.end(),
              [](const Entry &a, const Entry &b) { return a.name < b.name; });
    return error;
}

}  // namespace sum
