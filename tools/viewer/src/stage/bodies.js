// Bodies, by the meshes in the file; one without a mesh as its inertia's ellipsoid. Meshes that are equal are drawn as instances of one.
import * as THREE from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { CREASE } from "./crease.js";
import { lookOfBody, looksOfMeshes } from "./palette.js";

function geometryOf(mesh) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(mesh.vertices), 3));
  geometry.setIndex(new THREE.BufferAttribute(mesh.elements, 1));
  return toCreasedNormals(geometry, CREASE);
}

// Meshes with the same numbers have the same key.
function keyOf(mesh) {
  let a = mesh.elements.length + 31 * mesh.vertices.length;
  const words = new Uint32Array(mesh.vertices.buffer);
  for (let i = 0; i < words.length; i++) a = Math.imul(a ^ words[i], 0x9e3779b1) + (a >>> 15);
  for (let i = 0; i < mesh.elements.length; i++) a = Math.imul(a ^ mesh.elements[i], 0x85ebca6b) + (a >>> 13);
  return `${mesh.vertices.length}:${mesh.elements.length}:${a >>> 0}`;
}

// What is drawn together: meshes of the same numbers that one sees through alike. What is not seen at all is not drawn.
function groupMeshes(run) {
  const number = new Map(run.bodies.map((name, i) => [name, i]));
  const looks = looksOfMeshes(run);
  const groups = new Map();
  for (const mesh of run.meshes) {
    const body = number.get(mesh.body);
    if (body === undefined || mesh.corners !== 3) continue;
    const { colour, opacity } = looks.ofShape(mesh);
    if (opacity === 0) continue;
    const key = `${keyOf(mesh)}:${opacity}`;
    if (!groups.has(key)) groups.set(key, { mesh, bodies: [], colours: [], opacity });
    groups.get(key).bodies.push(body);
    groups.get(key).colours.push(colour);
  }
  return [...groups.values()];
}

// One ball for all bodies that have an inertia but no shape; each is stretched along its principal axes.
function ellipsoids(run) {
  const shaped = new Set(run.meshes.map((m) => m.body));
  return (run.drawing?.bodies || []).flatMap((b, i) => {
    if (shaped.has(run.bodies[i]) || !b.ellipsoid) return [];
    const look = lookOfBody(run, i);
    return look.opacity ? [{ body: i, ...look, ...b.ellipsoid }] : [];
  });
}

function material(ghost, opacity) {
  const through = ghost || opacity < 1;
  return new THREE.MeshStandardMaterial({
    color: 0xffffff,
    roughness: 0.55,
    metalness: 0.05,
    transparent: through,
    opacity: ghost ? 0.35 * opacity : opacity,
    depthWrite: !through,
  });
}

export class BodiesView {
  constructor(run, { ghost = false } = {}) {
    this.run = run;
    this.group = new THREE.Group();
    this.parts = []; // {mesh: InstancedMesh, bodies: [number], colours: [colour a body], locals: [Matrix4 a body] or null}
    this.poses = run.bodies.map(() => new THREE.Matrix4());
    this.placed = run.channel("body.position") !== null;
    this.group.visible = this.placed; // where bodies are is not known
    for (const { mesh, ...group } of groupMeshes(run)) this.#add(geometryOf(mesh), group, null, ghost);
    this.#addEllipsoids(ghost);
  }

  #add(geometry, { bodies, colours, opacity }, locals, ghost) {
    geometry.computeBoundingSphere();
    const mesh = new THREE.InstancedMesh(geometry, material(ghost, opacity), bodies.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = !ghost && opacity === 1;
    mesh.receiveShadow = !ghost;
    const colour = new THREE.Color();
    colours.forEach((c, i) => mesh.setColorAt(i, colour.set(c)));
    mesh.userData.bodies = bodies;
    this.parts.push({ mesh, bodies, colours, locals });
    this.group.add(mesh);
  }

  #addEllipsoids(ghost) {
    for (const opacity of new Set(ellipsoids(this.run).map((e) => e.opacity)))
      this.#addBalls(ellipsoids(this.run).filter((e) => e.opacity === opacity), opacity, ghost);
  }

  #addBalls(list, opacity, ghost) {
    const locals = list.map(({ center, rotation: [w, x, y, z], radii }) =>
      new THREE.Matrix4().compose(
        new THREE.Vector3(...center),
        new THREE.Quaternion(x, y, z, w),
        new THREE.Vector3(...radii),
      ),
    );
    const group = { bodies: list.map((e) => e.body), colours: list.map((e) => e.colour), opacity };
    this.#add(new THREE.SphereGeometry(1, 32, 20), group, locals, ghost);
  }

  // Puts the bodies where the frame has them.
  set(frame) {
    const p = frame.numbers("body.position");
    const q = frame.numbers("body.rotation");
    if (!p) return;
    const position = new THREE.Vector3();
    const rotation = new THREE.Quaternion();
    const unit = new THREE.Vector3(1, 1, 1);
    this.poses.forEach((pose, b) => {
      position.fromArray(p, 3 * b);
      if (q) rotation.set(q[4 * b + 1], q[4 * b + 2], q[4 * b + 3], q[4 * b]).normalize();
      pose.compose(position, rotation, unit);
    });
    const local = new THREE.Matrix4();
    for (const { mesh, bodies, locals } of this.parts) {
      bodies.forEach((b, i) =>
        mesh.setMatrixAt(i, locals ? local.multiplyMatrices(this.poses[b], locals[i]) : this.poses[b]),
      );
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // picking needs it anew
    }
  }

  select(body) {
    const colour = new THREE.Color();
    for (const { mesh, bodies, colours } of this.parts) {
      bodies.forEach((b, i) => {
        colour.set(colours[i]);
        if (b === body) colour.lerp(new THREE.Color("#ffffff"), 0.45);
        mesh.setColorAt(i, colour);
      });
      mesh.instanceColor.needsUpdate = true;
    }
  }

  // The body under the ray, as {body, distance}, or null.
  pick(ray) {
    const hit = ray.intersectObjects(this.parts.map((part) => part.mesh), false)[0];
    return hit ? { body: hit.object.userData.bodies[hit.instanceId], distance: hit.distance } : null;
  }

  // Grows `box` by the bodies where they are now.
  bounds(box) {
    const ball = new THREE.Sphere();
    const matrix = new THREE.Matrix4();
    const corner = new THREE.Box3();
    for (const { mesh, bodies } of this.parts)
      bodies.forEach((_, i) => {
        mesh.getMatrixAt(i, matrix);
        ball.copy(mesh.geometry.boundingSphere).applyMatrix4(matrix);
        if (Number.isFinite(ball.radius) && Number.isFinite(ball.center.lengthSq())) box.union(ball.getBoundingBox(corner));
      });
    if (this.parts.length) return;
    const point = new THREE.Vector3();
    for (const pose of this.poses)
      if (Number.isFinite(point.setFromMatrixPosition(pose).lengthSq())) box.expandByPoint(point);
  }
}
