// Files of contact problems: what is written is read with the same bits; bad files are refused with their place.
#include "core/base/alloc.h"
#include "io/contact/contact_file.h"
#include "tests/core/contact/contact_make.h"

#include <string.h>

static char *text_of(const MbContactProblem *problem, size_t *length) {
  MbText text = {0};
  cr_assert(mb_contact_file_write(&text, "a \"heap\"", problem));
  *length = text.length;
  return mb_text_take(&text);
}

Test(contact_file, what_is_written_is_read_with_the_same_bits_and_solved_with_the_same) {
  uint64_t seed = 3;
  for (int round = 0; round < 16; round++) {
    const MbCone cone = (MbCone)(round % 4);
    Made made = made_heap(&seed, 5, 8, 0.5, cone, 1, round >= 8);
    for (size_t i = 0; i < made.problem.n; i++)
      made.soft[i] = i % 5 ? 0 : 0.01, made.start[i] = 1.0 / (3 + (double)i);
    made.problem.start = made.start;
    if (round % 2) made_end(&made, true);
    size_t length;
    char *text = text_of(&made.problem, &length);
    MbContactFile file;
    MbReport report = {0};
    test_ok(mb_contact_file_read(&file, text, length, "heap", &report), &report);
    const MbContactProblem *p = &file.problem;
    const size_t n = p->n;
    cr_assert_eq(n, made.problem.n);
    cr_assert_eq(p->ncontacts, made.problem.ncontacts);
    cr_assert_arr_eq(p->b, made.b, n * sizeof *p->b);
    cr_assert_arr_eq(p->kind, made.kind, n * sizeof *p->kind);
    cr_assert_arr_eq(p->soft, made.soft, n * sizeof *p->soft);
    cr_assert_arr_eq(p->start, made.start, n * sizeof *p->start);
    for (size_t i = 0; i < n; i++) {
      size_t k = p->W.first[i];
      for (size_t j = 0; j < n; j++) {
        const bool there = k < p->W.first[i + 1] && p->W.index[k] == j;
        cr_assert_eq(there ? p->W.value[k] : 0, made.W[i * n + j]);
        k += there;
      }
    }
    MbContactWork work[2] = {{0}, {0}};
    MbContactAnswer answer[2];
    const MbContactMethod *method = mb_contact_method("auto");
    for (int k = 0; k < 2; k++) {
      const MbContactProblem *problem = k ? p : &made.problem;
      cr_assert(mb_contact_reserve(&work[k], method, problem));
      cr_assert_eq(mb_contact_solve(method, &work[k], problem, &answer[k]), MB_CONTACT_SOLVED, "%s",
                   answer[k].why);
    }
    cr_assert_arr_eq(answer[0].lambda, answer[1].lambda, n * sizeof *answer->lambda);
    for (int k = 0; k < 2; k++) mb_contact_work_free(&work[k]);
    mb_free(text);
    mb_contact_file_free(&file);
    made_free(&made);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(contact_file, cones_that_differ_have_no_word_and_are_not_written) {
  uint64_t seed = 4;
  Made made = made_heap(&seed, 3, 4, 0.5, MB_CONE_EXACT, 1, false);
  made.contact[2].cone = MB_CONE_BOX;
  MbText text = {0};
  cr_assert_not(mb_contact_file_write(&text, "", &made.problem));
  mb_free(mb_text_take(&text));
  made_free(&made);
}

// `at`: what stands at the place that is told.
static void refused(const char *text, const char *at, const char *where, const char *what) {
  const int column = 1 + (int)(strstr(text, at) - text);
  MbContactFile file;
  MbReport report = {0};
  cr_assert_eq(mb_contact_file_read(&file, text, strlen(text), "f", &report), MB_SCENE, "%s", text);
  cr_assert(!strcmp(report.issues[0].where, where) && strstr(report.issues[0].text, what), "%s: %s: %s", text,
            report.issues[0].where, report.issues[0].text);
  cr_assert_eq(report.issues[0].column, column, "%s: column %d", text, report.issues[0].column);
  mb_contact_file_free(&file);
}

#define ONE "\"q\":[1],\"row_start\":[0,1],\"column\":[0],\"value\":[1]"

Test(contact_file, what_is_wrong_is_told_with_its_place) {
  refused("[]", "[", "", "object");
  refused("{" ONE "}", "\"q\"", "/q", "three for each contact");
  refused("{" ONE ",\"rows\":[{\"type\":\"one\"}]}", "\"one\"", "/rows/0/type", "one_way");
  refused("{" ONE ",\"rows\":[{\"type\":\"contact\"}]}", "{\"type", "/rows/0", "more rows than q has");
  refused("{" ONE ",\"rows\":[{\"type\":\"bounded\"}]}", "{", "/most", "wanted 1");
  refused("{\"rows\":[{\"type\":\"one_way\"}],\"q\":[1],\"row_start\":[0,2],\"column\":[0],\"value\":[1]}",
          "2]", "/row_start/1", "rise from 0");
  refused("{\"rows\":[{\"type\":\"one_way\"}],\"q\":[1],\"row_start\":[0,1],\"column\":[0.5],\"value\":[1]}",
          "0.5", "/column/0", "whole");
  refused("{\"rows\":[{\"type\":\"one_way\"}],\"q\":[1],\"row_start\":[0,1],\"column\":[0],\"value\":[-1]}",
          "-1", "/value/0", "diagonal");
  refused("{\"rows\":[{\"type\":\"one_way\",\"count\":2}],\"q\":[1,1],\"row_start\":[0,2,2],\"column\":[1,0],"
          "\"value\":[1,1]}",
          "0],\"value", "/column/1", "rise");
  refused("{\"sides\":5,\"mu\":1,\"q\":[1,1,1],\"row_start\":[0,1,1,1],\"column\":[0],\"value\":[1]}",
          "\"sides", "/sides", "even");
  refused("{\"mu\":[1,2],\"q\":[1,1,1],\"row_start\":[0,1,1,1],\"column\":[0],\"value\":[1]}", "[1,2]", "/mu",
          "one for each contact");
  refused("{\"mu\":-1,\"q\":[1,1,1],\"row_start\":[0,1,1,1],\"column\":[0],\"value\":[1]}", "-1", "/mu", "0");
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(contact_file, memory_that_runs_out_is_told) {
  uint64_t seed = 6;
  Made made = made_heap(&seed, 3, 4, 0.5, MB_CONE_BOX, 1, true);
  size_t length;
  char *text = text_of(&made.problem, &length);
  made_free(&made);
  for (int k = 0;; k++) {
    MbContactFile file;
    MbReport report = {0};
    mb_alloc_fail_after(k);
    const MbStatus status = mb_contact_file_read(&file, text, length, "f", &report);
    mb_alloc_fail_after(-1);
    mb_contact_file_free(&file);
    cr_assert_eq(mb_alloc_live(), 1); // the text
    if (!status) break;
    cr_assert_eq(status, MB_IO);
    cr_assert_lt(k, 5000);
  }
  mb_free(text);
}
