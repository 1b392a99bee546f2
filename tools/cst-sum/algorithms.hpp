// The hashes: their names here and in lists, and the library's keys for them.
#pragma once

#include <cryptostitch/cryptostitch.h>

#include <string>
#include <vector>

namespace sum {

struct Algorithm {
    std::string name;  // of -a, and the library's: "sha256"
    std::string tag;   // in lists: "SHA256"
    size_t bytes = 0;  // of a digest
    const cst_key *key = nullptr;
};

// All hashes that the library offers. Lives until the program ends.
class Algorithms {
public:
    // Makes the keys, also of the hashes of these packs (files). Returns why it could not; "": success.
    std::string open(const std::vector<std::string> &packs);
    cst_ctx *context() const { return context_; }
    // Return NULL if there is none of that name, or tag.
    const Algorithm *named(const std::string &name) const;
    const Algorithm *tagged(const std::string &tag) const;
    std::string names() const;

private:
    int add(const std::string &name, const std::string &tag);

    cst_ctx *context_ = nullptr;
    std::vector<Algorithm> all_;
};

}  // namespace sum
