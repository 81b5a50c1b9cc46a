// Derivatives of a step of the nodes by themselves, by Newton's method, as core/model/pass_slopes.h has them.
#ifndef MB_SOLVERS_PROJECTIVE_PD_SLOPES_H
#define MB_SOLVERS_PROJECTIVE_PD_SLOPES_H

#include "core/model/pass_slopes.h"
#include "core/solvers/projective/pd_engine.h"

// Room for the way back, made when it is first gone.
struct MbPdSlopes {
  double *q, *f;             // (n x 3)
  double *felt, *down, *way; // (nfree x 3) of iterations about cables
};

// Makes the room; false: out of memory.
bool mb_pd_slopes_make(MbPdEngine *engine);
void mb_pd_slopes_free(MbPdEngine *engine);
size_t mb_pd_slopes_bytes(const MbPdEngine *engine);
// What MbPassSlopes.at, back, held, start and elastic do.
bool mb_pd_slopes_at(MbPdEngine *engine, const MbNodeStart *start, const double *q1);
bool mb_pd_slopes_back(MbPdEngine *engine, const double *felt, double *z);
void mb_pd_slopes_held(MbPdEngine *engine, const double *z, double *felt);
void mb_pd_slopes_start(MbPdEngine *engine, const double *z, double *q, double *v);
void mb_pd_slopes_elastic(MbPdEngine *engine, const double *q, const MbNodeLoad *load, double *slope);
// Finds what a spring (or element that is damped) measures at places q, which is what damps it in a step from there.
void mb_pd_slopes_measure(MbPdBlock *block, size_t e, const double *q);

// ---- pd_slopes_loads.c ------------------------------------------------------------------------------------

// Adds −z · R of the wind by places and velocities at the start to q and v.
void mb_pd_slopes_blown(const MbPdEngine *engine, const double *z, double *q, double *v);
// What MbPassSlopes.loads does.
void mb_pd_slopes_loads(const MbPdEngine *engine, const double *z, MbNodeLoadsFelt *felt);

// ---- pd_slopes_value.c ------------------------------------------------------------------------------------

// What MbPassSlopes.value does.
double mb_pd_slopes_value(MbPdEngine *engine, const MbNodeStart *start, const double *q1, const double *z,
                          const bool *part);

#endif
