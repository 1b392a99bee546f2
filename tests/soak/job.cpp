#include "job.hpp"

#include <algorithm>

namespace soak {
namespace {

constexpr size_t MOST_PIECES = 5;
constexpr size_t ROOM_LEFT = 1100;  // for the jobs that are still to come, unscattered

uint8_t *lay_bytes(Guarded *memory, Random &random, size_t bytes) {
    if (!bytes && random.chance(40)) return nullptr;
    const unsigned where = unsigned(random.below(100));
    return memory->place(bytes, where < 45 ? Edge::end : where < 80 ? Edge::begin : Edge::inside, random.below(64));
}

uint8_t *lay_copy(Guarded *memory, Random &random, const Bytes &bytes) {
    uint8_t *const at = lay_bytes(memory, random, bytes.size());
    if (!bytes.empty()) memcpy(at, bytes.data(), bytes.size());
    return at;
}

// The lengths of pieces, some of them 0.
std::vector<size_t> cut(Random &random, size_t bytes) {
    std::vector<size_t> ends(random.below(MOST_PIECES));
    for (size_t &end : ends) end = random.chance(30) ? bytes / 16 * random.below(17) : random.below(bytes + 1);
    ends.push_back(bytes);
    std::sort(ends.begin(), ends.end());
    for (size_t i = ends.size(); --i;) ends[i] -= ends[i - 1];
    return ends;
}

Laid lay_whole(Guarded *memory, Random &random, size_t bytes) {
    Laid laid;
    laid.pieces.push_back({lay_bytes(memory, random, bytes), bytes});
    return laid;
}

Laid lay_scattered(Guarded *memory, Random &random, size_t bytes) {
    Laid laid;
    laid.scattered = true;
    for (size_t some : cut(random, bytes)) laid.pieces.push_back({lay_bytes(memory, random, some), some});
    return laid;
}

// The first bytes of what is laid, cut where that is.
Laid first_of(const Laid &whole, size_t bytes) {
    Laid laid;
    laid.scattered = whole.scattered;
    for (const cst_piece &piece : whole.pieces) {
        const size_t some = std::min(bytes, piece.bytes);
        laid.pieces.push_back({piece.data, some});
        if (!(bytes -= some)) break;
    }
    return laid;
}

// What lies in one piece, as several.
Laid recut(Random &random, const Laid &whole) {
    Laid laid;
    laid.scattered = true;
    uint8_t *at = static_cast<uint8_t *>(whole.pieces[0].data);
    for (size_t some : cut(random, whole.pieces[0].bytes)) {
        laid.pieces.push_back({at, some});
        if (at) at += some;
    }
    return laid;
}

void flip(Bytes *bytes, Random &random) { (*bytes)[random.below(bytes->size())] ^= uint8_t(1 << random.below(8)); }

std::string differ(const char *what, const Bytes &is, const Bytes &should_be) {
    for (size_t i = is == should_be ? is.size() : 0; i < is.size(); i++)
        if (is[i] != should_be[i]) return std::string(what) + " is wrong from byte " + std::to_string(i) + " on";
    return "";
}

const char *name_of(Forged forged) {
    switch (forged) {
        case Forged::no: return "";
        case Forged::tag: return ", forged tag";
        case Forged::input: return ", forged input";
        case Forged::aad: return ", forged aad";
        case Forged::iv: return ", forged iv";
        case Forged::padding: return ", forged padding";
        case Forged::length: return ", forged length";
    }
    return "";
}

}  // namespace

void Laid::put(const Bytes &bytes) const {
    size_t done = 0;
    for (const cst_piece &piece : pieces) {
        const size_t some = std::min(piece.bytes, bytes.size() - done);
        if (some) memcpy(piece.data, bytes.data() + done, some);
        done += some;
    }
}

Bytes Laid::get() const {
    Bytes bytes;
    for (const cst_piece &piece : pieces) {
        const uint8_t *const at = static_cast<const uint8_t *>(piece.data);
        if (piece.bytes) bytes.insert(bytes.end(), at, at + piece.bytes);
    }
    return bytes;
}

void Job::settle(Random &random) {
    const bool seals = direction == CST_SEAL;
    given = seals || !enciphers() ? message.text : sealed;
    given_iv = message.iv;
    given_aad = message.aad;
    given_tag = seals ? Bytes(message.tag_bytes, Guarded::FILL) : sealed_tag;
    status = CST_OK;
    if (forged != Forged::no) forge(random);
    out_len = !enciphers() || status != CST_OK ? 0 : seals ? sealed.size() : message.text.size();
}

// Where there is nothing of the sort to change, it is the tag.
void Job::forge(Random &random) {
    status = CST_ERR_AUTH;
    if (forged == Forged::padding) return;  // the model has done it
    if (forged == Forged::length) return forge_length(random);
    if (forged == Forged::input && !given.empty()) return flip(&given, random);
    if (forged == Forged::aad && !given_aad.empty()) return flip(&given_aad, random);
    if (forged == Forged::iv && !given_iv.empty()) return flip(&given_iv, random);
    forged = Forged::tag;
    if (!given_tag.empty()) return flip(&given_tag, random);
    forged = Forged::input;  // TLS: the tag is in it
    flip(&given, random);
}

// To one that nothing is sealed to.
void Job::forge_length(Random &random) {
    const size_t block = suite->info.open_block_bytes, least = size_t(suite->info.open_min_bytes);
    size_t length = least ? random.below(least) : 0;
    if (block > 1 && (!least || random.chance(60)))
        length = given.size() / block * block + random.between(1, block - 1);
    given.resize(length, 0x5c);
}

void Job::lay_texts(Guarded *memory, Random &random, unsigned percent, size_t cap, const Job *neighbour) {
    const bool scatters = random.chance(percent) && memory->room() > ROOM_LEFT;
    if (in_place) {
        const bool same = random.chance(50);
        out = scatters && same ? lay_scattered(memory, random, cap) : lay_whole(memory, random, cap);
        in = first_of(out, given.size());
        if (!scatters || same) return;
        if (random.chance(70)) in = recut(random, in);
        if (random.chance(70)) out = recut(random, out);
        return;
    }
    if (neighbour && neighbour->given == given && !neighbour->in_place) in = neighbour->in;
    else if (scatters && random.chance(70)) in = lay_scattered(memory, random, given.size());
    else in = lay_whole(memory, random, given.size());
    out = Laid();
    if (!enciphers()) return;
    out = scatters && random.chance(70) ? lay_scattered(memory, random, cap) : lay_whole(memory, random, cap);
}

Bytes Job::before() const {
    Bytes bytes(expected.size(), Guarded::FILL);
    if (in_place) std::copy(given.begin(), given.end(), bytes.begin());
    return bytes;
}

void Job::put_back() const {
    if (enciphers()) out.put(before());
    in.put(given);
    std::copy(given_tag.begin(), given_tag.end(), tag);
}

void Job::lay(Guarded *memory, Random &random, unsigned scattered_percent, const Job *neighbour) {
    const bool seals = direction == CST_SEAL;
    const size_t needed = !enciphers() ? 0
                          : seals      ? sealed.size()
                                       : given.size(),
                 cap = needed + (enciphers() && random.chance(15) ? random.below(40) : 0);
    in_place &= enciphers();
    lay_texts(memory, random, scattered_percent, cap, neighbour);
    iv = lay_copy(memory, random, given_iv);
    aad = lay_copy(memory, random, given_aad);
    tag = lay_copy(memory, random, given_tag);

    expected.assign(cap, 0);
    expected = before();
    if (enciphers() && seals) std::copy(sealed.begin(), sealed.end(), expected.begin());
    if (enciphers() && !seals) {
        std::fill(expected.begin(), expected.begin() + long(given.size()), 0);
        if (status == CST_OK) std::copy(message.text.begin(), message.text.end(), expected.begin());
    }
    expected_tag = seals ? sealed_tag : given_tag;
    put_back();

    job = {};
    job.size = sizeof(job);
    job.key = key;
    job.direction = direction;
    job.status = 77;
    job.iv = iv;
    job.iv_len = given_iv.size();
    job.aad = aad;
    job.aad_len = given_aad.size();
    job.in = in.data();
    job.in_len = given.size();
    job.out = out.data();
    job.out_cap = cap;
    job.out_len = 77;
    job.tag = tag;
    job.tag_len = given_tag.size();
    if (in.scattered) job.in_pieces = in.pieces.data(), job.n_in_pieces = in.pieces.size();
    if (out.scattered) job.out_pieces = out.pieces.data(), job.n_out_pieces = out.pieces.size();
}

std::string Job::inputs_changed() const {
    std::string found;
    auto same = [&](const char *what, const uint8_t *at, const Bytes &bytes) {
        if (found.empty() && !bytes.empty()) found = differ(what, Bytes(at, at + bytes.size()), bytes);
    };
    if (!in_place) found = differ("the input, which is only read,", in.get(), given);
    same("the iv, which is only read,", iv, given_iv);
    same("the aad, which is only read,", aad, given_aad);
    return found;
}

std::string Job::problem() const {
    std::string found;
    auto look = [&](const std::string &more) {
        if (found.empty()) found = more;
    };
    if (job.status != status)
        look("status " + std::to_string(job.status) + " instead of " + std::to_string(status) + " (" +
             cst_error_text(status) + ")");
    if (job.out_len != out_len)
        look("out_len " + std::to_string(job.out_len) + " instead of " + std::to_string(out_len));
    if (enciphers()) look(differ("the output", out.get(), expected));
    if (tag) look(differ("the tag", Bytes(tag, tag + expected_tag.size()), expected_tag));
    look(inputs_changed());
    return found;
}

std::string Job::touched() const {
    std::string found;
    if (enciphers()) found = differ("the output of a job that was not to run", out.get(), before());
    if (found.empty() && tag)
        found = differ("the tag of a job that was not to run", Bytes(tag, tag + given_tag.size()), given_tag);
    return found.empty() ? inputs_changed() : found;
}

std::string Job::describe() const {
    auto size = [](const char *name, size_t n) { return std::string(", ") + name + " " + std::to_string(n); };
    return suite->name + (direction == CST_SEAL ? ", seal" : ", open") + size("in", given.size()) +
           size("aad", given_aad.size()) + size("iv", given_iv.size()) + size("tag", given_tag.size()) +
           (in_place ? ", in place" : "") + (in.scattered ? size("pieces of input", in.pieces.size()) : "") +
           (out.scattered ? size("pieces of output", out.pieces.size()) : "") + name_of(forged);
}

}  // namespace soak
