// What tells a model from others that a checkpoint could be of: FNV-1a over all that decides a step's numbers.
//
// It takes structs whole, so that a parameter that is added to one is in it. Where a struct has pointers they stand first, and it is
// taken from the first of its numbers on; what pointers lead to is added beside. Bytes between members are set to zero before.
// Parameters of kinds of forces and constraints have none that are not: their memory is zero before the kind fills it (ops.h).
#include "core/compile/compile_internal.h"
#include "core/model/ops.h"

#include <stddef.h>
#include <string.h>

typedef uint64_t Mark;

// 2: linear velocities of bodies in space are in the world's axes. 3: parameters as a whole, by kind.
enum { LAYOUT = 3 };

static void add(Mark *mark, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++) *mark = (*mark ^ p[i]) * 0x100000001b3u;
}

#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define CLEAR(struct_) __builtin_clear_padding(struct_)
#endif
#endif
#ifndef CLEAR // then what lies between members is what compilers leave there: zeros of the arena
#define CLEAR(struct_) (void)(struct_)
#endif
// A struct, or what is of it from a member on.
#define ADD_FROM(mark, type, first, from)                                                                    \
  do {                                                                                                       \
    type copy_ = *(from);                                                                                    \
    CLEAR(&copy_);                                                                                           \
    add(mark, (const char *)&copy_ + offsetof(type, first), sizeof copy_ - offsetof(type, first));           \
  } while (0)
#define ADD(mark, type, from)                                                                                \
  do {                                                                                                       \
    type copy_ = *(from);                                                                                    \
    CLEAR(&copy_);                                                                                           \
    add(mark, &copy_, sizeof copy_);                                                                         \
  } while (0)
// Of a list of structs each, of numbers all at once.
#define ADD_ALL(mark, type, list, n)                                                                         \
  for (size_t i_ = 0; i_ < (n); i_++) ADD(mark, type, &(list)[i_])

static void add_doubles(Mark *mark, const double *x, size_t n) {
  if (n) add(mark, x, n * sizeof *x);
}

static void add_sizes(Mark *mark, const size_t *x, size_t n) {
  if (n) add(mark, x, n * sizeof *x);
}

static void add_nodes(Mark *mark, const uint32_t *x, size_t n) {
  if (n) add(mark, x, n * sizeof *x);
}

static void add_text(Mark *mark, const char *text) { add(mark, text, strlen(text) + 1); }

static void add_joint(Mark *mark, const MbJoint *joint) {
  const MbSpline *spline = joint->spline;
  add_text(mark, joint->ops ? joint->ops->name : "");
  ADD_FROM(mark, MbJoint, n, joint);
  if (joint->base) ADD(mark, MbPose, joint->base);
  if (spline) ADD_FROM(mark, MbSpline, rows, spline);
  if (spline && spline->frame) ADD_ALL(mark, MbPose, spline->frame, spline->rows);
  if (spline && spline->control) add_doubles(mark, spline->control, 6 * spline->rows * spline->columns);
  for (size_t i = 0; i < joint->nparts; i++) add_joint(mark, &joint->part[i]);
}

static void add_force(Mark *mark, const MbForce *force) {
  add_text(mark, force->ops->name);
  ADD_FROM(mark, MbForce, npoints, force);
  ADD_ALL(mark, MbForcePoint, force->points, force->npoints);
  add(mark, force->parameters, force->ops->parameters);
}

static void add_constraint(Mark *mark, const MbConstraint *constraint) {
  add_text(mark, constraint->ops->name);
  ADD_FROM(mark, MbConstraint, slot, constraint);
  ADD_ALL(mark, MbMaster, constraint->master, constraint->nmasters);
  add(mark, constraint->parameters, constraint->ops->parameters);
  if (constraint->closure) add_joint(mark, constraint->closure);
}

static void add_signal(Mark *mark, const MbSignal *signal) {
  ADD_FROM(mark, MbSignal, kind, signal);
  add_text(mark, signal->text ? signal->text : "");
  add_doubles(mark, signal->times, signal->count);
  add_doubles(mark, signal->values, signal->count);
}

static void add_cable(Mark *mark, const MbCable *cable) {
  ADD_FROM(mark, MbCable, npoints, cable);
  add_sizes(mark, cable->first, cable->npoints + 1);
  add_nodes(mark, cable->node, cable->first[cable->npoints]);
}

static void add_mesh(Mark *mark, const MbElementMesh *mesh) {
  const size_t sizes[] = {mesh->nodes, mesh->tets, mesh->triangles, mesh->edges};
  add_sizes(mark, sizes, sizeof sizes / sizeof *sizes);
  add_doubles(mark, mesh->x, 3 * mesh->nodes);
  add_nodes(mark, mesh->tet, 4 * mesh->tets);
  if (mesh->middle) add_nodes(mark, mesh->middle, 6 * mesh->tets);
  add_nodes(mark, mesh->triangle, 3 * mesh->triangles);
  add_nodes(mark, mesh->edge, 2 * mesh->edges);
}

static void add_surface(Mark *mark, const MbElementSurface *s) {
  ADD_FROM(mark, MbElementSurface, nchambers, s);
  add_sizes(mark, s->chamber, s->nchambers + 1);
  add_nodes(mark, s->inner, 3 * s->chamber[s->nchambers]);
  add_doubles(mark, s->volume, s->nchambers);
  add_nodes(mark, s->outer, 3 * s->nouter);
}

static void add_elements(Mark *mark, const MbElements *e) {
  ADD_FROM(mark, MbElements, npinned, e);
  add_mesh(mark, &e->mesh);
  add_doubles(mark, e->mass, e->mesh.nodes);
  add_doubles(mark, e->x0, 3 * e->mesh.nodes);
  add_doubles(mark, e->v0, 3 * e->mesh.nodes);
  ADD_ALL(mark, MbPinnedNode, e->pinned, e->npinned);
  ADD_ALL(mark, MbAttachedNode, e->attached, e->nattached);
  ADD_ALL(mark, MbPinMotion, e->motions, e->nmotions);
  for (size_t i = 0; i < e->ncables; i++) add_cable(mark, &e->cables[i]);
  if (e->surface) add_surface(mark, e->surface);
  const size_t corners = e->corners * e->points * (e->mesh.tets ? e->mesh.tets : e->mesh.triangles);
  for (size_t i = 0; i < e->nfibres; i++) {
    ADD_FROM(mark, MbFibres, stiffness, &e->fibres[i]);
    add_doubles(mark, e->fibres[i].weight, corners);
  }
}

static void add_bodies(Mark *mark, const MbModel *model) {
  const size_t nb = model->nb, nv = model->nv;
  add_doubles(mark, model->M, 6 * nb);
  ADD_ALL(mark, MbPose, model->C, nb);
  add_doubles(mark, model->damping, nb);
  add_sizes(mark, model->parent, nb);
  ADD_ALL(mark, MbPose, model->P, nb);
  ADD_ALL(mark, MbPose, model->B, nb);
  for (size_t b = 0; b < nb; b++) add_joint(mark, &model->joint[b]);
  add_doubles(mark, model->q0, model->nq);
  add_doubles(mark, model->v0, nv);
  add_doubles(mark, model->stiffness, nv);
  add_doubles(mark, model->rest, nv);
  add_doubles(mark, model->joint_damping, nv);
  if (model->rotors) add_doubles(mark, model->joint_inertia, nv);
  ADD_ALL(mark, MbDrive, model->drives, model->ndrives);
  ADD_ALL(mark, MbStop, model->stops, model->nstops);
}

static void add_contacts(Mark *mark, const MbContacts *contacts) {
  if (!contacts->given) return; // scenes without are known by the marks that they always had
  ADD_FROM(mark, MbContacts, given, contacts);
  for (size_t i = 0; i < contacts->nsolids; i++) {
    const MbSolid *solid = &contacts->solids[i];
    ADD_FROM(mark, MbSolid, kind, solid);
    if (!solid->mesh) continue;
    add_doubles(mark, solid->mesh->vertex, 3 * solid->mesh->nv);
    add(mark, solid->mesh->triangle, 3 * solid->mesh->nt * sizeof *solid->mesh->triangle);
  }
  ADD_ALL(mark, MbBodyRule, contacts->rules, contacts->nrules);
  for (size_t i = 0; i < contacts->nsurfaces; i++)
    ADD_FROM(mark, MbDeformableSurface, deformable, &contacts->surfaces[i]);
}

uint64_t mb_compile_fingerprint(const MbModel *model) {
  const size_t sizes[] = {LAYOUT,
                          model->nb,
                          model->ndrives,
                          model->nforces,
                          model->nconstraints,
                          model->nreductions,
                          model->nfollowers,
                          model->nports,
                          model->ndeformables,
                          model->nsignals};
  const double rates[] = {model->h, model->gamma, (double)model->ahead};
  Mark mark = 0xcbf29ce484222325u;
  add_sizes(&mark, sizes, sizeof sizes / sizeof *sizes);
  add_doubles(&mark, rates, sizeof rates / sizeof *rates);
  add_doubles(&mark, model->gravity, 3);
  ADD_FROM(&mark, MbSolverSpec, kind, &model->solver);
  ADD(&mark, MbIntegratorSpec, &model->integrator);
  add_bodies(&mark, model);
  for (size_t i = 0; i < model->nforces; i++) add_force(&mark, &model->forces[i]);
  for (size_t i = 0; i < model->nconstraints; i++) add_constraint(&mark, &model->constraints[i]);
  add_doubles(&mark, model->guess0, model->nguess);
  ADD_ALL(&mark, MbReduction, model->reductions, model->nreductions);
  for (size_t i = 0; i < model->nfollowers; i++) {
    ADD_FROM(&mark, MbFollower, body, &model->followers[i]);
    ADD_ALL(&mark, MbMaster, model->followers[i].master, model->followers[i].nmasters);
  }
  ADD_ALL(&mark, MbPort, model->ports, model->nports);
  for (size_t i = 0; i < model->ndeformables; i++)
    if (model->deformables[i].elements) add_elements(&mark, model->deformables[i].elements);
  add_contacts(&mark, &model->contacts);
  for (size_t i = 0; i < model->nsignals; i++) add_signal(&mark, &model->signals[i]);
  for (size_t i = 0; i < model->nconstants; i++) {
    add_text(&mark, model->constants[i].name);
    add_doubles(&mark, &model->constants[i].value, 1);
  }
  return mark;
}
