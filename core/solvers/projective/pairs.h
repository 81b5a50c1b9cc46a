// What a quasi-Newton method has learnt of a matrix H = ∂²E from its last steps: pairs of moves s and of changes y of the gradient, H s = y
// (pairs.c). It corrects an inverse A⁻¹ that somebody else applies.
#ifndef MB_SOLVERS_PROJECTIVE_PAIRS_H
#define MB_SOLVERS_PROJECTIVE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

enum { MB_PAIRS = 5, MB_PAIR_WEIGHTS = 2 * MB_PAIRS, MB_PAIR_SUMS = MB_PAIR_WEIGHTS + 2 };

typedef struct MbPairs {
  size_t n;                          // numbers of a vector
  size_t count, next;                // pairs that there are; which one is written next
  double *s[MB_PAIRS], *z[MB_PAIRS]; // (n) of each; z = A⁻¹ y
  double sy[MB_PAIRS][MB_PAIRS];     // s_i · y_j
  double yz[MB_PAIRS][MB_PAIRS];     // y_i · A⁻¹ y_j
  double N[MB_PAIR_WEIGHTS]
          [MB_PAIR_WEIGHTS];    // see pairs.c; rows 2 k and 2 k + 1 are those of s and z of pair k
  double seen[MB_PAIR_WEIGHTS]; // products of s and z with the last b that was given
  size_t chunks;
  double *sum; // (chunks x 2 MB_PAIR_WEIGHTS)
} MbPairs;

// Makes room for vectors of n numbers. False: out of memory.
bool mb_pairs_make(MbPairs *pairs, size_t n);
void mb_pairs_free(MbPairs *pairs);
size_t mb_pairs_bytes(const MbPairs *pairs);

// Makes room for longer ones; what stood in them is lost. False: out of memory.
bool mb_pairs_room(MbPairs *pairs, size_t n);

// Forgets all pairs.
void mb_pairs_begin(MbPairs *pairs);
// Tells whether pair k is there.
bool mb_pairs_has(const MbPairs *pairs, size_t k);
// Writes c = Uᵀ b, weights that begin as the products of b with all s and z; x += U N c is then what the pairs add to A⁻¹ b.
void mb_pairs_look(MbPairs *pairs, const double *b, int threads, double c[MB_PAIR_WEIGHTS]);
// Takes the pair of which s stands in s[next], y = b0 − b and z = z0 − z1, in the place of the oldest where there are all, if E curves up
// along s; b0 is what was looked at last. Then it looks at b, writes c as above, and copies z1 to z0: all in one pass over the vectors.
// Tells whether it has taken the pair.
bool mb_pairs_take(MbPairs *pairs, const double *b0, const double *b, double *z0, const double *z1,
                   int threads, double c[MB_PAIR_WEIGHTS]);
// The same two where the vectors stand elsewhere: what has been looked at, and a pair by the products of b with all s and z, those of
// s[next] and z[next] among them, and behind them s[next] · y and z[next] · y.
void mb_pairs_see(MbPairs *pairs, const double c[MB_PAIR_WEIGHTS]);
bool mb_pairs_note(MbPairs *pairs, const double sums[MB_PAIR_SUMS], double c[MB_PAIR_WEIGHTS]);
// Writes w = N c.
void mb_pairs_weigh(const MbPairs *pairs, const double c[MB_PAIR_WEIGHTS], double w[MB_PAIR_WEIGHTS]);
// Adds U w to x, both of them from number `first` on, `count` numbers.
void mb_pairs_add(const MbPairs *pairs, const double w[MB_PAIR_WEIGHTS], size_t first, size_t count,
                  int threads, double *x);

#endif
