// A byte string as calls of the API: keys of random suites, jobs of random lengths, alignments, pieces and directions,
// honest or forged, some with bad arguments. What a burst or a manager says and writes must be what the same jobs say
// and write alone, and what they write in pieces what they write in one; a burst with a bad job writes nothing; nothing
// beside an output changes. With CRYPTOSTITCH_FUZZ_SEEDED set, bursts of more than 12 jobs lose a bit: that must be
// found.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"

namespace {

#define WANT(condition)                                                  \
    do {                                                                 \
        if (!(condition)) {                                              \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            std::abort();                                                \
        }                                                                \
    } while (0)

constexpr size_t MARGIN = 64, GAP = 11;
constexpr uint8_t BLANK = 0xee;
using Bytes = std::vector<uint8_t>;
using Pieces = std::vector<cst_piece>;
using SharedKey = std::shared_ptr<cst_key>;

struct Source {
    const uint8_t *data;
    size_t left;

    unsigned byte() { return left ? (left--, *data++) : 0; }
    unsigned word() {
        unsigned low = byte();
        return low | byte() << 8;
    }
};

int collect(const char *name, void *arg) {
    static_cast<std::vector<std::string> *>(arg)->push_back(name);
    return 0;
}

struct Library {
    cst_ctx *ctx = nullptr;
    std::vector<const cst_suite *> suites;

    Library() {
        std::vector<std::string> names;
        cst_options options = {};
        options.size = sizeof options;
        options.flags = CST_ALLOW_LEGACY;
        WANT(cst_ctx_new(&ctx, &options) == CST_OK);
        WANT(cst_list(ctx, CST_NAME_SUITE, collect, &names) == 0);
        for (const std::string &name : names) {
            const cst_suite *suite = nullptr;
            if (cst_suite_get(ctx, name.c_str(), &suite) == CST_OK) suites.push_back(suite);
        }
        WANT(!suites.empty());
    }
};

Bytes content(const Pieces &pieces) {
    Bytes all;
    for (const cst_piece &piece : pieces)
        all.insert(all.end(), static_cast<uint8_t *>(piece.data), static_cast<uint8_t *>(piece.data) + piece.bytes);
    return all;
}

// The first `size` bytes.
Pieces head(Pieces pieces, size_t size) {
    for (cst_piece &piece : pieces) size -= piece.bytes = std::min(piece.bytes, size);
    return pieces;
}

// Blank bytes with a buffer in them, in one piece or several.
struct Block {
    Bytes bytes;
    Pieces pieces;

    void lay_out(size_t size, size_t shift, const std::vector<size_t> &cuts) {
        bytes.assign(shift + size + GAP * cuts.size() + 2 * MARGIN, BLANK);
        pieces.clear();
        uint8_t *at = bytes.data() + MARGIN + shift;
        size_t done = 0;
        for (size_t cut : cuts) {
            const size_t end = std::max(done, cut % (size + 1));
            pieces.push_back({at, end - done});
            at += end - done + GAP;
            done = end;
        }
        pieces.push_back({at, size - done});
    }
    bool blank_beside() const {
        Bytes copy = bytes;
        for (const cst_piece &piece : pieces)
            std::fill_n(copy.begin() + (static_cast<uint8_t *>(piece.data) - bytes.data()), piece.bytes, BLANK);
        return copy == Bytes(copy.size(), BLANK);
    }
};

// A job, its buffers in blocks of their own, and what was asked of it.
struct Call {
    SharedKey key;
    cst_suite_info info;
    int direction = CST_SEAL;
    size_t iv_len = 0, aad_len = 0, in_len = 0, out_cap = 0, tag_len = 0, shift = 0;
    bool in_place = false, no_in = false, short_sum = false, honest = false;
    uint8_t fill = 0;
    std::vector<size_t> in_cuts, out_cuts;
    Bytes text, answer;  // the input, and what must become of it, of an honest one that is opened
    Bytes right_tag;
    Bytes iv, aad, tag;
    Block in, out;

    bool writes() const { return info.kind == CST_CIPHER || info.kind == CST_AEAD; }
    size_t room() const { return writes() ? in_place ? std::max(in_len, out_cap) : out_cap : 0; }
    const Pieces &out_pieces() const { return in_place ? in.pieces : out.pieces; }

    void lay_out() {
        iv.assign(iv_len + MARGIN * 2, uint8_t(fill ^ 1));
        aad.assign(aad_len + MARGIN * 2, uint8_t(fill ^ 2));
        tag.assign(tag_len + MARGIN * 2, BLANK);
        std::copy(right_tag.begin(), right_tag.end(), tag.begin() + MARGIN);
        in.lay_out(in_place ? room() : in_len, shift, in_cuts);
        out.lay_out(in_place ? 0 : room(), shift / 2, out_cuts);
        size_t i = 0;
        for (const cst_piece &piece : head(in.pieces, in_len))
            for (size_t k = 0; k < piece.bytes; k++, i++)
                static_cast<uint8_t *>(piece.data)[k] = text.empty() ? uint8_t(i * 7 + fill) : text[i];
    }
    // `lists`: room for the pieces.
    cst_job job(Pieces lists[2]) {
        cst_job made = {};
        made.size = sizeof(cst_job);
        made.key = key.get();
        made.direction = direction;
        made.status = 7;
        made.iv = iv_len ? iv.data() + MARGIN : nullptr;
        made.iv_len = iv_len;
        made.aad = aad_len ? aad.data() + MARGIN : nullptr;
        made.aad_len = aad_len;
        made.in_len = in_len;
        made.out_cap = room();
        made.tag = tag_len ? tag.data() + MARGIN : nullptr;
        made.tag_len = tag_len;
        lists[0] = head(in.pieces, in_len);
        lists[1] = out_pieces();
        if (short_sum && lists[0].back().bytes) lists[0].back().bytes--;
        if (no_in)  // where there are bytes: an empty piece may be null
            for (cst_piece &piece : lists[0])
                if (piece.bytes) piece.data = nullptr;
        if (lists[0].size() == 1) {
            made.in = lists[0][0].data;
        } else {
            made.in_pieces = lists[0].data();
            made.n_in_pieces = lists[0].size();
        }
        if (!writes()) return made;
        if (lists[1].size() == 1) {
            made.out = lists[1][0].data;
        } else {
            made.out_pieces = lists[1].data();
            made.n_out_pieces = lists[1].size();
        }
        return made;
    }
    // All that a call could write.
    Bytes bytes() const {
        Bytes all;
        for (const Bytes *buffer : {&iv, &aad, &in.bytes, &out.bytes, &tag})
            all.insert(all.end(), buffer->begin(), buffer->end());
        return all;
    }
    bool margins_hold() const {
        return in.blank_beside() && out.blank_beside() &&
               std::count(tag.begin(), tag.begin() + MARGIN, BLANK) == MARGIN &&
               std::count(tag.end() - MARGIN, tag.end(), BLANK) == MARGIN;
    }
};

// One job alone.
cst_job run(const Library &library, Call *call) {
    Pieces lists[2];
    call->lay_out();
    cst_job job = call->job(lists);
    const int error = cst_burst(library.ctx, &job, 1);
    WANT(error == job.status && call->margins_hold());
    return job;
}

size_t length(Source *s) {
    const unsigned kind = s->byte(), n = s->word();
    return kind & 1 ? n % 80 : kind & 2 ? n % 1024 : n % 4200;
}

size_t aad_length(Source *s, const cst_suite_info &info) {
    const uint64_t span = info.aad_max - info.aad_min, n = length(s);
    return size_t(info.aad_min +
                  (span == 4 ? n % 2 * span : n % (std::min<uint64_t>(span, 300) + 1)));  // 4: ESP, one of the two
}

std::vector<size_t> cuts(Source *s) {
    const unsigned kind = s->byte();
    std::vector<size_t> some(kind > 100 ? kind % 6 : 0);
    for (size_t &cut : some) cut = s->word();
    return some;
}

// What is to be opened is what sealing makes.
void be_honest(const Library &library, Call *call) {
    Call sealer = *call;
    sealer.direction = CST_SEAL;
    sealer.in_place = false;
    sealer.in_len -= std::min(sealer.in_len, sealer.info.expansion);
    sealer.out_cap = sealer.in_len + sealer.info.expansion;
    const cst_job job = run(library, &sealer);
    if (job.status != CST_OK) {  // not every length between the least and the most is one
        WANT(job.status == CST_ERR_LENGTH);
        return;
    }
    call->honest = true;
    call->right_tag.assign(sealer.tag.begin() + MARGIN, sealer.tag.end() - MARGIN);
    if (!call->writes()) return;
    call->answer = content(sealer.in.pieces);
    call->text = content(head(sealer.out.pieces, job.out_len));
    call->in_len = job.out_len;
    call->out_cap = call->in_len + call->info.expansion;
}

bool read_call(const Library &library, Source *s, const std::vector<Call> &others, Call *call) {
    const cst_suite *suite = library.suites[s->byte() % library.suites.size()];
    call->info.size = sizeof call->info;
    WANT(cst_suite_info_get(suite, &call->info) == CST_OK);
    const cst_suite_info &info = call->info;
    uint8_t secret[512];
    for (size_t i = 0; i < sizeof secret; i++) secret[i] = uint8_t(i * 3 + s->left);
    const unsigned kind = s->byte(), spoil = s->byte();
    const size_t most = info.mac_key_max < 200 ? info.mac_key_max : 200;
    const size_t mac = info.mac_key_min + s->byte() % (most - info.mac_key_min + 1);
    cst_key *made = nullptr;
    const size_t key =
        info.key_min == info.key_max ? info.key_bytes : info.key_min + s->byte() % (info.key_max - info.key_min + 1);
    if (spoil == 1) WANT(cst_key_new(suite, secret, info.key_max + 1, secret, mac, &made) == CST_ERR_LENGTH && !made);
    for (const Call &other : others)
        if (kind & 0x80 && other.info.name == info.name) call->key = other.key;
    if (!call->key) {
        if (cst_key_new(suite, secret, key, secret, mac, &made) != CST_OK) return false;
        call->key = SharedKey(made, cst_key_free);
    }
    call->direction = kind & 1 ? CST_OPEN : CST_SEAL;
    call->in_place = kind & 2 && call->writes();
    call->shift = kind >> 2 & 31;
    call->fill = uint8_t(s->byte());
    call->iv_len = info.iv_bytes;
    call->aad_len = aad_length(s, info);
    call->in_len = length(s) / info.block_bytes * info.block_bytes;
    if (info.expansion && call->direction == CST_OPEN) call->in_len = (call->in_len + info.expansion) / 16 * 16;
    call->out_cap = call->in_len + info.expansion;
    call->tag_len = info.tag_max ? info.tag_min + s->byte() % (info.tag_max - info.tag_min + 1) : 0;
    if (call->direction == CST_OPEN && s->byte() & 1) be_honest(library, call);
    call->in_cuts = cuts(s);
    if (call->writes() && !call->in_place) call->out_cuts = cuts(s);
    if (spoil > 1 && spoil < 10) call->text.clear(), call->honest = false;
    switch (spoil) {  // most jobs are right
        case 2: call->tag_len += info.tag_max + 1; break;
        case 3: call->iv_len++; break;
        case 4: call->in_len++; break;
        case 5: call->direction = 9; break;
        case 6: call->no_in = true; break;
        case 7: call->out_cap = call->in_len / 2; break;
        case 8: call->aad_len++; break;
        case 9: call->short_sum = true; break;
    }
    return true;
}

// What each call says and writes alone.
struct Alone {
    std::vector<int> errors;
    std::vector<size_t> lengths;
    std::vector<Bytes> before, after;

    bool bad(size_t i) const { return errors[i] != CST_OK && errors[i] != CST_ERR_AUTH; }
    int first_bad() const {
        for (size_t i = 0; i < errors.size(); i++)
            if (bad(i)) return errors[i];
        return CST_OK;
    }
    int all() const {
        return first_bad()                                                   ? first_bad()
               : std::count(errors.begin(), errors.end(), int(CST_ERR_AUTH)) ? CST_ERR_AUTH
                                                                             : CST_OK;
    }
};

Alone run_alone(const Library &library, std::vector<Call> &calls) {
    Alone alone;
    for (Call &call : calls) {
        call.lay_out();
        alone.before.push_back(call.bytes());
        const cst_job job = run(library, &call);
        alone.errors.push_back(job.status);
        alone.lengths.push_back(job.out_len);
        alone.after.push_back(call.bytes());
        if (alone.bad(alone.errors.size() - 1)) {
            WANT(call.bytes() == alone.before.back());
            continue;
        }
        if (call.honest)
            WANT(job.status == CST_OK &&
                 content(head(call.out_pieces(), call.writes() ? job.out_len : 0)) == call.answer);
        Call whole = call;
        whole.in_cuts.clear();
        whole.out_cuts.clear();
        const cst_job other = run(library, &whole);
        WANT(other.status == job.status && other.out_len == job.out_len);
        if (call.writes())
            WANT(content(head(whole.out_pieces(), call.in_len)) == content(head(call.out_pieces(), call.in_len)));
        WANT(content(head(whole.out_pieces(), job.out_len)) == content(head(call.out_pieces(), job.out_len)) &&
             whole.tag == call.tag);
    }
    return alone;
}

void check_burst(const Library &library, std::vector<Call> &calls, const Alone &alone) {
    static const bool seeded = std::getenv("CRYPTOSTITCH_FUZZ_SEEDED") != nullptr;
    std::vector<cst_job> jobs;
    std::vector<Pieces> lists(2 * calls.size());
    for (Call &call : calls) {
        call.lay_out();
        jobs.push_back(call.job(&lists[2 * jobs.size()]));
    }
    const int error = cst_burst(library.ctx, jobs.data(), jobs.size()), first_bad = alone.first_bad();
    if (seeded && jobs.size() > 12) calls[12].tag[MARGIN] ^= 1;
    WANT(error == alone.all());
    for (size_t i = 0; i < jobs.size(); i++) {
        WANT(jobs[i].status == (first_bad && !alone.bad(i) ? 1 : alone.errors[i]));
        WANT(calls[i].bytes() == (first_bad ? alone.before[i] : alone.after[i]));
        if (!first_bad) WANT(jobs[i].out_len == alone.lengths[i]);
    }
}

// Submitted one by one, with some of the others' results taken, or one cancelled, in between.
void check_manager(const Library &library, std::vector<Call> &calls, const Alone &alone, Source *s) {
    cst_manager_options options = {sizeof(cst_manager_options), 1 + s->byte() % 20, 1 + s->byte() % 40, 0};
    options.capacity = options.min_fill + calls.size();
    cst_manager *manager = nullptr;
    WANT(cst_manager_new(library.ctx, &options, &manager) == CST_OK);
    std::vector<cst_job> jobs(calls.size());
    std::vector<Pieces> lists(2 * calls.size());
    std::vector<bool> inside(calls.size(), false);
    const auto take = [&]() {
        cst_job *job = cst_manager_take(manager);
        if (!job) return false;
        const size_t i = size_t(job - jobs.data());
        WANT(i < jobs.size() && inside[i] && job->status == alone.errors[i] && job->out_len == alone.lengths[i] &&
             calls[i].bytes() == alone.after[i]);
        inside[i] = false;
        return true;
    };
    for (size_t i = 0; i < jobs.size(); i++) {
        calls[i].lay_out();
        jobs[i] = calls[i].job(&lists[2 * i]);
        WANT(cst_manager_submit(manager, &jobs[i]) == (alone.bad(i) ? alone.errors[i] : CST_OK));
        inside[i] = !alone.bad(i);
        const unsigned what = s->byte(), which = s->byte() % (unsigned(i) + 1);
        if (what & 1) take();
        if (what % 16 == 2) WANT(cst_manager_flush(manager) == CST_OK);
        if (what % 16 == 4 && cst_manager_cancel(manager, &jobs[which]) == CST_OK) {
            WANT(inside[which] && jobs[which].status == 1 && calls[which].bytes() == alone.before[which]);
            inside[which] = false;
        }
    }
    WANT(cst_manager_flush(manager) == CST_OK);
    while (take()) continue;
    WANT(std::count(inside.begin(), inside.end(), true) == 0);
    cst_manager_free(manager);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Library library;
    Source source = {data, size};
    const size_t wanted = 1 + source.byte() % 40;
    std::vector<Call> calls;
    while (calls.size() < wanted && (calls.empty() || source.left)) {
        Call call;
        if (!read_call(library, &source, calls, &call)) break;
        calls.push_back(std::move(call));
    }
    const Alone alone = run_alone(library, calls);
    check_burst(library, calls, alone);
    check_manager(library, calls, alone, &source);
    return 0;
}
