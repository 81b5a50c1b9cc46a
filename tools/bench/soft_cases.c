#include "tools/bench/soft_cases.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <string.h>

static const double DENSITY = 1000, THICKNESS = 1e-3; // kg/m³, m

static void add_masses(MbSoftThing *thing) {
  const MbElementMesh *mesh = &thing->mesh;
  const size_t corners = mesh->tets ? 4 : 3, n = mb_soft_thing_elements(thing);
  for (size_t e = 0; e < n; e++) {
    const uint32_t *node = (mesh->tets ? mesh->tet : mesh->triangle) + corners * e;
    double d[3][3] = {{0}}, across[3];
    for (size_t k = 1; k < corners; k++)
      mb_vec3_sub(d[k - 1], mesh->x + 3 * (size_t)node[k], mesh->x + 3 * (size_t)node[0]);
    mb_vec3_cross(across, d[0], d[1]);
    const double volume = mesh->tets ? mb_vec3_dot(across, d[2]) / 6 : THICKNESS * mb_vec3_norm(across) / 2;
    for (size_t k = 0; k < corners; k++) thing->mass[node[k]] += DENSITY * volume / (double)corners;
  }
}

bool mb_soft_thing_make(const MbSoftCase *c, MbSoftThing *thing) {
  static const double size[3] = {0.5, 0.5, 1};
  const size_t counts[3] = {c->cells + 1, c->cells + 1, 2 * c->cells + 1};
  *thing = (MbSoftThing){0};
  const bool made = c->cloth ? mb_element_mesh_grid(&thing->mesh, counts[0], counts[1], 1, 1, true)
                             : mb_element_mesh_box(&thing->mesh, counts, size);
  if (!made) return false;
  const size_t n = thing->mesh.nodes;
  thing->mass = mb_calloc(n, sizeof *thing->mass);
  thing->held = mb_calloc(n, sizeof *thing->held);
  thing->q = mb_calloc(n, 3 * sizeof *thing->q);
  thing->v = mb_calloc(n, 3 * sizeof *thing->v);
  thing->target = mb_calloc(n, 3 * sizeof *thing->target);
  if (!thing->mass || !thing->held || !thing->q || !thing->v || !thing->target) {
    mb_soft_thing_free(thing);
    return false;
  }
  const size_t axis = c->cloth ? 0 : 2;
  for (size_t i = 0; i < n; i++) {
    const double x = thing->mesh.x[3 * i + axis];
    if (x < 1e-9 || x > 1 - 1e-9) thing->held[i] = 7;
  }
  memcpy(thing->q, thing->mesh.x, 3 * n * sizeof *thing->q);
  memcpy(thing->target, thing->mesh.x, 3 * n * sizeof *thing->q);
  thing->part = (MbSoftPart){.mesh = &thing->mesh,
                             .elastic = mb_elastic_from(c->model, c->young, c->poisson, c->cloth),
                             .thickness = THICKNESS,
                             .bending = MB_NO_BENDING};
  add_masses(thing);
  return true;
}

void mb_soft_thing_free(MbSoftThing *thing) {
  mb_element_mesh_free(&thing->mesh);
  mb_free(thing->mass);
  mb_free(thing->held);
  mb_free(thing->q);
  mb_free(thing->v);
  mb_free(thing->target);
  *thing = (MbSoftThing){0};
}

MbSoftEngine *mb_soft_thing_engine(const MbSoftThing *thing, MbSoftSpec spec, double h) {
  MbSoftPart part = thing->part;
  MbSoftEngine *engine = NULL;
  part.mesh = &thing->mesh;
  spec.nodes = thing->mesh.nodes, spec.mass = thing->mass, spec.held = thing->held;
  spec.nparts = 1, spec.parts = &part, spec.h = h;
  return mb_soft_create(&spec, &engine, NULL) == MB_OK ? engine : NULL;
}

void mb_soft_thing_aim(MbSoftThing *thing, double angle, double stretch) {
  const bool cloth = thing->mesh.tets == 0;
  const double c = cos(angle), s = sin(angle);
  for (size_t i = 0; i < thing->mesh.nodes; i++) {
    const double *x = thing->mesh.x + 3 * i;
    double *to = thing->target + 3 * i;
    if (x[cloth ? 0 : 2] < 0.5) continue;
    mb_vec3_copy(to, x);
    if (cloth)
      to[0] += stretch;
    else
      to[0] = 0.25 + c * (x[0] - 0.25) - s * (x[1] - 0.25),
      to[1] = 0.25 + s * (x[0] - 0.25) + c * (x[1] - 0.25);
  }
}

bool mb_soft_thing_step(MbSoftThing *thing, MbSoftEngine *engine) {
  const MbSoftStart start = {thing->q, thing->v, thing->target, thing->gravity, NULL, NULL};
  return mb_soft_step(engine, &start, thing->q, thing->v);
}

size_t mb_soft_thing_elements(const MbSoftThing *thing) {
  return thing->mesh.tets ? thing->mesh.tets : thing->mesh.triangles;
}
