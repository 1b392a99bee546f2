// What a MAC covers: a head (AAD and IV; for TLS sequence number, type, version and length), a body in the caller's
// memory, a trailer, and padding. And, in steps, the hash of GCM and of ChaCha20-Poly1305: a lane reads contiguous
// bytes in place and assembles the rest in its bounce buffer.
#pragma once

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"

namespace cst {

// Returns the greatest length of head and body of a message that is assembled as a whole. trailer: that of the suite.
inline size_t most_together(const AlgorithmRecord &hash, size_t trailer) {
    return WHOLE_MESSAGE - trailer - 1 - hash.length_bytes;
}
size_t most_together(const Suite &suite);
// Whether a message is assembled as a whole; no pair kernel runs on it then.
bool fits_whole(const Suite &suite, uint64_t head, uint64_t body);

// Write the head (TLS: of a record to be sealed), and what comes between body and padding. Each returns its length.
size_t put_head(const Suite &suite, const cst_job &job, uint8_t *to);
size_t put_trailer(const Suite &suite, const cst_job &job, uint8_t *to);
// For an AEAD with a hash's blocks: whole_aad returns the length of the AAD's whole blocks, which precede the rest of
// the head; put_end_of_head writes that rest and returns its length.
size_t whole_aad(const Suite &suite, const cst_job &job);
size_t put_end_of_head(const Suite &suite, const cst_job &job, uint8_t *to);
// Returns the bytes that are hashed of a message, with its padding and HMAC's outer hash.
uint64_t hashed_bytes(const Suite &suite, uint64_t head_and_body);

// Begins the MAC of a message.
void begin_mac(Message *m);
// Hashes bodies alone on kernel v: whole iterations up to hash_stop. For a MAC with a key, mac_keys_end must have the
// rows that the kernel reads.
void run_bodies(const Class &c, Message **list, size_t n, const Variant &v);
// Hashes what is left of what the MAC of RFC 8439 covers, for all messages that have not failed.
void finish_macs(const Class &c);

// Returns the kernel selection for most of the work of finish_macs.
Ranking rank_macs(const Class &c);

// Sealing, writes the first tag_len bytes of each digest to the job's tag; opening, compares them, and calls fail() on
// a mismatch.
void write_tags(const Class &c);
void check_tags(const Class &c);
// Sets CST_ERR_AUTH and zeroes the output.
void fail(Message *m);

}  // namespace cst
