// Colours of bodies and deformables: those that the scene gives them, else by their place in the file, the same on every machine, and in
// exported models (io/export/palette.c).

export const COLOURS = [
  "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#8cb369",
];

export const colourOf = (i) => COLOURS[i % COLOURS.length];

const byte = (x) => Math.round(255 * Math.min(1, Math.max(0, x))).toString(16).padStart(2, "0");

// {colour: "#rrggbb", opacity} of a member `color` of what pictures need; without one of the `i`th thing.
function lookOf(color, i) {
  if (!color) return { colour: colourOf(i), opacity: 1 };
  return { colour: `#${color.slice(0, 3).map(byte).join("")}`, opacity: color[3] ?? 1 };
}

// How a body looks that has no shape, and what stands for it in lists.
export const lookOfBody = (run, body) => lookOf(run.drawing?.bodies?.[body]?.color, body);

// How the meshes of a run look, by their names: those of bodies, then those of deformables.
export function looksOfMeshes(run) {
  const { shapes = [], deformables = [] } = run.drawing || {};
  const given = new Map(shapes.map(({ body, shape, color }) => [`${run.bodies[body]}/shape/${shape}`, color]));
  const soft = new Map(deformables.map(({ name, color }) => [name, color]));
  const number = new Map(run.bodies.map((name, i) => [name, i]));
  return {
    ofShape: (mesh) => lookOf(given.get(mesh.name), number.get(mesh.body)),
    ofDeformable: (mesh, i) => lookOf(soft.get(mesh.name), run.bodies.length + i),
  };
}
