// Poses predicted from velocities (io/README.md, "Poses from velocities"), operation for operation.

const ROUND = 1.5 * 2 ** 52;
const FAR = 2 ** 48;

// The integer nearest to y, ties to even; 0 where y is too large or no number.
export function near(y) {
  return Math.abs(y) <= FAR ? y + ROUND - ROUND + 0 : 0;
}

// Adds the prediction to the residuals q[at .. at + cols) of one row. `v` are the rows of the block's velocities, `r` the row, `k` 1 or 2.
export function movePositions(q, v, r, k, cols, h, gain) {
  const at = r * cols;
  if (k === 1) {
    const s = h / 2 / gain;
    for (let j = 0; j < cols; j++) q[at + j] += q[at - cols + j] + near(s * (v[at + j] + v[at - cols + j]));
    return;
  }
  const s = h / 6 / gain;
  for (let j = 0; j < cols; j++)
    q[at + j] +=
      q[at - 2 * cols + j] + near(s * (v[at + j] + v[at - 2 * cols + j] + 4 * v[at - cols + j]));
}

const u = new Float64Array(3);

// Half the rotation vector of the way from row r − k to row r, into u; `W` are angular velocities, three an item.
function halfTurn(W, now, before, middle, k, h) {
  const ax = W[now], ay = W[now + 1], az = W[now + 2];
  const cx = W[before], cy = W[before + 1], cz = W[before + 2];
  const turn = (h * h) / 24;
  if (k === 1) {
    const s = h / 4;
    u[0] = s * (ax + cx) + turn * (ay * cz - az * cy);
    u[1] = s * (ay + cy) + turn * (az * cx - ax * cz);
    u[2] = s * (az + cz) + turn * (ax * cy - ay * cx);
    return;
  }
  const s = h / 12;
  u[0] = s * (ax + cx + 4 * W[middle]) + turn * (ay * cz - az * cy);
  u[1] = s * (ay + cy + 4 * W[middle + 1]) + turn * (az * cx - ax * cz);
  u[2] = s * (az + cz + 4 * W[middle + 2]) + turn * (ax * cy - ay * cx);
}

const p = new Float64Array(4);

// The quaternion gain · q[from ..] turned by u, into p.
function turned(q, from, gain) {
  const s = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const c = 1 - s * (1 / 2) * (1 - s * (1 / 12) * (1 - s * (1 / 30) * (1 - s * (1 / 56))));
  const f = 1 - s * (1 / 6) * (1 - s * (1 / 20) * (1 - s * (1 / 42) * (1 - s * (1 / 72))));
  const x = f * u[0], y = f * u[1], z = f * u[2];
  const q0 = gain * q[from], q1 = gain * q[from + 1], q2 = gain * q[from + 2], q3 = gain * q[from + 3];
  p[0] = c * q0 - (x * q1 + y * q2 + z * q3);
  p[1] = c * q1 + (x * q0 + y * q3 - z * q2);
  p[2] = c * q2 + (y * q0 + z * q1 - x * q3);
  p[3] = c * q3 + (z * q0 + x * q2 - y * q1);
}

export function moveRotations(q, W, r, k, cols, h, gain) {
  const at = r * cols;
  const wcols = (cols / 4) * 3;
  const inverse = 1 / gain;
  for (let i = 0; i < cols / 4; i++) {
    const j = at + 4 * i;
    const w = r * wcols + 3 * i;
    halfTurn(W, w, w - k * wcols, w - wcols, k, h);
    turned(q, j - k * cols, gain);
    let m = 0;
    for (let c = 1; c < 4; c++) if (Math.abs(p[c]) > Math.abs(p[m])) m = c;
    let rest = 1;
    for (let c = 0; c < 4; c++) {
      if (c === m) continue;
      q[j + c] += near(p[c] * inverse);
      const x = gain * q[j + c];
      rest -= x * x;
    }
    const root = rest > 0 ? Math.sqrt(rest) : 0;
    q[j + m] += near((p[m] < 0 ? -root : root) * inverse);
  }
}
