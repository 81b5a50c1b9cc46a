// How well a picture is drawn. At rest it has smooth edges and shadows; while it moves these give way, one after the other, on machines
// that would be too slow with them (drawing in software, for one), and come back when it rests.
import * as THREE from "three";

const SLOW = 45; // ms from picture to picture, beyond which something gives way
const PATIENCE = 6; // pictures in a row that are late; one that is very late counts for up to three
const REST = 160; // ms without a change until the fine picture is drawn
export const PLAIN_EDGES = 1; // what gives way, in this order
export const NO_SHADOWS = 2;
export const FEWER_PIXELS = 3;

// Pictures with smooth edges, drawn aside and copied, so that plain ones cost nothing of it.
export class Smooth {
  constructor(renderer) {
    this.renderer = renderer;
    // marked as a headset's, so that colours are encoded in it as on the screen
    this.target = new THREE.WebGLRenderTarget(1, 1, { samples: 4, colorSpace: THREE.SRGBColorSpace, internalFormat: "RGBA8" });
    this.target.isXRRenderTarget = true;
    this.target.scissorTest = true;
    this.camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    const material = new THREE.ShaderMaterial({
      uniforms: { picture: { value: this.target.texture } },
      depthTest: false,
      depthWrite: false,
      vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
      fragmentShader: "varying vec2 at; uniform sampler2D picture; void main() { gl_FragColor = texture2D(picture, at); }",
    });
    this.quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.quad.frustumCulled = false;
  }

  // `draw(target)` draws into the target.
  render(draw) {
    const { renderer, target } = this;
    const size = renderer.getDrawingBufferSize(new THREE.Vector2());
    target.setSize(size.x, size.y);
    draw(target);
    renderer.setRenderTarget(null);
    const { x, y } = renderer.getSize(new THREE.Vector2());
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, x, y);
    renderer.render(this.quad, this.camera);
  }
}

// Watches how fast pictures follow one another; `level` is how much has given way.
export class Pace {
  constructor() {
    Object.assign(this, { level: 0, late: 0, last: null });
  }

  // A picture was drawn at `now`; true where a level was reached.
  drew(now) {
    const passed = this.last === null ? 0 : now - this.last;
    this.last = now;
    this.late = passed > SLOW && passed < 2000 ? this.late + Math.min(3, Math.floor(passed / SLOW)) : 0;
    if (this.late < PATIENCE || this.level === FEWER_PIXELS) return false;
    this.late = 0;
    this.level++;
    return true;
  }

  // Nothing is to be drawn at `now`; whether it has been so for long enough.
  rests(now) {
    const passed = this.last === null ? Infinity : now - this.last;
    return passed > REST;
  }

  // What comes next is no part of a movement.
  stop() {
    this.late = 0;
    this.last = null;
  }
}
