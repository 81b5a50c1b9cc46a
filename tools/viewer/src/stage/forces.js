// Forces and torques as arrows: what joints do to their bodies (channel joint.reaction), what constraints do to their first ends
// (constraint.force). Lengths go by magnitude; torques have two heads.
import * as THREE from "three";
import { placePoint, turnDirection } from "./points.js";

const LOOKS = { force: "#e4572e", torque: "#7a4fb5" };
const CHANNELS = ["joint.reaction", "constraint.force"];
const THICKNESS = 0.012; // of the scene's size
const LONGEST = 0.6; // of the scene's size, an arrow of the largest force
const BEYOND = 1.5; // of that: an arrow is cut there

// ---- where they act ----------------------------------------------------------------------------------------

// Wrenches of joints: {force, torque} in the joint's frame, at its origin.
function jointWrenches(run, bodies) {
  const channel = run.channel("joint.reaction");
  const number = new Map(run.bodies.map((name, b) => [name, b]));
  return (channel?.items_names || []).flatMap((name, item) => {
    const body = number.get(name);
    const joint = run.drawing?.bodies?.[body]?.joint;
    if (!joint?.rotation) return [];
    const [w, x, y, z] = joint.rotation;
    const turn = new THREE.Quaternion(x, y, z, w);
    const of = (numbers, at) => turnDirection(new THREE.Vector3().fromArray(numbers, at).applyQuaternion(turn), { body }, bodies);
    return [{
      eval(frame, out) {
        const numbers = frame.numbers("joint.reaction");
        placePoint(out.at, { body, at: joint.at }, frame, bodies);
        out.torque.copy(of(numbers, 6 * item));
        out.force.copy(of(numbers, 6 * item + 3));
      },
    }];
  });
}

const vector = (x) => new THREE.Vector3(...x);

// The lowest point of the ellipsoid about the first end over the plane with that normal: p − S D² Sᵀ n / |D Sᵀ n|.
function touching(point, { axes, radii }, ends, normal, bodies) {
  const S = axes.map((axis) => turnDirection(vector(axis), ends[0], bodies));
  const u = S.map((axis) => axis.dot(normal));
  const eta = Math.hypot(...u.map((x, k) => radii[k] * x));
  S.forEach((axis, k) => point.addScaledVector(axis, (-radii[k] * radii[k] * u[k]) / eta));
}

function rowDirection(row, ends, points, bodies) {
  if (row.along !== undefined) return points[row.along].clone().sub(points[1 - row.along]).normalize();
  if (row.normal) return turnDirection(vector(row.normal[0]), ends[0], bodies).cross(turnDirection(vector(row.normal[1]), ends[1], bodies));
  return turnDirection(vector(row.force || row.torque), ends[row.in], bodies);
}

function constraintWrenches(run, bodies) {
  if (!run.channel("constraint.force")) return [];
  return (run.drawing?.constraints || []).map(({ row: first, at, ends, rows, touch }) => ({
    eval(frame, out) {
      const numbers = frame.numbers("constraint.force");
      const points = ends.map((end) => placePoint(new THREE.Vector3(), end, frame, bodies));
      out.at.copy(points[at]);
      out.force.set(0, 0, 0);
      out.torque.set(0, 0, 0);
      rows.forEach((row, k) => {
        const direction = rowDirection(row, ends, points, bodies);
        if (touch && k === 0) touching(out.at, touch, ends, direction, bodies);
        (row.torque || row.normal ? out.torque : out.force).addScaledVector(direction, numbers[first + k]);
      });
    },
  }));
}

// ---- arrows ------------------------------------------------------------------------------------------------

// So many shafts and heads in one colour, drawn over what was drawn before.
class Arrows {
  constructor(n, colour, heads, ghost) {
    this.heads = heads;
    const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.5, transparent: true, opacity: ghost ? 0.45 : 1 });
    this.shaft = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material, n);
    this.head = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 16).translate(0, 0.5, 0), material, n * heads);
    this.objects = [this.shaft, this.head];
    for (const object of this.objects) {
      object.frustumCulled = false;
      object.renderOrder = 10;
    }
  }

  // Arrow i from `at` by `way`, of that thickness; none where the way has no length.
  set(i, at, way, thickness) {
    const length = way.length();
    const radius = Math.min(thickness, 0.08 * length);
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, length > 0 ? way.clone().divideScalar(length) : UP);
    const head = 5.5 * radius;
    const along = (y) => UP.clone().applyQuaternion(turn).multiplyScalar(y).add(at);
    const put = (object, k, y, r, h) =>
      object.setMatrixAt(k, new THREE.Matrix4().compose(along(y), turn, new THREE.Vector3(r, h, r)));
    put(this.shaft, i, 0, radius, length - head);
    for (let k = 0; k < this.heads; k++) put(this.head, i * this.heads + k, length - head * (1 + 0.75 * k), 2.4 * radius, head);
  }

  finish() {
    for (const object of this.objects) object.instanceMatrix.needsUpdate = true;
  }
}

const UP = new THREE.Vector3(0, 1, 0);

// Why a run has no arrows to show; null where it has.
function whyNone(run, wrenches) {
  if (wrenches.length) return null;
  if (!CHANNELS.some((name) => run.channel(name)))
    return `This file holds no forces: add "joint.reaction" or "constraint.force" to the scene's output.channels and run it again`;
  return "This file does not say where its forces act: it is of an older mbsim, or all of them go along joints' coordinates";
}

export class ForcesView {
  constructor(run, bodies, { ghost = false } = {}) {
    this.run = run;
    this.group = new THREE.Group();
    this.group.visible = false;
    this.wrenches = [...jointWrenches(run, bodies), ...constraintWrenches(run, bodies)];
    this.why = whyNone(run, this.wrenches);
    this.longest = 1; // by the hand of the person
    this.most = null; // {force, torque} of the run
    if (this.why) return;
    this.arrows = Object.fromEntries(
      Object.entries(LOOKS).map(([kind, colour]) => [kind, new Arrows(this.wrenches.length, colour, kind === "torque" ? 2 : 1, ghost)]),
    );
    for (const { objects } of Object.values(this.arrows)) this.group.add(...objects);
    // over everything that was drawn before
    this.arrows.force.shaft.onBeforeRender = (renderer) => renderer.clearDepth();
  }

  // Every {at, force, torque} of the frame, in the world.
  evaluate(frame) {
    return this.wrenches.map((wrench) => {
      const out = { at: new THREE.Vector3(), force: new THREE.Vector3(), torque: new THREE.Vector3() };
      wrench.eval(frame, out);
      return out;
    });
  }

  // The largest of the frames that are given, so that lengths mean the same throughout.
  measure(frames) {
    const most = { force: 0, torque: 0 };
    for (const frame of frames)
      for (const wrench of this.evaluate(frame))
        for (const kind of Object.keys(most)) {
          const size = wrench[kind].length();
          if (Number.isFinite(size)) most[kind] = Math.max(most[kind], size);
        }
    this.most = most;
  }

  set(frame, size) {
    if (this.why || !this.group.visible || !this.most) return;
    this.evaluate(frame).forEach((wrench, i) => {
      for (const [kind, arrows] of Object.entries(this.arrows)) {
        const way = wrench[kind];
        const length = this.most[kind] > 0 ? (LONGEST * size * this.longest * way.length()) / this.most[kind] : 0;
        const shown = Number.isFinite(length) && Number.isFinite(wrench.at.lengthSq()) && length > 1e-4 * size;
        way.setLength(shown ? Math.min(length, BEYOND * LONGEST * size * this.longest) : 0);
        arrows.set(i, wrench.at, shown ? way : way.set(0, 0, 0), THICKNESS * size);
      }
    });
    Object.values(this.arrows).forEach((arrows) => arrows.finish());
  }
}
