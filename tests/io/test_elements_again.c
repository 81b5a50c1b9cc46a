// Steps of deformables against elements that were written a second time, in Python: tests/check_elements.py.
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Test(elements_again, every_step_is_the_minimum_of_energies_written_a_second_time) {
  if (system("python3 -c pass >/dev/null 2>&1")) cr_skip_test("no python3");
  const char *program = getenv("MBSIM");
  char folder[] = "/tmp/mbsim-elements-XXXXXX", command[1200], said[4000] = "";
  cr_assert(program && mkdtemp(folder));
  snprintf(command, sizeof command,
           "p=python3; $p -c 'import numpy' 2>/dev/null || [ ! -x /usr/bin/python3 ] || p=/usr/bin/python3; "
           "$p tests/check_elements.py '%s' %s 2>&1",
           program, folder);
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
