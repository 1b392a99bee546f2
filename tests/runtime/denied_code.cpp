// The system gives no executable memory any more: from behind the context, the suite or the keys on. Whatever kernels
// there are then, every suite's bursts are right, or end in an error and have written nothing.
//
//   cst-denied-code [SUITE ...]    all suites without names; "wrong" in front of them seeds a wrong byte, to be
//   reported
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"
#include "refusals.hpp"

namespace {

using refusals::denials;
bool seed_wrong = false;

typedef std::vector<unsigned char> Bytes;

enum Moment { NEVER, CONTEXT, SUITE, KEYS };
const char *const MOMENTS[] = {"never", "behind the context", "behind the suite", "behind the keys"};

struct Case {
    size_t jobs, bytes, step;  // each job is `step` bytes shorter than the one before
};
const Case CASES[] = {{1, 0, 0},    {1, 16, 0},  {1, 64, 0},     {1, 1500, 0},  {1, 20000, 0},  {3, 200, 0},
                      {5, 777, 64}, {17, 64, 0}, {40, 1460, 16}, {40, 1024, 0}, {40, 9000, 160}};

struct Outcome {
    int error;
    Bytes out, tags;
};

size_t rounded(const cst_suite_info &info, size_t bytes) {
    bytes -= bytes % info.block_bytes;
    return bytes < info.min_bytes ? size_t(info.min_bytes) : bytes;
}

// Opening, the inputs are the outputs and tags of `sealed`.
Outcome run(cst_ctx *ctx, const cst_suite_info &info, const std::vector<cst_key *> &keys, const Case &of,
            const Outcome *sealed) {
    const size_t pitch = of.bytes + 600, tag_bytes = size_t(info.tag_max);
    const bool enciphers = info.kind == CST_CIPHER || info.kind == CST_AEAD;
    Outcome outcome = {0, Bytes(of.jobs * pitch, 'o'), sealed ? sealed->tags : Bytes(of.jobs * (tag_bytes + 1), 't')};
    Bytes in(of.jobs * pitch), iv(of.jobs * 16 + 16);
    for (size_t i = 0; i < in.size(); i++) in[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t i = 0; i < iv.size(); i++) iv[i] = (unsigned char)(i * 13 + 5);
    const Bytes texts = in;
    std::vector<cst_job> jobs(of.jobs);
    for (size_t i = 0; i < of.jobs; i++) {
        cst_job &job = jobs[i];
        const size_t bytes = rounded(info, of.bytes - std::min(of.bytes, i * of.step));
        job = {};
        job.size = sizeof(job);
        job.key = keys[i % keys.size()];
        job.direction = sealed ? CST_OPEN : CST_SEAL;
        job.iv = iv.data() + 16 * i;
        job.iv_len = info.iv_bytes;
        job.aad = texts.data();
        job.aad_len = info.kind == CST_AEAD ? size_t(info.aad_min) : 0;
        job.in = in.data() + i * pitch;
        job.in_len = bytes;
        if (sealed && enciphers) {
            size_t written = bytes;
            memcpy(&written, sealed->tags.data() + sealed->tags.size() - sizeof(size_t) * (of.jobs - i),
                   sizeof(written));
            memcpy(in.data() + i * pitch, sealed->out.data() + i * pitch, written);
            job.in_len = written;
        }
        if (enciphers) job.out = outcome.out.data() + i * pitch, job.out_cap = pitch;
        job.tag = tag_bytes ? outcome.tags.data() + i * tag_bytes : nullptr;
        job.tag_len = tag_bytes;
    }
    outcome.error = cst_burst(ctx, jobs.data(), of.jobs);
    if (sealed) {
        for (size_t i = 0; i < of.jobs && enciphers && !outcome.error; i++) {
            const size_t bytes = rounded(info, of.bytes - std::min(of.bytes, i * of.step));
            if (jobs[i].out_len != bytes || memcmp(outcome.out.data() + i * pitch, texts.data() + i * pitch, bytes))
                outcome.error = CST_ERR_AUTH;  // what is acceptable nowhere
        }
        return outcome;
    }
    for (const cst_job &job : jobs) {  // how long the outputs are goes behind the tags
        const unsigned char *const at = reinterpret_cast<const unsigned char *>(&job.out_len);
        if (!outcome.error) outcome.tags.insert(outcome.tags.end(), at, at + sizeof(job.out_len));
    }
    return outcome;
}

bool acceptable(int error) {
    return error == CST_OK || error == CST_ERR_MEMORY || error == CST_ERR_JIT || error == CST_ERR_UNSUPPORTED;
}

bool untouched(const Outcome &outcome) {
    for (unsigned char byte : outcome.out)
        if (byte != 'o') return false;
    for (unsigned char byte : outcome.tags)
        if (byte != 't') return false;
    return true;
}

// A context that is denied executable memory from `moment` on, its suite and keys.
struct Subject {
    cst_ctx *ctx = nullptr;
    const cst_suite *suite = nullptr;
    cst_suite_info info = {};
    std::vector<cst_key *> keys;
    int error = CST_OK;

    Subject(const std::string &name, Moment moment) {
        error = cst_ctx_new(&ctx, nullptr);
        refusals::no_code = moment == CONTEXT;
        if (!error) error = cst_suite_get(ctx, name.c_str(), &suite);
        refusals::no_code |= moment == SUITE;
        if (error) return;
        info.size = sizeof(info);
        cst_suite_info_get(suite, &info);
        Bytes secret(256);
        for (size_t k = 0; k < 3 && !error; k++) {
            for (size_t i = 0; i < secret.size(); i++) secret[i] = (unsigned char)(i * 11 + k * 3 + 1);
            cst_key *key = nullptr;
            const size_t key_bytes = info.key_bytes, mac_bytes = info.mac_key_max < 20 ? size_t(info.mac_key_max) : 20;
            error =
                cst_key_new(suite, key_bytes ? secret.data() : nullptr, key_bytes,
                            info.mac_key_max ? secret.data() + 128 : nullptr, info.mac_key_max ? mac_bytes : 0, &key);
            if (!error) keys.push_back(key);
        }
        refusals::no_code |= moment == KEYS;
    }
    ~Subject() {
        for (cst_key *key : keys) cst_key_free(key);
        cst_ctx_free(ctx);
        refusals::no_code = false;
    }
};

long rights = 0, errors = 0, wrongs = 0;

void report(const std::string &name, Moment moment, const Case &of, const char *what, int error) {
    wrongs++;
    printf("%s, denied %s, %zu jobs of %zu bytes: %s (%s)\n", name.c_str(), MOMENTS[moment], of.jobs, of.bytes, what,
           cst_error_text(error));
}

void check(const std::string &name) {
    std::vector<Outcome> sealed;
    {
        Subject usual(name, NEVER);
        if (usual.error) return;  // this CPU cannot
        for (const Case &of : CASES) sealed.push_back(run(usual.ctx, usual.info, usual.keys, of, nullptr));
    }
    for (const Moment moment : {CONTEXT, SUITE, KEYS}) {
        Subject subject(name, moment);
        if (subject.error) {
            if (!acceptable(subject.error)) report(name, moment, CASES[0], "no suite or key", subject.error);
            errors++;
            continue;
        }
        size_t at = 0;
        for (const Case &of : CASES) {
            const Outcome &right = sealed[at++];
            if (right.error == CST_ERR_LENGTH) continue;  // TLS: no such record
            if (right.error) {
                report(name, NEVER, of, "sealing failed", right.error);
                continue;
            }
            Outcome mine = run(subject.ctx, subject.info, subject.keys, of, nullptr);
            if (seed_wrong && !mine.tags.empty()) mine.tags[0] ^= 1;
            (mine.error ? errors : rights)++;
            if (!acceptable(mine.error) || (mine.error && !untouched(mine)))
                report(name, moment, of, "sealing failed", mine.error);
            if (!mine.error && (mine.out != right.out || mine.tags != right.tags))
                report(name, moment, of, "sealed wrongly", mine.error);
            const Outcome opened = run(subject.ctx, subject.info, subject.keys, of, &right);
            (opened.error ? errors : rights)++;
            if (!acceptable(opened.error)) report(name, moment, of, "opened wrongly", opened.error);
        }
    }
}

}  // namespace

int main(int n, char **words) {
    std::vector<std::string> names(words + 1, words + n);
    if (!names.empty() && names[0] == "wrong") {
        seed_wrong = true;
        names.erase(names.begin());
    }
    if (names.empty()) {
        cst_ctx *ctx = nullptr;
        if (cst_ctx_new(&ctx, nullptr)) return 2;
        const auto add = [](const char *name, void *to) {
            static_cast<std::vector<std::string> *>(to)->push_back(name);
            return 0;
        };
        cst_list(ctx, CST_NAME_SUITE, add, &names);
        cst_ctx_free(ctx);
    }
    refusals::watching = true;
    for (const std::string &name : names) check(name);
    printf("%zu suites, %ld times denied: %ld bursts right, %ld refused, %ld wrong\n", names.size(), denials, rights,
           errors, wrongs);
    return wrongs || !rights || !denials;
}
