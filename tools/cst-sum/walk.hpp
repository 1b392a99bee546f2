// The regular files of a folder and of the folders in it. (Not by fts: glibc's takes a folder that cannot be read to
// its end for a shorter one.)
#pragma once

#include <string>
#include <vector>

#include "descriptors.hpp"

namespace sum {

class Walk {
public:
    enum class Step { found, later, end };

    // Symbolic links are followed only to `folder` itself.
    Walk(std::string folder, Descriptors *descriptors) : descriptors_(descriptors) { enter(std::move(folder), 0); }

    // found: the next file; with *error (errno), a folder or file that cannot be looked at, or not to its end. They are
    // sorted by name within each folder. later: a folder could not be opened for want of a descriptor, and patient is
    // set; the same call may succeed when a file was closed.
    Step next(bool patient, std::string *path, int *error);

private:
    struct Entry {
        std::string name;
        unsigned char type;  // DT_...
    };
    struct Folder {
        std::string path;
        int flags;  // to open it with
        bool listed;
        std::vector<Entry> entries;
        size_t at;
    };

    void enter(std::string folder, int flags) { folders_.push_back({std::move(folder), flags, false, {}, 0}); }
    int list(Folder *folder);

    Descriptors *const descriptors_;
    std::vector<Folder> folders_;  // from the outermost to the one that is gone through
};

}  // namespace sum
