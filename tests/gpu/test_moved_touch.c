// Contacts that a device solves for (gpu/moved_touch.c): problems of points of a block, of which the processor has all of W, by responses of an engine of
// its own. What the device finds is judged by the processor's natural map.
#include "core/base/alloc.h"
#include "core/contact/contact_auto.h"
#include "core/contact/contact_elsewhere.h"
#include "core/contact/contact_parts.h"
#include "core/sim/sections.h"
#include "gpu/moved.h"
#include "tests/gpu/beside.h"
#include "tests/soft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  SIDE = 6,
  NODES = SIDE * SIDE * SIDE,
  CONTACTS = 120,
  HELD = 2,
  ENDS = 3 * CONTACTS,
  ROWS = HELD + ENDS
};
enum { BODIES = 3, WEIGHTS = 4, PINNED = 31 };

// Rows that hold a body, then contacts of one to three corners of an element, every third one with a body; some of one point.
typedef struct Problem {
  Soft own, there;
  MbContactPoints points;
  MbContactProblem problem;
  MbPointSum sum[CONTACTS];
  size_t first[ROWS + 1];
  uint32_t point[ENDS], slot[2 * ROWS];
  double H[3 * ENDS], F[12 * ROWS], V[WEIGHTS * ROWS], NV[WEIGHTS * ROWS];
  double b[ROWS], soft[ROWS], least[ROWS], start[ROWS], W[ROWS * ROWS];
  MbContactRowKind kind[ROWS];
  MbContactCone cone[CONTACTS];
} Problem;

static double number(uint64_t *seed) { return 2 * test_random(seed) - 1; }

static void begin_block(Soft *soft, const MbPdMover *mover) {
  uint32_t node[NODES];
  *soft = (Soft){0};
  cr_assert(mb_element_mesh_box(&soft->mesh, (const size_t[]){SIDE, SIDE, SIDE}, (const double[]){1, 1, 1}));
  soft_begin(soft, 1000);
  soft_material(soft, MB_COROTATIONAL, 1e5, 0.3);
  soft->placed[PINNED] = 7;
  soft->spec.global = MB_GLOBAL_SPARSE_INVERSE;
  soft->spec.mover = mover, soft->spec.names = soft->spec.touches = true;
  soft_create(soft, 0.01, MB_METHOD_PROJECTIVE, 1, 0);
  for (uint32_t i = 0; i < NODES; i++) node[i] = i;
  cr_assert(mb_pd_name(soft->engine, NODES, node));
}

// A frame of a random normal.
static void frame(uint64_t *seed, double H[9]) {
  double *n = H, *s = H + 3, *t = H + 6, size = 0;
  for (int k = 0; k < 3; k++) n[k] = number(seed), size += n[k] * n[k];
  for (int k = 0; k < 3; k++) n[k] /= sqrt(size);
  const int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
  for (int k = 0; k < 3; k++) s[k] = (k == least) - n[least] * n[k];
  size = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  for (int k = 0; k < 3; k++) s[k] /= size;
  t[0] = n[1] * s[2] - n[2] * s[1], t[1] = n[2] * s[0] - n[0] * s[2], t[2] = n[0] * s[1] - n[1] * s[0];
}

static void make_points(Problem *p, uint64_t *seed) {
  const uint32_t *tet = p->own.mesh.tet;
  size_t n = 0;
  for (size_t c = 0; c < CONTACTS; c++) {
    if (c % 40 != 1) { // else that of the one before
      const size_t element = (size_t)(test_random(seed) * (double)p->own.mesh.tets);
      MbPointSum *sum = &p->sum[n++];
      *sum = (MbPointSum){.n = 1 + (uint32_t)(c % 3)};
      for (uint32_t k = 0; k < sum->n; k++)
        sum->node[k] = tet[4 * element + k],
        sum->weight[k] = sum->n == 1 ? 1 : (0.3 + k) / (0.9 * sum->n + sum->n);
    }
    for (size_t r = 0; r < 3; r++) p->point[3 * c + r] = (uint32_t)(n - 1);
  }
  for (size_t i = 0; i <= ROWS; i++) p->first[i] = i > HELD ? i - HELD : 0;
  p->points = (MbContactPoints){.npoints = n,
                                .width = 1,
                                .first = p->first,
                                .point = p->point,
                                .H = p->H,
                                .nslots = BODIES,
                                .F = p->F,
                                .slot = p->slot,
                                .weights = WEIGHTS,
                                .V = p->V,
                                .NV = p->NV,
                                .sum = p->sum,
                                .version = 1};
}

static void make_row(Problem *p, size_t i, uint32_t slot, MbContactRowKind kind, uint64_t *seed) {
  p->slot[2 * i] = slot, p->slot[2 * i + 1] = MB_NO_SLOT;
  for (size_t k = 0; k < 6; k++) p->F[12 * i + k] = (i < HELD ? 0.3 : 0.05) * number(seed);
  for (size_t m = 0; m < WEIGHTS; m++) p->V[WEIGHTS * i + m] = 0.05 * number(seed);
  for (size_t m = 0; m < WEIGHTS; m++) p->NV[WEIGHTS * i + m] = 0.5 * p->V[WEIGHTS * i + m];
  p->b[i] = kind == MB_CONTACT_NORMAL ? 0.4 * number(seed) - 0.3 : 0.3 * number(seed);
  p->soft[i] = i < HELD ? 0 : kind == MB_CONTACT_NORMAL ? 0.02 : 0.01;
  p->kind[i] = kind;
}

static void make_rows(Problem *p, double mu, uint64_t *seed) {
  for (size_t i = 0; i < HELD; i++) make_row(p, i, 1, MB_CONTACT_BOTH_WAYS, seed);
  for (size_t c = 0; c < CONTACTS; c++) {
    frame(seed, p->H + 9 * c);
    for (size_t r = 0; r < 3; r++)
      make_row(p, HELD + 3 * c + r, c % 3 == 0 ? (uint32_t)(c / 3 % BODIES) : MB_NO_SLOT,
               r ? MB_CONTACT_TANGENT : MB_CONTACT_NORMAL, seed);
    p->cone[c] =
        (MbContactCone){.row = HELD + 3 * c, .cone = mu > 0 ? MB_CONE_EXACT : MB_CONE_NONE, .mu = mu};
  }
}

static double through_points(const Problem *p, size_t i, size_t j) {
  const MbPointSum *a = &p->sum[p->point[i]], *b = &p->sum[p->point[j]];
  double through = 0, S[3];
  for (uint32_t k = 0; k < a->n; k++)
    for (uint32_t l = 0; l < b->n; l++) {
      mb_pd_response(p->own.engine, a->node[k], b->node[l], S);
      through += a->weight[k] * b->weight[l] * S[0];
    }
  return through *
         (p->H[3 * i] * p->H[3 * j] + p->H[3 * i + 1] * p->H[3 * j + 1] + p->H[3 * i + 2] * p->H[3 * j + 2]);
}

// All of W, by responses of the processor's engine.
static void form(Problem *p) {
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < ROWS; j++) {
      double sum = i < HELD || j < HELD ? 0 : through_points(p, i - HELD, j - HELD);
      for (size_t k = 0; k < 6 && p->slot[2 * i] == p->slot[2 * j] && p->slot[2 * i] != MB_NO_SLOT; k++)
        sum += p->F[12 * i + k] * p->F[12 * j + k];
      for (size_t m = 0; m < WEIGHTS; m++) sum += p->V[WEIGHTS * i + m] * p->NV[WEIGHTS * j + m];
      p->W[ROWS * i + j] = sum;
    }
}

static Problem *make(const MbPdMover *mover, double mu, MbContactFunction function, double tolerance) {
  uint64_t seed = 20;
  Problem *p = mb_calloc(1, sizeof *p);
  begin_block(&p->own, NULL), begin_block(&p->there, mover);
  make_points(p, &seed), make_rows(p, mu, &seed), form(p);
  p->problem = (MbContactProblem){.n = ROWS,
                                  .b = p->b,
                                  .kind = p->kind,
                                  .soft = p->soft,
                                  .least = p->least,
                                  .ncontacts = CONTACTS,
                                  .contact = p->cone,
                                  .W = {.points = &p->points},
                                  .start = p->start,
                                  .betters = true,
                                  .tolerance = tolerance,
                                  .function = function};
  return p;
}

static void unmake(Problem *p) {
  soft_end(&p->own), soft_end(&p->there);
  mb_free(p);
}

static MbContactResult solve(const Problem *p, MbContactAnswer *answer) {
  const MbContactElsewhere *elsewhere = mb_pd_elsewhere(p->there.engine);
  cr_assert_not_null(elsewhere);
  return elsewhere->solve(elsewhere->context, &p->problem, answer);
}

static const MbPdMover *mover_of(int k) {
  return beside_engine(k) == NULL ? NULL : k ? &mb_moved_by_cuda : &mb_moved_by_loops;
}

// The processor's natural map over |b| of the λ, whose w are those told.
static double judge(Problem *p, const MbContactAnswer *answer) {
  MbContactProblem dense = p->problem;
  MbRoom room = {0};
  MbStrips strips;
  double w[ROWS], most = 0, size = 0;
  dense.W = (MbContactOperator){.dense = p->W};
  mb_strips_make(&strips, &room, &dense, MB_FORMED);
  char *block = mb_calloc(1, room.used);
  room = (MbRoom){.at = block};
  mb_strips_make(&strips, &room, &dense, MB_FORMED);
  mb_strips_rates(&strips, answer->lambda, w);
  for (size_t i = 0; i < ROWS; i++)
    most = fmax(most, fabs(w[i] - answer->w[i])), size = fmax(size, fabs(w[i]));
  cr_expect_lt(most, 1e-12 * size, "w is off by %g of %g", most, size);
  const double natural = mb_strips_natural(&strips, answer->lambda, w) / strips.size;
  mb_free(block);
  return natural;
}

Test(moved_touch, what_is_found_holds_by_the_natural_map_of_the_processor) {
  static const double enough[] = {1e-10, 1e-9};
  for (int e = 0; mover_of(e); e++)
    for (int f = 0; f < 2; f++) {
      Problem *p =
          make(mover_of(e), 0.5, f ? MB_CONTACT_FISCHER_BURMEISTER : MB_CONTACT_MINIMUM_MAP, enough[f]);
      MbContactAnswer answer = {0};
      cr_expect_eq(solve(p, &answer), MB_CONTACT_SOLVED, "%s", answer.why);
      const double natural = judge(p, &answer);
      size_t open = 0, slip = 0;
      for (size_t c = 0; c < CONTACTS; c++) {
        const double *l = answer.lambda + HELD + 3 * c;
        open += l[0] == 0;
        slip += l[0] > 0 && hypot(l[1], l[2]) > 0.499999 * l[0];
      }
      cr_expect_leq(natural, enough[f]);
      cr_expect_float_eq(natural, answer.natural, 1e-14);
      cr_expect(open > 10 && slip > 10 && open + slip < CONTACTS - 10, "%zu open, %zu slip", open, slip);
      printf("  %zu steps to %.1e\n", answer.iterations, natural);
      unmake(p);
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

// Without friction λ is unique where W is definite.
Test(moved_touch, without_friction_impulses_are_those_of_the_processor) {
  for (int e = 0; mover_of(e); e++) {
    Problem *p = make(mover_of(e), 0, MB_CONTACT_MINIMUM_MAP, 1e-13);
    MbContactAnswer answer = {0}, own = {0};
    MbContactWork work = {0};
    MbContactProblem dense = p->problem;
    dense.W = (MbContactOperator){.dense = p->W};
    cr_assert(mb_contact_reserve(&work, &mb_contact_auto, &dense));
    cr_expect_eq(mb_contact_solve(&mb_contact_auto, &work, &dense, &own), MB_CONTACT_SOLVED);
    cr_expect_eq(solve(p, &answer), MB_CONTACT_SOLVED, "%s", answer.why);
    double size = 0;
    for (size_t i = 0; i < ROWS; i++) size = fmax(size, fabs(own.lambda[i]));
    test_near("impulses", answer.lambda, own.lambda, ROWS, 1e-10 * size);
    mb_contact_work_free(&work);
    unmake(p);
  }
}

Test(moved_touch, a_solution_comes_to_the_same_bits_and_goes_on_from_where_it_starts) {
  for (int e = 0; mover_of(e); e++) {
    Problem *p = make(mover_of(e), 0.5, MB_CONTACT_MINIMUM_MAP, 1e-9);
    MbContactAnswer answer = {0};
    double lambda[ROWS];
    for (int k = 0; k < 20; k++) {
      p->points.version = 1 + (uint64_t)(k / 2); // the list is made anew, too
      cr_expect_eq(solve(p, &answer), MB_CONTACT_SOLVED);
      if (k) cr_expect_arr_eq(answer.lambda, lambda, sizeof lambda, "run %d", k);
      memcpy(lambda, answer.lambda, sizeof lambda);
    }
    const size_t steps = answer.iterations;
    memcpy(p->start, lambda, sizeof lambda);
    cr_expect_eq(solve(p, &answer), MB_CONTACT_SOLVED);
    cr_expect_lt(answer.iterations, steps);
    p->problem.iterations = 1, p->problem.tolerance = 1e-15;
    memset(p->start, 0, sizeof p->start);
    cr_expect_eq(solve(p, &answer), MB_CONTACT_NOT_CONVERGED);
    cr_expect_eq(answer.iterations, 1);
    cr_expect(strstr(answer.why, "1 steps come to a natural map of"));
    unmake(p);
  }
}

Test(moved_touch, what_is_of_another_kind_is_left_to_the_processor) {
  Problem *p = make(&mb_moved_by_loops, 0.5, MB_CONTACT_MINIMUM_MAP, 1e-9);
  MbContactAnswer answer = {0};
  p->cone[7].cone = MB_CONE_BOX;
  cr_expect_eq(solve(p, &answer), MB_CONTACT_REFUSED);
  p->cone[7].cone = MB_CONE_EXACT;
  p->kind[0] = MB_CONTACT_ONE_WAY, p->points.version++;
  cr_expect_eq(solve(p, &answer), MB_CONTACT_REFUSED);
  p->kind[0] = MB_CONTACT_BOTH_WAYS, p->points.version++;
  // opposite corners are not on one way to the root
  const MbPointSum sum = p->sum[3];
  p->sum[3] = (MbPointSum){.n = 2, .node = {0, NODES - 1}, .weight = {0.5, 0.5}}, p->points.version++;
  cr_expect_eq(solve(p, &answer), MB_CONTACT_REFUSED);
  p->sum[3] = sum, p->points.version++;
  cr_expect_eq(solve(p, &answer), MB_CONTACT_SOLVED);
  p->points.nslots = 1000, p->points.version++;
  cr_expect_eq(solve(p, &answer), MB_CONTACT_REFUSED);
  unmake(p);
  cr_assert_eq(mb_alloc_live(), 0);
}

// ---- steps --------------------------------------------------------------------------------------------------------

// A slab that falls flat, and slides.
static const char landing[] =
    "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 8}, \"integrator\": \"implicit\", "
    "\"time\": {\"step\": 0.01, \"steps\": 20}, \"contact\": {\"friction\": 0.3}, \"bodies\": [{\"name\": "
    "\"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}], \"deformables\": "
    "[{\"name\": \"slab\", \"type\": \"tets\", \"mesh\": {\"box\": [11, 11, 3], \"size\": [0.4, 0.4, 0.08]}, "
    "\"pose\": {\"position\": [0, 0, 0.003]}, \"velocity\": {\"linear\": [0.4, 0.1, 0]}, \"material\": "
    "{\"model\": \"neo_hookean\", \"young\": 3e4, \"poisson\": 0.35, \"density\": 1000}}]}";

static size_t images; // launches of conjugate residuals
static MbBackend counting;
static void count_run(MbGpu *gpu, MbKernel kernel, size_t n, const void *args) {
  images += kernel == MB_RUN_mb_hit_image;
  mb_loops_backend.run(gpu, kernel, n, args);
}
static const MbBackend *count_on(const MbBackend *on) {
  counting = *on, counting.run = count_run;
  return &counting;
}

// Steps from the same states; how far places are apart.
static double compare(const char *const *sets, int steps, size_t *launches) {
  TestRun run = test_run(landing, sets);
  mb_backend_between = count_on;
  MbSim *own = run.sim, *there = beside_on(&mb_loops_engine, &run);
  MbReport report = {0};
  double worst = 0;
  images = 0;
  for (int k = 0; k < steps; k++) {
    const size_t size = mb_sim_checkpoint_size(own), n = 3 * mb_model_points(run.model);
    void *state = mb_calloc(1, size);
    mb_sim_checkpoint(own, state);
    test_ok(mb_sim_restore(there, state, size, &report), &report);
    mb_free(state);
    test_steps(own, 1), test_steps(there, 1);
    const double *a = mb_section(own, MB_SECTION_NODES), *b = mb_section(there, MB_SECTION_NODES);
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  }
  cr_expect_eq(mb_section(there, MB_SECTION_TOLD)[MB_SOLVED_MISSED], 0);
  mb_backend_between = NULL;
  *launches = images;
  mb_sim_free(there), test_run_free(&run);
  return worst;
}

Test(moved_touch, a_slab_that_lands_goes_as_by_the_processor) {
  static const char *const methods[] = {"/solver/method=\"lbfgs\"", "/solver/method=\"projective\""};
  for (int k = 0; k < 2; k++) {
    size_t launches;
    const double worst =
        compare((const char *[]){"/contact/tolerance=1e-11", methods[k], NULL}, 8, &launches);
    cr_expect_lt(worst, 1e-10);
    cr_expect_gt(launches, 100);
    printf("  %.1e m apart, %zu directions\n", worst, launches);
  }
}

// Methods that are asked for by name are the processor's, but for Newton's.
Test(moved_touch, methods_that_are_asked_for_by_name_are_the_processors) {
  size_t launches;
  const char *const sets[] = {"/contact/method=\"gauss_seidel\"", "/contact/tolerance=1e-6",
                              "/contact/iterations=9999", NULL};
  cr_expect_lt(compare(sets, 6, &launches), 1e-10);
  cr_expect_eq(launches, 0);
}

// A few steps of Newton's method are a fixed cost: they are taken as they are, and told.
Test(moved_touch, a_few_steps_are_taken_as_they_are) {
  const char *const sets[] = {"/contact/method=\"nonsmooth_newton\"", "/contact/tolerance=1e-13",
                              "/contact/iterations=2", NULL};
  TestRun run = test_run(landing, sets);
  MbSim *there = beside_on(&mb_loops_engine, &run);
  test_steps(there, 10), test_steps(run.sim, 10);
  const double *told = mb_section(there, MB_SECTION_TOLD);
  cr_expect_gt(told[MB_SOLVED_MISSED], 0);
  cr_expect_leq(told[MB_SOLVED_LAST_ITERATIONS], 2 * 9);
  mb_sim_free(there), test_run_free(&run);
}

// Wherever it stops, the step fails as a device's fault.
Test(moved_touch, a_device_that_stops_among_contacts_is_what_is_told) {
  enum { FIRST = 40, EVERY = 797 };
  TestRun run = test_run(landing, NULL);
  MbSim *sim = beside_on(&mb_loops_engine, &run);
  bool whole = false;
  int64_t launch = FIRST;
  test_steps(sim, 4);
  for (; !whole; launch += EVERY) {
    MbReport report = {0};
    MbSim *one = beside_on(&mb_loops_engine, &run);
    const size_t size = mb_sim_checkpoint_size(sim);
    void *state = mb_calloc(1, size);
    mb_sim_checkpoint(sim, state);
    test_ok(mb_sim_restore(one, state, size, &report), &report);
    mb_loops_fail_after = launch;
    const MbStatus status = mb_sim_step(one, &report);
    whole = mb_loops_fail_after >= 0;
    mb_loops_fail_after = -1;
    cr_expect_eq(status, whole ? MB_OK : MB_DEVICE, "launch %lld: %s", (long long)launch,
                 report.issues[0].text);
    mb_free(state), mb_sim_free(one);
  }
  cr_expect_gt(launch, 3 * EVERY);
  mb_sim_free(sim), test_run_free(&run);
}

// Room for contacts is part of what a scene takes there.
Test(moved_touch, room_for_contacts_is_part_of_the_memory_that_is_told) {
  size_t bytes[2];
  MbReport report = {0};
  for (int k = 0; k < 2; k++) {
    TestRun run =
        test_run(landing, (const char *[]){k ? "/solver/global=\"partitioned_inverse\"" : NULL, NULL});
    test_ok(mb_engine_memory(&mb_loops_engine, run.model, &bytes[k], &report), &report);
    const size_t n = mb_model_points(run.model);
    if (k == 0) cr_expect_geq(bytes[0], 5 * n * n * sizeof(double)); // columns, and twice the nodes squared
    test_run_free(&run);
  }
  cr_expect_gt(bytes[0], bytes[1]);
}
