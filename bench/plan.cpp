#include "plan.hpp"

#include "../runtime/select/nearest.hpp"
#include "tls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>

namespace bench {

// IMIX: of twelve packets seven small, four middling, one large; 570 becomes a multiple of the cipher's block where the
// suite does not pad.
static const size_t IMIX[12] = {64, 570, 64, 64, 570, 64, 1408, 64, 570, 64, 64, 570};

// Bytes that are sealed with a key to see whether it is right.
static constexpr size_t PROOF = 64;

// Texts of a run with sessions: with their outputs some 30 MB, more than a core's own caches hold; and as many as there
// are sessions, so that each key is used, within what memory allows.
static constexpr size_t LEAST_TEXTS = 16384, MOST_TEXTS = 65536;

size_t texts(const Load &load) {
    const size_t some = load.sessions   ? std::clamp(load.sessions, LEAST_TEXTS, MOST_TEXTS)
                        : load.size.mix ? load.size.mix->texts
                                        : 0;
    return std::max<size_t>(some / load.jobs, 1) * load.jobs;
}

static size_t length_of(const Mix &mix, size_t i, std::mt19937 &random) {
    const double drawn = double(random()) / (double(std::mt19937::max()) + 1);
    switch (mix.kind) {
        case Mix::packets: return IMIX[i % 12];
        case Mix::uniform: return mix.least + size_t(drawn * double(mix.most - mix.least + 1));
        case Mix::logarithmic: return size_t(double(mix.least) * std::pow(double(mix.most) / double(mix.least), drawn));
        case Mix::equal: break;
    }
    return mix.most;
}

std::vector<size_t> lengths(const Row &row, const Load &load) {
    const size_t blocks = row.coded() ? row.data_blocks : 1;
    std::vector<size_t> sizes(texts(load), row.make_keys ? PROOF : blocks * load.size.bytes);
    if (!load.size.mix) return sizes;
    std::mt19937 random{1};
    for (size_t i = 0; i < sizes.size(); i++) {
        sizes[i] = length_of(*load.size.mix, i % load.jobs, random);
        if (row.whole_blocks()) sizes[i] = (sizes[i] + 15) / 16 * 16;
        if (row.mode == "XTS") sizes[i] = std::max<size_t>(sizes[i], 16);
    }
    for (size_t run = 0; run < sizes.size(); run += load.jobs)
        for (size_t i = load.jobs; i > 1; i--) std::swap(sizes[run + i - 1], sizes[run + random() % i]);
    return sizes;
}

std::vector<Row> all_rows(const std::string &target, const std::vector<std::string> &packs) {
    std::vector<std::string> suites;
    std::vector<Row> rows;
    for (const NamedSuite &suite : cryptostitch_suites(target, packs)) {
        Row row;
        if (suite.digest_bytes && !parse_row(suite.name, row))
            rows.push_back(digest_row(suite.name, suite.digest_bytes));
        else suites.push_back(suite.name);
    }
    if (suites.empty()) {
        for (const std::string hash : {"sha3-224", "sha3-256", "sha3-384", "sha3-512"})
            suites.insert(suites.end(), {hash, "hmac-" + hash});
        suites.insert(suites.end(), {"shake128", "shake256", "blake2b-512", "blake2s-256"});
        const std::vector<std::string> hashes = {"md5",    "sha1",   "sha224",     "sha256",
                                                 "sha384", "sha512", "sha512_256", "sm3"};
        for (const std::string &hash : hashes) suites.insert(suites.end(), {hash, "hmac-" + hash});
        for (const std::string cipher : {"aes-128-ctr",
                                         "aes-256-ctr",
                                         "aes-128-gcm",
                                         "aes-256-gcm",
                                         "aes-128-xts",
                                         "aes-256-xts",
                                         "aes-128-ecb",
                                         "aes-128-cmac",
                                         "aes-256-cmac",
                                         "aes-128-xcbc",
                                         "aes-128-cbc+aes-xcbc-96",
                                         "aes-128-ctr+hmac-sha256-etm",
                                         "aes-128-ccm",
                                         "aes-256-ccm",
                                         "chacha20",
                                         "chacha20-poly1305",
                                         "rc4-vartime",
                                         "rc4-vartime+hmac-md5-etm",
                                         "des-ede3-cbc",
                                         "des-ede3-cbc+hmac-md5-etm",
                                         "des-ede3-cbc+hmac-sha1-etm"})
            suites.push_back(cipher);
        for (const std::string cipher : {"aes-128-cbc", "aes-192-cbc", "aes-256-cbc"}) {
            suites.push_back(cipher);
            for (const std::string &hash : hashes) {
                suites.push_back(cipher + "+hmac-" + hash + "-etm");
                if (hash == "sha384" ? cipher == "aes-256-cbc"
                                     : cipher != "aes-192-cbc" && (hash == "sha1" || hash == "sha256"))
                    suites.push_back(cipher + "+hmac-" + hash + "-tls");
            }
        }
    }
    for (const auto &others : {storage_rows(), public_key_rows(), quic_rows()})
        suites.insert(suites.end(), others.begin(), others.end());
    for (const std::string &suite : suites)
        for (const char *way : {"", "/open", "/write", "/key"}) {
            Row row;
            if (parse_row(suite + way, row)) rows.push_back(row);
        }
    return rows;
}

std::vector<Row> chosen_rows(const Options &options, const std::vector<Row> &all) {
    std::vector<Row> rows;
    std::set<std::string> seen;
    for (const Group &group : options.groups)
        for (const std::string &glob : group.rows) {
            bool any = false;
            for (const Row &row : all) {
                if (!matches({glob}, row.name)) continue;
                any = true;
                if (seen.insert(row.name).second) rows.push_back(row);
            }
            if (any || !seen.insert(glob).second) continue;
            std::vector<std::string> names;
            for (const Row &row : all) names.push_back(row.name);
            const bool pattern = glob.find_first_of("*?[") != std::string::npos;
            fprintf(stderr, "cst-bench: no row %s here; left out%s\n", glob.c_str(),
                    pattern ? "" : ("; nearest: " + cst::nearest(names, glob)).c_str());
        }
    return rows;
}

// Returns why a row cannot have that load, or "".
static std::string objection(const Row &row, const Load &load) {
    const size_t bytes = load.size.bytes;
    const bool keyless = !row.key_bits && !row.hmac && !row.mac_bits;
    if (load.sessions && (row.make_keys || row.write || keyless)) return row.name + " has no sessions";
    if (row.make_keys) return "";
    if (row.sector_bytes && (load.size.mix || bytes % row.sector_bytes))
        return row.name + " wants whole sectors; " + load.size.text() + " left out";
    if (load.size.mix && load.size.mix->kind == Mix::packets && load.jobs < 12) return "imix wants 12 jobs or more";
    if (load.size.mix) return row.coded() || row.write ? row.name + " has no mixes" : "";
    if (row.whole_blocks() && bytes % 16)
        return row.name + " wants multiples of 16 bytes; " + std::to_string(bytes) + " left out";
    if (row.tls && !row.write && bytes > TLS_LONGEST)
        return row.name + " takes " + std::to_string(TLS_LONGEST) + " bytes; " + std::to_string(bytes) + " left out";
    return "";
}

std::vector<Planned> plan(const Options &options, const std::vector<Row> &rows) {
    std::vector<Planned> cells;
    std::set<std::string> said;
    auto add = [&](const Row &row, const Group &group, const Load &load) {
        const bool keyless = !row.key_bits && !row.hmac && !row.mac_bits;
        if (load.one_key && (load.sessions || row.make_keys)) return;
        if (load.one_key ? !group.one_key || keyless || load.jobs == 1 : !group.own_key && !keyless && load.jobs > 1)
            return;
        const std::string why = objection(row, load);
        if (!why.empty()) {
            if (said.insert(why).second) fprintf(stderr, "cst-bench: %s\n", why.c_str());
            return;
        }
        for (const Planned &other : cells)
            if (other.row.name == row.name && other.load.size == load.size && other.load.jobs == load.jobs &&
                other.load.one_key == load.one_key && other.load.sessions == load.sessions &&
                other.threads == group.threads)
                return;
        cells.push_back({row, load, group.threads});
    };
    for (const Row &row : rows) {
        const size_t begin = cells.size();
        for (const Group &group : options.groups) {
            if (!matches(group.rows, row.name)) continue;
            for (size_t jobs : group.jobs)
                for (const Size &size : group.sizes)
                    for (size_t sessions : group.sessions)
                        for (bool one_key : {false, true})
                            add(row, group, {row.make_keys ? Size{1} : size, jobs, one_key, sessions});
        }
        auto before = [](const Planned &a, const Planned &b) {
            const Load &x = a.load, &y = b.load;
            if (x.jobs != y.jobs) return x.jobs < y.jobs;
            if (x.size.mix != y.size.mix) return x.size.mix < y.size.mix;
            if (x.size.bytes != y.size.bytes) return x.size.bytes < y.size.bytes;
            return x.sessions < y.sessions;
        };
        std::stable_sort(cells.begin() + long(begin), cells.end(), before);
    }
    return cells;
}

} // namespace bench
