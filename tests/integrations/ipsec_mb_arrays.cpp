// ipsec-mb-arrays LIBRARY: arrays of jobs, of any number, do what the same jobs do one by one; GHASH goes on from the
// value that the tag has.
#include <dlfcn.h>
#include <intel-ipsec-mb.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr size_t BYTES = 80;
IMB_MGR *manager;
alignas(64) uint8_t key[16], iv[16], encrypt[16 * 15], decrypt[16 * 15];

void must(bool right, const char *what, size_t number) {
    if (right) return;
    fprintf(stderr, "ipsec-mb-arrays: %s, %zu\n", what, number);
    exit(1);
}

struct Texts {
    explicit Texts(size_t n) : in(n * BYTES), out(n * BYTES, 0xa5), tags(n * 32, 0xa5) {
        for (size_t i = 0; i < in.size(); i++) in[i] = uint8_t(i * 7 + i / 251);
    }
    std::vector<uint8_t> in, out, tags;
};

std::vector<IMB_JOB> jobs_of(Texts *texts, size_t n, bool hashes) {
    std::vector<IMB_JOB> jobs(n);
    memset(static_cast<void *>(jobs.data()), 0, n * sizeof(IMB_JOB));
    for (size_t i = 0; i < n; i++) {
        IMB_JOB &job = jobs[i];
        job.cipher_mode = hashes ? IMB_CIPHER_NULL : IMB_CIPHER_CBC;
        job.cipher_direction = IMB_DIR_ENCRYPT;
        job.hash_alg = hashes ? IMB_AUTH_SHA_256 : IMB_AUTH_NULL;
        job.chain_order = hashes ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
        job.enc_keys = encrypt;
        job.dec_keys = decrypt;
        job.key_len_in_bytes = 16;
        job.iv = iv;
        job.iv_len_in_bytes = 16;
        job.src = texts->in.data() + i * BYTES;
        job.dst = texts->out.data() + i * BYTES;
        job.msg_len_to_cipher_in_bytes = job.msg_len_to_hash_in_bytes = BYTES;
        job.auth_tag_output = texts->tags.data() + i * 32;
        job.auth_tag_output_len_in_bytes = 32;
    }
    return jobs;
}

uint32_t run(std::vector<IMB_JOB> *jobs, bool hashes) {
    const uint32_t n = uint32_t(jobs->size());
    if (hashes) return manager->submit_hash_burst(manager, jobs->data(), n, IMB_AUTH_SHA_256);
    return manager->submit_cipher_burst(manager, jobs->data(), n, IMB_CIPHER_CBC, IMB_DIR_ENCRYPT, IMB_KEY_128_BYTES);
}

void arrays(bool hashes) {
    for (const size_t n : {1, 2, 127, 128, 129, 200, 256, 300, 1000}) {
        Texts all(n), single(n);
        std::vector<IMB_JOB> jobs = jobs_of(&all, n, hashes);
        must(run(&jobs, hashes) == n, "not all are done", n);
        for (size_t i = 0; i < n; i++) {
            must(jobs[i].status == IMB_STATUS_COMPLETED, "a status", i);
            std::vector<IMB_JOB> one = {jobs_of(&single, n, hashes)[i]};
            must(run(&one, hashes) == 1, "one is not done", i);
        }
        must(all.out == single.out && all.tags == single.tags, "another answer", n);
    }
    // Where one is wrong, none is run.
    for (const size_t wrong : {0, 127, 128, 199}) {
        Texts all(200);
        const Texts before(200);
        std::vector<IMB_JOB> jobs = jobs_of(&all, 200, hashes);
        jobs[wrong].src = nullptr;
        must(run(&jobs, hashes) == 0, "something is done beside a wrong job", wrong);
        must(jobs[wrong].status == IMB_STATUS_INVALID_ARGS, "the wrong job's status", wrong);
        must(all.out == before.out && all.tags == before.tags, "something is written beside a wrong job", wrong);
    }
}

void ghash() {
    alignas(64) static gcm_key_data data;
    const Texts texts(4);
    manager->ghash_pre(key, &data);
    for (size_t cut = 16; cut < 4 * BYTES; cut += 16) {
        uint8_t whole[16] = {}, pieces[16] = {};
        manager->ghash(&data, texts.in.data(), 4 * BYTES, whole, 16);
        manager->ghash(&data, texts.in.data(), cut, pieces, 16);
        manager->ghash(&data, texts.in.data() + cut, 4 * BYTES - cut, pieces, 16);
        must(!memcmp(whole, pieces, 16), "GHASH in two pieces is another", cut);
    }
}

}  // namespace

int main(int argc, char **argv) {
    void *const library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
    must(library, "no library", 0);
    manager = reinterpret_cast<IMB_MGR *(*)(uint64_t)>(dlsym(library, "alloc_mb_mgr"))(0);
    reinterpret_cast<void (*)(IMB_MGR *, IMB_ARCH *)>(dlsym(library, "init_mb_mgr_auto"))(manager, nullptr);
    for (uint8_t i = 0; i < 16; i++) key[i] = i, iv[i] = uint8_t(3 * i);
    manager->keyexp_128(key, encrypt, decrypt);
    arrays(false);
    arrays(true);
    ghash();
    puts("all right");
    return 0;
}
