#include "libcrypto.hpp"

#include "library.hpp"

namespace bench {

Libcrypto Libcrypto::linked() {
    Libcrypto crypto;
#define TAKE(name) crypto.name = ::name;
    LIBCRYPTO_CALLS(TAKE)
#undef TAKE
    return crypto;
}

bool Libcrypto::load(const std::string &file, Libcrypto &crypto, std::string &error) {
    Library library;
    if (!library.open(file, error)) return false;
    bool all = true;
#define FIND(name) all = all && library.find(#name, crypto.name, error);
    LIBCRYPTO_CALLS(FIND)
#undef FIND
    if (!all) error += ": it takes a libcrypto of OpenSSL 3.0 or newer";
    return all;
}

} // namespace bench
