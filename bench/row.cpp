#include "peer.hpp"

#include <cstdio>

namespace bench {

static bool take(std::string &text, const std::string &prefix) {
    if (text.compare(0, prefix.size(), prefix) != 0) return false;
    text.erase(0, prefix.size());
    return true;
}
static bool take_end(std::string &text, const std::string &suffix) {
    if (text.size() < suffix.size() || text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0)
        return false;
    text.resize(text.size() - suffix.size());
    return true;
}

size_t hash_bytes(const std::string &hash) {
    static const std::pair<const char *, size_t> others[] = {
        {"", 0},          {"md5", 16},      {"sha1", 20},     {"sha224", 28},   {"sha384", 48},     {"sha512", 64},
        {"sha3-224", 28}, {"sha3-384", 48}, {"sha3-512", 64}, {"shake256", 64}, {"blake2b-512", 64}};
    for (const auto &other : others)
        if (hash == other.first) return other.second;
    return 32;
}

size_t checksum_bytes(const std::string &suite) {
    static const std::pair<const char *, size_t> all[] = {{"crc32c", 4},   {"crc32", 4},       {"crc64-nvme", 8},
                                                          {"crc64-xz", 8}, {"crc32-bzip2", 4}, {"crc16-t10-dif", 2},
                                                          {"adler32", 4}};
    for (const auto &known : all)
        if (suite == known.first) return known.second;
    return 0;
}

std::vector<std::string> storage_rows() {
    return {"rs-4+2", "rs-6+3", "rs-10+4", "rs-20+4", "pq-16+2", "xor-10+1", "t10-pi-512", "t10-pi-4096"};
}

std::vector<std::string> quic_rows() { return {"quic-aes-128-gcm", "quic-aes-256-gcm", "quic-chacha20-poly1305"}; }

std::vector<std::string> public_key_rows() {
    return {"x25519", "ed25519", "ecdh-p256", "ecdsa-p256", "rsa-2048-sign", "rsa-3072-sign", "rsa-4096-sign"};
}

// K and M of "K+M".
static bool take_blocks(const std::string &text, Row &row) {
    return sscanf(text.c_str(), "%zu+%zu", &row.data_blocks, &row.parity_blocks) == 2 && row.data_blocks &&
           row.parity_blocks && row.data_blocks + row.parity_blocks < 256;
}

Row digest_row(const std::string &suite, size_t digest_bytes) {
    Row row;
    row.name = row.suite = row.hash = suite;
    row.tag_bytes = digest_bytes;
    return row;
}

bool parse_row(const std::string &name, Row &row) {
    row = Row();
    row.name = row.suite = name;
    row.open = take_end(row.suite, "/open");
    row.write = take_end(row.suite, "/write");
    if (take_end(row.suite, "/key")) {
        const std::string suite = row.suite;
        if (row.open || row.write || !parse_row(suite, row) || row.open || row.write || row.quic) return false;
        row.name = name;
        return row.make_keys = row.key_bits || row.mac_key_bytes();
    }
    if ((row.tag_bytes = checksum_bytes(row.suite))) {
        row.hash = row.suite;
        row.checksum = true;
        return !row.open && !row.write;
    }
    for (const std::string &operation : public_key_rows()) {
        if (row.suite != operation) continue;
        row.public_key = operation;
        row.tag_bytes = row.rsa_bits() ? row.rsa_bits() / 8 : row.agrees() ? 32 : 64;
        return !row.write && !(row.open && operation != "ed25519" && operation != "ecdsa-p256");
    }
    std::string rest = row.suite;
    if (take(rest, "quic-")) {
        const bool open = row.open;
        const std::string aead = rest;
        if (row.write || !parse_row(aead, row) || !(row.mode == "GCM" || row.mode == "ChaCha20-Poly1305") ||
            row.key_bits == 192 || !row.sum.empty() || row.open || row.write || row.make_keys)
            return false;
        row.open = open, row.name = name, row.suite = "quic-" + aead;
        row.tag_bytes = row.header = 0;
        return row.quic = true;
    }
    if (take(rest, "t10-pi-")) {
        row.sector_bytes = rest == "512" ? 512 : rest == "4096" ? 4096 : 0;
        return row.sector_bytes && !row.write;
    }
    row.cauchy = take(rest, "rs-");
    if (row.cauchy) return take_blocks(rest, row) && !row.open && !row.write;
    for (size_t parity : {1, 2})
        if (take(rest, parity == 1 ? "xor-" : "pq-"))
            return take_blocks(rest, row) && row.parity_blocks == parity && !row.open && !row.write;
    for (int bits : {128, 192, 256}) {
        const std::string cipher = "aes-" + std::to_string(bits);
        if (take(rest, cipher + "-cbc")) row.key_bits = bits;
        if (take(rest, cipher + "-ctr")) row.key_bits = bits, row.mode = "CTR";
        if (take(rest, cipher + "-xts")) row.key_bits = bits, row.mode = "XTS";
        if (take(rest, cipher + "-ecb")) row.key_bits = bits, row.mode = "ECB";
        if (take(rest, cipher + "-cmac")) row.block_mac = "CMAC", row.mac_bits = bits, row.tag_bytes = 16;
        if (take(rest, cipher + "-xcbc")) row.block_mac = "XCBC", row.mac_bits = bits, row.tag_bytes = 12;
        if (take(rest, cipher + "-ccm"))
            row.key_bits = bits, row.mode = "CCM", row.aead = true, row.tag_bytes = 16, row.header = 8;
        if (take(rest, cipher + "-gcm"))
            row.key_bits = bits, row.mode = "GCM", row.aead = true, row.tag_bytes = 16, row.header = 8;
    }
    if (take(rest, "chacha20-poly1305"))
        row.key_bits = 256, row.mode = "ChaCha20-Poly1305", row.aead = true, row.tag_bytes = 16, row.header = 8;
    else if (take(rest, "chacha20")) row.key_bits = 256, row.mode = "ChaCha20";
    for (int bits : {128, 192, 256}) {
        const std::string hash = std::to_string(2 * bits);
        if (!take(rest, "a" + std::to_string(bits) + "cbc-hs" + hash)) continue;
        row.key_bits = bits, row.hash = "sha" + hash, row.hmac = row.jose = true, row.tag_bytes = size_t(bits / 8),
        row.header = 8;
        return rest.empty() && !row.write;
    }
    if (take(rest, "des-ede3-cbc")) row.key_bits = 192, row.mode = "DES-EDE3-CBC";
    if (take(rest, "rc4-vartime")) row.key_bits = 128, row.mode = "RC4";
    if (row.mac_bits) return rest.empty() && !row.write && !row.open;
    if (row.key_bits && rest == "+aes-xcbc-96")
        return row.block_mac = "XCBC", row.mac_bits = 128, row.tag_bytes = 12, row.header = 8, !row.write;
    if ((row.mode == "XTS" || row.mode == "GCM") && take(rest, "+")) {
        row.sums_plaintext = take_end(rest, "-plaintext");
        row.sum = rest;
        row.tag_bytes += checksum_bytes(rest);
        return checksum_bytes(rest) && !row.write && !row.make_keys;
    }
    if (row.mode != "CBC" && (rest.empty() || (row.mode != "CTR" && !row.rc4() && !row.des())))
        return rest.empty() && !row.write;
    if (row.key_bits) {
        if (rest.empty()) return !row.write;
        if (!take(rest, "+hmac-")) return false;
        row.hmac = true;
        if (row.mode == "CBC" && take_end(rest, "-tls")) row.tls = true;
        else if (take_end(rest, "-96")) row.tag_bytes = 12, row.header = 8;
        else if (take_end(rest, "-128")) row.tag_bytes = 16, row.header = 8;
        else if (take_end(rest, "-192")) row.tag_bytes = 24, row.header = 8;
        else if (take_end(rest, "-256")) row.tag_bytes = 32, row.header = 8;
        else if (!take_end(rest, "-etm")) return false;
        if (row.write && (!row.tls || row.open)) return false;
    } else {
        if (row.open || row.write) return false; // a digest has no reverse
        row.hmac = take(rest, "hmac-");
    }
    row.hash = rest;
    if (!row.tag_bytes && !row.tls) row.tag_bytes = hash_bytes(rest);
    for (const char *family : {"sha3-", "blake2b-", "blake2s-"}) take(rest, family);
    return !rest.empty() && rest.find_first_of("+-/") == std::string::npos;
}

} // namespace bench
