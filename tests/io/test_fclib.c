// Contact problems as files of FCLIB: what is written is read with the same numbers; what has no word there, and files of others, are refused.
#include "core/base/alloc.h"
#include "io/contact/fclib.h"
#include "tests/core/contact/contact_make.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A name that no other test has. False: there is no library, and the test is skipped.
static bool begin(char *path, size_t size) {
  static MbReport report;
  if (mb_fclib_load(&report) != MB_OK) return false;
  snprintf(path, size, "/tmp/mbsim-fclib-%ld.hdf5", (long)getpid());
  remove(path);
  return true;
}

#define BEGIN(path)                                                                                          \
  char path[100];                                                                                            \
  if (!begin(path, sizeof path)) cr_skip_test("FCLIB is not installed (Debian: libfclib0)")

// Contacts keep their order; what holds both ways comes after them.
static size_t place_of(const MbContactProblem *p, size_t i) {
  size_t at = p->kind[i] == MB_CONTACT_BOTH_WAYS ? 3 * p->ncontacts : 0;
  const bool both = at > 0;
  for (size_t k = 0; k < i; k++) at += (p->kind[k] == MB_CONTACT_BOTH_WAYS) == both;
  return at;
}

static double number_of(const MbContactOperator *W, size_t i, size_t j) {
  for (size_t k = W->first[i]; k < W->first[i + 1]; k++)
    if (W->index[k] == j) return W->value[k];
  return 0;
}

static void same(const Made *made, const MbContactProblem *read) {
  const MbContactProblem *p = &made->problem;
  cr_assert_eq(read->n, p->n);
  cr_assert_eq(read->ncontacts, p->ncontacts);
  for (size_t i = 0; i < p->n; i++) {
    const size_t at = place_of(p, i);
    cr_expect_eq(read->kind[at], p->kind[i]);
    cr_expect_eq(read->b[at], p->b[i]);
    for (size_t j = 0; j < p->n; j++)
      cr_expect_eq(number_of(&read->W, at, place_of(p, j)),
                   made->W[i * p->n + j] + (i == j ? made->soft[i] : 0), "row %zu, column %zu", i, j);
  }
  for (size_t c = 0; c < p->ncontacts; c++) {
    cr_expect_eq(read->contact[c].mu, p->contact[c].mu);
    cr_expect_eq(read->contact[c].cone, MB_CONE_EXACT);
  }
}

// A heap, whose mixed rows are all made to hold both ways; some give way.
static Made make(bool joints) {
  uint64_t seed = 7;
  Made made = made_heap(&seed, 5, 6, 0.4, MB_CONE_EXACT, 1, joints);
  for (size_t i = 0; i < made.problem.n; i++) {
    if (made.kind[i] == MB_CONTACT_ONE_WAY || made.kind[i] == MB_CONTACT_BOUNDED)
      made.kind[i] = MB_CONTACT_BOTH_WAYS;
    made.soft[i] = i % 4 ? 0 : 0.01;
  }
  return made;
}

Test(fclib, what_is_written_is_read_with_the_same_numbers) {
  BEGIN(path);
  for (int joints = 0; joints < 2; joints++) {
    Made made = make(joints);
    MbContactFile file;
    MbReport report = {0};
    test_ok(mb_fclib_write(path, "a heap", &made.problem, &report), &report);
    test_ok(mb_fclib_read(&file, path, &report), &report);
    same(&made, &file.problem);
    mb_contact_file_free(&file);
    remove(path);
    made_free(&made);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(fclib, what_has_no_word_there_is_refused_by_name_and_leaves_no_file) {
  BEGIN(path);
  uint64_t seed = 7;
  static const char *const wanted[] = {"exact cones alone", "hold both ways"};
  for (int k = 0; k < 2; k++) {
    Made made = made_heap(&seed, 5, 6, 0.4, k ? MB_CONE_EXACT : MB_CONE_BOX, 1, k);
    MbReport report = {0};
    cr_expect_eq(mb_fclib_write(path, "a heap", &made.problem, &report), MB_SCENE);
    cr_expect(strstr(report.issues[0].text, wanted[k]), "%s", report.issues[0].text);
    cr_expect(access(path, F_OK) != 0);
    made_free(&made);
  }
}

// The library ends the program at such files.
Test(fclib, other_files_are_refused) {
  BEGIN(path);
  MbContactFile file;
  MbReport report = {0};
  FILE *out = fopen(path, "w");
  fputs("{\"q\": [1, 2, 3]}", out);
  fclose(out);
  cr_expect_eq(mb_fclib_read(&file, path, &report), MB_SCENE);
  cr_expect(strstr(report.issues[0].text, "cannot be read as HDF5"), "%s", report.issues[0].text);
  Made made = make(false);
  MbReport second = {0};
  cr_expect_eq(mb_fclib_write(path, "a heap", &made.problem, &second), MB_IO);
  made_free(&made);
  remove(path);
}
