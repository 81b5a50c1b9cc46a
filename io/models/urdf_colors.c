#include "io/models/urdf_colors.h"
#include "core/base/alloc.h"

#include <string.h>

// The colour that a material says itself; *has ← whether it does.
static bool own_color(MbDoor *door, const MbXmlElement *material, double rgba[4], bool *has) {
  const MbXmlElement *color = mb_xml_child(material, "color");
  *has = color != NULL;
  if (!color) return true;
  const MbXmlAttribute *a = mb_xml_attribute(color, "rgba");
  if (!a) return mb_door_error(door, color->at, "<color> needs \"rgba\"");
  return mb_door_color(door, a, rgba);
}

static const char *name_of(const MbXmlElement *material) {
  const MbXmlAttribute *name = mb_xml_attribute(material, "name");
  return name ? name->value : "";
}

static bool add(MbDoor *door, const MbXmlElement *material, MbUrdfColors *colors) {
  double rgba[4];
  bool has;
  size_t before = 0;
  if (!material || !*name_of(material)) return true;
  if (!own_color(door, material, rgba, &has)) return false;
  if (!has || mb_rig_names_find(&colors->names, name_of(material)) != MB_RIG_NO_NAME) return true;
  if (!mb_grow(&colors->rgba, &colors->room, colors->n + 1, sizeof *colors->rgba) ||
      !mb_rig_names_put(&colors->names, name_of(material), colors->n, &before))
    return mb_door_no_memory(door);
  memcpy(colors->rgba[colors->n++], rgba, sizeof rgba);
  return true;
}

bool mb_urdf_colors_list(MbDoor *door, const MbXmlElement *root, MbUrdfColors *colors) {
  for (const MbXmlElement *e = mb_xml_child(root, "material"); e; e = mb_xml_again(e))
    if (!add(door, e, colors)) return false;
  for (const MbXmlElement *link = mb_xml_child(root, "link"); link; link = mb_xml_again(link))
    for (const MbXmlElement *e = mb_xml_child(link, "visual"); e; e = mb_xml_again(e))
      if (!add(door, mb_xml_child(e, "material"), colors)) return false;
  return true;
}

void mb_urdf_colors_free(MbUrdfColors *colors) {
  mb_rig_names_free(&colors->names);
  mb_free(colors->rgba);
  *colors = (MbUrdfColors){0};
}

bool mb_urdf_color(MbDoor *door, const MbUrdfColors *colors, const MbXmlElement *visual, MbRigShape *shape) {
  const MbXmlElement *material = mb_xml_child(visual, "material");
  if (!material) return true;
  const size_t found = mb_rig_names_find(&colors->names, name_of(material));
  if (found == MB_RIG_NO_NAME) {
    if (!own_color(door, material, shape->rgba, &shape->colored)) return false;
    if (!shape->colored && !mb_xml_child(material, "texture"))
      mb_door_note(door, material->at, false, "no <material> \"%s\" has a <color>: its shapes have none",
                   name_of(material));
    return true;
  }
  memcpy(shape->rgba, colors->rgba[found], sizeof shape->rgba);
  return shape->colored = true;
}
