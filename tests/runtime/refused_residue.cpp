// What a refused message leaves of its key: nothing. The same forged message is opened under two keys, which lie at the
// same address; it is refused under both, so that no output tells them apart. Whatever differs afterwards in registers,
// on the stack below the call, or in the library's memory follows from the key, in whatever form: a limb, a decrypted
// byte of padding, a checksum. `cst-refused-residue [--leak] SUITE...`; of a digest, the text takes the key's place.

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"
#include "residue.hpp"

long residue::needle_in(const void *, size_t) { return -1; }

namespace {

constexpr size_t MOST_BYTES = 2048, JOBS = 3;
alignas(CST_KEY_ALIGN) uint8_t key_memory[8192];
uint8_t secret[64], mac_secret[64], iv[16], aad[64], text[JOBS][MOST_BYTES], out[JOBS][MOST_BYTES], tag[64];
cst_job jobs[JOBS];
bool leaks = false;

// A region of memory as a call left it.
struct Left {
    std::vector<uint8_t> stack, registers;
    std::vector<std::vector<uint8_t>> blocks;
};

Left left_by(const std::string &name, cst_ctx *ctx, const cst_key *key, size_t n) {
    for (size_t i = 0; i < JOBS; i++) jobs[i].key = key;
    residue::expect(residue::observed(name,
                                      [&] {
                                          const int error = cst_burst(ctx, jobs, n);
                                          if (leaks) {
                                              volatile uint8_t local[2048] = {};
                                              local[99] = uint8_t(secret[0] ^ secret[5]);
                                          }
                                          return error;
                                      }),
                    CST_ERR_AUTH);
    Left it;
    it.stack.assign(residue::stack, residue::stack + CST_PROBE_BELOW);
    const uint8_t *const after = reinterpret_cast<const uint8_t *>(&residue::probe.after);
    it.registers.assign(after, after + sizeof residue::probe.after);
    for (size_t i = 0; i < residue::n_blocks; i++)
        it.blocks.emplace_back(residue::blocks[i].at, residue::blocks[i].at + residue::blocks[i].size);
    return it;
}

// Says where bytes are the same after each call under a key, and differ between the keys. each[round][key]
template <typename Of>
void compare(const char *where, const Left (&each)[3][2], Of of) {
    const std::vector<uint8_t> &a = of(each[1][0]), &a_again = of(each[2][0]), &b = of(each[1][1]),
                               &b_again = of(each[2][1]);
    if (a.size() != b.size() || a.size() != a_again.size() || b.size() != b_again.size()) return;
    const auto follows = [&](size_t i) {
        return i < a.size() && a[i] != b[i] && a[i] == a_again[i] && b[i] == b_again[i];
    };
    for (size_t i = 0; i < a.size(); i++) {
        if (!follows(i)) continue;
        size_t n = 1;
        while (follows(i + n)) n++;
        residue::found(std::string(where) + ": " + std::to_string(n) + " bytes follow the key, " +
                       std::to_string(a.size() - i) + " before its end");
        i += n;
    }
}

void make_key(const cst_suite *suite, const cst_suite_info &info, bool digest, uint64_t seed, cst_key **key) {
    residue::fill(secret, sizeof secret, seed);
    residue::fill(mac_secret, sizeof mac_secret, seed + 1);
    for (size_t i = 0; digest && i < JOBS; i++) residue::fill(text[i], MOST_BYTES, seed + 2);
    const size_t mac_bytes =
        info.mac_key_max ? std::max<size_t>(info.mac_key_min, std::min<size_t>(20, info.mac_key_max)) : 0;
    memset(key_memory, 0, sizeof key_memory);
    residue::tracking = residue::making_key = true;
    const int error =
        cst_key_init(suite, key_memory, sizeof key_memory, secret, info.key_bytes, mac_secret, mac_bytes, key);
    residue::tracking = residue::making_key = false;
    residue::expect(error, CST_OK);
}

void try_suite(cst_ctx *ctx, const char *name) {
    const cst_suite *suite;
    cst_suite_info info = {};
    info.size = sizeof info;
    residue::tracking = true;
    const int found = cst_suite_get(ctx, name, &suite);
    residue::tracking = false;
    residue::expect(found, CST_OK);
    cst_suite_info_get(suite, &info);
    const bool digest = info.kind == CST_DIGEST, enciphers = info.kind >= CST_CIPHER;
    if (!info.tag_max && info.kind != CST_AEAD) return;  // everything opens
    for (const size_t wanted : {48, 304, 1104}) {
        const size_t unit = info.open_block_bytes, bytes = wanted / unit * unit;
        for (const size_t n : {size_t(1), JOBS}) {
            for (size_t i = 0; i < JOBS; i++) {
                residue::fill(text[i], MOST_BYTES, 7);
                cst_job &job = jobs[i] = {};
                job.size = sizeof job;
                job.direction = CST_OPEN;
                job.iv = iv;
                job.iv_len = info.iv_bytes;
                job.aad = aad;
                job.aad_len = std::max<size_t>(info.aad_min, std::min<size_t>(13, info.aad_max) & ~(info.aad_step - 1));
                if (info.aad_step > 1) job.aad_len = info.aad_min;
                job.in = text[i];
                job.in_len = bytes;
                if (enciphers) job.out = out[i], job.out_cap = bytes;
                job.tag = info.tag_max ? tag : nullptr;
                job.tag_len = info.tag_max;
            }
            cst_key *key;
            Left each[3][2];  // the first round makes code, and takes memory
            const std::string title = std::string(name) + ", " + std::to_string(n) + " x " + std::to_string(bytes);
            for (auto &round : each)
                for (int of : {0, 1}) {
                    make_key(suite, info, digest, 100 + 10 * uint64_t(of), &key);
                    round[of] = left_by(title, ctx, key, n);
                }
            compare("the stack", each, [](const Left &it) -> const auto & { return it.stack; });
            compare("the registers", each, [](const Left &it) -> const auto & { return it.registers; });
            for (size_t i = 0; i < each[1][0].blocks.size(); i++)
                compare("a block", each, [i](const Left &it) -> const auto & { return it.blocks.at(i); });
        }
    }
}

}  // namespace

int main(int argc, char **argv) {
    cst_ctx *ctx;
    cst_options options = {};
    options.size = sizeof options;
    options.flags = CST_ALLOW_LEGACY;
    residue::tracking = true;
    const int error = cst_ctx_new(&ctx, &options);
    residue::tracking = false;
    residue::expect(error, CST_OK);
    residue::fill(tag, sizeof tag, 3);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--leak")) leaks = true;
        else try_suite(ctx, argv[i]);
    }
    printf("%zu calls, %d findings\n", residue::calls, residue::failures);
    return residue::failures != 0;
}
