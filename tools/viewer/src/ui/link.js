// The moment that a link points at, in the address's fragment: time, camera, curves, choice.

export function readFragment() {
  const values = new URLSearchParams(location.hash.slice(1));
  const numbers = (key, n) => {
    const list = (values.get(key) || "").split(",").map(Number);
    return list.length === n && list.every(Number.isFinite) ? list : null;
  };
  return {
    time: values.has("t") && Number.isFinite(+values.get("t")) ? +values.get("t") : null,
    camera: numbers("camera", 6),
    orthographic: values.get("orthographic") === "1",
    curves: (values.get("curves") || "").split("|").filter(Boolean),
    body: values.get("body"),
    side: values.get("side") === "1",
    shown: (values.get("show") || "").split(",").filter(Boolean),
  };
}

export function writeFragment({ time, camera, orthographic, curves, body, side, shown }) {
  const values = new URLSearchParams();
  values.set("t", String(+time.toPrecision(12)));
  values.set("camera", camera.map((x) => +x.toPrecision(6)).join(","));
  if (orthographic) values.set("orthographic", "1");
  if (curves.length) values.set("curves", curves.join("|"));
  if (body) values.set("body", body);
  if (shown.length) values.set("show", shown.join(","));
  if (side) values.set("side", "1");
  try {
    history.replaceState(null, "", `#${values}`);
  } catch {
    // pages that may not change their address still play
  }
}
