// What tells a model from others that a checkpoint could be of: FNV-1a over all that decides a step's numbers.
#include "core/compile/compile_internal.h"
#include "core/model/ops.h"

#include <stddef.h>
#include <string.h>

typedef uint64_t Mark;

enum { LAYOUT = 2 }; // of the state; 2: linear velocities of bodies in space are in the world's axes

static void add(Mark *mark, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++) *mark = (*mark ^ p[i]) * 0x100000001b3u;
}

static void add_doubles(Mark *mark, const double *x, size_t n) {
  if (n) add(mark, x, n * sizeof *x);
}

static void add_sizes(Mark *mark, const size_t *x, size_t n) {
  if (n) add(mark, x, n * sizeof *x);
}

static void add_text(Mark *mark, const char *text) { add(mark, text, strlen(text) + 1); }

static void add_joint(Mark *mark, const MbJoint *joint) {
  const MbSpline none = {0}, *spline = joint->spline ? joint->spline : &none;
  const size_t sizes[] = {joint->n, joint->nparts, spline->rows, spline->columns, spline->closed};
  add_text(mark, joint->ops ? joint->ops->name : "");
  add_sizes(mark, sizes, sizeof sizes / sizeof *sizes);
  add_doubles(mark, joint->axis, 3);
  add_doubles(mark, &joint->lead, 1);
  add(mark, joint->order, sizeof joint->order);
  if (spline->frame) add(mark, spline->frame, spline->rows * sizeof *spline->frame);
  if (spline->control) add_doubles(mark, spline->control, 6 * spline->rows * spline->columns);
  for (size_t i = 0; i < joint->nparts; i++) {
    add_joint(mark, &joint->part[i]);
    if (joint->part[i].base) add(mark, joint->part[i].base, sizeof *joint->part[i].base);
  }
}

// From the first of its numbers on as it is, and its kind's own.
static void add_force(Mark *mark, const MbForce *force) {
  const size_t first = offsetof(MbForce, npoints);
  add_text(mark, force->ops->name);
  add(mark, (const char *)force + first, sizeof *force - first);
  add(mark, force->points, force->npoints * sizeof *force->points);
  add(mark, force->parameters, force->ops->parameters);
}

static void add_masters(Mark *mark, const MbMaster *master, size_t n) {
  for (size_t i = 0; i < n; i++) {
    add_sizes(mark, &master[i].body, 1);
    add_doubles(mark, &master[i].weight, 1);
  }
}

static void add_constraint(Mark *mark, const MbConstraint *constraint) {
  const size_t first = offsetof(MbConstraint, slot);
  add_text(mark, constraint->ops->name);
  add(mark, (const char *)constraint + first, sizeof *constraint - first);
  add(mark, constraint->parameters, constraint->ops->parameters);
  if (constraint->closure) add_joint(mark, constraint->closure);
  add_masters(mark, constraint->master, constraint->nmasters);
}

static void add_drive(Mark *mark, const MbDrive *drive) {
  const size_t sizes[] = {drive->q, drive->v, drive->force, drive->target};
  const double numbers[] = {drive->stiffness, drive->damping, drive->most};
  add_sizes(mark, sizes, sizeof sizes / sizeof *sizes);
  add_doubles(mark, numbers, sizeof numbers / sizeof *numbers);
  if (drive->target_velocity != MB_WORLD) add_sizes(mark, &drive->target_velocity, 1);
}

static void add_signal(Mark *mark, const MbSignal *signal) {
  const size_t sizes[] = {signal->kind, signal->interpolation, signal->count};
  add_sizes(mark, sizes, sizeof sizes / sizeof *sizes);
  add_doubles(mark, &signal->value, 1);
  add_text(mark, signal->text ? signal->text : "");
  add_doubles(mark, signal->times, signal->count);
  add_doubles(mark, signal->values, signal->count);
}

static void add_elements(Mark *mark, const MbElements *e) {
  const double numbers[] = {e->stiffness, e->damping,          e->young, e->poisson, e->density,
                            e->thickness, e->bending_stiffness};
  const size_t kinds[] = {e->kind,           e->law,       e->model, e->bending, e->mesh.tets,
                          e->mesh.triangles, e->mesh.edges};
  const size_t n = e->mesh.nodes;
  add_doubles(mark, numbers, sizeof numbers / sizeof *numbers);
  add_sizes(mark, kinds, sizeof kinds / sizeof *kinds);
  add_doubles(mark, e->mesh.x, 3 * n);
  if (e->mesh.tets) add(mark, e->mesh.tet, 4 * e->mesh.tets * sizeof *e->mesh.tet);
  if (e->mesh.triangles) add(mark, e->mesh.triangle, 3 * e->mesh.triangles * sizeof *e->mesh.triangle);
  if (e->mesh.edges) add(mark, e->mesh.edge, 2 * e->mesh.edges * sizeof *e->mesh.edge);
  add_doubles(mark, e->mass, n);
  add_doubles(mark, e->x0, 3 * n);
  add_doubles(mark, e->v0, 3 * n);

  for (size_t i = 0; i < e->nheld; i++) {
    add(mark, &e->held[i].node, sizeof e->held[i].node);
    add(mark, &e->held[i].axes, sizeof e->held[i].axes);
    add(mark, e->held[i].motion, sizeof e->held[i].motion);
  }
  for (size_t i = 0; i < e->nattached; i++) {
    add(mark, &e->attached[i].node, sizeof e->attached[i].node);
    add_sizes(mark, &e->attached[i].body, 1);
    add_doubles(mark, e->attached[i].at, 3);
  }
  for (size_t i = 0; i < e->nmotions; i++) {
    const MbPinMotion *m = &e->motions[i];
    add_sizes(mark, m->translate, 3);
    add_sizes(mark, &m->angle, 1);
    add_doubles(mark, m->axis, 3);
    add_doubles(mark, m->through, 3);
  }
  for (size_t i = 0; i < e->ncables; i++) {
    const MbCable *c = &e->cables[i];
    add_sizes(mark, c->first, c->npoints + 1);
    add(mark, c->node, c->first[c->npoints] * sizeof *c->node);
    add_sizes(mark, &c->pull, 1);
    add_doubles(mark, &c->compliance, 1);
  }
}

static void add_projective(Mark *mark, const MbSolverSpec *solver) {
  const size_t ways[] = {(size_t)solver->iterations, solver->global, solver->precision, solver->method};
  add_sizes(mark, ways, sizeof ways / sizeof *ways);
  add_doubles(mark, &solver->tolerance, 1);
}

uint64_t mb_compile_fingerprint(const MbModel *model) {
  const size_t nb = model->nb, nv = model->nv;
  const double numbers[] = {model->h, model->integrator.relative, model->integrator.absolute};
  const size_t kinds[] = {model->solver.kind,
                          model->solver.mode,
                          model->solver.project,
                          model->integrator.kind,
                          nb,
                          model->nforces,
                          model->solver.terms,
                          LAYOUT};
  Mark mark = 0xcbf29ce484222325u;
  add_doubles(&mark, model->gravity, 3);
  add_doubles(&mark, numbers, sizeof numbers / sizeof *numbers);
  add_sizes(&mark, kinds, sizeof kinds / sizeof *kinds);

  // bodies and the tree
  add_doubles(&mark, model->M, 6 * nb);
  add(&mark, model->C, nb * sizeof *model->C);
  add_doubles(&mark, model->damping, nb);
  add_sizes(&mark, model->parent, nb);
  add(&mark, model->P, nb * sizeof *model->P);
  add(&mark, model->B, nb * sizeof *model->B);
  for (size_t b = 0; b < nb; b++) add_joint(&mark, &model->joint[b]);
  add_doubles(&mark, model->q0, model->nq);
  add_doubles(&mark, model->v0, nv);
  add_doubles(&mark, model->stiffness, nv);
  add_doubles(&mark, model->rest, nv);
  add_doubles(&mark, model->joint_damping, nv);

  for (size_t i = 0; i < model->ndrives; i++) add_drive(&mark, &model->drives[i]);
  for (size_t i = 0; i < model->nforces; i++) add_force(&mark, &model->forces[i]);
  const size_t ways[] = {model->solver.stabilization.kind, model->ahead};
  add_sizes(&mark, ways, 2);
  for (size_t i = 0; i < model->nconstraints; i++) add_constraint(&mark, &model->constraints[i]);
  add_doubles(&mark, model->guess0, model->nguess);
  add_doubles(&mark, &model->gamma, 1);
  for (size_t i = 0; i < model->nreductions; i++) {
    const MbReduction *r = &model->reductions[i];
    add_sizes(&mark, r->q, 2);
    add_doubles(&mark, &r->ratio, 1);
    add_doubles(&mark, &r->offset, 1);
  }
  for (size_t i = 0; i < model->nfollowers; i++) {
    const MbFollower *f = &model->followers[i];
    add_sizes(&mark, &f->body, 1);
    add_doubles(&mark, f->offset, 3);
    add_masters(&mark, f->master, f->nmasters);
  }
  for (size_t p = 0; p < model->nports; p++) {
    const size_t port[] = {model->ports[p].deformable, model->ports[p].node};
    add_sizes(&mark, port, 2);
  }
  if (model->solver.kind == MB_SOLVER_PROJECTIVE) add_projective(&mark, &model->solver);
  for (size_t i = 0; i < model->ndeformables; i++)
    if (model->deformables[i].elements) add_elements(&mark, model->deformables[i].elements);
  for (size_t i = 0; i < model->nsignals; i++) add_signal(&mark, &model->signals[i]);
  for (size_t i = 0; i < model->nconstants; i++) {
    add_text(&mark, model->constants[i].name);
    add_doubles(&mark, &model->constants[i].value, 1);
  }
  return mark;
}
