#!/bin/sh
# From the Debian package to a provider that OpenSSL uses. What is unpacked here stands in / where it is installed.
set -eu
root=$PWD/root
dpkg-deb --extract "$PACKAGES"/cryptostitch-openssl_*.deb "$root"
sed "s|^module = /|module = $root/|" "$root/etc/cryptostitch/openssl.cnf" >openssl.cnf

"$root/usr/share/cryptostitch/openssl-check" openssl.cnf
# a line that means nothing, and a file without the line that puts the provider to use, are told
sed 's/^activate = 1$/&\nslowr = yes/' openssl.cnf >misspelt.cnf
if "$root/usr/share/cryptostitch/openssl-check" misspelt.cnf; then exit 1; fi
sed '/^default_properties/d' openssl.cnf >unused.cnf
if "$root/usr/share/cryptostitch/openssl-check" unused.cnf; then exit 1; fi

encipher() {
    openssl enc -aes-128-ctr -K 00112233445566778899aabbccddeeff -iv 0123456789abcdef0123456789abcdef -in openssl.cnf
}
OPENSSL_CONF=$PWD/openssl.cnf encipher >ours
encipher >theirs
cmp ours theirs
