// Problems of contact with friction that others wrote (of the tests of Siconos; each file names its source): judged by the natural map
// ‖r − P_K(r − û)‖ / ‖q‖, as r is not unique where W is singular.
#include "core/base/alloc.h"
#include "io/contact/contact_file.h"
#include "tests/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 7, MOST = 1 << 20 };

static size_t read_file(const char *folder, const char *name, char *text) {
  char path[300];
  snprintf(path, sizeof path, "tests/%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  const size_t length = fread(text, 1, MOST, file);
  fclose(file);
  cr_assert(length > 0 && length < MOST);
  return length;
}

// Whether the method comes to the tolerance, of the natural map by ρ (0: each block's own). Where it does not it says so.
static bool solves_by(const MbContactFile *file, const char *name, double tolerance, double rho,
                      const char *path) {
  const MbContactMethod *method = mb_contact_method(name);
  MbContactProblem problem = file->problem;
  MbContactWork work = {0};
  MbContactAnswer answer;
  problem.tolerance = tolerance, problem.rho = rho;
  cr_assert(mb_contact_reserve(&work, method, &problem));
  const MbContactResult result = mb_contact_solve(method, &work, &problem, &answer);
  cr_expect_eq(result == MB_CONTACT_SOLVED, answer.natural <= tolerance, "%s by %s: %g", path, name,
               answer.natural);
  if (result != MB_CONTACT_SOLVED) cr_expect(answer.why[0], "%s by %s says nothing", path, name);
  mb_contact_work_free(&work);
  return result == MB_CONTACT_SOLVED;
}

static bool solves(const MbContactFile *file, const char *name, double tolerance, const char *path) {
  return solves_by(file, name, tolerance, 1, path);
}

Test(oracle_contact, auto_solves_all_of_them_and_sweeps_and_newton_most) {
  static char text[MOST];
  struct dirent **list = NULL;
  const int n = scandir("tests/oracle/fc3d", &list, NULL, alphasort);
  int files = 0, close = 0, sweeps = 0, newton = 0, staggered = 0;
  cr_assert_gt(n, 0);
  for (int i = 0; i < n; i++) {
    const char *name = list[i]->d_name;
    if (!strstr(name, ".json")) {
      free(list[i]);
      continue;
    }
    MbContactFile file;
    MbReport report = {0};
    test_ok(mb_contact_file_read(&file, text, read_file("oracle/fc3d", name, text), name, &report), &report);
    files++;
    cr_expect(solves(&file, "auto", 1e-8, name), "%s is not solved", name);
    close += solves(&file, "auto", 1e-10, name);
    sweeps += solves(&file, "gauss_seidel", 1e-8, name);
    newton += solves(&file, "nonsmooth_newton", 1e-8, name);
    // one takes staggered projections some 400 turns, which are seconds
    staggered += strncmp(name, "LMGC", 4) != 0 && solves(&file, "staggered", 1e-8, name);
    mb_contact_file_free(&file);
    free(list[i]);
  }
  free(list);
  cr_expect_eq(files, FILES);
  cr_expect_geq(close, 6, "%d to 1e-10", close);
  cr_expect_geq(sweeps, 5, "%d by sweeps", sweeps);
  cr_expect_geq(newton, 5, "%d by Newton's method", newton);
  cr_expect_geq(staggered, FILES - 1, "%d by staggered projections", staggered);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Solves a problem of the tests' own by `auto`.
static void expect_solved(const char *name) {
  static char text[MOST];
  char path[64];
  MbContactFile file;
  MbReport report = {0};
  snprintf(path, sizeof path, "%s.json", name);
  test_ok(mb_contact_file_read(&file, text, read_file("contact", path, text), name, &report), &report);
  cr_expect(solves_by(&file, "auto", 1e-8, 0, name));
  mb_contact_file_free(&file);
}

// A cylinder and a ball on a joint between three walls: where sweeps have led Newton's method and ADMM away, none of them comes back, and Newton's
// method takes ten steps from where the problem begins.
Test(oracle_contact, auto_begins_anew_where_it_has_gone_astray) { expect_solved("astray"); }

// A leg whose ankle rubs has come to lie on its foot's four corners and two of the shin: where all of these stick and close what gaps there are, one is at odds
// with the others by a rounding of second order, and sweeps, Newton's method, staggered projections and ADMM came to 7e-8.
Test(oracle_contact, auto_solves_what_lies_on_more_corners_than_it_has_ways_to_move) {
  expect_solved("pinched");
}
