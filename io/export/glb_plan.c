// What goes into a glb file: bodies with their shapes, deformables, the frames that get keys, the bounds that glTF asks for.
#include "io/export/glb.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/looks.h"
#include "io/export/palette.h"

#include <math.h>
#include <string.h>

static const MbChannel *find_channel(const MbExporter *e, const char *name) {
  for (size_t i = 0; i < e->nchannels; i++)
    if (!strcmp(e->channels[i].name, name)) return &e->channels[i];
  return NULL;
}

static const MbChannel *deformable_channel(const MbExporter *e, const char *name) {
  static const char before[] = "deformable.", behind[] = ".position";
  for (size_t i = 0; i < e->nchannels; i++) {
    const char *c = e->channels[i].name;
    const size_t n = strlen(name);
    if (!strncmp(c, before, sizeof before - 1) && !strncmp(c + sizeof before - 1, name, n) &&
        !strcmp(c + sizeof before - 1 + n, behind))
      return &e->channels[i];
  }
  return NULL;
}

// ---- meshes -----------------------------------------------------------------------------------------------

static size_t body_number(const MbGlb *g, const char *name) {
  for (size_t b = 0; b < g->nbodies; b++)
    if (!strcmp(g->position->items_names[b], name)) return b;
  return g->nbodies;
}

static bool add_shape(MbGlb *g, MbLooks *looks, const MbTrajMesh *mesh) {
  MbGlbShape *shape = &g->shapes[g->nshapes];
  *shape = (MbGlbShape){.body = body_number(g, mesh->body), .mesh = *mesh};
  if (shape->body == g->nbodies || mesh->corners != 3 || !mesh->ne) return true;
  const double *rgba = mb_looks_of_shape(looks, shape->body, mesh->body, mesh->name);
  shape->colored = rgba != NULL;
  if (rgba) memcpy(shape->rgba, rgba, sizeof shape->rgba);
  if (!mb_surface_make(mesh, &shape->surface)) return false;
  g->nshapes++;
  return true;
}

static bool add_deformable(MbGlb *g, MbLooks *looks, const MbTrajMesh *mesh) {
  MbGlbDeformable *deformable = &g->deformables[g->ndeformables];
  *deformable =
      (MbGlbDeformable){.name = mesh->name, .position = deformable_channel(g->e, mesh->name), .mesh = *mesh};
  if (!deformable->position || deformable->position->items != mesh->nv || !mesh->nv) return true;
  if (!mb_surface_make(mesh, &deformable->surface)) return false;
  const double *rgba = mb_looks_of_deformable(looks, mesh->name);
  mb_palette(g->nbodies + g->ndeformables, deformable->rgba), deformable->rgba[3] = 1;
  if (rgba) memcpy(deformable->rgba, rgba, sizeof deformable->rgba);
  g->ndeformables++;
  deformable->index = mesh->corners == 2 ? mesh->element : deformable->surface.triangle;
  deformable->nindex = mesh->corners == 2 ? 2 * (size_t)mesh->ne : 3 * deformable->surface.n;
  return true;
}

static MbStatus find_meshes(MbGlb *g) {
  MbExporter *e = g->e;
  const size_t n = mb_traj_meshes(e->traj);
  g->shapes = mb_calloc(n + 1, sizeof *g->shapes);
  g->deformables = mb_calloc(n + 1, sizeof *g->deformables);
  if (!g->shapes || !g->deformables) return mb_no_memory(e->report, "the meshes");
  MbLooks looks;
  mb_looks_begin(&looks, e->traj);
  MbStatus status = MB_OK;
  for (size_t i = 0; i < n && !status; i++) {
    MbTrajMesh mesh;
    status = mb_traj_read_mesh(e->traj, i, &mesh, e->report);
    if (!status &&
        !(mesh.body ? !g->position || add_shape(g, &looks, &mesh) : add_deformable(g, &looks, &mesh)))
      status = mb_no_memory(e->report, "the meshes");
  }
  mb_looks_end(&looks);
  for (size_t i = 0, own = g->nbodies + g->ndeformables; i < g->nshapes; i++)
    g->shapes[i].material = g->shapes[i].colored ? own++ : g->shapes[i].body;
  return status;
}

// ---- frames -----------------------------------------------------------------------------------------------

static bool add_frame(MbGlb *g, uint64_t i, float time) {
  if (g->nframes == g->frame_room) {
    const size_t room = g->frame_room ? 2 * g->frame_room : 1024;
    uint64_t *frame = mb_realloc(g->frame, room, sizeof *frame);
    if (frame) g->frame = frame;
    float *times = mb_realloc(g->time, room, sizeof *times);
    if (times) g->time = times;
    if (!frame || !times) return false;
    g->frame_room = room;
  }
  g->frame[g->nframes] = i;
  g->time[g->nframes++] = time;
  return true;
}

static bool all_finite(const double *x, size_t n) {
  bool good = true;
  for (size_t i = 0; i < n; i++) good &= isfinite((float)x[i]) != 0;
  return good;
}

// Numbers of this frame that are shown.
static bool showable(const MbGlb *g, const double *frame) {
  bool good = !g->position || all_finite(frame + g->position->offset, 3 * g->nbodies);
  good = good && (!g->rotation || all_finite(frame + g->rotation->offset, 4 * g->nbodies));
  for (size_t i = 0; i < g->ndeformables; i++)
    good =
        good && all_finite(frame + g->deformables[i].position->offset, 3 * (size_t)g->deformables[i].mesh.nv);
  return good;
}

// glTF's times are 32-bit floats from 0 that increase, and its numbers finite: other frames are left out.
static MbStatus choose_frames(MbGlb *g) {
  MbExporter *e = g->e;
  MbWalk walk = {0};
  MbStatus status = mb_walk_begin(&walk, e->traj, NULL, e->report);
  double start = 0;
  uint64_t left = 0;
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && !status;
       i = mb_frames_next(&e->frames, i + 1)) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(&walk, mb_frames_at(&e->frames, i), &time, &frame, e->report);
    if (status) break;
    if (!g->nframes) start = time;
    const float t = (float)(time - start);
    if ((g->nframes && t <= g->time[g->nframes - 1]) || !showable(g, frame))
      left++;
    else if (!add_frame(g, i, t))
      status = mb_no_memory(e->report, "the frames");
  }
  mb_walk_end(&walk);
  if (!status && left)
    mb_warning(e->report, "",
               "%llu frames are left out: their times do not increase as 32-bit floats, or they hold "
               "numbers that are not finite",
               (unsigned long long)left);
  if (!status && !g->nframes) status = mb_error(e->report, MB_IO, "", "no frame can be shown");
  return status;
}

// ---- bounds -----------------------------------------------------------------------------------------------

static void grow(float bounds[6], const float *x, size_t n) {
  for (int k = 0; k < 3; k++) bounds[k] = INFINITY, bounds[3 + k] = -INFINITY;
  for (size_t i = 0; i < 3 * n; i++) {
    bounds[i % 3] = fminf(bounds[i % 3], x[i]);
    bounds[3 + i % 3] = fmaxf(bounds[3 + i % 3], x[i]);
  }
}

void mb_glb_deformable_corners(const MbGlbDeformable *deformable, const double *x, const float *base,
                               double *work, float *out) {
  const size_t nv = deformable->mesh.nv;
  for (size_t i = 0; i < 3 * nv; i++) out[i] = (float)x[i];
  mb_surface_normals(&deformable->surface, x, nv, work, out + 3 * nv);
  for (size_t i = 0; base && i < 6 * nv; i++) out[i] -= base[i];
}

static MbStatus measure_deformable(MbGlb *g, MbGlbDeformable *deformable, MbWalk *walk) {
  const size_t nv = deformable->mesh.nv;
  double *work = mb_calloc(3 * nv, sizeof *work);
  float *base = mb_calloc(6 * nv, sizeof *base), *out = mb_calloc(6 * nv, sizeof *out);
  deformable->bounds = mb_calloc(g->nkept, sizeof *deformable->bounds);
  MbStatus status =
      work && base && out && deformable->bounds ? MB_OK : mb_no_memory(g->e->report, "the export");
  for (size_t k = 0; k < g->nkept && !status; k++) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(walk, mb_frames_at(&g->e->frames, g->frame[mb_glb_kept(g, k)]), &time, &frame,
                           g->e->report);
    if (status) break;
    mb_glb_deformable_corners(deformable, frame + deformable->position->offset, k ? base : NULL, work,
                              k ? out : base);
    grow(deformable->bounds[k], k ? out : base, nv);
  }
  mb_free(work);
  mb_free(base);
  mb_free(out);
  return status;
}

static MbStatus measure(MbGlb *g) {
  MbWalk walk = {0};
  MbStatus status = mb_walk_begin(&walk, g->e->traj, NULL, g->e->report);
  for (size_t i = 0; i < g->ndeformables && !status; i++)
    status = measure_deformable(g, &g->deformables[i], &walk);
  mb_walk_end(&walk);
  return status;
}

static void size_parts(MbGlb *g) {
  const uint64_t n = g->nframes;
  g->size[MB_GLB_KEYS] = 4 * n + (g->position ? 28 * n * g->nbodies : 0);
  for (size_t i = 0; i < g->nshapes; i++) g->size[MB_GLB_CORNERS] += 72 * (uint64_t)g->shapes[i].surface.n;
  for (size_t i = 0; i < g->ndeformables; i++) {
    g->size[MB_GLB_CORNERS] += 24 * (uint64_t)g->deformables[i].mesh.nv * (g->ntargets + 1);
    g->size[MB_GLB_INDICES] += 4 * (uint64_t)g->deformables[i].nindex;
  }
  if (g->ndeformables && g->ntargets) g->size[MB_GLB_WEIGHTS] = 4 * (uint64_t)g->nkept * (g->ntargets + 1);
}

MbStatus mb_glb_plan(MbExporter *e, size_t most, MbGlb *g) {
  *g = (MbGlb){
      .e = e, .position = find_channel(e, "body.position"), .rotation = find_channel(e, "body.rotation")};
  if (g->position && g->position->items_names) g->nbodies = g->position->items;
  if (!g->nbodies) g->position = g->rotation = NULL;
  MbStatus status = find_meshes(g);
  if (!status && !g->position && !g->ndeformables)
    status =
        mb_error(e->report, MB_USAGE, "",
                 "%s has no channel body.position and no deformable's position: there is nothing to show",
                 mb_traj_path(e->traj));
  if (!status) status = choose_frames(g);
  if (status) return status;
  g->nkept = g->nframes <= most ? g->nframes : most > 1 ? most : 1;
  g->ntargets = g->nkept - 1;
  status = measure(g);
  if (!status) size_parts(g);
  return status;
}

void mb_glb_free(MbGlb *g) {
  for (size_t i = 0; i < g->nshapes; i++) mb_free(g->shapes[i].surface.triangle);
  for (size_t i = 0; i < g->ndeformables; i++) {
    mb_free(g->deformables[i].surface.triangle);
    mb_free(g->deformables[i].bounds);
  }
  mb_free(g->shapes);
  mb_free(g->deformables);
  mb_free(g->frame);
  mb_free(g->time);
  *g = (MbGlb){0};
}
