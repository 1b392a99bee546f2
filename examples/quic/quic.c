/* QUIC packets over UDP on loopback: bursts of 40 are sealed, sent, received and opened.
 *
 *     quic [PACKETS [BYTES]]
 *
 * A burst goes to the kernel as one buffer, which it cuts into datagrams (UDP_SEGMENT, "GSO"), or by sendmmsg where it
 * cannot; they come back by recvmmsg. A line for each algorithm, and of OpenSSL's EVP where it is there, tells how many
 * packets went through in a second of the thread's own time, and how many cycles of the time-stamp counter it took to
 * seal and to open one. Every payload is compared.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <cryptostitch/cryptostitch.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_OPENSSL
#include "evp.h"
#endif

enum { BURST = 40, CONNECTION_ID = 8, NUMBER = 4, HEADER = 1 + CONNECTION_ID + NUMBER, MOST_PACKET = 1500 };

static void check(int result, const char *what) {
    if (result == CST_OK) return;
    fprintf(stderr, "quic: %s: %s\n", what, cst_error_text(result));
    exit(1);
}
static void check_system(int right, const char *what) {
    if (right) return;
    perror(what);
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- UDP */

static int sender, receiver, has_gso;

static void open_sockets(size_t bytes) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const struct timeval patience = {2, 0};
    const int segment = (int)bytes, room = 1 << 20;
    sender = socket(AF_INET, SOCK_DGRAM, 0);
    receiver = socket(AF_INET, SOCK_DGRAM, 0);
    check_system(sender >= 0 && receiver >= 0, "socket");
    check_system(!bind(receiver, (struct sockaddr *)&address, size), "bind");
    check_system(!getsockname(receiver, (struct sockaddr *)&address, &size), "getsockname");
    check_system(!connect(sender, (struct sockaddr *)&address, size), "connect");
    setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    check_system(!setsockopt(receiver, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), "SO_RCVTIMEO");
#ifdef UDP_SEGMENT
    has_gso = !setsockopt(sender, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment);
#else
    (void)segment;
#endif
}

/* Datagrams of `bytes` bytes, one behind the other. */
static void send_burst(uint8_t *packets, size_t bytes) {
    if (has_gso) {
        if (send(sender, packets, BURST * bytes, 0) == (ssize_t)(BURST * bytes)) return;
        check_system(errno == EIO || errno == EINVAL || errno == EMSGSIZE, "send");
        has_gso = 0; /* this way out cannot: as many datagrams as there are packets */
#ifdef UDP_SEGMENT
        const int none = 0;
        setsockopt(sender, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof none);
#endif
    }
    struct iovec parts[BURST];
    struct mmsghdr messages[BURST];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < BURST; i++) {
        parts[i] = (struct iovec){packets + (size_t)i * bytes, bytes};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    for (int done = 0; done < BURST;) {
        const int n = sendmmsg(sender, messages + done, (unsigned)(BURST - done), 0);
        check_system(n > 0, "sendmmsg");
        done += n;
    }
}

static void receive_burst(uint8_t (*packets)[MOST_PACKET], size_t *lengths) {
    struct iovec parts[BURST];
    struct mmsghdr messages[BURST];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < BURST; i++) {
        parts[i] = (struct iovec){packets[i], MOST_PACKET};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    for (int done = 0; done < BURST;) {
        const int n = recvmmsg(receiver, messages + done, (unsigned)(BURST - done), MSG_WAITFORONE, NULL);
        check_system(n > 0, "recvmmsg");
        done += n;
    }
    for (int i = 0; i < BURST; i++) lengths[i] = messages[i].msg_len;
}

/* ---- both ends of a connection */

struct connection {
    const char *algorithm;
    cst_ctx *ctx;
    cst_quic_key *key; /* of the sender and the receiver, whose direction it is */
    int by_evp;
#ifdef WITH_OPENSSL
    struct evp_key *seals, *opens;
#endif
    uint64_t number, expected; /* next to be sent; one more than the largest that was opened */
};

static void seal_burst(struct connection *c, uint8_t *packets, size_t bytes) {
    cst_quic_packet made[BURST];
    memset(made, 0, sizeof made); /* what is not used is 0 */
    for (int i = 0; i < BURST; i++) {
        uint8_t *const packet = packets + (size_t)i * bytes, *const payload = packet + HEADER;
#ifdef WITH_OPENSSL
        if (c->by_evp) {
            evp_seal(c->seals, packet, HEADER, bytes - HEADER - CST_QUIC_TAG_BYTES, c->number++);
            continue;
        }
#endif
        made[i].size = sizeof made[i];
        made[i].key = c->key;
        made[i].number = c->number++;
        made[i].number_len = NUMBER;
        made[i].header = packet, made[i].header_len = HEADER;
        made[i].in = payload, made[i].in_len = bytes - HEADER - CST_QUIC_TAG_BYTES;
        made[i].out = payload, made[i].out_cap = bytes - HEADER;
    }
    if (!c->by_evp) check(cst_quic_seal(c->ctx, made, BURST), "cst_quic_seal");
}

static void open_burst(struct connection *c, uint8_t (*packets)[MOST_PACKET], const size_t *lengths) {
    cst_quic_received received[BURST];
    memset(received, 0, sizeof received);
    for (int i = 0; i < BURST; i++) {
#ifdef WITH_OPENSSL
        if (c->by_evp) {
            uint64_t number;
            if (!evp_open(c->opens, packets[i], lengths[i], 1 + CONNECTION_ID, &number))
                check(CST_ERR_AUTH, "evp_open");
            c->expected = number + 1;
            continue;
        }
#endif
        received[i].size = sizeof received[i];
        received[i].key = c->key;
        received[i].expected = c->expected;
        received[i].in = received[i].out = packets[i];
        received[i].in_len = received[i].out_cap = lengths[i];
        received[i].number_at = 1 + CONNECTION_ID;
    }
    if (c->by_evp) return;
    check(cst_quic_open(c->ctx, received, BURST), "cst_quic_open");
    for (int i = 0; i < BURST; i++)
        if (received[i].number >= c->expected) c->expected = received[i].number + 1;
}

static void run(struct connection *c, size_t n, size_t bytes) {
    static uint8_t packets[BURST * MOST_PACKET], arrived[BURST][MOST_PACKET];
    size_t lengths[BURST];
    uint64_t sealing = 0, opening = 0;
    size_t done = 0;
    const double start = seconds();
    for (; done < n; done += BURST) {
        for (size_t i = 0; i < BURST; i++) {
            uint8_t *const packet = packets + i * bytes;
            memset(packet, 0, HEADER);
            packet[0] = 0x40; /* a short header; the connection ID is 0 */
            memset(packet + HEADER, (int)(done + i), bytes - HEADER - CST_QUIC_TAG_BYTES); /* frames */
        }
        uint64_t from = __builtin_ia32_rdtsc();
        seal_burst(c, packets, bytes);
        sealing += __builtin_ia32_rdtsc() - from;
        send_burst(packets, bytes);
        receive_burst(arrived, lengths);
        from = __builtin_ia32_rdtsc();
        open_burst(c, arrived, lengths);
        opening += __builtin_ia32_rdtsc() - from;
        for (size_t i = 0; i < BURST; i++) { /* loopback keeps the order */
            const uint8_t *const payload = arrived[i] + HEADER, wanted = (uint8_t)(done + i);
            if (lengths[i] != bytes || payload[0] != wanted ||
                payload[bytes - HEADER - CST_QUIC_TAG_BYTES - 1] != wanted)
                check(CST_ERR_AUTH, "a payload that is another one");
        }
    }
    printf("%-18s %-12s %12.0f %8.0f %8.0f\n", c->algorithm, c->by_evp ? "OpenSSL" : "cryptostitch",
           (double)done / (seconds() - start), (double)sealing / (double)done, (double)opening / (double)done);
}

int main(int argc, char **argv) {
    static const char *const algorithms[] = {"aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"};
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000,
                 bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 1200;
    if (!n || bytes < HEADER + CST_QUIC_TAG_BYTES + 4 || bytes > MOST_PACKET) {
        fprintf(stderr, "usage: quic [PACKETS [BYTES]], of %d to %d bytes\n", HEADER + CST_QUIC_TAG_BYTES + 4,
                MOST_PACKET);
        return 2;
    }
    cst_ctx *ctx;
    check(cst_ctx_new(&ctx, NULL), "cst_ctx_new");
    open_sockets(bytes);
    printf("algorithm          by              packets/s     seal     open  cycles a packet of %zu bytes\n", bytes);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        uint8_t key[32], iv[12], hp[32]; /* a handshake gives these: see cst_quic_key_from_secret */
        const size_t key_len = i ? 32 : 16;
        check_system(getrandom(key, sizeof key, 0) == sizeof key && getrandom(iv, sizeof iv, 0) == sizeof iv &&
                         getrandom(hp, sizeof hp, 0) == sizeof hp,
                     "getrandom");
        struct connection c = {.algorithm = algorithms[i], .ctx = ctx};
        check(cst_quic_key_new(ctx, algorithms[i], key, key_len, iv, sizeof iv, hp, key_len, &c.key),
              "cst_quic_key_new");
        run(&c, n, bytes);
#ifdef WITH_OPENSSL
        c.by_evp = 1;
        c.seals = evp_key_new(algorithms[i], key, iv, hp, 0);
        c.opens = evp_key_new(algorithms[i], key, iv, hp, 1);
        run(&c, n, bytes); /* its packet numbers go on where those of the first run ended */
        evp_key_free(c.seals);
        evp_key_free(c.opens);
#endif
        cst_quic_key_free(c.key);
    }
    puts(has_gso ? "sent with UDP_SEGMENT" : "sent with sendmmsg");
    cst_ctx_free(ctx);
    close(sender), close(receiver);
    return 0;
}
