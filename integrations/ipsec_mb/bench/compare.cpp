// How long packets take through the interface of two libraries: ticks of the time stamp counter for each, and
// how many times as fast the first library is.
//
// cst-ipsec-mb-compare OURS [THEIRS] [SUBSTRING OF CELLS]
//
// The libraries take turns, in rounds of some hundred microseconds; what is printed is the first quartile of the
// rounds. Jobs come in bursts: so many are submitted, then flushed until all are back, as DPDK's driver does; "stream":
// one after the other for a whole round, so that lanes stay full; "array": through submit_burst. One session, 64
// packets that lie apart, in place. The first packet of each cell must be the same with both.
#include <dlfcn.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../interface.hpp"

namespace {

using cst::imb::octets;

constexpr size_t PACKETS = 64, MOST_TEXT = 2048 + 192, AAD = 16, TAG = 32, ROUNDS = 41;
constexpr size_t ROUND_BYTES = 256 * 1024, LEAST_PACKETS = 256, EACH_PACKET = 200;  // what a round has

[[noreturn]] void stop(const std::string &why) {
    fprintf(stderr, "cst-ipsec-mb-compare: %s\n", why.c_str());
    exit(2);
}

// A library with the keys of a session.
struct Library {
    explicit Library(const char *file) {
        void *const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!handle) stop(dlerror());
        const auto make = reinterpret_cast<IMB_MGR *(*)(uint64_t)>(dlsym(handle, "alloc_mb_mgr"));
        const auto init = reinterpret_cast<void (*)(IMB_MGR *, IMB_ARCH *)>(dlsym(handle, "init_mb_mgr_auto"));
        if (!make || !init || !(manager = make(0))) stop(std::string(file) + ": no manager");
        init(manager, nullptr);
        uint8_t secret[64], pad[64];
        for (size_t i = 0; i < sizeof(secret); i++) secret[i] = uint8_t(7 * i + 3);
        manager->keyexp_128(secret, encrypt, decrypt);
        manager->gcm128_pre(secret, &gcm);
        for (const uint8_t with : {uint8_t(0x36), uint8_t(0x5c)}) {
            for (size_t i = 0; i < sizeof(pad); i++) pad[i] = secret[i] ^ with;
            manager->sha1_one_block(pad, with == 0x36 ? inner_sha1 : outer_sha1);
            manager->sha256_one_block(pad, with == 0x36 ? inner_sha256 : outer_sha256);
        }
        for (auto &packet : packets)
            for (size_t i = 0; i < sizeof(packet); i++) packet[i] = uint8_t(i * i >> 3);
    }

    IMB_MGR *manager = nullptr;
    alignas(64) uint8_t encrypt[16 * 15];
    alignas(64) uint8_t decrypt[16 * 15];
    alignas(64) uint8_t inner_sha1[64];
    alignas(64) uint8_t outer_sha1[64];
    alignas(64) uint8_t inner_sha256[64];
    alignas(64) uint8_t outer_sha256[64];
    alignas(64) gcm_key_data gcm;
    gcm_context_data context;
    alignas(64) uint8_t packets[PACKETS][MOST_TEXT];
    alignas(64) uint8_t tags[PACKETS][TAG];
    uint8_t iv[16] = {1, 2, 3}, aad[AAD] = {4, 5, 6};
};

enum class Work { sha1, sha256, gcm };
constexpr const char *WORKS[] = {"AES-128-CBC, HMAC-SHA1", "AES-128-CBC, HMAC-SHA256", "AES-128-GCM"};

void fill(Library *of, IMB_JOB *job, Work work, bool opens, size_t packet, size_t bytes) {
    uint8_t *const text = of->packets[packet];
    job->enc_keys = of->encrypt;
    job->dec_keys = of->decrypt;
    job->key_len_in_bytes = 16;
    job->src = job->dst = text;
    job->cipher_start_src_offset_in_bytes = job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = job->msg_len_to_hash_in_bytes = bytes;
    job->iv = of->iv;
    job->iv_len_in_bytes = 16;
    job->auth_tag_output = of->tags[packet];
    job->cipher_mode = IMB_CIPHER_CBC;
    job->cipher_direction = opens ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    job->chain_order = opens ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
    job->user_data = text;
    if (work == Work::gcm) {
        job->enc_keys = job->dec_keys = &of->gcm;
        job->cipher_mode = IMB_CIPHER_GCM;
        job->hash_alg = IMB_AUTH_AES_GMAC;
        job->iv_len_in_bytes = 12;
        job->u.GCM.aad = of->aad;
        job->u.GCM.aad_len_in_bytes = AAD;
        job->auth_tag_output_len_in_bytes = 16;
    } else {
        const bool sha1 = work == Work::sha1;
        job->hash_alg = sha1 ? IMB_AUTH_HMAC_SHA_1 : IMB_AUTH_HMAC_SHA_256;
        job->auth_tag_output_len_in_bytes = sha1 ? 12 : 16;
        job->u.HMAC._hashed_auth_key_xor_ipad = sha1 ? of->inner_sha1 : of->inner_sha256;
        job->u.HMAC._hashed_auth_key_xor_opad = sha1 ? of->outer_sha1 : of->outer_sha256;
    }
}

// Runs so many packets, the first of them packet 0.
typedef std::function<void(Library *, size_t packets)> Run;

// Returns how many of those behind `job` are done with it.
size_t done(const IMB_JOB *job) {
    if (!job) return 0;
    if (job->status != IMB_STATUS_COMPLETED) stop("a job failed");
    return 1;
}

Run bursts(Work work, bool opens, size_t bytes, size_t burst) {
    return [=](Library *of, size_t packets) {
        IMB_MGR *const manager = of->manager;
        for (size_t at = 0; at < packets; at += burst) {
            size_t back = 0;
            for (size_t i = 0; i < burst; i++) {
                fill(of, manager->get_next_job(manager), work, opens, (at + i) % PACKETS, bytes);
                IMB_JOB *job = manager->submit_job_nocheck(manager);
                for (; job; job = manager->get_completed_job(manager)) back += done(job);
            }
            while (back < burst) back += done(manager->flush_job(manager));
        }
    };
}

// Version 2.0 wants the numbers of its suite in each job of an array, and calls through a null pointer without. They
// are the same for all jobs of a session, so a program asks for them once and copies them.
template <class Job>
auto copy_suite(const Job &from, Job *to, int) -> decltype(from.suite_id[0], void()) {
    memcpy(to->suite_id, from.suite_id, sizeof(to->suite_id));
}
template <class Job>
void copy_suite(const Job &, Job *, long) {}

Run arrays(Work work, bool opens, size_t bytes, size_t burst) {
    return [=](Library *of, size_t packets) {
        IMB_MGR *const manager = of->manager;
        std::vector<IMB_JOB *> jobs(burst);
        const uint32_t n = uint32_t(burst);
        IMB_JOB session;
        for (size_t at = 0; at < packets; at += burst) {
            if (manager->get_next_burst(manager, n, jobs.data()) != n) stop("no room for a burst");
            for (size_t i = 0; i < burst; i++) fill(of, jobs[i], work, opens, (at + i) % PACKETS, bytes);
            if (!at) {
                cst::imb::name_suite_for(manager, jobs[0]);
                session = *jobs[0];
            }
            for (size_t i = 0; i < burst; i++) copy_suite(session, jobs[i], 0);
            uint32_t back = manager->submit_burst_nocheck(manager, n, jobs.data());
            while (back < n) back += manager->flush_burst(manager, n - back, jobs.data());
        }
    };
}

Run direct(bool opens, size_t bytes) {
    return [=](Library *of, size_t packets) {
        const auto call = opens ? of->manager->gcm128_dec : of->manager->gcm128_enc;
        for (size_t i = 0; i < packets; i++) {
            uint8_t *const text = of->packets[i % PACKETS];
            call(&of->gcm, &of->context, text, text, bytes, of->iv, of->aad, AAD, of->tags[i % PACKETS], 16);
        }
    };
}

Run steps(bool opens, size_t bytes) {
    return [=](Library *of, size_t packets) {
        const IMB_MGR &manager = *of->manager;
        const auto update = opens ? manager.gcm128_dec_update : manager.gcm128_enc_update;
        const auto end = opens ? manager.gcm128_dec_finalize : manager.gcm128_enc_finalize;
        for (size_t i = 0; i < packets; i++) {
            uint8_t *const text = of->packets[i % PACKETS];
            manager.gcm128_init(&of->gcm, &of->context, of->iv, of->aad, AAD);
            update(&of->gcm, &of->context, text, text, bytes);
            end(&of->gcm, &of->context, of->tags[i % PACKETS], 16);
        }
    };
}

struct Cell {
    std::string name;
    size_t bytes, unit;  // unit: packets that go together
    Run run;
};

std::vector<Cell> cells() {
    std::vector<Cell> all;
    for (const Work work : {Work::sha1, Work::sha256, Work::gcm})
        for (const bool opens : {false, true})
            for (const size_t bytes : {64u, 256u, 1024u, 1504u}) {
                const std::string name = std::string(WORKS[size_t(work)]) + (opens ? " opened, " : " sealed, ") +
                                         std::to_string(bytes) + " B, ";
                for (const size_t burst : {1u, 4u, 32u})
                    all.push_back(
                        {name + "bursts of " + std::to_string(burst), bytes, burst, bursts(work, opens, bytes, burst)});
                all.push_back({name + "stream", bytes, SIZE_MAX, bursts(work, opens, bytes, 4096)});
                all.push_back({name + "array of 32", bytes, 32, arrays(work, opens, bytes, 32)});
                if (work != Work::gcm) continue;
                all.push_back({name + "direct", bytes, 1, direct(opens, bytes)});
                all.push_back({name + "direct in steps", bytes, 1, steps(opens, bytes)});
            }
    return all;
}

double ticks(Library *of, const Cell &cell) {
    const size_t packets = cell.unit == SIZE_MAX ? 4096
                                                 : std::max(LEAST_PACKETS, ROUND_BYTES / (cell.bytes + EACH_PACKET)) /
                                                       cell.unit * cell.unit;
    const uint64_t begin = __rdtsc();
    cell.run(of, packets);
    return double(__rdtsc() - begin) / double(packets);
}

// A quarter of the rounds are quicker: others take the processor away from some.
double quartile(std::vector<double> *of) {
    std::nth_element(of->begin(), of->begin() + ptrdiff_t(of->size() / 4), of->end());
    return (*of)[of->size() / 4];
}

void compare(std::vector<Library *> *libraries, const Cell &cell) {
    std::vector<double> rounds[2];
    for (size_t round = 0; round < ROUNDS + 1; round++)
        for (size_t i = 0; i < libraries->size(); i++) {
            const double ticks_each = ticks((*libraries)[i], cell);
            if (round) rounds[i].push_back(ticks_each);
        }
    const double ours = quartile(&rounds[0]);
    if (libraries->size() == 1) return void(printf("%-62s %7.0f\n", cell.name.c_str(), ours));
    const double theirs = quartile(&rounds[1]);
    const bool same = !memcmp((*libraries)[0]->packets[0], (*libraries)[1]->packets[0], cell.bytes) &&
                      !memcmp((*libraries)[0]->tags[0], (*libraries)[1]->tags[0], 12);
    if (!same) stop(cell.name + ": the libraries differ");
    printf("%-62s %7.0f %7.0f %6.2f\n", cell.name.c_str(), ours, theirs, theirs / ours);
    fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2) stop("OURS [THEIRS] [SUBSTRING OF CELLS]");
    std::vector<Library *> libraries;
    for (int i = 1; i < argc && i < 3; i++)
        if (*argv[i]) libraries.push_back(new Library(argv[i]));
    for (const Cell &cell : cells())
        if (argc < 4 || cell.name.find(argv[3]) != std::string::npos) compare(&libraries, cell);
    return 0;
}
