// What a scene would run, as JSON and for people.
#ifndef MB_CLI_PLAN_TEXT_H
#define MB_CLI_PLAN_TEXT_H

#include "core/sim/plan.h"
#include "io/scene/scene.h"
#include <stdio.h>

// Frames that the steps 0 to `upto` give.
int64_t mb_plan_frames(const MbPlan *plan, int64_t upto);

cJSON *mb_plan_json(const MbScene *scene, const MbModel *model, const MbSim *sim);
void mb_plan_print(FILE *out, const cJSON *plan);

#endif
