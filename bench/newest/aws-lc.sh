# AWS-LC, whose assembly comes generated, behind the names by which OpenSSL 3 is called.
# objects: 375
tool cmake cmake
tool ninja ninja-build
source=source/aws-lc-sys/aws-lc
[ -e objects/build.ninja ] || cmake -S "$source" -B objects -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_TESTING=OFF -DBUILD_TOOL=OFF -DBUILD_LIBSSL=OFF -DDISABLE_PERL=ON \
    -DDISABLE_GO=ON
cmake --build objects --target crypto -j "$JOBS"
# The names that both define (its OpenSSL_version) are taken from the file that comes first.
cc -O2 -Wall -Wextra -shared -fPIC -I "$source/include" -o "$LIBRARY" "$RECIPES/aws_lc_names.c" -Wl,-Bsymbolic \
    -Wl,-z,muldefs -Wl,--whole-archive objects/crypto/libcrypto.a -Wl,--no-whole-archive -lpthread
