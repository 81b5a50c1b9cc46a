// Deformables: the surface of tetrahedra, cloth on both sides, springs as lines, particles as balls; normals made anew each frame.
import * as THREE from "three";
import { copyOver, creased } from "./crease.js";
import { looksOfMeshes } from "./palette.js";
import { SCALE, Strain } from "./strain.js";

// Triangles that belong to one tetrahedron only, seen from outside.
function surfaceOf(tets) {
  const faces = new Map();
  const corners = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
  for (let e = 0; e < tets.length; e += 4)
    for (const c of corners) {
      const face = c.map((k) => tets[e + k]);
      const key = [...face].sort((a, b) => a - b).join();
      if (faces.has(key)) faces.delete(key);
      else faces.set(key, face);
    }
  return new Uint32Array([...faces.values()].flat());
}

// Area-weighted normals of the vertices.
function computeNormals(x, index, n) {
  n.fill(0);
  for (let e = 0; e < index.length; e += 3) {
    const a = 3 * index[e], b = 3 * index[e + 1], c = 3 * index[e + 2];
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const i of [a, b, c]) {
      n[i] += nx;
      n[i + 1] += ny;
      n[i + 2] += nz;
    }
  }
}

// The triangles of a mesh; those of tetrahedra have vertices of their own at crisp edges.
function trianglesOf(mesh) {
  if (mesh.corners < 3) return { copies: new Uint32Array(0) };
  return mesh.corners === 4 ? creased(mesh.vertices, surfaceOf(mesh.elements)) : { index: mesh.elements, copies: new Uint32Array(0) };
}

function makeObject(mesh, { index, copies }, { colour, opacity }, ghost) {
  const geometry = new THREE.BufferGeometry();
  const numbers = () => new THREE.BufferAttribute(new Float32Array(mesh.vertices.length + 3 * copies.length), 3).setUsage(THREE.DynamicDrawUsage);
  geometry.setAttribute("position", numbers());
  geometry.attributes.position.array.set(mesh.vertices);
  copyOver(geometry.attributes.position.array, copies);
  const look = { color: colour, transparent: ghost || opacity < 1, opacity: ghost ? 0.35 * opacity : opacity };
  if (mesh.corners >= 3) {
    geometry.setAttribute("normal", numbers());
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const material = new THREE.MeshStandardMaterial({ ...look, roughness: 0.7, side: THREE.DoubleSide });
    return new THREE.Mesh(geometry, material);
  }
  if (mesh.corners === 2 && mesh.elements.length) {
    geometry.setIndex(new THREE.BufferAttribute(mesh.elements, 1));
    return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(look));
  }
  return new THREE.Points(geometry, new THREE.PointsMaterial({ ...look, size: 6, sizeAttenuation: false }));
}

const SAMPLES = 200000; // nodes that tell how large strains are

const WHITE = new THREE.Color("#ffffff");

// The scale of strain in fine steps, as linear numbers.
const RAMP = new Float32Array(3 * 256);
const stops = SCALE.map((colour) => new THREE.Color(colour));
for (let i = 0; i < 256; i++) {
  const place = (i / 255) * (stops.length - 1);
  const below = Math.min(Math.floor(place), stops.length - 2);
  stops[below].clone().lerp(stops[below + 1], place - below).toArray(RAMP, 3 * i);
}

export class SoftView {
  constructor(run, { ghost = false } = {}) {
    this.group = new THREE.Group();
    const looks = looksOfMeshes(run);
    this.parts = run.meshes
      .filter((mesh) => !mesh.body && run.channel(`deformable.${mesh.name}.position`))
      .map((mesh, i) => {
        const triangles = trianglesOf(mesh);
        const look = looks.ofDeformable(mesh, i);
        const object = makeObject(mesh, triangles, look, ghost);
        object.frustumCulled = false;
        object.castShadow = !ghost && look.opacity === 1;
        object.receiveShadow = !ghost;
        this.group.add(object);
        return { name: mesh.name, mesh, object, copies: triangles.copies, plain: object.material.color.clone(), strain: null };
      });
    this.strained = false;
    this.most = 0; // strain that has the last colour
  }

  // Whether there are elements that can be strained.
  get elastic() {
    return this.parts.some(({ mesh }) => mesh.corners >= 2 && mesh.elements.length);
  }

  // Colours by strain, or each in its own colour.
  colour(strained) {
    this.strained = strained;
    for (const part of this.parts) {
      const { mesh, object, plain } = part;
      if (mesh.corners < 2 || !mesh.elements.length) continue;
      part.strain ??= new Strain(mesh);
      object.geometry.attributes.color ?? object.geometry.setAttribute("color", object.geometry.attributes.position.clone());
      object.material.vertexColors = strained;
      object.material.color.copy(strained ? WHITE : plain);
      object.material.needsUpdate = true;
    }
  }

  // {largest: of any element in these frames, common: which one node in a hundred exceeds}.
  strainIn(frames) {
    const nodes = [];
    let largest = 0;
    for (const frame of frames)
      for (const { name, strain } of this.parts) {
        const x = strain && frame.numbers(`deformable.${name}.position`);
        if (!x) continue;
        largest = Math.max(largest, strain.set(x));
        const stride = Math.ceil((strain.nodes.length * frames.length) / SAMPLES);
        for (let i = 0; i < strain.nodes.length; i += stride) if (Number.isFinite(strain.nodes[i])) nodes.push(strain.nodes[i]);
      }
    nodes.sort((a, b) => a - b);
    return { largest, common: nodes.length ? nodes[Math.floor(0.99 * (nodes.length - 1))] : 0 };
  }

  #paint({ strain, object, copies }, x) {
    const { color } = object.geometry.attributes;
    strain.set(x);
    for (let i = 0; i < strain.nodes.length; i++) {
      const place = Math.min(1, Math.max(0, strain.nodes[i] / this.most)) * (RAMP.length / 3 - 1);
      const at = 3 * Math.round(Number.isFinite(place) ? place : 0);
      for (let k = 0; k < 3; k++) color.array[3 * i + k] = RAMP[at + k];
    }
    copyOver(color.array, copies);
    color.needsUpdate = true;
  }

  set(frame) {
    for (const part of this.parts) {
      const { name, object } = part;
      const x = frame.numbers(`deformable.${name}.position`);
      const { position, normal } = object.geometry.attributes;
      if (!x) continue;
      if (this.strained && part.strain) this.#paint(part, x);
      position.array.set(x);
      copyOver(position.array, part.copies);
      position.needsUpdate = true;
      object.geometry.boundingSphere = null;
      if (!normal) continue;
      computeNormals(position.array, object.geometry.index.array, normal.array);
      normal.needsUpdate = true;
    }
  }

  pick(ray) {
    const hit = ray.intersectObjects(this.parts.map((part) => part.object), false)[0];
    return hit ? { deformable: this.parts.find((p) => p.object === hit.object).name, distance: hit.distance } : null;
  }

  bounds(box) {
    const point = new THREE.Vector3();
    for (const { object } of this.parts) {
      const { array } = object.geometry.attributes.position;
      for (let i = 0; i < array.length; i += 3) {
        point.fromArray(array, i);
        if (Number.isFinite(point.lengthSq())) box.expandByPoint(point);
      }
    }
  }
}
