// Crisp edges of surfaces that bend: where two triangles meet at more than 35° at rest, each side has vertices, and so normals, of its own.

export const CREASE = (35 * Math.PI) / 180;

function normalOf(x, index, f) {
  const [a, b, c] = [0, 1, 2].map((k) => 3 * index[3 * f + k]);
  const u = [0, 1, 2].map((k) => x[b + k] - x[a + k]);
  const v = [0, 1, 2].map((k) => x[c + k] - x[a + k]);
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n);
  return length > 0 ? n.map((y) => y / length) : [0, 0, 0];
}

// The sides of every edge as [face, corner at its lower end, corner at its upper end], by its ends.
function sidesOfEdges(index, vertices) {
  const edges = new Map();
  for (let c = 0; c < index.length; c++) {
    const next = c % 3 === 2 ? c - 2 : c + 1;
    const [low, high] = index[c] < index[next] ? [c, next] : [next, c];
    const key = index[low] * vertices + index[high];
    if (!edges.has(key)) edges.set(key, []);
    edges.get(key).push([Math.floor(c / 3), low, high]);
  }
  return edges.values();
}

// Corners at a vertex that belong together, as a forest.
function joinCorners(x, index) {
  const parent = Uint32Array.from(index, (_, c) => c);
  const root = (c) => {
    while (parent[c] !== c) c = parent[c] = parent[parent[c]];
    return c;
  };
  const normals = Array.from({ length: index.length / 3 }, (_, f) => normalOf(x, index, f));
  for (const sides of sidesOfEdges(index, x.length / 3)) {
    if (sides.length !== 2) continue;
    const [[f, a, b], [g, c, d]] = sides;
    const [m, n] = [normals[f], normals[g]];
    if (m[0] * n[0] + m[1] * n[1] + m[2] * n[2] < Math.cos(CREASE)) continue;
    parent[root(a)] = root(c);
    parent[root(b)] = root(d);
  }
  return root;
}

// {index, copies}: the triangles with further vertices behind those that are there, and of which of these each is a copy.
export function creased(x, index) {
  const root = joinCorners(x, index);
  const out = index.slice();
  const copies = [];
  const first = new Map(); // vertex → the root of the corners that keep it
  const added = new Map(); // root → its vertex
  for (let c = 0; c < index.length; c++) {
    const r = root(c);
    const v = index[c];
    if (!first.has(v)) first.set(v, r);
    if (first.get(v) === r) continue;
    if (!added.has(r)) added.set(r, x.length / 3 + copies.push(v) - 1);
    out[c] = added.get(r);
  }
  return { index: out, copies: Uint32Array.from(copies) };
}

// Gives the copies of vertices what these have: three numbers each.
export function copyOver(array, copies) {
  const end = array.length - 3 * copies.length;
  for (let i = 0; i < copies.length; i++) array.copyWithin(end + 3 * i, 3 * copies[i], 3 * copies[i] + 3);
}
