// What acts on the surface of a deformable: which triangles are around its chambers, and which ones wind blows at.
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/deformables/mesh_surface.h"
#include "core/deformables/surface_load.h"
#include "core/model/builder.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 128 };

typedef struct Maker {
  const MbDeformableSpec *spec;
  size_t number; // of the deformable
  MbModel *model;
  const MbElements *of;
  MbMeshSurface found;
  MbElementSurface *to;
  MbReport *report;
} Maker;

static const char *at(const Maker *m, char where[WHERE], const char *key) {
  snprintf(where, WHERE, "/deformables/%zu/%s", m->number, key);
  return where;
}

static bool is_pressed(const MbDeformableSpec *spec) { return spec->pressed || spec->gas.pressure > 0; }

// ---- chambers ---------------------------------------------------------------------------------------------

// Of tetrahedra chambers are hollows, of cloth all that is closed.
static bool is_chamber(const Maker *m, size_t part) { return m->found.hollow[part] || !m->of->mesh.tets; }

static MbStatus check_closed(const Maker *m) {
  char where[WHERE];
  const char *key = m->spec->pressed ? "pressure" : "gas";
  const MbMeshSurface *found = &m->found;
  size_t chambers = 0;
  for (size_t part = 0; part < found->nclosed; part++) chambers += is_chamber(m, part);
  if (m->of->mesh.tets && !chambers)
    return mb_error(m->report, MB_SCENE, at(m, where, key),
                    "\"%s\" has no hollow: its tetrahedra fill all that its surface encloses", m->spec->name);
  if (!m->of->mesh.tets && (found->open || found->twisted))
    return mb_error(m->report, MB_SCENE, at(m, where, key),
                    "the surface of \"%s\" is not closed: %s the edge between nodes %u and %u", m->spec->name,
                    found->twisted ? "it has one side alone, as is seen at" : "it ends at", found->edge[0],
                    found->edge[1]);
  return MB_OK;
}

static MbStatus make_chambers(const Maker *m) {
  const MbMeshSurface *found = &m->found;
  MbElementSurface *to = m->to;
  MbArena *arena = &m->model->arena;
  uint32_t *inner = mb_arena_alloc(arena, found->count, 3 * sizeof *inner);
  size_t *chamber = mb_arena_alloc(arena, found->nclosed + 1, sizeof *chamber);
  double *volume = mb_arena_alloc(arena, found->nclosed, sizeof *volume);
  if (!inner || !chamber || !volume) return mb_no_memory(m->report, "deformables");
  to->inner = inner, to->chamber = chamber, to->volume = volume;
  for (size_t part = 0; part < found->nclosed && is_pressed(m->spec); part++) {
    const size_t first = found->first[part], count = found->first[part + 1] - first;
    if (!is_chamber(m, part)) continue;
    memcpy(inner + 3 * chamber[to->nchambers], found->triangle + 3 * first, 3 * count * sizeof *inner);
    chamber[to->nchambers + 1] = chamber[to->nchambers] + count;
    to->nchambers++;
  }
  for (size_t k = 0; k < to->nchambers; k++) {
    char where[WHERE];
    volume[k] = mb_chamber_volume(to, k, (MbSpots){m->of->x0, 3});
    if (!(volume[k] > 0))
      return mb_error(m->report, MB_SCENE, at(m, where, m->spec->pressed ? "pressure" : "gas"),
                      "a closed surface of \"%s\" encloses %g m^3 at the start: it is inside out",
                      m->spec->name, volume[k]);
  }
  return MB_OK;
}

// ---- wind -------------------------------------------------------------------------------------------------

// It does not blow in hollows.
static MbStatus make_outside(const Maker *m) {
  const MbMeshSurface *found = &m->found;
  MbElementSurface *to = m->to;
  uint32_t *outer = mb_arena_alloc(&m->model->arena, found->count, 3 * sizeof *outer);
  if (!outer) return mb_no_memory(m->report, "deformables");
  to->outer = outer;
  if (!m->spec->wind.given) return MB_OK;
  for (size_t part = 0; part < found->nclosed; part++) {
    const size_t first = found->first[part], count = found->first[part + 1] - first;
    if (found->hollow[part]) continue;
    memcpy(outer + 3 * to->nouter, found->triangle + 3 * first, 3 * count * sizeof *outer);
    to->nouter += count;
  }
  const size_t closed = found->nclosed ? found->first[found->nclosed] : 0;
  to->nclosed = to->nouter;
  if (found->count > closed)
    memcpy(outer + 3 * to->nouter, found->triangle + 3 * closed, 3 * (found->count - closed) * sizeof *outer);
  to->nouter += found->count - closed;
  return MB_OK;
}

// ---- signals ----------------------------------------------------------------------------------------------

static MbStatus add_signals(const Maker *m) {
  char where[WHERE], key[40];
  MbStatus status = MB_OK;
  if (m->spec->pressed)
    status = mb_model_add_signal(m->model, &m->spec->pressure, at(m, where, "pressure"), &m->to->pressure,
                                 m->report);
  for (size_t k = 0; k < 3 && m->spec->wind.given && status == MB_OK; k++) {
    snprintf(key, sizeof key, "wind/velocity/%zu", k);
    status = mb_model_add_signal(m->model, &m->spec->wind.velocity[k], at(m, where, key), &m->to->wind[k],
                                 m->report);
  }
  return status;
}

MbStatus mb_compile_surface(const MbDeformableSpec *spec, size_t i, MbModel *model,
                            const MbElements *elements, const MbElementSurface **surface, MbReport *report) {
  Maker m = {.spec = spec, .number = i, .model = model, .of = elements, .report = report};
  char where[WHERE];
  if (!is_pressed(spec) && !spec->wind.given) return MB_OK;
  if (spec->gas.pressure > 0 && model->solver.kind != MB_SOLVER_PROJECTIVE)
    return mb_error(
        report, MB_SCENE, at(&m, where, "gas"),
        "a gas couples all nodes around it with one another, which solver \"projective\" alone solves "
        "for: take it, or a \"pressure\"");
  m.to = mb_arena_alloc(&model->arena, 1, sizeof *m.to);
  if (!m.to || !mb_mesh_surface_find(&elements->mesh, &m.found)) return mb_no_memory(report, "deformables");
  *m.to = (MbElementSurface){.pressure = SIZE_MAX, .wind = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
  if (spec->gas.pressure > 0) m.to->gas = spec->gas.pressure, m.to->outside = spec->gas.outside;
  if (spec->wind.given)
    m.to->density = spec->wind.density, m.to->drag = spec->wind.drag, m.to->lift = spec->wind.lift;
  MbStatus status = is_pressed(spec) ? check_closed(&m) : MB_OK;
  if (status == MB_OK) status = make_chambers(&m);
  if (status == MB_OK) status = make_outside(&m);
  if (status == MB_OK) status = add_signals(&m);
  mb_mesh_surface_free(&m.found);
  *surface = m.to;
  return status;
}
