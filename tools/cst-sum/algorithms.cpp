#include "algorithms.hpp"

namespace sum {
namespace {

// In the order in which they are listed.
constexpr const char *NAMES[][2] = {
    {"md5", "MD5"},           {"sha1", "SHA1"},         {"sha224", "SHA224"},         {"sha256", "SHA256"},
    {"sha384", "SHA384"},     {"sha512", "SHA512"},     {"sha512_256", "SHA512/256"}, {"sm3", "SM3"},
    {"sha3-224", "SHA3-224"}, {"sha3-256", "SHA3-256"}, {"sha3-384", "SHA3-384"},     {"sha3-512", "SHA3-512"},
    {"shake128", "SHAKE128"}, {"shake256", "SHAKE256"}, {"blake2b-512", "BLAKE2b"},   {"blake2s-256", "BLAKE2s-256"},
};

}  // namespace

std::string Algorithms::open() {
    int error = cst_ctx_new(&context_, nullptr);
    for (const auto &names : NAMES) {
        if (error) break;
        Algorithm one;
        one.name = names[0];
        one.tag = names[1];
        const cst_suite *suite = nullptr;
        error = cst_suite_get(context_, names[0], &suite);
        if (error == CST_ERR_UNSUPPORTED || error == CST_ERR_NAME) {
            error = CST_OK;
            continue;
        }
        cst_suite_info info = {};
        info.size = sizeof(info);
        if (!error) error = cst_suite_info_get(suite, &info);
        one.bytes = info.tag_max;
        cst_key *key = nullptr;
        if (!error) error = cst_key_new(suite, nullptr, 0, nullptr, 0, &key);
        one.key = key;
        all_.push_back(one);
    }
    return error ? cst_error_text(error) : "";
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

std::string Algorithms::names() const {
    std::string text;
    for (const Algorithm &one : all_) text += (text.empty() ? "" : ", ") + one.name;
    return text;
}

}  // namespace sum
