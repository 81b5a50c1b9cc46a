// What a quasi-Newton method has learnt of a matrix H = ∂²E from its last steps: pairs of moves s and of changes y of the gradient, H s = y
// (pairs.c). It corrects an inverse A⁻¹ that somebody else applies.
#ifndef MB_SOLVERS_PROJECTIVE_PAIRS_H
#define MB_SOLVERS_PROJECTIVE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

enum { MB_PAIRS = 5, MB_PAIR_WEIGHTS = 2 * MB_PAIRS };

typedef struct MbPairs {
  size_t n;                          // numbers of a vector
  size_t count, next;                // pairs that there are; which one is written next
  double *s[MB_PAIRS], *z[MB_PAIRS]; // (n) of each; z = A⁻¹ y
  double sy[MB_PAIRS][MB_PAIRS];     // s_i · y_j
  double yz[MB_PAIRS][MB_PAIRS];     // y_i · A⁻¹ y_j
  double N[MB_PAIR_WEIGHTS]
          [MB_PAIR_WEIGHTS]; // see pairs.c; rows 2 k and 2 k + 1 are those of s and z of pair k
  size_t chunks;
  double *sum; // (chunks x 2 MB_PAIR_WEIGHTS)
} MbPairs;

// Makes room for vectors of n numbers. False: out of memory.
bool mb_pairs_make(MbPairs *pairs, size_t n);
void mb_pairs_free(MbPairs *pairs);
size_t mb_pairs_bytes(const MbPairs *pairs);

// Forgets all pairs.
void mb_pairs_begin(MbPairs *pairs);
// Tells whether pair k is there.
bool mb_pairs_has(const MbPairs *pairs, size_t k);
// Takes the pair of which s and z stand in s[next] and z[next], in the place of the oldest where there are all, if E curves up along s.
// Tells whether it has.
bool mb_pairs_take(MbPairs *pairs, const double *y, int threads);
// The same by the products c of y with all s and z, s[next] and z[next] among them, of vectors that stand elsewhere.
bool mb_pairs_note(MbPairs *pairs, const double c[MB_PAIR_WEIGHTS]);

// Writes c = Uᵀ b, weights that begin as the products of b with all s and z; x += U N c is then what the pairs add to A⁻¹ b.
void mb_pairs_look(const MbPairs *pairs, const double *b, int threads, double c[MB_PAIR_WEIGHTS]);
// Writes w = N c.
void mb_pairs_weigh(const MbPairs *pairs, const double c[MB_PAIR_WEIGHTS], double w[MB_PAIR_WEIGHTS]);
// Adds U w to x, both of them from number `first` on, `count` numbers.
void mb_pairs_add(const MbPairs *pairs, const double w[MB_PAIR_WEIGHTS], size_t first, size_t count,
                  int threads, double *x);

#endif
