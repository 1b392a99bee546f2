# OpenSSL with its assembly and its legacy provider (RC4) inside. The crate has neither the generators of the shared
# library's exports nor those of modules: a static library is made, then one shared object of all that is in it.
# objects: 1029
tool perl perl
tool make make
mkdir -p objects
cd objects
[ -e Makefile ] || perl ../source/openssl-src/openssl/Configure linux-x86_64 no-shared no-module no-apps no-tests \
    no-docs no-comp no-zlib -fPIC
make -j "$JOBS" build_generated
make -j "$JOBS" libcrypto.a
cd ..
cc -shared -o "$LIBRARY" -Wl,-Bsymbolic -Wl,--whole-archive objects/libcrypto.a -Wl,--no-whole-archive -ldl -lpthread
