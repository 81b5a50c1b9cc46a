// Colours of URDF and MJCF as those of scenes.
#include "tests/io/imported.h"

#include <stdio.h>

TestSuite(models_colours, .init = imported_begin, .fini = imported_end);

static void has_color(const Imported *r, const char *pointer, int n, const double *wanted) {
  const cJSON *list = imported_at(r, pointer);
  cr_assert_eq(cJSON_GetArraySize(list), n, "%s has %d numbers, not %d", pointer, cJSON_GetArraySize(list),
               n);
  for (int i = 0; i < n; i++)
    cr_expect_eq(cJSON_GetArrayItem(list, i)->valuedouble, wanted[i], "%s: %d", pointer, i);
}

#define GEOM(more)     "<geom size='0.1' " more "/>"
#define SEEN(material) "<visual><geometry><sphere radius='0.1'/></geometry>" material "</visual>"

// The geom's own, unless that is the usual grey beside a material; the material's; the class's; none.
Test(models_colours, colours_of_geoms_are_their_own_their_materials_or_their_classes) {
  Imported r = imported(MJCF(
      "<default><default class='blue'><geom rgba='0 0 1 1'/><material rgba='0.25 0.5 0.75 "
      "1'/></default></default>"
      "<asset><texture name='t' type='2d' builtin='flat' width='1' height='1'/><material name='red' rgba='1 "
      "0 0 0.5'/><material name='white'/>"
      "<material name='painted' texture='t'/><material name='classy' class='blue'/></asset><worldbody>"
      "<body name='a'><joint/>" GEOM("") GEOM("rgba='0.1 0.2 0.3 1'") GEOM("material='red'")
          GEOM("material='red' rgba='0 1 0 1'") GEOM("material='red' rgba='.5 .5 .5 1'") GEOM("class='blue'")
              GEOM("material='white'") GEOM("material='painted'") GEOM("material='classy'")
                  GEOM("group='3' rgba='1 1 0 1'") "</body>"
                                                   "<body name='b'><joint/>" GEOM("material='red'") GEOM(
                                                       "material='red' pos='1 0 0'") "</body></worldbody>"));
  cr_assert_null(imported_at(&r, "/bodies/0/shape/0/color"));
  has_color(&r, "/bodies/0/shape/1/color", 3, (double[]){0.1, 0.2, 0.3});
  has_color(&r, "/bodies/0/shape/2/color", 4, (double[]){1, 0, 0, 0.5});
  has_color(&r, "/bodies/0/shape/3/color", 3, (double[]){0, 1, 0});
  has_color(&r, "/bodies/0/shape/4/color", 4, (double[]){1, 0, 0, 0.5});
  has_color(&r, "/bodies/0/shape/5/color", 3, (double[]){0, 0, 1});
  has_color(&r, "/bodies/0/shape/6/color", 3, (double[]){1, 1, 1});
  cr_assert_null(imported_at(&r, "/bodies/0/shape/7/color"));
  has_color(&r, "/bodies/0/shape/8/color", 3, (double[]){0.25, 0.5, 0.75});
  has_color(&r, "/bodies/0/shape/9/color", 4, (double[]){1, 1, 0, 0});
  has_color(&r, "/bodies/1/color", 4, (double[]){1, 0, 0, 0.5});
  cr_assert_null(imported_at(&r, "/bodies/1/shape/0/color"));
  cr_assert(imported_noted(&r, false, "texture of <material>: surfaces have one colour"));
  imported_runs(&r, 1);
  imported_drop(&r);
  imported_refused(BODY("<geom size='0.1' material='green'/>"), 2, 89, "there is no material \"green\"");
  imported_refused(BODY("<geom size='0.1' rgba='1 0 0'/>"), 2, 85, "rgba: there are 3 numbers, 4 are wanted");
}

// As ROS reads them: of several of one name the robot's own counts, then the first.
Test(models_colours, colours_of_visuals_are_found_by_the_names_of_materials) {
  static const char *const materials[] = {"<material name='red'/>",
                                          "<material name='blue'><color rgba='0 0 1 1'/></material>",
                                          "<material name=''><color rgba='0 1 0 2'/></material>",
                                          "<material name='none'/>",
                                          "<material name='red'><color rgba='1 1 1 1'/></material>",
                                          "<material name='wood'><texture filename='wood.png'/></material>"};
  static const char box[] = "<collision><geometry><box size='1 1 1'/></geometry></collision>";
  static const char fixed[] = "<joint name='%s' type='fixed'><parent link='a'/><child link='%s'/></joint>";
  char text[4000], *to = text + sprintf(text, "<robot><link name='a'>%s", MASS);
  for (size_t k = 0; k < sizeof materials / sizeof *materials; k++)
    to += sprintf(to, SEEN("%s"), materials[k]);
  to += sprintf(to, "%s</link>\n<link name='b'>%s" SEEN("<material name='blue'/>") "</link>", box, MASS);
  to += sprintf(to, fixed, "j", "b");
  to += sprintf(to, "<link name='c'>%s%s</link>", MASS, box);
  to += sprintf(to, fixed, "k", "c");
  sprintf(to, "<material name='red'><color rgba='0.8 0.1 0.1 1'/></material></robot>");
  Imported r = imported_with(text, &(MbImportOptions){0});
  cr_assert_eq(r.status, MB_OK);
  has_color(&r, "/bodies/0/shape/0/color", 3, (double[]){0.8, 0.1, 0.1});
  has_color(&r, "/bodies/0/shape/1/color", 3, (double[]){0, 0, 1});
  has_color(&r, "/bodies/0/shape/2/color", 3, (double[]){0, 1, 0});
  cr_assert_null(imported_at(&r, "/bodies/0/shape/3/color"));
  has_color(&r, "/bodies/0/shape/4/color", 3, (double[]){0.8, 0.1, 0.1});
  cr_assert_null(imported_at(&r, "/bodies/0/shape/5/color"));
  has_color(&r, "/bodies/0/shape/6/color", 4, (double[]){0, 0, 0, 0});
  has_color(&r, "/bodies/1/shape/color", 3, (double[]){0, 0, 1});
  cr_assert_null(imported_at(&r, "/bodies/2/shape/color"),
                 "what collides alone is seen where there is nothing else");
  cr_assert(imported_noted(&r, false, "no <material> \"none\" has a <color>"));
  cr_assert(imported_noted(&r, false, "rgba beyond 0 to 1"));
  cr_assert_not(imported_noted(&r, false, "\"wood\""));
  imported_runs(&r, 1);
  imported_drop(&r);
  imported_refused("<robot>\n<material name='x'><color/></material><link name='a'/></robot>", 2, 20,
                   "<color> needs \"rgba\"");
}
