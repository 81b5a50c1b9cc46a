#include "cli/bench_contact.h"
#include "cli/console.h"
#include "cli/each_file.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "io/contact/fclib.h"
#include "io/sweep/small_file.h"

#include <errno.h>
#include <string.h>

const char *const mb_function_words[] = {"minimum_map", "fischer_burmeister", NULL};

typedef struct Tried {
  const char *method; // asked for
  MbContactResult result;
  MbContactAnswer answer;
  double seconds;
} Tried;

static const char *result_word(MbContactResult result) {
  switch (result) {
  case MB_CONTACT_SOLVED:
    return "solved";
  case MB_CONTACT_NOT_CONVERGED:
    return "not converged";
  case MB_CONTACT_REFUSED:
    return "refused";
  case MB_CONTACT_MEMORY:
    break;
  }
  return "out of memory";
}

// The shortest of several solutions, as others that use the machine only make them longer; of long ones fewer.
static Tried try(const MbContactMethod *method, const MbContactProblem *problem, MbContactWork *work) {
  enum { LEAST = 3, MOST = 50 };
  static const double LONG = 0.1, VERY_LONG = 1;
  Tried tried = {.method = method->name, .seconds = INFINITY};
  if (!mb_contact_reserve(work, method, problem)) {
    tried.result = MB_CONTACT_MEMORY;
    return tried;
  }
  const double begin = mb_clock();
  for (int i = 0; i < MOST && mb_clock() - begin < (i < LEAST ? VERY_LONG : LONG); i++) {
    const double start = mb_clock();
    tried.result = mb_contact_solve(method, work, problem, &tried.answer);
    tried.seconds = fmin(tried.seconds, mb_clock() - start);
    if (tried.result == MB_CONTACT_REFUSED || tried.result == MB_CONTACT_MEMORY) break;
  }
  return tried;
}

static void print(const Tried *tried) {
  if (tried->result == MB_CONTACT_REFUSED || tried->result == MB_CONTACT_MEMORY) {
    printf("  %-17s %s\n", tried->method,
           tried->result == MB_CONTACT_MEMORY ? "out of memory" : tried->answer.why);
    return;
  }
  printf("  %-17s %6zu iterations, natural map %8.2e, %10.3f ms%s%s\n", tried->method,
         tried->answer.iterations, tried->answer.natural, 1e3 * tried->seconds,
         tried->result == MB_CONTACT_SOLVED ? "" : ", not converged: ",
         tried->result == MB_CONTACT_SOLVED ? "" : tried->answer.why);
}

static cJSON *json(const Tried *tried) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "method", tried->method);
  cJSON_AddStringToObject(item, "result", result_word(tried->result));
  if (tried->result != MB_CONTACT_SOLVED) cJSON_AddStringToObject(item, "reason", tried->answer.why);
  if (tried->result == MB_CONTACT_REFUSED || tried->result == MB_CONTACT_MEMORY) return item;
  cJSON_AddStringToObject(item, "solved_by", tried->answer.method);
  cJSON_AddNumberToObject(item, "iterations", (double)tried->answer.iterations);
  cJSON_AddNumberToObject(item, "natural_map", tried->answer.natural);
  cJSON_AddNumberToObject(item, "seconds", tried->seconds);
  return item;
}

static bool wanted(const MbArgs *args, const char *name) {
  const MbValue *method = mb_arg(args, "method");
  for (size_t i = 0; i < method->nlist; i++)
    if (!strcmp(method->list[i], name)) return true;
  return !method->nlist;
}

// Solves by each method that is wanted. MB_NUMBERS where none comes to the tolerance.
static MbStatus try_all(const MbArgs *args, const MbContactProblem *problem, cJSON *list) {
  MbContactWork work = {0};
  MbStatus status = MB_NUMBERS;
  for (size_t i = 0; mb_contact_methods[i]; i++) {
    if (!wanted(args, mb_contact_methods[i]->name)) continue;
    const Tried tried = try(mb_contact_methods[i], problem, &work);
    if (tried.result == MB_CONTACT_SOLVED) status = MB_OK;
    if (list)
      cJSON_AddItemToArray(list, json(&tried));
    else
      print(&tried);
  }
  mb_contact_work_free(&work);
  return status;
}

static MbStatus read_problem(const char *path, MbContactFile *file, MbReport *report) {
  size_t length = 0;
  if (mb_fclib_named(path)) return mb_fclib_read(file, path, report);
  char *text = mb_small_read(path, &length);
  if (!text) return mb_error(report, MB_IO, "", "%s cannot be read: %s", path, strerror(errno));
  const MbStatus status = mb_contact_file_read(file, text, length, path, report);
  mb_free(text);
  return status;
}

static MbStatus bench_file(const MbArgs *args, const char *path, cJSON **answer) {
  MbReport report = {0};
  MbContactFile file = {0};
  const bool as_json = mb_arg_given(args, "json");
  MbStatus status = read_problem(path, &file, &report);
  if (status) {
    mb_contact_file_free(&file);
    if (as_json)
      *answer = mb_console_failure(status, &report);
    else
      mb_console_report(stderr, &report);
    return status;
  }
  const MbValue *rho = mb_arg(args, "rho"), *tolerance = mb_arg(args, "tolerance"),
                *function = mb_arg(args, "function");
  MbContactProblem *problem = &file.problem;
  problem->tolerance = tolerance->given ? tolerance->number : 1e-8;
  problem->rho = rho->given ? rho->number : 1;
  problem->function = function->given ? (MbContactFunction)function->word : MB_CONTACT_MINIMUM_MAP;
  cJSON *list = as_json ? cJSON_CreateArray() : NULL;
  if (!as_json) printf("%zu rows, %zu contacts\n", problem->n, problem->ncontacts);
  status = try_all(args, problem, list);
  if (as_json) {
    *answer = cJSON_CreateObject();
    cJSON_AddNumberToObject(*answer, "rows", (double)problem->n);
    cJSON_AddNumberToObject(*answer, "contacts", (double)problem->ncontacts);
    cJSON_AddNumberToObject(*answer, "tolerance", problem->tolerance);
    cJSON_AddItemToObject(*answer, "methods", list);
  } else if (status) {
    char safe[512];
    fflush(stdout);
    mb_console_error("%s: no method comes to a natural map of %g", mb_console_safe(path, safe, sizeof safe),
                     problem->tolerance);
  }
  mb_contact_file_free(&file);
  return status;
}

MbStatus mb_bench_contact(const MbArgs *args) {
  const char *names[16] = {NULL};
  for (size_t i = 0; mb_contact_methods[i]; i++) names[i] = mb_contact_methods[i]->name;
  const MbValue *method = mb_arg(args, "method");
  for (size_t i = 0; i < method->nlist; i++) {
    if (mb_contact_method(method->list[i])) continue;
    const char *near = mb_nearest_word(method->list[i], names);
    mb_console_error("--method: no method \"%s\"%s%s%s", method->list[i], near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
    return MB_USAGE;
  }
  MbArgs files = *args;
  files.operands++;
  files.noperands--;
  if (files.noperands) return mb_each_file(&files, bench_file);
  mb_console_error("bench contact: no FILE given");
  return MB_USAGE;
}
