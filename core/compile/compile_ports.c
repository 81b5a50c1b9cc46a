// Which nodes of deformables of elements are ports: bodies as well as points, since rows or forces act on them. These are the nodes
// that constraints and forces name, those attached to other nodes, and those attached to bodies where some of these bodies can
// move otherwise than the scene prescribes. Where all attachments are to bodies that are driven or stand still, nodes are carried
// there (compile_elements_hold.c): nothing pushes back.
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/compile/compile_internal.h"
#include "core/deformables/select.h"

#include <string.h>

static const MbBodySpec *find_body(const MbSceneSpec *spec, const char *name) {
  for (size_t i = 0; name && i < spec->nbodies; i++)
    if (!strcmp(spec->bodies[i].name, name)) return &spec->bodies[i];
  return NULL;
}

// Whether forces can move the body: it is free in space and not driven, or some joint below it lets it move.
static bool can_move(const MbSceneSpec *spec, const char *name) {
  const MbBodySpec *body = find_body(spec, name);
  for (size_t i = 0; body && i <= spec->nbodies;
       i++) { // ends where bodies hang on each other in a circle, too
    if (!body->jointed) return !body->motion;
    if (body->joint.kind != MB_JOINT_FIXED) return true;
    body = find_body(spec, body->joint.parent);
  }
  return false;
}

bool mb_compile_has_ports(const MbSceneSpec *spec) {
  bool any = false;
  if (spec->solver.kind != MB_SOLVER_PROJECTIVE) return false;
  for (size_t i = 0; i < spec->ndeformables; i++)
    for (size_t k = 0; k < spec->deformables[i].nattachments && !any; k++) {
      const MbAttachSpec *attach = &spec->deformables[i].attachments[k];
      any = !attach->body || (strcmp(attach->body, "world") && can_move(spec, attach->body));
    }
  for (size_t i = 0; i < spec->nconstraints && !any; i++)
    for (size_t end = 0; end < spec->constraints[i].nbetween; end++)
      any |= spec->constraints[i].between[end].node != NULL;
  for (size_t i = 0; i < spec->nforces && !any; i++)
    for (size_t k = 0; k < spec->forces[i].npoints; k++) any |= spec->forces[i].points[k].node != NULL;
  return any;
}

// Marks what one attachment chooses; what is wrong with the choice is told where the attachment is built.
static void mark_attachment(const MbAttachSpec *attach, const MbDeformable *of, bool *chosen, bool *port) {
  const MbPlaces places = mb_places_of(of->elements);
  char fault[MB_SELECT_FAULT];
  memset(chosen, 0, of->count * sizeof *chosen);
  if (attach->body && !strcmp(attach->body, "world")) return;
  if (mb_select(&places, &attach->select, chosen, fault)) return;
  for (size_t n = 0; n < of->count; n++) port[n] |= chosen[n];
}

// The nodes that attachments of any deformable are to.
static void mark_masters(const MbSceneSpec *spec, size_t i, const MbDeformable *of, bool *port) {
  for (size_t d = 0; d < spec->ndeformables; d++)
    for (size_t k = 0; k < spec->deformables[d].nattachments; k++) {
      const MbAttachSpec *attach = &spec->deformables[d].attachments[k];
      const char *to = attach->to.deformable;
      if (attach->body || (to ? strcmp(to, of->name) != 0 : d != i)) continue;
      for (size_t j = 0; j < attach->to.nvertices; j++) {
        const double n = attach->to.vertices[j];
        if (n >= 0 && n < (double)of->count) port[(size_t)n] = true;
      }
    }
}

static void mark_point(const MbPointSpec *point, const MbDeformable *of, bool *port) {
  if (!point->node || strcmp(point->node, of->name)) return;
  if (point->index >= 0 && (uint64_t)point->index < of->count) port[point->index] = true;
}

// The ports of one deformable, from `first` on among the bodies; *count of them more.
static MbStatus build_one(const MbSceneSpec *spec, size_t i, MbModel *model, MbDeformable *of, size_t first,
                          size_t *count, MbReport *report) {
  const MbDeformableSpec *from = &spec->deformables[i];
  MbArena scratch = {0};
  bool *chosen = mb_arena_alloc(&scratch, of->count, sizeof *chosen);
  bool *port = mb_arena_alloc(&scratch, of->count, sizeof *port);
  size_t *number = mb_arena_alloc(&model->arena, of->count, sizeof *number);
  const bool room = chosen && port && number;
  for (size_t k = 0; room && k < from->nattachments; k++)
    mark_attachment(&from->attachments[k], of, chosen, port);
  if (room) mark_masters(spec, i, of, port);
  for (size_t c = 0; room && c < spec->nconstraints; c++)
    for (size_t end = 0; end < spec->constraints[c].nbetween; end++)
      mark_point(&spec->constraints[c].between[end], of, port);
  for (size_t f = 0; room && f < spec->nforces; f++)
    for (size_t k = 0; k < spec->forces[f].npoints; k++) mark_point(&spec->forces[f].points[k], of, port);
  for (size_t n = 0; room && n < of->count; n++) number[n] = port[n] ? first + (*count)++ : MB_WORLD;
  of->port = number;
  mb_arena_free(&scratch);
  return room ? MB_OK : mb_no_memory(report, "deformables");
}

MbStatus mb_compile_ports(const MbSceneSpec *spec, MbModel *model, MbDeformable *list, MbReport *report) {
  MbStatus status = MB_OK;
  size_t count = 0;
  if (!mb_compile_has_ports(spec)) return MB_OK;
  for (size_t i = 0; i < spec->ndeformables && status == MB_OK; i++)
    status = build_one(spec, i, model, &list[i], spec->nbodies, &count, report);
  MbPort *ports = mb_arena_alloc(&model->arena, count, sizeof *ports);
  if (status != MB_OK || !ports) return mb_no_memory(report, "deformables");
  for (size_t i = 0; i < spec->ndeformables; i++)
    for (size_t n = 0; n < list[i].count; n++)
      if (list[i].port[n] != MB_WORLD) ports[model->nports++] = (MbPort){i, (uint32_t)n};
  model->ports = ports;
  model->nb += count;
  model->jointed |= count > 0; // each is on a joint of its own
  return MB_OK;
}
