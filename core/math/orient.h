// On which side of a plane a point is, without rounding.
#ifndef MB_MATH_ORIENT_H
#define MB_MATH_ORIENT_H

// (b − a) × (c − a) · (d − a): above 0 where d is on the side from which a, b, c turn counterclockwise. The sign is exact as long as products of
// three lengths do not leave the range of doubles, and 0 means 0; the value is good to rounding.
double mb_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
