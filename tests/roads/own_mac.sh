#!/bin/sh
# From the wheel with its generator to a MAC of one's own (SipHash-2-4, by its page's files) as a suite.
set -eu
cp -r "$EXAMPLES/own_mac/." .
rm -f README.md
"$ENV/bin/cryptostitch" verify 'siphash*_x2@sse' --templates . --jobs 1
"$ENV/bin/cryptostitch" pack . --kernels '*_x[12]@s*' -o sip.pack >said
cat said
grep -q 'siphash-2-4: 5 known answers are right' said
printf '\000\001\002\003\004\005\006\007\010\011\012\013\014\015\016' >message
"$ENV/bin/python" tags.py sip.pack 000102030405060708090a0b0c0d0e0f message >found
# appendix A of the paper
grep -q '^e545be4961ca29a1  message$' found
cat found
