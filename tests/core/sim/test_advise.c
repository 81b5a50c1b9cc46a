// Warnings of stiffness and damping that an explicit step cannot follow: they name the body and a step that can.
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

// A hinge of inertia 2 with a spring or a damper, stepped by h; the text of the warning, or "".
static void advice(MbIntegratorKind kind, double h, double stiffness, double damping, char text[1024]) {
  MbSceneSpec spec = test_scene(kind, h, 1);
  MbReport report = {0};
  MbModel *model = NULL;
  MbSim *sim = NULL;
  MbBodySpec *body = test_body(&spec, "door", 1, 2, 2, 2);
  body->jointed = true;
  body->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {0, 0, 1}};
  body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
  body->joint.stiffness = (MbNumbersSpec){1, &stiffness};
  body->joint.damping = (MbNumbersSpec){1, &damping};
  test_ok(mb_compile(&spec, &model, &report), &report);
  test_ok(mb_sim_create(model, NULL, &sim, &report), &report);
  cr_assert_leq(report.kept, 1);
  snprintf(text, 1024, "%s", report.kept ? report.issues[0].text : "");
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(advise, warnings_come_where_an_explicit_step_is_too_long) {
  // ω = √(k/I), λ = d/I; bounds 2/h for the explicit steps
  static const struct {
    MbIntegratorKind kind;
    double h, k, d;
    const char *says; // NULL: nothing
  } cases[] = {
      {MB_SYMPLECTIC, 0.01, 2 * 190 * 190, 0, NULL},
      {MB_SYMPLECTIC, 0.01, 2 * 210 * 210, 0,
       "\"door\" at 2.1e+02 rad/s: that is unstable under \"symplectic\""},
      {MB_SYMPLECTIC, 0.01, 0, 2 * 190, NULL},
      {MB_SYMPLECTIC, 0.01, 0, 2 * 210, "take a step below 0.0095 s"},
      {MB_BRIDSON_MARINO, 0.01, 2 * 210 * 210, 0, "\"bridson_marino\""},
      {MB_BRIDSON_MARINO, 0.01, 0, 2e6, NULL},
      {MB_IMPLICIT, 0.01, 2e9, 2e6, NULL},
      {MB_TRAPEZOIDAL, 0.01, 2e9, 2e6, NULL},
      {MB_RK45, 0.01, 2 * 1e8, 0, NULL},
      {MB_RK45, 0.01, 2 * 4e8, 0, "71 in each of the scene's"},
      {MB_RK45, 0.01, 0, 2 * 2e4, "61 in each of the scene's"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    advice(cases[i].kind, cases[i].h, cases[i].k, cases[i].d, text);
    if (cases[i].says)
      cr_expect(strstr(text, cases[i].says), "case %zu says \"%s\"", i, text);
    else
      cr_expect_str_empty(text, "case %zu", i);
  }
}
