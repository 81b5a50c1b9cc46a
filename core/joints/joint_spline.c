// Spline joints on uniform cubic B-splines (RM 2.4.12, 2.4.13; Lee and Terzopoulos 2008). q counts segments.
//
// Curve: control frames C_k, ΔC_k = log(C_{k−1}⁻¹ C_k), cumulative basis B̃: on a segment that starts at frame
// s,
//   Q = C_s exp(ΔC_{s+1} B̃₂(u)) exp(ΔC_{s+2} B̃₃(u)) exp(ΔC_{s+3} B̃₄(u)).
// An open curve of m frames has m − 3 segments; a closed one has m, its frames going round.
//
// Surface: six m x n arrays of control values, f_k(q) = Σ_ij B_i(u₁) C_k,ij B_j(u₂), q₁ along the rows,
//   Q = Π exp(e_k f_k),  e_k = translations along x, y, z, then rotations about x, y, z.
#include "core/base/report.h"
#include "core/joints/joints.h"

void mb_spline_basis(double u, double B[4], double B1[4], double B2[4]) {
  const double w = 1 - u;
  B[0] = w * w * w / 6, B[1] = (4 - 6 * u * u + 3 * u * u * u) / 6;
  B[2] = (1 + 3 * u + 3 * u * u - 3 * u * u * u) / 6, B[3] = u * u * u / 6;
  B1[0] = -w * w / 2, B1[1] = (-4 * u + 3 * u * u) / 2, B1[2] = (1 + 2 * u - 3 * u * u) / 2,
  B1[3] = u * u / 2;
  B2[0] = w, B2[1] = -2 + 3 * u, B2[2] = 1 - 3 * u, B2[3] = u;
}

size_t mb_spline_segment(double q, size_t count, bool closed, double *u) {
  const double whole = floor(q), n = (double)count;
  if (closed) {
    const double round = whole - n * floor(whole / n);
    *u = q - whole;
    return round < n ? (size_t)round : 0;
  }
  const double segment = !(whole > 0) ? 0 : whole > n - 1 ? n - 1 : whole; // 0 for what is not a number
  *u = q - segment;
  return (size_t)segment;
}

static void curve(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                  double *Sdot) {
  const MbSpline *spline = joint->spline;
  const size_t m = spline->rows;
  double u, B[4], B1[4], B2[4];
  const size_t s = mb_spline_segment(q[0], spline->closed ? m : m - 3, spline->closed, &u);
  mb_spline_basis(u, B, B1, B2);
  MbProduct product;
  mb_product_begin(&product, 1, v, Q, S, Sdot);
  *Q = spline->frame[s];
  for (int k = 1; k < 4; k++) {
    double f = 0, g = 0, gdot = 0; // cumulative: B̃_k = Σ_{j ≥ k} B_j
    for (int j = k; j < 4; j++) f += B[j], g += B1[j], gdot += B2[j] * v[0];
    mb_product_factor(&product, spline->step + 6 * ((s + (size_t)k) % m), f, &g, &gdot);
  }
}

static void surface(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                    double *Sdot) {
  static const double unit[6][6] = {{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1},
                                    {1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}};
  const size_t m = joint->spline->rows, n = joint->spline->columns;
  double u[2], B[2][4], B1[2][4], B2[2][4];
  const size_t r = mb_spline_segment(q[0], m - 3, false, &u[0]),
               c = mb_spline_segment(q[1], n - 3, false, &u[1]);
  for (int i = 0; i < 2; i++) mb_spline_basis(u[i], B[i], B1[i], B2[i]);
  MbProduct product;
  mb_product_begin(&product, 2, v, Q, S, Sdot);
  for (size_t k = 0; k < 6; k++) {
    double f = 0, g[2] = {0}, h[3] = {0}; // f, its gradient, and ∂²f/∂q₁², ∂q₁∂q₂, ∂q₂²
    for (size_t i = 0; i < 4; i++)
      for (size_t j = 0; j < 4; j++) {
        const double C = joint->spline->control[(k * m + r + i) * n + c + j];
        f += B[0][i] * C * B[1][j];
        g[0] += B1[0][i] * C * B[1][j], g[1] += B[0][i] * C * B1[1][j];
        h[0] += B2[0][i] * C * B[1][j], h[1] += B1[0][i] * C * B1[1][j], h[2] += B[0][i] * C * B2[1][j];
      }
    const double gdot[2] = {h[0] * v[0] + h[1] * v[1], h[1] * v[0] + h[2] * v[1]};
    mb_product_factor(&product, unit[k], f, g, gdot);
  }
}

// Control frames, and the steps log(C_{k−1}⁻¹ C_k) from one to the next, going round.
static MbStatus build_curve(const MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint) {
  const size_t m = spec->nframes;
  if (m < 4)
    return mb_error(at->report, MB_SCENE, at->where, "a spline curve needs at least 4 \"frames\", not %zu",
                    m);
  MbSpline *spline = mb_arena_alloc(at->arena, 1, sizeof *spline);
  MbPose *frame = mb_arena_alloc(at->arena, m, sizeof *frame);
  double *step = mb_arena_alloc(at->arena, m, 6 * sizeof *step);
  if (!spline || !frame || !step) return mb_no_memory(at->report, "joints");
  for (size_t k = 0; k < m; k++) mb_joint_frame(&spec->frames[k], &frame[k]);
  for (size_t k = 0; k < m; k++) {
    MbPose inverse, D;
    mb_pose_inverse(&inverse, &frame[(k + m - 1) % m]);
    mb_pose_mul(&D, &inverse, &frame[k]);
    mb_se3_log(step + 6 * k, &D);
  }
  *spline = (MbSpline){.rows = m, .closed = spec->closed, .frame = frame, .step = step};
  joint->spline = spline;
  return MB_OK;
}

static MbStatus build_surface(const MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint) {
  const MbSurfaceSpec none = {0}, *from = spec->surface ? spec->surface : &none;
  const size_t m = from->rows, n = from->columns;
  if (m < 4 || n < 4)
    return mb_error(at->report, MB_SCENE, at->where,
                    "a spline surface needs at least 4 x 4 \"control\" values, not %zu x %zu", m, n);
  MbSpline *spline = mb_arena_alloc(at->arena, 1, sizeof *spline);
  double *control = mb_arena_alloc(at->arena, 6 * m * n, sizeof *control);
  if (!spline || !control) return mb_no_memory(at->report, "joints");
  for (size_t k = 0; k < 6; k++) memcpy(control + k * m * n, from->control[k], m * n * sizeof *control);
  *spline = (MbSpline){.rows = m, .columns = n, .control = control};
  joint->spline = spline;
  return MB_OK;
}

extern const MbJointOps mb_joint_spline_curve, mb_joint_spline_surface;
const MbJointOps mb_joint_spline_curve = {
    .name = "spline_curve", .n = 1, .build = build_curve, .eval = curve};
const MbJointOps mb_joint_spline_surface = {
    .name = "spline_surface", .n = 2, .build = build_surface, .eval = surface};
