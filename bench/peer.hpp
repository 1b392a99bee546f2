// Benchmark rows, and the interface of an implementation to be timed on them. Everything else in this folder uses only
// this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace bench {

constexpr size_t QUIC_HEADER = 13;  // bytes of a QUIC packet before its payload (quic.hpp)

// A suite in one direction, taken apart by its name: [aes-N-cbc] [+] [hmac-]hash [-etm | -tls | -BITS],
// aes-128-cbc+aes-xcbc-96, aes-N-ctr [+hmac-hash-etm], -gcm, -ccm, -xts, -ecb, -cmac, -xcbc, chacha20[-poly1305],
// rc4-vartime [+hmac-hash-etm], des-ede3-cbc [+hmac-hash-etm | -BITS], a{128cbc-hs256,192cbc-hs384,256cbc-hs512}, crc*,
// aes-N-{xts,gcm}+crc*[-plaintext]; x25519, ecdh-p256; ed25519, ecdsa-p256, which opened are verified; rsa-N-sign
// (PKCS#1 v1.5 with SHA-256, one key);
// quic-aes-N-gcm, quic-chacha20-poly1305: packets with header protection;
// or an erasure code: rs-K+M (Cauchy), pq-K+2, xor-K+1; or sectors with T10's protection information, sealed when it is
// inserted, opened when it is stripped: t10-pi-N.
struct Row {
    std::string name;  // the suite; "/open" appended for the reverse direction, "/write" for a long text as TLS
                       // records, "/key" for making its keys
    std::string suite;
    bool open = false;
    bool write = false;
    bool make_keys = false;
    int key_bits = 0;  // of the cipher; 0: there is none
    std::string mode = "CBC";  // CBC, CTR, GCM, CCM, XTS, ECB of AES; ChaCha20, ChaCha20-Poly1305; RC4; DES-EDE3-CBC
    bool aead = false;  // the cipher authenticates too
    std::string hash;  // "sha1"; empty: no hash
    bool hmac = false;
    std::string block_mac;  // CMAC or XCBC of AES; empty: another MAC, or none
    int mac_bits = 0;  // of its key
    bool tls = false;  // MAC then encrypt
    bool checksum = false;
    std::string sum;  // the checksum beside a cipher (aes-256-xts+crc32c); empty: none
    bool sums_plaintext = false;  // it is of the plaintext, else of the ciphertext
    size_t data_blocks = 0, parity_blocks = 0;  // of an erasure code, whose texts are the data blocks, one behind the
                                                // other, and whose output is the parity; 0: it is none
    bool cauchy = false;  // its matrix
    bool coded() const { return data_blocks != 0; }
    std::string public_key;  // of public_key_rows(); its result is the tag; empty: another row
    bool agrees() const { return public_key == "x25519" || public_key == "ecdh-p256"; }
    bool p256() const { return public_key == "ecdh-p256" || public_key == "ecdsa-p256"; }
    size_t rsa_bits() const { return public_key.compare(0, 4, "rsa-") ? 0 : size_t(std::stoul(public_key.substr(4))); }
    size_t sector_bytes = 0;  // of data, with T10's 8 bytes of protection information behind them; 0: no sectors
    bool stored() const { return coded() || sector_bytes; }  // storage peers alone do it
    bool jose = false;  // RFC 7518, 5.2: the text padded to whole blocks, the header's length behind it in the MAC,
                        // half a tag; its key is MAC key, cipher key
    bool quic = false;  // packets, whose tag is behind the ciphertext
    size_t lead() const {
        return quic ? QUIC_HEADER : 0;
    }  // bytes of input and output before the text: a packet's header
    size_t tag_bytes = 0;  // beside the ciphertext; 0: no hash, TLS, or QUIC
    size_t header = 0;  // bytes in front of the IV that are authenticated: 8 for ESP, GCM, CCM
    size_t iv_bytes() const { return mode == "ECB" || rc4() ? 0 : aead ? 12 : des() ? 8 : 16; }
    size_t key_bytes() const { return size_t(key_bits / 8) * (mode == "XTS" ? 2 : 1); }
    size_t mac_key_bytes() const { return mac_bits ? size_t(mac_bits / 8) : jose ? tag_bytes : hmac ? 32 : 0; }
    bool pair() const { return key_bits && (hmac || mac_bits); }  // a cipher, and a MAC with a key of its own
    bool whole_blocks() const {
        return mode == "ECB" || des() || (key_bits && !tls && !jose && mode == "CBC");
    }  // of 16 bytes, of texts
    bool extendable() const { return hash == "shake128" || hash == "shake256"; }
    bool rc4() const { return mode == "RC4"; }
    bool des() const { return mode == "DES-EDE3-CBC"; }
    size_t head_bytes() const {
        return header + (key_bits ? iv_bytes() : 0);
    }  // that a hash covers in front of the ciphertext
    bool chacha() const { return mode.compare(0, 6, "ChaCha") == 0; }
};
// Returns false when the name does not have that shape (then nothing here can check the suite).
bool parse_row(const std::string &name, Row &row);
// Makes the row of a digest whose name has no known shape: of an application's pack.
Row digest_row(const std::string &suite, size_t digest_bytes);
size_t hash_bytes(const std::string &hash);
size_t checksum_bytes(const std::string &suite);  // 0: it is none
std::vector<std::string> storage_rows();  // erasure codes and sectors that are rows
std::vector<std::string> quic_rows();
std::vector<std::string> public_key_rows();

// How the number of a checksum is laid out in bytes.
class ChecksumForm {
public:
    explicit ChecksumForm(const std::string &suite);
    void put(uint64_t value, uint8_t *tag) const {
        if (big_endian_) value = __builtin_bswap64(value << (64 - 8 * bytes_));
        memcpy(tag, &value, bytes_);
    }

private:
    bool big_endian_;
    size_t bytes_;
};

// One job. The IV stands in the 16 bytes (DES: 8) before the ciphertext, as in a record, the header before it; so
// header || iv || ciphertext is one piece.
struct Buffer {
    const uint8_t *key, *mac_key;  // key_bytes(), mac_key_bytes()
    const uint8_t *iv;
    const uint8_t *in;
    uint8_t *out;  // 16 bytes before it are the task's too; TLS writes begin here with their first record's header
    uint8_t *tag;  // written by seal, read by open
    const uint8_t *expected_tag;  // what open compares with
    size_t bytes;  // of the text, by which cycles are divided
    size_t in_bytes, out_bytes;  // what is given, what is written (TLS write: room for it)
    uint64_t sequence;  // TLS: number of the (first) record
    size_t session;  // whose key it is, where there are sessions
};
struct Batch {
    std::vector<Buffer> buffers;
    size_t jobs = 0;  // of a run: the next so many buffers, all or some of them
    size_t total = 0;  // bytes of all texts of a run, in the mean; where keys are made, how many those are
    size_t longest = 0;  // of a text
    bool one_key = false;  // all buffers name the same key
    size_t sessions = 0;  // so many keys, of which buffers name any; 0: each of a run its own, or all one
    const uint8_t *first_key = nullptr;
    size_t mean() const { return total / jobs; }

    static constexpr size_t KEY_PITCH = 128, MAC_KEY = 64;  // from key to key; from a key to its MAC key
    size_t keys() const { return one_key ? 1 : sessions ? sessions : jobs; }
    size_t key_of(size_t buffer) const { return one_key ? 0 : sessions ? buffers[buffer].session : buffer % jobs; }
    // The reference does all buffers as one run, and their keys repeat.
    const uint8_t *key(size_t k) const { return sessions ? first_key + k * KEY_PITCH : buffers[k].key; }
    const uint8_t *mac_key(size_t k) const { return key(k) + MAC_KEY; }
};

// A prepared way of doing a row on a batch (keys expanded, contexts made).
class Task {
public:
    virtual ~Task() = default;
    virtual bool run() = 0;  // does every job of a run, or makes every key; false: an error
    virtual bool prove() { return true; }  // where keys are made: does every job with these
    std::string variant;  // how it is done
};

// The addresses of the blocks of an erasure code's job.
struct Blocks {
    Blocks(const Row &row, const Buffer &b) : bytes(b.bytes / row.data_blocks) {
        for (size_t i = 0; i < row.data_blocks; i++) data.push_back(const_cast<uint8_t *>(b.in) + i * bytes);
        for (size_t i = 0; i < row.parity_blocks; i++) parity.push_back(b.out + i * bytes);
    }
    size_t bytes;  // of a block
    std::vector<uint8_t *> data, parity;
};

// The buffers of each run.
class Turns {
public:
    explicit Turns(const Batch &batch) : batch_(batch) {}
    // The first of them.
    size_t next() {
        const size_t first = next_;
        next_ = first + batch_.jobs < batch_.buffers.size() ? first + batch_.jobs : 0;
        return first;
    }

private:
    const Batch &batch_;
    size_t next_ = 0;
};

// That task alone; nothing for null.
inline std::vector<std::unique_ptr<Task>> tasks_of(std::unique_ptr<Task> task) {
    std::vector<std::unique_ptr<Task>> tasks;
    if (task) tasks.push_back(std::move(task));
    return tasks;
}

class Peer {
public:
    virtual ~Peer() = default;
    virtual std::string name() const = 0;
    virtual std::string version() const = 0;
    // Prepares the row's tasks; none: this implementation cannot do the row. The batch outlives the tasks.
    virtual std::vector<std::unique_ptr<Task>> prepare(const Row &row, const Batch &batch) = 0;
    // Whether it has known answers of the row, published by others, and gives them: what a row is checked by that the
    // reference does not do.
    virtual bool gives_known_answers(const Row &) { return false; }
};

// A build of a peer: the linked one, or a library that is loaded besides it.
struct Build {
    std::string kind;  // "openssl", "aws-lc", "ipsec-mb"
    std::string file;  // of the library; empty: the linked one
    std::string mark;  // at the end of the name, where two builds have the same
    std::string tier;  // instruction sets to which it is held, as in tier.hpp; empty: its own choice
    std::string name(const std::string &version) const { return file.empty() ? kind : kind + "-" + version + mark; }
};
// Null where the build cannot be had; `error` says why, unless it is the linked one and nothing was linked.
std::unique_ptr<Peer> make_openssl(const Build &build, std::string &error);
std::unique_ptr<Peer> make_ipsec_mb(const Build &build, std::string &error);
std::unique_ptr<Peer> make_reference();  // the linked OpenSSL
std::unique_ptr<Peer> make_storage_reference();
// Peers for checksums and erasure codes; null if they were missing when this was built.
std::unique_ptr<Peer> make_isal();
std::unique_ptr<Peer> make_zlib();
// `target` and `force` as in cst_options and cst_suite_force; null on error, with `error` set.
// `packs`: files of packs that are loaded.
std::unique_ptr<Peer> make_cryptostitch(const std::string &target, const std::string &costs, const std::string &force,
                                        const std::vector<std::string> &packs, std::string &error);
// digest_bytes: of a digest whose pack brings known answers; else 0.
struct NamedSuite {
    std::string name;
    size_t digest_bytes;
};
std::vector<NamedSuite> cryptostitch_suites(const std::string &target, const std::vector<std::string> &packs);

}  // namespace bench
