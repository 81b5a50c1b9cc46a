// The JSON of a glb file: nodes, meshes, materials, accessors, one animation.
#include "io/export/glb.h"
#include "io/export/palette.h"

#include <string.h>

enum { FLOAT = 5126, UINT = 5125, ARRAY = 34962, ELEMENTS = 34963 };
enum { POINTS, LINES, TRIANGLES = 4 };

// What is being written: a list's items are separated by commas.
typedef struct Json {
  MbText *t;
  const MbGlb *g;
  size_t naccessors;
  bool first;
} Json;

static void begin_list(Json *j, const char *key) {
  mb_text_format(j->t, "\"%s\":[", key);
  j->first = true;
}

static void next(Json *j) {
  if (!j->first) mb_text_add(j->t, ",");
  j->first = false;
}

static void put_floats(Json *j, const char *key, const float *x, size_t n) {
  mb_text_format(j->t, ",\"%s\":[", key);
  for (size_t i = 0; i < n; i++) mb_text_format(j->t, i ? ",%.9g" : "%.9g", (double)x[i]);
  mb_text_add(j->t, "]");
}

// ---- nodes, meshes ----------------------------------------------------------------------------------------

static size_t shapes_of(const MbGlb *g, size_t body) {
  size_t n = 0;
  for (size_t i = 0; i < g->nshapes; i++) n += g->shapes[i].body == body ? 1 : 0;
  return n;
}

// Meshes are numbered by bodies that have shapes, then deformables.
static void describe_nodes(Json *j) {
  const MbGlb *g = j->g;
  const size_t n = g->nbodies + g->ndeformables;
  size_t mesh = 0;
  begin_list(j, "nodes");
  next(j); // the root turns z up into glTF's y up
  mb_text_add(j->t, "{\"name\":\"mbsim\",\"rotation\":[-0.70710678118654757,0,0,0.70710678118654757]");
  for (size_t i = 0; i < n; i++) mb_text_format(j->t, i ? ",%zu" : ",\"children\":[%zu", i + 1);
  mb_text_add(j->t, n ? "]}" : "}");
  for (size_t b = 0; b < g->nbodies; b++) {
    next(j);
    mb_text_add(j->t, "{\"name\":");
    mb_text_quoted(j->t, g->position->items_names[b]);
    if (shapes_of(g, b)) mb_text_format(j->t, ",\"mesh\":%zu", mesh++);
    mb_text_add(j->t, "}");
  }
  for (size_t i = 0; i < g->ndeformables; i++) {
    next(j);
    mb_text_add(j->t, "{\"name\":");
    mb_text_quoted(j->t, g->deformables[i].name);
    mb_text_format(j->t, ",\"mesh\":%zu}", mesh++);
  }
  mb_text_add(j->t, "],");
}

// Accessors: 0 times; bodies' places and rotations; shapes' places and normals; deformables' places, normals, indices, targets; the kept
// times and the weights.
static size_t shape_accessor(const MbGlb *g, size_t shape) { return 1 + 2 * g->nbodies + 2 * shape; }

static size_t deformable_accessor(const MbGlb *g, size_t deformable) {
  size_t at = shape_accessor(g, g->nshapes);
  for (size_t i = 0; i < deformable; i++) at += (g->deformables[i].nindex ? 3 : 2) + 2 * g->ntargets;
  return at;
}

static void describe_deformable(Json *j, size_t i) {
  const MbGlb *g = j->g;
  const MbGlbDeformable *deformable = &g->deformables[i];
  const size_t at = deformable_accessor(g, i), behind = at + (deformable->nindex ? 3 : 2);
  mb_text_add(j->t, "{\"name\":");
  mb_text_quoted(j->t, deformable->name);
  mb_text_format(j->t, ",\"primitives\":[{\"attributes\":{\"POSITION\":%zu,\"NORMAL\":%zu}", at, at + 1);
  if (deformable->nindex) mb_text_format(j->t, ",\"indices\":%zu", at + 2);
  mb_text_format(j->t, ",\"mode\":%d,\"material\":%zu",
                 deformable->mesh.corners >= 3 ? TRIANGLES
                 : deformable->nindex          ? LINES
                                               : POINTS,
                 g->nbodies + i);
  for (size_t k = 0; k < g->ntargets; k++)
    mb_text_format(j->t, "%s{\"POSITION\":%zu,\"NORMAL\":%zu}", k ? "," : ",\"targets\":[", behind + 2 * k,
                   behind + 2 * k + 1);
  mb_text_add(j->t, g->ntargets ? "]}]}" : "}]}");
}

static void describe_meshes(Json *j) {
  const MbGlb *g = j->g;
  if (!g->nshapes && !g->ndeformables) return;
  begin_list(j, "meshes");
  for (size_t b = 0; b < g->nbodies; b++) {
    if (!shapes_of(g, b)) continue;
    next(j);
    mb_text_add(j->t, "{\"name\":");
    mb_text_quoted(j->t, g->position->items_names[b]);
    mb_text_add(j->t, ",\"primitives\":[");
    for (size_t i = 0, n = 0; i < g->nshapes; i++) {
      if (g->shapes[i].body != b) continue;
      const size_t at = shape_accessor(g, i);
      mb_text_format(j->t, "%s{\"attributes\":{\"POSITION\":%zu,\"NORMAL\":%zu},\"material\":%zu}",
                     n++ ? "," : "", at, at + 1, g->shapes[i].material);
    }
    mb_text_add(j->t, "]}");
  }
  for (size_t i = 0; i < g->ndeformables; i++) {
    next(j);
    describe_deformable(j, i);
  }
  mb_text_add(j->t, "],");
}

static void describe_material(Json *j, const char *name, const double rgba[4], bool solid) {
  next(j);
  mb_text_add(j->t, "{\"name\":");
  mb_text_quoted(j->t, name);
  mb_text_format(j->t,
                 ",\"doubleSided\":%s%s,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.6f,%.6f,%.6f,%.6g],"
                 "\"metallicFactor\":0.05,\"roughnessFactor\":%s}}",
                 solid ? "false" : "true", rgba[3] < 1 ? ",\"alphaMode\":\"BLEND\"" : "", rgba[0], rgba[1],
                 rgba[2], rgba[3], solid ? "0.55" : "0.7");
}

static void describe_materials(Json *j) {
  const MbGlb *g = j->g;
  if (!g->nshapes && !g->ndeformables) return;
  begin_list(j, "materials");
  for (size_t b = 0; b < g->nbodies; b++) {
    double rgba[4] = {0, 0, 0, 1};
    mb_palette(b, rgba);
    describe_material(j, g->position->items_names[b], rgba, true);
  }
  for (size_t i = 0; i < g->ndeformables; i++)
    describe_material(j, g->deformables[i].name, g->deformables[i].rgba, false);
  for (size_t i = 0; i < g->nshapes; i++)
    if (g->shapes[i].colored) describe_material(j, g->shapes[i].mesh.name, g->shapes[i].rgba, true);
  mb_text_add(j->t, "],");
}

// ---- accessors --------------------------------------------------------------------------------------------

static void add_accessor(Json *j, MbGlbPart part, uint64_t offset, int type, size_t count,
                         const char *shape) {
  size_t view = 0;
  for (int p = 0; p < (int)part; p++) view += j->g->size[p] ? 1 : 0;
  next(j);
  j->naccessors++;
  mb_text_format(j->t,
                 "{\"bufferView\":%zu,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"",
                 view, (unsigned long long)offset, type, count, shape);
}

static void end_accessor(Json *j) { mb_text_add(j->t, "}"); }

static void bounded(Json *j, const float bounds[6]) {
  put_floats(j, "min", bounds, 3);
  put_floats(j, "max", bounds + 3, 3);
  end_accessor(j);
}

static void times_accessor(Json *j, MbGlbPart part, uint64_t offset, size_t count, float last) {
  const float first = 0;
  add_accessor(j, part, offset, FLOAT, count, "SCALAR");
  put_floats(j, "min", &first, 1);
  put_floats(j, "max", &last, 1);
  end_accessor(j);
}

static void shape_bounds(const MbGlbShape *shape, float bounds[6]) {
  for (int k = 0; k < 6; k++) bounds[k] = k < 3 ? INFINITY : -INFINITY;
  for (size_t i = 0; i < 3 * shape->surface.n; i++)
    for (size_t k = 0; k < 3; k++) {
      const float x = (float)shape->mesh.vertex[3 * (size_t)shape->surface.triangle[i] + k];
      bounds[k] = fminf(bounds[k], x);
      bounds[3 + k] = fmaxf(bounds[3 + k], x);
    }
}

static void describe_accessors(Json *j) {
  const MbGlb *g = j->g;
  const size_t n = g->nframes;
  uint64_t keys = 4 * (uint64_t)n, corners = 0, indices = 0;
  begin_list(j, "accessors");
  times_accessor(j, MB_GLB_KEYS, 0, n, g->time[n - 1]);
  for (size_t b = 0; b < g->nbodies; b++, keys += 28 * (uint64_t)n) {
    add_accessor(j, MB_GLB_KEYS, keys, FLOAT, n, "VEC3");
    end_accessor(j);
    add_accessor(j, MB_GLB_KEYS, keys + 12 * (uint64_t)n, FLOAT, n, "VEC4");
    end_accessor(j);
  }
  for (size_t i = 0; i < g->nshapes; i++) {
    const size_t count = 3 * g->shapes[i].surface.n;
    float bounds[6];
    shape_bounds(&g->shapes[i], bounds);
    add_accessor(j, MB_GLB_CORNERS, corners, FLOAT, count, "VEC3");
    bounded(j, bounds);
    add_accessor(j, MB_GLB_CORNERS, corners + 12 * (uint64_t)count, FLOAT, count, "VEC3");
    end_accessor(j);
    corners += 24 * (uint64_t)count;
  }
  for (size_t i = 0; i < g->ndeformables; i++) {
    const MbGlbDeformable *deformable = &g->deformables[i];
    for (size_t k = 0; k <= g->ntargets; k++, corners += 24 * (uint64_t)deformable->mesh.nv) {
      add_accessor(j, MB_GLB_CORNERS, corners, FLOAT, deformable->mesh.nv, "VEC3");
      bounded(j, deformable->bounds[k]);
      add_accessor(j, MB_GLB_CORNERS, corners + 12 * (uint64_t)deformable->mesh.nv, FLOAT,
                   deformable->mesh.nv, "VEC3");
      end_accessor(j);
      if (k || !deformable->nindex) continue;
      add_accessor(j, MB_GLB_INDICES, indices, UINT, deformable->nindex, "SCALAR");
      end_accessor(j);
      indices += 4 * (uint64_t)deformable->nindex;
    }
  }
  if (g->size[MB_GLB_WEIGHTS]) {
    times_accessor(j, MB_GLB_WEIGHTS, 0, g->nkept, g->time[mb_glb_kept(g, g->ntargets)]);
    add_accessor(j, MB_GLB_WEIGHTS, 4 * (uint64_t)g->nkept, FLOAT, g->nkept * g->ntargets, "SCALAR");
    end_accessor(j);
  }
  mb_text_add(j->t, "],");
}

static void describe_views(Json *j) {
  static const int target[MB_GLB_PARTS] = {[MB_GLB_CORNERS] = ARRAY, [MB_GLB_INDICES] = ELEMENTS};
  uint64_t at = 0;
  begin_list(j, "bufferViews");
  for (int p = 0; p < MB_GLB_PARTS; p++) {
    const uint64_t size = j->g->size[p];
    if (!size) continue;
    next(j);
    mb_text_format(j->t, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu", (unsigned long long)at,
                   (unsigned long long)size);
    if (p == MB_GLB_CORNERS) mb_text_add(j->t, ",\"byteStride\":12");
    if (target[p]) mb_text_format(j->t, ",\"target\":%d", target[p]);
    mb_text_add(j->t, "}");
    at += size;
  }
  mb_text_format(j->t, "],\"buffers\":[{\"byteLength\":%llu}],", (unsigned long long)at);
}

// ---- animation --------------------------------------------------------------------------------------------

// Two channels a body, one a deformable; sampler k belongs to channel k.
static void describe_animation(Json *j) {
  const MbGlb *g = j->g;
  const size_t weights = deformable_accessor(g, g->ndeformables);
  const bool morphs = g->size[MB_GLB_WEIGHTS] > 0;
  size_t sampler = 0;
  if (!g->nbodies && !morphs) return;
  mb_text_add(j->t, "\"animations\":[{\"name\":\"run\",");
  begin_list(j, "channels");
  for (size_t b = 0; b < g->nbodies; b++)
    for (int k = 0; k < 2; k++) {
      next(j);
      mb_text_format(j->t, "{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}", sampler++, b + 1,
                     k ? "rotation" : "translation");
    }
  for (size_t i = 0; morphs && i < g->ndeformables; i++) {
    next(j);
    mb_text_format(j->t, "{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"weights\"}}", sampler++,
                   g->nbodies + i + 1);
  }
  mb_text_add(j->t, "],");
  begin_list(j, "samplers");
  for (size_t k = 0; k < 2 * g->nbodies; k++) {
    next(j);
    mb_text_format(j->t, "{\"input\":0,\"output\":%zu}", 1 + k);
  }
  for (size_t i = 0; morphs && i < g->ndeformables; i++) {
    next(j);
    mb_text_format(j->t, "{\"input\":%zu,\"output\":%zu}", weights, weights + 1);
  }
  mb_text_add(j->t, "]}],");
}

void mb_glb_describe(const MbGlb *g, MbText *t) {
  Json j = {.t = t, .g = g};
  mb_text_format(t, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"mbsim %s\"},\"scene\":0,", mb_version());
  mb_text_add(t, "\"scenes\":[{\"nodes\":[0]}],");
  describe_nodes(&j);
  describe_meshes(&j);
  describe_materials(&j);
  describe_accessors(&j);
  describe_animation(&j);
  describe_views(&j);
  if (!t->failed) t->length--; // the last comma
  mb_text_add(t, "}");
}
