#include "peer.hpp"

namespace bench {

static bool take(std::string &text, const std::string &prefix) {
    if (text.compare(0, prefix.size(), prefix) != 0) return false;
    text.erase(0, prefix.size());
    return true;
}

bool parse_row(const std::string &name, Row &row) {
    row = Row();
    row.name = row.suite = name;
    const std::string reverse = "/open";
    if (name.size() > reverse.size() && name.compare(name.size() - reverse.size(), reverse.size(), reverse) == 0) {
        row.open = true;
        row.suite.resize(name.size() - reverse.size());
    }
    std::string rest = row.suite;
    for (int bits : {128, 192, 256})
        if (take(rest, "aes-" + std::to_string(bits) + "-cbc")) row.key_bits = bits;
    if (row.key_bits) {
        if (rest.empty()) return true;
        const std::string etm = "-etm";
        if (!take(rest, "+hmac-") || rest.size() <= etm.size() || rest.compare(rest.size() - etm.size(), etm.size(), etm) != 0) return false;
        rest.resize(rest.size() - etm.size());
        row.hmac = true;
    } else {
        if (row.open) return false; // a digest has no reverse
        row.hmac = take(rest, "hmac-");
    }
    row.hash = rest;
    return !rest.empty() && rest.find_first_of("+-/") == std::string::npos;
}

} // namespace bench
