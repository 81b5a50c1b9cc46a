// Bodies of kernels: functions of one element, node, number or row, for devices and processors alike. A device runs one in a thread (or,
// where a warp shares a row, in 32); the host's backend runs all of them one after another (host_backend.c).
//
// MB_LANES_OF lists what one thread does; MB_WARPS_OF what 32 lanes do together: every lane has a part of some numbers (NAME_NUMBERS), which
// are joined by a tree that is the same everywhere, and one of them ends the row. Nothing is added to by two threads.
#ifndef MB_GPU_KERNELS_KERNEL_BODY_H
#define MB_GPU_KERNELS_KERNEL_BODY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define MB_BODY            static __forceinline__ __host__ __device__
#define MB_PRAGMA(text)    _Pragma(#text)
#define MB_UNROLLED(times) MB_PRAGMA(unroll times)
#else
#define MB_BODY static inline
#define MB_UNROLLED(times)
#endif

enum { MB_WARP = 32 };

#endif
