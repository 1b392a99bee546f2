#include "habits.hpp"

#include <algorithm>

namespace soak {
namespace {

constexpr size_t LONGEST = 140'000;
constexpr size_t LONGEST_IV = 128;  // libcrypto's EVP takes no longer ones (GCM)

size_t draw_edge(Random &random) {
    const size_t edge = random.between(1, 3) << random.between(5, 12),
                 off = random.chance(60) ? random.below(3) : random.below(17);
    return random.chance(60) ? edge + off : edge - off;
}

size_t draw_long(Random &random) {
    if (random.chance(4)) return random.below(LONGEST);
    return random.chance(20) ? random.below(20'000) : random.below(2'500);
}

// What a burst shows depends little on how many jobs it has, what it costs does.
size_t draw_count(Random &random) {
    const unsigned which = unsigned(random.below(100));
    if (which < 66) return random.of<size_t>({1, 2, 3, 4, 5, 7, 8, 8, 8, 9});
    if (which < 95) return random.of<size_t>({12, 15, 16, 16, 17, 20, 24, 31, 32, 33});
    return random.of<size_t>({40, 48, 63, 64, 65, 100, 129, 200});
}

size_t draw_aad(Random &random) {
    switch (random.below(8)) {
        case 0:
        case 1:
        case 2: return 0;
        case 3: return random.of<size_t>({8, 12, 13, 20});
        case 4: return random.of<size_t>({14, 15, 16, 17, 30, 31, 46, 47, 64});
        case 5: return random.below(70);
        case 6: return random.below(300);
        default: return random.chance(6) ? random.of<size_t>({0xfeff, 0xff00, 0xff01, 70'000}) : random.below(1'100);
    }
}

template <typename Draw>
std::vector<size_t> several(size_t n, Draw draw) {
    std::vector<size_t> all(n);
    for (size_t &one : all) one = draw();
    return all;
}

// Each suite in turn in one session of four; in the others each kind has the same chance, however many suites it has.
size_t draw_suite(const Subject &subject, uint64_t thread, uint64_t session, Random &random) {
    if (session % 4 == 0) return size_t((session / 4 + 31 * thread) % subject.suites().size());
    return random.pick(random.pick(subject.kinds()));
}

// The first, which can do the most, has more to choose from than the others.
const Target &draw_target(const Subject &subject, Random &random) {
    const std::vector<Target> &all = subject.targets();
    return random.chance(50) ? all[0] : random.pick(all);
}

}  // namespace

size_t draw_length(Random &random) {
    switch (random.below(8)) {
        case 0: return random.chance(40) ? 0 : random.below(81);
        case 1: return 16 * random.below(40);
        case 2: return random.chance(50) ? 64 * random.below(40) : 512 * random.below(17) + random.below(9);
        case 3:
        case 4: return draw_edge(random);
        case 5: return random.below(81);
        case 6: return random.chance(50) ? random.below(700) : random.between(64, 1463);  // packets
        default: return draw_long(random);
    }
}

size_t fit_length(const Suite &suite, size_t bytes, size_t iv_bytes) {
    uint64_t most = std::min<uint64_t>(suite.info.max_bytes, LONGEST);
    // SP 800-38C, A.1: 15 - n bytes hold the text's length.
    if (suite.meaning.form == Form::ccm && iv_bytes == 13) most = std::min<uint64_t>(most, 0xffff);
    const size_t fit = std::max<size_t>(size_t(std::min<uint64_t>(bytes, most)), size_t(suite.info.min_bytes));
    return fit - fit % suite.info.block_bytes;
}

size_t fit_aad(const Suite &suite, size_t bytes) {
    const cst_suite_info &info = suite.info;
    if (suite.meaning.form == Form::esp) return bytes % 2 ? info.aad_max : info.aad_min;  // RFC 4303, 2.2.1
    return std::max<size_t>(size_t(std::min<uint64_t>(bytes, info.aad_max)), size_t(info.aad_min));
}

size_t fit_iv(const Suite &suite, size_t bytes) {
    const cst_suite_info &info = suite.info;
    return std::max(std::min({bytes, info.iv_max, LONGEST_IV}), info.iv_min);
}

size_t fit_tag(const Suite &suite, size_t bytes) {
    const cst_suite_info &info = suite.info;
    bytes = std::max(std::min(bytes, info.tag_max), info.tag_min);
    // Those that are compared have a least length, which tags that are only written may go below.
    if (info.open_tag_lengths) bytes = std::max(bytes, size_t(__builtin_ctzll(info.open_tag_lengths)) + 1);
    if (suite.meaning.form == Form::gcm && bytes < 12) return bytes < 8 ? 4 : 8;
    return suite.meaning.form == Form::ccm ? bytes & ~size_t(1) : bytes;
}

Habits draw_habits(const Subject &subject, uint64_t seed, uint64_t thread, uint64_t session) {
    Random random{seed, thread, session, 'h'};
    Habits h;
    size_t main_suite = draw_suite(subject, thread, session, random);
    h.target = &draw_target(subject, random);
    if (session % 8 == 3) {  // each in turn, whatever few suites it has
        h.target = &subject.targets()[(session / 8 + 7 * thread) % subject.targets().size()];
        for (unsigned tries = 1000; tries && !subject.offer(*h.target, main_suite).suite; tries--)
            main_suite = random.pick(random.pick(subject.kinds()));
    }
    if (!subject.offer(*h.target, main_suite).suite) subject.offer(*(h.target = &subject.targets()[0]), main_suite);
    h.suites.push_back(main_suite);
    for (size_t more = random.chance(50) ? 0 : random.between(1, 4); more; more--) {
        const size_t other = random.pick(random.pick(subject.kinds()));
        if (subject.offer(*h.target, other).suite) h.suites.push_back(other);
    }
    h.lengths = several(random.between(2, 8), [&] { return draw_length(random); });
    h.counts = several(random.between(2, 5), [&] { return draw_count(random); });
    h.aads = several(random.between(1, 3), [&] { return draw_aad(random); });
    const cst_suite_info &info = subject.suites()[main_suite].info;
    h.ivs = several(random.between(1, 2), [&] { return random.chance(75) ? info.iv_bytes : random.below(64); });
    h.tags = several(random.between(1, 2), [&] { return random.chance(60) ? info.tag_max : random.between(4, 64); });
    h.seals_percent = random.of<unsigned>({100, 100, 0, 0, 50, 80});
    h.in_place_percent = random.of<unsigned>({0, 0, 100, 50});
    h.scattered_percent = random.of<unsigned>({0, 0, 0, 10, 50});
    h.forged_percent = random.of<unsigned>({0, 0, 10, 30});
    h.keys = random.of<Keys>({Keys::one, Keys::one, Keys::few, Keys::own});
    h.same_texts = random.chance(10);
    return h;
}

}  // namespace soak
