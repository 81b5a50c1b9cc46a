#include "tests/ways.h"

size_t test_ways(const MbModel *model, int deformable, TestWay *ways, size_t most) {
  const MbDeformable *of = &model->deformables[deformable];
  size_t n = 0;
  for (size_t b = of->first; b < of->first + of->count; b++)
    for (size_t k = model->parent[b] == MB_WORLD ? 3 : 0; k < 6; k++) {
      cr_assert_lt(n, most);
      ways[n++] = (TestWay){b, k};
    }
  return n;
}

void test_ways_blocks(const MbModel *model, const double *blocks, const TestWay *ways, size_t n,
                      double *out) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const size_t a = ways[i].body, b = ways[j].body;
      size_t at = a == b ? 36 * a : MB_WORLD;
      for (size_t k = 0; k < model->npairs; k++) {
        if (model->pair[2 * k] == a && model->pair[2 * k + 1] == b) at = 36 * (model->nb + 2 * k);
        if (model->pair[2 * k] == b && model->pair[2 * k + 1] == a) at = 36 * (model->nb + 2 * k + 1);
      }
      out[n * i + j] = at == MB_WORLD ? 0 : blocks[at + 6 * ways[i].axis + ways[j].axis];
    }
}

const MbForce *test_elements_of(const MbModel *model, int deformable) {
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].elements && model->forces[i].elements->of == model->deformables[deformable].elements)
      return &model->forces[i];
  cr_assert_fail("there is no such force");
  return NULL;
}
