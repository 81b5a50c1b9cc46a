// The binary chunk of a glb file, in the order of its parts. Keys lie by body, frames by time: bodies are written in groups, for each of
// which the frames are read once, so that memory does not grow with the number of bodies.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/glb.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

static const size_t ROOM = (size_t)32 << 20; // bytes of keys in memory

// ---- keys -------------------------------------------------------------------------------------------------

// glTF's quaternions are x y z w, of unit length; each lies on the same side as the one before it.
static void put_rotation(const double q[4], float *out, const float *before) {
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double unit[4] = {q[1] / norm, q[2] / norm, q[3] / norm, q[0] / norm};
  double dot = 0;
  for (int k = 0; before && k < 4; k++) dot += unit[k] * (double)before[k];
  for (int k = 0; k < 4; k++) out[k] = norm > 0 ? (float)(dot < 0 ? -unit[k] : unit[k]) : k == 3;
}

// Places and rotations of bodies [begin, end) in all frames.
static MbStatus put_bodies(const MbGlb *g, MbWalk *walk, size_t begin, size_t end, float *keys) {
  static const double still[4] = {1, 0, 0, 0};
  const size_t n = g->nframes;
  for (size_t f = 0; f < n; f++) {
    double time = 0;
    const double *frame = NULL;
    const MbStatus status =
        mb_walk_frame(walk, mb_frames_at(&g->e->frames, g->frame[f]), &time, &frame, g->e->report);
    if (status) return status;
    for (size_t b = begin; b < end; b++) {
      float *place = keys + 7 * n * (b - begin) + 3 * f, *turn = keys + 7 * n * (b - begin) + 3 * n + 4 * f;
      for (size_t k = 0; k < 3; k++) place[k] = (float)frame[g->position->offset + 3 * b + k];
      put_rotation(g->rotation ? frame + g->rotation->offset + 4 * b : still, turn, f ? turn - 4 : NULL);
    }
  }
  mb_put(g->e, keys, 7 * n * (end - begin) * sizeof *keys);
  return MB_OK;
}

static MbStatus put_keys(const MbGlb *g, MbWalk *walk) {
  const size_t a_body = 7 * g->nframes * sizeof(float), some = ROOM / a_body > 0 ? ROOM / a_body : 1;
  const size_t group = some < g->nbodies ? some : g->nbodies;
  mb_put(g->e, g->time, g->nframes * sizeof *g->time);
  if (!g->nbodies) return MB_OK;
  float *keys = mb_calloc(group, a_body);
  MbStatus status = keys ? MB_OK : mb_no_memory(g->e->report, "the export");
  for (size_t b = 0; b < g->nbodies && !status && !g->e->failure; b += group)
    status = put_bodies(g, walk, b, b + group < g->nbodies ? b + group : g->nbodies, keys);
  mb_free(keys);
  return status;
}

// ---- corners ----------------------------------------------------------------------------------------------

static MbStatus put_shape(const MbGlb *g, const MbGlbShape *shape) {
  const size_t n = 3 * shape->surface.n;
  float *place = mb_calloc(n, 3 * sizeof *place), *normal = mb_calloc(n, 3 * sizeof *normal);
  const bool good =
      place && normal && mb_surface_creased(&shape->surface, shape->mesh.vertex, shape->mesh.nv, normal);
  for (size_t i = 0; good && i < n; i++)
    for (size_t k = 0; k < 3; k++)
      place[3 * i + k] = (float)shape->mesh.vertex[3 * (size_t)shape->surface.triangle[i] + k];
  if (good) {
    mb_put(g->e, place, 3 * n * sizeof *place);
    mb_put(g->e, normal, 3 * n * sizeof *normal);
  }
  mb_free(place);
  mb_free(normal);
  return good ? MB_OK : mb_no_memory(g->e->report, "the export");
}

static MbStatus put_deformable(const MbGlb *g, const MbGlbDeformable *deformable, MbWalk *walk) {
  const size_t nv = deformable->mesh.nv;
  double *work = mb_calloc(3 * nv, sizeof *work);
  float *base = mb_calloc(6 * nv, sizeof *base), *out = mb_calloc(6 * nv, sizeof *out);
  MbStatus status = work && base && out ? MB_OK : mb_no_memory(g->e->report, "the export");
  for (size_t k = 0; k <= g->ntargets && !status && !g->e->failure; k++) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(walk, mb_frames_at(&g->e->frames, g->frame[mb_glb_kept(g, k)]), &time, &frame,
                           g->e->report);
    if (status) break;
    mb_glb_deformable_corners(deformable, frame + deformable->position->offset, k ? base : NULL, work,
                              k ? out : base);
    mb_put(g->e, k ? out : base, 6 * nv * sizeof *out);
  }
  mb_free(work);
  mb_free(base);
  mb_free(out);
  return status;
}

// Frame k alone has weight 1 in frame k; the first one, which is the base, has none.
static void put_weights(const MbGlb *g) {
  const float one = 1, none = 0;
  for (size_t k = 0; k < g->nkept; k++) mb_put(g->e, &g->time[mb_glb_kept(g, k)], sizeof *g->time);
  for (size_t k = 0; k < g->nkept; k++)
    for (size_t i = 0; i < g->ntargets; i++) mb_put(g->e, i + 1 == k ? &one : &none, sizeof one);
}

MbStatus mb_glb_put(const MbGlb *g) {
  MbWalk walk = {0};
  MbStatus status = mb_walk_begin(&walk, g->e->traj, NULL, g->e->report);
  if (!status) status = put_keys(g, &walk);
  for (size_t i = 0; i < g->nshapes && !status && !g->e->failure; i++) status = put_shape(g, &g->shapes[i]);
  for (size_t i = 0; i < g->ndeformables && !status && !g->e->failure; i++)
    status = put_deformable(g, &g->deformables[i], &walk);
  for (size_t i = 0; i < g->ndeformables; i++)
    mb_put(g->e, g->deformables[i].index, g->deformables[i].nindex * sizeof(uint32_t));
  if (!status && g->size[MB_GLB_WEIGHTS]) put_weights(g);
  mb_walk_end(&walk);
  return status;
}
