// Friction inside a joint (RM 2.11): surfaces touch at places fixed in the joint, and what the joint transmits presses them on one
// another. With a the forces along the places' normals, which come apart from no side, so that they have any sign,
//
//   Nᵀ a = w,  |a| least,       w the joint's wrench without friction, N the normals as wrenches (rows)
//   |β| ≤ μ Σ |a| of its place  along each tangent
//
//   pin, shaft (revolute, universal's two, screw)  4 directions x 2 ends of a cylinder; normals along the radius and the axis; one
//                tangent, around the axis; of a screw along the thread, the second normal across it
//   cylindrical  the same places; the normal along the radius; tangents around and along the axis
//   spherical    6 places on the axes at the radius; the normal along the radius; two tangents
//   prismatic    8 corners of a box; two normals across the axis; one tangent along it
//
// The reference has (N M⁻¹ Nᵀ + ε) a = N M⁻¹ f for small ε, which for f = Nᵀ a comes to the same least a.
// Places that rub along the same motion are one row of the problem, with the sum of their bounds: { Σ s β : |β| ≤ b } = [−Σ b, Σ b]. Below
// its bound a row's λ is shared by the places as their loads are; at the bound that is each place's own bound.
//
// Rows act on the two bodies by wrenches: on the first λ times a screw at the rubbing frame, on the second the opposite.
#include "core/constraints/joint_friction.h"
#include "core/math/dense6.h"
#include "core/math/spatial.h"

#include <string.h>

// ---- the frame --------------------------------------------------------------------------------------------

static void frame_of(const MbConstraint *constraint, int end, const MbMaximal *x, MbPose *E) {
  MbPose F;
  mb_vec3_copy(F.p, constraint->at[end]);
  mb_quat_from_mat3(F.q, constraint->R[end]);
  *E = F;
  if (constraint->body[end] != MB_WORLD) mb_pose_mul(E, &x->E[constraint->body[end]], &F);
}

// That of the first body; of a universal joint that of its cross: x of the second one's, y of the first one's.
void mb_joint_friction_frame(const MbConstraint *constraint, const MbMaximal *x, MbPose *E) {
  const MbJointFriction *own = constraint->parameters;
  frame_of(constraint, 0, x, E);
  if (own->joint != MB_JOINT_UNIVERSAL) return;
  MbPose other;
  double axis[3][3], R[9];
  const double ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0};
  frame_of(constraint, 1, x, &other);
  mb_quat_rotate(axis[0], other.q, ex);
  mb_quat_rotate(axis[1], E->q, ey);
  mb_vec3_cross(axis[2], axis[0], axis[1]);
  mb_vec3_scale(axis[2], 1 / mb_vec3_norm(axis[2]), axis[2]);
  mb_vec3_cross(axis[1], axis[2], axis[0]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) R[3 * i + k] = axis[k][i];
  mb_quat_from_mat3(E->q, R);
}

// The first joint's frame in the second's.
static void seen_from_second(const MbConstraint *constraint, const MbMaximal *x, MbPose *X) {
  MbPose first, second, inverse;
  frame_of(constraint, 0, x, &first);
  frame_of(constraint, 1, x, &second);
  mb_pose_inverse(&inverse, &second);
  mb_pose_mul(X, &inverse, &first);
}

// In axes of the first frame, where it was, the move is exp(θ) and p. Each row's screw is a turn about one axis of the rubbing frame, or a
// slide along one.
void mb_joint_friction_moves(const MbConstraint *constraint, const MbMaximal *from, const MbMaximal *to,
                             double s[MB_RUB_ROWS]) {
  const MbJointFriction *own = constraint->parameters;
  MbPose before, after, back, move, first, E;
  double xi[6], world[3];
  seen_from_second(constraint, from, &before);
  seen_from_second(constraint, to, &after);
  mb_pose_inverse(&back, &before);
  mb_pose_mul(&move, &back, &after);
  mb_quat_log(xi, move.q);
  mb_vec3_copy(xi + 3, move.p);
  frame_of(constraint, 0, from, &first);
  mb_joint_friction_frame(constraint, from, &E);
  for (int k = 0; k < 6; k += 3) {
    mb_quat_rotate(world, first.q, xi + k);
    mb_quat_unrotate(xi + k, E.q, world);
  }
  for (int row = 0; row < own->rows; row++) {
    s[row] = 0;
    for (int k = 0; k < 6; k++) s[row] += own->screw[row][k] * xi[k];
  }
}

// s times the screw at E, in C axes of a body
static void push(MbRow *row, int end, size_t body, const MbMaximal *x, const MbPose *E, const double screw[6],
                 double s) {
  row->body[end] = body;
  if (body == MB_WORLD) return;
  double *H = row->H[end];
  mb_wrench_move(H, E, screw, &x->E[body]);
  for (int k = 0; k < 6; k++) H[k] *= s;
}

// How much each row may push is known with its loads, which the step has (sim/dry.c).
static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbJointFriction *own = constraint->parameters;
  MbPose E;
  mb_joint_friction_frame(constraint, at->x, &E);
  for (size_t k = 0; k < constraint->rows; k++) {
    push(&rows[k], 0, constraint->body[0], at->x, &E, own->screw[k], 1);
    push(&rows[k], 1, constraint->body[1], at->x, &E, own->screw[k], -1);
    rows[k].order = 1;
    rows[k].angle = mb_vec3_norm(own->screw[k]) > 0;
    rows[k].size = 1;
  }
}

// ---- what rubs --------------------------------------------------------------------------------------------

typedef struct Surface {
  MbJointFriction *own;
  double normal[MB_RUB_PLACES][2][6]; // as wrenches
  double motion[MB_RUB_ROWS]
               [6]; // the twist by which the places of each row slide, against which no normal does any work
} Surface;

static void wrench_at(double w[6], const double p[3], const double force[3]) {
  mb_vec3_cross(w, p, force);
  mb_vec3_copy(w + 3, force);
}

static int add_place(Surface *s, const double p[3], const double n0[3], const double n1[3]) {
  const int place = s->own->places++;
  wrench_at(s->normal[place][0], p, n0);
  if (n1) wrench_at(s->normal[place][1], p, n1);
  return place;
}

static void add_tangent(Surface *s, int place, int row, const double p[3], const double t[3]) {
  MbRubTangent *tangent = &s->own->tangent[s->own->tangents++];
  const double *screw = s->own->screw[row];
  double rate = 0, size = 0; // the place's speed along the tangent for the motion that the row sees
  wrench_at(tangent->wrench, p, t);
  tangent->place = place, tangent->row = row;
  // the screw of a unit of λ and the motion that it sees are each other's: a turn's torque, a slide's force; of a screw both
  for (int k = 0; k < 6; k++) rate += screw[k] * tangent->wrench[k], size += screw[k] * screw[k];
  rate /= size;
  tangent->lever = fabs(rate);
  tangent->sign = rate < 0 ? -1 : 1;
}

// Unit axes: around, a and b across
static void make_pin(Surface *s, const MbJointFrictionSpec *spec, const int axes[3], double lead, int row) {
  const double r = spec->radius, tall = hypot(r, lead);
  double z[3] = {0};
  z[axes[2]] = 1;
  s->own->screw[row][axes[2]] = s->motion[row][axes[2]] = 1, s->motion[row][3 + axes[2]] = lead;
  for (int end = -1; end <= 1; end += 2)
    for (int k = 0; k < 4; k++) {
      double out[3] = {0}, p[3], around[3], along[3], across[3];
      out[axes[k % 2]] = k < 2 ? 1 : -1;
      mb_vec3_scale(p, r, out);
      mb_vec3_add_scaled(p, p, end * spec->length / 2, z);
      mb_vec3_cross(around, z, out);
      for (int i = 0; i < 3; i++) {
        along[i] = (r * around[i] + lead * z[i]) / tall;
        across[i] = (r * z[i] - lead * around[i]) / tall;
      }
      const int place = add_place(s, p, out, across);
      add_tangent(s, place, row, p, along);
      MbRubTangent *tangent = &s->own->tangent[s->own->tangents - 1];
      tangent->lever = tall, tangent->sign = 1; // on a thread the place goes along it
    }
}

static void make_shaft(Surface *s, const MbJointFrictionSpec *spec) {
  s->own->screw[0][2] = s->own->screw[1][5] = s->motion[0][2] = s->motion[1][5] = 1;
  for (int end = -1; end <= 1; end += 2)
    for (int k = 0; k < 4; k++) {
      const double z[3] = {0, 0, 1};
      double out[3] = {0}, p[3], around[3];
      out[k % 2] = k < 2 ? 1 : -1;
      mb_vec3_scale(p, spec->radius, out);
      mb_vec3_add_scaled(p, p, end * spec->length / 2, z);
      mb_vec3_cross(around, z, out);
      const int place = add_place(s, p, out, NULL);
      add_tangent(s, place, 0, p, around);
      add_tangent(s, place, 1, p, z);
    }
}

static void make_ball(Surface *s, const MbJointFrictionSpec *spec) {
  for (int k = 0; k < 3; k++) s->own->screw[k][k] = s->motion[k][k] = 1;
  for (int k = 0; k < 6; k++) {
    double out[3] = {0}, p[3];
    out[k / 2] = k % 2 ? -1 : 1;
    mb_vec3_scale(p, spec->radius, out);
    const int place = add_place(s, p, out, NULL);
    for (int j = 1; j < 3; j++) {
      // a turn about one of the other two axes moves the place along the third
      const int about = (k / 2 + j) % 3, along = 3 - k / 2 - about;
      double t[3] = {0};
      t[along] = 1;
      add_tangent(s, place, about, p, t);
    }
  }
}

// Corners of a box, with its size across as x and y of the rubbing frame.
static void make_slide(Surface *s, const double size[3]) {
  const double z[3] = {0, 0, 1};
  s->own->screw[0][5] = s->motion[0][5] = 1;
  for (int k = 0; k < 8; k++) {
    const double sign[3] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
    const double p[3] = {sign[0] * size[0] / 2, sign[1] * size[1] / 2, sign[2] * size[2] / 2};
    const double n0[3] = {-sign[0], 0, 0}, n1[3] = {0, -sign[1], 0};
    add_tangent(s, add_place(s, p, n0, n1), 0, p, z);
  }
}

// The box's size along the rubbing frame's axes, of which z is the joint's axis, itself one of x, y, z of the joint's frame.
static void turn_size(const double given[3], const double axis[3], double size[3]) {
  const int k = fabs(axis[0]) > 0.5 ? 0 : fabs(axis[1]) > 0.5 ? 1 : 2;
  size[2] = given[k];
  size[0] = k == 0 ? given[2] : given[0];
  size[1] = k == 1 ? given[2] : given[1];
}

// A += the joint's motions, by the size of A: its inverse is that of A on what normals push, and there is nothing else of it in them.
static void add_motions(const Surface *s, int row, int rows, double reach, double A[36]) {
  double trace = 0;
  for (int a = 0; a < 6; a++) trace += A[7 * a];
  for (int i = row; i < row + rows; i++) {
    double m[6], size = 0;
    for (int a = 0; a < 6; a++) m[a] = s->motion[i][a] * (a < 3 ? reach : 1), size += m[a] * m[a];
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++) A[6 * a + b] += trace * m[a] * m[b] / size;
  }
}

// load ← N (NᵀN)⁺ of the places that rub in those rows.
static void find_loads(Surface *s, int first, int count, int row, int rows, double reach) {
  double A[36] = {0}, L[36];
  const double unit[6] = {1 / reach, 1 / reach, 1 / reach, 1, 1, 1}; // torques as forces at the surface
  for (int i = first; i < first + count; i++)
    for (int k = 0; k < 2; k++)
      for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
          A[6 * a + b] += s->normal[i][k][a] * unit[a] * s->normal[i][k][b] * unit[b];
  add_motions(s, row, rows, reach, A);
  memcpy(L, A, sizeof L);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      double sum = L[6 * i + j];
      for (int k = 0; k < j; k++) sum -= L[6 * i + k] * L[6 * j + k];
      L[6 * i + j] = i == j ? sqrt(sum) : sum / L[7 * j];
    }
  for (int i = first; i < first + count; i++)
    for (int k = 0; k < 2; k++) {
      double *x = s->own->load[i][k];
      for (int a = 0; a < 6; a++) x[a] = s->normal[i][k][a] * unit[a];
      for (int a = 0; a < 6; a++) {
        for (int b = 0; b < a; b++) x[a] -= L[6 * a + b] * x[b];
        x[a] /= L[7 * a];
      }
      for (int a = 6; a-- > 0;) {
        for (int b = a + 1; b < 6; b++) x[a] -= L[6 * b + a] * x[b];
        x[a] /= L[7 * a];
      }
      for (int a = 0; a < 6; a++) x[a] *= unit[a];
    }
}

bool mb_joint_friction_make(const MbJointFrictionSpec *spec, MbJointKind joint, double lead,
                            const double axis[3], MbJointFriction *own) {
  static const int about_z[3] = {0, 1, 2}, about_x[3] = {1, 2, 0}, about_y[3] = {2, 0, 1};
  double size[3];
  *own = (MbJointFriction){.coefficient = spec->coefficient,
                           .tolerance = spec->tolerance,
                           .passes = spec->passes,
                           .joint = (int)joint};
  Surface s = {.own = own};
  switch (joint) {
  case MB_JOINT_REVOLUTE:
  case MB_JOINT_SCREW:
    make_pin(&s, spec, about_z, joint == MB_JOINT_SCREW ? lead : 0, 0);
    own->rows = 1;
    break;
  case MB_JOINT_UNIVERSAL:
    make_pin(&s, spec, about_x, 0, 0);
    make_pin(&s, spec, about_y, 0, 1);
    own->rows = 2;
    break;
  case MB_JOINT_CYLINDRICAL:
    make_shaft(&s, spec);
    own->rows = 2;
    break;
  case MB_JOINT_SPHERICAL:
  case MB_JOINT_EULER:
    make_ball(&s, spec);
    own->rows = 3;
    break;
  case MB_JOINT_PRISMATIC:
    turn_size(spec->size, axis, size);
    make_slide(&s, size);
    own->rows = 1;
    break;
  default:
    return false;
  }
  const double reach = joint == MB_JOINT_PRISMATIC ? mb_vec3_norm(spec->size) / 2 : spec->radius;
  if (joint == MB_JOINT_UNIVERSAL) { // each of its pins takes all of the wrench
    find_loads(&s, 0, 8, 0, 1, reach);
    find_loads(&s, 8, 8, 1, 1, reach);
  } else {
    find_loads(&s, 0, own->places, 0, own->rows, reach);
  }
  return true;
}

// ---- loads ------------------------------------------------------------------------------------------------

double mb_joint_friction_levers(const MbJointFriction *own, int row, const double *load) {
  double sum = 0;
  for (int i = 0; i < own->tangents; i++)
    if (own->tangent[i].row == row) sum += own->tangent[i].lever * load[own->tangent[i].place];
  return sum;
}

double mb_joint_friction_most(const MbJointFriction *own, int row, const double *load) {
  return own->coefficient * mb_joint_friction_levers(own, row, load);
}

static double force_of(const double load[6], const double w[6]) {
  double a = 0;
  for (int j = 0; j < 6; j++) a += load[j] * w[j];
  return a;
}

static int side_of(double force, double largest) {
  static const double ROUNDING = 1e-9; // what loads are found to
  return fabs(force) <= ROUNDING * largest ? 0 : force > 0 ? 1 : -1;
}

// Of a universal joint each pin carries all that the joint does, the other one's friction too, but for its own.
void mb_joint_friction_forces(const MbJointFriction *own, const double w[6], const double *lambda,
                              const double *load, double (*force)[2]) {
  const int parts = mb_joint_friction_parts(own), size = own->places / parts;
  double pressed[2][6], sum[MB_RUB_ROWS];
  for (int row = 0; row < own->rows; row++) sum[row] = mb_joint_friction_levers(own, row, load);
  for (int part = 0; part < parts; part++) memcpy(pressed[part], w, sizeof pressed[part]);
  for (int i = 0; i < own->tangents; i++) {
    const MbRubTangent *t = &own->tangent[i];
    if (!(sum[t->row] > 0)) continue;
    const double beta = t->sign * lambda[t->row] * load[t->place] / sum[t->row];
    for (int k = 0; k < 6; k++) pressed[t->place / size][k] -= beta * t->wrench[k];
  }
  for (int i = 0; i < own->places; i++)
    for (int k = 0; k < 2; k++) force[i][k] = force_of(own->load[i][k], pressed[i / size]);
}

void mb_joint_friction_loads(const MbJointFriction *own, const double w[6], const double *lambda,
                             double *load, int (*side)[2]) {
  double force[MB_RUB_PLACES][2], largest = 0;
  mb_joint_friction_forces(own, w, lambda, load, force);
  for (int i = 0; i < own->places; i++) {
    load[i] = fabs(force[i][0]) + fabs(force[i][1]);
    largest = fmax(largest, load[i]);
  }
  for (int i = 0; i < own->places; i++)
    for (int k = 0; k < 2; k++) side[i][k] = side_of(force[i][k], largest);
}

const MbConstraintOps mb_joint_friction_ops = {
    .name = "friction", .parameters = sizeof(MbJointFriction), .rows = MB_RUB_ROWS, .eval = eval};
