#include "subject.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>

namespace soak {
namespace {

int collect(const char *name, void *arg) {
    static_cast<std::vector<std::string> *>(arg)->push_back(name);
    return 0;
}

std::vector<std::string> names(const cst_ctx *ctx, int kind) {
    std::vector<std::string> all;
    want_ok(cst_list(ctx, kind, collect, &all), "cst_list");
    return all;
}

size_t draw_key_bytes(size_t usual, size_t least, size_t most, Random &random) {
    return random.chance(60) ? usual : random.between(least, most);
}

// HMAC: about the sizes of digests and blocks, where keys begin to be hashed (RFC 2104, 2).
size_t draw_mac_key_bytes(const cst_suite_info &info, Random &random) {
    if (info.mac_key_min == info.mac_key_max) return info.mac_key_min;
    if (!info.mac_key_min && random.chance(10)) return 0;  // which HMAC alone takes
    return random.of<size_t>({1, 16, 20, 32, 63, 64, 65, 127, 128, 129, 200});
}

// Also of a library from before there were all these fields, so that older commits can be tried.
void read_info(const cst_suite *handle, Suite *suite) {
    suite->info = {};
    suite->info.size = sizeof(suite->info);
    if (cst_suite_info_get(handle, &suite->info) != CST_ERR_ARGUMENT) return;
    suite->info.size = offsetof(cst_suite_info, tag_lengths);
    want_ok(cst_suite_info_get(handle, &suite->info), suite->name);
}

}  // namespace

void want_ok(int error, const std::string &what) {
    if (error != CST_OK) throw std::runtime_error(what + ": " + cst_error_text(error));
}

cst_key *new_key(const cst_suite *suite, const Secret &secret, const std::string &name) {
    static const uint8_t empty = 0;  // NULL is no empty key
    const auto at = [](const Bytes &bytes) { return bytes.empty() ? &empty : bytes.data(); };
    cst_key *key = nullptr;
    want_ok(cst_key_new(suite, at(secret.key), secret.key.size(), at(secret.mac_key), secret.mac_key.size(), &key),
            "a key for " + name);
    return key;
}

Secret draw_secret(const Suite &suite, Random &random) {
    const cst_suite_info &info = suite.info;
    Secret secret;
    secret.key = random.bytes(draw_key_bytes(info.key_bytes, info.key_min, info.key_max, random));
    secret.mac_key = random.bytes(draw_mac_key_bytes(info, random));
    return secret;
}

Subject::Subject(const Options &options) {
    const uint32_t flags = CST_ALLOW_LEGACY | (options.no_jit ? CST_NO_JIT : 0);
    std::vector<std::string> seen;
    if (!options.target.empty()) {
        add_target(options.target, flags, &seen);
    } else {
        add_target("host", flags, &seen);
        if (targets_.empty()) throw std::runtime_error("no context");
        for (const std::string &name : {std::string("host-no_avx512"), std::string("sse_aesni")})
            add_target(name, flags, &seen);
        for (const std::string &name : names(targets_[0].ctx, CST_NAME_TARGET)) add_target(name, flags, &seen);
    }
    if (targets_.empty()) throw std::runtime_error("this CPU cannot run " + options.target);
    find_suites(options);
    for (Target &target : targets_) target.offers = std::make_unique<Offer[]>(suites_.size());
}

// Targets that leave the CPU the same features are one.
void Subject::add_target(const std::string &name, uint32_t flags, std::vector<std::string> *seen) {
    cst_options options = {};
    options.size = sizeof(options);
    options.flags = flags;
    options.target = name.c_str();
    Target target;
    target.name = name;
    const int error = cst_ctx_new(&target.ctx, &options);
    if (error == CST_ERR_UNSUPPORTED) return;
    want_ok(error, "a context for " + name);
    cst_cpu_info cpu;
    cpu.size = sizeof(cpu);
    want_ok(cst_ctx_cpu(target.ctx, &cpu), "cst_ctx_cpu");
    if (std::find(seen->begin(), seen->end(), cpu.features) != seen->end()) {
        cst_ctx_free(target.ctx);
        return;
    }
    seen->push_back(cpu.features);
    targets_.push_back(std::move(target));
}

// All that the first target, which can do the most, has.
void Subject::find_suites(const Options &options) {
    std::map<std::string, std::vector<size_t>> kinds;
    for (const std::string &name : names(targets_[0].ctx, CST_NAME_SUITE)) {
        if (fnmatch(options.suites.c_str(), name.c_str(), 0)) continue;
        Suite suite;
        const cst_suite *handle = nullptr;
        const int error = cst_suite_get(targets_[0].ctx, name.c_str(), &handle);
        if (error == CST_ERR_UNSUPPORTED) continue;
        want_ok(error, name);
        suite.name = name;
        read_info(handle, &suite);
        if (!read_meaning(name, &suite.meaning))
            throw std::runtime_error(name + ": the soak does not know what that means (meaning.cpp)");
        Random random{options.seed, suites_.size(), 'k'};
        for (Secret &secret : suite.secrets) secret = draw_secret(suite, random);
        kinds[suite.meaning.kind].push_back(suites_.size());
        suites_.push_back(std::move(suite));
    }
    if (suites_.empty()) throw std::runtime_error("no suite matches " + options.suites);
    for (auto &kind : kinds) kinds_.push_back(std::move(kind.second));
}

const Offer &Subject::offer(const Target &target, size_t at) const {
    Offer &offer = target.offers[at];
    const Suite &suite = suites_[at];
    const cst_suite *found = nullptr;
    const int error = cst_suite_get(target.ctx, suite.name.c_str(), &found);
    if (error != CST_ERR_UNSUPPORTED) want_ok(error, suite.name + " on " + target.name);
    std::call_once(offer.once, [&] {
        offer.suite = found;
        for (size_t i = 0; found && i < KEYS; i++) {
            const Secret &secret = suite.secrets[i];
            offer.keys[i] = new_key(found, secret, suite.name);
        }
    });
    if (found != offer.suite) throw std::runtime_error(suite.name + " on " + target.name + " has moved");
    return offer;
}

Subject::~Subject() {
    for (Target &target : targets_) {
        for (size_t i = 0; target.offers && i < suites_.size(); i++)
            for (cst_key *key : target.offers[i].keys) cst_key_free(key);
        cst_ctx_free(target.ctx);
    }
}

}  // namespace soak
