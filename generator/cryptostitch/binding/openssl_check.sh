#!/bin/sh
# Usage: openssl-check [FILE]
# Says whether OpenSSL uses the provider `cryptostitch` by a configuration file (without FILE: by the one that it reads
# by itself), whether what the provider lacks still comes from elsewhere, and which lines mean nothing in the sections
# that this depends on. Ends with 0 if the provider is used and all is right, with 1 if not, with 2 if it cannot tell.
# `--lines FILE` looks at the lines alone.
set -u
# Of the provider; of the section that openssl_conf names; of the sections of algorithms and of the random generator
# (config(5)).
ours='identity soft_load module activate jit slower cmac async target'
modules='providers alg_section random ssl_conf oid_section engines stbl_section config_diagnostics'
algorithms='default_properties fips_mode'
generator='random cipher digest properties seed seed_properties random_provider'

# read_lines COMMAND FILE: `unknown` names the lines that mean nothing (libcrypto tells a provider only the lines that
# it asks for, so that the provider cannot see others); `properties` prints default_properties; `loadable` prints a
# configuration that knows the provider and leaves it to the command line to load it.
read_lines() {
    awk -v ours="$ours" -v modules="$modules" -v algorithms="$algorithms" -v generator="$generator" -v want="$1" '
        function quoted(path) {
            gsub(/\047/, "\047\\\047\047", path)
            return "\047" path "\047"
        }
        # A folder stands for its files *.cnf and *.conf.
        function read_included(path, depth,    files, each) {
            if (path !~ /^\// && ENVIRON["OPENSSL_CONF_INCLUDE"] != "") path = ENVIRON["OPENSSL_CONF_INCLUDE"] "/" path
            if (system("test -d " quoted(path)) != 0) {
                read_file(path, depth)
                return
            }
            files = "for each in " quoted(path) "/*.cnf " quoted(path) "/*.conf; do printf \"%s\\n\" \"$each\"; done"
            while ((files | getline each) > 0) if (system("test -f " quoted(each)) == 0) read_file(each, depth)
            close(files)
        }
        function read_file(path, depth,    line, name, value, section) {
            section = "default"
            while ((getline line <path) > 0) {
                sub(/#.*/, "", line)
                gsub(/^[ \t]+|[ \t\r]+$/, "", line)
                if (line ~ /^\.include/) {
                    sub(/^\.include[ \t=]*/, "", line)
                    if (depth < 8) read_included(line, depth + 1)
                } else if (line ~ /^\[.*\]$/) {
                    gsub(/^\[[ \t]*|[ \t]*\]$/, "", line)
                    section = line
                } else if (line ~ /=/) {
                    name = value = line
                    sub(/[ \t]*=.*/, "", name)
                    sub(/^[^=]*=[ \t]*/, "", value)
                    names[++n] = name
                    values[n] = value
                    sections[n] = section
                    files[n] = path
                }
            }
            close(path)
        }
        function value_of(section, name,    i) {
            for (i = n; i > 0; i--) if (sections[i] == section && names[i] == name) return values[i]
            return ""
        }
        function look_at(section, known,    words, is_known, i) {
            split(known, words, " ")
            for (i in words) is_known[words[i]] = 1
            for (i = 1; i <= n; i++)
                if (section != "" && sections[i] == section && !(names[i] in is_known)) {
                    printf "unknown line in [%s] of %s: %s\n", section, files[i], names[i]
                    found = 1
                }
        }
        BEGIN {
            read_file(ARGV[1], 0)
            main = value_of("default", "openssl_conf")
            provider = value_of(value_of(main, "providers"), "cryptostitch")
            if (want == "properties") {
                print value_of(value_of(main, "alg_section"), "default_properties")
                exit
            }
            if (want == "loadable") {
                if (provider == "") exit
                print "openssl_conf = a\n[a]\nproviders = b\n[b]\ncryptostitch = c\n[c]"
                for (i = 1; i <= n; i++)
                    if (sections[i] == provider && names[i] != "activate") print names[i] " = " values[i]
                exit
            }
            look_at(main, modules)
            look_at(provider, ours)
            look_at(value_of(main, "alg_section"), algorithms)
            look_at(value_of(main, "random"), generator)
            exit found
        }' "$2"
}

usage() {
    sed -n 's/^# //; 2,6p' "$0"
}

lines_alone=
case ${1-} in
    --help | -h) usage; exit 0 ;;
    --lines) lines_alone=1; shift; [ $# = 1 ] || { usage >&2; exit 2; } ;;
    -*) usage >&2; exit 2 ;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }
if [ -z "$lines_alone" ] && ! command -v openssl >/dev/null; then
    echo "there is no program openssl here (apt-get install openssl)" >&2
    exit 2
fi
if [ $# = 1 ]; then
    export OPENSSL_CONF="$1"
fi
file=${OPENSSL_CONF:-$(openssl version -d | sed 's/.*"\(.*\)"/\1/')/openssl.cnf}
if [ ! -f "$file" ] || [ ! -r "$file" ]; then
    echo "$file is no file that can be read" >&2
    exit 2
fi
status=0
read_lines unknown "$file" || status=1
[ -z "$lines_alone" ] || exit $status

# The provider counts the keys that are set, and tells it when a process ends.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
counts=$folder/counts
: >"$counts"
zeros=00000000000000000000000000000000
said=$(printf x | CRYPTOSTITCH_OPENSSL_STATS="$counts" openssl enc -aes-128-ctr -K $zeros -iv $zeros 2>&1 >/dev/null)
if grep -q aes-128-ctr "$counts"; then
    echo "used: AES-128-CTR came from cryptostitch"
elif [ -s "$counts" ]; then
    echo "active, but not used: AES-128-CTR came from elsewhere; default_properties = ?provider=cryptostitch is missing"
    status=1
else
    echo "not active in $file${said:+: $said}"
    # openssl keeps to itself why a provider that a file activates was not loaded.
    read_lines loadable "$file" >"$folder/loadable.cnf"
    if [ ! -s "$folder/loadable.cnf" ]; then
        echo "  no line \`cryptostitch = SECTION\` in the section that \`providers\` names"
    elif why=$(OPENSSL_CONF=$folder/loadable.cnf openssl list -providers -provider cryptostitch 2>&1 >/dev/null); then
        echo "  it can be loaded: its section needs activate = 1"
    else
        echo "$why" | sed '/^Hint:/d; s/^/  /'
    fi
    status=1
fi

# SHA-256 stands for all that the provider does not have.
if ! printf x | openssl dgst -sha256 >/dev/null 2>&1; then
    status=1
    properties=$(read_lines properties "$file")
    if echo "$properties" | tr ',' '\n' | grep -q '^ *[^? ]'; then
        echo "what the provider lacks is missing, SHA-256 for example: default_properties = $properties forbids it;" \
            "with a question mark, ?provider=cryptostitch, it comes from elsewhere"
    else
        echo "what the provider lacks is missing, SHA-256 for example: the provider \`default\` is not active" \
            "(its section needs activate = 1)"
    fi
fi
exit $status
