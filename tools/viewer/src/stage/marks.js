// What is drawn on demand: bodies' frames, centres of mass, joints' axes, and the way that chosen points have come.
import * as THREE from "three";
import { lookOfBody } from "./palette.js";

const AXES = ["#d62728", "#2ca02c", "#1f77b4"];

// Line segments of fixed number in the axes of bodies, moved with these.
class BodySegments {
  // `list`: {body, from, to, colour}, from and to in the body's frame
  constructor(bodies, list) {
    this.bodies = bodies;
    this.list = list;
    this.position = new THREE.BufferAttribute(new Float32Array(6 * list.length), 3);
    const colours = new Float32Array(6 * list.length);
    list.forEach(({ colour }, i) => {
      const c = new THREE.Color(colour);
      c.toArray(colours, 6 * i);
      c.toArray(colours, 6 * i + 3);
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    const material = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    this.object = new THREE.LineSegments(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
  }

  set() {
    const v = new THREE.Vector3();
    this.list.forEach(({ body, from, to }, i) => {
      v.copy(from).applyMatrix4(this.bodies.poses[body]).toArray(this.position.array, 6 * i);
      v.copy(to).applyMatrix4(this.bodies.poses[body]).toArray(this.position.array, 6 * i + 3);
    });
    this.position.needsUpdate = true;
  }
}

const vector = (x) => new THREE.Vector3(...x);

function frames(run, size) {
  return run.bodies.flatMap((_, body) =>
    AXES.map((colour, k) => ({ body, from: vector([0, 0, 0]), to: vector([0, 0, 0]).setComponent(k, size), colour })),
  );
}

// A cross at each centre of mass.
function centres(run, size) {
  return (run.drawing?.bodies || []).flatMap(({ center }, body) =>
    [0, 1, 2].map((k) => ({
      body,
      from: vector(center).setComponent(k, center[k] - size / 4),
      to: vector(center).setComponent(k, center[k] + size / 4),
      colour: "#111111",
    })),
  );
}

function joints(run, size) {
  return (run.drawing?.bodies || []).flatMap(({ joint }, body) =>
    (joint?.axes || []).map((axis) => ({
      body,
      from: vector(joint.at).addScaledVector(vector(axis), -size / 2),
      to: vector(joint.at).addScaledVector(vector(axis), size / 2),
      colour: "#e6ab02",
    })),
  );
}

export class MarksView {
  constructor(run, bodies, size) {
    this.run = run;
    this.group = new THREE.Group();
    this.kinds = { frames: frames(run, size), centres: centres(run, size), joints: joints(run, size) };
    for (const [kind, list] of Object.entries(this.kinds)) {
      this.kinds[kind] = list.length ? new BodySegments(bodies, list) : null;
      if (!this.kinds[kind]) continue;
      this.kinds[kind].object.visible = false;
      this.group.add(this.kinds[kind].object);
    }
    this.traces = new Map(); // body → Line
  }

  show(kind, on) {
    if (this.kinds[kind]) this.kinds[kind].object.visible = on;
  }

  set() {
    for (const kind of Object.values(this.kinds)) if (kind?.object.visible) kind.set();
  }

  // Draws the whole way of a body's origin, or takes it away; true where it is drawn now.
  async trace(body) {
    const there = this.traces.get(body);
    if (there) {
      this.group.remove(there);
      this.traces.delete(body);
      return false;
    }
    const { id } = this.run.channel("body.position");
    const [x, y, z] = await this.run.wholeColumns([0, 1, 2].map((k) => [id, 3 * body + k]));
    const points = x.flatMap((_, i) => [x[i], y[i], z[i]]);
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: lookOfBody(this.run, body).colour }));
    line.frustumCulled = false;
    this.traces.set(body, line);
    this.group.add(line);
    return true;
  }
}
