// Writing what a comparison came to: as JSON for programs, as a table and lines for people.
#include "cli/diff_result.h"
#include "cli/console.h"

#include <math.h>

// ---- names of places ----------------------------------------------------------------------------

// "ball x": item and component of a difference, in a's words.
static const char *place(const MbTraj *a, const MbChannelResult *result, const MbDifference *d, char *text,
                         size_t size) {
  size_t count = 0;
  const MbChannel *channels = mb_traj_channels(a, &count);
  char item[96] = "", component[48] = "", raw[160];
  if (result->in_a < count) {
    const MbChannel *c = &channels[result->in_a];
    if (c->list && d->component)
      mb_entry_name(c->list, d->key, d->nkeys, d->item, item, sizeof item);
    else if (c->items_names && d->item < c->items)
      snprintf(item, sizeof item, "%s", c->items_names[d->item]);
    else if (c->items > 1)
      snprintf(item, sizeof item, "%zu", d->item);
    if (c->rotation)
      snprintf(component, sizeof component, "angle");
    else if (d->component < result->ncomponents)
      snprintf(component, sizeof component, "%s", result->component_names[d->component]);
    else if (d->component < c->width && c->component_names)
      snprintf(component, sizeof component, "%s", c->component_names[d->component]);
  }
  snprintf(raw, sizeof raw, "%s%s%s", item, item[0] && component[0] ? " " : "", component);
  return mb_console_safe(raw, text, size);
}

// ---- as JSON ------------------------------------------------------------------------------------

// JSON has no word for NaN and infinity: null.
static void add_number(cJSON *object, const char *key, double number) {
  cJSON_AddItemToObject(object, key, isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

static void add_names(cJSON *item, const MbTraj *a, const MbChannelResult *result, const MbDifference *d) {
  size_t count = 0;
  const MbChannel *channels = mb_traj_channels(a, &count);
  if (result->in_a >= count) return;
  const MbChannel *c = &channels[result->in_a];
  char thing[160];
  if (c->list && d->component)
    cJSON_AddStringToObject(item, "item_name",
                            mb_entry_name(c->list, d->key, d->nkeys, d->item, thing, sizeof thing));
  if (c->items_names && d->item < c->items)
    cJSON_AddStringToObject(item, "item_name", c->items_names[d->item]);
  if (d->component < result->ncomponents)
    cJSON_AddStringToObject(item, "component_name", result->component_names[d->component]);
  else if (c->component_names && d->component < c->width)
    cJSON_AddStringToObject(item, "component_name", c->component_names[d->component]);
}

static cJSON *difference_json(const MbTraj *a, const MbChannelResult *result, const MbDifference *d) {
  char text[160];
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "place", place(a, result, d, text, sizeof text));
  add_number(item, "item", (double)d->item);
  add_number(item, "component", (double)d->component);
  add_names(item, a, result, d);
  add_number(item, "frame", (double)d->frame);
  add_number(item, "time", d->time);
  add_number(item, "a", d->a);
  add_number(item, "b", d->b);
  add_number(item, "error", d->error);
  add_number(item, "allowed", d->allowed);
  add_number(item, "scaled", d->scaled);
  add_number(item, "ulps", d->ulps);
  return item;
}

static const char *unit_of(const MbTraj *a, const MbChannelResult *c) {
  size_t count = 0;
  const MbChannel *channels = mb_traj_channels(a, &count);
  return c->in_a < count && channels[c->in_a].unit ? channels[c->in_a].unit : "";
}

static cJSON *channel_json(const MbTraj *a, const MbChannelResult *c) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "channel", c->channel);
  cJSON_AddStringToObject(item, "unit", unit_of(a, c));
  cJSON_AddBoolToObject(item, "compared", c->compared);
  cJSON_AddBoolToObject(item, "pass", c->pass);
  if (!c->compared) return item;
  add_number(item, "range", c->range);
  add_number(item, "atol", c->atol);
  add_number(item, "rtol", c->rtol);
  if (c->worst.frame != UINT64_MAX) cJSON_AddItemToObject(item, "worst", difference_json(a, c, &c->worst));
  add_number(item, "exceeding", (double)c->exceeding);
  if (c->first.frame != UINT64_MAX) cJSON_AddItemToObject(item, "first", difference_json(a, c, &c->first));
  if (!isnan(c->growth)) add_number(item, "growth", c->growth);
  if (!isnan(c->growth)) add_number(item, "growth_r2", c->growth_r2);
  if (!isnan(c->growth)) add_number(item, "growth_end", c->growth_end);
  cJSON_AddBoolToObject(item, "jump", c->jump);
  return item;
}

static cJSON *scene_json(const MbCompareResult *r) {
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < r->nscene && i < MB_SCENE_DIFFERENCES; i++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "pointer", r->scene[i].pointer);
    // cut values are no JSON: they stand as texts
    if (r->scene[i].a) cJSON_AddStringToObject(item, "a", r->scene[i].a);
    if (r->scene[i].b) cJSON_AddStringToObject(item, "b", r->scene[i].b);
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

// What was compared, and how closely.
static void add_asked(cJSON *tree, const MbDiffPair *pair, const MbCompareOptions *options) {
  cJSON_AddStringToObject(tree, "a", mb_traj_path(pair->traj[0]));
  cJSON_AddStringToObject(tree, "b", mb_traj_path(pair->traj[1]));
  add_number(tree, "atol", options->fallback.atol);
  add_number(tree, "rtol", options->fallback.rtol);
  if (isfinite(options->until)) add_number(tree, "until", options->until);
  cJSON_AddBoolToObject(tree, "interpolate", options->interpolate);
}

cJSON *mb_diff_json(const MbDiffPair *pair, const MbCompareOptions *options, const size_t *order,
                    size_t shown) {
  const MbTraj *a = pair->traj[0];
  const MbCompareResult *r = &pair->result;
  cJSON *tree = cJSON_CreateObject(), *channels = cJSON_CreateArray(), *invariants = cJSON_CreateArray();
  cJSON *missing = cJSON_CreateArray();
  cJSON_AddBoolToObject(tree, "same", r->same);
  cJSON_AddNumberToObject(tree, "status", r->same ? MB_OK : MB_DIFFERS);
  add_asked(tree, pair, options);
  add_number(tree, "frames", (double)r->frames);
  for (size_t i = 0; i < shown; i++) cJSON_AddItemToArray(channels, channel_json(a, &r->channels[order[i]]));
  for (size_t i = 0; i < r->ninvariants; i++) {
    const MbInvariantResult *v = &r->invariants[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", v->name);
    add_number(item, "a", v->a);
    add_number(item, "b", v->b);
    add_number(item, "error", v->error);
    add_number(item, "tolerance", v->tolerance);
    cJSON_AddBoolToObject(item, "pass", v->pass);
    cJSON_AddItemToArray(invariants, item);
  }
  for (size_t i = 0; i < r->nmissing; i++) cJSON_AddItemToArray(missing, cJSON_CreateString(r->missing[i]));
  cJSON_AddItemToObject(tree, "channels", channels);
  cJSON_AddItemToObject(tree, "invariants", invariants);
  cJSON_AddItemToObject(tree, "missing", missing);
  cJSON_AddNumberToObject(tree, "scene_differences", (double)r->nscene);
  cJSON_AddItemToObject(tree, "scene", scene_json(r));
  cJSON_AddStringToObject(tree, "verdict", r->verdict);
  return tree;
}

// ---- for people ---------------------------------------------------------------------------------

static const double FEW_ULPS = 1e6; // beyond these their number says nothing

static void print_channel(const MbTraj *a, const MbChannelResult *c) {
  char name[64], where[160];
  mb_console_safe(c->channel, name, sizeof name);
  if (!c->compared) {
    printf("  %-22s %s\n", name,
           c->in_a == SIZE_MAX   ? "only in the second"
           : c->in_b == SIZE_MAX ? "only in the first"
                                 : "not compared");
    return;
  }
  printf("  %-22s %-4s %9.3g %9.3g %9.3g", name, c->pass ? "ok" : "FAIL", c->worst.error, c->worst.scaled,
         c->worst.frame == UINT64_MAX ? c->atol + c->rtol * c->range : c->worst.allowed);
  if (c->worst.error > 0 || isnan(c->worst.error))
    printf("  %s, frame %llu, t = %.6g s", place(a, c, &c->worst, where, sizeof where),
           (unsigned long long)c->worst.frame, c->worst.time);
  if (c->worst.ulps > 0 && c->worst.ulps < FEW_ULPS) printf(" (%.3g ulps)", c->worst.ulps);
  putchar('\n');
  if (c->first.frame == UINT64_MAX) return;
  printf("  %-22s first beyond tolerance: %s, frame %llu, t = %.6g s: %.17g against %.17g; %llu numbers in "
         "all\n",
         "", place(a, c, &c->first, where, sizeof where), (unsigned long long)c->first.frame, c->first.time,
         c->first.a, c->first.b, (unsigned long long)c->exceeding);
  if (c->worst.frame != c->first.frame || c->worst.item != c->first.item ||
      c->worst.component != c->first.component)
    printf("  %-22s worst: %s, frame %llu, t = %.6g s: %.17g against %.17g\n", "",
           place(a, c, &c->worst, where, sizeof where), (unsigned long long)c->worst.frame, c->worst.time,
           c->worst.a, c->worst.b);
  if (c->jump)
    printf("  %-22s it is there at once: a jump\n", "");
  else if (c->growth > 0)
    printf("  %-22s it grows tenfold every %.3g s until t = %.6g s (r2 of the fit %.2f)\n", "", 1 / c->growth,
           c->growth_end, c->growth_r2);
}

static void print_scene(const MbCompareResult *r) {
  enum { SHOWN = 8 };
  char text[3][600];
  if (!r->nscene) return;
  printf("the scenes differ in %zu %s\n", r->nscene, r->nscene == 1 ? "place" : "places");
  for (size_t i = 0; i < r->nscene && i < SHOWN; i++) {
    const MbSceneDifference *d = &r->scene[i];
    printf("  %s: %s against %s\n", mb_console_safe(d->pointer, text[0], sizeof text[0]),
           d->a ? mb_console_safe(d->a, text[1], sizeof text[1]) : "nothing",
           d->b ? mb_console_safe(d->b, text[2], sizeof text[2]) : "nothing");
  }
  if (r->nscene > SHOWN) printf("  and %zu more\n", r->nscene - SHOWN);
}

void mb_diff_print_source(const char *path, const MbTolerances *from) {
  char text[300];
  printf("tolerances of %s", mb_console_safe(path, text, sizeof text));
  if (from->nfiles) printf(", learned from %zu runs:", from->nfiles);
  for (size_t i = 0; i < from->nfiles; i++)
    printf("%s %s", i ? "," : "", mb_console_safe(from->files[i], text, sizeof text));
  putchar('\n');
}

void mb_diff_print(const MbDiffPair *pair, const size_t *order, size_t shown) {
  const MbTraj *a = pair->traj[0];
  const MbCompareResult *r = &pair->result;
  print_scene(r);
  printf("%llu frames compared\n", (unsigned long long)r->frames);
  printf("  %-22s %-4s %9s %9s %9s  %s\n", "channel", "", "largest", "scaled", "allowed", "where");
  for (size_t i = 0; i < shown; i++) print_channel(a, &r->channels[order[i]]);
  for (size_t i = 0; i < r->ninvariants; i++) {
    const MbInvariantResult *v = &r->invariants[i];
    printf("  %-22s %-4s %.9g against %.9g, %.3g of %.3g allowed\n", v->name, v->pass ? "ok" : "FAIL", v->a,
           v->b, v->error, v->tolerance);
  }
  char text[sizeof r->verdict];
  for (size_t i = 0; i < r->nmissing; i++)
    printf("  missing: %s\n", mb_console_safe(r->missing[i], text, sizeof text));
  printf("%s\n", mb_console_safe(r->verdict, text, sizeof text));
}
