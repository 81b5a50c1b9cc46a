// Derivatives of runs of scenes in tests/gradient, by numbers of theirs, beside differences of whole runs.
#ifndef MB_TESTS_GRADIENT_CASES_H
#define MB_TESTS_GRADIENT_CASES_H

#include "core/sim/sensitivity.h"
#include "tests/runs.h"

// What moves a scene, and whether derivatives are exact.
typedef struct GradientWay {
  const char *solver, *integrator;
  bool exact;
} GradientWay;

// A number of a scene, and how it is run.
typedef struct GradientCase {
  const char *scene, *material; // NULL: the scene's own; what begins with / sets something
  const GradientWay *way;
  const char *name;   // NULL: none is changed
  double value, move; // of the number, of itself, between whole runs
} GradientCase;

// Constraints of every kind between the tips of tests/gradient/chains.json, with "number" in them: what sets them.
enum { GRADIENT_CONSTRAINTS = 13 };
extern const char *const gradient_constraints[GRADIENT_CONSTRAINTS];
// Distances there of which several numbers change the length.
extern const char *const gradient_lengths[2];
// The tips, and the frames there.
#define GRADIENT_TIPS             "\"between\":[{\"body\":\"a3\",\"at\":[0.15,0,0]},{\"body\":\"b3\",\"at\":[0.15,0,0]}]"
#define GRADIENT_CONSTRAINT(text) "/constraints=[{" text "}]"
#define GRADIENT_CLOSURE(joint)                                                                              \
  GRADIENT_CONSTRAINT(                                                                                       \
      "\"joint\":" joint                                                                                     \
      ",\"between\":[{\"body\":\"a3\",\"frame\":{\"position\":[0.15,0,0]}},{\"body\":\"b3\","                \
      "\"frame\":{\"position\":[0.15,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle\":\"=-pi/2\"}}}]")

// The scene with the number moved by a share of itself.
TestRun gradient_moved(const GradientCase *c, double share);
// What the end of a run changes by (frame size), by differences of fourth order of whole runs; unsure ← some of how far these are from those of second
// order.
void gradient_by_differences(const GradientCase *c, double *wanted, double *unsure);
// The same by derivatives, of the run made at the number's own value, with the frame there; *warned ← what was warned of on the way.
void gradient_by_derivatives(const GradientCase *c, TestRun *at, double *frame, double *slope,
                             MbReport *warned);
// Checks derivatives by every parameter of a scene: worst ← how far they are off, of the largest of their channel, if that is more; by no more than 1e-7
// where they are exact, 2e-6 where not, which rounding over a number's move comes to. Returns how many warnings there were.
size_t gradient_check_scene(const char *scene, const char *material, const GradientWay *way, double move,
                            double *worst);
// Checks derivatives backwards, of a scene in which bodies touch or joints rub, by every parameter against differences of whole runs: how far they are off at most, of what is summed
// up, by no more than 1e-6.
double gradient_check_meets(const char *scene, const char *material, const GradientWay *way, double move);
// Checks derivatives along the run by single steps against those back through it, by every parameter: worst ← how far they are off at most, if that is more, of what is summed up, by no
// more than 2e-6. Returns how many warnings there were along.
size_t gradient_check_ways(const char *scene, const GradientWay *way, double *worst);
// Checks derivatives backwards, of a scene whose deformables solver projective moves, by every parameter against those along the run by single steps and differences of whole
// runs: worst ← how far they are off from each at most, if that is more, of what is summed up.
void gradient_check_nodes(const char *scene, const char *material, const GradientWay *way, double move,
                          double worst[2]);
// Goes back through a case's run from the first number of the frame after so many steps: *back ← what that changes by with the case's number.
MbStatus gradient_back_from(const GradientCase *c, int64_t steps, double *back, MbReport *report);
// What is warned of over so many steps of a case's run, along it or back through it, with the case's number moved by so little of itself.
MbReport gradient_warned(const GradientCase *c, double little, int64_t steps, bool back);
// What makes scene `limit` a sled at 1 m/s that is pushed by 3 m/s² ("push") towards a limit.
enum { GRADIENT_SLED = 300 };
void gradient_sled(char text[GRADIENT_SLED], double limit);
// Checks that derivatives backwards by all parameters at once are those by each of them alone, exact ones.
void gradient_check_together(const char *scene, const char *material, const GradientWay *way);

#endif
