// What a scene would run, as JSON and for people.
#ifndef MB_CLI_PLAN_TEXT_H
#define MB_CLI_PLAN_TEXT_H

#include "io/scene.h"
#include <stdio.h>

cJSON *mb_plan_json(const MbScene *scene, const MbModel *model, const MbSim *sim);
void mb_plan_print(FILE *out, const cJSON *plan);

#endif
