// What is left of secrets after each call of the C API: registers, 16 KiB below the stack pointer, the library's live
// and freed memory, its writable data. `cst-residue [--leak freed|live|stack|register|mask] [--pack FILE] [--costs
// FILE]
// [--suite NAME]... [GLOB]` over these suites, or all, the legacy ones too, and erasure codes, each with every kernel
// that can be forced and matches. Public-key calls: pk_residue.cpp.
//
// Needles are 8-byte pieces of keys and plaintext at every offset, of the live key object (round keys, HMAC states) at
// every word, and, because all jobs of a burst are equal, every word of these twice: what a transposition over lanes
// makes of it.

#include <fnmatch.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cryptostitch/cryptostitch.h"
#include "needles.hpp"

using namespace residue;

namespace {

Needles needles;

}  // namespace

long residue::needle_in(const void *data, size_t size) { return needles.in(static_cast<const uint8_t *>(data), size); }

namespace {

// The writable data of the library.
int each_segment(dl_phdr_info *info, size_t, void *) {
    if (!strstr(info->dlpi_name, "libcryptostitch")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &p = info->dlpi_phdr[i];
        if (p.p_type != PT_LOAD || !(p.p_flags & PF_W)) continue;
        if (needles.in(reinterpret_cast<uint8_t *>(info->dlpi_addr + p.p_vaddr), p.p_memsz) >= 0)
            left("the library's writable data");
    }
    return 1;
}

template <typename F>
int observed(const std::string &name, F call) {
    const int result = residue::observed(name, call);
    dl_iterate_phdr(each_segment, nullptr);
    return result;
}

// ---- scenarios

constexpr size_t BYTES = 1104, MOST_EXPANSION = 64, JOBS = 40;
uint8_t key_bytes[64], mac_key[48], iv[16], aad[20], plain[BYTES + 16];
uint8_t out[JOBS][BYTES + MOST_EXPANSION], back[JOBS][BYTES + MOST_EXPANSION], tag[JOBS][64];
size_t sealed[JOBS];  // bytes of out

struct Suite {
    cst_ctx *ctx;
    const cst_suite *suite;
    cst_suite_info info;
    cst_key *key = nullptr;
    std::string name;
    bool in_pieces = false;  // buffers of bursts
    bool of_many_lengths = false;  // jobs of bursts: lanes end one after the other

    bool ciphers() const { return info.kind == CST_CIPHER || info.kind == CST_AEAD; }
    size_t tag_len() const { return info.tag_max; }
    size_t mac_bytes() const { return info.mac_key_max < sizeof mac_key ? info.mac_key_max : sizeof mac_key; }

    cst_job job(int direction, size_t i, size_t bytes) const {
        cst_job j = {};
        j.size = sizeof j;
        j.key = key;
        j.direction = direction;
        if (info.iv_bytes) j.iv = iv, j.iv_len = info.iv_bytes;
        if (info.kind == CST_AEAD) j.aad = aad, j.aad_len = info.aad_max < sizeof aad ? info.aad_max : sizeof aad;
        const bool opens = direction == CST_OPEN && ciphers();
        j.in = opens ? out[i] : plain;
        j.in_len = opens ? sealed[i] : bytes;
        if (ciphers()) j.out = opens ? back[i] : out[i], j.out_cap = sizeof out[i];
        if (info.tag_max) j.tag = tag[i], j.tag_len = tag_len();
        return j;
    }

    // From 1/8 of the bytes up to all of them, in whole blocks.
    size_t length_of(size_t i, size_t bytes) const {
        return bytes * (1 + i * 5 % 8) / 8 / info.block_bytes * info.block_bytes;
    }

    // Cuts the job's buffers into two pieces each: in, out.
    static void cut(cst_job *job, cst_piece (*pieces)[2]) {
        const auto cut_buffer = [](const void *data, size_t bytes, cst_piece *to) {
            uint8_t *const at = static_cast<uint8_t *>(const_cast<void *>(data));
            to[0] = {at, bytes / 3};
            to[1] = {at + bytes / 3, bytes - bytes / 3};
        };
        cut_buffer(job->in, job->in_len, pieces[0]);
        job->in = nullptr, job->in_pieces = pieces[0], job->n_in_pieces = 2;
        if (!job->out) return;
        cut_buffer(job->out, job->out_cap, pieces[1]);
        job->out = nullptr, job->out_pieces = pieces[1], job->n_out_pieces = 2;
    }

    int burst(const char *kind, int direction, size_t n, size_t bytes, const char *kernel) {
        cst_job jobs[JOBS];
        cst_piece pieces[JOBS][2][2];
        for (size_t i = 0; i < n; i++) {
            jobs[i] = job(direction, i, of_many_lengths ? length_of(i, bytes) : bytes);
            if (in_pieces) cut(&jobs[i], pieces[i]);
        }
        const int error =
            observed(name + " " + kind + ", " + std::to_string(n) + " jobs of " + (of_many_lengths ? "up to " : "") +
                         std::to_string(bytes) + " bytes" + (kernel ? std::string(", ") + kernel : ""),
                     [&] { return cst_burst(ctx, jobs, n); });
        if (direction == CST_SEAL && ciphers())
            for (size_t i = 0; i < n; i++) sealed[i] = jobs[i].out_len;
        return error;
    }

    void make_key() {
        const size_t mac = mac_bytes();
        const std::vector<uint64_t> known = known_words();
        making_key = true;
        const int error = observed(name + " key_new", [&] {
            return cst_key_new(suite, info.key_bytes ? key_bytes : nullptr, info.key_bytes, mac ? mac_key : nullptr,
                               mac, &key);
        });
        making_key = false;
        expect(error, CST_OK);
        if (info.kind != CST_DIGEST)
            for (size_t i = 0; i < n_blocks; i++)
                if (blocks[i].key) {
                    const std::vector<uint8_t> secrets = secrets_of(blocks[i], known);
                    needles.bytes(secrets.data(), secrets.size(), 4);
                }
        needles.ready();
        make_key_in_a_table();
    }

    // Once more, when all that is made of the key's bytes is known.
    void make_key_in_a_table() {
        alignas(CST_KEY_ALIGN) static uint8_t table[4096];
        const size_t bytes = cst_key_bytes(suite), mac = mac_bytes();
        cst_key *made = nullptr;
        expect(observed(name + " key_init",
                        [&] {
                            return cst_key_init(suite, table, sizeof table, info.key_bytes ? key_bytes : nullptr,
                                                info.key_bytes, mac ? mac_key : nullptr, mac, &made);
                        }),
               CST_OK);
        observed(name + " key_clear", [&] {
            cst_key_clear(made);
            return 0;
        });
        if (bytes > sizeof table || std::count(table, table + sizeof table, 0) != sizeof table) left("a cleared key");
    }

    void roundtrip(size_t n, size_t bytes, const char *kernel) {
        expect(burst("seal", CST_SEAL, n, bytes, kernel), CST_OK);
        expect(burst("open", CST_OPEN, n, bytes, kernel), CST_OK);
        if (info.kind == CST_CIPHER) return;
        uint8_t &forged = info.tag_max ? tag[n - 1][0] : out[n - 1][0];
        forged ^= 1;
        expect(burst("open of a forgery", CST_OPEN, n, bytes, kernel), CST_ERR_AUTH);
        forged ^= 1;
    }

    // The other entries: one buffer, and jobs that wait in a manager.
    void single(size_t bytes) {
        cst_job j = job(CST_SEAL, 0, bytes);
        const std::string size = ", " + std::to_string(bytes) + " bytes";
        expect(observed(name + " cst_seal" + size,
                        [&] {
                            return cst_seal(key, j.iv, j.iv_len, j.aad, j.aad_len, j.in, j.in_len, j.out, j.out_cap,
                                            &sealed[0], j.tag, j.tag_len);
                        }),
               CST_OK);
        const auto opened = [&] {
            j = job(CST_OPEN, 0, bytes);
            return cst_open(key, j.iv, j.iv_len, j.aad, j.aad_len, j.in, j.in_len, j.out, j.out_cap, nullptr, j.tag,
                            j.tag_len);
        };
        expect(observed(name + " cst_open" + size, opened), CST_OK);
        if (!ciphers())
            expect(
                observed(name + " cst_digest" + size, [&] { return cst_digest(key, plain, bytes, tag[0], tag_len()); }),
                CST_OK);
        if (info.kind == CST_CIPHER) return;
        uint8_t &forged = info.tag_max ? tag[0][0] : out[0][0];
        forged ^= 1;
        expect(observed(name + " cst_open of a forgery" + size, opened), CST_ERR_AUTH);
        forged ^= 1;
    }

    // Items of all lengths from 0 on: those that are put together, and one that is not.
    void column() {
        uint32_t offsets[JOBS + 1] = {0};
        for (size_t i = 0; i < JOBS; i++) offsets[i + 1] = uint32_t(i + 1 < JOBS ? offsets[i] + i / 2 : BYTES);
        for (size_t n : {size_t(1), JOBS - 1, JOBS}) {
            cst_column items = {sizeof items, key, plain, BYTES, offsets, 4, n, tag, tag_len(), sizeof tag[0]};
            expect(observed(name + " cst_digest_column, " + std::to_string(n) + " items",
                            [&] { return cst_digest_column(&items); }),
                   CST_OK);
        }
    }

    // Messages that lie anywhere, of all lengths.
    void many() {
        const void *in[JOBS];
        size_t in_len[JOBS];
        for (size_t i = 0; i < JOBS; i++) in[i] = plain + i, in_len[i] = (BYTES - JOBS) / (i + 1);
        expect(observed(name + " cst_digest_many",
                        [&] { return cst_digest_many(key, JOBS, in, in_len, tag, tag_len(), sizeof tag[0]); }),
               CST_OK);
    }

    // Texts in flat memory, sealed to the first output, and opened where they lie; the last of them is forged once.
    void texts() {
        static uint8_t ivs[16 * JOBS];
        static uint32_t offsets[JOBS + 1];
        constexpr size_t EACH = BYTES / JOBS / 16 * 16;
        for (size_t i = 0; i <= JOBS; i++) offsets[i] = uint32_t(i * EACH);
        cst_text_column column = {};
        column.size = sizeof column;
        column.key = key;
        column.in = plain;
        column.out = out[0];
        column.bytes = JOBS * EACH;
        column.offsets = offsets;
        column.offset_bytes = 4;
        column.n = JOBS;
        column.ivs = ivs;
        column.iv_len = info.iv_bytes;
        column.tags = tag;
        column.tag_len = tag_len();
        column.tag_stride = sizeof tag[0];
        const cst_job usual = job(CST_SEAL, 0, EACH);
        static uint8_t aads[JOBS * sizeof aad];
        column.aads = aads;
        column.aad_len = usual.aad_len;
        expect(observed(name + " cst_seal_column", [&] { return cst_seal_column(&column); }), CST_OK);
        column.in = out[0];
        column.out = back[0];
        expect(observed(name + " cst_open_column", [&] { return cst_open_column(&column); }), CST_OK);
        expect(memcmp(back[0], plain, column.bytes) ? CST_ERR_SELFTEST : CST_OK, CST_OK);
        if (!info.tag_max) return;
        tag[JOBS - 1][0] ^= 1;
        expect(observed(name + " cst_open_column, forged", [&] { return cst_open_column(&column); }), CST_ERR_AUTH);
    }

    // A message in two parts, and, of BLAKE3, long output and the parts of threads.
    void parts() {
        alignas(8) uint8_t state[CST_STATE_BYTES] = {};
        uint8_t output[200], chains[2 * CST_TREE_CHAIN_BYTES];
        const bool tree = name.compare(0, 6, "blake3") == 0;
        const cst_part first = {sizeof first, key, state, plain, 1040, 0, nullptr, 0};
        const cst_part last = {sizeof last, key, state, plain + 1040, BYTES - 1040, 1, tag[0], tag_len()};
        for (const cst_part *part : {&first, &last})
            expect(observed(name + " cst_digest_parts", [&] { return cst_digest_parts(ctx, part, 1); }), CST_OK);
        alignas(8) static uint8_t states[JOBS][CST_STATE_BYTES];
        memset(states, 0, sizeof states);
        for (const cst_part *part : {&first, &last}) {
            cst_part together[JOBS];
            for (size_t i = 0; i < JOBS; i++) {
                together[i] = *part;
                together[i].state = states[i];
                if (part->tag) together[i].tag = tag[i];
            }
            expect(observed(name + " cst_digest_parts of many", [&] { return cst_digest_parts(ctx, together, JOBS); }),
                   CST_OK);
        }
        if (!tree) return;
        expect(observed(name + " cst_digest, 200 bytes of output",
                        [&] { return cst_digest(key, plain, BYTES, output, sizeof output); }),
               CST_OK);
        for (size_t at : {0, 1024})
            expect(observed(name + " cst_tree_part",
                            [&] {
                                return cst_tree_part(key, at, plain + at, at ? BYTES - at : 1024,
                                                     chains + at / 1024 * CST_TREE_CHAIN_BYTES);
                            }),
                   CST_OK);
        expect(observed(name + " cst_tree_root", [&] { return cst_tree_root(key, chains, 2, tag[0], tag_len()); }),
               CST_OK);
    }

    void managed(int direction, size_t n, size_t bytes, bool forged) {
        cst_job jobs[JOBS];
        cst_manager *manager = nullptr;
        const cst_manager_options options = {sizeof options, JOBS, 1000, JOBS};
        expect(cst_manager_new(ctx, &options, &manager), CST_OK);
        for (size_t i = 0; i < n; i++) jobs[i] = job(direction, i, bytes);
        const std::string size = ", " + std::to_string(n) + " jobs of " + std::to_string(bytes) + " bytes";
        // The last of JOBS runs all of them; fewer wait for the flush.
        expect(observed(name + " cst_manager_submit" + size,
                        [&] {
                            int error = CST_OK;
                            for (size_t i = 0; i < n && !error; i++) error = cst_manager_submit(manager, &jobs[i]);
                            return error;
                        }),
               CST_OK);
        observed(name + " cst_manager_flush" + size, [&] { return cst_manager_flush(manager); });
        size_t taken = 0;
        observed(name + " cst_manager_take" + size, [&] {
            while (cst_manager_take(manager)) taken++;
            return 0;
        });
        expect(taken == n ? CST_OK : CST_ERR_FULL, CST_OK);
        for (size_t i = 0; i < n; i++) {
            expect(jobs[i].status, forged && i == n - 1 ? CST_ERR_AUTH : CST_OK);
            if (direction == CST_SEAL && ciphers()) sealed[i] = jobs[i].out_len;
        }
        observed(name + " cst_manager_free" + size, [&] {
            cst_manager_free(manager);
            return 0;
        });
    }

    void by_manager(size_t n, size_t bytes) {
        managed(CST_SEAL, n, bytes, false);
        managed(CST_OPEN, n, bytes, false);
        if (info.kind == CST_CIPHER) return;
        uint8_t &wrong = info.tag_max ? tag[n - 1][0] : out[n - 1][0];
        wrong ^= 1;
        managed(CST_OPEN, n, bytes, true);
        wrong ^= 1;
    }

    void written() {
        for (size_t fragment : {size_t(100), BYTES}) {
            size_t records = 0, room = 0;
            expect(cst_tls_seal_size(key, BYTES, fragment, &records, &room), CST_OK);
            std::vector<uint8_t> ivs(16 * records, 7), stream(room);
            cst_tls_write write = {};
            write.size = sizeof write;
            write.key = key;
            write.type = 23;
            write.version = 0x0303;
            write.fragment = fragment;
            write.iv = ivs.data(), write.iv_len = ivs.size();
            write.in = plain, write.in_len = BYTES;
            write.out = stream.data(), write.out_cap = stream.size();
            expect(observed(name + " cst_tls_seal, fragments of " + std::to_string(fragment) + " bytes",
                            [&] { return cst_tls_seal(&write); }),
                   CST_OK);
        }
    }

    void errors() {
        expect(burst("seal", CST_SEAL, 2, info.block_bytes > 1 ? 33 : 32, nullptr),
               info.block_bytes > 1 ? CST_ERR_LENGTH : CST_OK);
        if (ciphers()) {
            cst_job bad = job(CST_SEAL, 0, 64);
            bad.in = out[0] + 5;
            expect(observed(name + " seal with an overlap", [&] { return cst_burst(ctx, &bad, 1); }), CST_ERR_OVERLAP);
        }
        for (long n = 1;; n++) {
            countdown = n;
            const int error = burst("seal without memory", CST_SEAL, JOBS, 256, nullptr);
            const bool untouched = countdown > 0;
            countdown = -1;
            if (untouched) break;
            if (error != CST_OK) expect(error, CST_ERR_MEMORY);
        }
    }
};

// A profile's record whose tag is right and whose padding is not.
void bad_padding(cst_ctx *ctx, Suite &profile) {
    const cst_suite *cbc, *hmac;
    cst_key *cipher, *mac;
    expect(cst_suite_get(ctx, "aes-128-cbc", &cbc), CST_OK);
    expect(cst_suite_get(ctx, "hmac-sha256", &hmac), CST_OK);
    expect(cst_key_new(cbc, key_bytes + 16, 16, nullptr, 0, &cipher), CST_OK);
    expect(cst_key_new(hmac, nullptr, 0, key_bytes, 16, &mac), CST_OK);
    uint8_t message[sizeof aad + 16 + 64 + 8] = {}, digest[32];
    memcpy(message, aad, sizeof aad);
    memcpy(message + sizeof aad, iv, 16);
    const uint8_t last = plain[63];
    plain[63] = 0;
    expect(cst_seal(cipher, iv, 16, nullptr, 0, plain, 64, message + sizeof aad + 16, 64, nullptr, nullptr, 0), CST_OK);
    plain[63] = last;
    message[sizeof message - 1] = 8 * sizeof aad;
    expect(cst_digest(mac, message, sizeof message, digest, sizeof digest), CST_OK);
    memcpy(out[0], message + sizeof aad + 16, 64);
    memcpy(tag[0], digest, 16);
    sealed[0] = 64;
    cst_job job = profile.job(CST_OPEN, 0, 63);
    expect(observed(profile.name + " open with bad padding", [&] { return cst_burst(ctx, &job, 1); }), CST_ERR_AUTH);
    cst_key_free(cipher);
    cst_key_free(mac);
}

void run(cst_ctx *ctx, const std::string &name, const std::vector<std::string> &kernels, const char *glob) {
    Suite s;
    s.ctx = ctx;
    s.name = name;
    memset(&s.info, 0, sizeof s.info);
    s.info.size = sizeof s.info;
    if (cst_suite_get(ctx, name.c_str(), &s.suite) != CST_OK) return;
    expect(cst_suite_info_get(s.suite, &s.info), CST_OK);
    needles.clear();
    needles.bytes(key_bytes, s.info.key_bytes, 1);
    if (s.info.mac_key_max) needles.bytes(mac_key, s.mac_bytes(), 1);
    needles.bytes(plain, BYTES, 1);
    needles.ready();
    memcpy(&leaked_word, plain + 40, 8);
    s.make_key();
    for (size_t n : {size_t(1), size_t(3), JOBS}) s.roundtrip(n, BYTES, nullptr);
    // Short ones go ways of their own, each length another; what is no whole block is put together apart.
    for (size_t n : {size_t(1), size_t(2), size_t(5)})
        for (size_t bytes : {16, 48, 112, 240, 304, 576})
            s.roundtrip(n, bytes + (s.info.block_bytes == 1 ? n : 0), nullptr);
    s.in_pieces = true;
    for (size_t n : {size_t(1), JOBS}) s.roundtrip(n, 576, nullptr);
    s.in_pieces = false;
    s.of_many_lengths = true;
    for (size_t n : {size_t(3), size_t(11), JOBS}) s.roundtrip(n, BYTES, nullptr);
    s.of_many_lengths = false;
    for (size_t bytes : {16, 112, 576}) s.single(bytes);
    if (!s.ciphers()) s.column(), s.many();
    else if (!s.info.expansion) s.texts();
    if (!s.ciphers() && name.find("aes") == std::string::npos) s.parts();
    for (size_t n : {size_t(1), size_t(5), JOBS}) s.by_manager(n, n == 5 ? 112 : BYTES);
    if (name.find("-tls") != std::string::npos) s.written();
    s.errors();
    if (name.find("cbc-hs") != std::string::npos) bad_padding(ctx, s);
    for (const std::string &kernel : kernels) {
        if (fnmatch(glob, kernel.c_str(), 0) || cst_suite_force(ctx, name.c_str(), kernel.c_str()) != CST_OK) continue;
        s.roundtrip(JOBS, BYTES, kernel.c_str());
        s.of_many_lengths = true;
        s.roundtrip(JOBS, BYTES, kernel.c_str());
        s.of_many_lengths = false;
        cst_suite_force(ctx, name.c_str(), nullptr);
    }
    making_key = true;
    const cst_key *key = s.key;
    observed(name + " key_free", [&] {
        cst_key_free(const_cast<cst_key *>(key));
        return 0;
    });
    making_key = false;
}

// Erasure codes: whole steps of kernels, and an end.
void run_code(cst_ctx *ctx, const char *kernel) {
    constexpr size_t DATA = 4, PARITY = 2;
    const std::string name = std::string("4 + 2") + (kernel ? std::string(", ") + kernel : "");
    const cst_code_shape shape = {sizeof shape, DATA, PARITY, CST_CODE_CAUCHY, kernel};
    cst_code *code = nullptr;
    tracking = true;
    const int error = cst_code_new(ctx, &shape, &code);
    tracking = false;
    if (error == CST_ERR_NAME || error == CST_ERR_UNSUPPORTED) return;
    expect(error, CST_OK);
    const cst_suite *crc32c = nullptr;
    cst_key *crc = nullptr;
    expect(cst_suite_get(ctx, "crc32c", &crc32c), CST_OK);
    expect(cst_key_new(crc32c, nullptr, 0, nullptr, 0, &crc), CST_OK);
    for (const size_t bytes : {size_t(256), BYTES / DATA}) {
        void *blocks[DATA + PARITY];
        for (size_t i = 0; i < DATA; i++) blocks[i] = plain + i * bytes;
        for (size_t i = 0; i < PARITY; i++) blocks[DATA + i] = out[i];
        const auto encode = [&] { return cst_code_encode(code, bytes, blocks, blocks + DATA); };
        expect(encode(), CST_OK);
        needles.clear();
        needles.bytes(plain, BYTES, 1);
        for (size_t i = 0; i < PARITY; i++) needles.bytes(out[i], bytes, 1);
        needles.ready();
        const std::string size = ", blocks of " + std::to_string(bytes) + " bytes";
        expect(observed(name + " cst_code_encode" + size, encode), CST_OK);
        int right = 0;
        const auto check = [&] { return cst_code_check(code, bytes, blocks, &right); };
        expect(observed(name + " cst_code_check" + size, check), CST_OK);
        expect(right ? CST_OK : CST_ERR_SELFTEST, CST_OK);
        const uint8_t lost[DATA + PARITY] = {0, 1, 0, 0, 1, 0};
        blocks[1] = back[0];
        const auto decode = [&] { return cst_code_decode(code, bytes, blocks, lost); };
        expect(observed(name + " cst_code_decode" + size, decode), CST_OK);
        expect(memcmp(back[0], plain + bytes, bytes) ? CST_ERR_SELFTEST : CST_OK, CST_OK);
        expect(observed(name + " cst_code_update" + size,
                        [&] { return cst_code_update(code, bytes, 2, plain, blocks + DATA); }),
               CST_OK);
        blocks[1] = plain + bytes;
        uint64_t sums[DATA + PARITY];
        uint8_t bad[DATA + PARITY];
        const auto encode_checked = [&] {
            return cst_code_encode_checked(code, crc, bytes, blocks, blocks + DATA, sums);
        };
        expect(observed(name + " cst_code_encode_checked" + size, encode_checked), CST_OK);
        const auto check_blocks = [&] { return cst_code_check_blocks(code, crc, bytes, blocks, sums, bad, &right); };
        expect(observed(name + " cst_code_check_blocks" + size, check_blocks), CST_OK);
        expect(right ? CST_OK : CST_ERR_SELFTEST, CST_OK);
        const auto update_checked = [&] {
            return cst_code_update_checked(code, crc, bytes, 2, plain, blocks + DATA, sums);
        };
        expect(observed(name + " cst_code_update_checked" + size, update_checked), CST_OK);
    }
    cst_key_free(crc);
    observed(name + " cst_code_free", [&] {
        cst_code_free(code);
        return 0;
    });
}

int load(cst_ctx *ctx, const char *path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return cst_pack_load(ctx, bytes.data(), bytes.size());
}

int collect(const char *name, void *names) {
    static_cast<std::vector<std::string> *>(names)->push_back(name);
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    const char *glob = "*", *pack = nullptr, *costs = nullptr;
    std::vector<std::string> suites, kernels;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--leak") && i + 1 < argc) leak = argv[++i];
        else if (!strcmp(argv[i], "--pack") && i + 1 < argc) pack = argv[++i];
        else if (!strcmp(argv[i], "--costs") && i + 1 < argc) costs = argv[++i];
        else if (!strcmp(argv[i], "--suite") && i + 1 < argc) suites.push_back(argv[++i]);
        else glob = argv[i];
    }
    if (!cst_probe_components()) return puts("this CPU or system has no XSAVE"), 77;
    fill(key_bytes, sizeof key_bytes, 1);
    fill(mac_key, sizeof mac_key, 2);
    fill(iv, sizeof iv, 3);
    fill(aad, sizeof aad, 4);
    fill(plain, sizeof plain, 5);
    tracking = true;
    cst_ctx *ctx = nullptr;
    cst_options options = {};
    options.size = sizeof options;
    options.costs = costs;
    options.flags = CST_ALLOW_LEGACY | (pack ? CST_ALLOW_PACKS : 0);
    int error = cst_ctx_new(&ctx, &options);
    if (!error && pack) error = load(ctx, pack);
    tracking = false;
    if (error) return 1;
    if (!n_blocks) return puts("the library's blocks are not seen"), 1;
    if (suites.empty()) cst_list(ctx, CST_NAME_SUITE, collect, &suites);
    cst_list(ctx, CST_NAME_KERNEL, collect, &kernels);
    for (const std::string &suite : suites) {
        run(ctx, suite, kernels, glob);
        if (*leak) break;
    }
    if (!*leak) {
        run_code(ctx, nullptr);
        for (const std::string &kernel : kernels)
            if (!fnmatch(glob, kernel.c_str(), 0)) run_code(ctx, kernel.c_str());
    }
    printf("%zu calls of %zu suites, %d findings\n", calls, suites.size(), failures);
    return failures != 0;
}
