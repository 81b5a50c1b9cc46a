#include "io/sweep/run_form.h"
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "io/json/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Gap {
  size_t axis, at, length; // what stands there in the text
} Gap;

struct MbRunForm {
  bool usable;
  char *text;
  Gap *gaps; // (naxes) in the order of the text
  size_t ngaps;
  MbText filled, value; // kept from run to run
};

void mb_run_form_free(MbRunForm *form) {
  if (!form) return;
  mb_free(form->text);
  mb_free(form->gaps);
  mb_free(mb_text_take(&form->filled));
  mb_free(mb_text_take(&form->value));
  mb_free(form);
}

// ---- making -------------------------------------------------------------------------------------------------

// A number that stands for an axis, as no scene has it.
static double mark_of(size_t axis) { return 1.0625e-211 * (double)(axis + 1); }

// The scene's text with the marks.
static char *marked_text(const MbRunScenes *scenes) {
  const MbDesign *design = scenes->design;
  MbRunOverrides o;
  MbReport ignored = {0};
  char *text = NULL;
  if (mb_run_overrides(scenes, 0, &o, &ignored)) return NULL;
  size_t nsets = scenes->nsets, nparams = 0;
  bool fine = true;
  for (size_t i = 0; i < design->naxes; i++) {
    char number[MB_NUMBER_TEXT];
    MbText made = {0};
    mb_text_format(&made, "%s=%s", design->axes[i].name, mb_number_text(mark_of(i), number));
    mb_free(o.made[i]);
    o.made[i] = mb_text_take(&made);
    fine = fine && o.made[i];
    if (mb_axis_is_pointer(&design->axes[i]))
      o.sets[nsets++] = o.made[i];
    else
      o.params[nparams++] = o.made[i];
  }
  if (fine) mb_run_resolved(scenes, &o.options, &text, &ignored);
  mb_run_overrides_free(&o);
  return text;
}

static int by_place(const void *a, const void *b) {
  const Gap *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

static bool find_gaps(MbRunForm *form, const MbDesign *design) {
  form->gaps = mb_calloc(design->naxes, sizeof *form->gaps);
  for (size_t i = 0; form->gaps && i < design->naxes; i++) {
    char number[MB_NUMBER_TEXT];
    const char *mark = mb_number_text(mark_of(i), number), *at = strstr(form->text, mark);
    const size_t n = strlen(mark);
    // once, and not as a part of another number
    if (!at || strstr(at + 1, mark) || strspn(at + n, "0123456789.eE+-")) return false;
    form->gaps[form->ngaps++] = (Gap){.axis = i, .at = (size_t)(at - form->text), .length = n};
  }
  if (form->gaps) qsort(form->gaps, form->ngaps, sizeof *form->gaps, by_place);
  return form->gaps;
}

// What the long way says of some runs, the first and the last among them.
static bool tells_the_same(MbRunForm *form, const MbRunScenes *scenes) {
  const uint64_t runs = scenes->design->runs;
  MbRunScenes own = *scenes;
  bool same = true;
  for (int i = 0; i < 3 && same; i++) {
    const uint64_t run = i == 0 ? 0 : i == 1 ? runs / 2 : runs - 1;
    char *text = NULL, id[MB_RUN_ID], other[MB_RUN_ID];
    MbReport ignored = {0};
    same = !mb_run_scene(&own, run, &text, id, &ignored) &&
           mb_run_form_id(form, scenes->design, run, other) && !strcmp(id, other);
    mb_free(text);
  }
  return same;
}

MbRunForm *mb_run_form_create(const MbRunScenes *scenes) {
  enum { FEW = 16, LONG = 100000 }; // runs, for which it is not worth it; of a long text
  const MbDesign *design = scenes->design;
  MbRunForm *form = mb_calloc(1, sizeof *form);
  if (!form) return NULL;
  bool fine = design->runs > (scenes->length > LONG ? 5 : FEW) && !strstr(scenes->text, "\"file\"");
  for (size_t i = 0; i < design->naxes; i++) fine = fine && mb_axis_is_numbers(&design->axes[i]);
  if (fine) form->text = marked_text(scenes);
  // meshes take their files' bytes into the ID
  form->usable = form->text && !strstr(form->text, "\"file\"") && find_gaps(form, design);
  if (form->usable) form->usable = tells_the_same(form, scenes);
  return form;
}

// ---- filling ------------------------------------------------------------------------------------------------

bool mb_run_form_id(MbRunForm *form, const MbDesign *design, uint64_t run, char id[MB_RUN_ID]) {
  if (!form->usable) return false;
  size_t copied = 0;
  form->filled.length = 0;
  for (size_t i = 0; i < form->ngaps; i++) {
    const Gap *gap = &form->gaps[i];
    char number[MB_NUMBER_TEXT], *end = NULL;
    form->value.length = 0;
    mb_design_value(design, run, gap->axis, &form->value);
    if (form->value.failed) return false;
    const double value = strtod(form->value.text, &end);
    if (*end || !isfinite(value)) return false;
    mb_text_add_n(&form->filled, form->text + copied, gap->at - copied);
    mb_text_add(&form->filled, mb_number_text(value, number));
    copied = gap->at + gap->length;
  }
  mb_text_add(&form->filled, form->text + copied);
  if (form->filled.failed) return false;
  MbHash hash;
  mb_hash_begin(&hash);
  mb_hash_text(&hash, mb_version());
  mb_hash_text(&hash, form->filled.text);
  mb_hash_hex(&hash, id);
  return true;
}
