#include "cli/backward.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <math.h>
#include <string.h>

// A way back as it is gone.
typedef struct Way {
  const MbBackward *asked;
  double *derivatives;
  double *frame;   // (frame size)
  bool turned;     // the weights are those of the measure
  bool none;       // the measure is no number
  MbStatus status; // of turning
  MbReport *report;
} Way;

static MbStatus see(void *to, MbSim *sim, MbReport *report) {
  Way *way = to;
  const MbBackward *asked = way->asked;
  if (mb_run_stopped()) return MB_INTERRUPTED;
  if (asked->again || !mb_plan_frame_due(&asked->plan, mb_sim_steps(sim))) return MB_OK;
  const double t = mb_sim_time(sim);
  MbStatus status = mb_sim_sample(sim, way->frame, report);
  if (status == MB_OK) status = mb_sim_check_frame(sim, way->frame, report);
  if (status != MB_OK) return status;
  mb_measure_weights_frame(asked->weights, t, way->frame);
  mb_measures_frame(asked->measures, t, way->frame);
  return MB_OK;
}

// The first question comes when the run is done.
static bool wanted(void *to, int64_t step, double t) {
  Way *way = to;
  const MbBackward *asked = way->asked;
  if (!way->turned)
    way->status = mb_measure_weights_of(asked->weights, asked->which, &way->none, way->report);
  way->turned = true;
  return way->status == MB_OK && !way->none && mb_plan_frame_due(&asked->plan, step) &&
         mb_measure_weights_wanted(asked->weights, t);
}

static void weigh(void *to, int64_t step, double t, const double *frame, double *weights) {
  Way *way = to;
  const MbBackward *asked = way->asked;
  (void)step;
  mb_measure_weights_add(asked->weights, t, frame, weights);
  for (size_t k = 0; k < asked->count; k++)
    way->derivatives[k] += mb_measure_weights_told(asked->weights, t, frame, asked->less[k], asked->more[k]) /
                           (2 * asked->numbers[k].move);
}

MbStatus mb_backward(MbSensitivity *gradient, const MbBackward *asked, double *derivatives,
                     MbReport *report) {
  Way way = {.asked = asked, .derivatives = derivatives, .report = report};
  const MbSensitivityWeights weights = {.to = &way, .see = see, .wanted = wanted, .weigh = weigh};
  double *felt = mb_calloc(asked->count, sizeof *felt);
  way.frame = mb_calloc(mb_sim_frame_size(mb_sensitivity_sim(gradient)), sizeof *way.frame);
  memset(derivatives, 0, asked->count * sizeof *derivatives);
  MbStatus status = felt && way.frame ? MB_OK : mb_no_memory(report, "derivatives");
  if (!status)
    status =
        mb_sensitivity_backward(gradient, asked->plan.steps, asked->memory, &weights, felt, NULL, report);
  if (!status) status = way.status;
  for (size_t k = 0; k < asked->count && !status; k++) {
    double around;
    status = mb_measure_weights_around(asked->weights, asked->less[k], asked->more[k], &around, report);
    derivatives[k] = way.none ? NAN : derivatives[k] + felt[k] + around / (2 * asked->numbers[k].move);
  }
  mb_free(way.frame);
  mb_free(felt);
  return status;
}

const char *mb_backward_refuses(const MbSensitivity *gradient, const MbMeasures *measures) {
  const size_t size = mb_sensitivity_frame_size(gradient);
  const char *why = mb_sensitivity_no_way_back(gradient);
  bool *reads = why ? NULL : mb_calloc(size, sizeof *reads);
  if (why || !reads) return why;
  mb_measures_reads(measures, reads);
  for (size_t c = 0; c < size && !why; c++)
    if (reads[c] && mb_sensitivity_bends(gradient, c))
      why = mb_sensitivity_of_nodes(gradient)
                ? "under solver \"projective\" what elements measure is told along with the run alone, and "
                  "so is energy where a number changes what they are at rest"
                : "stress, strain and energy of elements are told along with the run alone";
  for (size_t c = 0; c < size && !why; c++)
    if (reads[c] && mb_sensitivity_adds_up(gradient, c))
      why = "the work of contacts and of dry friction is told along with the run alone";
  mb_free(reads);
  return why;
}

// What a way costs, in runs: at all, and for each number.
typedef struct Costs {
  double along, along_each, back, back_each;
} Costs;

// As mbsim-bench gradient has them. Contact and dry friction go along by single steps, two and more for each number (mbsim-bench gradient_touch), and so do
// deformables under solver projective (mbsim-bench gradient_nodes).
static Costs costs_of(const MbSensitivity *gradient) {
  if (mb_sensitivity_meets(gradient)) return (Costs){1, 4, 3.2, 0.35};
  if (mb_sensitivity_of_nodes(gradient)) return (Costs){1, 2.3, 1.2, 0.05};
  if (mb_sensitivity_by_steps(gradient)) return (Costs){1, 2.2, 4, 0.02}; // solver maximal
  return (Costs){2.2, 0.55, 3.2, 0.03};
}

// Going back, frames of channels that are taken by differences cost eight samples for each coordinate more, of some twentieth of a step.
bool mb_backward_pays(const MbSensitivity *gradient, const MbMeasures *measures, size_t nmeasures,
                      size_t count, const MbPlan *plan) {
  static const double SAMPLE = 0.05;
  const Costs costs = costs_of(gradient);
  const size_t size = mb_sensitivity_frame_size(gradient);
  if (mb_backward_refuses(gradient, measures)) return false;
  bool *reads = mb_calloc(size, sizeof *reads);
  double frames = 0, steps = (double)plan->steps, back = 0;
  if (!reads) return false;
  for (int64_t i = 0; i <= plan->steps; i++) frames += mb_plan_frame_due(plan, i);
  for (size_t m = 0; m < nmeasures; m++) {
    memset(reads, 0, size * sizeof *reads);
    mb_measure_weights_often(measures, m, reads);
    bool apart = false;
    for (size_t c = 0; c < size; c++) apart |= reads[c] && !mb_sensitivity_weighs(gradient, c);
    back += costs.back + costs.back_each * (double)count;
    if (apart && steps > 0)
      back += frames / steps * SAMPLE * (8 * (double)mb_sensitivity_width(gradient) + 2 * (double)count);
  }
  mb_free(reads);
  return back < costs.along + costs.along_each * (double)count;
}
