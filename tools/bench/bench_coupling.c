// What it costs that bodies and a deformable are solved for together: steps of a bar of 5,292 nodes, 17 of which an arm of three bodies
// carries by 51 rows, beside those of the same bar with the same nodes pinned in space and no arm. Ten local-global iterations each, one
// step after the other in turn, so that what else the machine does hits both. Milliseconds of one processor's time; the ratio is the
// median of the pairs'.
#include "core/mbsim.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 5, TIMES = 41, TEXT = 4096 };

#define BOX(name, on)                                                                                        \
  "{\"name\": \"" name "\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.1, 0.1]}, \"density\": 500, "   \
  "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.1, 0, 0]}, " on  \
  "\"velocity\": 1}}"
#define ON(parent) "\"parent\": \"" parent "\", \"in_parent\": {\"position\": [0.1, 0, 0]}, "
#define ARM        BOX("upper", "") ", " BOX("fore", ON("upper")) ", " BOX("hand", ON("fore"))

// Every eleventh node of the bar's lower end is the holder's.
static MbSim *make(const char *bodies, const char *holder, MbModel **model) {
  static char text[TEXT];
  MbReport report = {0};
  MbScene *scene = NULL;
  MbSim *sim = NULL;
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"integrator\": \"implicit\", \"solver\": {\"type\": \"projective\", \"method\": "
      "\"projective\", \"iterations\": 10, \"energy_tolerance\": 0}, \"time\": {\"step\": 0.01, \"steps\": "
      "1000}, \"bodies\": [%s], \"deformables\": [{\"name\": \"bar\", \"type\": \"tets\", \"mesh\": "
      "{\"box\": [14, 14, 27], \"size\": [0.5, 0.5, 1]}, \"pose\": {\"position\": [0.6, -0.25, 0]}, "
      "\"material\": {\"model\": \"corotational\", \"young\": 1e6, \"poisson\": 0.45, \"density\": 1000}, "
      "\"attach\": [{\"select\": {\"vertices\": [0, 11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121, 132, "
      "143, 154, 165, 176]}, \"body\": \"%s\"}]}]}",
      bodies, holder);
  MbStatus status = mb_scene_parse(text, strlen(text), "coupling", ".", NULL, &scene, &report);
  if (!status) status = mb_model_create(scene, model, &report);
  if (!status) status = mb_sim_create(*model, &(MbSimOptions){.threads = 1}, &sim, &report);
  if (status) fprintf(stderr, "coupling: %s\n", report.issues[0].text);
  mb_scene_free(scene);
  return sim;
}

static double step(MbSim *sim) {
  static MbReport report; // large: not to be cleared each time
  const double began = mb_bench_cpu();
  return mb_sim_step(sim, &report) ? NAN : 1e3 * (mb_bench_cpu() - began);
}

static double median(double *x) {
  qsort(x, TIMES, sizeof *x, mb_bench_ascending);
  return x[TIMES / 2];
}

bool mb_bench_coupling(void) {
  MbModel *model[2] = {0};
  MbSim *pinned = make("", "world", &model[0]), *carried = make(ARM, "hand", &model[1]);
  double each[2][TIMES], quotient[TIMES];
  bool fine = pinned && carried;
  for (int k = -WARM; k < TIMES && fine; k++) {
    const double a = step(pinned), b = step(carried);
    fine = isfinite(a) && isfinite(b);
    if (k >= 0) each[0][k] = a, each[1][k] = b, quotient[k] = b / a;
  }
  mb_sim_free(pinned), mb_sim_free(carried);
  mb_model_free(model[0]), mb_model_free(model[1]);
  if (!fine) return false;
  printf("  ms a step: pinned %.2f, carried by the arm %.2f\n", median(each[0]), median(each[1]));
  return mb_bench_target("carried", median(quotient), "times", 1.25, false);
}
