// Deformables: the surface of tetrahedra, cloth on both sides, springs as lines, particles as balls; normals made anew each frame.
import * as THREE from "three";
import { colourOf } from "./palette.js";

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

function makeObject(mesh, colour, ghost) {
  const geometry = new THREE.BufferGeometry();
  const position = new THREE.BufferAttribute(new Float32Array(mesh.vertices), 3).setUsage(THREE.DynamicDrawUsage);
  geometry.setAttribute("position", position);
  const look = { color: colour, transparent: ghost, opacity: ghost ? 0.35 : 1 };
  if (mesh.corners >= 3) {
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(mesh.vertices.length), 3));
    geometry.setIndex(new THREE.BufferAttribute(mesh.corners === 4 ? surfaceOf(mesh.elements) : mesh.elements, 1));
    const material = new THREE.MeshStandardMaterial({ ...look, roughness: 0.7, side: THREE.DoubleSide });
    return new THREE.Mesh(geometry, material);
  }
  if (mesh.corners === 2 && mesh.elements.length) {
    geometry.setIndex(new THREE.BufferAttribute(mesh.elements, 1));
    return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(look));
  }
  return new THREE.Points(geometry, new THREE.PointsMaterial({ ...look, size: 6, sizeAttenuation: false }));
}

export class SoftView {
  constructor(run, { ghost = false } = {}) {
    this.group = new THREE.Group();
    this.parts = run.meshes
      .filter((mesh) => !mesh.body && run.channel(`deformable.${mesh.name}.position`))
      .map((mesh, i) => {
        const object = makeObject(mesh, colourOf(run.bodies.length + i), ghost);
        object.frustumCulled = false;
        object.castShadow = object.receiveShadow = !ghost;
        this.group.add(object);
        return { name: mesh.name, object };
      });
  }

  set(frame) {
    for (const { name, object } of this.parts) {
      const x = frame.numbers(`deformable.${name}.position`);
      const { position, normal } = object.geometry.attributes;
      if (!x) continue;
      position.array.set(x);
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
