// Kernels are compiled for processors with fused multiply-add and with AVX-512 too, beside what the compiler is told to build
// for; the machine picks one when it runs. The numbers are the same on every run of a machine, and on machines of a kind.
#ifndef MB_SPARSE_TARGETS_H
#define MB_SPARSE_TARGETS_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MB_SPARSE_TARGETS
#endif

// One build of a function for each of these, chosen when the program starts.
#if defined(MB_SPARSE_TARGETS) && !defined(MB_SANITIZED)
#define MB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MB_CLONES
#endif

// Loops whose steps may be taken side by side, sums included; clang calls it an error where it does not do so.
#ifdef __clang__
#define MB_SIMD
#define MB_SIMD_SUM(...)
#else
#define MB_PRAGMA(text)  _Pragma(#text)
#define MB_SIMD          MB_PRAGMA(omp simd)
#define MB_SIMD_SUM(...) MB_PRAGMA(omp simd reduction(+ : __VA_ARGS__))
#endif

#endif
