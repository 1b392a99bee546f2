#!/bin/sh
# From the wheel with its generator to a cipher of one's own (ARIA-128, by its page's files) as an AEAD suite.
set -eu
cp -r "$EXAMPLES/own_cipher/." .
rm -f README.md
"$ENV/bin/cryptostitch" verify 'aria128_ctr_x1@sse_aesni' --templates . --jobs 1
"$ENV/bin/cryptostitch" pack . --kernels '*@sse*' -o aria.pack >said
cat said
grep -q 'aria-128-gcm: 1 known answers are right' said
head -c 1000 algorithms.py >message
key=000102030405060708090a0b0c0d0e0f iv=000102030405060708090a0b
"$ENV/bin/python" seal.py aria.pack aria-128-gcm "$key" "$iv" message >sealed
test "$(wc -c <sealed)" -eq 1016
