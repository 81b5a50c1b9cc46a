#include "tools/bench/pd_cases.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <string.h>

static const double DENSITY = 1000, THICKNESS = 1e-3; // kg/m³, m

static void add_masses(MbPdThing *thing) {
  const MbElementMesh *mesh = &thing->mesh;
  const size_t corners = mesh->tets ? 4 : 3, n = mb_pd_thing_elements(thing);
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

bool mb_pd_thing_make(const MbPdCase *c, MbPdThing *thing) {
  static const double size[3] = {0.5, 0.5, 1};
  const size_t counts[3] = {c->cells + 1, c->cells + 1, 2 * c->cells + 1};
  *thing = (MbPdThing){0};
  const bool made = c->cloth ? mb_element_mesh_grid(&thing->mesh, counts[0], counts[1], 1, 1, true)
                             : mb_element_mesh_box(&thing->mesh, counts, size);
  if (!made) return false;
  const size_t n = thing->mesh.nodes;
  thing->mass = mb_calloc(n, sizeof *thing->mass);
  thing->placed = mb_calloc(n, sizeof *thing->placed);
  thing->q = mb_calloc(n, 3 * sizeof *thing->q);
  thing->v = mb_calloc(n, 3 * sizeof *thing->v);
  thing->target = mb_calloc(n, 3 * sizeof *thing->target);
  if (!thing->mass || !thing->placed || !thing->q || !thing->v || !thing->target) {
    mb_pd_thing_free(thing);
    return false;
  }
  const size_t axis = c->cloth ? 0 : 2;
  for (size_t i = 0; i < n; i++) {
    const double x = thing->mesh.x[3 * i + axis];
    if (x < 1e-9 || x > 1 - 1e-9) thing->placed[i] = 7;
  }
  memcpy(thing->q, thing->mesh.x, 3 * n * sizeof *thing->q);
  memcpy(thing->target, thing->mesh.x, 3 * n * sizeof *thing->q);
  thing->part = (MbPdPart){.mesh = &thing->mesh,
                           .elastic = mb_elastic_from(c->model, c->young, c->poisson, c->cloth),
                           .thickness = THICKNESS,
                           .bending = MB_NO_BENDING};
  add_masses(thing);
  return true;
}

void mb_pd_thing_free(MbPdThing *thing) {
  mb_element_mesh_free(&thing->mesh);
  mb_free(thing->mass);
  mb_free(thing->placed);
  mb_free(thing->q);
  mb_free(thing->v);
  mb_free(thing->target);
  *thing = (MbPdThing){0};
}

MbPdEngine *mb_pd_thing_engine(const MbPdThing *thing, MbPdSpec spec, double h) {
  MbPdPart part = thing->part;
  MbPdEngine *engine = NULL;
  part.mesh = &thing->mesh;
  spec.nodes = thing->mesh.nodes, spec.mass = thing->mass, spec.placed = thing->placed;
  spec.nparts = 1, spec.parts = &part, spec.h = h;
  return mb_pd_create(&spec, &engine, NULL) == MB_OK ? engine : NULL;
}

void mb_pd_thing_aim(MbPdThing *thing, double angle, double stretch) {
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

bool mb_pd_thing_step(MbPdThing *thing, MbPdEngine *engine) {
  const MbNodeStart start = {thing->q, thing->v, thing->target, thing->gravity, NULL, NULL};
  return mb_pd_step(engine, &start, thing->q, thing->v);
}

size_t mb_pd_thing_elements(const MbPdThing *thing) {
  return thing->mesh.tets ? thing->mesh.tets : thing->mesh.triangles;
}
