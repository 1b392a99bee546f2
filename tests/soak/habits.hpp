// What users do: for a while the same few suites, lengths and numbers of jobs. So what a context remembers of one burst
// meets those that follow.
#pragma once

#include "subject.hpp"

namespace soak {

constexpr uint64_t SESSION = 48;  // bursts with the same habits

enum class Keys { one, few, own };

struct Habits {
    const Target *target = nullptr;
    std::vector<size_t> suites;  // places in Subject::suites
    std::vector<size_t> lengths, counts, aads, ivs, tags;
    unsigned seals_percent = 50, in_place_percent = 50, scattered_percent = 0, forged_percent = 0;
    Keys keys = Keys::one;
    bool same_texts = false;  // jobs read one text where it lies
};

// Of a thread's session, by its number. Every suite of the subject has its turn.
Habits draw_habits(const Subject &subject, uint64_t seed, uint64_t thread, uint64_t session);

// Any length that is not rare: about blocks, powers of two and sectors of 512 bytes, short, some kilobytes. Of long
// ones little is left to be tried that shorter ones do not try.
size_t draw_length(Random &random);

// The same as the suite takes it: a multiple of its block, within its limits.
size_t fit_length(const Suite &suite, size_t bytes, size_t iv_bytes);
size_t fit_aad(const Suite &suite, size_t bytes);
size_t fit_iv(const Suite &suite, size_t bytes);
// SP 800-38D, 5.2.1.2, and SP 800-38C, A.1, leave gaps.
size_t fit_tag(const Suite &suite, size_t bytes);

}  // namespace soak
