// Holding everybody to the same instruction sets on one machine.
#pragma once

#include <string>

namespace bench {

struct Tier {
    const char *name;     // "avx2"
    const char *target;   // of Cryptostitch, as in cst_options
    const char *openssl;  // OPENSSL_ia32cap (openssl manual, OPENSSL_ia32cap(3))
};
const Tier *find_tier(const std::string &name); // null: there is none
std::string tier_names();
// OpenSSL reads its variable before main: so the program begins again, with the variable set. Returns false when that
// failed, else only in the program that has it.
bool enter(const Tier &tier, char **argv);

} // namespace bench
