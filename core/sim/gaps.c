// Watches that hard constraints stay closed. Whatever pulls them together, a loop that cannot be closed, or rows that
// contradict one another, leave a gap that no step makes smaller: such a run ends, with the constraint's name.
#include "core/sim/gaps.h"
#include "core/base/report.h"
#include "core/sim/constrain.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/trouble.h"

// The widest gap by what is allowed; of the constraints' rows `slot`, or of those that the solver claims `claimed`.
typedef struct Widest {
  double far, g;
  bool angle;
  size_t slot, claimed; // MB_WORLD = it is none of these
} Widest;

static void look(const MbModel *model, double far, bool angle, size_t slot, size_t claimed, Widest *widest) {
  const double by = far / model->largest[angle];
  if (by > widest->far)
    *widest = (Widest){.far = by, .g = far, .angle = angle, .slot = slot, .claimed = claimed};
}

static Widest find_widest(MbSim *sim, const double *q, const double *v, double t) {
  const MbModel *model = sim->model;
  Widest widest = {.slot = MB_WORLD, .claimed = MB_WORLD};
  const MbClaimedRows rows = sim->solver->claims->rows(sim->work);
  for (size_t r = 0; r < rows.n; r++)
    if (!rows.order[r]) look(model, fabs(rows.g[r]), rows.angle[r], MB_WORLD, r, &widest);
  if (!sim->constraining) return widest;
  const MbConstraining *c = sim->constraining;
  mb_rows_look(sim, q, v, t);
  for (size_t s = 0; s < c->set.n; s++) {
    const MbRow *row = &c->set.row[s];
    // what is asked to go on beyond its bound is open on purpose
    if (row->order || c->set.is[s].alpha > 0 || c->set.is[s].outward != 0) continue;
    look(model, c->set.is[s].kind == MB_ROW_ONE_WAY ? fmax(-row->g, 0) : fabs(row->g), row->angle, s,
         MB_WORLD, &widest);
  }
  return widest;
}

double mb_gap_patience(const MbModel *model) {
  return fmax(MB_GAP_STEPS * model->h, model->gamma > 0 ? 3 / model->gamma : 0);
}

static MbStatus refuse(const MbSim *sim, const Widest *widest, double t, MbReport *report) {
  const MbModel *model = sim->model;
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  const char *name = widest->slot != MB_WORLD ? sim->constraining->set.is[widest->slot].name : NULL,
             *what = "constraint";
  if (!name) {
    const size_t b = sim->solver->claims->body_of(sim->work, widest->claimed);
    name = sim->solver->claims->holder(sim->work, b);
    if (!name) what = "the joint of", name = model->body_name[b];
  }
  const char *unit = widest->angle ? "rad" : "m";
  const bool loose = model->solver.stabilization.kind == MB_NO_STABILIZATION;
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: %s \"%s\" is open by %.3g %s and does not close; %.3g %s are allowed "
      "(\"largest_error\" of \"stabilization\"): %s",
      t, (long long)sim->state.step + 1, what, name, widest->g, unit, model->largest[widest->angle], unit,
      loose ? "nothing closes it without stabilization: take one, or a smaller step"
            : "what is asked for cannot be reached, or contradicts other constraints; if it can be, take a "
              "smaller step");
}

MbStatus mb_gaps_watch(MbSim *sim, const double *q, const double *v, double t, MbReport *report) {
  double *memory = mb_section(sim, MB_SECTION_GAPS);
  if (!(memory[0] > 0) && (sim->state.step + 1) % MB_GAPS_SELDOM) return MB_OK;
  const Widest widest = find_widest(sim, q, v, t);
  MbGap gap = {.open = memory[0], .since = memory[1]};
  // as wide as the scene, and it was closed: no motion of the scene, at whatever rate it closes
  const bool burst =
      widest.far > MB_GAP_BURST && (memory[0] > 0 ? memory[1] : t) > 2 * MB_GAPS_SELDOM * sim->model->h;
  const bool stays = mb_gap_stays(&gap, t, widest.far, sim->model->h, mb_gap_patience(sim->model));
  if (stays || burst) return refuse(sim, &widest, t, report);
  memory[0] = gap.open, memory[1] = gap.since;
  return MB_OK;
}

// The first row that has no number: coordinates that close a loop were not found, or it means nothing there.
static size_t find_lost(MbSim *sim) {
  size_t s = 0;
  while (s < sim->model->nslots && !isnan(sim->constraining->set.row[s].g)) s++;
  return s;
}

MbStatus mb_gaps_closed(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  if (!sim->constraining && !mb_claims_any(sim)) return MB_OK;
  Widest widest = find_widest(sim, sim->state.q, sim->state.v, sim->state.t);
  if (sim->constraining &&
      find_lost(sim) < model->nslots) { // look for closures from where they were at the start
    mb_constraining_start(sim);
    widest = find_widest(sim, sim->state.q, sim->state.v, sim->state.t);
  }
  const size_t lost = sim->constraining ? find_lost(sim) : model->nslots;
  if (lost < model->nslots)
    return mb_error(report, MB_USAGE, "", "what was set leaves constraint \"%s\" without a solution",
                    model->slots[lost]);
  if (widest.far > 1)
    return mb_error(report, MB_USAGE, "",
                    "what was set opens constraint \"%s\" by %.3g %s; %.3g are allowed (\"largest_error\" of "
                    "\"stabilization\")",
                    widest.slot != MB_WORLD ? sim->constraining->set.is[widest.slot].name : "of a joint",
                    widest.g, widest.angle ? "rad" : "m", model->largest[widest.angle]);
  mb_constrain_remember(sim);
  return MB_OK;
}

bool mb_sim_constraint_bound(const MbSim *sim, double *most, double *patience) {
  const MbModel *model = sim->model;
  bool lengths = false, angles = false;
  *most = *patience = 0;
  const MbClaimedRows rows = sim->solver->claims->rows(sim->work);
  for (size_t r = 0; r < rows.n; r++) *(rows.angle[r] ? &angles : &lengths) |= !rows.order[r];
  if (sim->constraining) mb_rows_look((MbSim *)sim, sim->state.q, sim->state.v, sim->state.t);
  for (size_t s = 0; sim->constraining && s < model->nslots; s++) {
    const MbRowTerms *is = &sim->constraining->set.is[s];
    if (is->outward != 0) return false; // its error grows without end, as it was asked to
    if (is->alpha > 0 || sim->constraining->set.row[s].order) continue;
    *(sim->constraining->set.row[s].angle ? &angles : &lengths) = true;
  }
  *most = fmax(lengths ? model->largest[0] : 0, angles ? model->largest[1] : 0);
  *patience = mb_gap_patience(model);
  return lengths || angles;
}
