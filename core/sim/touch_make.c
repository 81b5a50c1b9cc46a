// The model's solids as collision has them, what of them may meet, and what is deep in one another at the start.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/lists.h"
#include "core/sim/touch.h"

#include <stdio.h>

static const double TOLD = 1e-6, DEEP = 0.1; // of the smaller one's size: told; refused

// What is wrong with a solid, or with a deformable, is told there.
static void place_of(const MbSim *sim, size_t which, char *where, size_t size) {
  const MbContacts *rules = sim->touching->rules;
  if (which < rules->nsolids)
    snprintf(where, size, "/bodies/%zu/shape", rules->solids[which].listed);
  else
    snprintf(where, size, "/deformables/%zu", rules->surfaces[which - rules->nsolids].deformable);
}

// ---- solids -----------------------------------------------------------------------------------------------

// Bodies on a path go there whatever they meet.
static bool is_driven(const MbModel *model, size_t body) {
  if (body == MB_WORLD) return true;
  for (size_t i = 0; i < model->nconstraints; i++)
    if (model->constraints[i].npath && model->constraints[i].body[0] == body) return true;
  return false;
}

static MbStatus make_solids(MbSim *sim, MbReport *report) {
  MbTouching *t = sim->touching;
  for (size_t i = 0; i < t->rules->nsolids; i++)
    t->driven[i] = is_driven(sim->model, t->rules->moved[t->rules->solids[i].body]);
  return mb_solid_shapes_make(sim->model, &sim->arena, &t->solids, report);
}

// ---- what meets -------------------------------------------------------------------------------------------

static MbStatus refuse_pair(const MbSim *sim, size_t a, size_t b, MbReport *report) {
  const MbSolid *const solid[2] = {&sim->touching->rules->solids[a], &sim->touching->rules->solids[b]};
  char where[64];
  snprintf(where, sizeof where, "/bodies/%zu/shape", solid[1]->listed);
  return mb_error(
      report, MB_SCENE, where,
      "the %s of \"%s\" and the %s of \"%s\" may meet, and this version has no contact of these two "
      "shapes: take others, or put [\"%s\", \"%s\"] into \"exclude\"",
      mb_shape_words[solid[1]->kind], mb_touch_name(sim, b), mb_shape_words[solid[0]->kind],
      mb_touch_name(sim, a), mb_touch_name(sim, a), mb_touch_name(sim, b));
}

// The first pair of solids of each two forms that collision does not know.
static MbStatus check_forms(const MbSim *sim, MbReport *report) {
  const MbTouching *t = sim->touching;
  MbStatus status = MB_OK;
  bool there[MB_FORMS] = {false};
  for (size_t i = 0; i < t->rules->nsolids; i++) there[t->solids.shape[i].form] = true;
  for (int f = 0; f < MB_FORMS; f++)
    for (int g = f; g < MB_FORMS; g++) {
      bool found = !there[f] || !there[g] || mb_collides((MbForm)f, (MbForm)g);
      for (size_t a = 0; a < t->rules->nsolids && !found; a++)
        for (size_t b = a + 1; b < t->rules->nsolids && !found; b++) {
          const int p = (int)t->solids.shape[a].form, q = (int)t->solids.shape[b].form;
          if (!((p == f && q == g) || (p == g && q == f)) || !mb_touch_may(t, sim->model, a, b)) continue;
          status = refuse_pair(sim, a, b, report);
          found = true;
        }
    }
  return status;
}

// What is in one another at the start, once a pair.
static MbStatus check_start(MbSim *sim, MbReport *report) {
  const MbTouching *t = sim->touching;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < t->next.n;) {
    const MbTouch *first = &t->next.touch[i];
    double depth = 0;
    for (; i < t->next.n && t->next.touch[i].a == first->a && t->next.touch[i].b == first->b; i++)
      depth = fmax(depth, -t->next.touch[i].gap);
    if (!(depth > TOLD * first->size) || t->rules->compliance > 0) continue;
    char where[64];
    place_of(sim, first->a < t->rules->nsolids ? first->b : first->a, where, sizeof where);
    if (depth > DEEP * first->size)
      status =
          mb_error(report, MB_SCENE, where,
                   "\"%s\" and \"%s\" are %.3g m deep in one another at the start: move them apart, put them "
                   "into \"exclude\" of \"contact\" if they are to stay so, or run without contact "
                   "(\"contact\": {\"enabled\": false})",
                   mb_touch_name(sim, first->a), mb_touch_name(sim, first->b), depth);
    else
      mb_warning(
          report, where,
          "\"%s\" and \"%s\" are %.3g m deep in one another at the start: they are moved apart, by up to "
          "%.2g m a step",
          mb_touch_name(sim, first->a), mb_touch_name(sim, first->b), depth, MB_TOUCH_MOST * first->size);
  }
  return status;
}

size_t mb_touch_deep(MbSim *sim, size_t (*bodies)[2], size_t most) {
  const MbTouching *t = sim->touching;
  size_t n = 0;
  if (!t || !mb_touch_look(sim, &t->last, true)) return 0;
  for (size_t i = 0; i < t->next.n; i++) {
    const MbTouch *touch = &t->next.touch[i];
    if (touch->a >= t->rules->nsolids || !(-touch->gap > DEEP * touch->size)) continue;
    if (n < most)
      bodies[n][0] = t->rules->solids[touch->a].listed, bodies[n][1] = t->rules->solids[touch->b].listed;
    n++;
  }
  return n;
}

static MbStatus check_method(MbSim *sim, MbReport *report) {
  const MbContacts *rules = sim->touching->rules;
  const MbContactMethod *method = mb_contact_method(mb_contact_method_words[rules->method]);
  if (!(method->cones >> rules->cone & 1))
    return mb_error(report, MB_SCENE, "/contact/method",
                    "method \"%s\" does not take the cone \"%s\": it takes %s", method->name,
                    mb_cone_kind_words[rules->cone], method->exact);
  sim->constraining->touch_method = method;
  return MB_OK;
}

_Static_assert((int)MB_NO_CONE == MB_CONE_NONE && (int)MB_BOX_CONE == MB_CONE_BOX &&
                   (int)MB_PYRAMID_CONE == MB_CONE_PYRAMID && (int)MB_ROUND_CONE == MB_CONE_EXACT,
               "cones have the same order");
_Static_assert((int)MB_BY_MINIMUM_MAP == MB_CONTACT_MINIMUM_MAP &&
                   (int)MB_BY_FISCHER_BURMEISTER == MB_CONTACT_FISCHER_BURMEISTER,
               "functions have the same order");

MbStatus mb_touching_create(MbSim *sim, MbReport *report) {
  const size_t n = sim->model->contacts.nsolids;
  if (!sim->model->contacts.any) return MB_OK;
  MbTouching *t = sim->touching = mb_arena_alloc(&sim->arena, 1, sizeof *t);
  if (!t) return mb_no_memory(report, "contact");
  for (size_t k = 0; k < sim->nchannels; k++)
    t->impacts.wanted |= sim->lists[k].lister == &mb_touch_impact_lister;
  t->impacts.plan = mb_plan_frames_of(sim->model->h, sim->model->frame_interval, sim->model->frame_every);
  t->rules = &sim->model->contacts;
  t->model = sim->model;
  t->driven = mb_arena_alloc(&sim->arena, n, sizeof *t->driven);
  t->E = mb_arena_alloc(&sim->arena, n, sizeof *t->E);
  t->placed = mb_arena_alloc(&sim->arena, n, sizeof *t->placed);
  t->bounds = mb_arena_alloc(&sim->arena, n, sizeof *t->bounds);
  t->way = mb_arena_alloc(&sim->arena, n, sizeof *t->way);
  t->thrown = mb_arena_alloc(&sim->arena, sim->model->nb, sizeof *t->thrown);
  if (!t->driven || !t->E || !t->placed || !t->bounds || !t->way || !t->thrown)
    return mb_no_memory(report, "contact");
  if (!mb_touch_carried_create(sim) || !mb_touch_kept_create(sim)) return mb_no_memory(report, "contact");
  MbStatus status = make_solids(sim, report);
  if (status == MB_OK) status = check_forms(sim, report);
  if (status == MB_OK) status = mb_touch_make_surfaces(sim, report);
  if (status == MB_OK) status = mb_touch_sight_make(sim, report);
  if (status != MB_OK) return status;
  status = mb_touch_apart_create(sim, report);
  if (status != MB_OK) return status;
  if (!mb_touch_look(sim, &t->last, true)) return mb_no_memory(report, "contact");
  status = check_start(sim, report);
  const MbRowSource source = {
      .name = "contact", .context = t, .renew = mb_touch_renew, .list = mb_touch_list, .eval = mb_touch_eval};
  if (status == MB_OK) status = mb_rows_add_source(sim, &source, report);
  return status == MB_OK ? check_method(sim, report) : status;
}

void mb_touching_free(MbSim *sim) {
  MbTouching *t = sim->touching;
  if (!t) return;
  mb_solid_shapes_free(&t->solids);
  mb_broad_free(&t->broad);
  mb_touch_apart_free(sim);
  mb_touch_carried_free(&t->carried);
  mb_touch_sight_free(&t->sight);
  mb_free(t->now.touch);
  mb_free(t->next.touch);
  mb_free(t->done.touch);
  mb_free(t->last.touch);
  mb_free(t->found.touch);
  mb_free(t->now.ends);
  mb_free(t->next.ends);
  mb_free(t->found.ends);
  mb_free(t->turn);
  mb_free(t->facets.near);
  mb_free(t->facets.count);
  mb_free(t->facets.point);
  mb_free(t->facets.last);
  mb_free(t->facets.before);
  mb_free(t->impacts.impact);
}

size_t mb_touching_bytes(const MbSim *sim) {
  const MbTouching *t = sim->touching;
  if (!t) return 0;
  return (t->now.room + t->next.room + t->found.room) * sizeof(MbTouch) +
         (t->now.ends_room + t->next.ends_room + t->found.ends_room) * sizeof(MbTouchEnds) +
         (t->done.room + t->last.room) * sizeof(MbPushed) + t->facets.near_room * sizeof *t->facets.near +
         t->facets.count_room * sizeof *t->facets.count + t->facets.point_room * sizeof *t->facets.point +
         (t->facets.last_room + t->facets.before_room) * sizeof(uint32_t) + t->turn_room * sizeof *t->turn +
         t->impacts.room * sizeof *t->impacts.impact + mb_broad_bytes(&t->broad) +
         mb_solid_shapes_bytes(&t->solids) + mb_touch_apart_bytes(sim) + mb_touch_carried_bytes(sim) +
         mb_touch_sight_bytes(&t->sight);
}

// ---- what is told -----------------------------------------------------------------------------------------

static size_t count_pairs(const MbSim *sim) {
  enum { MOST = 3000 }; // shapes, of whose pairs each is looked at
  const MbTouching *t = sim->touching;
  size_t pairs = 0;
  for (size_t a = 0; a < t->rules->nsolids && t->rules->nsolids <= MOST; a++)
    for (size_t b = a + 1; b < t->rules->nsolids; b++) pairs += mb_touch_may(t, sim->model, a, b);
  return pairs;
}

static size_t count_nodes(const MbTouching *t) {
  size_t n = 0;
  for (size_t i = 0; i < t->nsurfaces; i++) n += t->surface[i].of->nnodes;
  return n;
}

bool mb_sim_contacts(const MbSim *sim, MbContactCounts *counts) {
  *counts = (MbContactCounts){0};
  if (!sim->touching) return false;
  const double *told = mb_section(sim, MB_SECTION_TOLD);
  *counts = (MbContactCounts){.shapes = sim->touching->rules->nsolids,
                              .pairs = count_pairs(sim),
                              .nodes = count_nodes(sim->touching),
                              .most = (size_t)told[MB_SOLVED_MOST],
                              .residual = told[MB_SOLVED_WORST],
                              .missed = (int64_t)told[MB_SOLVED_MISSED],
                              .deepest = told[MB_SOLVED_DEEPEST],
                              .parted = mb_section(sim, MB_SECTION_CONTACT)[1]};
  return true;
}

int64_t mb_sim_forces_missed(const MbSim *sim, double *worst) {
  *worst = 0;
  if (!(sim->section[MB_SECTION_TOLD + 1] > sim->section[MB_SECTION_TOLD])) return 0;
  const double *told = mb_section(sim, MB_SECTION_TOLD);
  *worst = told[MB_SOLVED_WORST];
  return (int64_t)told[MB_SOLVED_MISSED];
}

size_t mb_sim_contact_deformables(const MbSim *sim, const char *(*names)[2], size_t most) {
  const MbTouching *t = sim->touching;
  size_t n = 0;
  for (size_t k = 0; t && k < t->nsurfaces; k++)
    for (size_t l = k; l < t->nsurfaces; l++) {
      if (!mb_touch_may_fold(sim, k, l)) continue;
      if (n < most) {
        names[n][0] = mb_touch_name(sim, t->rules->nsolids + k);
        names[n][1] = mb_touch_name(sim, t->rules->nsolids + l);
      }
      n++;
    }
  return n;
}
