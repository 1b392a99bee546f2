#include "meaning.hpp"

#include <map>

#include "crc.hpp"

namespace soak {
namespace {

const std::map<std::string, std::string> HASHES = {{"md5", "MD5"},
                                                   {"sha1", "SHA1"},
                                                   {"sha224", "SHA224"},
                                                   {"sha256", "SHA256"},
                                                   {"sha384", "SHA384"},
                                                   {"sha512", "SHA512"},
                                                   {"sha512_256", "SHA512-256"},
                                                   {"sm3", "SM3"},
                                                   {"sha3-224", "SHA3-224"},
                                                   {"sha3-256", "SHA3-256"},
                                                   {"sha3-384", "SHA3-384"},
                                                   {"sha3-512", "SHA3-512"},
                                                   {"blake2b-512", "BLAKE2B-512"},
                                                   {"blake2s-256", "BLAKE2S-256"},
                                                   {"shake128", "SHAKE128"},
                                                   {"shake256", "SHAKE256"}};

// aes-128-cbc -> AES-128-CBC
std::string upper(std::string text) {
    for (char &c : text)
        if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
    return text;
}

bool begins(const std::string &text, const std::string &with) { return text.compare(0, with.size(), with) == 0; }

bool ends(const std::string &text, const std::string &with) {
    return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

bool read_alone(const std::string &name, Meaning *m) {
    const auto hash = HASHES.find(name);
    if (hash != HASHES.end()) {
        *m = {Form::digest, "", hash->second, "digest"};
        return true;
    }
    if (begins(name, "blake3")) *m = {Form::tree, "", name, "tree"};
    else if (name == "mh-sha1" || name == "mh-sha256" || name == "mh-sha1+murmur3-x64-128")
        *m = {Form::multi, "", name, "multi"};
    else if (find_crc(name)) *m = {Form::checksum, "", name, "checksum"};
    else if (name == "chacha20") *m = {Form::cipher, "ChaCha20", "", "chacha20"};
    else if (name == "chacha20-poly1305") *m = {Form::poly1305, "ChaCha20-Poly1305", "", "chacha20-poly1305"};
    else if (name == "rc4-vartime") *m = {Form::cipher, "RC4", "", "rc4"};
    else if (name == "des-ede3-cbc") *m = {Form::cipher, "DES-EDE3-CBC", "", "des"};
    else if (name == "a128cbc-hs256") *m = {Form::rfc7518, "AES-128-CBC", "SHA256", "rfc7518"};
    else if (name == "a192cbc-hs384") *m = {Form::rfc7518, "AES-192-CBC", "SHA384", "rfc7518"};
    else if (name == "a256cbc-hs512") *m = {Form::rfc7518, "AES-256-CBC", "SHA512", "rfc7518"};
    else if (!begins(name, "aes-")) return false;
    else if (ends(name, "-gcm")) *m = {Form::gcm, upper(name), "", "gcm"};
    else if (ends(name, "-ccm")) *m = {Form::ccm, upper(name), "", "ccm"};
    else if (ends(name, "-cmac")) *m = {Form::cmac, upper(name.substr(0, 8)) + "CBC", "", "cmac"};
    else if (name == "aes-128-xcbc") *m = {Form::xcbc, "", "XCBC", "cmac"};
    else if (ends(name, "-cbc") || ends(name, "-ctr") || ends(name, "-ecb") || ends(name, "-xts"))
        *m = {Form::cipher, upper(name), "", name.substr(8)};
    else return false;
    return true;
}

// Reads what stands behind the cipher where it is a checksum: of the ciphertext, or of the plaintext.
bool read_checksum(std::string name, Meaning *m) {
    const std::string plaintext = "-plaintext";
    m->sums_plaintext = ends(name, plaintext);
    if (m->sums_plaintext) name.resize(name.size() - plaintext.size());
    if (!find_crc(name) || (m->form != Form::cipher && m->form != Form::gcm)) return false;
    m->second = name;
    m->kind += "-checked";
    return true;
}

}  // namespace

bool read_meaning(const std::string &name, Meaning *m) {
    const size_t plus = name.find('+');
    if (plus == std::string::npos) {
        if (!begins(name, "hmac-")) return read_alone(name, m);
        if (!read_alone(name.substr(5), m) || m->form != Form::digest) return false;
        m->form = Form::hmac;
        m->kind = "hmac";
        return true;
    }
    if (!read_alone(name.substr(0, plus), m)) return false;
    if (m->form == Form::multi) return read_alone(name, m);
    const std::string mac = name.substr(plus + 1);
    if (m->form == Form::digest) {
        Meaning second;
        if (!read_alone(mac, &second) || (second.form != Form::digest && second.form != Form::checksum)) return false;
        m->form = Form::both;
        m->second = second.hash;
        m->kind = "both";
        return true;
    }
    if (read_checksum(mac, m)) return true;
    if (m->form != Form::cipher) return false;
    if (mac == "aes-xcbc-96") {
        m->form = Form::esp;
        m->hash = "XCBC";
        m->kind = "esp-xcbc";
        return true;
    }
    const size_t dash = mac.rfind('-');
    if (!begins(mac, "hmac-") || dash < 5) return false;
    const auto hash = HASHES.find(mac.substr(5, dash - 5));
    if (hash == HASHES.end()) return false;
    m->hash = hash->second;
    const std::string how = mac.substr(dash + 1);
    m->form = how == "etm" ? Form::etm : how == "ciphertext" ? Form::unprefixed : how == "tls" ? Form::tls : Form::esp;
    if (m->kind != "des" && m->kind != "rc4") m->kind += m->form == Form::esp ? "-esp" : "-" + how;
    return true;
}

}  // namespace soak
