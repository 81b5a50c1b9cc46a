// The picture: one or two runs under one camera, lights, ground; orbiting, fitting, picking. Draws only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { BodiesView } from "./bodies.js";
import { ForcesView } from "./forces.js";
import { LinesView } from "./lines.js";
import { MarksView } from "./marks.js";
import { SoftView } from "./soft.js";
import { makeGrid, makeShade } from "./ground.js";
import { FEWER_PIXELS, NO_SHADOWS, Pace, PLAIN_EDGES, Smooth } from "./quality.js";

const VIEWS = {
  "+x": [1, 0, 0], "-x": [-1, 0, 0], "+y": [0, 1, 0], "-y": [0, -1, 0], "+z": [0, 0, 1], "-z": [0, 0, -1],
};
const MARGIN = 1.12; // about what is fitted into the picture
const MANY = 400; // bodies, above which shadows are left out
const LEVEL = 0.9999; // cosine to the upward direction, of a plane that is the floor

export class Stage {
  constructor(canvas, { dark }) {
    this.canvas = canvas;
    this.dark = dark;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false });
    this.smooth = new Smooth(this.renderer);
    this.pace = new Pace();
    this.coarse = false; // the picture is not as fine as it would be at rest
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.views = [];
    this.side = false;
    this.follow = null; // {view, body}
    this.dirty = true;
    this.drawn = 0;
    this.#lights();
    this.#cameras();
    this.theme(dark);
  }

  #lights() {
    this.sky = new THREE.HemisphereLight("#ffffff", "#aab3bd", 1.5);
    this.sun = new THREE.DirectionalLight("#ffffff", 1.9);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.001; // cloth that is seen from behind must not shade itself
    this.sun.shadow.normalBias = 0.02;
    this.lamp = new THREE.DirectionalLight("#ffffff", 0.9); // from the camera, so that nothing seen is black
    this.scene.add(this.sky, this.sun, this.sun.target, this.lamp, this.lamp.target);
  }

  #cameras() {
    this.perspective = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
    this.camera = this.perspective;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.touch());
  }

  touch() {
    this.dirty = true;
  }

  theme(dark) {
    this.dark = dark;
    this.scene.background = new THREE.Color(dark ? "#15191e" : "#f4f6f8");
    this.views.forEach((view) => this.#ground(view));
    this.touch();
  }

  // Adds a run; the second one is a ghost until it stands beside the first.
  add(run, up) {
    const ghost = this.views.length > 0;
    const view = { run, root: new THREE.Group(), ghost, up: new THREE.Vector3(...up).normalize() };
    view.bodies = new BodiesView(run, { ghost });
    view.soft = new SoftView(run, { ghost });
    view.lines = new LinesView(run, view.bodies, { ghost });
    view.lines.group.visible = view.bodies.placed || !run.bodies.length;
    view.forces = new ForcesView(run, view.bodies, { ghost });
    view.root.add(view.bodies.group, view.soft.group, view.lines.group, view.forces.group);
    this.scene.add(view.root);
    this.views.push(view);
    if (!ghost) {
      for (const camera of [this.perspective, this.orthographic]) camera.up.copy(view.up);
      this.controls.dispose();
      this.#cameraControls();
    }
    this.shadows = run.bodies.length <= MANY;
    return view;
  }

  // OrbitControls takes the camera's up when it is made.
  #cameraControls() {
    const target = this.controls.target.clone();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(target);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.touch());
  }

  // Puts a run where its frame has it.
  set(view, frame) {
    view.bodies.set(frame);
    view.soft.set(frame);
    view.lines.set(frame);
    view.marks?.set();
    view.forces.set(frame, this.size);
    if (this.follow?.view === view) this.#chase();
    this.touch();
  }

  #chase() {
    const now = new THREE.Vector3().setFromMatrixPosition(this.follow.view.bodies.poses[this.follow.body]);
    const way = now.clone().sub(this.controls.target);
    if (!Number.isFinite(way.lengthSq())) return;
    this.controls.target.copy(now);
    this.camera.position.add(way);
    this.controls.update();
  }

  followBody(view, body) {
    this.follow = body === null ? null : { view, body };
    if (this.follow) this.#chase();
  }

  bounds(box = new THREE.Box3()) {
    for (const { bodies, soft, lines } of this.views) [bodies, soft, lines].forEach((part) => part.bounds(box));
    return box;
  }

  // Sizes what depends on the size of the scene: lights, grid, marks. `box` holds the run's motion.
  settle(box) {
    const ball = box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 1) : box.getBoundingSphere(new THREE.Sphere());
    this.size = ball.radius > 0 ? ball.radius : 1;
    this.middle = ball.center;
    this.box = box;
    const { camera } = this.sun.shadow;
    Object.assign(camera, { left: -2 * this.size, right: 2 * this.size, top: 2 * this.size, bottom: -2 * this.size });
    Object.assign(camera, { near: 0.1 * this.size, far: 12 * this.size });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * this.size;
    const up = this.views[0].up;
    const aside = new THREE.Vector3(0.5, -0.8, 0.3).projectOnPlane(up).normalize();
    this.sun.position.copy(ball.center).addScaledVector(up, 4.5 * this.size).addScaledVector(aside, 3 * this.size);
    this.sun.target.position.copy(ball.center);
    for (const view of this.views) {
      view.marks ??= new MarksView(view.run, view.bodies, 0.25 * this.size);
      view.root.add(view.marks.group);
      this.#ground(view);
    }
  }

  #ground(view) {
    if (!this.size || view !== this.views[0]) return;
    if (this.floor) this.scene.remove(...this.floor);
    const up = view.up;
    const planes = planesOf(view);
    const level = planes.find((plane) => plane.normal.dot(up) > LEVEL); // what things lie on, else a floor under all of them
    const low = this.box.isEmpty() ? 0 : Math.min(...cornersOf(this.box).map((c) => c.dot(up)));
    const height = level ? level.through.dot(up) : low - 0.002 * this.size;
    const through = this.middle.clone().addScaledVector(up, height - this.middle.dot(up));
    this.floor = [makeGrid(up, through, this.size, this.dark, level?.color), makeShade(up, through, this.size)]; // the second one is for shadows
    for (const plane of planes.filter((other) => other !== level))
      this.floor.push(makeGrid(plane.normal, plane.through, this.size, this.dark, plane.color));
    this.scene.add(...this.floor);
  }

  // Looks at everything from the present direction, or from one of the six axes' ends.
  fit(direction = null, box = this.bounds()) {
    const ball = box.isEmpty() ? new THREE.Sphere(this.middle, this.size) : box.getBoundingSphere(new THREE.Sphere());
    const radius = Math.max(ball.radius, 0.02 * this.size);
    const away = direction
      ? new THREE.Vector3(...(VIEWS[direction] || direction))
      : this.camera.position.clone().sub(this.controls.target);
    if (away.lengthSq() === 0) away.set(1, -1, 0.5);
    if (away.clone().normalize().cross(this.camera.up).lengthSq() < 1e-6)
      away.add(new THREE.Vector3(0.001, 0.0013, 0.0007)); // straight from above: the camera needs a side that is up
    const { distance, height } = this.#frame(box, ball.center, away.normalize(), radius);
    this.controls.target.copy(ball.center);
    this.camera.position.copy(ball.center).addScaledVector(away, distance);
    this.#depth(distance);
    if (this.camera === this.orthographic) {
      this.orthographic.zoom = (this.orthographic.top - this.orthographic.bottom) / height;
      this.orthographic.updateProjectionMatrix();
    }
    this.controls.update();
    this.touch();
  }

  // How far away from its centre the camera sees the whole box, which is of that radius, and how high what it sees is there.
  #frame(box, centre, away, radius) {
    const up = Math.tan((this.perspective.fov * Math.PI) / 360) / MARGIN;
    const aside = up * this.perspective.aspect;
    const x = new THREE.Vector3().crossVectors(this.camera.up, away).normalize();
    const y = new THREE.Vector3().crossVectors(away, x);
    let distance = radius / up / 4; // not too near to what is flat
    let height = radius / 2;
    for (const corner of box.isEmpty() ? [] : cornersOf(box)) {
      corner.sub(centre);
      const [right, high] = [Math.abs(corner.dot(x)), Math.abs(corner.dot(y))];
      distance = Math.max(distance, corner.dot(away) + Math.max(right / aside, high / up));
      height = Math.max(height, 2 * MARGIN * Math.max(high, right / this.perspective.aspect));
    }
    return box.isEmpty() ? { distance: radius / up, height: 2 * MARGIN * radius } : { distance, height };
  }

  // A first look: from before, from the side and a little from above.
  firstLook() {
    const up = this.views[0].up;
    const forward = new THREE.Vector3(0.55, -1, 0).projectOnPlane(up);
    if (forward.lengthSq() < 1e-6) forward.set(0, 0, 1);
    this.fit(forward.normalize().addScaledVector(up, 0.42).toArray(), this.box);
  }

  #depth(distance) {
    this.perspective.near = distance / 500;
    this.perspective.far = distance * 30 + 20 * this.size;
    this.perspective.updateProjectionMatrix();
  }

  setOrthographic(on) {
    const from = this.camera;
    this.camera = on ? this.orthographic : this.perspective;
    if (from === this.camera) return;
    this.camera.position.copy(from.position);
    this.camera.quaternion.copy(from.quaternion);
    this.controls.object = this.camera;
    if (on) {
      const height = 2 * from.position.distanceTo(this.controls.target) * Math.tan((this.perspective.fov * Math.PI) / 360);
      this.orthographic.zoom = (this.orthographic.top - this.orthographic.bottom) / height;
      this.orthographic.near = -100 * this.size;
      this.orthographic.far = 100 * this.size;
    }
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touch();
  }

  resize(width, height) {
    if (width < 1 || height < 1) return;
    this.#sharpness(0);
    this.renderer.setSize(width, height, false);
    const aspect = (this.side ? width / 2 : width) / height;
    this.perspective.aspect = aspect;
    Object.assign(this.orthographic, { left: -aspect, right: aspect });
    this.perspective.updateProjectionMatrix();
    this.orthographic.updateProjectionMatrix();
    this.touch();
  }

  // Two runs beside one another, or in the same place.
  setSide(on) {
    this.side = on && this.views.length > 1;
    const { width, height } = this.canvas.getBoundingClientRect();
    this.resize(width, height);
  }

  #sharpness(level) {
    const full = Math.min(window.devicePixelRatio || 1, 2);
    const ratio = level >= FEWER_PIXELS ? full / 1.5 : full;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
  }

  // Draws what has changed; what rests is drawn as finely as it can be. True where something was drawn.
  draw(now = performance.now()) {
    if (this.dirty) {
      this.dirty = false;
      this.drawn++;
      this.pace.drew(now);
      this.#render(this.pace.level);
      this.coarse = this.pace.level > 0;
      return true;
    }
    if (!this.pace.rests(now)) return false;
    this.pace.stop();
    if (!this.coarse) return false;
    this.coarse = false;
    this.#render(0);
    return true;
  }

  // `level`: what gives way (quality.js).
  #render(level) {
    this.#sharpness(level);
    this.sun.castShadow = this.shadows && level < NO_SHADOWS;
    if (this.floor) this.floor[1].visible = this.sun.castShadow;
    this.lamp.position.copy(this.camera.position);
    this.lamp.target.position.copy(this.controls.target);
    if (level < PLAIN_EDGES) this.smooth.render((target) => this.#drawAll(target));
    else this.#drawAll(null);
  }

  #drawAll(target) {
    const { x: width, y: height } = this.renderer.getSize(new THREE.Vector2());
    if (!this.side) return this.#drawViews(target, this.views, 0, width, height);
    this.views.forEach((view, i) => this.#drawViews(target, [view], (i * width) / 2, width / 2, height));
  }

  #drawViews(target, shown, x, width, height) {
    const { renderer } = this;
    const ratio = renderer.getPixelRatio();
    this.views.forEach((view) => (view.root.visible = shown.includes(view)));
    renderer.setScissorTest(true);
    renderer.setViewport(x, 0, width, height);
    renderer.setScissor(x, 0, width, height);
    target?.viewport.set(x * ratio, 0, width * ratio, height * ratio);
    target?.scissor.copy(target.viewport);
    renderer.setRenderTarget(target);
    renderer.render(this.scene, this.camera);
  }

  // What lies under a point of the canvas, in CSS pixels, as {view, body} or {view, deformable}; null where nothing does.
  pick(x, y) {
    const { width, height } = this.canvas.getBoundingClientRect();
    const half = this.side ? width / 2 : width;
    const shown = this.side ? [this.views[x < half ? 0 : 1]] : this.views;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((x % half) / half) * 2 - 1, 1 - (y / height) * 2), this.camera);
    const hits = shown
      .flatMap((view) => [view.bodies.pick(ray), view.soft.pick(ray)].map((hit) => hit && { view, ...hit }))
      .filter(Boolean);
    return hits.sort((a, b) => a.distance - b.distance)[0] || null;
  }

  // Where a point in the world is on the canvas, in CSS pixels, or null behind the camera.
  project(point) {
    const { width, height } = this.canvas.getBoundingClientRect();
    const p = point.clone().project(this.camera);
    return p.z > 1 ? null : [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
  }
}

const cornersOf = (box) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new THREE.Vector3(...[1, 2, 4].map((bit, k) => (i & bit ? box.max : box.min).getComponent(k))));

// The scene's planes, in the world.
function planesOf({ run, bodies }) {
  return (run.drawing?.planes || []).map(({ body, normal, through, color }) => ({
    color,
    normal: new THREE.Vector3(...normal).transformDirection(bodies.poses[body]),
    through: new THREE.Vector3(...through).applyMatrix4(bodies.poses[body]),
  }));
}
