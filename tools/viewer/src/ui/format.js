// Numbers and texts for the eye.

export function show(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size >= 1e-3 && size < 1e6 ? String(+x.toPrecision(7)) : x.toExponential(5);
}

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ESCAPES[c]);

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB"];
  let i = 0;
  while (n >= 1000 && i < 3) (n /= 1000), i++;
  return `${+n.toPrecision(3)} ${units[i]}`;
}
