#include "options.hpp"

#include "../runtime/select/nearest.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace bench {

static const char *const HELP = R"(usage: cst-bench [options]
Core cycles per byte of Cryptostitch and its peers; every output is checked against OpenSSL's before it is timed.

  --rows GLOB[,GLOB...]   suites; "/open" at the end is the reverse direction, "/write" a text as TLS records,
                          "/key" making keys ("*hmac-sha1*", "*/open")
  --sizes N[,N...]        bytes of one job, or of a block of an erasure code (default 64,1024,16384)
  --mix MIX[,MIX...]      jobs of different lengths, instead of or, with --sizes, besides equal ones: imix (64 x7,
                          570 x4, 1408 x1); over 1,024 texts, random (uniform, 64 to 1463), random-log (1 to 16384,
                          as many in each octave), equal (768 each, what random lengths are to be compared with),
                          page-ends (as random, and each text ends where a page does, with nothing mapped behind it)
  --jobs N[,N...]         jobs in one burst (default 1,8,64; of imix 64)
  --sessions N[,N...]     jobs take their keys from those of N sessions, in random order, and texts that lie at random:
                          none is in a core's own caches
  --threads N|all         throughput of 1, 2, 4, ... N threads, a core each, instead of cycles of one
  --peers A[,B...]        openssl, ipsec-mb, isal, zlib (this system's), built (those of `make peers`); "none" for none
                          (default: all that are there)
  --peer NAME=FILE        another build of openssl or ipsec-mb beside it, as a column of its own: a libcrypto.so, a
                          libIPSec_MB.so; may be repeated. It takes the place of the one of `make peers`
  --tier avx2|sse         hold Cryptostitch, ipsec-mb and OpenSSL to these instruction sets (with SHA-NI and AES-NI in
                          both, 256-bit VAES in avx2)
  --own-key, --one-key    only jobs with a key each, or only jobs that share one key (default: both)
  --json FILE             write {"machine": {...}, "rows": [...]}; "-" is standard output, without the table
  --target TARGET         lower Cryptostitch's level, as in cst_options ("host-no_avx512")
  --costs FILE            have Cryptostitch choose by this cost file (`cryptostitch calibrate --costs FILE`)
  --pack FILE             load a pack of one's own (`cryptostitch pack`); may be repeated. A hash that OpenSSL does not
                          have is checked by the known answers that its pack brings
  --kernel NAME           force Cryptostitch's bulk kernel
  --min-ms N              shortest timed sample, in milliseconds (default 0.5)
  --repetitions N         samples of each; the median counts (default 15)
  --bounds FILE           table of bounds (default: the one for this CPU in bench/bounds, if there is one)
  --list                  print the names of the rows that --rows matches, and stop
  --help
Without --rows, --sizes, --mix, --jobs and --threads: the default cells.

Examples:
  cst-bench --rows 'sha*' --jobs 64
  cst-bench --rows 'aes-128-cbc+hmac-sha1-*' --mix imix --own-key
  cst-bench --rows aes-128-gcm --peers openssl --peer ipsec-mb=/opt/ipsec-mb/lib/libIPSec_MB.so --json gcm.json
  cst-bench --rows '*/open' --tier sse
)";

static const std::vector<std::string> NAMES = {
    "--rows",   "--sizes", "--mix",     "--jobs",        "--sessions", "--threads", "--peers",
    "--peer",   "--tier",  "--own-key", "--one-key",     "--json",     "--target",  "--costs",
    "--kernel", "--pack",  "--min-ms",  "--repetitions", "--bounds",   "--list",    "--help"};

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

// "NAME=FILE". Two builds may have one version, so the second of a kind is marked.
static bool parse_build(const std::string &text, std::vector<Build> &builds) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) return false;
    Build build = {text.substr(0, equals), text.substr(equals + 1), "", ""};
    if (build.kind != "openssl" && build.kind != "ipsec-mb") return false;
    const auto of_kind =
        std::count_if(builds.begin(), builds.end(), [&](const Build &other) { return other.kind == build.kind; });
    if (of_kind) build.mark = "#" + std::to_string(of_kind + 1);
    builds.push_back(build);
    return true;
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

// The default cells: all kinds of rows, then the cases where peers are weak (few jobs, short packets, mixed lengths),
// then threads.
static std::vector<Group> default_groups() {
    const std::string sha1 = "aes-128-cbc+hmac-sha1-etm", sha256 = "aes-128-cbc+hmac-sha256-etm",
                      tls = "aes-128-cbc+hmac-sha1-tls";
    const Size imix = {0, find_mix("imix")};
    const std::vector<Size> mixes = {{0, find_mix("random")}, {0, find_mix("random-log")}, {0, find_mix("equal")}};
    return {
        {{"sha1", "sha256", "sha512", "sm3", "md5", "aes-128-cbc", "aes-256-cbc", "aes-128-cbc/open", sha1, sha256,
          "aes-256-cbc+hmac-sha512-etm", sha1 + "/open", sha256 + "/open"},
         {{64}, {1024}, {16384}},
         {1, 8, 64}},
        {{"aes-128-ctr", "aes-128-gcm", "aes-128-gcm/open", "aes-256-gcm", "chacha20-poly1305",
          "chacha20-poly1305/open"},
         {{64}, {1024}, {16384}},
         {1, 8, 64}},
        {{"aes-128-xts", "aes-128-xts/open", "aes-256-xts", "aes-128-ccm", "aes-128-cmac", "aes-128-xcbc"},
         {{64}, {1024}, {16384}},
         {1, 8, 64}},
        {{"hmac-sha256", "aes-128-cbc+hmac-md5-etm", "aes-128-cbc+hmac-sha1-96"}, {{64}, {1024}, {16384}}, {1, 8, 64}},
        {{"crc32c", "crc32", "crc64-nvme", "crc64-xz", "crc32-bzip2", "crc16-t10-dif", "adler32"},
         {{64}, {1024}, {16384}},
         {1}},
        {{"rs-10+4", "rs-4+2", "pq-16+2"}, {{512}, {4096}, {16384}}, {1}},
        {{"x25519", "ed25519", "ed25519/open", "ecdh-p256", "ecdsa-p256", "ecdsa-p256/open"}, {{64}}, {1, 8, 64}},
        {{"rsa-2048-sign", "rsa-3072-sign", "rsa-4096-sign"}, {{64}}, {1, 4, 8, 64}},
        {{"t10-pi-512", "t10-pi-512/open", "t10-pi-4096", "t10-pi-4096/open"}, {{65536}}, {1}},
        {{"quic-aes-128-gcm", "quic-aes-128-gcm/open", "quic-chacha20-poly1305", "quic-chacha20-poly1305/open"},
         {{64}, {1200}, {1440}, mixes[0]},
         {40}},
        {{"rc4-vartime+hmac-md5-etm"}, {{1024}, {16384}}, {1, 64}},
        {{"des-ede3-cbc", "des-ede3-cbc/open", "des-ede3-cbc+hmac-sha1-etm"},
         {{1024}, {16384}},
         {1, 16, 64},
         true,
         false},
        {{"aes-128-ctr+hmac-sha256-etm", "aes-128-cbc+aes-xcbc-96"}, {{64}, {1024}, {16384}}, {1, 16, 64}, true, false},
        {{tls, tls + "/open"}, {{1024}, {16384}}, {1, 8, 64}},
        {{tls + "/write"}, {{131072}}, {1}},
        {{sha1, sha256}, {{64}, {256}, {1024}, imix}, {64}, true, false},
        {{sha1}, {{8192}}, {1, 2, 4, 8}, true, false},
        {{"sha256"}, {{8192}}, {1, 4, 8, 16}, true, false},
        {{sha1 + "/key", "aes-256-cbc+hmac-sha512-etm/key", "hmac-sha256/key", "aes-128-gcm/key", "aes-256-gcm/key",
          "chacha20-poly1305/key"},
         {{1}},
         {64}},
        {{sha1, sha256, "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"},
         {{64}, imix},
         {64},
         true,
         false,
         false,
         {1024, 65536}},
        {{"sha1",
          "sha256",
          "sha512",
          "md5",
          "hmac-sha256",
          "aes-128-cbc",
          "aes-128-cbc/open",
          "aes-128-ctr",
          "aes-128-gcm",
          "aes-128-gcm/open",
          "aes-256-gcm",
          "chacha20-poly1305",
          "chacha20-poly1305/open",
          "aes-128-xts",
          "aes-128-ccm",
          "aes-128-cmac",
          sha1,
          sha1 + "/open",
          sha256,
          "aes-256-cbc+hmac-sha512-etm",
          "aes-128-cbc+hmac-sha1-96",
          "aes-128-ctr+hmac-sha256-etm",
          tls,
          "crc32c"},
         mixes,
         {1, 8, 64},
         true,
         false},
        {{sha1, sha256, "aes-128-gcm", "chacha20-poly1305"}, {mixes[0]}, {1, 8, 64}, true, false, false, {1024}},
        {{"sha256", "aes-128-ctr", "aes-128-gcm"}, {{0, find_mix("page-ends")}}, {64}, true, false},
        {{sha256}, {{1024}}, {64}, true, false, true},
    };
}

static const Mix MIXES[] = {
    {"imix", Mix::packets, 64, 1408, 0},
    {"random", Mix::uniform, 64, 1463, 1024},
    {"random-log", Mix::logarithmic, 1, 16384, 1024},
    {"page-ends", Mix::uniform, 64, 1463, 1024, true},
    {"equal", Mix::equal, 768, 768, 1024},
};

const Mix *find_mix(const std::string &name) {
    for (const Mix &mix : MIXES)
        if (name == mix.name) return &mix;
    return nullptr;
}

std::string mix_names() {
    std::string names;
    for (const Mix &mix : MIXES) names += (names.empty() ? "" : ", ") + std::string(mix.name);
    return names;
}

int parse_options(int argc, char **argv, Options &o) {
    o.groups = default_groups();
    Group chosen = o.groups[0];
    chosen.rows.insert(chosen.rows.end(), o.groups[1].rows.begin(), o.groups[1].rows.end());
    bool choose = false, sizes = false, jobs = false, own_key = true, one_key = true;
    for (int i = 1; i < argc; i++) {
        std::string name = argv[i], value;
        if (name == "--help" || name == "-h") {
            fputs(HELP, stdout);
            return 0;
        }
        if (name == "--own-key") {
            own_key = true, one_key = false;
            continue;
        }
        if (name == "--one-key") {
            own_key = false, one_key = true;
            continue;
        }
        if (name == "--list") {
            o.list = true;
            continue;
        }
        size_t equals = name.find('=');
        bool separate = equals == std::string::npos;
        if (!separate) value = name.substr(equals + 1), name.resize(equals);
        auto is = [&](const char *candidate) {
            if (name != candidate) return false;
            if (separate && i + 1 < argc) value = argv[++i];
            return true;
        };
        double number;
        std::vector<size_t> counts;
        if (is("--rows")) {
            chosen.rows = split(value);
            choose = true;
        } else if (is("--sizes")) {
            if (!parse_counts(value, 1 << 26, counts))
                return fail("--sizes wants whole numbers of bytes, up to 64 MiB");
            if (!sizes) chosen.sizes.clear();
            for (size_t bytes : counts) chosen.sizes.push_back({bytes});
            choose = sizes = true;
        } else if (is("--mix")) {
            if (!sizes) chosen.sizes.clear();
            for (const std::string &mix : split(value)) {
                if (!find_mix(mix)) return fail("no mix named '" + mix + "'; there are " + mix_names());
                chosen.sizes.push_back({0, find_mix(mix)});
            }
            choose = sizes = true;
        } else if (is("--jobs")) {
            if (!parse_counts(value, 4096, chosen.jobs)) return fail("--jobs wants whole numbers, up to 4096");
            choose = jobs = true;
        } else if (is("--sessions")) {
            if (!parse_counts(value, 1 << 20, chosen.sessions))
                return fail("--sessions wants whole numbers, up to 1048576");
            choose = true;
        } else if (is("--threads")) {
            number = 0;
            if (value != "all" && (!parse_number(value, 1, 4096, number) || number != double(size_t(number))))
                return fail("--threads wants a number or all");
            o.threads = size_t(number);
            choose = chosen.threads = true;
        } else if (is("--peers")) {
            o.peers = split(value);
            for (const std::string &peer : o.peers)
                if (peer != "openssl" && peer != "ipsec-mb" && peer != "isal" && peer != "zlib" && peer != "built" &&
                    peer != "none")
                    return fail("no peer named '" + peer + "'; there are openssl, ipsec-mb, isal, zlib, built");
        } else if (is("--peer")) {
            if (!parse_build(value, o.builds))
                return fail(
                    "--peer wants openssl=FILE or ipsec-mb=FILE, as in --peer "
                    "ipsec-mb=/usr/lib/x86_64-linux-gnu/libIPSec_MB.so.1");
        } else if (is("--tier")) {
            o.tier = find_tier(value);
            if (!o.tier) return fail("no tier named '" + value + "'; there are " + tier_names());
        } else if (is("--json")) {
            o.json = value;
        } else if (is("--target")) {
            o.target = value;
        } else if (is("--costs")) {
            o.costs = value;
        } else if (is("--kernel")) {
            o.kernel = value;
        } else if (is("--pack")) {
            o.packs.push_back(value);
        } else if (is("--bounds")) {
            o.bounds = value;
        } else if (is("--min-ms")) {
            if (!parse_number(value, 0.001, 10000, o.effort.min_ms))
                return fail("--min-ms wants a number from 0.001 to 10000");
        } else if (is("--repetitions")) {
            if (!parse_number(value, 1, 10000, number)) return fail("--repetitions wants a number from 1 to 10000");
            o.effort.repetitions = int(number);
        } else {
            return fail("no option named '" + name + "'; nearest: " + cst::nearest(NAMES, name));
        }
        if (value.empty()) return fail(name + " wants a value");
    }
    if (!jobs && std::all_of(chosen.sizes.begin(), chosen.sizes.end(),
                             [](const Size &size) { return size.mix && size.mix->kind == Mix::packets; }))
        chosen.jobs = {64};
    if (chosen.sessions != Group().sessions && chosen.threads)
        return fail("--sessions and --threads do not go together");
    if (choose) o.groups = {chosen};
    for (Group &group : o.groups) {
        group.own_key &= own_key;
        group.one_key &= one_key;
    }
    return -1;
}

bool matches(const std::vector<std::string> &globs, const std::string &name) {
    for (const std::string &glob : globs)
        if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
    return false;
}

} // namespace bench
