// A driver of no device: what a machine's libcuda says, as the test that loads it wants. FAKE_CUDA="VERSION ERROR COUNT CAPABILITY GIB": the
// version of CUDA, what cuInit returns, and of how many devices, what they can do and how much memory they have.
#include <stdio.h>
#include <stdlib.h>

static long told(int which) {
  const char *at = getenv("FAKE_CUDA");
  long value = 0;
  for (int i = 0; at && i <= which; i++) {
    char *end;
    value = strtol(at, &end, 10);
    at = end;
  }
  return value;
}

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);

int cuInit(unsigned flags) {
  (void)flags;
  return (int)told(1);
}
int cuDriverGetVersion(int *version) {
  *version = (int)told(0);
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = (int)told(2);
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "Fake %d", device);
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)told(4) << 30;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = (int)(attribute == 75 ? told(3) / 10 : told(3) % 10);
  return 0;
}
