// How far numbers and rotations are apart, in the measure of `mbsim diff` (io/compare/compare.h, compare_points.c).

export const same = (a, b) => a === b || (a !== a && b !== b);

// |a − b|; 0 for two NaNs, infinite where only one is NaN.
export function numberError(a, b) {
  if (same(a, b)) return 0;
  return a !== a || b !== b ? Infinity : Math.abs(a - b);
}

const dot = (a, i, b, j) => a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2] + a[i + 3] * b[j + 3];

// −1 where the quaternion in `b` at j stands for the same rotation with its other sign.
export const signOf = (a, i, b, j) => (dot(a, i, b, j) < 0 ? -1 : 1);

// conj(a) b has the vector part of conj(a) d with d = b − a, which keeps its digits however near b is to a.
function rotationAngle(a, i, b, j) {
  const inner = dot(a, i, b, j);
  const sign = inner < 0 ? -1 : 1;
  const d0 = sign * b[j] - a[i], d1 = sign * b[j + 1] - a[i + 1];
  const d2 = sign * b[j + 2] - a[i + 2], d3 = sign * b[j + 3] - a[i + 3];
  const x = a[i] * d1 - d0 * a[i + 1] - (a[i + 2] * d3 - a[i + 3] * d2);
  const y = a[i] * d2 - d0 * a[i + 2] - (a[i + 3] * d1 - a[i + 1] * d3);
  const z = a[i] * d3 - d0 * a[i + 3] - (a[i + 1] * d2 - a[i + 2] * d1);
  return 2 * Math.atan2(Math.sqrt(x * x + y * y + z * z), Math.abs(inner));
}

// Angle of the rotation from the quaternion in `a` at i to ± that in `b` at j, or the difference of their lengths if that is larger.
export function rotationError(a, i, b, j) {
  const sign = signOf(a, i, b, j);
  if (same(a[i], sign * b[j]) && same(a[i + 1], sign * b[j + 1]) && same(a[i + 2], sign * b[j + 2]) && same(a[i + 3], sign * b[j + 3])) return 0;
  const angle = rotationAngle(a, i, b, j);
  const length = Math.abs(Math.sqrt(dot(a, i, a, i)) - Math.sqrt(dot(b, j, b, j)));
  if (angle !== angle || length !== length) return Infinity;
  return angle > length ? angle : length;
}

// What an error of each component of a quaternion up to `bound` can make of the angle.
export function rotationBound(bound) {
  if (!(bound > 0)) return 0;
  return bound < 0.2 ? 2 * Math.asin((2 * bound) / (1 - 2 * bound)) : Math.PI;
}

// An error by the range of its channel.
export function scaled(error, range) {
  if (error === 0) return 0;
  return range > 0 ? error / range : Infinity;
}

const bits = new DataView(new ArrayBuffer(8));

// Doubles in their order as integers; both zeros are 0.
function ordered(x) {
  bits.setFloat64(0, x);
  const i = bits.getBigInt64(0);
  return i < 0n ? -(2n ** 63n) - i : i;
}

export function ulps(a, b) {
  if (a !== a || b !== b) return a !== a && b !== b ? 0 : Infinity;
  const d = ordered(a) - ordered(b);
  return Number(d < 0n ? -d : d);
}
