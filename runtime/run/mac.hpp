// The hash side of messages: HMAC, digests, and the MACs of block ciphers.
//
// A message is a head (AAD and IV; of TLS sequence number, type, version and length), a body in the caller's memory, a
// trailer, and padding. A lane reads what lies together where it lies, and puts together the rest (Stage).
#pragma once

#include "lineup.hpp"
#include "message.hpp"

namespace cst {

// What the MAC covers in front of the body: AAD and IV; ESP: SPI, sequence number, IV; TLS: sequence number, type,
// version and length.
uint64_t head_bytes(const Suite &suite, uint64_t aad_len);
// Head and body of a message that is put together altogether have at most so many bytes.
size_t most_together(const Suite &suite);
// Whether it is; no pair kernel runs on it then.
bool fits_whole(const Suite &suite, uint64_t head, uint64_t body);

// The head (of TLS: of what is sealed), and what comes between body and padding. Each returns its size.
size_t put_head(const Suite &suite, const cst_job &job, uint8_t *to);
size_t put_trailer(const Suite &suite, const cst_job &job, uint8_t *to);
// Of an AEAD with a hash's blocks: whole blocks of the AAD in front of the rest of the head; and that rest, whose size
// is returned.
size_t whole_aad(const Suite &suite, const cst_job &job);
size_t put_end_of_head(const Suite &suite, const cst_job &job, uint8_t *to);
// Bytes that are hashed of a message, with its padding and HMAC's outer hash.
uint64_t hashed_bytes(const Suite &suite, uint64_t head_and_body);

// Sets stage, `whole` and `boundary` of a message whose body is known, and the chaining value that it begins with.
void begin_mac(const Suite &suite, Message *m);

// Hashes each message: the head and whole blocks of the body up to hash_stop; or, with to_end, all of it, so that
// `digest` is its hash or MAC, HMAC's outer hash included.
void run_macs(const Class &c, Message **list, size_t n);
// Bodies alone, on this kernel: whole iterations up to hash_stop. Of MACs with a key mac_keys_end has the rows that it
// wants.
void run_bodies(const Class &c, Message **list, size_t n, const Variant &v);
// As run_macs to the end, of all that have not failed.
void finish_macs(const Class &c);

// What finish_macs runs most of.
Ranking rank_macs(const Class &c);

// Sealing, writes the first tag_len bytes of each digest to the job's tag; opening, compares them, and calls `fail`.
void write_tags(const Class &c);
void check_tags(const Class &c);
// CST_ERR_AUTH, and a zeroed output.
void fail(Message *m);

}  // namespace cst
