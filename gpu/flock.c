// A flock's life: room on a device, scenes put there, and steps.
#include "gpu/flock.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "gpu/flock_internal.h"

#include <stdio.h>
#include <string.h>

enum { WARP = MB_WARP };

static const double MB = 1048576;

size_t mb_flock_bytes(const MbLane *like, size_t scenes) {
  MbTreeArgs args = {0};
  const MbFlockSize size = mb_flock_size(like);
  return mb_flock_lay_out(&size, (scenes + WARP - 1) / WARP * WARP, &args, NULL, NULL);
}

MbStatus mb_flock_fault(MbFlock *f, MbReport *report) {
  const char *what = f->on->fault(f->gpu);
  if (!what) return MB_OK;
  return mb_error(report, MB_DEVICE, "", "device %s: %s: %s", f->on->name, f->on->device(f->gpu), what);
}

// ---- room -------------------------------------------------------------------------------------------------

// As many scenes as fit, by warps.
static MbStatus choose_stride(MbFlock *f, size_t most, MbReport *report) {
  const size_t room = f->on->room(f->gpu), one = mb_flock_bytes(f->like, WARP);
  size_t warps = (most + WARP - 1) / WARP, fewest = 0;
  while (fewest < warps) { // the most that fit lie between
    const size_t half = warps - (warps - fewest) / 2;
    if (mb_flock_bytes(f->like, half * WARP) <= room)
      fewest = half;
    else
      warps = half - 1;
  }
  f->stride = fewest * WARP;
  if (f->stride) return MB_OK;
  return mb_error(report, MB_DEVICE, "",
                  "device %s: %s has %.1f MB of memory left, and %d scenes, the fewest, take %.1f MB there",
                  f->on->name, f->on->device(f->gpu), (double)room / MB, WARP, (double)one / MB);
}

static MbStatus make(MbFlock *f, size_t most, MbReport *report) {
  char why[256] = "";
  f->gpu = f->on->open(sizeof why, why);
  if (!f->gpu) return mb_error(report, MB_DEVICE, "", "device %s: %s", f->on->name, why);
  f->size = mb_flock_size(f->like);
  MbStatus status = choose_stride(f, most, report);
  if (status) return status;
  f->bytes = mb_flock_lay_out(&f->size, f->stride, &f->there, NULL, &f->mirrored);
  f->memory = f->on->take(f->gpu, f->bytes);
  status = mb_flock_fault(f, report);
  if (!status && !f->memory)
    status = mb_error(report, MB_DEVICE, "", "device %s: %s has no %.1f MB of memory in one piece",
                      f->on->name, f->on->device(f->gpu), (double)f->bytes / MB);
  if (status) return status;
  f->mirror = mb_calloc(f->mirrored, 1);
  f->lane = mb_calloc(f->stride, sizeof *f->lane);
  f->gone = mb_calloc(f->stride, sizeof *f->gone);
  f->said = mb_calloc(f->stride, sizeof *f->said);
  f->channels = mb_sim_channels(f->like->sim, &f->nchannels);
  f->frame_size = mb_sim_frame_size(f->like->sim);
  f->wanted = mb_calloc(f->nchannels, sizeof *f->wanted);
  f->body = mb_calloc(f->size.nb, sizeof *f->body);
  f->rows = mb_calloc(f->size.nq + f->size.nv + 2 * f->size.nb + 2, sizeof *f->rows);
  if (!f->mirror || !f->lane || !f->gone || !f->said || !f->wanted || !f->body || !f->rows)
    return mb_no_memory(report, "a flock");
  mb_flock_lay_out(&f->size, f->stride, &f->there, f->memory, NULL);
  mb_flock_lay_out(&f->size, f->stride, &f->here, f->mirror, NULL);
  mb_flock_describe(f);
  return MB_OK;
}

MbStatus mb_flock_create(const MbEngine *engine, const MbLane *like, size_t most, MbFlock **out,
                         MbReport *report) {
  const MbBackend *on = mb_backend_for(mb_engine_backend(engine));
  *out = NULL;
  if (!on) return mb_error(report, MB_DEVICE, "", "device cuda: this mbsim was built without CUDA");
  MbFlock *f = mb_calloc(1, sizeof *f);
  if (!f) return mb_no_memory(report, "a flock");
  f->on = on, f->like = like;
  const MbStatus status = make(f, most, report);
  if (status)
    mb_flock_free(f);
  else
    *out = f;
  return status;
}

static void forget(MbFlock *f) {
  for (size_t k = 0; f->said && k < f->stride; k++) {
    mb_free(f->said[k]);
    f->said[k] = NULL;
  }
}

void mb_flock_free(MbFlock *f) {
  if (!f) return;
  forget(f);
  if (f->gpu && f->memory) f->on->give(f->gpu, f->memory);
  if (f->gpu) f->on->close(f->gpu);
  mb_free(f->mirror), mb_free(f->lane), mb_free(f->gone), mb_free(f->said);
  mb_free(f->wanted), mb_free(f->body), mb_free(f->rows);
  mb_free(f);
}

size_t mb_flock_room(const MbFlock *f) { return f->stride; }
const char *mb_flock_device(const MbFlock *f) { return f->on->device(f->gpu); }
int64_t mb_flock_steps(const MbFlock *f) { return f->step; }
bool mb_flock_goes(const MbFlock *f, size_t k) { return !f->gone[k] && !f->here.left[k]; }

MbReport *mb_flock_said(MbFlock *f, size_t k) {
  static MbReport nothing;
  mb_report_clear(&nothing);
  return f->said[k] ? f->said[k] : &nothing;
}

// ---- steps ------------------------------------------------------------------------------------------------

MbStatus mb_flock_load(MbFlock *f, const MbLane *const *lanes, size_t count, MbReport *report) {
  forget(f);
  f->count = count, f->step = 0;
  memset(f->gone, 0, f->stride * sizeof *f->gone);
  for (size_t k = 0; k < count; k++) {
    f->lane[k] = lanes[k];
    mb_flock_put(f, k);
  }
  if (f->size.nsignals) mb_flock_signals(f, 1);
  f->on->put(f->gpu, f->memory, f->mirror, f->mirrored);
  return mb_flock_fault(f, report);
}

MbStatus mb_flock_step(MbFlock *f, int64_t steps, MbReport *report) {
  const size_t row = f->stride * sizeof(double);
  MbStatus status = MB_OK;
  for (int64_t done = 0; done < steps && !status;) {
    const int64_t most = f->size.varies ? MB_FLOCK_CHUNK : MB_FLOCK_MOST,
                  some = steps - done < most ? steps - done : most;
    if (f->size.varies) {
      mb_flock_signals(f, (size_t)some);
      f->on->put(f->gpu, (void *)(uintptr_t)f->there.signal, f->here.signal,
                 (size_t)some * f->size.nsignals * row);
    }
    f->there.steps = (uint32_t)some;
    f->on->run(f->gpu, MB_RUN_mb_tree_steps, f->count, &f->there);
    f->step += some, done += some;
    status = mb_flock_fault(f, report);
  }
  return status;
}
