// Contact: the solids that may touch, what friction and restitution they have.
#include "core/base/alloc.h"
#include "core/base/names.h"
#include "core/base/report.h"
#include "core/base/sort.h"
#include "core/compile/compile_internal.h"
#include "core/compile/mesh_weld.h"
#include "core/model/ops.h"

#include <stdio.h>
#include <string.h>

// ---- what makes no sense with contact ---------------------------------------------------------------------

static MbStatus check_scheme(const MbSceneSpec *spec, MbReport *report) {
  const MbIntegratorKind kind = spec->integrator.kind;
  if (spec->solver.mode == MB_FIRST_ORDER)
    return mb_error(
        report, MB_SCENE, "/contact",
        "contact makes no sense in mode \"first_order\" of solver \"maximal\", where velocities are no "
        "state: take mode \"dynamic\", or \"enabled\": false");
  if (kind == MB_SYMPLECTIC || kind == MB_IMPLICIT) return MB_OK;
  if (kind == MB_RK45)
    return mb_error(report, MB_SCENE, "/integrator",
                    "\"rk45\" takes no contact: its steps are as long as motion is smooth, and impacts and "
                    "the stick and slip of friction are not; take \"symplectic\" or \"implicit\"");
  if (mb_integrator_is_full(kind))
    return mb_error(report, MB_SCENE, "/integrator",
                    "\"%s\" takes no contact yet: its Newton steps go by derivatives of all forces, which "
                    "where contacts open, close, stick or slip there are none of; take \"symplectic\" or "
                    "\"implicit\"",
                    mb_integrator_words[kind]);
  return mb_error(report, MB_SCENE, "/integrator",
                  "\"%s\" takes no contact: its half steps would count an impact twice, and across one no "
                  "step of fixed length has an order above one; take \"symplectic\" or \"implicit\"",
                  mb_integrator_words[kind]);
}

static MbStatus check_rules(const MbSceneSpec *spec, MbReport *report) {
  const MbContactsSpec *contact = spec->contact;
  MbStatus status = check_scheme(spec, report);
  if (contact->sides % 2)
    status = mb_error(report, MB_SCENE, "/contact/sides", "a pyramid has an even number of sides, not %d",
                      contact->sides);
  if (contact->damping > 0 && !(contact->compliance > 0))
    status = mb_error(report, MB_SCENE, "/contact/damping",
                      "damping is of soft contacts: give a \"compliance\" too, or leave it out");
  return status;
}

// ---- solids -----------------------------------------------------------------------------------------------

// A shape's word wins over its material's, that over its body's material's, that over the scene's.
static double nearest(double shape, double material, double body, double scene) {
  const double said[] = {shape, material, body};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (!isnan(said[i])) return said[i];
  return scene;
}

static void find_surface(const MbSceneSpec *spec, const MbBodySpec *body, const MbShapeSpec *shape,
                         MbSolid *solid) {
  const MbMaterialSpec none = {.friction = NAN, .restitution = NAN};
  const MbMaterialSpec *own = mb_find_material(spec, shape->material),
                       *all = mb_find_material(spec, body->material);
  if (!own) own = &none;
  if (!all) all = &none;
  solid->friction = nearest(shape->friction, own->friction, all->friction, spec->contact->friction);
  solid->restitution =
      nearest(shape->restitution, own->restitution, all->restitution, spec->contact->restitution);
}

static bool is_same(const MbMesh *x, const MbMesh *y) {
  return x->nv == y->nv && x->nt == y->nt && !memcmp(x->vertex, y->vertex, 3 * x->nv * sizeof *x->vertex) &&
         !memcmp(x->triangle, y->triangle, 3 * x->nt * sizeof *x->triangle);
}

// The mesh, with one vertex where several were in one place, that the last of the solids has: that of another one that is the same.
static MbStatus copy_mesh(MbModel *model, const MbMesh *from, MbSolid *solids, size_t last,
                          MbReport *report) {
  const size_t nv = 3 * from->nv * sizeof *from->vertex, nt = 3 * from->nt * sizeof *from->triangle;
  MbMesh copy = {.nv = from->nv, .nt = from->nt, .vertex = mb_calloc(1, nv), .triangle = mb_calloc(1, nt)};
  MbStatus status = copy.vertex && copy.triangle ? MB_OK : mb_no_memory(report, "contact");
  if (status == MB_OK) {
    memcpy(copy.vertex, from->vertex, nv);
    memcpy(copy.triangle, from->triangle, nt);
    status = mb_mesh_merge(&copy, report);
  }
  for (size_t i = 0; i < last && status == MB_OK && !solids[last].mesh; i++)
    if (solids[i].mesh && is_same(solids[i].mesh, &copy)) solids[last].mesh = solids[i].mesh;
  if (status == MB_OK && !solids[last].mesh) {
    MbMesh *mesh = mb_arena_alloc(&model->arena, 1, sizeof *mesh);
    if (mesh) {
      *mesh = (MbMesh){.nv = copy.nv, .nt = copy.nt};
      mesh->vertex = mb_arena_alloc(&model->arena, 3 * copy.nv, sizeof *mesh->vertex);
      mesh->triangle = mb_arena_alloc(&model->arena, 3 * copy.nt, sizeof *mesh->triangle);
    }
    if (mesh && mesh->vertex && mesh->triangle) {
      memcpy(mesh->vertex, copy.vertex, 3 * copy.nv * sizeof *mesh->vertex);
      if (copy.nt) memcpy(mesh->triangle, copy.triangle, 3 * copy.nt * sizeof *mesh->triangle);
      solids[last].mesh = mesh;
    } else
      status = mb_no_memory(report, "contact");
  }
  mb_free(copy.vertex), mb_free(copy.triangle);
  return status;
}

// A plane's frame: z along the normal, the origin on the plane.
static void plane_frame(const MbShapeSpec *shape, MbPose *E) {
  const double z[3] = {0, 0, 1}, *n = shape->normal;
  double axis[3], turn[3];
  mb_vec3_scale(E->p, shape->offset, n);
  mb_vec3_cross(axis, z, n);
  const double sine = mb_vec3_norm(axis), angle = atan2(sine, n[2]);
  if (sine > 0)
    mb_vec3_scale(turn, angle / sine, axis);
  else
    mb_vec3_set(turn, angle, 0, 0);
  mb_quat_exp(E->q, turn);
}

static MbStatus make_solid(const MbSceneSpec *spec, size_t listed, size_t k, MbModel *model, MbSolid *solids,
                           size_t last, MbReport *report) {
  MbSolid *solid = &solids[last];
  const MbBodySpec *body = &spec->bodies[listed];
  const MbShapeSpec *shape = &body->shapes[k];
  MbPose in_body, own, C, frame;
  *solid = (MbSolid){.kind = shape->kind,
                     .as = shape->collide,
                     .listed = listed,
                     .shape = k,
                     .among = body->shape_list,
                     .body = model->number[listed],
                     .radius = shape->radius,
                     .length = shape->length};
  memcpy(solid->size, shape->size, sizeof solid->size);
  mb_pose_identity(&own);
  if (shape->kind == MB_SHAPE_PLANE) plane_frame(shape, &own);
  memcpy(frame.p, shape->frame.position, sizeof frame.p);
  memcpy(frame.q, shape->frame.rotation, sizeof frame.q);
  mb_pose_mul(&in_body, &frame, &own);
  mb_pose_inverse(&C, &model->C[solid->body]);
  mb_pose_mul(&solid->at, &C, &in_body);
  find_surface(spec, body, shape, solid);
  if (shape->kind == MB_SHAPE_MESH) return copy_mesh(model, shape->mesh, solids, last, report);
  if (shape->collide < MB_COLLIDE_HULL) return MB_OK;
  char where[64];
  mb_solid_where(solid, "/collide", where, sizeof where);
  return mb_error(report, MB_SCENE, where, "\"%s\" is a word for meshes: a %s collides as it is, by true",
                  mb_collide_words[shape->collide - MB_COLLIDE_HULL], mb_shape_words[shape->kind]);
}

// What stands still comes first, then bodies by their names, then a body's shapes: in whatever order a scene lists its bodies, contacts
// are in the same one, and what is summed over them is the same to the last bits.
typedef struct Named {
  const MbSceneSpec *spec;
  const MbModel *model;
  const MbSolid *solid;
} Named;

static bool follows(const void *context, uint32_t i, uint32_t j) {
  const Named *named = context;
  const MbSolid *x = &named->solid[i], *y = &named->solid[j];
  const size_t *moved = named->model->contacts.moved;
  const bool x_stands = moved[x->body] == MB_WORLD, y_stands = moved[y->body] == MB_WORLD;
  if (x_stands != y_stands) return y_stands;
  const int order =
      mb_names_compare(named->spec->bodies[x->listed].name, named->spec->bodies[y->listed].name);
  return order ? order > 0 : i > j;
}

static MbStatus sort_solids(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const size_t n = model->contacts.nsolids;
  const Named named = {spec, model, model->contacts.solids};
  MbSolid *solids = mb_arena_alloc(&model->arena, n, sizeof *solids);
  uint32_t *order = mb_calloc(n ? n : 1, sizeof *order);
  if (solids && order) mb_sort_numbers(order, n, follows, &named);
  for (size_t i = 0; i < n && solids && order; i++) solids[i] = named.solid[order[i]];
  mb_free(order);
  if (!solids || !order) return mb_no_memory(report, "contact");
  model->contacts.solids = solids;
  return MB_OK;
}

static MbStatus list_solids(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  size_t n = 0;
  for (size_t i = 0; i < spec->nbodies; i++)
    for (size_t k = 0; k < spec->bodies[i].nshapes; k++)
      n += spec->bodies[i].shapes[k].collide != MB_COLLIDE_NOT;
  MbSolid *solids = mb_arena_alloc(&model->arena, n, sizeof *solids);
  if (!solids) return mb_no_memory(report, "contact");
  MbStatus status = MB_OK;
  n = 0;
  for (size_t i = 0; i < spec->nbodies; i++)
    for (size_t k = 0; k < spec->bodies[i].nshapes; k++) {
      if (spec->bodies[i].shapes[k].collide == MB_COLLIDE_NOT) continue;
      const MbStatus one = make_solid(spec, i, k, model, solids, n++, report);
      if (one != MB_OK) status = one;
    }
  model->contacts.solids = solids;
  model->contacts.nsolids = n;
  model->contacts.any = n > 0;
  return status;
}

// Bodies that are fixed to others move with them.
static MbStatus find_movers(MbModel *model, MbReport *report) {
  size_t *moved = mb_arena_alloc(&model->arena, model->nb, sizeof *moved);
  if (!moved) return mb_no_memory(report, "contact");
  for (size_t b = 0; b < model->nb; b++) { // parents come first
    const size_t parent = model->parent[b];
    const bool fixed = model->joint[b].ops && model->joint[b].n == 0;
    moved[b] = !fixed ? b : parent == MB_WORLD ? MB_WORLD : moved[parent];
  }
  model->contacts.moved = moved;
  return MB_OK;
}

// Iterations where a scene gives none: sweeps and turns cost far less than steps of Newton's method, and come nearer by less.
static const int patience[MB_CONTACT_METHODS] = {[MB_CONTACT_AUTO] = MB_CONTACT_ITERATIONS,
                                                 [MB_CONTACT_BY_PIVOTING] = MB_CONTACT_ITERATIONS,
                                                 [MB_CONTACT_BY_GAUSS_SEIDEL] = 2000,
                                                 [MB_CONTACT_BY_STAGGERED] = 500,
                                                 [MB_CONTACT_BY_NEWTON] = MB_CONTACT_ITERATIONS,
                                                 [MB_CONTACT_BY_ADMM] = 5000};

MbStatus mb_compile_contacts(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const MbContactsSpec *contact = spec->contact;
  if (!contact) return MB_OK;
  model->contacts.given = true; // channels of contact are empty where it is switched off
  if (!contact->enabled) return MB_OK;
  model->contacts =
      (MbContacts){.given = true,
                   .method = contact->method,
                   .cone = contact->cone,
                   .sides = contact->sides,
                   .iterations = contact->iterations ? contact->iterations : patience[contact->method],
                   .function = contact->function,
                   .threshold = contact->threshold,
                   .compliance = contact->compliance,
                   .damping = contact->damping,
                   .tolerance = contact->tolerance};
  // impacts slower than what gravity makes of rest in two steps are none: a body that lies is not thrown about
  if (isnan(contact->threshold))
    model->contacts.threshold = 2 * mb_vec3_norm(spec->gravity) * spec->time.step;
  MbStatus status = check_rules(spec, report);
  if (status == MB_OK) status = list_solids(spec, model, report);
  if (status == MB_OK) status = find_movers(model, report);
  if (status == MB_OK) status = sort_solids(spec, model, report);
  if (status == MB_OK) status = mb_compile_surfaces(spec, model, report);
  return status == MB_OK ? mb_compile_contact_rules(spec, model, report) : status;
}
