// Checkpoints: of any length, restored whole or not at all. That runs go on from them bit for bit is tested with each solver and scheme.
#include "core/base/alloc.h"
#include "core/sim/sim_internal.h"
#include "tests/runs.h"

#include <stdlib.h>
#include <string.h>

// A driven rod that is held by a rope: states of several kinds.
static const char scene[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 1}, \"bodies\": [{\"name\": \"rod\", \"mass\": "
    "2,"
    " \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1], \"frame\": {\"position\": [0.5, 0, 0]}},"
    " \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"force\": \"=2*t\"}}, {\"name\": \"free\", "
    "\"mass\": 1,"
    " \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"pose\": {\"position\": [0, 0, 3]}}], "
    "\"constraints\": [{"
    "\"type\": \"distance\", \"rope\": true, \"length\": 1, \"between\": [{\"body\": \"rod\", \"at\": [1, 0, "
    "0]},"
    " {\"body\": \"world\", \"at\": [1, 0, 0.5]}]}]}";

typedef struct Bytes {
  unsigned char *at;
  size_t size;
} Bytes;

static Bytes take(const MbSim *sim) {
  const size_t size = mb_sim_checkpoint_size(sim);
  Bytes b = {malloc(size + 64), size};
  mb_sim_checkpoint(sim, b.at);
  return b;
}

// Refused with a message that says this, the state staying as it was.
static void refuse(MbSim *sim, const unsigned char *bytes, size_t size, const char *said) {
  MbReport report = {0};
  const Bytes before = take(sim);
  unsigned char *exact = malloc(size ? size : 1); // so that reading beyond it is found
  memcpy(exact, bytes, size);
  cr_assert_eq(mb_sim_restore(sim, exact, size, &report), MB_USAGE, "%zu bytes", size);
  cr_assert(strstr(report.issues[0].text, said), "%zu bytes: %s", size, report.issues[0].text);
  const Bytes after = take(sim);
  cr_assert(before.size == after.size && !memcmp(before.at, after.at, after.size));
  free(exact), free(before.at), free(after.at);
}

Test(checkpoint, is_refused_wherever_it_is_cut_off) {
  TestRun run = test_run(scene, NULL);
  test_steps(run.sim, 20);
  const Bytes whole = take(run.sim);
  test_steps(run.sim, 3);
  for (size_t size = 0; size < whole.size; size++) refuse(run.sim, whole.at, size, "cut off");
  refuse(run.sim, whole.at, whole.size + 8, "goes on behind its last section");
  test_ok(mb_sim_restore(run.sim, whole.at, whole.size, NULL), NULL);
  cr_assert_eq(mb_sim_steps(run.sim), 20);
  free(whole.at);
  test_run_free(&run);
}

Test(checkpoint, of_another_scene_or_another_program_is_refused) {
  TestRun run = test_run(scene, NULL), other = test_run(scene, (const char *[]){"/bodies/0/mass=3", NULL});
  const Bytes own = take(run.sim), foreign = take(other.sim);
  refuse(run.sim, foreign.at, foreign.size, "another scene made it");
  own.at[3] ^= 1;
  refuse(run.sim, own.at, own.size, "is none of this version");
  own.at[3] ^= 1;
  memset(own.at + 24, 0xff, 8); // the step
  refuse(run.sim, own.at, own.size, "does not belong to this model");
  free(own.at), free(foreign.at);
  test_run_free(&run), test_run_free(&other);
}

enum { HEADER = 40, NAME = 24, SECTION = NAME + 8 };

// Where the section of that name begins.
static size_t section(const Bytes *b, const char *name) {
  uint64_t count = 0;
  for (size_t at = HEADER; at < b->size; at += SECTION + 8 * count) {
    memcpy(&count, b->at + at + NAME, 8);
    if (!strcmp((const char *)b->at + at, name)) return at;
  }
  cr_assert_fail("no section %s", name);
  return 0;
}

Test(checkpoint, sections_are_known_by_their_names) {
  TestRun run = test_run(scene, NULL);
  test_steps(run.sim, 20);
  mb_sim_set_input(run.sim, 0, 7, NULL);
  const Bytes own = take(run.sim);
  const size_t forces = section(&own, "forces"), q = section(&own, "q"), inputs = section(&own, "inputs");
  memcpy(own.at + forces, "forked", 6);
  refuse(run.sim, own.at, own.size, "\"forked\", which this version of mbsim does not know");
  memcpy(own.at + forces, "v\0\0\0\0\0", 6);
  refuse(run.sim, own.at, own.size, "\"v\" twice");
  memcpy(own.at + forces, "inputs", 6); // one number is no pair, and there are inputs already
  refuse(run.sim, own.at, own.size, "\"inputs\"");
  memcpy(own.at + forces, "forces", 6);
  memcpy(own.at + q, "v", 1);
  refuse(run.sim, own.at, own.size, "numbers of \"v\", this model has");
  memcpy(own.at + q, "q", 1);
  const double wrong[] = {-1, 0.5, 1e9, NAN};
  for (size_t i = 0; i < 4; i++) {
    memcpy(own.at + inputs + SECTION, &wrong[i], 8);
    refuse(run.sim, own.at, own.size, "\"inputs\" that make no sense");
  }
  free(own.at);
  test_run_free(&run);
}

// Versions that did not write down which warnings had been given wrote checkpoints without them: a run that goes on from one may give them again.
Test(checkpoint, without_the_warnings_that_were_given_is_taken) {
  TestRun run = test_run(scene, NULL);
  const Bytes own = take(run.sim);
  const size_t at = section(&own, "warned"), behind = at + SECTION + 8 * MB_WARNED_NUMBERS;
  uint64_t sections = 0;
  memcpy(&sections, own.at + 16, 8);
  sections--;
  memcpy(own.at + 16, &sections, 8);
  memmove(own.at + at, own.at + behind, own.size - behind);
  mb_section(run.sim, MB_SECTION_WARNED)[MB_WARNED_TURNED] = 1;
  test_ok(mb_sim_restore(run.sim, own.at, own.size - (behind - at), NULL), NULL);
  for (int i = 0; i < MB_WARNED_NUMBERS; i++) cr_expect_eq(mb_section(run.sim, MB_SECTION_WARNED)[i], 0);
  free(own.at);
  test_run_free(&run);
}

// Sections may stand in any order, and one that is missing is told.
Test(checkpoint, a_section_that_is_missing_is_told) {
  TestRun run = test_run(scene, NULL);
  test_steps(run.sim, 20);
  const Bytes own = take(run.sim);
  const size_t q = section(&own, "q"), v = section(&own, "v");
  uint64_t sections = 0;
  Bytes without = {malloc(own.size), own.size - (v - q)};
  memcpy(without.at, own.at, q);
  memcpy(without.at + q, own.at + v, own.size - v);
  memcpy(&sections, own.at + 16, 8);
  sections--;
  memcpy(without.at + 16, &sections, 8);
  refuse(run.sim, without.at, without.size, "lacks \"q\"");
  // the same at the end
  sections++;
  memcpy(without.at + 16, &sections, 8);
  memcpy(without.at + q + own.size - v, own.at + q, v - q);
  test_steps(run.sim, 2);
  test_ok(mb_sim_restore(run.sim, without.at, own.size, NULL), NULL);
  const Bytes again = take(run.sim);
  cr_assert(again.size == own.size && !memcmp(again.at, own.at, own.size));
  free(own.at), free(without.at), free(again.at);
  test_run_free(&run);
}

// Adaptive steps do not find the forces at their ends where no channel tells them, and then remember none.
Test(checkpoint, has_no_forces_of_adaptive_steps_that_nobody_asks_for) {
  static const char *const sets[] = {"/integrator=\"rk45\"", NULL};
  TestRun one = test_run("09-hybrid-dynamics", sets), other = test_run("09-hybrid-dynamics", sets);
  test_resumes(one.sim, other.sim, 14, 1, "rk45");
  test_run_free(&one), test_run_free(&other);
}

// Values that were given to inputs are pairs, as many as there are of them.
Test(checkpoint, has_another_length_as_the_state_has) {
  TestRun run = test_run(scene, NULL), other = test_run(scene, NULL);
  const size_t none = mb_sim_checkpoint_size(run.sim);
  cr_assert_geq(mb_model_inputs(run.model), 1);
  test_ok(mb_sim_set_input(run.sim, 0, 7, NULL), NULL);
  cr_assert_eq(mb_sim_checkpoint_size(run.sim), none + SECTION + 16);
  test_steps(run.sim, 5);
  const Bytes half = take(run.sim);
  test_steps(other.sim, 2);
  test_ok(mb_sim_restore(other.sim, half.at, half.size, NULL), NULL);
  cr_assert_eq(mb_sim_input(other.sim, 0), 7);
  test_steps(run.sim, 10), test_steps(other.sim, 10);
  const Bytes a = take(run.sim), b = take(other.sim);
  cr_assert(a.size == b.size && !memcmp(a.at, b.at, a.size));
  // and one without takes them back
  TestRun fresh = test_run(scene, NULL);
  const Bytes start = take(fresh.sim);
  test_ok(mb_sim_restore(other.sim, start.at, start.size, NULL), NULL);
  cr_assert_eq(mb_sim_checkpoint_size(other.sim), none);
  free(half.at), free(a.at), free(b.at), free(start.at);
  test_run_free(&run), test_run_free(&other), test_run_free(&fresh);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(checkpoint, every_section_has_a_name_of_its_own) {
  for (int i = 0; i < MB_SECTIONS; i++) {
    cr_assert_not_null(mb_section_words[i], "section %d", i);
    cr_assert_lt(strlen(mb_section_words[i]), (size_t)NAME);
    for (int k = 0; k < i; k++) cr_assert_str_neq(mb_section_words[i], mb_section_words[k]);
  }
}
