// What the program does against what was written a second time, in Python with numpy.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs the script with the program these arguments and a folder of its own; what it says goes to the test's output.
static void check_by(const char *script, const char *arguments) {
  if (system("python3 -c pass >/dev/null 2>&1")) cr_skip_test("no python3");
  const char *program = getenv("MBSIM");
  char folder[] = "/tmp/mbsim-again-XXXXXX", command[1200], said[4000] = "";
  cr_assert(program && mkdtemp(folder));
  snprintf(command, sizeof command,
           "p=python3; $p -c 'import numpy' 2>/dev/null || [ ! -x /usr/bin/python3 ] || p=/usr/bin/python3; "
           "$p tests/%s '%s' %s %s 2>&1",
           script, program, arguments, folder);
  FILE *const checker = popen(command, "r");
  cr_assert_not_null(checker);
  said[fread(said, 1, sizeof said - 1, checker)] = 0;
  const int status = pclose(checker);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_expect_eq(system(command), 0);
  cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", said);
  printf("  %s", said);
  if (strstr(said, "left out")) cr_skip_test("no numpy");
}

Test(elements_again, every_step_is_the_minimum_of_energies_written_a_second_time, TEST_LONG) {
  check_by("check_elements.py", "");
}

Test(joint_friction_again,
     the_published_run_is_known_to_its_digits_and_a_step_is_a_fixed_point_of_its_passes) {
  check_by("check_joint_friction.py", "tests/oracle/friction/27-internal-friction-revolute.json");
}
