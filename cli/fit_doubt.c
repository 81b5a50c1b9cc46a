// Whether a fit that has come to a minimum looks like the one that was looked for. A minimum says that no small change of the unknowns leaves less; it does not say that little is left.
#include "cli/fitting.h"

#include <math.h>
#include <string.h>

void mb_fit_column_left(const MbFit *fit, size_t series, double *rms, double *most) {
  const double *y = fit->starts[fit->best].found.y;
  double sum = 0;
  *most = 0;
  for (size_t i = 0; i < fit->match.npoints; i++) {
    if (fit->match.points[i].series != series) continue;
    const double off = y[i] * fit->match.points[i].sigma;
    sum += off * off, *most = fmax(*most, fabs(off));
  }
  *rms = sqrt(sum / (double)fit->match.series[series].points);
}

// What is left of the data, and how the data moves about the means of its columns, in standard deviations; numbers that a loss lets off count for as little in both.
typedef struct Left {
  double left, moves;
} Left;

static Left find_left(const MbFit *fit) {
  const MbFitMatch *m = &fit->match;
  const double *y = fit->starts[fit->best].found.y;
  double left = 0, moves = 0, all = 0;
  for (size_t s = 0; s < m->nseries; s++) {
    double sum = 0, square = 0, weights = 0;
    for (size_t i = 0; i < m->npoints; i++) {
      const MbFitPoint *point = &m->points[i];
      if (point->series != s) continue;
      const double weight = mb_fit_weight(&fit->problem, y, i);
      left += weight * y[i] * y[i], weights += weight;
      sum += weight * point->value,
          square += weight * point->value * point->value / point->sigma / point->sigma;
    }
    const double sigma = m->series[s].sigma;
    if (weights > 0) moves += fmax(square - sum * sum / weights / sigma / sigma, 0);
    all += weights;
  }
  return (Left){sqrt(left / all), sqrt(moves / all)};
}

// How alike numbers of a column are that follow one another, of what is left: 0 of scatter, 1 of what is the same throughout; 0 of few numbers.
static double find_alike(const MbFit *fit) {
  enum { FEW = 20 };
  const MbFitMatch *m = &fit->match;
  const double *y = fit->starts[fit->best].found.y;
  double both = 0, square = 0;
  for (size_t s = 0; s < m->nseries; s++) {
    double last = 0;
    for (size_t i = 0; i < m->npoints; i++) {
      if (m->points[i].series != s) continue;
      both += last * y[i], square += y[i] * y[i];
      last = y[i];
    }
  }
  return m->npoints >= FEW && square > 0 ? both / square : 0;
}

static const char *advice(const MbFit *fit) {
  return fit->nstarts > 1 ? "none of the starts has come lower"
                          : "--starts 20, with bounds (--free NAME=FROM:TO), searches from more places";
}

const char *mb_fit_doubt(const MbFit *fit, char text[400]) {
  static const double FAR = 3, MUCH = 0.5; // standard deviations; of how the data moves
  static const double ALIKE = 0.5, SEEN = 1e-4;
  static const char other[] = "the model is another than the data's, or a lower minimum is elsewhere";
  *text = 0;
  if (fit->minimise || !fit->match.npoints) return text;
  const Left found = find_left(fit);
  const double alike = find_alike(fit);
  if (fit->known && found.left > FAR)
    snprintf(text, 400,
             "what is left is %.3g standard deviations of the data, where 1 is to be expected: %s (%s), and "
             "standard errors say nothing",
             found.left, other, advice(fit));
  else if (!fit->known && found.moves > 0 && found.left > MUCH * found.moves)
    snprintf(text, 400,
             "what is left is %.0f %% of how the data moves about its mean: %s (%s), and standard errors say "
             "nothing",
             100 * found.left / found.moves, other, advice(fit));
  else if (!fit->known && alike > ALIKE && found.left > SEEN * found.moves)
    snprintf(text, 400,
             "what is left is no scatter, as numbers that follow one another are alike by %.2f: %s (%s), and "
             "standard errors are too small",
             alike, other, advice(fit));
  return text;
}
