/* QUIC packets by OpenSSL's EVP, one after the other: what quic.c compares with. */
#ifndef EVP_H
#define EVP_H

#include <stddef.h>
#include <stdint.h>

struct evp_key; /* a direction's */

struct evp_key *evp_key_new(const char *algorithm, const uint8_t *key, const uint8_t *iv, const uint8_t *hp, int opens);
void evp_key_free(struct evp_key *key);
/* Seals header || payload in place; the tag follows. The packet number has 4 bytes, at the header's end. */
void evp_seal(struct evp_key *key, uint8_t *packet, size_t header_bytes, size_t payload_bytes, uint64_t number);
/* Opens a packet in place. Returns 0 if it is not authentic. */
int evp_open(struct evp_key *key, uint8_t *packet, size_t bytes, size_t number_at, uint64_t *number);

#endif
