// Points of the DRAW record (io/README.md): of a body, of space, or the mean of a deformable's nodes.
import * as THREE from "three";

// Puts the point where the frame has it into `v`.
export function placePoint(v, point, frame, bodies) {
  v.set(...(point.at || [0, 0, 0]));
  if (point.deformable) {
    const x = frame.numbers(`deformable.${point.deformable}.position`);
    if (x) mean(v, x, point.nodes || [point.node]);
  } else if (point.body !== undefined) v.applyMatrix4(bodies.poses[point.body]);
  return v;
}

function mean(v, x, nodes) {
  v.set(0, 0, 0);
  for (const node of nodes) for (let k = 0; k < 3; k++) v.setComponent(k, v.getComponent(k) + x[3 * node + k] / nodes.length);
}

// A direction in the axes of the point's body; of space and of nodes it is the world's.
export function turnDirection(v, point, bodies) {
  return point?.body === undefined ? v : v.applyQuaternion(new THREE.Quaternion().setFromRotationMatrix(bodies.poses[point.body]));
}
