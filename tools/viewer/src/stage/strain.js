// How much the elements of a deformable are strained: the largest |s − 1| of a principal stretch s, as channel deformable.*.strain has it,
// against the places at rest in the file. At a node it is the mean of the elements about it.

// Numbers of an element at rest that its stretches are found from.
function restOf(vertices, nodes) {
  const edge = (i) => [0, 1, 2].map((k) => vertices[3 * nodes[i] + k] - vertices[3 * nodes[0] + k]);
  if (nodes.length === 2) return [1 / Math.hypot(...edge(1))];
  const [a, b] = [edge(1), edge(2)];
  if (nodes.length === 3) {
    // the inverse of [a b] in an orthonormal frame of its plane, upper triangular
    const la = Math.hypot(...a);
    const along = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / la;
    const across = Math.sqrt(Math.max(0, b[0] * b[0] + b[1] * b[1] + b[2] * b[2] - along * along));
    return [1 / la, -along / (la * across), 1 / across];
  }
  return inverse3(a, b, edge(3));
}

// Rows of the inverse of the matrix with columns a, b, c.
function inverse3(a, b, c) {
  const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const [x, y, z] = [cross(b, c), cross(c, a), cross(a, b)];
  const det = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
  return [...x, ...y, ...z].map((value) => value / det);
}

// Largest |√λ − 1| of the eigenvalues λ of a symmetric 2 x 2 matrix.
function largest2(xx, xy, yy) {
  const middle = (xx + yy) / 2;
  const reach = Math.hypot((xx - yy) / 2, xy);
  return Math.max(Math.abs(Math.sqrt(middle + reach) - 1), Math.abs(Math.sqrt(Math.max(0, middle - reach)) - 1));
}

// The same of a symmetric 3 x 3 matrix, by the trigonometric form of its characteristic polynomial.
function largest3(xx, yy, zz, xy, xz, yz) {
  const mean = (xx + yy + zz) / 3;
  const [a, b, c] = [xx - mean, yy - mean, zz - mean];
  const p = Math.sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6);
  if (!(p > 0)) return Math.abs(Math.sqrt(mean) - 1);
  const det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
  const angle = Math.acos(Math.min(1, Math.max(-1, det / (2 * p * p * p)))) / 3;
  const high = mean + 2 * p * Math.cos(angle);
  const low = mean + 2 * p * Math.cos(angle + (2 * Math.PI) / 3);
  return Math.max(Math.abs(Math.sqrt(Math.max(0, high)) - 1), Math.abs(Math.sqrt(Math.max(0, low)) - 1));
}

export class Strain {
  constructor({ corners, vertices, elements }) {
    Object.assign(this, { corners, elements });
    this.count = elements.length / corners;
    this.rest = Array.from({ length: this.count }, (_, e) => restOf(vertices, elements.subarray(e * corners, (e + 1) * corners)));
    this.numbers = Float64Array.from(this.rest.flat());
    this.each = this.count ? this.numbers.length / this.count : 0;
    delete this.rest;
    this.of = new Float64Array(this.count);
    this.about = new Float64Array(vertices.length / 3); // elements about each node
    for (const node of elements) this.about[node]++;
    this.nodes = new Float64Array(vertices.length / 3);
  }

  // The strain of every element at these places into `of`, of every node into `nodes`; returns the largest of an element.
  set(x) {
    let most = 0;
    this.nodes.fill(0);
    for (let e = 0; e < this.count; e++) {
      const strain = (this.of[e] = this.#element(x, e));
      if (strain > most) most = strain;
      for (let k = 0; k < this.corners; k++) this.nodes[this.elements[e * this.corners + k]] += strain;
    }
    for (let i = 0; i < this.nodes.length; i++) if (this.about[i]) this.nodes[i] /= this.about[i];
    return most;
  }

  #element(x, e) {
    const { elements, corners, numbers, each } = this;
    const at = e * corners;
    const r = e * each;
    const o = 3 * elements[at];
    const p = 3 * elements[at + 1];
    const ax = x[p] - x[o], ay = x[p + 1] - x[o + 1], az = x[p + 2] - x[o + 2];
    if (corners === 2) return Math.abs(Math.sqrt(ax * ax + ay * ay + az * az) * numbers[r] - 1);
    const q = 3 * elements[at + 2];
    const bx = x[q] - x[o], by = x[q + 1] - x[o + 1], bz = x[q + 2] - x[o + 2];
    if (corners === 3) {
      const [i, j, k] = [numbers[r], numbers[r + 1], numbers[r + 2]];
      const fx = ax * i, fy = ay * i, fz = az * i;
      const gx = ax * j + bx * k, gy = ay * j + by * k, gz = az * j + bz * k;
      return largest2(fx * fx + fy * fy + fz * fz, fx * gx + fy * gy + fz * gz, gx * gx + gy * gy + gz * gz);
    }
    const s = 3 * elements[at + 3];
    const cx = x[s] - x[o], cy = x[s + 1] - x[o + 1], cz = x[s + 2] - x[o + 2];
    return this.#tetrahedron(r, ax, ay, az, bx, by, bz, cx, cy, cz);
  }

  // F = [a b c] times the inverse at rest; λ of Fᵀ F.
  #tetrahedron(r, ax, ay, az, bx, by, bz, cx, cy, cz) {
    const n = this.numbers;
    const f0 = ax * n[r] + bx * n[r + 3] + cx * n[r + 6], f1 = ay * n[r] + by * n[r + 3] + cy * n[r + 6], f2 = az * n[r] + bz * n[r + 3] + cz * n[r + 6];
    const g0 = ax * n[r + 1] + bx * n[r + 4] + cx * n[r + 7], g1 = ay * n[r + 1] + by * n[r + 4] + cy * n[r + 7], g2 = az * n[r + 1] + bz * n[r + 4] + cz * n[r + 7];
    const h0 = ax * n[r + 2] + bx * n[r + 5] + cx * n[r + 8], h1 = ay * n[r + 2] + by * n[r + 5] + cy * n[r + 8], h2 = az * n[r + 2] + bz * n[r + 5] + cz * n[r + 8];
    return largest3(
      f0 * f0 + f1 * f1 + f2 * f2, g0 * g0 + g1 * g1 + g2 * g2, h0 * h0 + h1 * h1 + h2 * h2,
      f0 * g0 + f1 * g1 + f2 * g2, f0 * h0 + f1 * h1 + f2 * h2, g0 * h0 + g1 * h1 + g2 * h2,
    );
  }
}

// From dark to light, even to the eye, told apart by all eyes and in grey.
export const SCALE = ["#0d0887", "#6a00a8", "#b12a90", "#e16462", "#fca636", "#f0f921"];
