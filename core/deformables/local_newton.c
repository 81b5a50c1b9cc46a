#include "core/deformables/local_step.h"
#include "core/deformables/newton_values.h"

void mb_local_newton(const MbElastic *elastic, int rank, double w, const double *a, double *s) {
  mb_newton_values(elastic, rank, w, a, s);
}
