// Where forces couple bodies and steps solve for them: solvers/coupled.c side by side, each lane for as many iterations as it takes.
// Part of lockstep_kernels.h.
#ifndef MB_SIM_LOCKSTEP_COUPLED_H
#define MB_SIM_LOCKSTEP_COUPLED_H

// F += s B φ over the pairs of bodies
static void add_pairs(const MbLockstep *l, const double *B, Real s, const double *phi, Screw *F) {
  const MbModel *model = l->like;
  for (size_t n = 0; n < 2 * model->npairs; n++) {
    const size_t i = model->pair[n], j = model->pair[n ^ 1];
    F[i] = add_screw(F[i], block_of_twist(B + MB_LANES * 36 * (l->nb + n), s, screw_at(phi, 6 * j)));
  }
}

// −a D − c K of a block and its opposite, symmetrised
static void put_block(MbLockstep *l, size_t n, size_t opposite, Real a, Real c) {
  const double *D = l->D + MB_LANES * 36 * n, *K = l->K + MB_LANES * 36 * n;
  const double *Dt = l->D + MB_LANES * 36 * opposite, *Kt = l->K + MB_LANES * 36 * opposite;
  double *B = l->blocks + MB_LANES * 36 * n;
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) {
      const Real d = (coordinate(D, 6 * i + j) + coordinate(Dt, 6 * j + i)) / 2.0;
      const Real k = (coordinate(K, 6 * i + j) + coordinate(Kt, 6 * j + i)) / 2.0;
      put_coordinate(B, 6 * i + j, -a * d - c * k);
    }
}

static void put_blocks(MbLockstep *l, Real a, Real c) {
  const size_t nb = l->nb;
  for (size_t n = 0; n < 2 * l->like->npairs; n++) put_block(l, nb + n, nb + (n ^ 1), a, c);
  for (size_t b = 0; b < nb; b++) {
    double *B = l->blocks + MB_LANES * 36 * b;
    put_block(l, b, b, a, c);
    for (size_t i = 0; i < 6; i++)
      put_coordinate(B, 7 * i, coordinate(B, 7 * i) + coordinate(l->M, 6 * b + i));
  }
}

typedef struct Coupled {
  MbLockstep *l;
  Real a, c;
  double *x, *b, *r, *z, *s, *As; // (nv)
} Coupled;

// y = A x
static void multiply(const Coupled *p, const double *x, double *y) {
  MbLockstep *l = p->l;
  const Real one = (Real){0} + 1.0;
  Screw *F = twists_of(&l->posture, x);
  for (size_t b = 0; b < l->nb; b++) put_screw(l->f, 6 * b, twist_to_body(&l->posture, b, F[b]));
  for (size_t b = 0; b < l->nb; b++)
    F[b] = block_of_twist(l->blocks + MB_LANES * 36 * b, one, screw_at(l->f, 6 * b));
  add_pairs(l, l->blocks, one, l->f, F);
  for (size_t b = 0; b < l->nb; b++) put_screw(l->f, 6 * b, F[b]);
  posture_gather(&l->posture, l->f, y);
  for (size_t b = 0; b < l->nb; b++)
    for (size_t i = 0; l->like->joint[b].ops && i < l->like->joint[b].n; i++) {
      const size_t k = l->like->v_first[b] + i;
      const Real own = -p->a * coordinate(l->total_damping, k) + -p->c * coordinate(l->total_stiffness, k);
      put_coordinate(y, k, coordinate(y, k) - own * coordinate(x, k));
    }
}

static Real product(const Coupled *p, const double *a, const double *b) {
  Real sum = {0};
  for (size_t i = 0; i < p->l->nv; i++) sum += coordinate(a, i) * coordinate(b, i);
  return sum;
}

// z = P⁻¹ r; rᵀ z
static Real precondition(const Coupled *p, const double *r) {
  memcpy(p->z, r, MB_LANES * p->l->nv * sizeof *r);
  posture_apply(&p->l->posture, p->z);
  return product(p, r, p->z);
}

// r = b − A x
static void residual(const Coupled *p) {
  multiply(p, p->x, p->r);
  for (size_t i = 0; i < p->l->nv; i++) put_coordinate(p->r, i, coordinate(p->b, i) - coordinate(p->r, i));
}

static Real size_of(Real x) { return choose(x < 0.0, -x, x); }

// Of the lanes that go, those that come to `enough`; x of others stays what it is.
static Choice conjugate_gradients(const Coupled *p, Choice goes, Real enough) {
  const size_t n = p->l->nv, most = 10 * n + 100;
  Choice fine = {0};
  residual(p);
  Real rho = precondition(p, p->r);
  memcpy(p->s, p->z, MB_LANES * n * sizeof *p->s);
  for (size_t k = 0; k < most; k++) {
    const Choice there = goes & (size_of(rho) <= enough);
    fine |= there;
    goes &= ~there;
    if (!bits_of(goes)) break;
    multiply(p, p->s, p->As);
    const Real curvature = product(p, p->s, p->As);
    goes &= (rho > 0.0) & (curvature > 0.0);
    const Real alpha = rho / curvature, last = rho;
    for (size_t i = 0; i < n; i++) {
      const Real x = coordinate(p->x, i), r = coordinate(p->r, i);
      put_coordinate(p->x, i, choose(goes, x + alpha * coordinate(p->s, i), x));
      put_coordinate(p->r, i, choose(goes, r - alpha * coordinate(p->As, i), r));
    }
    rho = precondition(p, p->r);
    for (size_t i = 0; i < n; i++)
      put_coordinate(p->s, i, coordinate(p->z, i) + rho / last * coordinate(p->s, i));
  }
  return fine;
}

// v1 ← A⁻¹ v1; the lanes in which it was found.
static unsigned solve_coupled(MbLockstep *l, Real a, Real c) {
  static const double TOLERANCE = 1e-12, SOUND = 1e-8; // as in solvers/coupled.c
  enum { ROUNDS = 4 };
  const size_t size = MB_LANES * l->nv;
  double *v = l->vectors;
  const Coupled p = {.l = l,
                     .a = a,
                     .c = c,
                     .x = l->v1,
                     .b = v,
                     .r = v + size,
                     .z = v + 2 * size,
                     .s = v + 3 * size,
                     .As = v + 4 * size};
  put_blocks(l, a, c);
  memcpy(p.b, p.x, size * sizeof *p.b);
  memset(p.x, 0, size * sizeof *p.x);
  const Real whole = precondition(&p, p.b), enough = TOLERANCE * TOLERANCE * whole;
  Choice fine = whole == 0.0, goes = whole > 0.0;
  for (int round = 0; round < ROUNDS && bits_of(goes); round++) {
    goes = conjugate_gradients(&p, goes, enough);
    residual(&p);
    const Choice there = goes & (precondition(&p, p.r) <= enough);
    fine |= there;
    goes &= ~there;
  }
  if (bits_of(goes)) fine |= goes & (precondition(&p, p.r) <= SOUND * SOUND * whole);
  return bits_of(fine);
}

#endif
