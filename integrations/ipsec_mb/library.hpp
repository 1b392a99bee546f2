// The process's context, and the suites that jobs run on, looked up once.
#pragma once

#include "interface.hpp"
#include "suite/suite.hpp"

namespace cst::imb {

// Shared by all managers and threads, made on first use and kept; NULL: it cannot be made.
cst_ctx *context();
const Engine *engine();
// Returns the engine's CPU; there must be an engine.
inline const Cpu &cpu() {
    static const Cpu &known = engine()->cpu();
    return known;
}

enum class Cipher : uint8_t { cbc, ctr, ecb, gcm, ccm, chacha20, chacha20_poly1305, NUMBER };
enum class Mac : uint8_t {
    hmac_sha1,
    hmac_sha224,
    hmac_sha256,
    hmac_sha384,
    hmac_sha512,
    hmac_md5,  // the pads are hashed: see Key::inner
    sha1,
    sha224,
    sha256,
    sha384,
    sha512,
    xcbc,
    cmac_128,
    cmac_256,
    NUMBER
};
constexpr unsigned HMACS = 6;

// Whether a suite could not be looked up on this thread for want of memory: then the next call tries again, and the
// caller must not keep that there is none. Set by the functions below, cleared by their callers.
inline bool &ran_out_of_memory() {
    static thread_local bool its = false;
    return its;
}
// Returns NULL if this CPU has no such suite, or there was no memory. key_bytes: of AES; ignored for ChaCha20.
const Suite *cipher_suite(Cipher cipher, uint64_t key_bytes);
// Whether the suites exist on which functions without a status rely: single blocks, counter mode, GCM, ChaCha20 and
// Poly1305. The first call assembles their code; without them no manager is made ready.
bool has_basic_suites();
// Returns one of these. Its single blocks, GHASH and Poly1305 cannot fail; a text may want code that is not there yet.
inline const Suite &basic_suite(Cipher cipher, uint64_t key_bytes) { return *cipher_suite(cipher, key_bytes); }
const Suite *mac_suite(Mac mac);
// Encrypt-then-MAC over aad || ciphertext, by CBC or CTR with an HMAC: as the library's suite of that kind, whose MAC
// has the IV too. Jobs have an iv of the cipher's length, and an iv_len of 0.
const Suite *stitched_suite(Cipher cipher, uint64_t key_bytes, Mac mac);

}  // namespace cst::imb
