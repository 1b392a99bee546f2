#include "slower.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace cst::ossl {
namespace {

struct Row {
    const char *name;
    unsigned openssl;
    const char *features;
};
constexpr Row ROWS[] = {
#define SLOWER(name, openssl, features) {name, openssl, features},
#include "openssl_slower.inc"
#undef SLOWER
};

}  // namespace

bool is_slower(const char *names, unsigned openssl, Features cpu) {
    const size_t n = strcspn(names, ":");
    return std::any_of(std::begin(ROWS), std::end(ROWS), [&](const Row &row) {
        Features features = 0;
        return strlen(row.name) == n && !memcmp(row.name, names, n) && openssl >= row.openssl &&
               parse_features(row.features, &features) && (cpu & features) == features;
    });
}

}  // namespace cst::ossl
