#include "lists.hpp"

#include <cctype>
#include <cstring>

#include "names.hpp"
#include "output.hpp"

namespace sum {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Whether the text is n hexadecimal digits; makes them lower-case.
bool digits(std::string *text, size_t n) {
    if (text->size() != n) return false;
    for (char &c : *text) {
        if (!isxdigit(static_cast<unsigned char>(c))) return false;
        c = char(tolower(static_cast<unsigned char>(c)));
    }
    return true;
}

// The tools that this one replaces end a text at a NUL.
std::string up_to_nul(const std::string &text) { return text.substr(0, text.find('\0')); }

bool read_name(bool escapes, std::string *name) {
    if (escapes) return unescape(name);
    *name = up_to_nul(*name);
    return true;
}

constexpr const char *TAGS[] = {"SHA512/256", "SHA512",    "SHA384",   "SHA256",      "SHA224",   "SHA1",
                                "MD5",        "SM3",       "SHA3-224", "SHA3-256",    "SHA3-384", "SHA3-512",
                                "SHAKE128",   "SHAKE256",  "BLAKE2b",  "BLAKE2s-256", "BLAKE3",   "CRC32C",
                                "CRC32",      "CRC64NVME", "ADLER32"};

}  // namespace

const Algorithm *LineReader::tag_at(const std::string &text, size_t at) const {
    const auto begins = [&](const std::string &tag) { return text.compare(at, tag.size(), tag) == 0; };
    if (only_ && usual_->members.empty()) return begins(usual_->tag) ? usual_ : nullptr;
    for (const char *tag : TAGS)
        if (!only_ && begins(tag)) return algorithms_.tagged(tag);
    const Algorithm *longest = nullptr;  // "SHA512/256", not "SHA512"
    for (const Algorithm *one : usual_->members)
        if (begins(one->tag) && (!longest || one->tag.size() > longest->tag.size())) longest = one;
    return longest;
}

const Algorithm *LineReader::untagged_at(const std::string &text, size_t at) const {
    size_t digits = 0;
    while (at + digits < text.size() && isxdigit(static_cast<unsigned char>(text[at + digits]))) digits++;
    for (const Algorithm *one : usual_->members)
        if (2 * one->bytes == digits) return one;
    return usual_;
}

bool LineReader::read(const std::string &text, Line *line) {
    size_t at = 0;
    while (at < text.size() && is_blank(text[at])) at++;
    const bool escapes = at < text.size() && text[at] == '\\';
    if (escapes) at++;
    if (const Algorithm *tagged = tag_at(text, at))
        return read_tagged(text, at + tagged->tag.size(), tagged, escapes, line);
    line->algorithm = untagged_at(text, at);
    const size_t n = 2 * line->algorithm->bytes;
    // The digest and two characters at least: with no mark, the second is a name.
    if (text.size() - at < n + 2 || !is_blank(text[at + n])) return false;
    line->digest = text.substr(at, n);
    if (!digits(&line->digest, n)) return false;
    at += n + 1;
    if (text.size() - at == 1 || (text[at] != ' ' && text[at] != '*')) {
        if (form_ == Form::marked) return false;
        form_ = Form::reversed;
    } else if (form_ != Form::reversed) {
        form_ = Form::marked;
        at++;
    }
    line->name = text.substr(at);
    return read_name(escapes, &line->name);
}

// TAG (NAME) = DIGEST
bool LineReader::read_tagged(const std::string &text, size_t at, const Algorithm *algorithm, bool escapes,
                             Line *line) const {
    line->algorithm = algorithm;
    if (at < text.size() && text[at] == ' ') at++;
    if (at >= text.size() || text[at] != '(') return false;
    at++;
    size_t end = text.rfind(')');
    if (end == std::string::npos || end < at) return false;
    line->name = text.substr(at, end - at);
    if (!read_name(escapes, &line->name)) return false;
    for (end++; end < text.size() && is_blank(text[end]);) end++;
    if (end >= text.size() || text[end] != '=') return false;
    for (end++; end < text.size() && is_blank(text[end]);) end++;
    line->digest = up_to_nul(text.substr(end));
    return digits(&line->digest, 2 * algorithm->bytes);
}

std::string line_of(const Algorithm &algorithm, const std::string &digest, const std::string &name,
                    const Style &style) {
    const bool escapes = !style.zero && needs_escape(name);
    const std::string shown = escapes ? escaped(name) : name, digits = hexadecimal(digest);
    std::string text = escapes ? "\\" : "";
    if (style.tag) text += algorithm.tag + " (" + shown + ") = " + digits;
    else text += digits + (style.binary ? " *" : "  ") + shown;
    return text + (style.zero ? '\0' : '\n');
}

}  // namespace sum
