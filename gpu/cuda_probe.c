#include "gpu/cuda_probe.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the driver -------------------------------------------------------------------------------------------

// The driver's interface, as far as it is asked: every call returns 0 or the number of an error.
typedef struct Driver {
  int (*init)(unsigned flags);
  int (*version)(int *version);
  int (*count)(int *count);
  int (*get)(int *device, int ordinal);
  int (*name)(char *name, int size, int device);
  int (*memory)(size_t *bytes, int device);
  int (*attribute)(int *value, int attribute, int device);
} Driver;

enum { NO_DEVICE = 100, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 }; // as in cuda.h

// ISO C knows no way from an object's address to a function's; POSIX does.
static bool find(void *library, const char *name, void *to, MbProbe *probe) {
  void *const symbol = dlsym(library, name);
  if (symbol)
    memcpy(to, &symbol, sizeof symbol);
  else
    probe->state = MB_PROBE_FAULTY, probe->call = name;
  return symbol != NULL;
}

static bool find_all(void *library, Driver *driver, MbProbe *probe) {
  return find(library, "cuInit", &driver->init, probe) &&
         find(library, "cuDriverGetVersion", &driver->version, probe) &&
         find(library, "cuDeviceGetCount", &driver->count, probe) &&
         find(library, "cuDeviceGet", &driver->get, probe) &&
         find(library, "cuDeviceGetName", &driver->name, probe) &&
         find(library, "cuDeviceTotalMem_v2", &driver->memory, probe) &&
         find(library, "cuDeviceGetAttribute", &driver->attribute, probe);
}

static bool went(MbProbe *probe, const char *call, int error) {
  if (!error) return true;
  probe->state = error == NO_DEVICE ? MB_PROBE_NO_DEVICE : MB_PROBE_FAULTY;
  probe->call = call, probe->error = error;
  return false;
}

static bool ask_device(const Driver *driver, int ordinal, MbProbe *probe) {
  MbProbedDevice *to = &probe->device[ordinal];
  int device = 0, major = 0, minor = 0;
  if (!went(probe, "cuDeviceGet", driver->get(&device, ordinal)) ||
      !went(probe, "cuDeviceGetName", driver->name(to->name, sizeof to->name - 1, device)) ||
      !went(probe, "cuDeviceTotalMem", driver->memory(&to->bytes, device)) ||
      !went(probe, "cuDeviceGetAttribute", driver->attribute(&major, CAPABILITY_MAJOR, device)) ||
      !went(probe, "cuDeviceGetAttribute", driver->attribute(&minor, CAPABILITY_MINOR, device)))
    return false;
  to->capability = 10 * major + minor;
  return true;
}

void mb_cuda_probe(const char *name, MbProbe *probe) {
  Driver driver;
  memset(probe, 0, sizeof *probe);
  // stays loaded: drivers do not like to go
  void *const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  probe->state = MB_PROBE_NO_DRIVER;
  if (!library || !find_all(library, &driver, probe)) return;
  if (!went(probe, "cuDriverGetVersion", driver.version(&probe->version)) ||
      !went(probe, "cuInit", driver.init(0)) || !went(probe, "cuDeviceGetCount", driver.count(&probe->count)))
    return;
  probe->state = probe->count > 0 ? MB_PROBE_DEVICES : MB_PROBE_NO_DEVICE;
  for (int i = 0; i < probe->count && i < MB_PROBE_MOST; i++)
    if (!ask_device(&driver, i, probe)) return;
}

// ---- in words ---------------------------------------------------------------------------------------------

static void add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

static void add_version(char *text, size_t size, int version) {
  add(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

static void add_driver(char *text, size_t size, const MbProbe *probe) {
  if (!probe->version) {
    add(text, size, "a driver");
    return;
  }
  add(text, size, "a driver for CUDA ");
  add_version(text, size, probe->version);
}

const char *mb_cuda_found(const MbProbe *probe, size_t size, char *text) {
  static const double GB = 1 << 30;
  text[0] = 0;
  if (probe->state == MB_PROBE_NO_DRIVER) {
    add(text, size, "no driver (" MB_CUDA_LIBRARY " cannot be loaded)");
    return text;
  }
  for (int i = 0; probe->state == MB_PROBE_DEVICES && i < probe->count && i < MB_PROBE_MOST; i++) {
    const MbProbedDevice *of = &probe->device[i];
    add(text, size, "%s%s (%d.%d, %.1f GiB)", i ? ", " : "", of->name, of->capability / 10,
        of->capability % 10, (double)of->bytes / GB);
  }
  if (probe->state == MB_PROBE_DEVICES) add(text, size, ", by ");
  add_driver(text, size, probe);
  if (probe->state == MB_PROBE_NO_DEVICE) add(text, size, ", and no device");
  if (probe->state == MB_PROBE_FAULTY && probe->error)
    add(text, size, " of which %s fails (error %d)", probe->call, probe->error);
  else if (probe->state == MB_PROBE_FAULTY)
    add(text, size, " that has no %s", probe->call);
  return text;
}

const char *mb_cuda_built(const MbCudaBuild *build, size_t size, char *text) {
  text[0] = 0;
  if (!*build->archs) {
    add(text, size, "no");
    return text;
  }
  add(text, size, "built with ");
  add_version(text, size, build->version);
  add(text, size, ", for devices of");
  for (const char *at = build->archs; *at;) {
    char *end = NULL;
    const long arch = strtol(at, &end, 10);
    if (end == at) break;
    at = end;
    add(text, size, " %ld.%ld%s", arch / 10, arch % 10, *at ? "," : " and later");
  }
  return text;
}

// Machine code of x.y runs on devices of x.z with z ≥ y; what is translated on the device, of the last, on all that are later.
static bool runs_on(const char *archs, int capability) {
  long last = 0;
  for (const char *at = archs; *at;) {
    char *end = NULL;
    last = strtol(at, &end, 10);
    if (end == at) return false;
    at = end;
    if (last / 10 == capability / 10 && last <= capability) return true;
  }
  return last > 0 && capability >= last;
}

const char *mb_cuda_lacks(const MbProbe *probe, const MbCudaBuild *build, size_t size, char *text) {
  char found[1024];
  text[0] = 0;
  if (!*build->archs) {
    add(text, size, "this mbsim was built without CUDA");
    return text;
  }
  if (probe->state != MB_PROBE_DEVICES) {
    add(text, size, "this machine has %s; needed are a driver for CUDA ",
        mb_cuda_found(probe, sizeof found, found));
    add_version(text, size, build->version / 1000 * 1000);
    add(text, size, " or later, and a device");
    return text;
  }
  if (probe->version < build->version / 1000 * 1000) { // drivers serve all toolkits of their number
    add(text, size, "the machine's driver is for CUDA ");
    add_version(text, size, probe->version);
    add(text, size, "; needed is one for CUDA ");
    add_version(text, size, build->version / 1000 * 1000);
    add(text, size, " or later");
    return text;
  }
  if (runs_on(build->archs, probe->device[0].capability)) return NULL;
  add(text, size, "%s is of %d.%d, and this mbsim was ", probe->device[0].name,
      probe->device[0].capability / 10, probe->device[0].capability % 10);
  mb_cuda_built(build, sizeof found, found);
  add(text, size, "%s (make CUDA_ARCH=%d builds for it)", found, probe->device[0].capability);
  return text;
}
