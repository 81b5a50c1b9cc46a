// Laws of contact whose numbers are known: soft contact, impossible sliding, friction's work, heavy on light, the rest of a bouncing ball.
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}"

static double total(const MbSim *sim) { return mb_energy(sim->model, &sim->x).total; }

static const char soft[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000}, \"contact\": {\"compliance\": 1e-7}, "
    "\"bodies\": [" GROUND ", {\"name\": \"ball\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.1}, \"pose\": {\"position\": [0, 0, 0.12]}}]}";

// Stiff to soft for the step: what is stiff stops what comes down, as a hard contact does.
Test(contact_laws, soft_contacts_give_way_by_their_compliance_and_give_no_energy) {
  for (int k = 3; k < 12; k++) {
    char set[60];
    const double compliance = pow(10, -k), gravity = 9.81;
    snprintf(set, sizeof set, "/contact/compliance=%g", compliance);
    const char *const sets[] = {set, NULL};
    TestRun run = test_run(soft, sets);
    // elastic energy of the contact is gone from the scene's while it is pressed
    const double first = total(run.sim);
    double most = 0;
    for (int i = 0; i < 1000; i++) {
      test_steps(run.sim, 1);
      most = fmax(most, total(run.sim));
    }
    cr_expect_leq(most, first + 1e-12, "a compliance of %g: %g J of %g", compliance, most, first);
    const double depth = 0.1 - run.sim->x.E[1].p[2], wanted = gravity * compliance;
    if (k > 4) test_near(set, &depth, &wanted, 1, 1e-9 * (1 + wanted));
    test_run_free(&run);
  }
}
