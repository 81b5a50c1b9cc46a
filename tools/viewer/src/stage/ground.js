// A grid under everything for the eye to stand on, and the planes of the scene as grids.
import * as THREE from "three";

const NO_COLOUR = [0, 0, 0, 0];

// Lines at whole multiples of a round step, over a colour where there is one; both fade with the distance from the middle.
function gridMaterial(step, reach, dark, color) {
  const [red, green, blue, opacity] = color || NO_COLOUR; // as screens have them: the picture takes them as they are
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    uniforms: { step: { value: step }, reach: { value: reach }, ink: { value: new THREE.Color(dark ? "#9aa7b5" : "#5b6875") }, fill: { value: new THREE.Vector4(red, green, blue, opacity) } },
    vertexShader: "varying vec2 at; void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `
      varying vec2 at; uniform float step, reach; uniform vec3 ink; uniform vec4 fill;
      float lines(float every) {
        vec2 u = at / every, d = fwidth(u), a = abs(fract(u - 0.5) - 0.5) / d;
        return (1.0 - min(min(a.x, a.y), 1.0)) * clamp(1.0 - 2.0 * max(d.x, d.y), 0.0, 1.0);
      }
      void main() {
        float fade = smoothstep(1.0, 0.25, length(at) / reach);
        float line = max(0.22 * lines(step), 0.5 * lines(5.0 * step));
        float opaque = line + (1.0 - line) * fill.a;
        gl_FragColor = vec4(mix(fill.rgb * fill.a, ink, line) / max(opaque, 1e-6), fade * opaque);
      }`,
  });
}

// 1, 2 or 5 times a power of ten, near x.
export function roundStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].find((m) => m * power >= x * 0.999) * power;
}

// A square grid with its normal along `normal` through `through`.
export function makeGrid(normal, through, size, dark, color) {
  const step = roundStep(size / 10);
  const reach = 4 * size;
  const grid = new THREE.Mesh(new THREE.PlaneGeometry(2 * reach, 2 * reach), gridMaterial(step, reach, dark, color));
  grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  grid.position.copy(through);
  grid.renderOrder = -1;
  return grid;
}

// What shadows fall on.
export function makeShade(normal, through, size) {
  const shade = new THREE.Mesh(new THREE.PlaneGeometry(8 * size, 8 * size), new THREE.ShadowMaterial({ opacity: 0.18 }));
  shade.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  shade.position.copy(through);
  shade.receiveShadow = true;
  return shade;
}
