// By name: the methods, what they take, and their memory.
#include "core/base/alloc.h"
#include "core/contact/admm.h"
#include "core/contact/contact_auto.h"
#include "core/contact/contact_pivoting.h"
#include "core/contact/gauss_seidel.h"
#include "core/contact/nonsmooth_newton.h"
#include "core/contact/staggered.h"

#include <stdio.h>
#include <string.h>

const MbContactMethod *const mb_contact_methods[] = {&mb_contact_auto,
                                                     &mb_contact_pivoting,
                                                     &mb_contact_gauss_seidel,
                                                     &mb_contact_nonsmooth_newton,
                                                     &mb_contact_admm,
                                                     &mb_contact_staggered,
                                                     NULL};

const MbContactMethod *mb_contact_method(const char *name) {
  for (size_t i = 0; mb_contact_methods[i]; i++)
    if (!strcmp(mb_contact_methods[i]->name, name)) return mb_contact_methods[i];
  return NULL;
}

static const char *const row_words[] = {
    [MB_CONTACT_BOTH_WAYS] = "rows both ways", [MB_CONTACT_ONE_WAY] = "rows one way",
    [MB_CONTACT_BOUNDED] = "bounded rows",     [MB_CONTACT_NORMAL] = "contacts",
    [MB_CONTACT_TANGENT] = "contacts",
};
static const char *const cone_words[] = {
    [MB_CONE_NONE] = "contacts without friction",
    [MB_CONE_BOX] = "friction in a box",
    [MB_CONE_PYRAMID] = "friction in a pyramid",
    [MB_CONE_EXACT] = "friction in the exact cone",
};

bool mb_contact_takes(const MbContactMethod *method, const MbContactProblem *problem, char *why,
                      size_t size) {
  for (size_t i = 0; i < problem->n; i++) {
    if (method->rows >> problem->kind[i] & 1) continue;
    snprintf(why, size, "method %s takes no %s: it is exact for %s", method->name,
             row_words[problem->kind[i]], method->exact);
    return false;
  }
  for (size_t i = 0; i < problem->ncontacts; i++) {
    if (method->cones >> problem->contact[i].cone & 1) continue;
    snprintf(why, size, "method %s takes no %s: it is exact for %s", method->name,
             cone_words[problem->contact[i].cone], method->exact);
    return false;
  }
  const char *refuses = method->refuses ? method->refuses(problem) : NULL;
  if (refuses) snprintf(why, size, "method %s takes no such problem: %s", method->name, refuses);
  return !refuses;
}

bool mb_contact_room(MbContactWork *work, size_t bytes) {
  if (bytes <= work->size) return true;
  // some more, so that problems that grow slowly do not ask each time
  const size_t size = bytes + bytes / 4;
  char *block = mb_calloc(size, 1);
  if (!block) return false;
  mb_free(work->block);
  work->block = block;
  work->size = size;
  return true;
}

bool mb_contact_reserve(MbContactWork *work, const MbContactMethod *method, const MbContactProblem *problem) {
  if (!mb_contact_room(work, method->room(problem))) return false;
  return !method->reserve || method->reserve(work, problem);
}

size_t mb_contact_work_bytes(const MbContactWork *work) {
  return work->size + mb_pivoting_bytes(&work->pivoting) + mb_body_factor_bytes(&work->bodies);
}

void mb_contact_work_free(MbContactWork *work) {
  mb_free(work->block);
  mb_pivoting_free(&work->pivoting);
  mb_body_factor_free(&work->bodies);
  *work = (MbContactWork){0};
}

MbContactResult mb_contact_solve(const MbContactMethod *method, MbContactWork *work,
                                 const MbContactProblem *problem, MbContactAnswer *answer) {
  *answer = (MbContactAnswer){.method = method->name};
  if (!mb_contact_takes(method, problem, answer->why, sizeof answer->why)) return MB_CONTACT_REFUSED;
  return method->solve(work, problem, answer);
}
