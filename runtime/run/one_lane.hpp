// Which kernel of one lane for one message.
#pragma once

#include "../suite/suite.hpp"

namespace cst {

class OneLane {
public:
    // one_key: most messages have the key of the one before.
    OneLane(const Suite &suite, bool one_key) : suite_(suite), one_key_(one_key) {}

    static bool serves(const Variant &v) { return v.lanes == 1 && !v.one_key && !v.hand; }
    // Core cycles for so many bytes; what is left over of them costs another call.
    double cost(const Variant &variant, uint64_t bytes) const;
    // The cheapest; NULL: none. ahead: a pair kernel whose hash is ahead of its cipher, see pair.
    const Variant *compare(const Family &family, uint64_t bytes, bool ahead, bool only_ready) const;
    // The cheapest for so many bytes and what its last iteration runs beyond them, of those that can be had; NULL: none. Remembered.
    const Variant *rounded_up(const Family &family, uint64_t bytes) const;
    // What `compare` says, remembered from burst to burst.
    const Variant *choose(const Family &family, uint64_t bytes) const;
    // The pair kernel, if cipher and hash one after the other take longer. `ahead`: of the text to be hashed the first part that a pair kernel needs is hashed
    // alone, and the cipher does the last part alone, since it overwrites what is hashed.
    const Variant *pair(uint64_t bytes, bool ahead) const;

private:
    uint64_t question(const Family &family, uint64_t bytes, bool ahead) const;
    const Variant *recall_exact(const Family &family, uint64_t bytes, bool ahead) const;
    void remember_exact(const Family &family, uint64_t bytes, bool ahead, const Variant *choice) const;
    const Variant *recall(const Family &family, uint64_t bytes, bool pair, bool ahead, bool *known) const;
    void remember(const Family &family, uint64_t bytes, bool pair, bool ahead, const Variant *choice) const;

    const Suite &suite_;
    const bool one_key_;
};

}  // namespace cst
