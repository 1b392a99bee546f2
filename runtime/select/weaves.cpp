#include "weaves.hpp"

#include <cstring>

namespace cst {
namespace {

constexpr char kWeave = '~';
bool comparable(const Cost &a, const Cost &b) { return a.measured && b.measured && a.here == b.here; }

// Returns the kernel NAME of the weave NAME~CPU at `index`; NULL if that is no such weave, or NAME is missing. In a
// sorted pack NAME comes just before.
const Variant *usual(const std::vector<std::unique_ptr<Variant>> &variants, size_t index) {
    const char *name = variants[index]->name, *end = strchr(name, kWeave);
    if (!end) return nullptr;
    const size_t size = size_t(end - name);
    for (size_t i = index; i--;)
        if (strncmp(variants[i]->name, name, size) == 0 && !variants[i]->name[size]) return variants[i].get();
    return nullptr;
}

}  // namespace

void settle_weaves(const std::vector<std::unique_ptr<Variant>> &variants) noexcept {
    for (size_t i = 0; i < variants.size(); i++) {
        const Variant *plain = usual(variants, i);
        variants[i]->instead = plain && !comparable(variants[i]->cost, plain->cost) ? plain : nullptr;
    }
}

}  // namespace cst
