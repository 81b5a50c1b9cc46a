// A folder of VTK files, frame by frame: what is in memory is one frame.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/vtk_sets.h"

#include <string.h>

// A set: its name in the folder, its files' ending and kind, and what fills a file.
typedef enum SetKind { SURFACES, PLACES, LINES, SOFT } SetKind;

typedef struct Set {
  SetKind kind;
  size_t mesh; // SOFT
} Set;

// ---- what the trajectory has ------------------------------------------------------------------------------

static size_t body_number(const MbVtk *v, const char *name) {
  for (size_t b = 0; name && b < v->nbodies; b++)
    if (!strcmp(v->position->items_names[b], name)) return b;
  return SIZE_MAX;
}

static MbStatus read_meshes(MbVtk *v) {
  v->nmeshes = mb_traj_meshes(v->e.traj);
  v->mesh = mb_calloc(v->nmeshes + 1, sizeof *v->mesh);
  v->surface = mb_calloc(v->nmeshes + 1, sizeof *v->surface);
  v->body = mb_calloc(v->nmeshes + 1, sizeof *v->body);
  if (!v->mesh || !v->surface || !v->body) return mb_no_memory(v->e.report, "the meshes");
  for (size_t i = 0; i < v->nmeshes; i++) {
    const MbStatus status = mb_traj_read_mesh(v->e.traj, i, &v->mesh[i], v->e.report);
    if (status) return status;
    v->body[i] = body_number(v, v->mesh[i].body);
    if (v->mesh[i].body && !mb_surface_make(&v->mesh[i], &v->surface[i]))
      return mb_no_memory(v->e.report, "the meshes");
  }
  return mb_vtk_make_rest(v) ? MB_OK : mb_no_memory(v->e.report, "the meshes");
}

static MbStatus prepare(MbVtk *v) {
  v->position = mb_vtk_channel(v, "body.position", "", "");
  v->rotation = mb_vtk_channel(v, "body.rotation", "", "");
  v->velocity = mb_vtk_channel(v, "body.velocity", "", "");
  if (v->position && v->position->items_names) v->nbodies = v->position->items;
  const char *drawing = mb_traj_drawing_json(v->e.traj);
  if (drawing) v->drawing = cJSON_Parse(drawing);
  return read_meshes(v);
}

static void release(MbVtk *v) {
  for (size_t i = 0; i < v->nmeshes && v->surface; i++) mb_free(v->surface[i].triangle);
  for (size_t i = 0; i < v->nmeshes && v->rest; i++) mb_free(v->rest[i]);
  mb_free(v->rest);
  mb_free(v->mesh);
  mb_free(v->surface);
  mb_free(v->body);
  cJSON_Delete(v->drawing);
}

// Those that have something to show.
static size_t choose_sets(const MbVtk *v, Set *sets) {
  size_t n = 0, surfaces = 0;
  for (size_t i = 0; i < v->nmeshes; i++) surfaces += v->body[i] < v->nbodies ? 1 : 0;
  if (surfaces) sets[n++] = (Set){SURFACES, 0};
  if (v->nbodies) sets[n++] = (Set){PLACES, 0};
  if (mb_vtk_line_count(v)) sets[n++] = (Set){LINES, 0};
  for (size_t i = 0; i < v->nmeshes; i++) {
    const MbTrajMesh *m = &v->mesh[i];
    const MbChannel *c = m->body ? NULL : mb_vtk_channel(v, "deformable.", m->name, ".position");
    if (c && c->items == m->nv && m->nv && c->width == 3) sets[n++] = (Set){SOFT, i};
  }
  return n;
}

// ---- files ------------------------------------------------------------------------------------------------

// A name that is one part of a path on every system.
static void put_name(const MbVtk *v, Set set, MbText *t) {
  static const char *const words[] = {"bodies", "places", "lines"};
  if (set.kind != SOFT) {
    mb_text_add(t, words[set.kind]);
    return;
  }
  mb_text_add(t, "deformable.");
  for (const char *c = v->mesh[set.mesh].name; *c; c++)
    mb_text_add_n(t, strchr("/\\:*?\"<>|", *c) ? "_" : c, 1);
}

static void put_file_name(const MbVtk *v, Set set, uint64_t frame, MbText *t) {
  put_name(v, set, t);
  mb_text_format(t, "/%06llu.%s", (unsigned long long)frame, set.kind == SOFT ? "vtu" : "vtp");
}

static MbStatus write_text(const MbVtk *v, const char *name, const MbText *text) {
  FILE *out = v->folder->open(v->folder->to, name, v->e.report);
  if (!out) return MB_IO;
  MbStatus status = MB_OK;
  if (fwrite(text->text, 1, text->length, out) != text->length || fflush(out))
    status = mb_error(v->e.report, MB_IO, "", "cannot write %s", name);
  return v->folder->close(v->folder->to, status, v->e.report);
}

static void fill(const MbVtk *v, Set set, const double *frame, MbVtkFile *file) {
  const char *kind = set.kind == SOFT ? "UnstructuredGrid" : "PolyData";
  mb_vtk_begin(file, kind);
  mb_vtk_text(file, "<%s>\n", kind);
  switch (set.kind) {
  case SURFACES:
    mb_vtk_surfaces(v, frame, file);
    break;
  case PLACES:
    mb_vtk_places(v, frame, file);
    break;
  case LINES:
    mb_vtk_lines(v, frame, file);
    break;
  case SOFT:
    mb_vtk_deformable(v, set.mesh, frame, file);
    break;
  }
  mb_vtk_text(file, "</Piece>\n</%s>\n", kind);
}

static MbStatus write_frame(const MbVtk *v, Set set, uint64_t number, const double *frame) {
  MbText name = {0};
  MbVtkFile file = {0};
  put_file_name(v, set, number, &name);
  fill(v, set, frame, &file);
  FILE *out = name.failed ? NULL : v->folder->open(v->folder->to, name.text, v->e.report);
  MbStatus status = name.failed ? mb_no_memory(v->e.report, "the export") : out ? MB_OK : MB_IO;
  if (out) status = v->folder->close(v->folder->to, mb_vtk_write(&file, out, v->e.report), v->e.report);
  mb_vtk_free(&file);
  mb_free(mb_text_take(&name));
  return status;
}

static void add_listing(const MbVtk *v, Set set, uint64_t number, double time, MbText *t) {
  char text[64];
  snprintf(text, sizeof text, "<DataSet timestep=\"%.17g\" file=\"", time);
  mb_text_add(t, text);
  put_file_name(v, set, number, t);
  mb_text_add(t, "\"/>\n");
}

static MbStatus write_listing(const MbVtk *v, Set set, MbText *t) {
  MbText name = {0};
  put_name(v, set, &name);
  mb_text_add(&name, ".pvd");
  mb_text_add(t, "</Collection>\n</VTKFile>\n");
  const MbStatus status =
      name.failed || t->failed ? mb_no_memory(v->e.report, "the export") : write_text(v, name.text, t);
  mb_free(mb_text_take(&name));
  return status;
}

static MbStatus write_frames(MbVtk *v, const Set *sets, size_t nsets, MbText *listings) {
  MbExporter *e = &v->e;
  MbWalk walk = {0};
  MbStatus status = mb_walk_begin(&walk, e->traj, NULL, e->report);
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && !status;
       i = mb_frames_next(&e->frames, i + 1)) {
    double time = 0;
    const double *frame = NULL;
    const uint64_t number = mb_frames_at(&e->frames, i);
    status = mb_walk_frame(&walk, number, &time, &frame, e->report);
    for (size_t k = 0; k < nsets && !status; k++) {
      status = write_frame(v, sets[k], number, frame);
      add_listing(v, sets[k], number, time, &listings[k]);
    }
  }
  mb_walk_end(&walk);
  return status;
}

static MbStatus write_sets(MbVtk *v, const Set *sets, size_t nsets) {
  MbText *listings = mb_calloc(nsets, sizeof *listings);
  if (!listings) return mb_no_memory(v->e.report, "the export");
  for (size_t k = 0; k < nsets; k++)
    mb_text_add(&listings[k],
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n");
  MbStatus status = write_frames(v, sets, nsets, listings);
  for (size_t k = 0; k < nsets; k++) {
    if (!status) status = write_listing(v, sets[k], &listings[k]);
    mb_free(mb_text_take(&listings[k]));
  }
  mb_free(listings);
  return status;
}

MbStatus mb_export_vtk(MbTraj *traj, const MbExportOptions *options, const MbFolder *folder,
                       MbReport *report) {
  MbVtk v = {.e = {.traj = traj, .report = report}, .folder = folder};
  v.e.channels = mb_traj_channels(traj, &v.e.nchannels);
  MbStatus status = prepare(&v);
  if (!status) status = mb_export_choose_frames(&v.e, options);
  Set *sets = mb_calloc(v.nmeshes + 3, sizeof *sets);
  if (!status && !sets) status = mb_no_memory(report, "the export");
  const size_t nsets = status ? 0 : choose_sets(&v, sets);
  if (!status && !nsets)
    status =
        mb_error(report, MB_USAGE, "",
                 "%s has no channel body.position and no deformable's position: there is nothing to show",
                 mb_traj_path(traj));
  if (!status) status = write_sets(&v, sets, nsets);
  if (!status) mb_vtk_tell_missing(&v);
  mb_free(sets);
  release(&v);
  return status;
}
