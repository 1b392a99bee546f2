// The hashes: their names here and in lists, and the library's keys for them.
#pragma once

#include <cryptostitch/cryptostitch.h>

#include <string>
#include <vector>

namespace sum {

// A pass of the library over a message: it makes one digest, or two with a suite of both ("md5+sha256").
struct Pass {
    // Where one of its digests goes.
    struct Place {
        size_t from, to, bytes;  // from: in what the pass makes; to: in the digest of the Algorithm
        bool reversed;
    };
    const cst_key *key;
    size_t bytes;  // that it makes
    std::vector<Place> places;
};

// A hash, or several of the same file: `members`, whose digests are one behind the other.
struct Algorithm {
    std::string name;  // of -a, and the library's: "sha256"
    std::string tag;   // in lists: "SHA256"
    size_t bytes = 0;  // of a digest
    const cst_key *key = nullptr;  // of one hash
    bool tree = false;  // BLAKE3: parts of a file may be digested side by side
    bool reversed = false;  // a checksum, which is written as a number: its most significant byte first
    std::vector<Pass> passes;
    std::vector<const Algorithm *> members;  // of several hashes; empty: one

    // Returns the digest that the passes have made: made[i], of passes[i].
    std::string digest(const unsigned char (*made)[64]) const;
};
constexpr size_t MOST_MEMBERS = 32;

// The options of an extendable-output function, and of BLAKE3 (--keyed, --derive-key).
struct Mode {
    std::string suite = "blake3", mac_key;
    size_t length = 0;  // bytes of a digest; 0: the usual number
};

// All hashes that the library offers. Lives until the program ends.
class Algorithms {
public:
    // Makes the keys, also of the hashes of these packs (files). Returns why it could not; "": success.
    std::string open(const std::vector<std::string> &packs, const Mode &mode);
    cst_ctx *context() const { return context_; }
    // Return NULL if there is none of that name, or tag.
    const Algorithm *named(const std::string &name) const;
    const Algorithm *tagged(const std::string &tag) const;
    // Returns what a list of names with commas between them asks for; a name that is repeated counts once. NULL: *wrong
    // says why there is none.
    const Algorithm *listed(const std::string &names, std::string *wrong);
    std::string names() const;

private:
    int add(const std::string &name, const std::string &tag, const Mode &mode);
    void add_passes(Algorithm *list);
    // Returns the key of a suite of both hashes; NULL: there is none.
    const cst_key *key_of_both(const Algorithm &first, const Algorithm &second) const;

    cst_ctx *context_ = nullptr;
    std::vector<Algorithm> all_;
    Algorithm several_;
};

}  // namespace sum
