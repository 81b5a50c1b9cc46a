// Names in a rig that is written as MJCF, and the sites that ties act between: each is there once, and in the body that it stands in.
#include "core/base/names.h"
#include "core/math/vec3.h"
#include "io/models/mjcf_write.h"

#include <string.h>

// ---- names ------------------------------------------------------------------------------------------------

const char *mb_mjcf_body_name(const MbMjcfWriter *m, size_t b) {
  return b == MB_RIG_WORLD ? "world" : m->rig->body[b].name;
}

const char *mb_mjcf_joint_name(const MbMjcfWriter *m, size_t b, size_t k) {
  const MbRigBody *body = &m->rig->body[b];
  if (body->joint[k].name) return body->joint[k].name;
  return body->njoints == 1 ? body->name : mb_model_format(m->w, "%s_%zu", body->name, k);
}

const char *mb_mjcf_tie_name(const MbMjcfWriter *m, size_t i) {
  const char *name = m->rig->tie[i].name;
  return name ? name : mb_model_format(m->w, "tie%zu", i);
}

const char *mb_mjcf_site_name(const MbMjcfWriter *m, const MbMjcfSite *s) {
  return mb_model_format(m->w, "%s_%zu", mb_mjcf_tie_name(m, s->tie), s->k);
}

bool mb_mjcf_check_names(MbMjcfWriter *m) {
  size_t n = 0, count = 0, twice = 0;
  for (size_t b = 0; b < m->rig->nbodies; b++) n += m->rig->body[b].njoints;
  const char **name = mb_arena_alloc(&m->w->rig->arena, n + 1, sizeof *name);
  if (!name) return false;
  for (size_t b = 0; b < m->rig->nbodies; b++)
    for (size_t k = 0; k < m->rig->body[b].njoints; k++) name[count++] = mb_mjcf_joint_name(m, b, k);
  MbNames names;
  if (!mb_names_build(&names, name, n, &m->w->rig->arena, &twice)) return false;
  if (twice < n)
    mb_model_unfit(m->w, "",
                   "two joints would be called \"%s\": name them by \"_name\", parts of a joint by \"name\"",
                   name[twice]);
  return true;
}

// ---- sites ------------------------------------------------------------------------------------------------

bool mb_mjcf_needs_sites(const MbMjcfWriter *m, const MbRigTie *tie) {
  if (tie->kind == MB_RIG_WELD || tie->kind == MB_RIG_RATIO) return false;
  if (tie->kind != MB_RIG_POINT) return true;
  double way[3];
  MbRigFrame at[2];
  for (int k = 0; k < 2; k++) {
    const MbRigFrame stands = mb_rig_stands(m->rig, tie->path[k].body);
    at[k] = mb_rig_compose(&stands, &tie->path[k].frame);
  }
  mb_vec3_sub(way, at[0].p, at[1].p);
  return mb_vec3_norm(way) > 1e-12;
}

bool mb_mjcf_list_sites(MbMjcfWriter *m) {
  const MbRig *rig = m->rig;
  MbArena *arena = &m->w->rig->arena;
  for (size_t i = 0; i < rig->nties; i++)
    m->nsites += mb_mjcf_needs_sites(m, &rig->tie[i]) ? rig->tie[i].npath : 0;
  m->site = mb_arena_alloc(arena, m->nsites + 1, sizeof *m->site);
  m->first_site = mb_arena_alloc(arena, rig->nbodies + 3, sizeof *m->first_site);
  if (!m->site || !m->first_site) return false;
  memset(m->first_site, 0, (rig->nbodies + 3) * sizeof *m->first_site);
  // counted, then put behind one another
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < rig->nties; i++) {
      if (!mb_mjcf_needs_sites(m, &rig->tie[i])) continue;
      for (size_t k = 0; k < rig->tie[i].npath; k++) {
        const size_t b = rig->tie[i].path[k].body, place = b == MB_RIG_WORLD ? rig->nbodies : b;
        if (pass)
          m->site[m->first_site[place + 1]++] = (MbMjcfSite){place, i, k};
        else
          m->first_site[place + 2]++;
      }
    }
    for (size_t b = 0; b < rig->nbodies + 1 && !pass; b++) m->first_site[b + 2] += m->first_site[b + 1];
  }
  return true;
}

void mb_mjcf_put_sites(MbMjcfWriter *m, size_t place) {
  for (size_t s = m->first_site[place]; s < m->first_site[place + 1]; s++) {
    const MbRigFrame *f = &m->rig->tie[m->site[s].tie].path[m->site[s].k].frame;
    mb_xml_open(m->x, "site");
    mb_xml_put(m->x, "name", mb_mjcf_site_name(m, &m->site[s]));
    mb_mjcf_put_frame(m, f);
    mb_xml_end(m->x);
  }
}
