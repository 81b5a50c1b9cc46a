// What kinds of processors the passes are compiled for, beside what the compiler is told to build for. Products and sums may be
// fused there: the numbers are the same on every run of a machine, and on machines of a kind.
#ifndef MB_SOLVERS_REDMAX_LANES_TARGET_H
#define MB_SOLVERS_REDMAX_LANES_TARGET_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MB_TARGET_FMA
#define MB_TARGET_AVX512
#endif

#endif
