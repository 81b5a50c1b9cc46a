// Springs, muscles, cables, ropes and distances as lines between points of bodies and nodes; a muscle is redder the more it pulls.
import * as THREE from "three";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { placePoint } from "./points.js";

const LOOKS = {
  spring: { colour: "#3b7dd8", width: 2.5 },
  muscle: { colour: "#c44e52", width: 5 },
  cable: { colour: "#444b55", width: 2.5 },
  rope: { colour: "#8a6d3b", width: 2.5 },
  distance: { colour: "#777f8a", width: 2 },
};
const SLACK = new THREE.Color("#e6b8b9");
const TAUT = new THREE.Color("#b01217");

export class LinesView {
  constructor(run, bodies, { ghost = false } = {}) {
    this.run = run;
    this.bodies = bodies;
    this.group = new THREE.Group();
    const lines = (run.drawing?.lines || []).filter((line) => line.points.length > 1);
    this.kinds = Object.keys(LOOKS)
      .map((kind) => this.#make(kind, lines.filter((line) => line.kind === kind), ghost))
      .filter(Boolean);
    this.strongest = this.#strongest(lines);
  }

  #make(kind, lines, ghost) {
    if (!lines.length) return null;
    const segments = lines.reduce((sum, line) => sum + line.points.length - 1, 0);
    const { colour, width } = LOOKS[kind];
    const material = new LineMaterial({ color: 0xffffff, linewidth: width, vertexColors: true, transparent: ghost, opacity: ghost ? 0.4 : 1 });
    const geometry = new LineSegmentsGeometry();
    const positions = new Float32Array(6 * segments);
    const colours = new Float32Array(6 * segments);
    const object = new LineSegments2(geometry, material);
    object.frustumCulled = false;
    const plain = new THREE.Color(colour);
    for (let i = 0; i < 2 * segments; i++) plain.toArray(colours, 3 * i);
    this.group.add(object);
    return { kind, lines, positions, colours, geometry, object };
  }

  // The largest force of each muscle seen so far gives its colour a scale.
  #strongest(lines) {
    return new Map(lines.filter((line) => line.most).map((line) => [line.name, line.most]));
  }

  set(frame) {
    const v = new THREE.Vector3();
    for (const part of this.kinds) {
      let at = 0;
      for (const line of part.lines)
        for (let i = 0; i + 1 < line.points.length; i++, at += 6) {
          placePoint(v, line.points[i], frame, this.bodies).toArray(part.positions, at);
          placePoint(v, line.points[i + 1], frame, this.bodies).toArray(part.positions, at + 3);
        }
      if (part.kind === "muscle") this.#colour(part, frame);
      part.geometry.setPositions(part.positions);
      part.geometry.setColors(part.colours);
    }
  }

  // The pull of a muscle is the third number of its channel.
  #colour(part, frame) {
    const channel = this.run.channel("muscle");
    const x = frame.numbers("muscle");
    const colour = new THREE.Color();
    let at = 0;
    for (const line of part.lines) {
      const i = channel ? (channel.items_names || []).indexOf(line.name) : -1;
      const pull = i < 0 || !line.most ? 0.5 : Math.min(Math.max(x[i * channel.width + 2] / line.most, 0), 1);
      colour.lerpColors(SLACK, TAUT, pull);
      for (let n = 0; n < 2 * (line.points.length - 1); n++, at += 3) colour.toArray(part.colours, at);
    }
  }

  bounds(box) {
    const point = new THREE.Vector3();
    for (const { positions } of this.kinds)
      for (let i = 0; i < positions.length; i += 3) {
        point.fromArray(positions, i);
        if (Number.isFinite(point.lengthSq())) box.expandByPoint(point);
      }
  }
}
