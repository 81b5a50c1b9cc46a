// Kernels are compiled for processors with fused multiply-add and with AVX-512 too, beside what the compiler is told to build
// for; the machine picks one when it runs. The numbers are the same on every run of a machine, and on machines of a kind.
#ifndef MB_SPARSE_TARGETS_H
#define MB_SPARSE_TARGETS_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MB_SPARSE_TARGETS
#endif

#endif
