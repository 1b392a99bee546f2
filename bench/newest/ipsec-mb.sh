# Debian's build of the newest release there. CMake finds the header here and compiles the code that drives it.
mkdir -p include
cp source/libipsec-mb-dev/usr/include/intel-ipsec-mb.h include/
cp source/libipsec-mb2/usr/lib/x86_64-linux-gnu/libIPSec_MB.so.*.* "$LIBRARY"
