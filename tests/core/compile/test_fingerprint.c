// A checkpoint of another model must not be taken: every number, word and place of a scene that decides a step's numbers makes
// another fingerprint. (test_compile.c has free bodies, test_attachments.c nodes attached to nodes.)
#include "core/model/model.h"
#include "tests/runs.h"

#include <stdio.h>

enum { MOST = 40 };

// All of these are models of their own; the last of `sets` is NULL.
static void check_apart(const char *text, const char *const *sets) {
  uint64_t mark[MOST];
  size_t n = 0;
  for (; sets[n]; n++) {
    const char *const list[] = {sets[n], NULL};
    cr_assert_lt(n, MOST);
    TestRun run = test_run(text, list);
    mark[n] = run.model->fingerprint;
    for (size_t k = 0; k < n; k++) cr_expect(mark[k] != mark[n], "%s and %s", sets[k], sets[n]);
    test_run_free(&run);
  }
}

#define HEAD "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, "

Test(fingerprint, constraints_of_rates_limits_and_ways_to_hold_them_tell_models_apart) {
  static const char *const text = HEAD
      "\"solver\": {\"type\": \"maximal\", \"stabilization\": {\"type\": \"baumgarte\", \"gamma\": 20}}, "
      "\"bodies\": [{\"name\": \"wheel\", \"density\": 1, \"shape\": {\"type\": \"cylinder\", \"radius\": 1, "
      "\"length\": 1}, \"pose\": {\"position\": [0, 0, 1], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": "
      "\"=pi/2\"}}}, {\"name\": \"crank\", \"density\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 1}, "
      "\"joint\": {\"type\": \"revolute\", \"limits\": [-1, 1]}}], \"constraints\": ["
      "{\"type\": \"rolling\", \"body\": \"wheel\"}, {\"type\": \"velocity_ratio\", \"bodies\": [\"wheel\", "
      "\"crank\"], \"axes\": [[0, 0, 1], [0, 0, 1]], \"ratio\": 2}]}";
  static const char *const sets[] = {
      "/name=\"same\"",
      "/constraints/0/along=0.25",
      "/constraints/0/at=[0, 0, 1e-3]",
      "/constraints/0/normal=[0, 0.1, 1]",
      "/constraints/0={\"type\": \"rolling\", \"body\": \"wheel\", \"on\": \"crank\", \"normal\": [0, 0, 1]}",
      "/bodies/0/shape/radius=1.5",
      "/constraints/1/ratio=3",
      "/constraints/1/axes=[[0, 0, 1], [0, 1, 1]]",
      "/bodies/1/joint/limits=[-1, 2]",
      "/solver/stabilization/gamma=10",
      "/solver/stabilization/upper_limits=\"outward\"",
      "/solver/stabilization={\"type\": \"post\"}",
      "/solver/project=true",
      "/solver/mode=\"first_order\"",
      "/solver=\"redmax\"",
      NULL};
  check_apart(text, sets);
}

Test(fingerprint, elements_what_holds_and_pulls_them_and_how_they_are_solved_tell_models_apart) {
  static const char *const text = HEAD
      "\"solver\": {\"type\": \"projective\"}, \"bodies\": [{\"name\": \"plate\", \"density\": 1, \"shape\": "
      "{\"type\": \"sphere\", \"radius\": 1}, \"joint\": {\"type\": \"fixed\"}}], \"deformables\": ["
      "{\"name\": \"bar\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 2, 2], \"size\": [2, 1, 1]}, "
      "\"material\": {\"young\": 1e4, \"density\": 1000}, \"pin\": [{\"select\": {\"side\": \"-x\"}, "
      "\"motion\": {\"translate\": [0, 0, \"=t\"], \"rotate\": {\"axis\": [1, 0, 0], \"angle\": \"=t\"}}}], "
      "\"attach\": [{\"select\": {\"vertices\": [1]}, \"body\": \"plate\"}], \"cables\": [{\"path\": "
      "[{\"vertices\": [0]}, {\"vertices\": [2]}], \"pull\": 2}]}, "
      "{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [3, 3], \"size\": [1, 1]}, "
      "\"material\": {\"young\": 1e5, \"density\": 1000, \"thickness\": 1e-3, \"bending\": {}}}, "
      "{\"name\": \"rope\", \"type\": \"springs\", \"mesh\": {\"rope\": 3, \"length\": 1}, \"material\": "
      "{\"mass\": 1, \"stiffness\": 100}}]}";
  static const char *const materials[] = {"/name=\"same\"",
                                          "/deformables/0/material/young=2e4",
                                          "/deformables/0/material/poisson=0.2",
                                          "/deformables/0/material/density=999",
                                          "/deformables/0/material/model=\"arap\"",
                                          "/deformables/0/mesh/size=[2, 1, 1.5]",
                                          "/deformables/0/velocity={\"linear\": [1, 0, 0]}",
                                          "/deformables/1/mesh/pattern=\"diagonal\"",
                                          "/deformables/1/material/thickness=2e-3",
                                          "/deformables/1/material/bending={\"stiffness\": 1}",
                                          "/deformables/1/material/bending={\"model\": \"laplace_beltrami\"}",
                                          "/deformables/2/material/stiffness=200",
                                          "/deformables/2/material/damping=1",
                                          "/deformables/2/material/law=\"strain\"",
                                          NULL};
  static const char *const holds[] = {"/name=\"same\"",
                                      "/deformables/0/pin/0/axes=\"yz\"",
                                      "/deformables/0/pin/0/select/side=\"+x\"",
                                      "/deformables/0/pin/0/motion/translate=[0, 0, \"=2*t\"]",
                                      "/deformables/0/pin/0/motion/translate=[0, \"=t\", 0]",
                                      "/deformables/0/pin/0/motion/rotate/axis=[1, 1, 0]",
                                      "/deformables/0/pin/0/motion/rotate/through=[0, 1, 0]",
                                      "/deformables/0/pin/0/motion/rotate/angle=\"=3*t\"",
                                      "/deformables/0/attach/0/select/vertices=[4]",
                                      "/deformables/0/attach/0/body=\"world\"",
                                      "/deformables/0/cables/0/pull=3",
                                      "/deformables/0/cables/0/path/1/vertices=[5]",
                                      NULL};
  static const char *const ways[] = {
      "/name=\"same\"",
      "/solver/iterations=7",
      "/solver/global=\"chebyshev\"",
      "/solver/global=\"sparse_inverse\"",
      "/solver/precision=\"single\"",
      "/solver/tolerance=1e-4",
      "/solver/method=\"newton\"",
      "/deformables/0/cables/0={\"path\": [{\"vertices\": [0]}, {\"vertices\": [2]}]}",
      "/deformables/0/cables/0={\"path\": [{\"vertices\": [0]}, {\"vertices\": [2]}], "
      "\"compliance\": 1e-3}",
      NULL};
  check_apart(text, materials);
  check_apart(text, holds);
  check_apart(text, ways);
}

// Most of these leave the numbers of many steps alone, so that no result tells them apart.
Test(fingerprint, contacts_and_how_they_are_solved_tell_models_apart) {
  static const char *const text = HEAD
      "\"materials\": {\"oak\": {\"density\": 700, \"friction\": 0.3}, \"ice\": {\"density\": 700}}, "
      "\"contact\": {\"pairs\": [{\"bodies\": [\"ball\", \"ground\"], \"friction\": 0.4}]}, \"bodies\": ["
      "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"material\": \"oak\", "
      "\"pose\": {\"position\": [0, 0, 3]}}, {\"name\": \"box\", \"shape\": {\"type\": \"box\", \"size\": "
      "[1, 1, 1]}, \"mass\": 1, \"pose\": {\"position\": [4, 0, 3]}}, {\"name\": \"ground\", \"shape\": "
      "{\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}]}";
  static const char *const sets[] = {"/name=\"same\"",
                                     "/contact/enabled=false",
                                     "/contact/method=\"gauss_seidel\"",
                                     "/contact/method=\"nonsmooth_newton\"",
                                     "/contact/method=\"admm\"",
                                     "/contact/cone=\"pyramid\"",
                                     "/contact/iterations=77",
                                     "/contact/tolerance=1e-5",
                                     "/contact/compliance=1e-5",
                                     "/contact/restitution_threshold=0.3",
                                     "/contact/friction=0.9",
                                     "/contact/restitution=0.9",
                                     "/contact/exclude=[[\"ball\", \"box\"]]",
                                     "/contact/pairs/0/friction=0.5",
                                     "/contact/pairs/0/restitution=0.5",
                                     "/contact/pairs/0/bodies=[\"ball\", \"box\"]",
                                     "/bodies/0/shape/friction=0.2",
                                     "/bodies/0/shape/restitution=0.2",
                                     "/bodies/0/shape/collide=false",
                                     "/bodies/0/material=\"ice\"",
                                     "/bodies/2/shape/offset=-0.1",
                                     NULL};
  static const char *const sides[] = {"/contact={\"cone\": \"pyramid\"}",
                                      "/contact={\"cone\": \"pyramid\", \"sides\": 8}",
                                      "/contact={\"compliance\": 1e-3}",
                                      "/contact={\"compliance\": 1e-3, \"damping\": 0.1}",
                                      "/contact={\"method\": \"nonsmooth_newton\"}",
                                      "/contact={\"method\": \"nonsmooth_newton\", \"function\": "
                                      "\"fischer_burmeister\"}",
                                      NULL};
  check_apart(text, sets);
  check_apart(text, sides);
}

Test(fingerprint, rotors_and_sheets_bent_at_rest_tell_models_apart) {
  static const char *const text = HEAD
      "\"bodies\": [{\"name\": \"rod\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, "
      "0.1]}, "
      "\"joint\": {\"type\": \"revolute\"}}], \"deformables\": [{\"name\": \"leaf\", \"type\": \"cloth\", "
      "\"mesh\": {\"file\": \"scenes/projective/leaf.obj\"}, \"material\": {\"young\": 1e5, \"density\": "
      "1000, "
      "\"thickness\": 1e-3, \"bending\": {}}}]}";
  static const char *const sets[] = {"/name=\"same\"",
                                     "/bodies/0/joint/inertia=0.1",
                                     "/bodies/0/joint/inertia=0.2",
                                     "/deformables/0/mesh/file=\"scenes/projective/leaf_flat.obj\"",
                                     "/deformables/0/start={\"file\": \"scenes/projective/leaf_flat.obj\"}",
                                     NULL};
  check_apart(text, sets);
}
