#include "options.hpp"

#include <fnmatch.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace bench {

static const char *const HELP = R"(usage: cst-bench [options]
Core cycles per byte of Cryptostitch and its peers; every output is checked against OpenSSL's before it is timed.

  --rows GLOB[,GLOB...]   suites; "/open" at the end is the reverse direction ("*hmac-sha1*", "*/open"); default: the rows of README.md
  --sizes N[,N...]        bytes of one job (default 64,1024,16384)
  --jobs N[,N...]         jobs in one burst (default 1,8,64)
  --peers A[,B...]        of openssl, ipsec-mb, isal; "none" for none (default: all that were built in)
  --own-key, --one-key    only jobs with a key each, or only jobs that share one key (default: both)
  --json FILE             write {"machine": {...}, "rows": [...]}; "-" is standard output, without the table
  --target TARGET         lower Cryptostitch's level, as in cst_options ("host-no_avx512")
  --kernel NAME           force Cryptostitch's bulk kernel
  --min-ms N              shortest timed sample, in milliseconds (default 0.5)
  --repetitions N         samples of each; the median counts (default 15)
  --bounds FILE           table of bounds (default: the one for this CPU in bench/bounds, if there is one)
  --list                  print the names of the rows that --rows matches, and stop
  --help
)";

static std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> parts(1);
    for (char c : text)
        if (c == ',') parts.emplace_back();
        else parts.back() += c;
    return parts;
}

static int fail(const std::string &message) {
    fprintf(stderr, "cst-bench: %s (see --help)\n", message.c_str());
    return 2;
}

static bool parse_number(const std::string &text, double low, double high, double &value) {
    char *end = nullptr;
    errno = 0;
    value = strtod(text.c_str(), &end);
    return errno == 0 && !text.empty() && *end == 0 && value >= low && value <= high;
}

static bool parse_counts(const std::string &text, size_t high, std::vector<size_t> &counts) {
    counts.clear();
    for (const std::string &part : split(text)) {
        double value;
        if (!parse_number(part, 1, double(high), value) || value != double(size_t(value))) return false;
        counts.push_back(size_t(value));
    }
    return true;
}

int parse_options(int argc, char **argv, Options &o) {
    for (int i = 1; i < argc; i++) {
        std::string name = argv[i], value;
        if (name == "--help" || name == "-h") {
            fputs(HELP, stdout);
            return 0;
        }
        if (name == "--own-key") { o.own_key = true, o.one_key = false; continue; }
        if (name == "--one-key") { o.own_key = false, o.one_key = true; continue; }
        if (name == "--list") { o.list = true; continue; }
        size_t equals = name.find('=');
        bool separate = equals == std::string::npos;
        if (!separate) value = name.substr(equals + 1), name.resize(equals);
        auto is = [&](const char *candidate) {
            if (name != candidate) return false;
            if (separate && i + 1 < argc) value = argv[++i];
            return true;
        };
        double number;
        if (is("--rows")) {
            o.rows = split(value);
        } else if (is("--sizes")) {
            if (!parse_counts(value, 1 << 26, o.sizes)) return fail("--sizes wants whole numbers of bytes, up to 64 MiB");
        } else if (is("--jobs")) {
            if (!parse_counts(value, 4096, o.jobs)) return fail("--jobs wants whole numbers, up to 4096");
        } else if (is("--peers")) {
            o.peers = split(value);
            for (const std::string &peer : o.peers)
                if (peer != "openssl" && peer != "ipsec-mb" && peer != "isal" && peer != "none") return fail("no peer named '" + peer + "'; there are openssl, ipsec-mb, isal");
        } else if (is("--json")) {
            o.json = value;
        } else if (is("--target")) {
            o.target = value;
        } else if (is("--kernel")) {
            o.kernel = value;
        } else if (is("--bounds")) {
            o.bounds = value;
        } else if (is("--min-ms")) {
            if (!parse_number(value, 0.001, 10000, o.effort.min_ms)) return fail("--min-ms wants a number from 0.001 to 10000");
        } else if (is("--repetitions")) {
            if (!parse_number(value, 1, 10000, number)) return fail("--repetitions wants a number from 1 to 10000");
            o.effort.repetitions = int(number);
        } else {
            return fail("no option named '" + name + "'");
        }
        if (value.empty()) return fail(name + " wants a value");
    }
    return -1;
}

bool matches(const std::vector<std::string> &globs, const std::string &name) {
    for (const std::string &glob : globs)
        if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
    return false;
}

} // namespace bench
