#include "core/collision/skin_look.h"

void mb_skin_look(MbSkinLook *look, const MbSkin *surface, const double low[3], const double high[3]) {
  mb_skin_look_of(look, surface, low, high);
}

uint32_t mb_skin_next(MbSkinLook *look) { return mb_skin_next_of(look); }

uint32_t mb_skin_part(const MbSkin *s, MbSkinPart part) { return mb_skin_part_of(s, part); }

bool mb_skin_leads(const MbSkin *s, MbSkinPart part, const double n[3], double slack) {
  return mb_skin_leads_of(s, part, n, slack);
}

double mb_skin_distance(const MbSkin *s, const double x[3], double normal[3], MbSkinPart *part) {
  return mb_skin_distance_of(s, x, normal, part);
}
