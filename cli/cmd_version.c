#include "cli/console.h"
#include "cli/options.h"
#include "core/base/blas.h"
#include "core/mbsim.h"
#include "gpu/gpu.h"
#include "io/view/view.h"

#include <zlib.h>

#ifdef __clang__
static const char compiler[] = ""; // its version begins with its name
#elif defined __GNUC__
static const char compiler[] = "gcc ";
#else
static const char compiler[] = "";
#endif

static MbStatus run(const MbArgs *args) {
  if (mb_arg_given(args, "short")) {
    puts(mb_version());
    return MB_OK;
  }
  printf("mbsim %s\n", mb_version());
  printf("compiler: %s%s\n", compiler, __VERSION__);
  printf("features: zlib %s, muParser, cJSON %s", zlibVersion(), cJSON_Version());
  const char *kernels = mb_blas_kernels();
  if (kernels) printf(", OpenBLAS with kernels for %s", kernels);
  if (mb_view_available()) printf(", the page of view");
#ifdef MB_SANITIZED
  printf(", sanitizers");
#endif
  printf("\ncuda: %s\n", mb_cuda_built_text());
  printf("devices: %s\n", mb_cuda_devices_text());
  return MB_OK;
}

static const MbOption options[] = {
    {.name = "short", .help = "the number alone"},
};

const MbCommand mb_command_version = {
    .name = "version",
    .operands = "",
    .summary = "show version, compiler and features",
    .details = "Shows the version, the compiler that built the program, the features that are in it, whether "
               "CUDA is "
               "one of them, and what devices the machine's CUDA driver tells of.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
