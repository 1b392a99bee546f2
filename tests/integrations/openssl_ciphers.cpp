// openssl-ciphers CIPHER SEED MESSAGES [MOST]: random messages in random pieces, by the provider and by `default`,
// which OPENSSL_CONF activates. Ends with 1 and a sentence at the first difference.
#include <algorithm>

#include "openssl_jobs.hpp"

namespace {

size_t most_text = 5000;

// The text in pieces, with copies of the contexts in between.
Octets in_pieces(Sides &sides, Random &random, const Octets &text, bool all_at_once = false) {
    Octets out;
    size_t at = 0;
    const size_t most = random.once_in(3) ? text.size() : 1 + random.length(random.once_in(2) ? 70 : text.size());
    while (at < text.size()) {
        const size_t n = all_at_once ? text.size() : std::min(text.size() - at, random.length(most));
        must(sides.update(text.data() + at, n, &out, random.once_in(2)), sides.name() + ": no update");
        at += n;
        if (random.once_in(8)) sides.duplicate();
    }
    return out;
}

void aad_in_pieces(Sides &sides, Random &random, const Octets &aad) {
    for (size_t at = 0; at < aad.size();) {
        const size_t n = std::min(aad.size() - at, 1 + random.length(random.once_in(2) ? aad.size() : 20));
        must(sides.aad(aad.data() + at, n), "no AAD");
        at += n;
        if (random.once_in(8)) sides.duplicate();
    }
}

// GCM, ChaCha20-Poly1305.
void aead(Sides &sides, Random &random, bool gcm) {
    const Octets key = random.octets(sides.key_bytes()), text = random.octets(random.length(most_text)),
                 aad = random.octets(random.once_in(3) ? 0 : random.length(random.once_in(4) ? 300 : 70));
    const size_t iv_bytes = gcm && random.once_in(3) ? 1 + random.below(80) : 12, tag_bytes = 4 + random.below(13);
    const Octets iv = random.octets(iv_bytes);
    const auto begin = [&](bool seals) {
        if (random.once_in(2)) {
            must(sides.init(seals, nullptr, nullptr), "init");
            must(sides.control(EVP_CTRL_AEAD_SET_IVLEN, int(iv_bytes), nullptr), "IV's length");
            if (random.once_in(2)) {
                must(sides.init(seals, nullptr, iv.data(), false), "IV first");
                must(sides.init(seals, key.data(), nullptr, false), "then the key");
            } else {
                must(sides.init(seals, key.data(), nullptr, false), "key first");
                must(sides.init(seals, nullptr, iv.data(), false), "then the IV");
            }
        } else {
            must(sides.init(seals, nullptr, nullptr), "init");
            must(sides.control(EVP_CTRL_AEAD_SET_IVLEN, int(iv_bytes), nullptr), "IV's length");
            must(sides.init(seals, key.data(), iv.data(), false), "key and IV");
        }
    };
    begin(true);
    aad_in_pieces(sides, random, aad);
    const Octets sealed = in_pieces(sides, random, text);
    must(sides.final(), "final");
    const Octets tag = sides.tag(tag_bytes);
    if (gcm) sides.same_octets(OSSL_CIPHER_PARAM_IV, iv_bytes);
    for (const bool damaged : {false, true}) {
        begin(false);
        Octets given = tag;
        if (damaged) given[random.below(tag_bytes)] ^= uint8_t(1 << random.below(8));
        const bool early = random.once_in(2);
        if (early) must(sides.control(EVP_CTRL_AEAD_SET_TAG, int(tag_bytes), given.data()), "tag");
        aad_in_pieces(sides, random, aad);
        must(in_pieces(sides, random, sealed) == text, sides.name() + ": opened to another text");
        if (!early) must(sides.control(EVP_CTRL_AEAD_SET_TAG, int(tag_bytes), given.data()), "tag");
        must(sides.final() == !damaged, sides.name() + ": a damaged tag");
    }
}

// Records of TLS 1.2.
void aead_record(Sides &sides, Random &random, size_t explicit_iv) {
    const Octets key = random.octets(sides.key_bytes());
    Octets iv = random.octets(12), head = random.octets(13);
    const size_t n = random.length(std::min<size_t>(most_text, 16384));
    const size_t tag_bytes = 16, sealed_bytes = explicit_iv + n + tag_bytes;
    const auto begin = [&](bool seals) {
        must(sides.init(seals, nullptr, nullptr), "init");
        if (explicit_iv) {
            must(sides.init(seals, key.data(), nullptr, false), "key");
            must(sides.control(EVP_CTRL_GCM_SET_IV_FIXED, -1, iv.data()), "whole IV");
        } else {
            must(sides.init(seals, key.data(), nullptr, false), "key");
            must(sides.control(EVP_CTRL_AEAD_SET_IV_FIXED, 12, iv.data()), "fixed IV");
        }
    };
    const auto announce = [&](size_t bytes) {
        head[11] = uint8_t(bytes >> 8);
        head[12] = uint8_t(bytes);
        must(sides.control(EVP_CTRL_AEAD_TLS1_AAD, 13, head.data()), "tlsaad");
    };
    std::vector<Octets> records;
    begin(true);
    for (size_t i = 0; i < 3; i++) {
        Octets record = random.octets(sealed_bytes), out;
        announce(explicit_iv + n);
        must(sides.update(record.data(), sealed_bytes, &out, true), sides.name() + ": no record");
        must(out.size() == sealed_bytes, "length of a record");
        records.push_back(out);
        if (random.once_in(3)) sides.duplicate();
    }
    begin(false);
    for (Octets record : records) {
        const bool damaged = random.once_in(3);
        if (damaged) record[random.below(record.size())] ^= 0x40;
        announce(sealed_bytes);
        // what is in the buffer beside the text is of no account
        Octets out;
        const int opened = sides.update(record.data(), sealed_bytes, &out, true, false);
        must(opened == !damaged, sides.name() + ": a damaged record");
        must(!opened || out.size() == n, "length of a text");
    }
}

void ctr(Sides &sides, Random &random) {
    const Octets key = random.octets(sides.key_bytes()), text = random.octets(random.length(most_text));
    Octets iv = random.octets(16);
    if (random.once_in(3)) std::fill(iv.begin() + long(random.below(16)), iv.end(), 0xff);
    must(sides.init(random.once_in(2), key.data(), iv.data()), "init");
    in_pieces(sides, random, text);
    sides.same_octets(OSSL_CIPHER_PARAM_UPDATED_IV, 16);
    sides.same_octets(OSSL_CIPHER_PARAM_IV, 16);
    must(sides.final(), "final");
}

// A message, sealed or opened, from a buffer into itself, of which both sides keep their own: pieces go on in it where
// the ones before have ended.
Octets in_one_buffer(Sides &sides, Random &random, const Octets &text, int *ended) {
    Octets buffers[2] = {text, text};
    const size_t most = random.once_in(3) ? text.size() : 1 + random.length(60);
    int written[2] = {0, 0};
    for (Octets &buffer : buffers) buffer.resize(text.size() + 32, 0xa5);
    for (size_t at = 0, n; at < text.size(); at += n) {
        n = std::min(text.size() - at, 1 + random.length(most));
        for (int i = 0; i < 2; i++) {
            int more = 0;
            must(EVP_CipherUpdate(sides.context(i), buffers[i].data() + written[i], &more, buffers[i].data() + at,
                                  int(n)) > 0,
                 sides.name() + ": no update in one buffer");
            written[i] += more;
        }
        must(written[0] == written[1], sides.name() + ": another length in one buffer");
    }
    int results[2];
    for (int i = 0; i < 2; i++) {
        int more = 0;
        results[i] = EVP_CipherFinal_ex(sides.context(i), buffers[i].data() + written[i], &more);
        if (results[i] > 0) written[i] += more;
        else ERR_clear_error();
        buffers[i].resize(size_t(written[i]));
    }
    must(results[0] == results[1] && buffers[0] == buffers[1], sides.name() + ": another end in one buffer");
    *ended = results[0] > 0;
    return buffers[0];
}

void cbc(Sides &sides, Random &random) {
    const Octets key = random.octets(sides.key_bytes()), iv = random.octets(16);
    const bool pads = !random.once_in(3);
    const Octets text =
        random.octets(random.length(most_text) / (pads || random.once_in(4) ? 1 : 16) * (pads ? 1 : 16));
    const auto begin = [&](bool seals) {
        must(sides.init(seals, key.data(), random.once_in(2) ? iv.data() : nullptr), "init");
        must(sides.init(seals, nullptr, iv.data(), false), "IV");
        must(sides.number(OSSL_CIPHER_PARAM_PADDING, pads), "padding");
    };
    const auto pieces = [&](bool seals, const Octets &from, Octets *to) {
        begin(seals);
        int ended = 0;
        if (random.once_in(3)) {
            *to = in_one_buffer(sides, random, from, &ended);
        } else {
            const size_t most = random.once_in(3) ? from.size() : 1 + random.length(70);
            for (size_t at = 0, n; at < from.size(); at += n) {
                n = std::min(from.size() - at, random.length(most));
                // elsewhere the output would run over input that is still to come
                const bool in_place = !at && random.once_in(2);
                must(sides.update(from.data() + at, n, to, in_place), sides.name() + ": no update");
                if (random.once_in(8)) sides.duplicate();
            }
            ended = sides.final(to);
        }
        sides.same_octets(OSSL_CIPHER_PARAM_IV, 16);
        return ended;
    };
    Octets sealed, opened, other;
    const int ended = pieces(true, text, &sealed);
    must(ended == (pads || text.size() % 16 == 0), sides.name() + ": a text of parts of blocks");
    if (!ended) return;
    sides.same_octets(OSSL_CIPHER_PARAM_UPDATED_IV, 16);
    must(pieces(false, sealed, &opened) && opened == text, sides.name() + ": opened to another text");
    if (sealed.empty()) return;
    if (random.once_in(2)) sealed.resize(random.below(sealed.size()) / 16 * 16 + 16 * random.below(2));
    if (!sealed.empty()) sealed[random.below(sealed.size())] ^= uint8_t(1 + random.below(255));
    pieces(false, sealed, &other);  // whatever comes of it
}

// Records of all versions, as libssl seals and opens them: MAC behind the text, padding by the cipher.
void cbc_record(Sides &sides, Random &random) {
    constexpr unsigned VERSIONS[] = {0x0300, 0x0301, 0x0302, 0x0303, 0xfeff, 0xfefd, 0x0100};
    constexpr size_t MACS[] = {0, 16, 20, 32, 48, 64};
    const unsigned version = VERSIONS[random.below(7)];
    size_t mac_bytes = MACS[random.below(6)];
    const size_t explicit_iv = version > 0x0301 || version == 0x0100 ? 16 : 0;
    const Octets key = random.octets(sides.key_bytes()), iv = random.octets(16);
    const auto begin = [&](bool seals) {
        must(sides.init(seals, key.data(), iv.data()), "init");
        must(sides.both("tls-mac-size",
                        [&](EVP_CIPHER_CTX *c, const EVP_CIPHER *) {
                            unsigned number = version;
                            const OSSL_PARAM params[] = {
                                OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &number),
                                OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_bytes),
                                OSSL_PARAM_END};
                            return EVP_CIPHER_CTX_set_params(c, params);
                        }),
             "tls-version");
    };
    const Octets text = random.octets(explicit_iv + random.length(std::min<size_t>(most_text, 16384)) + mac_bytes);
    Octets sealed, opened;
    begin(true);
    must(sides.update(text.data(), text.size(), &sealed, true), sides.name() + ": no record");
    must(!sides.final(), "records have no end");
    for (int i = 0; i < 4; i++) {
        Octets record = sealed;
        const size_t damage = i ? random.below(6) : 5;
        if (damage == 0) record.resize(16 * (1 + random.below(record.size() / 16)));
        if (damage <= 1) record[random.below(record.size())] ^= uint8_t(1 + random.below(255));
        if (damage == 2 && record.size() > 16)
            record[record.size() - 17] ^= uint8_t(1 + random.below(255));  // the padding's length
        if (damage == 3) record.resize(16 * (1 + random.below(2)));
        if (damage == 4) {  // a long padding
            Octets longer(text);
            longer.resize(text.size() / 16 * 16 + 16 * (2 + random.below(14)));
            std::fill(longer.begin() + long(text.size()), longer.end(), uint8_t(longer.size() - text.size() - 1));
            record.resize(longer.size() + 16);
            EVP_CIPHER_CTX *const plain = EVP_CIPHER_CTX_new();
            int written = 0;
            must(EVP_EncryptInit_ex2(plain, sides.cipher(1), key.data(), iv.data(), nullptr) > 0, "init");
            must(EVP_EncryptUpdate(plain, record.data(), &written, longer.data(), int(longer.size())) > 0, "update");
            EVP_CIPHER_CTX_free(plain);
            record.resize(size_t(written));
        }
        begin(false);
        opened.clear();
        const int done = sides.update(record.data(), record.size(), &opened, true);
        // OpenSSL 3.0's own copy would share the MAC's memory with the first, and both would free it
        if (random.once_in(4)) sides.duplicate(0);
        if (damage != 5 && !(damage == 4 && version != 0x0300)) continue;
        const size_t n = text.size() - explicit_iv - mac_bytes;
        must(done && opened.size() == n, sides.name() + ": length of an opened record");
        for (int side = 0; side < 2 && mac_bytes; side++) {
            const void *mac = nullptr;
            OSSL_PARAM params[] = {
                OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, const_cast<void **>(&mac), mac_bytes),
                OSSL_PARAM_END};
            must(EVP_CIPHER_CTX_get_params(sides.context(side), params) > 0 && mac, sides.name() + ": no tls-mac");
            must(params[0].return_size == mac_bytes, sides.name() + ": length of tls-mac");
            must(!memcmp(mac, text.data() + explicit_iv + n, mac_bytes), sides.name() + ": another tls-mac");
        }
    }
    sides.reset();
}

void xts(Sides &sides, Random &random) {
    const Octets key = random.octets(sides.key_bytes()), iv = random.octets(16);
    must(sides.init(random.once_in(2), key.data(), iv.data()), "init");
    for (int i = 0; i < 3; i++) {
        const Octets text = random.octets(random.length(most_text));
        if (text.empty()) continue;
        Octets out;
        must(sides.update(text.data(), text.size(), &out, random.once_in(2)) == (text.size() >= 16), "data unit");
        if (random.once_in(3)) sides.duplicate();
    }
}

void ccm(Sides &sides, Random &random) {
    const size_t iv_bytes = 7 + random.below(7), tag_bytes = 4 + 2 * random.below(7);
    const size_t most = iv_bytes < 13 ? most_text : std::min<size_t>(most_text, 65534);  // 2 bytes for the length
    const Octets key = random.octets(sides.key_bytes()), text = random.octets(1 + random.length(most)),
                 aad = random.octets(random.once_in(2) ? 0 : random.length(200));
    const Octets iv = random.octets(iv_bytes);
    const auto begin = [&](bool seals, uint8_t *tag) {
        must(sides.init(seals, nullptr, nullptr), "init");
        must(sides.control(EVP_CTRL_AEAD_SET_IVLEN, int(iv_bytes), nullptr), "IV's length");
        must(sides.control(EVP_CTRL_AEAD_SET_TAG, int(tag_bytes), tag), "tag");
        must(sides.init(seals, key.data(), iv.data(), false), "key and IV");
        if (!aad.empty() || random.once_in(2)) must(sides.aad(nullptr, text.size()), "length");
        if (random.once_in(4)) sides.duplicate();
        if (!aad.empty()) must(sides.aad(aad.data(), aad.size()), "AAD");
        if (random.once_in(4)) sides.duplicate();
    };
    Octets sealed, opened;
    begin(true, nullptr);
    must(sides.update(text.data(), text.size(), &sealed, random.once_in(2)), "text");
    must(sides.final(), "final");
    Octets tag = sides.tag(tag_bytes);
    begin(false, tag.data());
    must(sides.update(sealed.data(), sealed.size(), &opened, random.once_in(2)), "opening");
    must(opened == text, sides.name() + ": opened to another text");
    tag[random.below(tag_bytes)] ^= 1;
    begin(false, tag.data());
    must(!sides.update(sealed.data(), sealed.size(), nullptr, random.once_in(2)), "a damaged tag");
}

// Records of TLS 1.0 to 1.2, CBC with HMAC.
void stitched(Sides &sides, Random &random) {
    const Octets key = random.octets(sides.key_bytes()), iv = random.octets(16);
    Octets mac_key = random.octets(1 + random.below(64)), head = random.octets(13);
    const unsigned version = 0x0301 + unsigned(random.below(3));
    const size_t explicit_iv = version > 0x0301 ? 16 : 0;
    head[9] = uint8_t(version >> 8);
    head[10] = uint8_t(version);
    const bool told = random.once_in(2);
    const auto begin = [&](bool seals) {
        const bool first = random.once_in(2);
        must(sides.init(seals, nullptr, nullptr), "init");
        must(sides.init(seals, key.data(), first ? iv.data() : nullptr, false), "key");
        must(sides.control(EVP_CTRL_AEAD_SET_MAC_KEY, int(mac_key.size()), mac_key.data()), "MAC key");
        if (!first) must(sides.init(seals, nullptr, iv.data(), false), "IV");
    };
    std::vector<Octets> texts, records;
    begin(true);
    for (size_t i = 0; i < 3; i++) {
        const size_t n = random.length(std::min<size_t>(most_text, 16384));
        head[11] = uint8_t((n + explicit_iv) >> 8);
        head[12] = uint8_t(n + explicit_iv);
        int pads[2];
        for (int side = 0; side < 2; side++) {
            Octets copy = head;
            pads[side] = EVP_CIPHER_CTX_ctrl(sides.context(side), EVP_CTRL_AEAD_TLS1_AAD, 13, copy.data());
        }
        must(pads[0] == pads[1] && pads[0] > 0, sides.name() + ": tls1-aad tells another padding");
        Octets record = random.octets(explicit_iv + n + size_t(pads[0])), out;
        must(sides.update(record.data(), record.size(), &out, random.once_in(2)), "record");
        texts.emplace_back(record.begin() + long(explicit_iv), record.begin() + long(explicit_iv + n));
        records.push_back(out);
        if (random.once_in(3)) sides.duplicate();
    }
    begin(false);
    if (told) must(sides.number(OSSL_CIPHER_PARAM_TLS_VERSION, version), "tls-version");
    bool lost = false;  // in TLS 1.0 a record that was damaged changes the next one's IV
    for (size_t i = 0; i < records.size(); i++) {
        Octets record = records[i], out;
        const bool damaged = random.once_in(3);
        if (damaged) record[explicit_iv + random.below(record.size() - explicit_iv)] ^= uint8_t(1 + random.below(255));
        const size_t n = texts[i].size();
        head[11] = uint8_t(n >> 8);
        head[12] = uint8_t(n);
        must(sides.control(EVP_CTRL_AEAD_TLS1_AAD, 13, head.data()), "tls1-aad");
        const int opened = sides.update(record.data(), record.size(), &out, true, false);
        must(opened == !(damaged || lost), sides.name() + ": damaged record");
        lost = !explicit_iv && (damaged || lost);
        if (!opened) break;  // a connection ends with it
        must(out.size() == (told ? n : record.size()), sides.name() + ": length of an opened record");
        if (!told) must(!memcmp(out.data() + explicit_iv, texts[i].data(), n), sides.name() + ": another text");
    }
}

// Multiblock: sealed by the provider, opened one by one by default.
void many(Sides &sides, Random &random) {
    const Octets key = random.octets(sides.key_bytes()), iv(16);
    Octets mac_key = random.octets(20), head = random.octets(13);
    const unsigned version = 0x0302 + unsigned(random.below(2)), records = random.once_in(2) ? 4 : 8;
    const size_t fragment = 1024 + random.below(16384 - 1024 + 1), n = records * fragment;
    const Octets text = random.octets(n);
    head[9] = uint8_t(version >> 8);
    head[10] = uint8_t(version);
    EVP_CIPHER_CTX *const c = sides.context(0), *const other = sides.context(1);
    must(EVP_CipherInit_ex(c, sides.cipher(0), nullptr, key.data(), iv.data(), 1) > 0, "init");
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_MAC_KEY, int(mac_key.size()), mac_key.data()) > 0, "MAC key");
    const int most = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_TLS1_1_MULTIBLOCK_MAX_BUFSIZE, int(fragment), nullptr);
    EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM param;
    head[11] = head[12] = 0;
    param.out = nullptr;
    param.inp = head.data();
    param.len = n;
    param.interleave = records;
    const int packed = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof(param), &param);
    must(packed > 0 && packed <= most * int(records) && param.interleave == records, sides.name() + ": packed length");
    Octets out(size_t(packed) + 64, 0xa5);
    param.out = out.data();
    param.inp = text.data();
    param.len = n;
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof(param), &param) == packed, "sealed length");
    for (size_t i = 0; i < 64; i++) must(out[size_t(packed) + i] == 0xa5, sides.name() + ": writes behind the records");
    must(EVP_CipherInit_ex(other, sides.cipher(1), nullptr, key.data(), iv.data(), 0) > 0, "init");
    must(EVP_CIPHER_CTX_ctrl(other, EVP_CTRL_AEAD_SET_MAC_KEY, int(mac_key.size()), mac_key.data()) > 0, "MAC key");
    uint8_t *at = out.data();
    std::vector<Octets> ivs;
    for (unsigned i = 0; i < records; i++) {
        const size_t length = size_t(at[3]) << 8 | at[4];
        must(at[0] == head[8] && at[1] == head[9] && at[2] == head[10], sides.name() + ": header");
        Octets aad = head;
        aad[11] = uint8_t(length >> 8);
        aad[12] = uint8_t(length);
        must(EVP_CIPHER_CTX_ctrl(other, EVP_CTRL_AEAD_TLS1_AAD, 13, aad.data()) > 0, "tls1-aad");
        ivs.emplace_back(at + 5, at + 21);
        int written;
        must(EVP_CipherUpdate(other, at + 5, &written, at + 5, int(length)) > 0, sides.name() + ": default refuses");
        must(!memcmp(at + 21, text.data() + i * fragment, fragment), sides.name() + ": another text");
        at += 5 + length;
        for (int j = 7; j >= 0 && !++head[size_t(j)]; j--) continue;
    }
    must(at == out.data() + packed, sides.name() + ": records have another length");
    std::sort(ivs.begin(), ivs.end());
    must(std::adjacent_find(ivs.begin(), ivs.end()) == ivs.end(), sides.name() + ": an IV twice");
}

void message(Sides &sides, Random &random) {
    const std::string &name = sides.name();
    const auto has = [&](const char *part) { return name.find(part) != std::string::npos; };
    if (has("GCM") || has("ChaCha")) {
        if (random.once_in(4)) aead_record(sides, random, has("GCM") ? 8 : 0);
        else aead(sides, random, has("GCM"));
    } else if (has("CTR")) {
        ctr(sides, random);
    } else if (has("XTS")) {
        xts(sides, random);
    } else if (has("CCM")) {
        ccm(sides, random);
    } else if (!has("HMAC")) {
        if (random.once_in(2)) cbc_record(sides, random);
        else cbc(sides, random);
    } else if (random.once_in(4)) {
        many(sides, random);
    } else {
        stitched(sides, random);
    }
}

int work(int argc, char **argv) {
    if (argc < 4) fail("openssl-ciphers CIPHER SEED MESSAGES [MOST]");
    if (argc > 4) most_text = size_t(atoll(argv[4]));
    const long messages = atol(argv[3]);
    Sides sides(argv[1]);
    sides.same_numbers();
    for (long i = 0; i < messages; i++) {
        Random random(uint64_t(atoll(argv[2])) * 1000003 + uint64_t(i));
        message(sides, random);
    }
    printf("%ld messages\n", messages);
    return 0;
}

}  // namespace

int main(int argc, char **argv) { return Program::run(work, argc, argv); }
