#!/bin/sh
# Usage: openssl-check [FILE]
# Says whether OpenSSL uses the provider `cryptostitch` by a configuration file (without FILE: by the one that it reads
# by itself), and which lines mean nothing in the sections that it depends on. Ends with 0 if the provider is used and
# all lines are known, otherwise with 1. `--lines FILE` looks at the lines alone.
set -u
# Of the provider; of the section that openssl_conf names; of the sections of algorithms and of the random generator
# (config(5)).
ours='identity soft_load module activate jit slower cmac async target'
modules='providers alg_section random ssl_conf oid_section engines stbl_section config_diagnostics'
algorithms='default_properties fips_mode'
generator='random cipher digest properties seed seed_properties random_provider'

# libcrypto tells a provider only the lines that it asks for, so that the provider cannot see others.
unknown_lines() {
    awk -v ours="$ours" -v modules="$modules" -v algorithms="$algorithms" -v generator="$generator" '
        function read_file(path, depth,    line, parts, name, section) {
            section = "default"
            while ((getline line <path) > 0) {
                sub(/#.*/, "", line)
                gsub(/^[ \t]+|[ \t\r]+$/, "", line)
                if (line ~ /^\.include/) {
                    sub(/^\.include[ \t=]*/, "", line)
                    if (depth < 8) read_file(line, depth + 1)
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
            look_at(main, modules)
            look_at(value_of(value_of(main, "providers"), "cryptostitch"), ours)
            look_at(value_of(main, "alg_section"), algorithms)
            look_at(value_of(main, "random"), generator)
            exit found
        }' "$1"
}

if [ "${1-}" = --lines ]; then
    unknown_lines "$2"
    exit
fi
if [ $# -gt 0 ]; then
    export OPENSSL_CONF="$1"
fi
file=${OPENSSL_CONF:-$(openssl version -d | sed 's/.*"\(.*\)"/\1/')/openssl.cnf}
status=0
unknown_lines "$file" || status=1

# The provider counts the keys that are set, and tells it when a process ends.
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
zeros=00000000000000000000000000000000
said=$(printf x | CRYPTOSTITCH_OPENSSL_STATS="$counts" openssl enc -aes-128-ctr -K $zeros -iv $zeros 2>&1 >/dev/null)
if grep -q aes-128-ctr "$counts"; then
    echo "used: AES-128-CTR came from cryptostitch"
elif [ -s "$counts" ]; then
    echo "active, but not used: AES-128-CTR came from elsewhere; default_properties = ?provider=cryptostitch is missing"
    status=1
else
    echo "not active in $file${said:+: $said}"
    openssl list -providers -provider cryptostitch 2>&1 >/dev/null | sed 's/^/  /'
    status=1
fi
exit $status
