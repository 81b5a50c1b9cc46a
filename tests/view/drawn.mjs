// What is drawn on demand: forces as arrows, which with gravity make up what bodies do; strain as colour, by the measure of its channel.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as THREE from "../../tools/viewer/node_modules/three/build/three.module.js";
import { BytesSource } from "../../tools/viewer/src/mbt/source.js";
import { Trajectory } from "../../tools/viewer/src/mbt/trajectory.js";
import { copyOver, creased } from "../../tools/viewer/src/stage/crease.js";
import { Strain } from "../../tools/viewer/src/stage/strain.js";
import { differing, drawn, picture, seek, withPage } from "./browser.mjs";
import { exported, page, runScene } from "./mbsim.mjs";
import { pendulum, twoBoxes } from "./scenes.mjs";

// Bodies that each hang on the world by one constraint; their frames are neither where their centres of mass are nor along the principal axes.
const inertia = { mass: 2, center: [0.1, 0.05, 0], matrix: [0.1, 0.2, 0.25, 0.02, 0.01, 0] };
const spin = { angular: [0.5, 0.7, 1], linear: [0, 0, 0] };
const world = (x, more) => ({ body: "world", at: [x, 0, 0], ...more });
const hung = (name, x, more) => ({ name, inertia, pose: { position: [x, 0, 0], rotation: [0.9, 0.1, 0.3, 0.3] }, velocity: spin, ...more });
const framed = (name, x) => [{ body: name, frame: {} }, { body: "world", frame: { position: [x, 0, 0], rotation: [0.9, 0.1, 0.3, 0.3] } }];
const still = { velocity: { angular: [0, 0, 0], linear: [0, 0, 0] } };

const hangers = {
  mbsim: 1,
  name: "hangers",
  time: { step: 1e-4, duration: 0.05 },
  integrator: "trapezoidal",
  bodies: [
    hung("ball", 0),
    hung("line", 2),
    hung("plane", 4),
    hung("rod", 6),
    hung("hinge", 8, still),
    hung("cardan", 10, still),
    hung("slide", 12, still),
    { name: "wheel", inertia: { mass: 3, matrix: [0.1, 0.1, 0.15, 0, 0, 0] }, shape: [{ type: "cylinder", radius: 0.3, length: 0.1 }],
      pose: { position: [14, 0, 0.3 * Math.cos(0.3) ], rotation: { axis: [1, 0, 0], angle: Math.PI / 2 + 0.3 } } },
  ],
  constraints: [
    { name: "a", type: "point", between: [{ body: "ball", at: [0, 0, 0] }, world(0)] },
    { name: "b", type: "point_on_line", axis: [1, 2, 3], between: [{ body: "line", at: [0, 0, 0] }, world(2)] },
    { name: "c", type: "point_on_plane", normal: [1, 1, 3], between: [world(4), { body: "plane", at: [0, 0, 0] }] },
    { name: "d", type: "distance", between: [{ body: "rod", at: [0, 0.2, 0] }, world(6, { at: [6, 0, 1] })] },
    { name: "e", type: "joint", joint: "revolute", axis: [1, 0, 2], between: framed("hinge", 8) },
    { name: "f", type: "joint", joint: "universal", between: framed("cardan", 10) },
    { name: "g", type: "joint", joint: "prismatic", axis: [1, 0, 2], between: framed("slide", 12) },
    { name: "h", type: "rolling", body: "wheel" },
  ],
  output: { interval: 0.01, channels: ["body.position", "body.rotation", "body.velocity", "body.acceleration", "constraint.force"] },
};

const vector = (x, at = 0) => new THREE.Vector3(x[at], x[at + 1], x[at + 2]);
const turned = (v, [w, x, y, z]) => v.clone().applyQuaternion(new THREE.Quaternion(x, y, z, w));

// m (a_C − g) and the rate of spin about C of a body, in the world, from its motion and its inertia's ellipsoid.
function wanted(frame, b, mass, { center, ellipsoid }) {
  const q = frame["body.rotation"][b];
  const [w, alpha] = [vector(frame["body.velocity"][b]), vector(frame["body.acceleration"][b])];
  const arm = turned(vector(center), q);
  const a = vector(frame["body.acceleration"][b], 3).add(alpha.clone().cross(arm)).add(w.clone().cross(w.clone().cross(arm)));
  const axes = new THREE.Quaternion(q[1], q[2], q[3], q[0]);
  const [ow, ox, oy, oz] = ellipsoid.rotation;
  axes.multiply(new THREE.Quaternion(ox, oy, oz, ow));
  const squares = ellipsoid.radii.map((r) => r * r);
  const I = [0, 1, 2].map((i) => (mass / 5) * (squares[(i + 1) % 3] + squares[(i + 2) % 3]));
  const inertiaOn = (v) => {
    const own = v.clone().applyQuaternion(axes.clone().invert());
    return new THREE.Vector3(I[0] * own.x, I[1] * own.y, I[2] * own.z).applyQuaternion(axes);
  };
  const torque = inertiaOn(alpha).add(w.clone().cross(inertiaOn(w)));
  return { force: a.add(new THREE.Vector3(0, 0, 9.81)).multiplyScalar(mass), torque, at: vector(frame["body.position"][b]).add(arm) };
}

// The arrows of one moment as plain numbers, and what the file says that pictures need.
const arrowsAt = (p, time) =>
  p.evaluate(async (t) => {
    const { views, player, frame } = window.mbsim;
    player.seek(t);
    await window.mbsim.runs[0].load(window.mbsim.runs[0].chunkAt(t));
    const now = window.mbsim.runs[0].frameAt(t);
    window.mbsim.stage.set(views[0], now);
    return {
      frame: now.frame ?? frame.frame,
      drawing: window.mbsim.runs[0].drawing,
      arrows: views[0].forces.evaluate(now).map(({ at, force, torque }) => [at, force, torque].map((v) => v.toArray())),
    };
  }, time);

function near(v, w, size, what) {
  assert.ok(v.distanceTo(w) <= size, `${what}: ${v.toArray()}, not ${w.toArray()}`);
}

async function constraints() {
  const path = runScene(hangers, "hangers");
  const { frames } = exported(path);
  await withPage(page(path), async (p) => {
    const { frame: k, drawing, arrows } = await arrowsAt(p, 0.05);
    assert.equal(drawing.constraints.length, hangers.constraints.length);
    drawing.constraints.forEach(({ name, ends }, i) => {
      const first = ends[0].body !== undefined;
      const b = first ? ends[0].body : ends[1].body;
      const sign = first ? 1 : -1;
      const expected = wanted(frames[k], b, hangers.bodies[b].inertia.mass, drawing.bodies[b]);
      const [at, force, torque] = arrows[i].map((x) => vector(x));
      force.multiplyScalar(sign);
      torque.multiplyScalar(sign).add(at.clone().sub(expected.at).cross(force));
      near(force, expected.force, 2e-3, `force of ${name} on ${hangers.bodies[b].name}`);
      near(torque, expected.torque, 2e-3, `torque of ${name} on ${hangers.bodies[b].name}`);
    });
    const [contact] = arrows.at(-1);
    assert.ok(Math.abs(contact[2]) < 1e-6, `the wheel is pressed where it touches the plane, not at ${contact}`);
  });
}

const swinging = (channels) => ({
  ...pendulum(0.5),
  name: "swinging",
  bodies: [
    { ...pendulum(1).bodies[0], inertia, shape: undefined, density: undefined },
    { name: "tail", inertia, joint: { type: "universal", parent: "rod", in_parent: { position: [0, 0, -0.5] }, in_body: { position: [0, 0, 0.3], rotation: [0.7, 0.1, 0.5, 0.5] }, velocity: [1, 2] } },
  ],
  output: { interval: 0.05, channels: ["body.position", "body.rotation", ...channels] },
});

// What a joint does to its body, less what the body does to the next one.
async function joints() {
  const path = runScene(swinging(["body.velocity", "body.acceleration", "joint.reaction"]), "swinging");
  const { frames } = exported(path);
  await withPage(page(path), async (p) => {
    const { frame: k, drawing, arrows } = await arrowsAt(p, 0.5);
    const [rod, tail] = arrows.map((list) => list.map((x) => vector(x)));
    [[[rod, 1], [tail, -1]], [[tail, 1]]].forEach((list, b) => {
      const expected = wanted(frames[k], b, inertia.mass, drawing.bodies[b]);
      const [force, torque] = [new THREE.Vector3(), new THREE.Vector3()];
      for (const [[at, f, t], sign] of list) {
        force.addScaledVector(f, sign);
        torque.addScaledVector(t, sign).addScaledVector(at.clone().sub(expected.at).cross(f), sign);
      }
      near(force, expected.force, 1e-6, `force on body ${b}`);
      near(torque, expected.torque, 1e-6, `torque on body ${b}`);
    });
    await p.keyboard.press("i");
    await drawn(p);
    const before = await picture(p);
    await p.click("[data-show=forces]");
    await p.waitForSelector("#legend:has-text('forces up to')");
    await drawn(p);
    assert.ok(differing(before, await picture(p)) > 200, "there are arrows");
    await p.waitForFunction(() => location.hash.includes("show=forces"));
  });
}

// The switch tells what is missing, and so does the key.
async function without() {
  await withPage(page(runScene(twoBoxes, "two_boxes")), async (p) => {
    await p.keyboard.press("i");
    for (const [what, key, text] of [["forces", "a", /output\.channels/], ["strain", "v", /no deformable/]]) {
      assert.ok(await p.isDisabled(`[data-show=${what}]`));
      assert.match(await p.getAttribute(`label:has([data-show=${what}])`, "title"), text);
      await p.keyboard.press(key);
      assert.match(await p.textContent("#notice"), text);
    }
  });
}

// Tetrahedra, cloth, springs.
const STRAINED = ["projective/twisting_bar", "projective/hanging_cloth", "deformables/soft_arm", "projective/finger"];

async function strains() {
  for (const name of STRAINED) {
    const scene = JSON.parse(readFileSync(`scenes/${name}.json`, "utf8"));
    const channels = ["body.position", "body.rotation", "deformable.*.position", "deformable.*.strain"];
    const path = runScene(`scenes/${name}.json`, `${name.split("/")[1]}-strain`, "-d", "0.4", "--set", `/output=${JSON.stringify({ channels, interval: scene.output?.interval ?? 0.02 })}`);
    const t = await Trajectory.open(new BytesSource(new Uint8Array(readFileSync(path))));
    const channel = (c) => t.head.channels.findIndex((x) => x.name === c);
    let compared = 0;
    for (const mesh of t.meshes.filter((m) => !m.body)) {
      const strain = new Strain(mesh);
      const [x, s] = [channel(`deformable.${mesh.name}.position`), channel(`deformable.${mesh.name}.strain`)];
      for (let i = 0; i < t.chunks.length; i++) {
        const { times, channels: numbers } = await t.readChunk(i);
        for (let r = 0; r < times.length; r++, compared++) {
          const most = strain.set(numbers[x].subarray(r * mesh.vertices.length, (r + 1) * mesh.vertices.length));
          assert.ok(Math.abs(most - numbers[s][r]) < 1e-6, `${name}, ${mesh.name}, t = ${times[r]}: ${most}, not ${numbers[s][r]}`);
        }
      }
    }
    assert.ok(compared >= 10, `${name}: ${compared} frames compared`);
  }
}

// A strip of squares that is folded in its middle, and a box.
async function creases() {
  const strip = (angle) => {
    const across = [[1, 0], [0, 0], [-Math.cos(angle), Math.sin(angle)]]; // x, z
    const vertices = across.flatMap(([x, z]) => [0, 1, 2].flatMap((y) => [x, y, z]));
    const index = [0, 1].flatMap((i) => [0, 1].flatMap((k) => [[0, 3, 1], [1, 3, 4]].flatMap((t) => t.map((n) => 3 * i + k + n))));
    return creased(Float64Array.from(vertices), Uint32Array.from(index));
  };
  assert.equal(strip((30 * Math.PI) / 180).copies.length, 0, "30° are round");
  const folded = strip((40 * Math.PI) / 180);
  assert.deepEqual([...folded.copies].sort(), [3, 4, 5], "40° are an edge");
  assert.deepEqual(new Set([...folded.index.slice(0, 12), ...folded.index.slice(12)]).size, 12);
  assert.ok([...folded.index.slice(0, 12)].every((v) => ![...folded.index.slice(12)].includes(v)), "its sides share no vertex");
  const box = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]];
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1, (i >> 1) & 1, i >> 2]);
  const { index, copies } = creased(Float64Array.from(corners), Uint32Array.from(box.flat()));
  assert.equal(copies.length, 16, "each corner has three sides");
  const numbers = new Float64Array(corners.length + 3 * copies.length);
  numbers.set(corners);
  copyOver(numbers, copies);
  index.forEach((v, c) => [0, 1, 2].forEach((k) => assert.equal(numbers[3 * v + k], corners[3 * box.flat()[c] + k])));
}

async function colours() {
  const path = runScene("scenes/projective/twisting_bar.json", "twisting_bar-strain");
  await withPage(page(path), async (p) => {
    await seek(p, 0.4);
    const before = await picture(p);
    await p.keyboard.press("v");
    await p.waitForSelector("#legend:has-text('strain')");
    await drawn(p);
    assert.ok(differing(before, await picture(p)) > 2000, "the bar has other colours");
    await p.keyboard.press("v");
    await p.waitForSelector("#legend", { state: "hidden" });
    await drawn(p);
    assert.ok(differing(before, await picture(p)) < 50, "and its own again");
  });
}

export default {
  "arrows of constraints' forces with gravity make up what bodies do": constraints,
  "arrows of joints' reactions with gravity make up what bodies do": joints,
  "what cannot be drawn says what is missing": without,
  "surfaces of tetrahedra have crisp edges": creases,
  "strain is what its channel says": strains,
  "strain is shown as colour and taken away again": colours,
};
