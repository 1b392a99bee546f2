// A byte string as calls of the API: keys of random suites, jobs of random lengths, alignments and directions, some with bad arguments. What a
// burst says and writes must be what the same jobs say and write alone; a burst with a bad job writes nothing; nothing beside an output changes.
// With CRYPTOSTITCH_FUZZ_SEEDED set, bursts of more than 12 jobs lose a bit: that must be found.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"

namespace {

#define WANT(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            std::abort(); \
        } \
    } while (0)

struct Source {
    const uint8_t *data;
    size_t left;

    unsigned byte() { return left ? (left--, *data++) : 0; }
    unsigned word() { unsigned low = byte(); return low | byte() << 8; }
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
        WANT(cst_ctx_new(&ctx, nullptr) == CST_OK);
        WANT(cst_list(ctx, CST_NAME_SUITE, collect, &names) == 0);
        for (const std::string &name : names) {
            const cst_suite *suite = nullptr;
            if (cst_suite_get(ctx, name.c_str(), &suite) == CST_OK) suites.push_back(suite);
        }
        WANT(!suites.empty());
    }
};

constexpr size_t MARGIN = 64;

// A job, its buffers in blocks of their own with a margin on both sides, and what was asked of it.
struct Call {
    cst_key *key = nullptr;
    cst_suite_info info;
    int direction = CST_SEAL;
    size_t iv_len, aad_len, in_len, out_cap, tag_len, shift;
    bool in_place = false, no_in = false;
    uint8_t fill = 0;
    std::vector<uint8_t> iv, aad, in, out, tag;

    void lay_out() {
        iv.assign(iv_len + MARGIN * 2, uint8_t(fill ^ 1));
        aad.assign(aad_len + MARGIN * 2, uint8_t(fill ^ 2));
        in.resize(in_len + out_cap + shift + MARGIN * 2);
        for (size_t i = 0; i < in.size(); i++) in[i] = uint8_t(i * 7 + fill);
        out.assign(out_cap + shift + MARGIN * 2, 0xee);
        tag.assign(tag_len + MARGIN * 2, 0xdd);
    }
    cst_job job() {
        uint8_t *from = in.data() + MARGIN + shift, *to = in_place ? from : out.data() + MARGIN + shift;
        const bool writes = info.kind == CST_CIPHER || info.kind == CST_AEAD;
        return {sizeof(cst_job), key, direction, 7, iv_len ? iv.data() + MARGIN : nullptr, iv_len, aad_len ? aad.data() + MARGIN : nullptr, aad_len,
                no_in ? nullptr : from, in_len, writes ? to : nullptr, writes ? out_cap : 0, 0, tag_len ? tag.data() + MARGIN : nullptr, tag_len, nullptr, 0, nullptr, 0};
    }
    std::vector<uint8_t> bytes() const {
        std::vector<uint8_t> all;
        for (const auto *buffer : {&iv, &aad, &in, &out, &tag}) all.insert(all.end(), buffer->begin(), buffer->end());
        return all;
    }
    bool margins_hold() const {
        const size_t end = out.size() - MARGIN;
        for (size_t i = 0; i < MARGIN; i++)
            if (out[i] != 0xee || out[end + i] != 0xee || tag[i] != 0xdd || tag[tag.size() - 1 - i] != 0xdd) return false;
        return true;
    }
};

size_t length(Source *s) {
    const unsigned kind = s->byte(), n = s->word();
    return kind & 1 ? n % 80 : kind & 2 ? n % 1024 : n % 4200;
}

bool read_call(const Library &library, Source *s, Call *call) {
    const cst_suite *suite = library.suites[s->byte() % library.suites.size()];
    call->info.size = sizeof call->info;
    WANT(cst_suite_info_get(suite, &call->info) == CST_OK);
    const cst_suite_info &info = call->info;
    uint8_t secret[256];
    for (size_t i = 0; i < sizeof secret; i++) secret[i] = uint8_t(i * 3 + s->left);
    const unsigned kind = s->byte(), spoil = s->byte();
    const size_t most = info.mac_key_max < 200 ? info.mac_key_max : 200;
    const size_t mac = info.mac_key_min + s->byte() % (most - info.mac_key_min + 1);
    if (spoil == 1) {
        cst_key *none = nullptr;
        WANT(cst_key_new(suite, secret, info.key_bytes + 1, secret, mac, &none) == CST_ERR_LENGTH && !none);
    }
    if (cst_key_new(suite, secret, info.key_bytes, secret, mac, &call->key) != CST_OK) return false;
    call->direction = kind & 1 ? CST_OPEN : CST_SEAL;
    call->in_place = kind & 2;
    call->shift = kind >> 2 & 31;
    call->fill = uint8_t(s->byte());
    call->iv_len = info.iv_bytes;
    call->aad_len = info.kind == CST_AEAD ? length(s) % 300 : 0;
    call->in_len = length(s) / info.block_bytes * info.block_bytes;
    if (info.expansion && call->direction == CST_OPEN) call->in_len = call->in_len / 16 * 16 + 16;
    call->out_cap = call->in_len + info.expansion;
    call->tag_len = info.tag_max ? info.tag_min + s->byte() % (info.tag_max - info.tag_min + 1) : 0;
    switch (spoil) {  // most jobs are right
        case 2: call->tag_len += info.tag_max + 1; break;
        case 3: call->iv_len++; break;
        case 4: call->in_len++; break;
        case 5: call->direction = 9; break;
        case 6: call->no_in = true; break;
        case 7: call->out_cap = call->in_len / 2; break;
        case 8: call->aad_len++; break;
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Library library;
    static const bool seeded = std::getenv("CRYPTOSTITCH_FUZZ_SEEDED") != nullptr;
    Source source = {data, size};
    std::vector<Call> calls(1 + source.byte() % 40);
    size_t n = 0;
    while (n < calls.size() && (n == 0 || source.left) && read_call(library, &source, &calls[n])) n++;
    calls.resize(n);
    std::vector<cst_job> jobs;
    std::vector<int> alone;
    std::vector<size_t> lengths;
    std::vector<std::vector<uint8_t>> before, single;
    int first_bad = CST_OK;
    bool forged = false;
    for (Call &call : calls) {
        call.lay_out();
        before.push_back(call.bytes());
        cst_job job = call.job();
        const int error = cst_burst(library.ctx, &job, 1);
        WANT(error == job.status && call.margins_hold());
        const bool bad = error != CST_OK && error != CST_ERR_AUTH;
        if (bad) WANT(call.bytes() == before.back());
        if (bad && !first_bad) first_bad = error;
        forged |= error == CST_ERR_AUTH;
        alone.push_back(error);
        lengths.push_back(job.out_len);
        single.push_back(call.bytes());
        call.lay_out();
        jobs.push_back(call.job());
    }
    const int error = cst_burst(library.ctx, jobs.data(), jobs.size());
    if (seeded && jobs.size() > 12) calls[12].tag[MARGIN] ^= 1;
    WANT(error == (first_bad ? first_bad : forged ? CST_ERR_AUTH : CST_OK));
    for (size_t i = 0; i < calls.size(); i++) {
        const bool bad = alone[i] != CST_OK && alone[i] != CST_ERR_AUTH;
        WANT(jobs[i].status == (first_bad && !bad ? 1 : alone[i]));
        WANT(calls[i].bytes() == (first_bad ? before[i] : single[i]));
        if (!first_bad) WANT(jobs[i].out_len == lengths[i]);
        cst_key_free(calls[i].key);
    }
    return 0;
}
