// Forces between points: the points in the bodies' centre-of-mass frames, rest lengths from the poses at the start, and
// the pairs of bodies that they couple.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/forces/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE = 128 };

// ---- one force --------------------------------------------------------------------------------------------

static MbStatus build_point(const MbPointSpec *spec, const char *where, const MbModel *model,
                            MbForcePoint *point, MbReport *report) {
  MbPose at, inverse;
  size_t listed = 0;
  memcpy(at.p, spec->frame.position, sizeof at.p);
  memcpy(at.q, spec->frame.rotation, sizeof at.q);
  *point = (MbForcePoint){.body = MB_WORLD, .at = at};
  if (spec->node) return mb_compile_node(model, spec, where, &point->body, report);
  if (spec->body && !strcmp(spec->body, "world")) return MB_OK;
  if (!spec->body || !mb_names_find(&model->names, spec->body, &listed)) {
    char body[WHERE + 16];
    snprintf(body, sizeof body, "%s/body", where);
    const char *near = spec->body ? mb_nearest_word(spec->body, model->listed) : NULL;
    return mb_error(report, MB_SCENE, body, "no body is called \"%s\"%s%s%s", spec->body ? spec->body : "",
                    near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
  }
  point->body = model->number[listed];
  mb_pose_inverse(&inverse, &model->C[point->body]);
  mb_pose_mul(&point->at, &inverse, &at);
  mb_quat_normalise(point->at.q);
  return MB_OK;
}

// Which segments count in the length
static MbStatus build_segments(const MbForceSpec *spec, const char *where, MbModel *model, MbForce *force,
                               MbReport *report) {
  const size_t segments = spec->npoints - 1;
  bool *active = mb_arena_alloc(&model->arena, segments, sizeof *active);
  if (!active) return mb_no_memory(report, "forces");
  for (size_t s = 0; s < segments; s++) active[s] = true;
  force->active = active;
  size_t left = segments;
  for (size_t k = 0; k < spec->passive.count; k++) {
    const double s = spec->passive.value[k];
    char at[WHERE];
    snprintf(at, sizeof at, "%.90s/passive/%zu", where, k);
    if (!(s >= 0 && s < (double)segments) || s != floor(s))
      return mb_error(report, MB_SCENE, at, "there is no segment %g: this path has 0 to %zu", s,
                      segments - 1);
    left -= active[(size_t)s];
    active[(size_t)s] = false;
  }
  if (left) return MB_OK;
  char at[WHERE];
  snprintf(at, sizeof at, "%.90s/passive", where);
  return mb_error(report, MB_SCENE, at, "no segment is left that counts in the length");
}

MbStatus mb_compile_points(const MbForceSpec *spec, const char *where, MbModel *model, MbForce *force,
                           MbReport *report) {
  const size_t n = spec->npoints, least = force->ops->least, most = force->ops->most;
  const char *key = most == 2 ? "between" : "path";
  char at[WHERE];
  snprintf(at, sizeof at, "%.60s/%s", where, key);
  if (n < least || n > most)
    return mb_error(report, MB_SCENE, at, "found %zu points, wanted %s%zu", n,
                    most == least ? ""
                    : n < least   ? "at least "
                                  : "at most ",
                    n < least ? least : most);
  MbForcePoint *points = mb_arena_alloc(&model->arena, n, sizeof *points);
  if (!points) return mb_no_memory(report, "forces");
  force->npoints = n, force->points = points;
  MbStatus status = MB_OK;
  bool moves = false;
  for (size_t i = 0; i < n; i++) {
    char one[WHERE];
    snprintf(one, sizeof one, "%.80s/%zu", at, i);
    const MbStatus found = build_point(&spec->points[i], one, model, &points[i], report);
    if (found != MB_OK) status = found;
    moves |= points[i].body != points[0].body;
  }
  if (status != MB_OK) return status;
  if (!moves)
    return mb_error(report, MB_SCENE, at, "all points are fixed in \"%s\": the force could move nothing",
                    spec->points[0].node ? spec->points[0].node : spec->points[0].body);
  memcpy(force->stiffness, spec->stiffness, sizeof force->stiffness);
  memcpy(force->damping, spec->damping, sizeof force->damping);
  force->law = spec->law, force->length = spec->length;
  force->max_force = spec->max_force, force->max_velocity = spec->max_velocity;
  force->optimal_length = spec->optimal_length, force->tendon_length = spec->tendon_length;
  snprintf(at, sizeof at, "%.60s/length", where);
  if (force->law == MB_LAW_ZERO_LENGTH && !isnan(spec->length))
    return mb_error(report, MB_SCENE, at, "a spring of law \"zero_length\" has no \"length\"");
  return build_segments(spec, where, model, force, report);
}

// ---- rest lengths -----------------------------------------------------------------------------------------

static bool needs_length(const MbForce *force) {
  return force->npoints && force->ops->energy && force->law != MB_LAW_ZERO_LENGTH;
}

static MbStatus rest_lengths(size_t nforces, const MbModel *model, MbForce *forces, MbReport *report) {
  if (!model->joint) return MB_OK; // the joints are wrong, and said so
  bool any = false;
  for (size_t i = 0; i < nforces; i++) any |= needs_length(&forces[i]);
  if (!any) return MB_OK;
  MbMaximal x = {.nb = model->nb};
  x.E = mb_calloc(model->nb, sizeof *x.E);
  x.phi = mb_calloc(6 * model->nb, sizeof *x.phi);
  MbStatus status = x.E && x.phi ? MB_OK : mb_no_memory(report, "forces");
  if (status == MB_OK) mb_compile_poses(model, x.E);
  for (size_t i = 0; i < nforces && status != MB_IO; i++) {
    MbForce *force = &forces[i];
    MbPath path;
    if (!needs_length(force)) continue;
    if (isnan(force->length)) {
      mb_path_at(force, &x, &path);
      force->length = path.length;
    }
    char where[WHERE];
    snprintf(where, sizeof where, "/forces/%zu/length", i);
    if (!(force->length > 0) && (force->law == MB_LAW_STRAIN || force->law == MB_LAW_QUADRATIC_STRAIN))
      status = mb_error(report, MB_SCENE, where,
                        "the rest length is %g: laws by strain divide by it, and it must be positive",
                        force->length);
  }
  mb_free(x.E);
  mb_free(x.phi);
  return status;
}

// ---- pairs ------------------------------------------------------------------------------------------------

typedef struct Pair {
  size_t body[2]; // first < second
} Pair;

static int ascending(const void *a, const void *b) {
  const size_t *x = ((const Pair *)a)->body, *y = ((const Pair *)b)->body;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

static bool is_pair(const MbForce *force, size_t i, size_t j, Pair *pair) {
  const size_t a = force->points[i].body, b = force->points[j].body;
  *pair = a < b ? (Pair){{a, b}} : (Pair){{b, a}};
  return a != b && pair->body[1] != MB_WORLD;
}

// Where the derivative of i's wrench by j's motion stands
static size_t place_of(const MbModel *model, const Pair *pairs, const MbForce *force, size_t i, size_t j) {
  const size_t a = force->points[i].body, b = force->points[j].body;
  Pair pair;
  if (a == MB_WORLD || b == MB_WORLD) return MB_WORLD;
  if (!is_pair(force, i, j, &pair)) return 36 * a;
  const Pair *found = bsearch(&pair, pairs, model->npairs, sizeof pair, ascending);
  return 36 * (model->nb + 2 * (size_t)(found - pairs) + (a > b));
}

// All pairs that forces couple, some of them more than once; into `pairs` (NULL: only counted).
static size_t list_pairs(size_t nforces, const MbForce *forces, Pair *pairs) {
  size_t n = 0;
  for (size_t f = 0; f < nforces; f++) {
    const MbElementForce *e = forces[f].elements;
    Pair pair;
    for (size_t i = 0; i < forces[f].npoints; i++)
      for (size_t j = 0; j < i; j++) {
        if (!is_pair(&forces[f], i, j, &pair)) continue;
        if (pairs) pairs[n] = pair;
        n++;
      }
    for (size_t k = 0; e && k < e->ncouples; k++, n++)
      if (pairs) pairs[n] = (Pair){{e->first + e->couple[2 * k], e->first + e->couple[2 * k + 1]}};
  }
  return n;
}

// Each once, ascending.
static MbStatus make_pairs(size_t nforces, MbModel *model, const MbForce *forces, MbReport *report) {
  const size_t n = list_pairs(nforces, forces, NULL);
  Pair *all = mb_calloc(n, sizeof *all);
  if (!all) return mb_no_memory(report, "forces");
  list_pairs(nforces, forces, all);
  qsort(all, n, sizeof *all, ascending);
  for (size_t i = 0; i < n; i++)
    if (!i || ascending(&all[i], &all[model->npairs - 1])) all[model->npairs++] = all[i];
  Pair *pairs = mb_arena_alloc(&model->arena, model->npairs, sizeof *pairs);
  if (pairs && n) memcpy(pairs, all, model->npairs * sizeof *pairs);
  mb_free(all);
  if (!pairs) return mb_no_memory(report, "forces");
  model->pair = &pairs->body[0];
  return MB_OK;
}

MbStatus mb_compile_pairs(size_t nforces, MbModel *model, MbForce *forces, MbReport *report) {
  MbStatus status = rest_lengths(nforces, model, forces, report);
  if (status == MB_OK) status = make_pairs(nforces, model, forces, report);
  if (status != MB_OK) return status;
  size_t most = 0;
  for (size_t f = 0; f < nforces; f++) most += forces[f].npoints * forces[f].npoints;
  const Pair *pairs = (const Pair *)model->pair;
  size_t *places = mb_arena_alloc(&model->arena, most, sizeof *places);
  if (!places) return mb_no_memory(report, "forces");

  for (size_t f = 0; f < nforces; f++) {
    MbForce *force = &forces[f];
    const MbElementForce *e = force->elements;
    const size_t m = force->npoints;
    for (size_t k = 0; e && k < e->ncouples; k++) {
      const Pair pair = {{e->first + e->couple[2 * k], e->first + e->couple[2 * k + 1]}};
      const Pair *found = bsearch(&pair, pairs, model->npairs, sizeof pair, ascending);
      ((size_t *)e->pair)[k] = (size_t)(found - pairs);
    }
    force->block = places;
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < m; j++) *places++ = place_of(model, pairs, force, i, j);
  }
  return MB_OK;
}
