#include "names.hpp"

#include <cctype>
#include <clocale>
#include <cstring>
#include <cwchar>
#include <cwctype>

namespace sum {
namespace {

struct Escape {
    char byte, letter;
};
constexpr Escape ESCAPES[] = {{'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}};
// The escapes of a shell's $'...'.
constexpr Escape CONTROLS[] = {{'\a', 'a'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'},
                               {'\r', 'r'}, {'\t', 't'}, {'\v', 'v'}};

// Bytes of the printable character at `at`; 0: it is not one.
size_t printable(const std::string &name, size_t at) {
    mbstate_t state = {};
    wchar_t c;
    const size_t n =
        mbrtowc(&c, name.data() + at, name.size() - at, &state);  // NOLINT(concurrency-mt-unsafe): own state
    if (n == 0 || n > name.size() - at) return 0;
    return iswprint(wint_t(c)) ? n : 0;
}

std::string in_dollar_quotes(char byte) {
    for (const Escape &one : CONTROLS)
        if (one.byte == byte) return std::string("\\") + one.letter;
    const auto bits = static_cast<unsigned char>(byte);
    return {'\\', char('0' + (bits >> 6)), char('0' + (bits >> 3 & 7)), char('0' + (bits & 7))};
}

}  // namespace

bool needs_escape(const std::string &name) { return name.find_first_of("\\\n\r") != std::string::npos; }

std::string escaped(const std::string &name) {
    std::string text;
    for (const char byte : name) {
        const char *letter = nullptr;
        for (const Escape &one : ESCAPES)
            if (one.byte == byte) letter = &one.letter;
        if (letter) text += '\\';
        text += letter ? *letter : byte;
    }
    return text;
}

bool unescape(std::string *name) {
    std::string plain;
    for (size_t i = 0; i < name->size(); i++) {
        char byte = (*name)[i];
        if (byte == '\0') return false;
        if (byte == '\\') {
            if (++i == name->size()) return false;
            const char *found = nullptr;
            for (const Escape &one : ESCAPES)
                if (one.letter == (*name)[i]) found = &one.byte;
            if (!found) return false;
            byte = *found;
        }
        plain += byte;
    }
    *name = plain;
    return true;
}

std::string quoted(const std::string &name) {
    constexpr char SPECIAL[] = " !\"$&'()*;<=>?[\\^`{|}~#:", AT_BEGIN[] = "~#", ALONE[] = "{}",
                   IN_DOUBLE[] = " '%+,-./:@]_";
    bool special = name.empty(), controls = false, single = false, in_double = true;
    for (size_t i = 0; i < name.size();) {
        const size_t n = printable(name, i);
        controls |= !n;
        single |= name[i] == '\'';
        // A few characters are special to a shell only at the beginning, or alone.
        const bool begins = n == 1 && strchr(AT_BEGIN, name[i]);
        const bool alone = n == 1 && strchr(ALONE, name[i]);
        if (n == 1 && strchr(SPECIAL, name[i])) special |= (!begins || i == 0) && (!alone || name.size() == 1);
        in_double &= n > 1 || (n == 1 && (isalnum(static_cast<unsigned char>(name[i])) || strchr(IN_DOUBLE, name[i]) ||
                                          (begins && i == 0)));
        i += n ? n : 1;
    }
    if (!special && !controls) return name;
    // As coreutils: double quotes around single ones, where all else means nothing to a shell or to C within them.
    if (single && in_double) return '"' + name + '"';
    std::string text = "'";
    bool dollar = false;
    for (size_t i = 0; i < name.size();) {
        const size_t n = printable(name, i);
        if (!n) {
            text += (dollar ? "" : "'$'") + in_dollar_quotes(name[i]);
            dollar = true;
            i++;
            continue;
        }
        if (dollar) text += "''";
        dollar = false;
        text += name[i] == '\'' ? "'\\''" : name.substr(i, n);
        i += n;
    }
    return text + "'";
}

}  // namespace sum
