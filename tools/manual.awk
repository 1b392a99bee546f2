# A manual page (man(7)) of what a program's --help says:
# PROGRAM --help | awk -v name=PROGRAM -v version=VERSION -f manual.awk
# Lines that begin with an option after two or six spaces are options, deeper ones go on with them; what ends with a
# colon begins a section, and the rest is text.
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^ +/, "", text)
    if (text ~ /^[.']/) text = "\\&" text
    return text
}
NR == 1 {
    printf ".TH %s 1 \"\" \"%s %s\" \"User Commands\"\n", toupper(roff(name)), "cryptostitch", version
    sub(/^Usage: [^ ]+ */, "")
    synopsis = $0
    next
}
NR == 2 {
    summary = $0
    sub(/[.]$/, "", summary)
    printf ".SH NAME\n%s \\- %s\n", roff(name), roff(tolower(substr(summary, 1, 1)) substr(summary, 2))
    printf ".SH SYNOPSIS\n.B %s\n%s\n.SH DESCRIPTION\n", roff(name), roff(synopsis)
    next
}
/^$/ { print ".PP"; next }
/^[A-Z].*:$/ { sub(/:$/, ""); print ".SS " roff($0); next }
/^(  |      )--?[a-z]/ {
    option = $0
    sub(/^ +/, "", option)
    text = ""
    if (match(option, /  +/)) {
        text = substr(option, RSTART + RLENGTH)
        option = substr(option, 1, RSTART - 1)
    }
    print ".TP\n.B " roff(option)
    if (text != "") print roff(text)
    next
}
{ print roff($0) }
END { print ".SH SEE ALSO\n.BR md5sum (1),\n.BR sha256sum (1)" }
