// What acts on the surfaces of parts in a step (deformables/surface_load.h), and fibres, which have an energy as they are. Pressure has an energy as it is. Wind becomes one: with f₀ and C those of a
// triangle at the start of the step, which has the mean velocity v̄₀ there, and d how far the triangle's middle has moved,
//
//   f = f₀ − C (d/h − v̄₀),  E = −f₀ · d + ½ h (d/h − v̄₀)ᵀ C (d/h − v̄₀)
//
// so that all methods come to the same step, which is that of `implicit` where nodes are bodies.
#include "core/base/alloc.h"
#include "core/math/mat3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

bool mb_pd_loads_make(MbPdEngine *engine, const MbPdSpec *spec) {
  static const MbElementSurface nothing = {.gas = 0};
  engine->loaded = mb_calloc(spec->nparts, sizeof *engine->loaded);
  if (!engine->loaded) return false;
  for (size_t i = 0; i < spec->nparts; i++) {
    const MbPdPart *part = &spec->parts[i];
    const MbElementSurface *surface = part->surface ? part->surface : &nothing;
    if (!part->surface && !part->fibred) continue;
    MbPdLoaded *to = &engine->loaded[engine->nloaded++];
    const size_t n = surface->nouter;
    *to = (MbPdLoaded){.of = surface, .fibred = part->fibred, .part = i, .first = part->first};
    to->f = mb_calloc(n, 3 * sizeof *to->f);
    to->C = mb_calloc(n, 9 * sizeof *to->C);
    to->v = mb_calloc(n, 3 * sizeof *to->v);
    to->x = mb_calloc(n, 3 * sizeof *to->x);
    if (!to->f || !to->C || !to->v || !to->x) return false;
  }
  return true;
}

void mb_pd_loads_free(MbPdEngine *engine) {
  for (size_t i = 0; i < engine->nloaded; i++) {
    mb_free(engine->loaded[i].f);
    mb_free(engine->loaded[i].C);
    mb_free(engine->loaded[i].v);
    mb_free(engine->loaded[i].x);
  }
  mb_free(engine->loaded);
}

size_t mb_pd_loads_bytes(const MbPdEngine *engine) {
  size_t bytes = engine->nloaded * sizeof *engine->loaded;
  for (size_t i = 0; i < engine->nloaded; i++) bytes += engine->loaded[i].of->nouter * 18 * sizeof(double);
  return bytes;
}

static MbSpots spots_of(const MbPdLoaded *surface, const double *q) {
  return (MbSpots){q + 3 * surface->first, 3};
}

static void middle_of(MbSpots spots, const uint32_t corner[3], double middle[3]) {
  mb_vec3_add(middle, mb_spot(&spots, corner[0]), mb_spot(&spots, corner[1]));
  mb_vec3_add(middle, middle, mb_spot(&spots, corner[2]));
  mb_vec3_scale(middle, 1.0 / 3, middle);
}

void mb_pd_loads_begin(MbPdEngine *engine) {
  const MbNodeStart *start = engine->start;
  for (size_t i = 0; i < engine->nloaded; i++) {
    MbPdLoaded *s = &engine->loaded[i];
    s->load = start->load[s->part];
    for (size_t t = 0; t < s->of->nouter; t++) {
      const uint32_t *const corner = s->of->outer + 3 * t;
      double a[3], u[3];
      middle_of(spots_of(s, start->v), corner, s->v + 3 * t);
      middle_of(spots_of(s, start->q), corner, s->x + 3 * t);
      mb_triangle_area(spots_of(s, start->q), corner, a);
      mb_vec3_sub(u, s->load.wind, s->v + 3 * t);
      if (mb_wind_force(s->of, t, a, u, s->f + 3 * t, s->C + 9 * t, NULL, NULL)) continue;
      memset(s->f + 3 * t, 0, 3 * sizeof *s->f);
      memset(s->C + 9 * t, 0, 9 * sizeof *s->C);
    }
  }
}

static double press(const MbPdLoaded *s, const double *q, double *f) {
  const MbSpots spots = spots_of(s, q);
  double energy = 0, P, a[3];
  for (size_t k = 0; k < s->of->nchambers; k++) {
    energy += mb_chamber_energy(s->of, k, s->load.pressure, mb_chamber_volume(s->of, k, spots), &P, NULL);
    for (size_t t = s->of->chamber[k]; f && t < s->of->chamber[k + 1]; t++) {
      const uint32_t *const corner = s->of->inner + 3 * t;
      mb_triangle_area(spots, corner, a);
      for (size_t j = 0; j < 3; j++) {
        double *to = f + 3 * (s->first + corner[j]);
        mb_vec3_add_scaled(to, to, P / 3, a);
      }
    }
  }
  return energy;
}

static double blow(const MbPdLoaded *s, double h, const double *q, double *f) {
  double energy = 0, d[3], e[3], Ce[3];
  for (size_t t = 0; t < s->of->nouter; t++) {
    const uint32_t *const corner = s->of->outer + 3 * t;
    middle_of(spots_of(s, q), corner, d);
    mb_vec3_sub(d, d, s->x + 3 * t);
    for (size_t c = 0; c < 3; c++) e[c] = d[c] / h - s->v[3 * t + c];
    mb_mat3_apply(Ce, s->C + 9 * t, e);
    energy += h * mb_vec3_dot(e, Ce) / 2 - mb_vec3_dot(s->f + 3 * t, d);
    for (size_t j = 0; f && j < 3; j++) {
      double *to = f + 3 * (s->first + corner[j]);
      for (size_t c = 0; c < 3; c++) to[c] += (s->f[3 * t + c] - Ce[c]) / 3;
    }
  }
  return energy;
}

static double draw(const MbPdLoaded *s, const double *q, double *f) {
  size_t corners;
  const size_t n = mb_pd_fibred(s, &corners);
  double energy = 0, y[3], u[3], T;
  for (size_t m = 0; n && m < s->fibred->nfibres; m++) {
    const MbFibres *fibres = &s->fibred->fibres[m];
    for (size_t k = 0; k < n; k++) {
      const uint32_t *const corner = mb_pd_fibred_corners(s, k);
      const double *const c = fibres->weight + corners * k, V = s->fibred->fibre_volume[k];
      mb_fibre_along(c, corners, spots_of(s, q), corner, y);
      energy += V * mb_fibre_pull(fibres, s->load.activation[m], y, u, &T, NULL);
      for (size_t a = 0; f && a < corners; a++) {
        double *to = f + 3 * (s->first + corner[a]);
        mb_vec3_add_scaled(to, to, -V * T * c[a], u);
      }
    }
  }
  return energy;
}

double mb_pd_loads(const MbPdEngine *engine, const double *q, double *f) {
  double energy = 0;
  for (size_t i = 0; i < engine->nloaded; i++)
    energy += press(&engine->loaded[i], q, f) + blow(&engine->loaded[i], engine->span, q, f) +
              draw(&engine->loaded[i], q, f);
  return energy;
}
