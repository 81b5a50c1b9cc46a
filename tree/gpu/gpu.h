// The door to the CUDA engine. This version has none: the answers say so.
#ifndef MB_GPU_GPU_H
#define MB_GPU_GPU_H

#include <stdbool.h>

bool mb_gpu_available(void);
const char *mb_gpu_text(void); // one phrase: the device, or why there is none

#endif
