// Small scenes that the page is tried with.
import { readFileSync } from "node:fs";
import { runScene } from "./mbsim.mjs";

// Two boxes without gravity: the left one rests, the right one flies up.
export const twoBoxes = {
  mbsim: 1,
  name: "two boxes",
  gravity: [0, 0, 0],
  time: { step: 0.01, duration: 1 },
  bodies: [
    { name: "still", shape: { type: "box", size: [0.4, 0.4, 0.4] }, density: 1000, pose: { position: [-1.5, 0, 0] } },
    {
      name: "flying", shape: { type: "box", size: [0.4, 0.4, 0.4] }, density: 1000, pose: { position: [1.5, 0, 0] },
      velocity: { linear: [0, 0, 1], angular: [0, 3, 0] },
    },
  ],
};

// Things with colours of their own: a plane, a body of two shapes, a net, and one body without any.
export const colourful = {
  mbsim: 1,
  name: "colourful",
  gravity: [0, 0, 0],
  time: { step: 0.01, duration: 0.1 },
  materials: { rubber: { density: 900, color: [0.2, 0.2, 0.2] } },
  bodies: [
    { name: "floor", shape: { type: "plane", offset: -1, color: [0, 0.5, 0] }, joint: { type: "fixed" } },
    {
      name: "post", color: [1, 0, 0], density: 1000,
      shape: [{ type: "box", size: [0.5, 0.5, 0.5] }, { type: "box", size: [0.5, 0.5, 0.5], frame: { position: [0, 0, 1] }, color: [0, 0, 1, 0.5] },
        { type: "sphere", radius: 2, color: [1, 1, 1, 0] }],
    },
    { name: "plain", shape: { type: "sphere", radius: 0.3 }, density: 1000, pose: { position: [2, 0, 0] } },
    { name: "tyre", shape: { type: "sphere", radius: 0.3 }, material: "rubber", pose: { position: [-2, 0, 0] } },
    { name: "stone", color: [1, 1, 0], inertia: { mass: 2, matrix: [0.1, 0.1, 0.1, 0, 0, 0] }, pose: { position: [-3, 0, 0] } },
  ],
  deformables: [
    {
      name: "net", type: "springs", mesh: { grid: [3, 3], size: [1, 1] }, material: { mass: 1, stiffness: 10 }, color: [1, 0, 1],
      pose: { position: [3, 0, 0] },
    },
  ],
};

export const pendulum = (duration, step = 0.001) => ({
  mbsim: 1,
  name: "pendulum",
  time: { step, duration },
  bodies: [
    {
      name: "rod", shape: { type: "box", size: [0.05, 0.05, 1] }, density: 1000,
      joint: { type: "revolute", axis: [0, 1, 0], in_body: { position: [0, 0, 0.5] }, position: 1 },
    },
  ],
});

// A body with an inertia and no shape.
export const shapeless = {
  mbsim: 1,
  name: "shapeless",
  time: { step: 0.01, duration: 0.5 },
  bodies: [{ name: "stone", inertia: { mass: 2, matrix: [0.1, 0.2, 0.25, 0, 0, 0] }, velocity: { angular: [1, 2, 3] } }],
};

// The bytes of a pendulum's run with one bit of chunk k flipped, and where its chunks begin.
export function pendulumDamagedIn(k) {
  const bytes = readFileSync(runScene(pendulum(1), "pendulum-1"));
  const chunks = [];
  for (let at = bytes.indexOf("CHNK"); at >= 0; at = bytes.indexOf("CHNK", at + 1)) chunks.push(at);
  bytes[chunks[k] + 100] ^= 4;
  return { bytes, chunks };
}
