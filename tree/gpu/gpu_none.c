#include "gpu/gpu.h"

bool mb_gpu_available(void) { return false; }

const char *mb_gpu_text(void) { return "this mbsim has no CUDA engine"; }
