// The shapes that solids collide with, as collision has them: hulls and surfaces of meshes among them.
#include "core/sim/solid_shapes.h"
#include "core/base/report.h"
#include "core/collision/quickhull.h"
#include "core/math/mat3.h"

static double least(const double x[3]) { return fmin(x[0], fmin(x[1], x[2])); }

// ---- what is no mesh ----------------------------------------------------------------------------------------

// The shape, half of its least extent, and how far it reaches from its origin. False: it is a mesh.
static bool make_simple(const MbSolid *solid, MbShape *shape, double *size, double *reach) {
  const double r = solid->radius, half = solid->length / 2;
  switch (solid->kind) {
  case MB_SHAPE_BOX:
    *shape = mb_shape_box(solid->size);
    *size = least(solid->size) / 2, *reach = mb_vec3_norm(solid->size) / 2;
    return true;
  case MB_SHAPE_SPHERE:
    *shape = mb_shape_sphere(r);
    *size = *reach = r;
    return true;
  case MB_SHAPE_CAPSULE:
    *shape = mb_shape_capsule(r, solid->length);
    *size = r, *reach = r + half;
    return true;
  case MB_SHAPE_CYLINDER:
    *shape = mb_shape_cylinder(r, solid->length);
    *size = fmin(r, half), *reach = hypot(r, half);
    return true;
  case MB_SHAPE_ELLIPSOID:
    *shape = mb_shape_ellipsoid(solid->size);
    *size = least(solid->size), *reach = fmax(solid->size[0], fmax(solid->size[1], solid->size[2]));
    return true;
  case MB_SHAPE_PLANE:
    *shape = mb_shape_plane();
    *size = INFINITY, *reach = 0;
    return true;
  case MB_SHAPE_MESH:
  case MB_SHAPES:
    break;
  }
  return false;
}

// ---- meshes -------------------------------------------------------------------------------------------------

// Half of the least extent, but no less than a tenth of the largest: what is flat has room on its sides all the same.
static void measure(const MbMesh *mesh, double *size, double *reach) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
  double extent[3];
  *reach = 0;
  for (size_t i = 0; i < mesh->nv; i++) {
    const double *x = mesh->vertex + 3 * i;
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    *reach = fmax(*reach, mb_vec3_norm(x));
  }
  for (int k = 0; k < 3; k++) extent[k] = high[k] - low[k], most = fmax(most, extent[k]);
  *size = fmax(least(extent), most / 10) / 2;
}

// Volumes that are spanned with the mesh's first vertex, so that no digits are lost where it is far from the origin.
static double volume_under(const double o[3], const double p[3], const double q[3], const double r[3]) {
  double a[3], b[3], c[3], n[3];
  mb_vec3_sub(a, p, o), mb_vec3_sub(b, q, o), mb_vec3_sub(c, r, o);
  mb_vec3_cross(n, b, c);
  return mb_vec3_dot(a, n) / 6;
}

static double surface_volume(const MbSkin *surface) {
  double sum = 0;
  for (size_t t = 0; t < surface->triangles; t++) {
    const uint32_t *v = surface->corner + 3 * t;
    sum += volume_under(surface->vertex, surface->vertex + 3 * (size_t)v[0],
                        surface->vertex + 3 * (size_t)v[1], surface->vertex + 3 * (size_t)v[2]);
  }
  return sum;
}

static double hull_volume(const MbHull *hull) {
  double sum = 0;
  for (uint32_t f = 0; f < hull->faces; f++) {
    const uint32_t *v = hull->corner + hull->first[f], n = hull->first[f + 1] - hull->first[f];
    for (uint32_t i = 1; i + 1 < n; i++)
      sum += volume_under(hull->vertex, hull->vertex + 3 * (size_t)v[0], hull->vertex + 3 * (size_t)v[i],
                          hull->vertex + 3 * (size_t)v[i + 1]);
  }
  return sum;
}

// A closed mesh that fills its hull is convex.
static bool is_convex(const MbSkin *surface, const MbHull *hull) {
  const double whole = hull_volume(hull);
  return surface->closed && fabs(surface_volume(surface) - whole) <= 1e-9 * whole;
}

static MbStatus refuse(const MbModel *model, size_t i, const char *what, MbReport *report) {
  const MbSolid *solid = &model->contacts.solids[i];
  char where[64];
  mb_solid_where(solid, "", where, sizeof where);
  return mb_error(report, MB_SCENE, where,
                  "the mesh of \"%s\" %s: it cannot collide; mend it, or give it \"collide\": false",
                  model->body_name[solid->body], what);
}

static MbStatus refuse_triangle(const MbModel *model, size_t i, MbSkinFault fault, uint32_t t,
                                MbReport *report) {
  const MbSolid *solid = &model->contacts.solids[i];
  const MbMesh *mesh = solid->mesh;
  char where[64];
  if (fault != MB_SKIN_NO_AREA) return refuse(model, i, mb_skin_fault_text(fault), report);
  const double *x = mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)t];
  mb_solid_where(solid, "", where, sizeof where);
  return mb_error(report, MB_SCENE, where,
                  "a triangle of the mesh of \"%s\" has no area, that at [%g, %g, %g]: its corners are on a "
                  "line. Mend it, or take \"collide\": \"hull\", or false",
                  model->body_name[solid->body], x[0], x[1], x[2]);
}

// The hull, the surface, or both to see whether they are the same; those that are not wanted are freed.
static MbStatus make_mesh(const MbModel *model, size_t i, MbSolidShapes *to, MbReport *report) {
  const MbSolid *solid = &model->contacts.solids[i];
  const MbMesh *mesh = solid->mesh;
  measure(mesh, &to->size[i], &to->reach[i]);
  for (size_t k = 0; k < i; k++) {
    const MbSolid *other = &model->contacts.solids[k];
    if (other->mesh != mesh || other->as != solid->as) continue;
    to->shape[i] = to->shape[k];
    return MB_OK;
  }
  MbHull *hull = NULL;
  MbSkin *skin = NULL;
  if (solid->as != MB_COLLIDE_MESH) {
    const MbHullFault fault = mb_hull_of_points(&hull, (uint32_t)mesh->nv, mesh->vertex);
    if (fault == MB_HULL_NO_MEMORY) return mb_no_memory(report, "contact");
    if (fault && solid->as == MB_COLLIDE_HULL) return refuse(model, i, mb_hull_fault_text(fault), report);
  }
  if (solid->as != MB_COLLIDE_HULL) {
    uint32_t at = 0;
    const MbSkinFault fault = mb_skin_make(&skin, (uint32_t)mesh->nv, mesh->vertex, (uint32_t)mesh->nt,
                                           (const uint32_t *)mesh->triangle, &at);
    if (fault) mb_hull_free(hull);
    if (fault == MB_SKIN_NO_MEMORY) return mb_no_memory(report, "contact");
    if (fault) return refuse_triangle(model, i, fault, at, report);
  }
  if (hull && skin) {
    const bool convex = is_convex(skin, hull);
    if (convex)
      mb_skin_free(skin), skin = NULL;
    else
      mb_hull_free(hull), hull = NULL;
  }
  to->hull[i] = hull, to->skin[i] = skin;
  to->shape[i] = hull ? mb_shape_hull(hull) : mb_shape_mesh(skin);
  return MB_OK;
}

static MbStatus make_one(const MbModel *model, size_t i, MbSolidShapes *to, MbReport *report) {
  double R[9];
  const MbStatus status = make_simple(&model->contacts.solids[i], &to->shape[i], &to->size[i], &to->reach[i])
                              ? MB_OK
                              : make_mesh(model, i, to, report);
  mb_mat3_identity(R);
  if (status == MB_OK) mb_shape_bounds_at(&to->shape[i], (double[3]){0}, R, &to->own[i]);
  return status;
}

MbStatus mb_solid_shapes_make(const MbModel *model, MbArena *arena, MbSolidShapes *to, MbReport *report) {
  const size_t n = model->contacts.nsolids;
  MbStatus status = MB_OK;
  to->shape = mb_arena_alloc(arena, n, sizeof *to->shape);
  to->hull = mb_arena_alloc(arena, n, sizeof *to->hull);
  to->skin = mb_arena_alloc(arena, n, sizeof *to->skin);
  to->size = mb_arena_alloc(arena, n, sizeof *to->size);
  to->reach = mb_arena_alloc(arena, n, sizeof *to->reach);
  to->own = mb_arena_alloc(arena, n, sizeof *to->own);
  if (!to->shape || !to->hull || !to->skin || !to->size || !to->reach || !to->own)
    return mb_no_memory(report, "contact");
  to->n = n;
  for (size_t i = 0; i < n; i++) {
    const MbStatus one = make_one(model, i, to, report);
    if (one != MB_OK) status = one;
    to->reach[i] += mb_vec3_norm(model->contacts.solids[i].at.p);
  }
  return status;
}

void mb_solid_shapes_free(MbSolidShapes *shapes) {
  for (size_t i = 0; i < shapes->n; i++) {
    mb_hull_free(shapes->hull[i]);
    mb_skin_free(shapes->skin[i]);
  }
}

size_t mb_solid_shapes_bytes(const MbSolidShapes *shapes) {
  size_t bytes = 0;
  for (size_t i = 0; i < shapes->n; i++) {
    if (shapes->hull[i]) bytes += mb_hull_bytes(shapes->hull[i]);
    if (shapes->skin[i]) bytes += mb_skin_bytes(shapes->skin[i]);
  }
  return bytes;
}
