// In the place of cuda_backend.cu where mbsim is built without nvcc.
#include "gpu/backend.h"

MbCudaBuild mb_cuda_build(void) { return (MbCudaBuild){.archs = ""}; }
const MbBackend *mb_cuda_backend(void) { return NULL; }
