// Kernels are compiled for processors with fused multiply-add and with AVX-512 too, beside what the compiler is told to build
// for; the machine picks one when it runs. Products and sums may be fused there: the numbers are the same on every run of a
// machine, and on machines of a kind. A file of a few lines says by a pragma what it is compiled for, includes the kernels and gives
// them a name; a table of a family lists them, the fastest first, and asks here which of them run.
#ifndef MB_BASE_TARGETS_H
#define MB_BASE_TARGETS_H

#include <stdbool.h>

// Sanitized builds do without those for AVX-512, which are the same kernels, take minutes to compile there, and run on few machines.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MB_TARGET_FMA
#ifndef MB_SANITIZED
#define MB_TARGET_AVX512
#endif
#endif

// Whether this machine runs what is compiled for "avx2,fma"
static inline bool mb_target_fma(void) {
#ifdef MB_TARGET_FMA
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// for "avx2,fma,avx512f,avx512vl,avx512dq"
static inline bool mb_target_avx512(void) {
#ifdef MB_TARGET_AVX512
  return mb_target_fma() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

// One build of a function for each of these, chosen when the program starts; nothing is fused.
#if defined(MB_TARGET_FMA) && !defined(MB_SANITIZED)
#define MB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
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

// Loops of up to eight steps that become a row of steps where their count is known.
#if defined(MB_SANITIZED) || defined(__clang__)
#define MB_UNROLL // every access is checked: loops stay loops; clang decides alone
#else
#define MB_UNROLL _Pragma("GCC unroll 8")
#endif

#endif
