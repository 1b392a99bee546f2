// OpenSSL's error queue, in programs that look whether calls leave on it what they must.
#pragma once

#include <openssl/err.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const std::string &what) {
    fprintf(stderr, "%s\n", what.c_str());
    exit(1);
}

inline std::string error_text(unsigned long error) {
    char text[256];
    ERR_error_string_n(error, text, sizeof(text));
    return text;
}

// A call has succeeded. It leaves no error: libssl takes one for a failure of what it does next.
inline void must(bool right, const std::string &what) {
    if (!right) fail(what + (ERR_peek_last_error() ? ": " + error_text(ERR_peek_last_error()) : ""));
    if (ERR_peek_error()) fail(what + ": succeeds, and leaves " + error_text(ERR_peek_error()));
}
// A call must fail, and has done so.
inline void must_fail(bool right, const std::string &what) {
    if (!right) fail(what);
    ERR_clear_error();
}

// Takes all errors off the queue.
class Errors {
public:
    Errors() {
        while (const unsigned long error = ERR_get_error()) {
            all_.push_back(error);
            // The functions for OSSL_PARAM have errors of their own from 3.2 on, which the provider's have not.
            if (ERR_GET_LIB(error) == ERR_LIB_PROV) told_.push_back(error);
        }
    }
    bool empty() const { return all_.empty(); }
    bool equal(const Errors &other) const { return told_ == other.told_ && empty() == other.empty(); }
    std::string text() const {
        std::string text;
        for (const unsigned long error : all_) text += (text.empty() ? "" : ", ") + error_text(error);
        return all_.empty() ? "no error" : text;
    }

private:
    std::vector<unsigned long> all_, told_;
};
