#include "io/export/looks.h"
#include "io/export/palette.h"
#include "io/trajectory/trajectory.h"

#include <stdlib.h>
#include <string.h>

void mb_looks_begin(MbLooks *looks, const MbTraj *traj) {
  const char *json = mb_traj_drawing_json(traj);
  *looks = (MbLooks){.drawing = json ? cJSON_Parse(json) : NULL};
  const cJSON *shapes = cJSON_GetObjectItemCaseSensitive(looks->drawing, "shapes");
  looks->shape = cJSON_IsArray(shapes) ? shapes->child : NULL;
}

void mb_looks_end(MbLooks *looks) {
  cJSON_Delete(looks->drawing);
  *looks = (MbLooks){0};
}

// Its member `color`, where that is what the record ought to have.
static const double *color_of(MbLooks *looks, const cJSON *of) {
  const cJSON *color = cJSON_GetObjectItemCaseSensitive(of, "color");
  int n = 0;
  for (const cJSON *x = cJSON_IsArray(color) ? color->child : NULL; x && n < 4; x = x->next, n++) {
    if (!cJSON_IsNumber(x) || !(x->valuedouble >= 0 && x->valuedouble <= 1)) return NULL;
    looks->rgba[n] = n < 3 ? mb_palette_linear(x->valuedouble) : x->valuedouble;
  }
  return n == 4 ? looks->rgba : NULL;
}

static double number(const cJSON *of, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(of, key);
  return cJSON_IsNumber(item) ? item->valuedouble : -1;
}

// Shapes are listed by body, then by number, as meshes are.
const double *mb_looks_of_shape(MbLooks *looks, size_t body, const char *body_name, const char *mesh) {
  static const char between[] = "/shape/";
  const size_t n = strlen(body_name);
  if (strncmp(mesh, body_name, n) != 0 || strncmp(mesh + n, between, sizeof between - 1) != 0) return NULL;
  const double shape = strtod(mesh + n + sizeof between - 1, NULL), b = (double)body;
  for (; looks->shape; looks->shape = looks->shape->next) {
    const double there = number(looks->shape, "body"), k = number(looks->shape, "shape");
    if (there > b || (there == b && k > shape)) return NULL;
    if (there == b && k == shape) return color_of(looks, looks->shape);
  }
  return NULL;
}

const double *mb_looks_of_deformable(MbLooks *looks, const char *name) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(looks->drawing, "deformables");
  for (const cJSON *of = cJSON_IsArray(list) ? list->child : NULL; of; of = of->next) {
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(of, "name");
    if (cJSON_IsString(own) && !strcmp(own->valuestring, name)) return color_of(looks, of);
  }
  return NULL;
}
