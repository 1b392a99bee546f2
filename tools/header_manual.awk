# The manual page cryptostitch(3) (man(7)) of the header, whose comments are the text:
# awk -v version=VERSION -v names="$(awk -v list=1 -f header_manual.awk cryptostitch.h)" -f header_manual.awk FILE
# With list=1 it prints the names of the functions, each of which is a page that leads to this one.
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/) text = "\\&" text
    return text
}
function begin(next_mode) {
    if (mode == next_mode) return
    if (mode == "code") print ".fi\n.RE"
    if (next_mode == "code") print ".RS 2\n.nf"
    mode = next_mode
}
function text(line) {
    sub(/^ \* ?/, "", line)
    if (line ~ /^-+$/) return
    if (line == "") { print ".PP"; return }
    if (line ~ /^(    |  )/) {
        begin("code")
        print roff(line)
        return
    }
    begin("text")
    print roff(line)
}
list {
    if (match($0, /^CST_API .*cst_[a-z_0-9]+\(/)) {
        name = substr($0, 1, RLENGTH - 1)
        sub(/.*[ *]/, "", name)
        print name
    }
    next
}
function head() {
    gsub(/[ \n]+/, ", ", names)
    sub(/, $/, "", names)
    printf ".TH CRYPTOSTITCH 3 \"\" \"cryptostitch %s\" \"Library Functions\"\n.SH NAME\n", version
    printf "cryptostitch, %s \\- stitched and multi\\-buffer encryption and authentication\n", names
    print ".SH SYNOPSIS\n.nf\n#include <cryptostitch/cryptostitch.h>\n\ncc ... \\-lcryptostitch\n.fi\n.SH DESCRIPTION\n.ad l\n.nh"
    mode = "text"
}
BEGIN { if (!list) head() }
# what only compilers need
/^#(ifndef|ifdef|if|else|endif|include)/ || /^#define (CRYPTOSTITCH_H|CST_API)/ || /^extern "C"/ || /^}$/ { next }
/^\/\* ---- / {
    begin("text")
    sub(/^\/\* -+ /, "")
    sub(/ -+.*/, "")
    printf ".SH %s\n", toupper(roff($0))
    in_comment = 1
    next
}
in_comment {
    ended = /\*\//
    sub(/ *\*\/.*/, "")
    if (!ended || $0 !~ /^ *$/) text($0)
    if (ended) in_comment = 0
    next
}
/^\/\*/ {
    ended = /\*\//
    sub(/^\/\* ?/, "")
    sub(/ *\*\/.*/, "")
    begin("text")
    print ".PP"
    text($0)
    in_comment = !ended
    next
}
/^$/ { begin("text"); print ".PP"; next }
{
    sub(/^CST_API /, "")
    begin("code")
    print roff($0)
}
END { if (!list) begin("text") }
