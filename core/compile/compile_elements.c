// Deformables of elements, for the projective solver: their meshes, masses and where their nodes are at the start.
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/deformables/quadratic.h"
#include "core/deformables/rod.h"
#include "core/math/quat.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 128 };
static const double MOST = 1e6; // nodes of all deformables
static const double PI = 3.141592653589793;

// ---- what is asked for ------------------------------------------------------------------------------------

// Sizes of a grid or a box: so many whole numbers of nodes, so many lengths.
static MbStatus check_block(const MbNodeMeshSpec *mesh, const double *n, size_t axes, const char *where,
                            MbReport *report) {
  const char *what = axes == 2 ? "grid" : "box";
  double product = 1;
  bool whole = true;
  for (size_t k = 0; k < axes; k++) product *= n[k], whole &= n[k] >= 2 && n[k] == floor(n[k]);
  char counts[100];
  snprintf(counts, sizeof counts, axes == 2 ? "%g x %g" : "%g x %g x %g", n[0], n[1], axes == 2 ? 0.0 : n[2]);
  if (!whole || !(product <= MOST))
    return mb_error(report, MB_SCENE, where,
                    "a %s of %s nodes: whole numbers of 2 or more are wanted, whose product is %g at most",
                    what, counts, MOST);
  bool sized = mesh->nsize == axes;
  for (size_t k = 0; k < axes && sized; k++) sized = mesh->size[k] > 0 && isfinite(mesh->size[k]);
  return sized ? MB_OK
               : mb_error(report, MB_SCENE, where, "a %s needs a \"size\": %s numbers above 0", what,
                          axes == 2 ? "two" : "three");
}

static MbStatus check_helix(const MbHelixSpec *helix, const char *where, MbReport *report) {
  const bool sound = helix->nodes >= 2 && (double)helix->nodes <= MOST && helix->radius > 0 &&
                     isfinite(helix->radius) && isfinite(helix->pitch) && helix->turns > 0 &&
                     isfinite(helix->turns);
  return sound ? MB_OK
               : mb_error(report, MB_SCENE, where,
                          "a helix has 2 to %g nodes, and a radius and turns above 0", MOST);
}

// Which of the ways of making a mesh a kind has, and the numbers of it.
static MbStatus check_mesh(const MbDeformableSpec *spec, const char *where, MbReport *report) {
  static const char *const wanted[MB_DEFORMABLES] = {[MB_DEFORMABLE_SPRINGS] = "\"rope\" or \"grid\"",
                                                     [MB_DEFORMABLE_PARTICLES] = "\"rope\" or \"grid\"",
                                                     [MB_DEFORMABLE_TETS] = "\"box\", \"ball\" or \"file\"",
                                                     [MB_DEFORMABLE_CLOTH] = "\"grid\", \"ball\" or \"file\"",
                                                     [MB_DEFORMABLE_ROD] =
                                                         "\"rope\", \"points\" or \"helix\""};
  const MbNodeMeshSpec *mesh = &spec->mesh;
  const bool nodes = spec->kind == MB_DEFORMABLE_SPRINGS || spec->kind == MB_DEFORMABLE_PARTICLES;
  const bool tets = spec->kind == MB_DEFORMABLE_TETS, rod = spec->kind == MB_DEFORMABLE_ROD;
  const bool grid = mesh->grid[0] != 0, box = mesh->box[0] != 0, ball = mesh->ball != 0,
             file = mesh->mesh != NULL;
  const bool line = mesh->npoints || mesh->helix.nodes;
  if ((mesh->rope && !nodes && !rod) || (grid && (tets || rod)) || (box && !tets) ||
      (ball && (nodes || rod)) || (file && (nodes || rod)) || (line && !rod))
    return mb_error(report, MB_SCENE, where, "a mesh of \"%s\" is made by %s",
                    mb_deformable_words[spec->kind], wanted[spec->kind]);
  if (mesh->rope &&
      (!(mesh->rope >= 2 && (double)mesh->rope <= MOST) || !(mesh->length > 0) || !isfinite(mesh->length)))
    return mb_error(report, MB_SCENE, where, "a rope has 2 to %g nodes and a \"length\" above 0", MOST);
  if (grid && spec->kind == MB_DEFORMABLE_CLOTH && mesh->pattern == MB_PATTERN_SQUARE)
    return mb_error(report, MB_SCENE, where,
                    "\"square\" cells have no triangles: cloth has pattern \"cross\" or \"diagonal\"");
  if (!mesh->rope && !isnan(mesh->length))
    return mb_error(report, MB_SCENE, where, "\"length\" is of a \"rope\"");
  if (!ball && !isnan(mesh->radius)) return mb_error(report, MB_SCENE, where, "\"radius\" is of a \"ball\"");
  if (!grid && !box && mesh->nsize)
    return mb_error(report, MB_SCENE, where, "\"size\" is of a \"grid\" or a \"box\"");
  if (grid) return check_block(mesh, mesh->grid, 2, where, report);
  if (box) return check_block(mesh, mesh->box, 3, where, report);
  if (ball && (!(mesh->ball >= 1 && mesh->ball <= 130) || !(mesh->radius > 0) || !isfinite(mesh->radius)))
    return mb_error(report, MB_SCENE, where,
                    "a ball has 1 to 130 cells along its diameter and a \"radius\" above 0");
  if (mesh->npoints && !(mesh->npoints >= 2 && (double)mesh->npoints <= MOST))
    return mb_error(report, MB_SCENE, where, "a rod goes through 2 to %g points", MOST);
  if (mesh->helix.nodes) return check_helix(&mesh->helix, where, report);
  if (!mesh->rope && !ball && !file && !line) return mb_error(report, MB_SCENE, where, "there is no mesh");
  if (file && !((double)mesh->mesh->nodes <= MOST))
    return mb_error(report, MB_SCENE, where, "the mesh has %zu vertices: %g are the most", mesh->mesh->nodes,
                    MOST);
  return MB_OK;
}

static double rod_bending(const MbDeformableSpec *spec) {
  const double r2 = spec->radius * spec->radius;
  return isnan(spec->bends) ? spec->young * PI * r2 * r2 / 4 : spec->bends;
}

static double rod_twisting(const MbDeformableSpec *spec) {
  const double r2 = spec->radius * spec->radius;
  return isnan(spec->twists) ? spec->young / (2 * (1 + spec->poisson)) * PI * r2 * r2 / 2 : spec->twists;
}

// NULL: nothing is wrong.
static const char *wrong_rod(const MbDeformableSpec *spec) {
  const double bending = rod_bending(spec), twisting = rod_twisting(spec);
  if (!(spec->radius > 0) || !isfinite(spec->radius)) return "the radius must be positive and finite";
  if (!(bending > 0) || !isfinite(bending) || !(twisting > 0) || !isfinite(twisting))
    return "the stiffness against bending and twisting must be positive and finite";
  if (twisting > 2 * bending)
    return "the stiffness against twisting is more than twice that against bending: no round rod has that";
  return NULL;
}

static MbStatus check_material(const MbDeformableSpec *spec, const char *where, MbReport *report) {
  const char *wrong = NULL;
  if (spec->kind == MB_DEFORMABLE_SPRINGS || spec->kind == MB_DEFORMABLE_PARTICLES) {
    if (!(spec->mass > 0) || !isfinite(spec->mass)) wrong = "the mass must be positive and finite";
  } else if (!(spec->young > 0) || !isfinite(spec->young)) {
    wrong = "Young's modulus must be positive and finite";
  } else if (!(spec->poisson > -1 && spec->poisson < 0.5)) {
    wrong = "Poisson's ratio must be above -1 and below 0.5";
  } else if (spec->kind != MB_DEFORMABLE_ROD && spec->model == MB_NEO_HOOKEAN && spec->poisson < 0) {
    wrong = "\"neo_hookean\" has no least energy where Poisson's ratio is below 0 (\"poisson\"): take "
            "\"corotational\"";
  } else if (spec->model == MB_LINEAR && spec->kind == MB_DEFORMABLE_CLOTH) {
    wrong =
        "\"linear\" measures strains from one direction, and cloth turns and folds: take \"corotational\"";
  } else if (!(spec->density > 0) || !isfinite(spec->density)) {
    wrong = "the density must be positive and finite";
  } else if (spec->kind == MB_DEFORMABLE_CLOTH && (!(spec->thickness > 0) || !isfinite(spec->thickness))) {
    wrong = "the thickness must be positive and finite";
  } else if (spec->kind == MB_DEFORMABLE_ROD) {
    wrong = wrong_rod(spec);
  }
  return wrong ? mb_error(report, MB_SCENE, where, "the material of \"%s\": %s", spec->name, wrong) : MB_OK;
}

MbStatus mb_compile_check_selections(const MbDeformableSpec *spec, size_t i, size_t nodes, MbReport *report) {
  static const double WORK = 1e10;
  char where[WHERE];
  size_t selections = spec->npins + spec->nattachments;
  for (size_t k = 0; k < spec->ncables; k++) selections += spec->cables[k].npath;
  if ((double)selections * (double)nodes <= WORK) return MB_OK;
  snprintf(where, sizeof where, "/deformables/%zu", i);
  return mb_error(report, MB_SCENE, where,
                  "\"%s\" has %zu pins, attachments and points of cables: %.0f are the most with %zu nodes; "
                  "one of them may "
                  "be of many nodes",
                  spec->name, selections, WORK / (double)nodes, nodes);
}

// An end of a rod is held with its direction, by a pin or a body.
static MbStatus check_clamps(const MbDeformableSpec *spec, size_t i, MbReport *report) {
  char where[WHERE];
  for (size_t k = 0; k < spec->npins; k++) {
    snprintf(where, sizeof where, "/deformables/%zu/pin/%zu/axes", i, k);
    if (spec->pins[k].select.clamp && spec->pins[k].axes && strlen(spec->pins[k].axes) < 3)
      return mb_error(report, MB_SCENE, where,
                      "a \"clamp\" holds an end along all axes: leave \"axes\" out, or select the end by "
                      "\"vertices\"");
  }
  for (size_t k = 0; k < spec->nattachments; k++) {
    snprintf(where, sizeof where, "/deformables/%zu/attach/%zu", i, k);
    if (spec->attachments[k].select.clamp && !spec->attachments[k].body)
      return mb_error(report, MB_SCENE, where,
                      "a \"clamp\" is held by a body, not by nodes: these have no direction");
  }
  return MB_OK;
}

static MbStatus check_spec(const MbDeformableSpec *spec, size_t i, MbReport *report) {
  char where[WHERE];
  snprintf(where, sizeof where, "/deformables/%zu/material", i);
  const MbStatus material = check_material(spec, where, report);
  snprintf(where, sizeof where, "/deformables/%zu/mesh", i);
  const MbStatus mesh = check_mesh(spec, where, report);
  return material != MB_OK ? material : mesh;
}

// ---- nodes ------------------------------------------------------------------------------------------------

static double size_of(const double *x, const uint32_t *corner,
                      size_t n) { // volume of four corners, area of three
  double ab[3], ac[3], ad[3], normal[3];
  mb_vec3_sub(ab, x + 3 * (size_t)corner[1], x + 3 * (size_t)corner[0]);
  mb_vec3_sub(ac, x + 3 * (size_t)corner[2], x + 3 * (size_t)corner[0]);
  mb_vec3_cross(normal, ab, ac);
  if (n == 3) return mb_vec3_norm(normal) / 2;
  mb_vec3_sub(ad, x + 3 * (size_t)corner[3], x + 3 * (size_t)corner[0]);
  return mb_vec3_dot(normal, ad) / 6;
}

// What a corner and the middle of an edge have of a tetrahedron's mass
static void lump_quadratic(double density, const MbElementMesh *mesh, double *mass) {
  for (size_t t = 0; t < mesh->tets; t++) {
    const double own = density * size_of(mesh->x, mesh->tet + 4 * t, 4);
    for (size_t k = 0; k < 4; k++) mass[mesh->tet[4 * t + k]] += MB_QUADRATIC_CORNER_MASS * own;
    for (size_t k = 0; k < MB_QUADRATIC_EDGES; k++)
      mass[mesh->middle[MB_QUADRATIC_EDGES * t + k]] += MB_QUADRATIC_MIDDLE_MASS * own;
  }
}

static void lump(const MbDeformableSpec *spec, const MbElementMesh *mesh, double *mass) {
  if (mesh->middle) {
    lump_quadratic(spec->density, mesh, mass);
    return;
  }
  const bool tets = spec->kind == MB_DEFORMABLE_TETS, cloth = spec->kind == MB_DEFORMABLE_CLOTH;
  const size_t n = tets ? 4 : 3, count = tets ? mesh->tets : cloth ? mesh->triangles : 0;
  const uint32_t *corner = tets ? mesh->tet : mesh->triangle;
  const double density = cloth ? spec->density * spec->thickness : spec->density;
  for (size_t i = 0; i < n * count; i++)
    mass[corner[i]] += density * size_of(mesh->x, corner + i / n * n, n) / (double)n;
  for (size_t i = 0;
       i < mesh->nodes && (spec->kind == MB_DEFORMABLE_SPRINGS || spec->kind == MB_DEFORMABLE_PARTICLES); i++)
    mass[i] = spec->mass / (double)mesh->nodes;
}

// How many nodes come before those that were put in the middles of edges: a file of first order has places for these alone.
static size_t corner_nodes(const MbElementMesh *mesh) {
  size_t first = mesh->nodes;
  for (size_t i = 0; mesh->middle && i < MB_QUADRATIC_EDGES * mesh->tets; i++)
    if (mesh->middle[i] < first) first = mesh->middle[i];
  for (size_t i = 0; i < 4 * mesh->tets; i++)
    if (mesh->tet[i] >= first) return mesh->nodes; // a file's own, in whatever order
  return first;
}

// Whether the places at the start are those of as many nodes; tells of tetrahedra that are inside out there.
static MbStatus check_start(const MbDeformableSpec *spec, size_t i, const MbElementMesh *mesh,
                            MbReport *report) {
  char where[WHERE];
  const MbElementMesh *start = spec->start.mesh;
  size_t inverted = 0;
  const size_t straight = corner_nodes(mesh);
  if (!start) return MB_OK;
  snprintf(where, sizeof where, "/deformables/%zu/start", i);
  if (spec->mesh.mesh && spec->mesh.weld > 0)
    return mb_error(report, MB_SCENE, where,
                    "\"start\" has the places of the file's vertices, which \"weld\" in the mesh numbers "
                    "anew: one of the "
                    "two is to go");
  if (start->nodes != mesh->nodes && start->nodes != straight)
    return mb_error(report, MB_SCENE, where,
                    "%.200s has %zu vertices, and the mesh of \"%s\" %zu: as many are wanted",
                    spec->start.file ? spec->start.file : "the file", start->nodes, spec->name, straight);
  for (size_t t = 0; t < mesh->tets; t++) inverted += !(size_of(start->x, mesh->tet + 4 * t, 4) > 0);
  if (inverted)
    mb_warning(report, where, "%.200s: %zu of %zu tetrahedra of \"%s\" are inside out at the start",
               spec->start.file ? spec->start.file : "the file", inverted, mesh->tets, spec->name);
  return MB_OK;
}

// x_W = p + R x and v_W = v + ω × (x_W − p), of places x that are the mesh's or those of another file
static void place(const MbDeformableSpec *spec, const MbElementMesh *mesh, double *x0, double *v0) {
  const double *at = spec->start.mesh ? spec->start.mesh->x : mesh->x;
  const size_t given = spec->start.mesh ? spec->start.mesh->nodes : mesh->nodes;
  for (size_t i = 0; i < given; i++) {
    double x[3], turn[3];
    mb_quat_rotate(x, spec->pose.rotation, at + 3 * i);
    mb_vec3_add(x0 + 3 * i, spec->pose.position, x);
    mb_vec3_cross(turn, spec->angular, x);
    mb_vec3_add(v0 + 3 * i, spec->linear, turn);
  }
  for (size_t i = 0; given < mesh->nodes && i < MB_QUADRATIC_EDGES * mesh->tets; i++) { // between their ends
    const uint32_t *const corner = mesh->tet + 4 * (i / MB_QUADRATIC_EDGES);
    const unsigned char *const end = mb_quadratic_edge[i % MB_QUADRATIC_EDGES];
    for (size_t k = 0; k < 3; k++) {
      const size_t to = 3 * (size_t)mesh->middle[i] + k, a = 3 * (size_t)corner[end[0]] + k,
                   b = 3 * (size_t)corner[end[1]] + k;
      x0[to] = (x0[a] + x0[b]) / 2, v0[to] = (v0[a] + v0[b]) / 2;
    }
  }
}

// Of a plate of that thickness, unless it is given
static double bending_stiffness(const MbDeformableSpec *spec) {
  const double t = spec->thickness,
               plate = spec->young * t * t * t / (12 * (1 - spec->poisson * spec->poisson));
  return isnan(spec->bending.stiffness) ? plate : spec->bending.stiffness;
}

static void warn_of_bending(const MbDeformableSpec *spec, size_t i, MbReport *report) {
  char where[WHERE];
  snprintf(where, sizeof where, "/deformables/%zu/material/bending/model", i);
  mb_warning(report, where,
             "\"laplace_beltrami\" lets free edges of \"%s\" bend several times too easily: \"isometric\" is "
             "right on any mesh",
             spec->name);
}

// All nodes of each element.
static bool list_nodes(MbElements *elements, MbArena *arena) {
  const MbElementMesh *mesh = &elements->mesh;
  elements->corners = mesh->middle ? MB_QUADRATIC_NODES : mesh->tets ? 4 : 3;
  elements->points = mesh->middle ? MB_QUADRATIC_POINTS : 1;
  elements->node = mesh->tets ? mesh->tet : mesh->triangle;
  if (!mesh->middle) return true;
  uint32_t *const node = mb_arena_alloc(arena, mesh->tets, MB_QUADRATIC_NODES * sizeof *node);
  for (size_t t = 0; node && t < mesh->tets; t++) mb_quadratic_nodes(mesh, t, node + MB_QUADRATIC_NODES * t);
  elements->node = node;
  return node != NULL;
}

// Segments have the law of rod.c.
static void make_rod(const MbDeformableSpec *spec, MbElements *elements) {
  elements->model = MB_ARAP, elements->poisson = 0, elements->bending_damping = spec->damping;
  elements->rod = (MbRod){.radius = spec->radius,
                          .area = PI * spec->radius * spec->radius,
                          .bending = rod_bending(spec),
                          .twisting = rod_twisting(spec)};
}

// Other models have no curvatures whose rates could be damped.
static MbStatus check_bending(const MbDeformableSpec *spec, size_t i, MbReport *report) {
  char where[WHERE];
  const bool damps = spec->kind == MB_DEFORMABLE_CLOTH && spec->bending.given && spec->bending.damping > 0;
  if (!damps || spec->bending.model == MB_BENDING_ISOMETRIC) return MB_OK;
  snprintf(where, sizeof where, "/deformables/%zu/material/bending/damping", i);
  return mb_error(report, MB_SCENE, where,
                  "bending of \"%s\" by the model \"%s\" cannot be damped: take \"isometric\"", spec->name,
                  mb_bending_words[spec->bending.model]);
}

MbStatus mb_compile_shape(const MbDeformableSpec *spec, size_t i, MbModel *model, MbDeformable *to,
                          MbReport *report) {
  MbStatus status = check_spec(spec, i, report);
  if (status == MB_OK) status = check_bending(spec, i, report);
  if (status != MB_OK) return status;
  MbElements *elements = mb_arena_alloc(&model->arena, 1, sizeof *elements);
  to->name = mb_arena_strdup(&model->arena, spec->name);
  if (!elements || !to->name) return mb_no_memory(report, "deformables");
  const bool bends =
      spec->kind == MB_DEFORMABLE_CLOTH && spec->bending.given && spec->bending.model != MB_NO_BENDING;
  *elements = (MbElements){.kind = spec->kind,
                           .stiffness = spec->stiffness,
                           .damping = spec->damping,
                           .law = spec->law,
                           .model = spec->model,
                           .young = spec->young,
                           .poisson = spec->poisson,
                           .density = spec->density,
                           .thickness = spec->thickness,
                           .bending = bends ? spec->bending.model : MB_NO_BENDING,
                           .bending_stiffness = bends ? bending_stiffness(spec) : 0,
                           .bending_damping = bends ? spec->bending.damping : 0};
  if (spec->kind == MB_DEFORMABLE_ROD) make_rod(spec, elements);
  status = mb_compile_element_mesh(spec, i, &model->arena, elements, report);
  if (status != MB_OK) return status;
  if (elements->bending == MB_BENDING_LAPLACE_BELTRAMI) warn_of_bending(spec, i, report);
  status = check_start(spec, i, &elements->mesh, report);
  if (status != MB_OK) return status;
  if (!list_nodes(elements, &model->arena)) return mb_no_memory(report, "deformables");
  const size_t n = elements->mesh.nodes;
  status = mb_compile_check_selections(spec, i, n, report);
  if (status == MB_OK) status = check_clamps(spec, i, report);
  if (status != MB_OK) return status;
  double *mass = mb_arena_alloc(&model->arena, n, sizeof *mass);
  double *x0 = mb_arena_alloc(&model->arena, n, 3 * sizeof *x0),
         *v0 = mb_arena_alloc(&model->arena, n, 3 * sizeof *v0);
  if (!mass || !x0 || !v0) return mb_no_memory(report, "deformables");
  if (elements->rod.points) {
    elements->thickness = mb_rod_volume(&elements->rod);
    mb_rod_masses(&elements->rod, &elements->mesh, spec->density, mass);
  } else {
    lump(spec, &elements->mesh, mass);
  }
  place(spec, &elements->mesh, x0, v0);
  elements->mass = mass, elements->x0 = x0, elements->v0 = v0;
  to->count = n, to->elements = elements;
  status = mb_compile_fibres(spec, i, model, elements, report);
  if (status != MB_OK) return status;
  return mb_compile_surface(spec, i, model, elements, &elements->surface, report);
}

MbStatus mb_compile_elements(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  MbDeformable *list = mb_arena_alloc(&model->arena, spec->ndeformables, sizeof *list);
  if (!list) return mb_no_memory(report, "deformables");
  MbStatus status = MB_OK;
  size_t nodes = 0;
  for (size_t i = 0; i < spec->ndeformables && status != MB_IO; i++) {
    list[i].first = nodes;
    list[i].points = true;
    const MbStatus one = mb_compile_shape(&spec->deformables[i], i, model, &list[i], report);
    if (one != MB_OK) status = one;
    nodes += list[i].count;
    if ((double)nodes > MOST)
      return mb_error(report, MB_SCENE, "/deformables", "all deformables together have more than %g nodes",
                      MOST);
  }
  model->deformables = list, model->ndeformables = spec->ndeformables;
  model->nlisted = model->nb = spec->nbodies;
  return status == MB_OK ? mb_compile_ports(spec, model, list, report) : status;
}
