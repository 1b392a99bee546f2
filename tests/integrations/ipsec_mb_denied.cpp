// ipsec-mb-denied LIBRARY code|N: from behind the manager on, the system gives no executable memory; or none at all,
// after N allocations. What is sealed in place is then right, or is told to have failed and has neither its plaintext
// nor a tag. Prints how many of the messages failed.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../runtime/refusals.hpp"
#include <intel-ipsec-mb.h>

namespace {

[[noreturn]] void stop(const std::string &why) {
    refusals::watching = false;
    fprintf(stderr, "ipsec-mb-denied: %s\n", why.c_str());
    _exit(1);
}

IMB_MGR *manager;
int (*error_of)(IMB_MGR *);

struct Denied {
    Denied() { refusals::watching = true; }
    ~Denied() { refusals::watching = false; }
};

constexpr size_t TAG = 16, TEXTS = 60000;
constexpr size_t LENGTHS[] = {16, 33, 64, 100, 257, 1000, 1500, 5000, TEXTS};

struct Message {
    bool failed = false, refused = false;  // refused: it was not begun
    uint8_t text[TEXTS], tag[TAG];
};

alignas(64) uint8_t key[64], iv[16], aad[200], encrypt[16 * 15], decrypt[16 * 15], inner[64], outer[64];
alignas(64) gcm_key_data gcm;
gcm_context_data gcm_context;
chacha20_poly1305_context_data chacha_context;

// Direct functions: any of the calls may fail.
void chacha(Message *m, size_t bytes) {
    const size_t half = bytes / 2;
    const auto after = [&](auto call) {
        const Denied denied;
        call();
        m->failed |= error_of(nullptr) != 0;
    };
    after([&] { manager->chacha20_poly1305_init(key, &chacha_context, iv, aad, 20); });
    after([&] { manager->chacha20_poly1305_enc_update(key, &chacha_context, m->text, m->text, half); });
    after([&] {
        manager->chacha20_poly1305_enc_update(key, &chacha_context, m->text + half, m->text + half, bytes - half);
    });
    after([&] { manager->chacha20_poly1305_finalize(&chacha_context, m->tag, TAG); });
}
void gcm_steps(Message *m, size_t bytes) {
    const size_t half = bytes / 2;
    const auto after = [&](auto call) {
        const Denied denied;
        call();
        m->failed |= error_of(nullptr) != 0;
    };
    after([&] { manager->gcm128_init(&gcm, &gcm_context, iv, aad, 20); });
    after([&] { manager->gcm128_enc_update(&gcm, &gcm_context, m->text, m->text, half); });
    after([&] { manager->gcm128_enc_update(&gcm, &gcm_context, m->text + half, m->text + half, bytes - half); });
    after([&] { manager->gcm128_enc_finalize(&gcm, &gcm_context, m->tag, TAG); });
}
void gcm_at_once(Message *m, size_t bytes) {
    const Denied denied;
    manager->gcm128_enc(&gcm, &gcm_context, m->text, m->text, bytes, iv, aad, 20, m->tag, TAG);
    m->failed = error_of(nullptr) != 0;
}
// The last 32 bits of the counter carry: no kernel takes such a message whole.
void gcm_carry(Message *m, size_t bytes) {
    const Denied denied;
    manager->gcm128_init_var_iv(&gcm, &gcm_context, iv, 16, aad, 20);
    manager->gcm128_enc_update(&gcm, &gcm_context, m->text, m->text, bytes);
    m->failed = error_of(nullptr) != 0;
    manager->gcm128_enc_finalize(&gcm, &gcm_context, m->tag, TAG);
    m->failed |= error_of(nullptr) != 0;
}

void run(Message *m, IMB_JOB *job) {
    const Denied denied;
    IMB_JOB *done = manager->submit_job(manager);
    if (!done) done = manager->flush_job(manager);
    if (done != job) stop("another job came back");
    m->failed = job->status != IMB_STATUS_COMPLETED;
    m->refused = job->status == IMB_STATUS_INVALID_ARGS;
}
IMB_JOB *job_of(Message *m, size_t bytes, IMB_CIPHER_MODE cipher, IMB_HASH_ALG hash) {
    IMB_JOB *const job = manager->get_next_job(manager);
    *job = {};
    job->cipher_mode = cipher;
    job->hash_alg = hash;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->enc_keys = encrypt;
    job->dec_keys = decrypt;
    job->key_len_in_bytes = 16;
    job->src = job->dst = m->text;
    job->msg_len_to_cipher_in_bytes = job->msg_len_to_hash_in_bytes = bytes;
    job->iv = iv;
    job->iv_len_in_bytes = 12;
    job->auth_tag_output = m->tag;
    job->auth_tag_output_len_in_bytes = TAG;
    return job;
}
void chacha_job(Message *m, size_t bytes) {
    IMB_JOB *const job = job_of(m, bytes, IMB_CIPHER_CHACHA20_POLY1305, IMB_AUTH_CHACHA20_POLY1305);
    job->enc_keys = job->dec_keys = key;
    job->key_len_in_bytes = 32;
    job->u.CHACHA20_POLY1305.aad = aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = 20;
    run(m, job);
}
void chacha_segments(Message *m, size_t bytes) {
    IMB_SGL_IOV segments[] = {{m->text, m->text, bytes / 2}, {m->text + bytes / 2, m->text + bytes / 2, 0}};
    segments[1].len = bytes - bytes / 2;
    IMB_JOB *const job = job_of(m, bytes, IMB_CIPHER_CHACHA20_POLY1305_SGL, IMB_AUTH_CHACHA20_POLY1305_SGL);
    job->enc_keys = job->dec_keys = key;
    job->key_len_in_bytes = 32;
    job->u.CHACHA20_POLY1305.aad = aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = 20;
    job->u.CHACHA20_POLY1305.ctx = &chacha_context;
    job->sgl_state = IMB_SGL_ALL;
    job->sgl_io_segs = segments;
    job->num_sgl_io_segs = 2;
    run(m, job);
}
void gcm_job(Message *m, size_t bytes) {
    IMB_JOB *const job = job_of(m, bytes, IMB_CIPHER_GCM, IMB_AUTH_AES_GMAC);
    job->enc_keys = job->dec_keys = &gcm;
    job->u.GCM.aad = aad;
    job->u.GCM.aad_len_in_bytes = 20;
    run(m, job);
}
void ccm_job(Message *m, size_t bytes) {
    IMB_JOB *const job = job_of(m, bytes, IMB_CIPHER_CCM, IMB_AUTH_AES_CCM);
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->u.CCM.aad = aad;
    job->u.CCM.aad_len_in_bytes = 20;
    run(m, job);
}
void mac_first(Message *m, size_t bytes) {
    IMB_JOB *const job = job_of(m, bytes, IMB_CIPHER_CNTR, IMB_AUTH_HMAC_SHA_256);
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->iv_len_in_bytes = 16;
    job->u.HMAC._hashed_auth_key_xor_ipad = inner;
    job->u.HMAC._hashed_auth_key_xor_opad = outer;
    run(m, job);
}
void mac_last(Message *m, size_t bytes) {
    bytes &= ~size_t(15);
    IMB_JOB *const job = job_of(m, bytes, IMB_CIPHER_CBC, IMB_AUTH_HMAC_SHA_1);
    job->iv_len_in_bytes = 16;
    job->auth_tag_output_len_in_bytes = 12;
    job->u.HMAC._hashed_auth_key_xor_ipad = inner;
    job->u.HMAC._hashed_auth_key_xor_opad = outer;
    run(m, job);
}

struct Way {
    const char *name;
    void (*seal)(Message *, size_t);
};
constexpr Way WAYS[] = {{"ChaCha20-Poly1305 in steps", chacha},
                        {"AES-GCM in steps", gcm_steps},
                        {"AES-GCM at once", gcm_at_once},
                        {"AES-GCM with an IV of 16 bytes", gcm_carry},
                        {"a job of ChaCha20-Poly1305", chacha_job},
                        {"a job of ChaCha20-Poly1305 in segments", chacha_segments},
                        {"a job of AES-GCM", gcm_job},
                        {"a job of AES-CCM", ccm_job},
                        {"a job of AES-CTR behind HMAC", mac_first},
                        {"a job of AES-CBC with HMAC", mac_last}};

uint8_t letter(size_t i) { return uint8_t(i * 7 + i / 251 + 1); }

void seal(const Way &way, size_t bytes, Message *m) {
    for (size_t i = 0; i < TEXTS; i++) m->text[i] = letter(i);
    memset(m->tag, 0xa5, TAG);
    way.seal(m, bytes);
}

bool has_plaintext(const Message &m, size_t bytes) {
    for (size_t at = 0; at + 8 <= bytes; at++) {
        size_t same = 0;
        while (same < 8 && m.text[at + same] == letter(at + same)) same++;
        if (same == 8) return true;
    }
    return false;
}

// In a process of its own, to which no message before has brought code. Returns whether it failed.
bool try_one(const Way &way, size_t bytes, const Message &right, const char *refused) {
    const pid_t child = fork();
    if (!child) {
        static Message m;
        refusals::no_code = !strcmp(refused, "code");
        refusals::no_pages = !refusals::no_code;
        if (refusals::no_pages) refusals::blocks_given = atol(refused);
        seal(way, bytes, &m);
        const std::string what = std::string(way.name) + ", " + std::to_string(bytes) + " bytes: ";
        if (!m.failed) {
            if (memcmp(m.text, right.text, bytes) || memcmp(m.tag, right.tag, TAG))
                stop(what + "wrong, without an error");
            _exit(0);
        }
        if (!m.refused && has_plaintext(m, bytes)) stop(what + "failed, and left plaintext");
        if (!memcmp(m.tag, right.tag, 12)) stop(what + "failed, and left its tag");
        _exit(2);
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 1)
        stop(std::string(way.name) + ", " + std::to_string(bytes) + " bytes: the child failed");
    return WEXITSTATUS(status) == 2;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 3) stop("LIBRARY code|N");
    void *const library = dlopen(argv[1], RTLD_NOW);
    if (!library) stop(dlerror());
    const auto allocate = reinterpret_cast<IMB_MGR *(*)(uint64_t)>(dlsym(library, "alloc_mb_mgr"));
    const auto init = reinterpret_cast<void (*)(IMB_MGR *, IMB_ARCH *)>(dlsym(library, "init_mb_mgr_auto"));
    error_of = reinterpret_cast<int (*)(IMB_MGR *)>(dlsym(library, "imb_get_errno"));
    manager = allocate(0);
    init(manager, nullptr);
    for (size_t i = 0; i < sizeof(key); i++) key[i] = uint8_t(i);
    memset(iv, 0x11, sizeof(iv));
    manager->keyexp_128(key, encrypt, decrypt);
    manager->gcm128_pre(key, &gcm);
    manager->sha256_one_block(key, inner);
    manager->sha256_one_block(aad, outer);
    if (error_of(nullptr)) stop("no manager");
    long failed = 0;
    for (const Way &way : WAYS)
        for (const size_t bytes : LENGTHS) {
            // The right answer comes from another child, so that this process's managers have no more code than before.
            int ends[2];
            if (pipe(ends)) stop("no pipe");
            static Message right;
            const pid_t child = fork();
            if (!child) {
                static Message m;
                seal(way, bytes, &m);
                FILE *const to = fdopen(ends[1], "w");
                _exit(fwrite(&m, sizeof(m), 1, to) == 1 && !fclose(to) ? 0 : 1);
            }
            close(ends[1]);
            FILE *const from = fdopen(ends[0], "r");
            if (fread(&right, sizeof(right), 1, from) != 1 || right.failed) stop(std::string(way.name) + ": no answer");
            fclose(from);
            waitpid(child, nullptr, 0);
            failed += try_one(way, bytes, right, argv[2]);
        }
    printf("%ld failed\n", failed);
    return 0;
}
