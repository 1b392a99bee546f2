// Libraries that are loaded at run time.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <string>

namespace bench {

// Where libraries lie that belong to this program: `peers` beside it.
inline std::string peers_folder() {
    char program[PATH_MAX] = {};
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return "";
    const std::string path = program;
    return path.substr(0, path.rfind('/')) + "/peers/";
}

// A shared library beside whatever else is loaded, which finds its own symbols before those of another build of itself.
// It stays loaded.
class Library {
public:
    // False, and why.
    bool open(const std::string &file, std::string &error) {
        file_ = file;
        handle_ = dlopen(file.find('/') == std::string::npos ? ("./" + file).c_str() : file.c_str(),
                         RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!handle_) error = dlerror();
        return handle_ != nullptr;
    }
    template <class Function>
    bool find(const char *name, Function &function, std::string &error) const {
        function = reinterpret_cast<Function>(dlsym(handle_, name));
        if (!function) error = file_ + " has no " + name;
        return function != nullptr;
    }

private:
    std::string file_;
    void *handle_ = nullptr;
};

} // namespace bench
