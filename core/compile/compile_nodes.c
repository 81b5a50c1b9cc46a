// Deformables: every node of theirs becomes a body without extent, after the scene's bodies, that hangs on the world by
// a joint along the axes that no pin holds; every edge of a net a spring between two such bodies, all elements of a mesh one force.
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/compile/compile_internal.h"
#include "core/deformables/node_mesh.h"
#include "core/deformables/select.h"
#include "core/forces/forces.h"
#include "core/forces/spring.h"
#include "core/joints/joints.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 128, LONGEST = 300 };
enum { FOLLOWS = 8 };           // beside the axes along which a node is held
static const double MOST = 1e5; // nodes of all deformables

// ---- meshes -----------------------------------------------------------------------------------------------

static MbStatus check_rope(const MbNodeMeshSpec *mesh, const char *where, MbReport *report) {
  if (mesh->nsize)
    return mb_error(report, MB_SCENE, where, "a \"rope\" has a \"length\", \"size\" is of a \"grid\"");
  if (!(mesh->rope >= 2 && (double)mesh->rope <= MOST))
    return mb_error(report, MB_SCENE, where, "a rope has 2 to %g nodes, not %lld", MOST,
                    (long long)mesh->rope);
  if (!(mesh->length > 0) || !isfinite(mesh->length))
    return mb_error(report, MB_SCENE, where, "a rope needs a \"length\" above 0");
  return MB_OK;
}

static MbStatus check_grid(const MbNodeMeshSpec *mesh, const char *where, MbReport *report) {
  const double *n = mesh->grid;
  if (!isnan(mesh->length))
    return mb_error(report, MB_SCENE, where, "a \"grid\" has a \"size\", \"length\" is of a \"rope\"");
  if (!(n[0] >= 2 && n[1] >= 2 && n[0] * n[1] <= MOST) || n[0] != floor(n[0]) || n[1] != floor(n[1]))
    return mb_error(
        report, MB_SCENE, where,
        "a grid of %g x %g nodes: whole numbers of 2 or more are wanted, whose product is %g at most", n[0],
        n[1], MOST);
  if (mesh->nsize != 2 || !(mesh->size[0] > 0) || !(mesh->size[1] > 0))
    return mb_error(report, MB_SCENE, where, "a grid needs a \"size\": two numbers above 0");
  return MB_OK;
}

static bool is_net(const MbDeformableSpec *spec) {
  return spec->kind == MB_DEFORMABLE_SPRINGS || spec->kind == MB_DEFORMABLE_PARTICLES;
}

// What only the projective solver has.
static MbStatus check_solver(const MbDeformableSpec *spec, size_t i, MbSolverKind solver, MbReport *report) {
  char where[WHERE];
  snprintf(where, sizeof where, "/deformables/%zu", i);
  if (is_net(spec) && !spec->mesh.rope && !(spec->mesh.grid[0] > 0))
    return mb_error(report, MB_SCENE, where, "a mesh of \"%s\" is made by \"rope\" or \"grid\"",
                    mb_deformable_words[spec->kind]);
  if (spec->ncables)
    return mb_error(report, MB_SCENE, where,
                    "deformables have cables under solver \"projective\": \"%s\" does not have them",
                    mb_solver_words[solver]);
  for (size_t k = 0; k < spec->npins; k++)
    if (spec->pins[k].motion.given)
      return mb_error(report, MB_SCENE, where,
                      "pins move nodes under solver \"projective\": \"%s\" only holds them; there, attach "
                      "nodes to a body "
                      "that has a \"motion\"",
                      mb_solver_words[solver]);
  return MB_OK;
}

static MbStatus check_deformable(const MbDeformableSpec *spec, size_t i, MbSolverKind solver,
                                 MbReport *report) {
  char where[WHERE];
  const MbStatus status = check_solver(spec, i, solver, report);
  if (status != MB_OK || !is_net(spec)) return status;
  if (!(spec->mass > 0) || !isfinite(spec->mass)) {
    snprintf(where, sizeof where, "/deformables/%zu/material/mass", i);
    return mb_error(report, MB_SCENE, where, "the mass of \"%s\" is %g kg: it must be positive and finite",
                    spec->name, spec->mass);
  }
  snprintf(where, sizeof where, "/deformables/%zu/mesh", i);
  return spec->mesh.rope ? check_rope(&spec->mesh, where, report) : check_grid(&spec->mesh, where, report);
}

MbStatus mb_compile_deformables(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  if (spec->solver.kind == MB_SOLVER_PROJECTIVE) return mb_compile_elements(spec, model, report);
  MbDeformable *list = mb_arena_alloc(&model->arena, spec->ndeformables, sizeof *list);
  if (!list) return mb_no_memory(report, "deformables");
  MbStatus status = MB_OK;
  size_t first = spec->nbodies;
  for (size_t i = 0; i < spec->ndeformables; i++) {
    const MbDeformableSpec *from = &spec->deformables[i];
    list[i].first = first;
    MbStatus one = check_deformable(from, i, spec->solver.kind, report);
    if (one == MB_OK && !is_net(from)) one = mb_compile_shape(from, i, model, &list[i], report);
    if (one == MB_IO) return one;
    if (one != MB_OK) {
      status = one;
      continue;
    }
    if (is_net(from)) {
      list[i].name = mb_arena_strdup(&model->arena, from->name);
      list[i].count = mb_node_mesh_count(&from->mesh);
      if (!list[i].name) return mb_no_memory(report, "deformables");
      one = mb_compile_check_selections(from, i, list[i].count, report);
      if (one != MB_OK) status = one;
    }
    first += list[i].count;
  }
  if ((double)(first - spec->nbodies) > MOST)
    status =
        mb_error(report, MB_SCENE, "/deformables", "all deformables together have %zu nodes: %g are the most",
                 first - spec->nbodies, MOST);
  model->deformables = list, model->ndeformables = spec->ndeformables;
  model->nlisted = spec->nbodies, model->nb = first;
  model->jointed |= first > spec->nbodies;
  return status;
}

// ---- nodes ------------------------------------------------------------------------------------------------

MbStatus mb_compile_node_names(MbModel *model, const char **name, MbReport *report) {
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    for (size_t k = 0; k < of->count && !of->points; k++) {
      char text[LONGEST];
      snprintf(text, sizeof text, "%s.%zu", of->name, k);
      if (!(name[of->first + k] = mb_arena_strdup(&model->arena, text)))
        return mb_no_memory(report, "deformables");
    }
  }
  for (size_t p = 0; p < model->nports; p++) {
    char text[LONGEST];
    snprintf(text, sizeof text, "%s.%u", model->deformables[model->ports[p].deformable].name,
             model->ports[p].node);
    if (!(name[mb_model_own(model) + p] = mb_arena_strdup(&model->arena, text)))
      return mb_no_memory(report, "deformables");
  }
  return MB_OK;
}

// A share of the mass; the node's axes are the world's.
static void place_ports(const MbModel *model, double *M, MbPose *C) {
  for (size_t p = 0; p < model->nports; p++) {
    const MbPort *port = &model->ports[p];
    const MbElements *elements = model->deformables[port->deformable].elements;
    const size_t b = mb_model_own(model) + p;
    for (size_t j = 3; j < 6; j++) M[6 * b + j] = elements->mass[port->node];
    mb_pose_identity(&C[b]);
  }
}

void mb_compile_node_bodies(const MbSceneSpec *spec, const MbModel *model, double *M, MbPose *C) {
  place_ports(model, M, C);
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformableSpec *from = &spec->deformables[i];
    const MbDeformable *to = &model->deformables[i];
    const MbElements *elements = to->elements;
    for (size_t k = 0; k < to->count && !to->points; k++) {
      const size_t b = to->first + k;
      const double mass = elements ? elements->mass[k] : from->mass / (double)to->count;
      for (size_t j = 3; j < 6; j++) M[6 * b + j] = mass;
      mb_pose_identity(&C[b]);
    }
  }
}

// Where node k is at the start: x_W = p + R x and v_W = v + ω × (x_W − p).
static void start_of(const MbDeformableSpec *from, const MbDeformable *to, size_t k, double x[3],
                     double v[3]) {
  double arm[3], turn[3];
  if (to->elements) {
    mb_vec3_copy(x, to->elements->x0 + 3 * k);
    mb_vec3_copy(v, to->elements->v0 + 3 * k);
    return;
  }
  mb_node_mesh_place(&from->mesh, k, arm);
  mb_quat_rotate(arm, from->pose.rotation, arm);
  mb_vec3_add(x, from->pose.position, arm);
  mb_vec3_cross(turn, from->angular, arm);
  mb_vec3_add(v, from->linear, turn);
}

// Node k of deformable i along the axes of its joint.
static void start(const MbSceneSpec *spec, const MbModel *model, size_t i, size_t k, const MbJoint *joint,
                  double *q, double *v) {
  double x[3], rate[3];
  start_of(&spec->deformables[i], &model->deformables[i], k, x, rate);
  for (size_t axis = 0; axis < joint->n; axis++)
    q[axis] = x[joint->order[axis]], v[axis] = rate[joint->order[axis]];
}

void mb_compile_node_starts(const MbSceneSpec *spec, const MbModel *model, const MbJoint *joint,
                            const size_t *q_first, const size_t *v_first, double *q0, double *v0) {
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    for (size_t k = 0, b = of->first; k < of->count && !of->points; k++, b++)
      start(spec, model, i, k, &joint[b], q0 + q_first[b], v0 + v_first[b]);
  }
  for (size_t p = 0, b = mb_model_own(model); p < model->nports; p++, b++)
    start(spec, model, model->ports[p].deformable, model->ports[p].node, &joint[b], q0 + q_first[b],
          v0 + v_first[b]);
}

MbStatus mb_compile_pinned_axes(const char *given, const char *where, unsigned *held, MbReport *report) {
  const char *axes = given ? given : "xyz";
  *held = 0;
  for (const char *c = axes; *c; c++) {
    const unsigned bit = *c >= 'x' && *c <= 'z' ? 1u << (*c - 'x') : 0;
    if (!bit || *held & bit) *held = 8;
    *held |= bit;
  }
  if (*held && *held < 8) return MB_OK;
  return mb_error(report, MB_SCENE, where, "\"axes\" is \"%.20s\": some of x, y, z are wanted, none twice",
                  axes);
}

size_t mb_compile_most_nodes(const MbModel *model) {
  size_t most = 0;
  for (size_t i = 0; i < model->ndeformables; i++)
    if (model->deformables[i].count > most) most = model->deformables[i].count;
  return most;
}

MbStatus mb_compile_selection(const MbModel *model, const MbSceneSpec *spec, size_t deformable,
                              const MbSelectSpec *select, const char *where, bool *chosen, MbReport *report) {
  const MbDeformable *of = &model->deformables[deformable];
  memset(chosen, 0, of->count * sizeof *chosen);
  char fault[MB_SELECT_FAULT];
  const MbPlaces places = of->elements ? mb_places_of(of->elements) : (MbPlaces){0};
  const char *wrong = of->elements
                          ? mb_select(&places, select, chosen, fault)
                          : mb_node_mesh_select(&spec->deformables[deformable].mesh, select, chosen, fault);
  return wrong ? mb_error(report, MB_SCENE, where, "%s", wrong) : MB_OK;
}

static MbStatus hold_nodes(const MbSceneSpec *spec, const MbModel *model, size_t i, unsigned *held,
                           bool *chosen, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t k = 0; k < spec->deformables[i].npins; k++) {
    const MbPinSpec *pin = &spec->deformables[i].pins[k];
    char where[WHERE];
    unsigned axes = 0;
    snprintf(where, sizeof where, "/deformables/%zu/pin/%zu", i, k);
    MbStatus one = mb_compile_pinned_axes(pin->axes, where, &axes, report);
    if (one == MB_OK) one = mb_compile_selection(model, spec, i, &pin->select, where, chosen, report);
    if (one != MB_OK) status = one;
    for (size_t n = 0; n < model->deformables[i].count && one == MB_OK; n++) held[n] |= chosen[n] ? axes : 0;
  }
  return status;
}

// Those that bodies hold by reduction have no coordinates either. Nothing else may hold them, nor those that follow nodes.
static MbStatus hand_nodes_over(const MbSceneSpec *spec, const MbModel *model, size_t i, unsigned *held,
                                bool *chosen, MbReport *report) {
  for (size_t k = 0; k < spec->deformables[i].nattachments; k++) {
    const MbAttachSpec *attach = &spec->deformables[i].attachments[k];
    char where[WHERE];
    if (attach->enforce != MB_BY_REDUCTION && attach->body) continue;
    snprintf(where, sizeof where, "/deformables/%zu/attach/%zu", i, k);
    const MbStatus status = mb_compile_selection(model, spec, i, &attach->select, where, chosen, report);
    if (status != MB_OK) return status;
    for (size_t n = 0; n < model->deformables[i].count; n++) {
      if (!chosen[n]) continue;
      if (held[n])
        return mb_error(report, MB_SCENE, where, "node %zu of \"%s\" is held already", n,
                        model->deformables[i].name);
      held[n] = attach->body ? 7 : FOLLOWS;
    }
  }
  return MB_OK;
}

// The parents of these, and where in them they are.
MbStatus mb_compile_node_parents(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  if (spec->solver.kind == MB_SOLVER_PROJECTIVE || !model->ndeformables) return MB_OK;
  if (!model->q0) return MB_OK; // something is wrong with the joints
  MbArena scratch = {0};
  MbPose *E = mb_arena_alloc(&scratch, model->nb, sizeof *E);
  bool *chosen = mb_arena_alloc(&scratch, model->nb, sizeof *chosen);
  MbStatus status = E && chosen ? MB_OK : mb_no_memory(report, "attachments");
  if (status == MB_OK) mb_model_poses(model, E);
  for (size_t i = 0; i < model->ndeformables; i++)
    for (size_t k = 0; k < spec->deformables[i].nattachments && status == MB_OK; k++) {
      const MbAttachSpec *attach = &spec->deformables[i].attachments[k];
      const MbDeformable *of = &model->deformables[i];
      size_t listed = 0;
      if (attach->enforce != MB_BY_REDUCTION || !attach->body ||
          !mb_names_find(&model->names, attach->body, &listed))
        continue;
      const size_t body = model->number[listed];
      MbPose inverse;
      mb_pose_inverse(&inverse, &E[body]);
      status = mb_compile_selection(model, spec, i, &attach->select, "", chosen, report);
      for (size_t n = 0; n < of->count && status == MB_OK; n++) {
        if (!chosen[n]) continue;
        ((size_t *)model->parent)[of->first + n] = body;
        mb_pose_point(((MbPose *)model->P)[of->first + n].p, &inverse, E[of->first + n].p);
      }
    }
  mb_arena_free(&scratch);
  return status;
}

MbStatus mb_compile_node_joints(const MbSceneSpec *spec, const MbModel *model, MbJoint *joint, MbPose *P,
                                MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t b = mb_model_own(model); b < model->nb; b++)
    joint[b] = (MbJoint){.ops = &mb_joint_node, .n = 3, .order = {0, 1, 2}};
  for (size_t i = 0; i < model->ndeformables && status != MB_IO; i++) {
    const MbDeformable *of = &model->deformables[i];
    if (of->points) continue;
    MbArena scratch = {0};
    unsigned *held = mb_arena_alloc(&scratch, of->count, sizeof *held);
    bool *chosen = mb_arena_alloc(&scratch, of->count, sizeof *chosen);
    MbStatus one =
        held && chosen ? hold_nodes(spec, model, i, held, chosen, report) : mb_no_memory(report, "pins");
    if (one == MB_OK) one = hand_nodes_over(spec, model, i, held, chosen, report);
    if (one != MB_OK) status = one;
    for (size_t k = 0; k < of->count && one == MB_OK; k++) {
      MbJoint *to = &joint[of->first + k];
      to->ops = &mb_joint_node;
      double x[3], v[3];
      start_of(&spec->deformables[i], of, k, x, v);
      for (int axis = 0; axis < 3; axis++)
        if (held[k] >> axis & 1)
          P[of->first + k].p[axis] = x[axis];
        else
          to->order[to->n++] = axis;
    }
    mb_arena_free(&scratch);
  }
  return status;
}

// ---- springs and elements ----------------------------------------------------------------------------------------------

static size_t count_edges(const MbDeformableSpec *spec) {
  return spec->kind == MB_DEFORMABLE_SPRINGS ? mb_node_mesh_edges(&spec->mesh, NULL) : 0;
}

size_t mb_compile_count_mesh_forces(const MbSceneSpec *spec) {
  size_t n = 0;
  if (spec->solver.kind == MB_SOLVER_PROJECTIVE) return n;
  for (size_t i = 0; i < spec->ndeformables; i++)
    n += is_net(&spec->deformables[i]) ? count_edges(&spec->deformables[i]) : 1;
  return n;
}

static MbStatus add_edges(const MbDeformableSpec *spec, const MbDeformable *of, MbModel *model,
                          MbForce *forces, MbReport *report) {
  const size_t n = count_edges(spec);
  MbArena scratch = {0};
  size_t(*edge)[2] = mb_arena_alloc(&scratch, n, sizeof *edge);
  MbForcePoint *points = mb_arena_alloc(&model->arena, 2 * n, sizeof *points);
  MbSpring *spring = mb_arena_alloc(&model->arena, n, sizeof *spring);
  if (!edge || !points || !spring) {
    mb_arena_free(&scratch);
    return mb_no_memory(report, "deformables");
  }
  mb_node_mesh_edges(&spec->mesh, edge);
  for (size_t k = 0; k < n; k++, points += 2) {
    double x[2][3], between[3];
    for (size_t end = 0; end < 2; end++) {
      points[end].body = of->first + edge[k][end];
      mb_pose_identity(&points[end].at);
      mb_node_mesh_place(&spec->mesh, edge[k][end], x[end]);
    }
    mb_vec3_sub(between, x[1], x[0]);
    forces[k] = (MbForce){.ops = mb_force_table[MB_FORCE_SPRING],
                          .name = of->name,
                          .lagged = spec->lagged,
                          .npoints = 2,
                          .points = points,
                          .parameters = &spring[k]};
    spring[k].stiffness = spec->stiffness, spring[k].damping = spec->damping;
    spring[k].length = mb_vec3_norm(between), spring[k].law = spec->law;
  }
  mb_arena_free(&scratch);
  return MB_OK;
}

MbStatus mb_compile_mesh_forces(const MbSceneSpec *spec, MbModel *model, MbForce *forces, MbReport *report) {
  if (spec->solver.kind == MB_SOLVER_PROJECTIVE) return MB_OK;
  for (size_t i = 0; i < spec->ndeformables; i++) {
    const MbDeformableSpec *from = &spec->deformables[i];
    const MbDeformable *of = &model->deformables[i];
    MbForce *next = forces + model->nforces;
    const size_t n = is_net(from) ? count_edges(from) : 1;
    MbStatus status = MB_OK;
    if (of->elements)
      status = mb_compile_element_force(of, i, model, next, report);
    else if (n)
      status = add_edges(from, of, model, next, report);
    if (status != MB_OK) return status;
    model->nforces += n;
  }
  return MB_OK;
}
