#!/bin/sh
# From the wheel with its generator to a hash of one's own (Ascon-Hash256, by its page's files) as a suite.
set -eu
cp -r "$EXAMPLES/own_hash/." .
rm -f README.md
"$ENV/bin/python" -c 'import cryptostitch, sys; assert cryptostitch.__file__.startswith(sys.prefix)'
"$ENV/bin/cryptostitch" verify ascon_x2@sse --templates . --jobs 1
"$ENV/bin/cryptostitch" pack . --kernels 'ascon_x[12]@s*' -o ascon.pack
printf '\000\001\002\003\004\005\006' >message
"$ENV/bin/cst-sum" --pack ascon.pack -a ascon-hash256 message >found
# SP 800-232's known answer 8
grep -q '^3e4d273ba69b3b9c53216107e88b75cdbeedbcbf8faf0219c3928ab62b116577  message$' found
"$ENV/bin/python" digests.py ascon.pack message
