#include "cli/plan_text.h"
#include "cli/console.h"
#include "core/model/model.h"

#include <math.h>
#include <string.h>

int64_t mb_plan_frames(const MbPlan *plan, int64_t upto) {
  int64_t frames = 0;
  if (plan->every)
    frames = upto / plan->every + 1;
  else if (plan->interval <= plan->step)
    frames = upto + 1;
  else { // the steps nearest to whole intervals, as mb_plan_frame_due has them
    int64_t k = (int64_t)ceil((double)upto * plan->step / plan->interval) + 1;
    while (k > 0 && floor((double)k * plan->interval / plan->step + 0.5) > (double)upto) k--;
    frames = k + 1;
  }
  // the last step gives one in any case
  MbPlan open = *plan;
  open.steps = -1;
  return frames + (upto == plan->steps && !mb_plan_frame_due(&open, upto));
}

// Which deformables may touch which, the first of them by name.
static void add_deformables(const MbSim *sim, cJSON *contact) {
  enum { NAMED = 12 };
  const char *names[NAMED][2];
  const size_t n = mb_sim_contact_deformables(sim, names, NAMED);
  if (!n) return;
  cJSON_AddNumberToObject(contact, "deformable_pairs", (double)n);
  cJSON *list = cJSON_AddArrayToObject(contact, "deformables");
  for (size_t i = 0; i < n && i < NAMED; i++)
    cJSON_AddItemToArray(list, cJSON_CreateStringArray(names[i], 2));
}

cJSON *mb_plan_json(const MbScene *scene, const MbModel *model, const MbSim *sim) {
  const MbSceneSpec *spec = &scene->spec;
  const MbPlan plan = mb_plan(spec);
  const int64_t frames = mb_plan_frames(&plan, plan.steps);
  size_t nchannels = 0;
  const MbChannel *channels = mb_sim_channels(sim, &nchannels);
  cJSON *tree = cJSON_CreateObject(), *names = cJSON_CreateArray();
  if (model->name[0]) cJSON_AddStringToObject(tree, "name", model->name);
  cJSON_AddNumberToObject(tree, "bodies", (double)mb_model_bodies(model));
  if (mb_model_nodes(model)) cJSON_AddNumberToObject(tree, "nodes", (double)mb_model_nodes(model));
  cJSON_AddNumberToObject(tree, "dofs", (double)mb_model_dofs(model));
  cJSON_AddNumberToObject(tree, "constraints", (double)model->nconstraints);
  cJSON_AddNumberToObject(tree, "forces", (double)spec->nforces);
  MbContactCounts contacts;
  if (mb_sim_contacts(sim, &contacts)) {
    cJSON *contact = cJSON_AddObjectToObject(tree, "contact");
    cJSON_AddNumberToObject(contact, "shapes", (double)contacts.shapes);
    if (contacts.pairs) cJSON_AddNumberToObject(contact, "pairs", (double)contacts.pairs);
    if (contacts.nodes) cJSON_AddNumberToObject(contact, "nodes", (double)contacts.nodes);
    add_deformables(sim, contact);
    cJSON_AddStringToObject(contact, "method", mb_contact_method_words[model->contacts.method]);
    cJSON_AddStringToObject(contact, "cone", mb_cone_kind_words[model->contacts.cone]);
  }
  cJSON_AddStringToObject(tree, "solver", mb_solver_words[spec->solver.kind]);
  if (model->solver.project) cJSON_AddBoolToObject(tree, "project", true);
  cJSON_AddStringToObject(tree, "integrator", mb_integrator_words[spec->integrator.kind]);
  cJSON_AddNumberToObject(tree, "step", plan.step);
  cJSON_AddNumberToObject(tree, "steps", (double)plan.steps);
  cJSON_AddNumberToObject(tree, "duration", (double)plan.steps * plan.step);
  cJSON_AddNumberToObject(tree, "frames", (double)frames);
  for (size_t i = 0; i < nchannels; i++) cJSON_AddItemToArray(names, cJSON_CreateString(channels[i].name));
  cJSON_AddItemToObject(tree, "channels", names);
  cJSON_AddNumberToObject(tree, "frame_bytes", 8.0 * (double)(mb_sim_frame_size(sim) + 1));
  cJSON_AddNumberToObject(tree, "raw_bytes", 8.0 * (double)(mb_sim_frame_size(sim) + 1) * (double)frames);
  cJSON_AddNumberToObject(tree, "checkpoint_bytes", (double)mb_sim_checkpoint_size(sim));
  cJSON_AddNumberToObject(tree, "memory_bytes", (double)mb_sim_memory(sim));
  return tree;
}

static double number(const cJSON *plan, const char *key) {
  return cJSON_GetNumberValue(cJSON_GetObjectItem(plan, key));
}

static void print_deformables(FILE *out, const cJSON *contact) {
  const cJSON *list = cJSON_GetObjectItem(contact, "deformables"), *pair = NULL;
  const char *before = "            ";
  int left = list ? (int)number(contact, "deformable_pairs") : 0;
  char text[2][256];
  cJSON_ArrayForEach(pair, list) {
    const char *a = cJSON_GetStringValue(cJSON_GetArrayItem(pair, 0)),
               *b = cJSON_GetStringValue(cJSON_GetArrayItem(pair, 1));
    mb_console_safe(a, text[0], sizeof text[0]);
    mb_console_safe(b, text[1], sizeof text[1]);
    fprintf(out, "%s%s %s %s", before, text[0], strcmp(a, b) ? "and" : "with",
            strcmp(a, b) ? text[1] : "itself");
    before = ", ", left--;
  }
  if (left > 0) fprintf(out, " and %d more pairs of deformables", left);
  if (list) fprintf(out, " may touch\n");
}

void mb_plan_print(FILE *out, const cJSON *plan) {
  char text[256], a[32], b[32];
  const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(plan, "name"));
  if (name) fprintf(out, "name        %s\n", mb_console_safe(name, text, sizeof text));
  fprintf(out, "bodies      %.0f, %.0f degrees of freedom\n", number(plan, "bodies"), number(plan, "dofs"));
  if (cJSON_GetObjectItem(plan, "nodes")) fprintf(out, "nodes       %.0f\n", number(plan, "nodes"));
  fprintf(out, "constraints %.0f\n", number(plan, "constraints"));
  fprintf(out, "forces      %.0f\n", number(plan, "forces"));
  const cJSON *contact = cJSON_GetObjectItem(plan, "contact");
  if (contact) {
    fprintf(out, "contact     %.0f shapes", number(contact, "shapes"));
    if (cJSON_GetObjectItem(contact, "pairs"))
      fprintf(out, ", %.0f pairs of them may collide", number(contact, "pairs"));
    if (cJSON_GetObjectItem(contact, "nodes"))
      fprintf(out, ", %.0f nodes of deformables touch them", number(contact, "nodes"));
    fprintf(out, "; method %s, cone %s\n", cJSON_GetStringValue(cJSON_GetObjectItem(contact, "method")),
            cJSON_GetStringValue(cJSON_GetObjectItem(contact, "cone")));
    print_deformables(out, contact);
  }
  fprintf(out, "solver      %s%s, integrator %s\n", cJSON_GetStringValue(cJSON_GetObjectItem(plan, "solver")),
          cJSON_GetObjectItem(plan, "project") ? ", whose state is the joints' coordinates" : "",
          cJSON_GetStringValue(cJSON_GetObjectItem(plan, "integrator")));
  fprintf(out, "time        %.0f steps of %.6g s: %.6g s\n", number(plan, "steps"), number(plan, "step"),
          number(plan, "duration"));
  fprintf(out, "output      %.0f frames of %s: %s before compression\n", number(plan, "frames"),
          mb_console_bytes((uint64_t)number(plan, "frame_bytes"), a),
          mb_console_bytes((uint64_t)number(plan, "raw_bytes"), b));
  fprintf(out, "memory      %s\n", mb_console_bytes((uint64_t)number(plan, "memory_bytes"), a));
  if (cJSON_GetObjectItem(plan, "device_bytes"))
    fprintf(out, "device      %s of its memory\n",
            mb_console_bytes((uint64_t)number(plan, "device_bytes"), a));
  if (cJSON_GetObjectItem(plan, "device_bytes_of_run"))
    fprintf(out, "device      %s of its memory for each run of a sweep\n",
            mb_console_bytes((uint64_t)number(plan, "device_bytes_of_run"), a));
  fprintf(out, "channels   ");
  const cJSON *channel = NULL;
  cJSON_ArrayForEach(channel, cJSON_GetObjectItem(plan, "channels"))
      fprintf(out, " %s", mb_console_safe(channel->valuestring, text, sizeof text));
  fputc('\n', out);
}
