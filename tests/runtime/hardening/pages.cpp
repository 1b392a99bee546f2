// What is mapped after every way to code: `cst-pages anonymous|sealed|static [rwx | alias | descriptor]`. No page is
// writable and executable, no executable file is mapped shared and writable elsewhere or, without a name, writable at
// all, and no descriptor of a nameless file stays open. The second word makes the program itself do what must be found.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

namespace {

int failures = 0, sealed = 0, anonymous = 0;

void complain(const char *what, const std::string &where) {
    std::printf("%s: %s\n", what, where.c_str());
    failures++;
}

struct Mapping {
    char permissions[5];
    unsigned long inode;
    std::string device, line;
    bool executable() const { return permissions[2] == 'x'; }
    bool writable() const { return permissions[1] == 'w'; }
    bool nameless() const { return line.find("memfd:") != std::string::npos; }
};

void look_at_mappings() {
    std::vector<Mapping> all;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        Mapping m;
        char device[32];
        if (std::sscanf(line.c_str(), "%*s %4s %*s %31s %lu", m.permissions, device, &m.inode) != 3) continue;
        m.device = device, m.line = line;
        all.push_back(m);
    }
    if (all.size() < 5) complain("no mappings", "/proc/self/maps");
    sealed = anonymous = 0;
    for (const Mapping &m : all) {
        if (!m.executable()) continue;
        if (m.writable()) complain("writable and executable", m.line);
        sealed += m.nameless();
        anonymous += m.inode == 0 && m.line.find('[') == std::string::npos;
        for (const Mapping &other : all)
            if (m.inode && other.inode == m.inode && other.device == m.device && other.writable() &&
                (other.permissions[3] == 's' || other.nameless()))
                complain("a writable alias", other.line);
    }
}

void look_at_descriptors() {
    DIR *folder = opendir("/proc/self/fd");
    while (dirent *entry = folder ? readdir(folder) : nullptr) {
        char target[256] = {};
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) > 0 && std::strstr(target, "memfd:"))
            complain("an open descriptor", target);
    }
    if (folder) closedir(folder);
}

int collect(const char *name, void *arg) {
    static_cast<std::vector<std::string> *>(arg)->push_back(name);
    return 0;
}

void seed(const char *what) {
    const int fd = int(syscall(SYS_memfd_create, "seed", 0u));
    if (ftruncate(fd, 4096) != 0) complain("no file", "seed");
    if (std::strcmp(what, "rwx") == 0)
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (std::strcmp(what, "alias") == 0) {
        mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (std::strcmp(what, "descriptor") != 0) close(fd);
}

}  // namespace

int main(int argc, char **argv) {
    const std::string way = argc > 1 ? argv[1] : "";
    if (way == "sealed" && prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) != 0) return 77;  // before Linux 6.3
    cst_options options = {sizeof(cst_options), way == "static" ? uint32_t(CST_NO_JIT) : 0u, nullptr};
    cst_ctx *ctx = nullptr;
    if (cst_ctx_new(&ctx, &options) != CST_OK) return 2;
    std::vector<std::string> names;
    cst_list(ctx, CST_NAME_KERNEL, collect, &names);
    int made = 0;
    for (size_t i = 0; i < names.size(); i++) {
        const cst_kernel *kernel = nullptr;
        made += cst_kernel_get(ctx, names[i].c_str(), &kernel) == CST_OK;
    }
    if (argc > 2) seed(argv[2]);
    look_at_mappings();
    look_at_descriptors();
    if (made < 3) complain("hardly any kernel", std::to_string(made));
    if (way == "static" ? sealed || anonymous : way == "sealed" ? sealed == 0 || anonymous : anonymous == 0 || sealed)
        complain("another way was taken", way);
    cst_ctx_free(ctx);
    if (argc < 3) {
        look_at_mappings();
        if (sealed || anonymous) complain("code is left", "after cst_ctx_free");
    }
    std::printf("%d kernels: %s\n", made, failures ? "bad" : "ok");
    return failures != 0;
}
