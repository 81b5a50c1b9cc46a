#include "core/base/sort.h"

static void swap(uint32_t *x, uint32_t *y) {
  const uint32_t was = *x;
  *x = *y, *y = was;
}

// Lets number i sink to where nothing below it follows it.
static void sift(uint32_t *number, size_t i, size_t n, MbFollows *follows, const void *context) {
  for (size_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && follows(context, number[child + 1], number[child])) child++;
    if (!follows(context, number[child], number[i])) return;
    swap(&number[i], &number[child]);
  }
}

// Heap sort; what is in order is seen first.
void mb_sort_numbers(uint32_t *number, size_t n, MbFollows *follows, const void *context) {
  bool sorted = true;
  for (size_t i = 0; i < n; i++) number[i] = (uint32_t)i;
  for (size_t i = 1; i < n && sorted; i++) sorted = follows(context, number[i], number[i - 1]);
  if (sorted) return;
  for (size_t i = n / 2; i-- > 0;) sift(number, i, n, follows, context);
  while (n-- > 1) {
    swap(&number[0], &number[n]);
    sift(number, 0, n, follows, context);
  }
}
