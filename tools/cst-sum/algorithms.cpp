#include "algorithms.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "names.hpp"
#include "pack_file.hpp"

namespace sum {
namespace {

// Name and tag of each hash, in the order in which messages list them.
constexpr const char *NAMES[][2] = {
    {"md5", "MD5"},           {"sha1", "SHA1"},         {"sha224", "SHA224"},         {"sha256", "SHA256"},
    {"sha384", "SHA384"},     {"sha512", "SHA512"},     {"sha512_256", "SHA512/256"}, {"sm3", "SM3"},
    {"sha3-224", "SHA3-224"}, {"sha3-256", "SHA3-256"}, {"sha3-384", "SHA3-384"},     {"sha3-512", "SHA3-512"},
    {"shake128", "SHAKE128"}, {"shake256", "SHAKE256"}, {"blake2b-512", "BLAKE2b"},   {"blake2s-256", "BLAKE2s-256"},
    {"blake3", "BLAKE3"},     {"crc32c", "CRC32C"},     {"crc32", "CRC32"},           {"crc64-nvme", "CRC64NVME"},
    {"adler32", "ADLER32"},
};

using Names = std::vector<std::string>;

Names suites(cst_ctx *context) {
    Names names;
    cst_list(
        context, CST_NAME_SUITE,
        [](const char *name, void *arg) {
            static_cast<Names *>(arg)->push_back(name);
            return 0;
        },
        &names);
    return names;
}

bool is_checksum(const std::string &name) { return name.compare(0, 3, "crc") == 0; }

// Why there is no context: the environment variable that asks for something else, where it is that.
std::string why_no_context(int error) {
    if (error != CST_ERR_NAME && error != CST_ERR_UNSUPPORTED) return cst_error_text(error);
    const auto setting = [](const char *name) {
        const char *const value = getenv(name);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
        return std::string(value ? value : "");
    };
    const std::string cpu = setting("CRYPTOSTITCH_CPU"), target = setting("CRYPTOSTITCH_TARGET");
    const std::string told = (cpu.empty() ? "" : "CRYPTOSTITCH_CPU=" + quoted(cpu) + ": ") +
                             (target.empty() ? "" : "CRYPTOSTITCH_TARGET=" + quoted(target) + ": ");
    if (error == CST_ERR_UNSUPPORTED) return told + cst_error_text(error);
    char near[256] = {};
    if (!cpu.empty()) cst_nearest(nullptr, CST_NAME_CPU, cpu.c_str(), near, sizeof(near));
    const std::string names = near, nearest = names.substr(0, names.find(','));
    if (nearest == cpu) return told + "no target or feature of that name";
    return told + "no CPU of that name; near it are " + names;
}

}  // namespace

int Algorithms::add(const std::string &name, const std::string &tag, const Mode &mode) {
    Algorithm one;
    one.name = name;
    one.tag = tag;
    const cst_suite *suite = nullptr;
    cst_suite_info info = {};
    info.size = sizeof(info);
    one.tree = name == "blake3";
    int error = cst_suite_get(context_, (one.tree ? mode.suite : name).c_str(), &suite);
    if (!error) error = cst_suite_info_get(suite, &info);
    if (!error && info.kind != CST_DIGEST && !one.tree) error = CST_ERR_NAME;
    if (error) return error;
    one.bytes = mode.length && info.most_tag_bytes ? mode.length : info.tag_max;
    cst_key *key = nullptr;
    const std::string &mac_key = info.kind == CST_MAC ? mode.mac_key : "";
    if (int wrong = cst_key_new(suite, nullptr, 0, mac_key.data(), mac_key.size(), &key)) return wrong;
    one.key = key;
    one.reversed = is_checksum(name);
    one.passes = {{key, one.bytes, {{0, 0, one.bytes, one.reversed}}}};
    all_.push_back(one);
    return CST_OK;
}

std::string Algorithms::open(const std::vector<std::string> &packs, const Mode &mode) {
    cst_options options = {};
    options.size = sizeof(options);
    options.flags = packs.empty() ? 0 : uint32_t(CST_ALLOW_PACKS);
    if (int error = cst_ctx_new(&context_, &options)) return why_no_context(error);
    const Names built_in = suites(context_);
    for (const std::string &pack : packs) {
        const std::string wrong = load_pack(context_, pack);
        if (!wrong.empty()) return wrong;
    }
    Names all[2];  // names, tags
    for (const auto &names : NAMES) all[0].push_back(names[0]), all[1].push_back(names[1]);
    for (const std::string &name : suites(context_)) {
        if (std::find(built_in.begin(), built_in.end(), name) != built_in.end()) continue;
        std::string tag = name;
        for (char &c : tag) c = char(toupper(static_cast<unsigned char>(c)));
        all[0].push_back(name), all[1].push_back(tag);
    }
    for (size_t i = 0; i < all[0].size(); i++)
        if (int error = add(all[0][i], all[1][i], mode))
            if (error != CST_ERR_UNSUPPORTED && error != CST_ERR_NAME) return all[0][i] + ": " + cst_error_text(error);
    return "";
}

const Algorithm *Algorithms::named(const std::string &name) const {
    for (const Algorithm &one : all_)
        if (one.name == name) return &one;
    return nullptr;
}

const Algorithm *Algorithms::tagged(const std::string &tag) const {
    for (const Algorithm &one : all_)
        if (one.tag == tag) return &one;
    return nullptr;
}

const cst_key *Algorithms::key_of_both(const Algorithm &first, const Algorithm &second) const {
    const cst_suite *suite = nullptr;
    cst_key *key = nullptr;
    if (cst_suite_get(context_, (first.name + "+" + second.name).c_str(), &suite)) return nullptr;
    return cst_key_new(suite, nullptr, 0, nullptr, 0, &key) ? nullptr : key;
}

// Finds passes that make all members, in as few readings of a piece as there are suites of both for.
void Algorithms::add_passes(Algorithm *list) {
    const std::vector<const Algorithm *> &members = list->members;
    std::vector<size_t> places;
    for (const Algorithm *one : members) {
        places.push_back(list->bytes);
        list->bytes += one->bytes;
    }
    std::vector<bool> done(members.size());
    const auto place = [&](size_t i, size_t from) {
        done[i] = true;
        return Pass::Place{from, places[i], members[i]->bytes, members[i]->reversed};
    };
    for (size_t i = 0; i < members.size(); i++)
        for (size_t j = 0; j < members.size() && !done[i]; j++) {
            const cst_key *const key = i == j || done[j] ? nullptr : key_of_both(*members[i], *members[j]);
            if (key)
                list->passes.push_back(
                    {key, members[i]->bytes + members[j]->bytes, {place(i, 0), place(j, members[i]->bytes)}});
        }
    for (size_t i = 0; i < members.size(); i++)
        if (!done[i]) list->passes.push_back({members[i]->key, members[i]->bytes, {place(i, 0)}});
}

const Algorithm *Algorithms::listed(const std::string &names, std::string *wrong) {
    Algorithm list;
    for (size_t at = 0, end; at <= names.size(); at = end + 1) {
        end = std::min(names.find(',', at), names.size());
        const std::string name = names.substr(at, end - at);
        const Algorithm *const one = named(name);
        if (!one) {
            const std::string safe = quoted(name);
            *wrong = "no hash " + (safe == name ? "'" + name + "'" : safe) + "; there are " + this->names();
            return nullptr;
        }
        if (std::find(list.members.begin(), list.members.end(), one) != list.members.end()) continue;
        if (list.members.size() == MOST_MEMBERS) {
            *wrong = "more than " + std::to_string(MOST_MEMBERS) + " hashes";
            return nullptr;
        }
        list.members.push_back(one);
        list.tag += (list.tag.empty() ? "" : ",") + one->tag;
    }
    if (list.members.size() == 1) return list.members.front();
    list.name = names;
    add_passes(&list);
    several_ = std::move(list);
    return &several_;
}

std::string Algorithm::digest(const unsigned char (*made)[64]) const {
    std::string all(bytes, '\0');
    for (size_t i = 0; i < passes.size(); i++)
        for (const Pass::Place &place : passes[i].places) {
            const auto to = all.begin() + std::ptrdiff_t(place.to), end = to + std::ptrdiff_t(place.bytes);
            std::copy_n(made[i] + place.from, place.bytes, to);
            if (place.reversed) std::reverse(to, end);
        }
    return all;
}

std::string Algorithms::names() const {
    std::string text;
    for (const Algorithm &one : all_) text += (text.empty() ? "" : ", ") + one.name;
    return text;
}

}  // namespace sum
