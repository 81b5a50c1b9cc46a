// Scenes run from text or from the examples, with values replaced.
#ifndef MB_TESTS_RUNS_H
#define MB_TESTS_RUNS_H

#include "io/scene/scene.h"
#include "tests/support.h"

typedef struct TestRun {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
} TestRun;

// `from`: a scene of scenes/redmax, one of scenes by its folder and name, or one in a text that begins with a brace;
// `sets` as mb_scene_load takes them, ended by NULL. Fails the test where the scene is refused.
TestRun test_run(const char *from, const char *const *sets);
void test_run_free(TestRun *run);
// The same where it may be refused, by any of the steps to a simulation or by steps of it: the status, and the report.
MbStatus test_try(const char *from, const char *const *sets, int64_t steps, MbReport *report);

// Steps on, puts the state of `one` into `other`, of the same scene, and takes both so many steps further: their checkpoints are the same
// bytes then, or the test fails and says `what`.
void test_resumes(MbSim *one, MbSim *other, int64_t before, int64_t after, const char *what);

// Positions, rotation matrices and twists of all bodies, 18 numbers each: what does not depend on the choice of coordinates.
size_t test_bodies(const MbSim *sim, double *out, size_t most);
double test_distance(const double *a, const double *b, size_t n); // the largest; NaN where there is one
// Coordinates or velocities of bodies as the scene lists these, then those of nodes; `first` is the model's q_first or v_first.
void test_in_order(const MbModel *model, const double *from, const size_t *first, double *out);
// The text of a file; free().
char *test_text_of(const char *path);
// The number a channel has first in its place, and how many there are.
const double *test_channel(MbSim *sim, const char *name, size_t *count);

#endif
