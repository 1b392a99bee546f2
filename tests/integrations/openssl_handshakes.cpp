// openssl-handshakes FOLDER HANDSHAKES CONNECTIONS ASYNC: TLS 1.3 between a server, in the process's library context,
// and clients in one of their own, over memory; so many connections at a time, on a thread. FOLDER has cert.pem and
// key.pem; ASYNC: 1 if the server's connections are ASYNC jobs, else 0. Prints the microseconds that the server takes
// for each.
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <sys/select.h>
#include <time.h>

#include <memory>

#include "openssl_jobs.hpp"

namespace {

double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3;
}

// Whether it has ended; else it waits for the other side, or for its turn.
bool step(SSL *side) {
    const int done = SSL_do_handshake(side);
    if (done == 1) return true;
    const int error = SSL_get_error(side, done);
    must(error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_ASYNC,
         "a handshake failed: " + std::to_string(error));
    return false;
}

bool is_ready(SSL *side) {
    size_t n = 0;
    int descriptor;
    if (!SSL_waiting_for_async(side)) return true;
    must(SSL_get_all_async_fds(side, nullptr, &n) > 0 && n == 1, "a paused connection has no descriptor");
    SSL_get_all_async_fds(side, &descriptor, &n);
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(descriptor, &ready);
    timeval none = {0, 0};
    return select(descriptor + 1, &ready, nullptr, nullptr, &none) == 1;
}

struct Connection {
    SSL *server = nullptr, *client = nullptr;
    bool served = false;

    Connection(SSL_CTX *of_server, SSL_CTX *of_client) : server(SSL_new(of_server)), client(SSL_new(of_client)) {
        BIO *a, *b;
        must(BIO_new_bio_pair(&a, 32768, &b, 32768) > 0, "no memory");
        SSL_set_bio(server, a, a);
        SSL_set_bio(client, b, b);
        SSL_set_accept_state(server);
        SSL_set_connect_state(client);
    }
    ~Connection() {
        SSL_free(server);
        SSL_free(client);
    }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
};

}  // namespace

int main(int argc, char **argv) {
    GuardedStacks::use();
    if (argc < 5) fail("openssl-handshakes FOLDER HANDSHAKES CONNECTIONS ASYNC");
    const std::string folder = argv[1], certificate = folder + "/cert.pem", key = folder + "/key.pem";
    const long wanted = atol(argv[2]);
    SSL_CTX *const of_server = SSL_CTX_new(TLS_server_method());
    must(SSL_CTX_use_certificate_file(of_server, certificate.c_str(), SSL_FILETYPE_PEM) > 0 &&
             SSL_CTX_use_PrivateKey_file(of_server, key.c_str(), SSL_FILETYPE_PEM) > 0,
         "no certificate, or no key");
    if (atoi(argv[4])) SSL_CTX_set_mode(of_server, SSL_MODE_ASYNC);
    OSSL_LIB_CTX *const own = OSSL_LIB_CTX_new();
    must(OSSL_PROVIDER_load(own, "default") != nullptr, "no default");
    SSL_CTX *const of_client = SSL_CTX_new_ex(own, nullptr, TLS_client_method());
    // From 3.5 on another group comes first.
    must(SSL_CTX_set1_groups_list(of_client, "X25519") > 0, "no X25519");
    must(SSL_CTX_load_verify_locations(of_client, certificate.c_str(), nullptr) > 0, "no certificate");
    SSL_CTX_set_verify(of_client, SSL_VERIFY_PEER, nullptr);

    std::vector<std::unique_ptr<Connection>> all(size_t(atol(argv[3])));
    long begun = 0, ended = 0;
    double spent = 0;
    while (ended < wanted) {
        for (auto &connection : all) {
            if (!connection && begun < wanted) {
                connection = std::make_unique<Connection>(of_server, of_client);
                begun++;
            }
            if (!connection) continue;
            const bool known = step(connection->client);
            if (!connection->served && is_ready(connection->server)) {
                const double before = now();
                connection->served = step(connection->server);
                spent += now() - before;
            }
            if (!known || !connection->served) continue;
            must(!strcmp(SSL_get_version(connection->client), "TLSv1.3"), "another version of TLS");
            must(SSL_get_negotiated_group(connection->server) == NID_X25519, "another group than X25519");
            connection.reset();
            ended++;
        }
    }
    SSL_CTX_free(of_server);
    SSL_CTX_free(of_client);
    OSSL_LIB_CTX_free(own);
    printf("%ld handshakes, %.1f us each\n", ended, spent / double(wanted));
    return 0;
}
