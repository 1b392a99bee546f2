#!/bin/sh
# From the wheel with its generator to an AEAD of one's own (Ascon-AEAD128, by its page's files) as a suite.
set -eu
cp -r "$EXAMPLES/own_aead/." .
rm -f README.md
"$ENV/bin/cryptostitch" verify 'ascon_*_x2@sse' --templates . --jobs 1
"$ENV/bin/cryptostitch" pack . --kernels '*_x[12]@s*' -o ascon.pack >said
cat said
# of the authors of SP 800-232
grep -q 'ascon-aead128: 13 known answers are right' said
head -c 1000 algorithms.py >message
key=000102030405060708090a0b0c0d0e0f nonce=101112131415161718191a1b1c1d1e1f
"$ENV/bin/python" seal.py ascon.pack "$key" "$nonce" message >found
"$ENV/bin/python" -c "
from algorithms import sealed
text = open('message', 'rb').read()
print(sealed(bytes.fromhex('$key'), bytes.fromhex('$nonce'), b'message', text)[1].hex() + '  message')" >wanted
cmp found wanted
