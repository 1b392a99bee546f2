# How asmjit is compiled, by cmake/asmjit.cmake, cmake/sanitize.cmake and the Rust crate (packaging/rust/crate.sh).
# The inline namespace is of our own, so that a program that is linked with the static library and with asmjit has each
# of its functions once; without ASMJIT_BUILD_RELEASE asmjit's assertions would end the program.
set(CST_ASMJIT_DEFINITIONS ASMJIT_STATIC=1 ASMJIT_NO_COMPILER=1 ASMJIT_NO_AARCH64=1 ASMJIT_NO_FOREIGN=1
    ASMJIT_NO_JIT=1 ASMJIT_NO_LOGGING=1 ASMJIT_NO_BUILDER=1 ASMJIT_BUILD_RELEASE=1 ASMJIT_ABI_NAMESPACE=cst_asmjit)
