#define OPENSSL_SUPPRESS_DEPRECATED  // the compression functions by themselves (multi_hash.hpp)
#include "model.hpp"

#include "blake3.hpp"
#include "crc.hpp"
#include "multi_hash.hpp"
#include "rc4.hpp"

namespace soak {
namespace {

constexpr size_t BLOCK = 16;  // of AES

Bytes big_endian(uint64_t value, size_t bytes) {
    Bytes made(bytes);
    for (size_t i = 0; i < bytes; i++) made[bytes - 1 - i] = uint8_t(value >> 8 * i);
    return made;
}

Bytes part(const Bytes &of, size_t from, size_t to) { return Bytes(of.begin() + long(from), of.begin() + long(to)); }

}  // namespace

Xcbc::Xcbc(const Bytes &key) {
    Cipher ecb("AES-128-ECB", key.data(), key.size());
    auto derived = [&](uint8_t constant) {
        const Bytes filled(BLOCK, constant);
        Bytes made(BLOCK);
        ecb.crypt({}, filled.data(), BLOCK, made.data());
        return made;
    };
    chain_ = std::make_unique<Cipher>("AES-128-CBC", derived(1).data(), BLOCK);
    last_[0] = derived(2);
    last_[1] = derived(3);
}

Bytes Xcbc::of(const Bytes &message) {
    Bytes blocks(message);
    const bool whole = !message.empty() && message.size() % BLOCK == 0;
    if (!whole) {
        blocks.push_back(0x80);
        blocks.resize((blocks.size() + BLOCK - 1) / BLOCK * BLOCK);
    }
    for (size_t i = 0; i < BLOCK; i++) blocks[blocks.size() - BLOCK + i] ^= last_[!whole][i];
    Bytes chain(blocks.size());
    chain_->crypt(Bytes(BLOCK), blocks.data(), blocks.size(), chain.data());
    return part(chain, chain.size() - BLOCK, chain.size());
}

Model::Model(const Meaning &meaning, const Secret &secret) : meaning_(meaning), secret_(secret) {
    const Form form = meaning.form;
    Bytes key = secret.key, mac_key = secret.mac_key;
    if (form == Form::rfc7518) {  // 5.2.2.1: the MAC's key comes first
        mac_key = part(secret.key, 0, secret.key.size() / 2);
        key = part(secret.key, secret.key.size() / 2, secret.key.size());
    }
    if (form == Form::gcm || form == Form::ccm || form == Form::poly1305)
        aead_ = std::make_unique<Aead>(meaning.cipher, form == Form::ccm, key);
    else if (form == Form::cmac) mac_ = std::make_unique<Mac>("CMAC", meaning.cipher, mac_key);
    else if (!meaning.cipher.empty() && meaning.cipher != "RC4")
        cipher_ = std::make_unique<Cipher>(meaning.cipher, key.data(), key.size());
    if (form == Form::tls) decipher_ = std::make_unique<Cipher>(meaning.cipher, key.data(), key.size(), false);
    if (form == Form::checksum || form == Form::tree || form == Form::multi) return;
    if (form == Form::both && !find_crc(meaning.second)) second_ = std::make_unique<Digest>(meaning.second);
    if (form == Form::digest || form == Form::both) digest_ = std::make_unique<Digest>(meaning.hash);
    else if (meaning.hash == "XCBC") xcbc_ = std::make_unique<Xcbc>(mac_key);
    else if (!meaning.hash.empty()) {
        mac_ = std::make_unique<Mac>("HMAC", meaning.hash, mac_key);
        hash_bytes_ = Digest(meaning.hash).of({}).size();
    }
}

Bytes Model::encipher(const Bytes &iv, const Bytes &text) {
    if (meaning_.cipher == "RC4") return rc4(secret_.key, text);
    Bytes out(text.size());
    cipher_->crypt(iv, text.data(), text.size(), out.data());
    return out;
}

Bytes Model::mac(std::initializer_list<Bytes> parts) {
    if (xcbc_) {
        Bytes all;
        for (const Bytes &bytes : parts) all.insert(all.end(), bytes.begin(), bytes.end());
        return xcbc_->of(all);
    }
    mac_->begin();
    for (const Bytes &bytes : parts) mac_->add(bytes);
    return mac_->end();
}

size_t Model::least_padding(size_t text_bytes) const { return BLOCK - (text_bytes + hash_bytes_) % BLOCK; }

void Model::pad(const Message &message, size_t padding, uint8_t value, Bytes *text) const {
    text->insert(text->end(), padding, value);
    if (message.bad_padding) (*text)[text->size() - padding] ^= 1;
}

Bytes Model::text_of_record(const Bytes &iv, const Bytes &ciphertext) {
    Bytes plain(ciphertext.size());
    decipher_->crypt(iv, ciphertext.data(), ciphertext.size(), plain.data());
    const size_t behind = plain.back() + 1u + hash_bytes_;
    return plain.size() < behind ? Bytes() : part(plain, 0, plain.size() - behind);
}

void Model::seal(const Message &m, Bytes *out, Bytes *tag) {
    out->clear();
    tag->clear();
    const bool checked = !meaning_.second.empty() && meaning_.form != Form::both;
    if (checked) {
        Meaning alone = meaning_;
        alone.second.clear();
        Message message = m;
        const size_t sum_bytes = crc_of(*find_crc(meaning_.second), {}).size();
        message.tag_bytes -= sum_bytes;
        Model(alone, secret_).seal(message, out, tag);
        const Bytes sum = crc_of(*find_crc(meaning_.second), meaning_.sums_plaintext ? m.text : *out);
        tag->insert(tag->end(), sum.begin(), sum.end());
        return;
    }
    switch (meaning_.form) {
        case Form::digest: *tag = digest_->of(m.text); break;
        case Form::both: {
            const Bytes second = second_ ? second_->of(m.text) : crc_of(*find_crc(meaning_.second), m.text);
            *tag = digest_->of(m.text);
            tag->insert(tag->end(), second.begin(), second.end());
            break;
        }
        case Form::tree:
            if (meaning_.hash == "blake3-keyed") *tag = Blake3::keyed(secret_.mac_key, m.text);
            else if (meaning_.hash == "blake3-derive-key") *tag = Blake3::derived(secret_.mac_key, m.text);
            else *tag = Blake3::of(m.text);
            break;
        case Form::multi:
            *tag = meaning_.hash == "mh-sha256" ? MultiSha256::of(m.text) : MultiSha1::of(m.text);
            if (meaning_.hash != "mh-sha1" && meaning_.hash != "mh-sha256") put_murmur3(m.text, tag);
            break;
        case Form::checksum: *tag = crc_of(*find_crc(meaning_.hash), m.text); break;
        case Form::hmac:
        case Form::cmac:
        case Form::xcbc: *tag = mac({m.text}); break;
        case Form::cipher: *out = encipher(m.iv, m.text); break;
        case Form::gcm:
        case Form::ccm:
        case Form::poly1305: aead_->seal(m.iv, m.aad, m.text, out, m.tag_bytes, tag); break;
        case Form::etm:
        case Form::unprefixed:
            *out = encipher(m.iv, m.text);
            *tag = mac({m.aad, meaning_.form == Form::etm ? m.iv : Bytes(), *out});
            break;
        case Form::esp: {
            *out = encipher(m.iv, m.text);
            *tag = mac({part(m.aad, 0, 8), m.iv, *out, part(m.aad, 8, m.aad.size())});
            break;
        }
        case Form::rfc7518: {
            Bytes text(m.text);
            const size_t padding = BLOCK - text.size() % BLOCK;  // PKCS#7 (RFC 5652, 6.3)
            pad(m, padding, uint8_t(padding), &text);
            *out = encipher(m.iv, text);
            *tag = mac({m.aad, m.iv, *out, big_endian(8 * m.aad.size(), 8)});
            break;
        }
        case Form::tls: {
            const Bytes code = mac({m.aad, big_endian(m.text.size(), 2), m.text});
            Bytes text(m.text);
            text.insert(text.end(), code.begin(), code.end());
            const size_t padding = m.padding ? m.padding : least_padding(m.text.size());
            pad(m, padding, uint8_t(padding - 1), &text);
            *out = encipher(m.iv, text);
            break;
        }
    }
    tag->resize(m.tag_bytes);
}

}  // namespace soak
