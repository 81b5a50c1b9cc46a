// In whatever order a file lists its bodies, what touches moves the same: contacts are in an order of names, and sums over them run in it.
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128 };

// The scene in a text, with its bodies in an order that `seed` draws; 0: in its own.
static char *shuffled(const char *text, uint64_t seed) {
  cJSON *scene = cJSON_Parse(text), *made = cJSON_CreateArray();
  cr_assert_not_null(scene);
  cJSON *bodies = cJSON_DetachItemFromObject(scene, "bodies");
  for (int left; (left = cJSON_GetArraySize(bodies)) > 0;) {
    const int which = seed ? (int)(test_random(&seed) * left) : 0;
    cJSON_AddItemToArray(made, cJSON_DetachItemFromArray(bodies, which));
  }
  cJSON_Delete(bodies);
  cJSON_AddItemToObject(scene, "bodies", made);
  char *out = cJSON_PrintUnformatted(scene);
  cJSON_Delete(scene);
  return out;
}

static size_t named(const MbModel *model, const char *name) {
  size_t b = 0;
  while (strcmp(model->body_name[b], name)) b++;
  return b;
}

// How far apart the bodies of two runs come in so many steps, by names: positions and numbers of their rotations.
static double parts(const char *text, uint64_t seed, const char *const *sets, int64_t steps) {
  char *one = shuffled(text, 0), *other = shuffled(text, seed);
  TestRun x = test_run(one, sets), y = test_run(other, sets);
  double most = 0;
  size_t turned = 0, pushed = 0;
  cr_assert_leq(x.model->nlisted, MOST);
  for (int64_t i = 0; i < steps; i++) {
    test_steps(x.sim, 1), test_steps(y.sim, 1);
    pushed += x.sim->touching->last.n;
    for (size_t b = 0; b < x.model->nlisted; b++) {
      const size_t c = named(y.model, x.model->body_name[b]);
      turned += b != c;
      most = fmax(most, test_distance(x.sim->x.E[b].p, y.sim->x.E[c].p, 3));
      most = fmax(most, test_distance(x.sim->x.E[b].q, y.sim->x.E[c].q, 4));
    }
  }
  cr_assert_gt(turned, 0, "the order is the same");
  cr_assert_gt(pushed, (size_t)steps, "%zu contacts have pushed", pushed);
  test_run_free(&x), test_run_free(&y);
  free(one), free(other);
  return most;
}

static void check_example(const char *name, int64_t steps, double allowed) {
  char path[128];
  snprintf(path, sizeof path, "scenes/contact/%s.json", name);
  char *text = test_text_of(path);
  for (uint64_t seed = 1; seed < 3; seed++) {
    const double far = parts(text, seed, NULL, steps);
    cr_expect_leq(far, allowed, "%s: %g", name, far);
  }
  free(text);
}

Test(contact_order_long, examples_in_other_orders_move_the_same_to_the_last_bit, TEST_LONG) {
  check_example("card_house", 250, 0);
  check_example("stack", 300, 0);
  check_example("dominoes", 500, 0);
  check_example("billiards", 300, 0);
}

// Sums over bodies that joints couple run in the order of the tree, which is the file's.
Test(contact_order_long, nets_in_other_orders_move_the_same_to_rounding, TEST_LONG) {
  check_example("catching_net", 250, 1e-10);
  check_example("chain", 300, 1e-10);
}

static double draw(uint64_t *state, double low, double high) {
  return low + (high - low) * test_random(state);
}

// Boxes that fall in layers of nine, each with a size, a place and a turn of its own, and names whose order is not the file's.
static char *write_heap(size_t boxes) {
  static const char *const names[] = {"delta", "alpha", "charlie", "bravo"};
  char *text = NULL;
  size_t size = 0;
  uint64_t seed = 7;
  FILE *out = open_memstream(&text, &size);
  fprintf(out,
          "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"duration\": 2}, \"contact\": {\"friction\": 0.5}, "
          "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "
          "\"fixed\"}}");
  for (size_t i = 0; i < boxes; i++) {
    fprintf(out, ", {\"name\": \"%s %zu\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [",
            names[i % 4], i);
    for (int k = 0; k < 3; k++) fprintf(out, "%s%.9g", k ? ", " : "", draw(&seed, 0.1, 0.3));
    fprintf(out, "]}, \"pose\": {\"position\": [%.9g, %.9g, %.9g], ",
            0.45 * (double)(i % 3) + draw(&seed, -0.05, 0.05),
            0.45 * (double)(i / 3 % 3) + draw(&seed, -0.05, 0.05), 0.3 + 0.48 * (double)(i / 9));
    fprintf(out, "\"rotation\": {\"axis\": [%.9g, %.9g, 1], \"angle\": %.9g}}}", draw(&seed, -1, 1),
            draw(&seed, -1, 1), draw(&seed, 0, 3));
  }
  fprintf(out, "]}");
  fclose(out);
  return text;
}

Test(contact_order_long, a_heap_of_50_boxes_in_another_order_moves_the_same_to_the_last_bit, TEST_LONG) {
  char *text = write_heap(50);
  const double far = parts(text, 3, NULL, 240);
  cr_expect_leq(far, 0, "%g", far);
  free(text);
}

Test(contact_order, boxes_move_the_same_in_another_order_under_every_method_and_solver, TEST_LONG) {
  static const char *const ways[] = {"/contact/method=\"gauss_seidel\"",
                                     "/contact/method=\"nonsmooth_newton\"",
                                     "/contact/method=\"admm\"",
                                     "/contact/method=\"staggered\"",
                                     "/contact/cone=\"pyramid\"",
                                     "/contact/cone=\"box\"",
                                     "/solver=\"maximal\""};
  char *text = write_heap(9);
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    const char *const sets[] = {ways[w], "/contact/tolerance=1e-7", NULL};
    const double far = parts(text, 5, sets, 80);
    cr_expect_leq(far, 1e-9, "%s: %g", ways[w], far);
  }
  free(text);
}
