// openssl-orders CIPHER SEED SEQUENCES [all]: calls in any order, sensible or not, on the provider and on `default`,
// which OPENSSL_CONF activates. Ends with 1 and the calls at the first difference that integrations/openssl/README.md
// does not list ("What is different from `default`"): calls that it lists are left out, or end a sequence. all: they
// are made too, and a difference must be found.
#include "openssl_jobs.hpp"

namespace {

struct Call {
    enum Kind { INIT, IV_LENGTH, SET_TAG, GET_TAG, PADDING, AAD, LENGTH, UPDATE, FINAL, COPY, IV, HEAD, RECORD, FIXED };
    static constexpr const char *NAMES[] = {"init",   "ivlen", "set-tag", "get-tag", "padding", "aad",    "length",
                                            "update", "final", "copy",    "iv",      "head",    "record", "fixed"};
    Kind kind;
    int number = 0;  // of bytes; INIT: the direction, or -1; IV: 1 is the updated one
    const uint8_t *key = nullptr, *iv = nullptr;
    bool in_place = false, with_data = false;
    Octets data = {};
};

struct Answer {
    bool done = false;
    int written = 0;
    Octets out = {};
    Errors errors = {};
    bool operator==(const Answer &other) const {
        return done == other.done && (done ? written == other.written && out == other.out : errors.equal(other.errors));
    }
};

// checks: whether a call that succeeds has left no error; default of 3.5 leaves one.
Answer answer(EVP_CIPHER_CTX **context, const Call &call, bool checks) {
    EVP_CIPHER_CTX *const c = *context;
    const uint8_t *const data = call.data.data();
    Octets out(size_t(std::max(call.number, 16)) + 64, 0xa5);
    int result = 0, written = 0, told = 0;  // told: bytes of `out` that are an answer
    switch (call.kind) {
        case Call::INIT: result = EVP_CipherInit_ex2(c, nullptr, call.key, call.iv, call.number, nullptr); break;
        case Call::IV_LENGTH: result = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, call.number, nullptr); break;
        case Call::SET_TAG:
            result = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, call.number,
                                         call.with_data ? const_cast<uint8_t *>(data) : nullptr);
            break;
        case Call::GET_TAG:
            result = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, told = call.number, out.data());
            break;
        case Call::PADDING: result = EVP_CIPHER_CTX_set_padding(c, call.number); break;
        case Call::AAD: result = EVP_CipherUpdate(c, nullptr, &written, data, call.number); break;
        case Call::LENGTH: result = EVP_CipherUpdate(c, nullptr, &written, nullptr, call.number); break;
        case Call::UPDATE:
        case Call::RECORD:
            if (call.in_place) memcpy(out.data(), data, size_t(call.number));
            result = EVP_CipherUpdate(c, out.data(), &written, call.in_place ? out.data() : data, call.number);
            told = written;
            break;
        case Call::FINAL:
            result = EVP_CipherFinal_ex(c, out.data(), &written);
            told = written;
            break;
        case Call::COPY: {
            EVP_CIPHER_CTX *const made = EVP_CIPHER_CTX_new();
            result = EVP_CIPHER_CTX_copy(made, c);
            EVP_CIPHER_CTX_free(c);
            *context = made;
            break;
        }
        case Call::IV: {
            const int n = EVP_CIPHER_CTX_get_iv_length(c);
            OSSL_PARAM params[] = {
                OSSL_PARAM_construct_octet_string(call.number ? OSSL_CIPHER_PARAM_UPDATED_IV : OSSL_CIPHER_PARAM_IV,
                                                  out.data(), size_t(n)),
                OSSL_PARAM_END};
            result = EVP_CIPHER_CTX_get_params(c, params);
            told = n;
            break;
        }
        case Call::HEAD: {
            uint8_t head[13];
            memcpy(head, data, 9);
            head[9] = head[10] = 3;
            head[11] = 0;
            head[12] = uint8_t(call.number);
            result = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head);
            break;
        }
        case Call::FIXED:
            result = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, call.number, const_cast<uint8_t *>(data));
            break;
    }
    if (result <= 0) return {};  // with the errors that there are
    if (checks) must(true, Call::NAMES[call.kind]);
    out.resize(size_t(told));
    return {true, written, out};
}

// Whether `default` seals the empty text of CCM when a message ends without one, so that its tag can be fetched.
// Releases differ: 3.0.19 does not, those from 3.0.22 on do.
bool seals_at_the_end() {
    const uint8_t zeros[16] = {};
    uint8_t tags[2][16] = {};
    for (int with_text = 0; with_text < 2; with_text++) {
        EVP_CIPHER *const cipher = EVP_CIPHER_fetch(nullptr, "AES-128-CCM", "provider=default");
        EVP_CIPHER_CTX *const c = EVP_CIPHER_CTX_new();
        uint8_t out[16];
        int written = 0;
        must(EVP_CipherInit_ex2(c, cipher, zeros, zeros, 1, nullptr) > 0 &&
                 (!with_text || EVP_CipherUpdate(c, out, &written, zeros, 0) > 0) &&
                 EVP_CipherFinal_ex(c, out, &written) > 0,
             "default does not seal an empty text");
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 12, tags[with_text]);
        ERR_clear_error();
        EVP_CIPHER_CTX_free(c);
        EVP_CIPHER_free(cipher);
    }
    return !memcmp(tags[0], tags[1], sizeof(tags[0]));
}

// What the calls so far have made of a context, as far as differences hang on it.
struct State {
    bool seals = true;
    bool key = false, key_seals = true;  // a key was given, and in which direction
    bool iv = false;                     // an IV was given; CCM: and default would still use it
    bool aad = false, text = false, ended = false;  // since then
    bool told = false;                   // CCM: the text's length, and not the text
    bool head = false, records = false;  // a head of a record, that comes next; at any time under this IV
    bool sealed = false;                 // CCM: a text, and its tag was not fetched
    bool opened = false;                 // CCM: a text, whose tag was right
    bool stale = false;                  // CCM: the tag's length was changed behind the key
    bool tag = false;                    // one to compare with
    bool given = false;                  // CCM: one to compare with, that default has not used or reported yet
    bool made = false;                   // GCM, ChaCha20-Poly1305: a message was sealed since that was given
    bool fixed = false;                  // GCM: an invocation field; default writes in front of a shorter IV
    int iv_bytes = 0, tag_bytes = 12, head_bytes = 0;
};

class Sequence {
public:
    // unlisted: calls that differ as the README says are left out.
    // at_the_end: what seals_at_the_end() says.
    Sequence(const char *name, Random *random, bool unlisted, bool at_the_end)
        : name_(name), unlisted_(unlisted), random_(*random), seals_at_the_end_(at_the_end) {
        const auto has = [&](const char *part) { return name_.find(part) != std::string::npos; };
        gcm_ = has("GCM");
        ccm_ = has("CCM");
        chacha_ = has("ChaCha");
        cbc_ = has("CBC");
        xts_ = has("XTS");
        const char *const query[] = {"provider=cryptostitch", "provider=default"};
        state_.seals = random_.once_in(2);
        for (int i = 0; i < 2; i++) {
            EVP_CIPHER *const cipher = EVP_CIPHER_fetch(nullptr, name, query[i]);
            must(cipher, name_ + " is not there: " + query[i]);
            contexts_[i] = EVP_CIPHER_CTX_new();
            must(EVP_CipherInit_ex2(contexts_[i], cipher, nullptr, nullptr, state_.seals, nullptr) > 0, "no context");
            EVP_CIPHER_free(cipher);
        }
        state_.iv_bytes = EVP_CIPHER_CTX_get_iv_length(contexts_[0]);
        log_ = state_.seals ? "seals" : "opens";
        for (Octets &key : keys_) key = random_.octets(64);
        for (Octets &iv : ivs_) iv = random_.octets(32);
    }
    ~Sequence() {
        for (EVP_CIPHER_CTX *context : contexts_) EVP_CIPHER_CTX_free(context);
    }
    Sequence(const Sequence &) = delete;
    Sequence &operator=(const Sequence &) = delete;

    // How many calls were compared.
    long run() {
        long calls = 0;
        for (size_t n = 2 + random_.below(12); n; n--) {
            const Call call = draw();
            if (crashes(call) || (unlisted_ && differs(call))) continue;
            Answer answers[2];
            for (int i = 0; i < 2; i++) answers[i] = answer(&contexts_[i], call, i == 0);
            log_ += std::string(" | ") + Call::NAMES[call.kind] + " " + std::to_string(call.number) +
                    (call.key ? " key" : "") + (call.iv ? " iv" : "") + (call.with_data ? " data" : "") +
                    (call.in_place ? " in place" : "");
            must(answers[0] == answers[1],
                 name_ + ": " + log_ + " is " + text_of(answers[0]) + ", not " + text_of(answers[1]));
            calls++;
            log_ += answers[0].done ? "" : " (refused)";
            if (!follow(call, answers[0].done)) break;
        }
        return calls;
    }

private:
    static std::string text_of(const Answer &answer) {
        if (!answer.done) return "refused with " + answer.errors.text();
        std::string text = std::to_string(answer.written) + ":";
        for (const uint8_t octet : answer.out) {
            constexpr char DIGITS[] = "0123456789abcdef";
            text += {DIGITS[octet >> 4], DIGITS[octet & 15]};
        }
        return text;
    }

    Call draw() {
        constexpr int LENGTHS[] = {0, 1, 7, 15, 16, 17, 31, 32, 33, 48, 100};
        const int length = LENGTHS[random_.below(11)];
        const size_t dice = random_.below(gcm_ || ccm_ || chacha_ ? 100 : cbc_ ? 72 : 66);
        Call call = {Call::UPDATE, length};
        call.data = random_.octets(200);
        call.in_place = !cbc_ && random_.once_in(2);  // where a part of a block is held, input and output would overlap
        if (dice < 25) {
            call = {Call::INIT, random_.once_in(4) ? -1 : random_.once_in(3) ? int(random_.below(2)) : state_.seals};
            if (!random_.once_in(3)) call.key = keys_[random_.below(3)].data();
            if (!random_.once_in(3)) call.iv = ivs_[random_.below(3)].data();
        } else if (dice < 50) {
            return call;
        } else if (dice < 58) {
            call = {Call::FINAL};
        } else if (dice < 62) {
            call = {Call::COPY};
        } else if (dice < 66) {
            call = {Call::IV, int(random_.below(2))};
        } else if (cbc_) {
            call = {Call::PADDING, int(random_.below(2))};
        } else {
            call.in_place = false;
            if (dice < 70)
                call.kind = Call::IV_LENGTH, call.number = int(ccm_ ? 7 + random_.below(7) : random_.below(20));
            else if (dice < 76) call.kind = Call::SET_TAG, call.with_data = random_.once_in(2);
            else if (dice < 82) call.kind = Call::GET_TAG;
            else if (dice < 88) call.kind = Call::AAD;
            else if (dice < 90) call.kind = ccm_ ? Call::LENGTH : Call::AAD;
            else if (dice < 92) call.kind = Call::FIXED, call.number = gcm_ ? -1 : ccm_ ? 4 : 12;
            else if (dice < 95) call.kind = Call::HEAD, call.number = 24 + int(random_.below(60));
            else call.kind = Call::RECORD, call.in_place = true, call.number = 48 + int(random_.below(60));
            if (state_.head && random_.once_in(2)) call.kind = Call::RECORD, call.in_place = true, call.number = length;
            if (call.kind == Call::RECORD && state_.head && !random_.once_in(4))
                call.number = state_.head_bytes + (state_.seals ? 16 : 0);
            if (call.kind == Call::SET_TAG || call.kind == Call::GET_TAG)
                call.number = random_.once_in(3) ? 16 : random_.once_in(2) ? 12 : int(random_.below(18));
        }
        return call;
    }

    bool aead() const { return gcm_ || ccm_ || chacha_; }

    // Whether default crashes then, or later, or writes where it must not.
    bool crashes(const Call &call) const {
        return (call.kind == Call::COPY && xts_ && !state_.key) ||
               (call.kind == Call::IV_LENGTH && gcm_ && state_.fixed);
    }

    // Whether it is one of the differences that the README lists, or the start of one.
    bool differs(const Call &call) const {
        const State &s = state_;
        const bool takes = call.kind == Call::AAD || call.kind == Call::LENGTH || call.kind == Call::UPDATE ||
                           call.kind == Call::RECORD || call.kind == Call::FINAL;
        if (call.kind == Call::INIT) return init_differs(call);
        if (call.kind == Call::IV) return chacha_ || (gcm_ && s.seals && !s.iv);  // from 4.0 on one is drawn by lot
        if (call.kind == Call::IV_LENGTH) return ccm_ && (s.key || s.records);
        if (call.kind == Call::SET_TAG)
            return (ccm_ && s.key && call.number != s.tag_bytes && !s.sealed) ||
                   (gcm_ && (s.seals || s.head) && call.with_data);
        if (call.kind == Call::GET_TAG) return s.records || (chacha_ && !s.ended) || (ccm_ && !s.sealed);
        if (call.kind == Call::HEAD && chacha_ && (s.aad || s.text || s.ended || !s.iv)) return true;
        if (call.kind == Call::FIXED && chacha_ && s.head) return true;
        if (call.kind == Call::HEAD || call.kind == Call::FIXED) return s.iv_bytes != 12 && (ccm_ || s.iv_bytes < 8);
        if (!takes) return false;
        if (chacha_ && (!s.key || !s.iv || (s.head && call.kind == Call::AAD))) return true;
        if (ccm_ && call.kind == Call::FINAL && seals_at_the_end_)
            return ends_idly() && (s.records || s.told || !(s.seals || s.opened));
        if (s.head) return ccm_ && s.stale;  // default refuses the record, or its tag is another
        if (gcm_ && s.seals) return !s.iv;  // an IV is drawn by lot
        if (gcm_) return (s.records || s.made) && call.kind == Call::FINAL;  // the place of the tag was another's
        if (ccm_ && call.kind == Call::FINAL) return s.seals ? s.told : !s.opened;  // nothing was opened
        if (ccm_) return s.text || s.records || s.stale;
        if (!chacha_) return false;
        return s.records || s.ended || (call.kind == Call::AAD && s.text) ||
               (call.kind == Call::FINAL && !s.seals && (!s.tag || s.made));
    }

    // CCM: whether an end of default's that seals and opens the empty text finds nothing to do, and succeeds.
    bool ends_idly() const {
        const State &s = state_;
        return s.key && (!s.iv || (s.seals && (s.sealed || s.given)));
    }

    bool init_differs(const Call &call) const {
        const State &s = state_;
        const bool seals = call.number < 0 ? s.seals : call.number != 0;
        if ((cbc_ || xts_ || ccm_) && s.key && !call.key && seals != s.key_seals) return true;
        if (ccm_) return s.told || s.stale || (s.sealed && call.iv);
        return aead() && call.key && !call.iv && (s.aad || s.text) && !s.ended;
    }

    // Takes into the state what a call has done. False: the sequence ends here.
    bool follow(const Call &call, bool done) {
        State &s = state_;
        switch (call.kind) {
            case Call::INIT:
                if (!done) return false;
                if (call.iv || (call.number >= 0 && s.seals != (call.number != 0))) s.opened = false;
                if (call.number >= 0) s.seals = call.number;
                if (call.key) s.key = true, s.key_seals = s.seals;
                if (chacha_ && (call.key || call.iv)) s.head = false;
                if (call.iv) s.iv = true, s.aad = s.text = s.ended = s.told = false, s.records = s.records && !chacha_;
                return true;
            case Call::IV_LENGTH:
                if (done && s.iv_bytes != call.number) s.iv_bytes = call.number, s.iv = s.iv && gcm_;
                return true;
            case Call::SET_TAG:
                s.stale = s.stale || (ccm_ && done && s.key && call.number != s.tag_bytes);
                if (done) s.tag_bytes = call.number, s.tag = s.tag || call.with_data;
                if (done && call.with_data) s.made = false, s.given = ccm_;
                return true;
            case Call::GET_TAG:
                if (done) s.sealed = s.given = false, s.iv = s.iv && !ccm_;
                return true;
            case Call::LENGTH: s.told = s.told || done; return true;
            case Call::AAD:
                s.aad = s.aad || done;
                s.head = s.head && !gcm_;
                return true;
            case Call::UPDATE:
            case Call::RECORD:
                if (s.head) return s.head = false, s.text = s.text || (ccm_ && done), true;
                if (ccm_ && !done) return false;
                s.text = s.text || done;
                s.sealed = s.seals && done;
                s.opened = !s.seals && done;
                if (ccm_ && s.opened) s.iv = s.given = false;
                s.told = false;
                return true;
            case Call::FINAL:
                if (s.head) return s.head = false, true;
                if (ccm_ && done && seals_at_the_end_ && !ends_idly())
                    (s.seals ? s.sealed : s.opened) = true, s.told = false, s.iv = s.seals;
                s.ended = s.ended || done;
                s.made = s.made || ((gcm_ || chacha_) && s.seals && done);
                s.text = s.text || (ccm_ && done);  // under an IV without a text it is the end of the empty one
                s.records = s.records && !(gcm_ && done);
                return done || !s.key || !(cbc_ || (s.iv && aead() && !(ccm_ && s.records)));
            case Call::HEAD:
                if (done) s.head = s.records = true, s.head_bytes = call.number;
                return true;
            case Call::FIXED:
                if (!done || ccm_) return true;
                s.ended = s.ended && chacha_;  // only an init begins behind an end, from 4.0 on default's too
                s.iv = s.fixed = true, s.aad = s.text = false, s.records = s.records || chacha_;
                return true;
            default: return true;
        }
    }

    const std::string name_;
    const bool unlisted_;
    Random &random_;
    bool gcm_, ccm_, chacha_, cbc_, xts_;
    const bool seals_at_the_end_;
    EVP_CIPHER_CTX *contexts_[2];
    Octets keys_[3], ivs_[3];
    State state_;
    std::string log_;
};

int work(int argc, char **argv) {
    if (argc < 4) fail("openssl-orders CIPHER SEED SEQUENCES [all]");
    const long sequences = atol(argv[3]);
    const bool at_the_end = seals_at_the_end();
    long calls = 0;
    for (long i = 0; i < sequences; i++) {
        Random random(uint64_t(atoll(argv[2])) * 1000003 + uint64_t(i));
        calls += Sequence(argv[1], &random, argc == 4, at_the_end).run();
    }
    printf("%ld sequences, %ld calls\n", sequences, calls);
    return 0;
}

}  // namespace

int main(int argc, char **argv) { return Program::run(work, argc, argv); }
