// What machines say of CUDA, by a driver that is made up (fake/libcuda.c) and by probes that are: none of this needs a device.
#include "gpu/cuda_probe.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const MbCudaBuild built = {13000, "75 80 90"};

// Asks the made-up driver, which stands beside the program.
static MbProbe ask(const char *says) {
  char path[1024];
  const char *program = getenv("MBSIM");
  MbProbe probe;
  cr_assert_not_null(program, "MBSIM names the program");
  snprintf(path, sizeof path, "%.*s/fake/libcuda.so.1", (int)(strrchr(program, '/') - program), program);
  setenv("FAKE_CUDA", says, 1);
  mb_cuda_probe(path, &probe);
  return probe;
}

static void lacks(const MbProbe *probe, const MbCudaBuild *build, const char *wanted) {
  char text[1024];
  const char *got = mb_cuda_lacks(probe, build, sizeof text, text);
  if (!wanted)
    cr_expect_null(got, "%s", got);
  else
    cr_expect(got && !strcmp(got, wanted), "\n%s\ninstead of\n%s", got, wanted);
}

static void found(const MbProbe *probe, const char *wanted) {
  char text[1024];
  cr_expect_str_eq(mb_cuda_found(probe, sizeof text, text), wanted);
}

Test(cuda_probe, a_machine_without_driver_says_what_it_takes) {
  MbProbe probe;
  mb_cuda_probe("libcuda_that_is_nowhere.so.1", &probe);
  cr_expect_eq(probe.state, MB_PROBE_NO_DRIVER);
  found(&probe, "no driver (libcuda.so.1 cannot be loaded)");
  lacks(&probe, &built,
        "this machine has no driver (libcuda.so.1 cannot be loaded); needed are a driver for CUDA 13.0 or "
        "later, and a device");
}

Test(cuda_probe, a_driver_with_no_device_says_so) {
  for (int k = 0; k < 2; k++) { // by cuInit's error, or by the number of devices
    const MbProbe probe = ask(k ? "13000 0 0 0 0" : "13000 100 0 0 0");
    cr_expect_eq(probe.state, MB_PROBE_NO_DEVICE);
    found(&probe, "a driver for CUDA 13.0, and no device");
    lacks(
        &probe, &built,
        "this machine has a driver for CUDA 13.0, and no device; needed are a driver for CUDA 13.0 or later, "
        "and a device");
  }
}

Test(cuda_probe, a_driver_that_fails_says_where) {
  const MbProbe probe = ask("12040 803 0 0 0");
  cr_expect_eq(probe.state, MB_PROBE_FAULTY);
  found(&probe, "a driver for CUDA 12.4 of which cuInit fails (error 803)");
}

Test(cuda_probe, what_is_no_driver_says_what_is_not_there) {
  MbProbe probe;
  mb_cuda_probe("libm.so.6", &probe);
  cr_expect_eq(probe.state, MB_PROBE_FAULTY);
  found(&probe, "a driver that has no cuInit");
}

Test(cuda_probe, devices_are_told_with_their_memory) {
  const MbProbe probe = ask("13010 0 2 90 140");
  cr_expect_eq(probe.state, MB_PROBE_DEVICES);
  found(&probe, "Fake 0 (9.0, 140.0 GiB), Fake 1 (9.0, 140.0 GiB), by a driver for CUDA 13.1");
  lacks(&probe, &built, NULL);
}

Test(cuda_probe, a_driver_that_is_older_than_the_toolkit_does_not_do) {
  const MbProbe probe = ask("12080 0 1 90 140");
  lacks(&probe, &built, "the machine's driver is for CUDA 12.8; needed is one for CUDA 13.0 or later");
  lacks(&probe, &(MbCudaBuild){12090, "75 80 90"}, NULL); // of the same number
}

Test(cuda_probe, a_device_runs_code_of_its_own_number_or_the_last_one_translated) {
  static const struct {
    int capability;
    const char *archs;
    bool runs;
  } cases[] = {{90, "75 80 90", true},  {86, "75 80 90", true},  {75, "75 80 90", true},
               {120, "75 80 90", true}, {70, "75 80 90", false}, {86, "90", false},
               {80, "75 90", false},    {100, "90", true},       {86, "75 89", false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const MbProbe probe = {.state = MB_PROBE_DEVICES,
                           .version = 13000,
                           .count = 1,
                           .device = {{.name = "X", .capability = cases[k].capability}}};
    char text[512];
    cr_expect_eq(mb_cuda_lacks(&probe, &(MbCudaBuild){13000, cases[k].archs}, sizeof text, text) == NULL,
                 cases[k].runs, "%d of \"%s\"", cases[k].capability, cases[k].archs);
  }
  const MbProbe old = {
      .state = MB_PROBE_DEVICES, .version = 13000, .count = 1, .device = {{.name = "Old", .capability = 70}}};
  lacks(&old, &built,
        "Old is of 7.0, and this mbsim was built with 13.0, for devices of 7.5, 8.0, 9.0 and later (make "
        "CUDA_ARCH=70 builds for it)");
}

Test(cuda_probe, an_mbsim_that_was_built_without_says_that_whatever_the_machine_has) {
  const MbProbe probe = ask("13000 0 1 90 140");
  const MbCudaBuild none = {.archs = ""};
  char text[512];
  lacks(&probe, &none, "this mbsim was built without CUDA");
  cr_expect_str_eq(mb_cuda_built(&none, sizeof text, text), "no");
  cr_expect_str_eq(mb_cuda_built(&built, sizeof text, text),
                   "built with 13.0, for devices of 7.5, 8.0, 9.0 and later");
}
