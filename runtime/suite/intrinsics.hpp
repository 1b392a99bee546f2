// Vector instructions, for files that are compiled for any x86-64, in which each function names the CPU features that
// it needs.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // of the header itself: undefined vectors that are never used
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
