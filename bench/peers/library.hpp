// Libraries that are loaded at run time.
#pragma once

#include <dlfcn.h>

#include <string>

namespace bench {

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
