// Colours of bodies and deformables by their place in the file: the same on every machine, and in exported models (io/export/palette.c).

export const COLOURS = [
  "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#8cb369",
];

export const colourOf = (i) => COLOURS[i % COLOURS.length];
