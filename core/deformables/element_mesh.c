// Meshes made from a few numbers: grids of triangles, boxes and balls of tetrahedra.
#include "core/deformables/element_mesh.h"
#include "core/base/alloc.h"
#include "core/deformables/mesh_surface.h"
#include "core/math/vec3.h"

#include <assert.h>

static bool start(MbElementMesh *mesh, double nodes, double tets, double triangles) {
  *mesh = (MbElementMesh){0};
  if (!(nodes <= UINT32_MAX) || !(tets < 1e15)) return false;
  mesh->nodes = (size_t)nodes, mesh->tets = (size_t)tets, mesh->triangles = (size_t)triangles;
  mesh->x = mb_calloc(mesh->nodes, 3 * sizeof *mesh->x);
  if (tets > 0) mesh->tet = mb_calloc(mesh->tets, 4 * sizeof *mesh->tet);
  if (triangles > 0) mesh->triangle = mb_calloc(mesh->triangles, 3 * sizeof *mesh->triangle);
  if (mesh->x && (mesh->tet || !mesh->tets) && (mesh->triangle || !mesh->triangles)) return true;
  mb_element_mesh_free(mesh);
  return false;
}

void mb_element_mesh_free(MbElementMesh *mesh) {
  mb_free(mesh->x);
  mb_free(mesh->tet);
  mb_free(mesh->middle);
  mb_free(mesh->triangle);
  mb_free(mesh->edge);
  *mesh = (MbElementMesh){0};
}

// Number i of n along a length
static double along(double length, size_t i, size_t n) { return length * (double)i / (double)(n - 1); }

// ---- grid -------------------------------------------------------------------------------------------------

static uint32_t *put_triangle(uint32_t *to, size_t a, size_t b, size_t c) {
  to[0] = (uint32_t)a, to[1] = (uint32_t)b, to[2] = (uint32_t)c;
  return to + 3;
}

bool mb_element_mesh_grid(MbElementMesh *mesh, size_t nx, size_t ny, double a, double b, bool cross) {
  assert(nx >= 2 && ny >= 2);
  const double corners = (double)nx * (double)ny, cells = ((double)nx - 1) * ((double)ny - 1);
  if (!start(mesh, cross ? corners + cells : corners, 0, cross ? 4 * cells : 2 * cells)) return false;
  for (size_t j = 0; j < ny; j++)
    for (size_t i = 0; i < nx; i++)
      mb_vec3_set(mesh->x + 3 * (j * nx + i), along(a, i, nx), along(b, j, ny), 0);

  // counterclockwise seen from +z
  uint32_t *to = mesh->triangle;
  for (size_t j = 0; j + 1 < ny; j++)
    for (size_t i = 0; i + 1 < nx; i++) {
      const size_t c00 = j * nx + i, c10 = c00 + 1, c01 = c00 + nx, c11 = c01 + 1;
      if (!cross) {
        to = put_triangle(put_triangle(to, c00, c10, c11), c00, c11, c01);
        continue;
      }
      const size_t middle = nx * ny + j * (nx - 1) + i;
      mb_vec3_set(mesh->x + 3 * middle, along(a, 2 * i + 1, 2 * nx - 1), along(b, 2 * j + 1, 2 * ny - 1), 0);
      to = put_triangle(put_triangle(to, c00, c10, middle), c10, c11, middle);
      to = put_triangle(put_triangle(to, c11, c01, middle), c01, c00, middle);
    }
  return true;
}

// ---- box --------------------------------------------------------------------------------------------------

// A cube in six: along the axes in each of their orders from its first corner to its last. Cubes side by side cut the
// square between them alike, from its first corner to its last.
static uint32_t *cut_cube(uint32_t *to, size_t corner, const size_t step[3]) {
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (size_t k = 0; k < 6; k++, to += 4) {
    const size_t one = corner + step[order[k][0]], two = one + step[order[k][1]],
                 last = two + step[order[k][2]];
    const bool even = k < 3; // orders that swap two axes turn it inside out
    to[0] = (uint32_t)corner, to[3] = (uint32_t)last;
    to[1] = (uint32_t)(even ? one : two), to[2] = (uint32_t)(even ? two : one);
  }
  return to;
}

bool mb_element_mesh_box(MbElementMesh *mesh, const size_t n[3], const double size[3]) {
  assert(n[0] >= 2 && n[1] >= 2 && n[2] >= 2);
  const double nodes = (double)n[0] * (double)n[1] * (double)n[2],
               cubes = ((double)n[0] - 1) * ((double)n[1] - 1) * ((double)n[2] - 1);
  if (!start(mesh, nodes, 6 * cubes, 0)) return false;
  const size_t step[] = {1, n[0], n[0] * n[1]};
  uint32_t *to = mesh->tet;
  for (size_t k = 0; k < n[2]; k++)
    for (size_t j = 0; j < n[1]; j++)
      for (size_t i = 0; i < n[0]; i++) {
        const size_t here = i * step[0] + j * step[1] + k * step[2];
        mb_vec3_set(mesh->x + 3 * here, along(size[0], i, n[0]), along(size[1], j, n[1]),
                    along(size[2], k, n[2]));
        if (i + 1 < n[0] && j + 1 < n[1] && k + 1 < n[2]) to = cut_cube(to, here, step);
      }
  return true;
}

// ---- ball -------------------------------------------------------------------------------------------------

// Twenty nearly regular tetrahedra from the centre to the sides of an icosahedron, each cut in s³ by shells: on shell s a
// side is a triangle grid of s edges a side, drawn out to the sphere.
typedef struct Ball {
  double corner[12][3]; // of the icosahedron, on the unit sphere
  size_t face[20][3];
  size_t edge[12][12]; // its number, of a pair of corners
} Ball;

// With edges of length 2: (0, ±1, ±φ) and what turning the axes makes of it.
static void make_icosahedron(Ball *ball) {
  const double golden = (1 + sqrt(5.0)) / 2, radius = sqrt(1 + golden * golden);
  for (size_t k = 0; k < 12; k++) {
    const size_t axis = k / 4;
    ball->corner[k][axis] = 0;
    ball->corner[k][(axis + 1) % 3] = (k & 1 ? -1 : 1) / radius;
    ball->corner[k][(axis + 2) % 3] = (k & 2 ? -golden : golden) / radius;
  }
  bool near[12][12];
  size_t edges = 0, faces = 0;
  for (size_t a = 0; a < 12; a++)
    for (size_t b = 0; b < 12; b++) {
      near[a][b] = a != b && mb_vec3_dot(ball->corner[a], ball->corner[b]) > 0;
      if (near[a][b] && a < b) ball->edge[a][b] = ball->edge[b][a] = edges++;
    }
  for (size_t a = 0; a < 12; a++)
    for (size_t b = a + 1; b < 12; b++)
      for (size_t c = b + 1; c < 12; c++)
        if (near[a][b] && near[b][c] && near[a][c])
          ball->face[faces][0] = a, ball->face[faces][1] = b, ball->face[faces++][2] = c;
  assert(edges == 30 && faces == 20);
}

static size_t nodes_within(size_t shell) { // of the shells below this one
  return shell ? 1 + 10 * (shell - 1) * shell * (2 * shell - 1) / 6 + 2 * (shell - 1) : 0;
}

// The node with weights w (their sum is the shell) at a side's corners. A shell has its corners first, then what is
// within edges, then what is within sides.
static size_t ball_node(const Ball *ball, size_t face, const size_t w[3]) {
  const size_t s = w[0] + w[1] + w[2], first = nodes_within(s), *corner = ball->face[face];
  if (s == 0) return 0;
  for (size_t k = 0; k < 3; k++)
    if (w[k] == s) return first + corner[k];
  for (size_t k = 0; k < 3; k++)
    if (w[k] == 0) {
      const size_t a = (k + 1) % 3, b = (k + 2) % 3, up = corner[a] < corner[b] ? b : a;
      return first + 12 + ball->edge[corner[a]][corner[b]] * (s - 1) + w[up] - 1;
    }
  const size_t before = (w[0] - 1) * (2 * s - w[0] - 2) / 2;
  return first + 12 + 30 * (s - 1) + face * (s - 1) * (s - 2) / 2 + before + w[1] - 1;
}

static void place_node(const Ball *ball, size_t face, const size_t w[3], double radius, double x[3]) {
  double sum[3] = {0, 0, 0};
  for (size_t k = 0; k < 3; k++)
    mb_vec3_add_scaled(sum, sum, (double)w[k], ball->corner[ball->face[face][k]]);
  const double length = mb_vec3_norm(sum);
  mb_vec3_scale(x, length > 0 ? radius / length : 0, sum);
}

static double distance(const double *x, size_t a, size_t b) {
  double between[3];
  mb_vec3_sub(between, x + 3 * b, x + 3 * a);
  return mb_vec3_norm(between);
}

static void put_tet(MbElementMesh *mesh, size_t a, size_t b, size_t c, size_t d) {
  const double *x = mesh->x;
  double ab[3], ac[3], ad[3], normal[3];
  mb_vec3_sub(ab, x + 3 * b, x + 3 * a);
  mb_vec3_sub(ac, x + 3 * c, x + 3 * a);
  mb_vec3_sub(ad, x + 3 * d, x + 3 * a);
  mb_vec3_cross(normal, ab, ac);
  const bool positive = mb_vec3_dot(normal, ad) > 0;
  uint32_t *to = mesh->tet + 4 * mesh->tets++;
  to[0] = (uint32_t)a, to[1] = (uint32_t)b;
  to[2] = (uint32_t)(positive ? c : d), to[3] = (uint32_t)(positive ? d : c);
}

// Three nodes of the inner shell, and of the outer one, each opposite the one of its number: in four around the
// shortest of the lines between such.
static void cut_octahedron(MbElementMesh *mesh, const size_t in[3], const size_t out[3]) {
  static const double CLEARLY = 1 - 1e-6; // what is as long by symmetry must not be told apart by rounding
  size_t k = 0;
  for (size_t i = 1; i < 3; i++)
    if (distance(mesh->x, in[i], out[i]) < CLEARLY * distance(mesh->x, in[k], out[k])) k = i;
  const size_t ring[] = {in[(k + 1) % 3], in[(k + 2) % 3], out[(k + 1) % 3], out[(k + 2) % 3]};
  for (size_t i = 0; i < 4; i++) put_tet(mesh, in[k], out[k], ring[i], ring[(i + 1) % 4]);
}

// What stands between a shell and the next one inside it over one side. With weights w on the inner one, or one less:
static void fill_shell(MbElementMesh *mesh, const Ball *ball, size_t face, size_t s) {
  for (size_t i = 0; i < s; i++)
    for (size_t j = 0; i + j < s; j++) {
      const size_t w[] = {i, j, s - 1 - i - j}, here = ball_node(ball, face, w);
      size_t up[3], in[3], out[3];

      // a triangle of the outer one, above this node
      for (size_t k = 0; k < 3; k++) {
        size_t more[] = {w[0], w[1], w[2]};
        more[k]++;
        up[k] = ball_node(ball, face, more);
      }
      put_tet(mesh, here, up[0], up[1], up[2]);
      if (w[2] == 0) continue;

      // a triangle of the inner one that points away from the last corner, one of the outer one turned the other way
      for (size_t k = 0; k < 3; k++) {
        size_t one[] = {w[0], w[1], w[2] - 1}, two[] = {w[0] + 1, w[1] + 1, w[2]};
        one[k]++, two[k]--;
        in[k] = ball_node(ball, face, one), out[k] = ball_node(ball, face, two);
      }
      cut_octahedron(mesh, in, out);
      if (w[2] == 1) continue;

      // the inner one's triangles that are turned, below a node of the outer one
      for (size_t k = 0; k < 3; k++) {
        size_t less[] = {w[0] + 1, w[1] + 1, w[2] - 1};
        less[k]--;
        in[k] = ball_node(ball, face, less);
      }
      put_tet(mesh, in[0], in[1], in[2],
              ball_node(ball, face, (const size_t[]){w[0] + 1, w[1] + 1, w[2] - 1}));
    }
}

bool mb_element_mesh_ball(MbElementMesh *mesh, size_t n, double radius) {
  assert(n >= 1);
  const size_t shells = n / 2 + n % 2;
  const double s = (double)shells;
  if (!start(mesh, 1 + 10 * s * (s + 1) * (2 * s + 1) / 6 + 2 * s, 20 * s * s * s, 0)) return false;
  Ball ball;
  make_icosahedron(&ball);
  const size_t tets = mesh->tets;
  mesh->tets = 0;
  for (size_t shell = 1; shell <= shells; shell++)
    for (size_t face = 0; face < 20; face++) {
      for (size_t i = 0; i <= shell; i++)
        for (size_t j = 0; i + j <= shell; j++) {
          const size_t w[] = {i, j, shell - i - j};
          place_node(&ball, face, w, radius * (double)shell / s, mesh->x + 3 * ball_node(&ball, face, w));
        }
      fill_shell(mesh, &ball, face, shell);
    }
  assert(mesh->tets == tets);
  (void)tets;
  return true;
}

// The last shell's nodes are the last ones.
bool mb_element_mesh_sphere(MbElementMesh *mesh, size_t n, double radius) {
  MbElementMesh ball;
  MbMeshSurface surface = {0};
  *mesh = (MbElementMesh){0};
  if (!mb_element_mesh_ball(&ball, n, radius)) return false;
  bool fine = mb_mesh_surface_find(&ball, &surface);
  const size_t nodes = surface.count / 2 + 2, first = ball.nodes - nodes;
  fine = fine && start(mesh, (double)nodes, 0, (double)surface.count);
  for (size_t c = 0; c < 3 * nodes && fine; c++) mesh->x[c] = ball.x[3 * first + c];
  for (size_t c = 0; c < 3 * surface.count && fine; c++)
    mesh->triangle[c] = surface.triangle[c] - (uint32_t)first;
  mb_mesh_surface_free(&surface);
  mb_element_mesh_free(&ball);
  return fine;
}
