// Columns of W, as a problem of contacts tells them, beside what A⁻¹ makes of a push along a row.
#ifndef MB_TESTS_COLUMNS_H
#define MB_TESTS_COLUMNS_H

#include "core/contact/contact_ops.h"
#include "core/sim/constrain_internal.h"

// The largest difference in column i of a problem that is being solved; *own: W_ii.
double test_column_off(MbSim *sim, const MbContactProblem *problem, size_t i, double *own);

// The largest of those of every 37th column, each over W_ii.
double test_columns_off(MbSim *sim, const MbContactProblem *problem);

#endif
