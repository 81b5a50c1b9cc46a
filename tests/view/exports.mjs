// Exports for other programs against the numbers of `export --format json`: glb by the Khronos validator and by reading its accessors,
// VTK by VTK's own readers where Debian's python3-vtk9 is installed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { COLOURS } from "../../tools/viewer/src/stage/palette.js";
import { exported, file, mbsim, runScene } from "./mbsim.mjs";
import { colourful } from "./scenes.mjs";

const validator = createRequire(new URL("../../tools/viewer/", import.meta.url))("gltf-validator");

// Rigid bodies, cloth, tetrahedra, bodies with a net of springs.
const SCENES = ["redmax/robot_arm", "projective/hanging_cloth", "projective/jelly_ball", "deformables/soft_arm", "redmax/net"];

const runOf = (name) => runScene(`scenes/${name}.json`, `${name.split("/")[1]}-export`, "--duration", "0.3");

function readGlb(path) {
  const bytes = readFileSync(path);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
  const start = 20 + length + 8;
  const numbers = (i) => {
    const { bufferView, byteOffset, count, type } = json.accessors[i];
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
    const at = start + json.bufferViews[bufferView].byteOffset + byteOffset;
    return Array.from({ length: count * width }, (_, k) => bytes.readFloatLE(at + 4 * k));
  };
  return { json, numbers };
}

function glbOf(name) {
  const out = file(`${name.split("/")[1]}.glb`);
  if (!existsSync(out)) mbsim("export", runOf(name), "-o", out);
  return out;
}

async function valid() {
  for (const name of SCENES) {
    const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(glbOf(name))));
    assert.equal(issues.numErrors + issues.numWarnings, 0, `${name}: ${JSON.stringify(issues.messages)}`);
  }
}

// glTF has floats: places agree to their rounding, at four times.
async function bodiesInGlb() {
  const { frames } = exported(runOf("redmax/robot_arm"));
  const { json, numbers } = readGlb(glbOf("redmax/robot_arm"));
  const times = numbers(0);
  assert.equal(times.length, frames.length);
  const body = json.nodes.findIndex((n) => n.name === "hand" || n.name === json.nodes.at(-1).name) - 1;
  const places = numbers(1 + 2 * body);
  const turns = numbers(2 + 2 * body);
  for (const k of [0, 1, 2, 3].map((i) => Math.floor((i * (frames.length - 1)) / 3))) {
    frames[k]["body.position"][body].forEach((x, i) => assert.ok(Math.abs(places[3 * k + i] - x) < 1e-6));
    const [w, ...v] = frames[k]["body.rotation"][body];
    const dot = turns[4 * k + 3] * w + v.reduce((sum, x, i) => sum + x * turns[4 * k + i], 0);
    assert.ok(Math.abs(Math.abs(dot) - 1) < 1e-6);
  }
}

// The base and one target at a time are the frames that were kept.
async function clothInGlb() {
  const path = runOf("projective/hanging_cloth");
  const { frames } = exported(path);
  const out = file("thinned.glb");
  mbsim("export", path, "-o", out, "--max-targets", "5");
  const { json, numbers } = readGlb(out);
  const [{ attributes, targets }] = json.meshes[0].primitives;
  assert.equal(targets.length, 4);
  const base = numbers(attributes.POSITION);
  targets.forEach(({ POSITION }, t) => {
    const k = Math.floor(((t + 1) * (frames.length - 1)) / 4);
    const added = numbers(POSITION);
    frames[k]["deformable.cloth.position"].flat().forEach((x, i) => assert.ok(Math.abs(base[i] + added[i] - x) < 1e-6));
  });
}

async function colours() {
  const { json } = readGlb(glbOf("redmax/robot_arm"));
  const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  json.materials.forEach(({ pbrMetallicRoughness }, i) => {
    const hex = COLOURS[i % COLOURS.length];
    [0, 1, 2].forEach((k) => {
      const x = linear(parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16) / 255);
      assert.ok(Math.abs(pbrMetallicRoughness.baseColorFactor[k] - x) < 1e-6, `colour ${i} is ${hex}`);
    });
  });
}

// What the scene gives a colour has it, in linear light; what is seen through is blended.
async function ownColours() {
  const out = file("colourful.glb");
  mbsim("export", runScene(colourful, "colourful"), "-o", out);
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(out)));
  assert.equal(issues.numErrors + issues.numWarnings, 0, JSON.stringify(issues.messages));
  const { json } = readGlb(out);
  const look = ({ material }) => {
    const { alphaMode = "OPAQUE", pbrMetallicRoughness: { baseColorFactor } } = json.materials[material];
    return [alphaMode, ...baseColorFactor.map((x) => Math.round(1e4 * x) / 1e4)];
  };
  const looks = Object.fromEntries(json.meshes.map(({ name, primitives }) => [name, primitives.map(look)]));
  assert.deepEqual(looks.post, [["OPAQUE", 1, 0, 0, 1], ["BLEND", 0, 0, 1, 0.5], ["BLEND", 1, 1, 1, 0]]);
  assert.deepEqual(looks.tyre, [["OPAQUE", 0.0331, 0.0331, 0.0331, 1]]);
  assert.deepEqual(looks.net, [["OPAQUE", 1, 0, 1, 1]]);
  assert.deepEqual(json.meshes.find(({ name }) => name === "plain").primitives[0].material, 2, "the one of its place");
}

const READ_VTK = `
import json, sys
import vtk
from vtk.util.numpy_support import vtk_to_numpy
out = {}
for path in sys.argv[1:]:
    reader = vtk.vtkXMLUnstructuredGridReader() if path.endswith("vtu") else vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    points = vtk_to_numpy(data.GetPoints().GetData())
    names = [data.GetPointData().GetArrayName(i) for i in range(data.GetPointData().GetNumberOfArrays())]
    out[path] = {"points": points.tolist(), "type": str(points.dtype), "cells": data.GetNumberOfCells(), "arrays": names,
                 "errors": reader.GetErrorCode()}
print(json.dumps(out))
`;

// Green's strain by NumPy from what a file's own points and displacements say, and whether what is in the file is that.
const CHECK_STRAIN = `
import json, sys
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy
out = {}
for path in sys.argv[1:]:
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    field = lambda of, name: vtk_to_numpy(of.GetArray(name)) if of.HasArray(name) else None
    x = vtk_to_numpy(data.GetPoints().GetData())
    rest = x - field(data.GetPointData(), "displacement")
    strain, largest = field(data.GetCellData(), "strain"), field(data.GetCellData(), "principal strain")
    cells = vtk_to_numpy(data.GetCells().GetConnectivityArray()).reshape(data.GetNumberOfCells(), -1)
    edges = lambda y: np.swapaxes(y[cells[:, 1:]] - y[cells[:, :1]], 1, 2)
    D, d = edges(rest), edges(x)
    P = np.linalg.svd(D, full_matrices=False)[0]  # directions of the elements at rest
    T = np.swapaxes(P, 1, 2)
    F = d @ np.linalg.inv(T @ D)
    E = (np.swapaxes(F, 1, 2) @ F - np.eye(D.shape[2])) / 2
    W = P @ E @ T
    own = np.stack([W[:, i, k] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))] + [np.linalg.eigvalsh(E)[:, -1]], axis=1)
    worst, size = np.abs(own - np.column_stack([strain, largest])).max(), np.abs(own).max()
    velocity = field(data.GetPointData(), "velocity")
    out[path] = {"worst": worst, "size": size, "velocity": None if velocity is None else velocity.tolist(), "rest": rest.tolist(),
                 "channel": None if data.GetFieldData().GetArray("largest strain") is None else data.GetFieldData().GetArray("largest strain").GetValue(0)}
print(json.dumps(out))
`;

// By the system's Python, which has Debian's module.
function hasVtk() {
  try {
    execFileSync("/usr/bin/python3", ["-c", "import vtk"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function vtk() {
  const path = runOf("deformables/soft_arm");
  const folder = file("soft.vtk");
  mbsim("export", path, "-o", folder);
  const { frames } = exported(path);
  const listing = readFileSync(`${folder}/deformable.hand.pvd`, "utf8");
  const listed = [...listing.matchAll(/timestep="([^"]*)" file="([^"]*)"/g)].map((m) => [Number(m[1]), m[2]]);
  assert.deepEqual(listed.map(([t]) => t), frames.map((f) => f.time));
  if (!hasVtk()) {
    console.log("        python3-vtk9 is not installed: VTK's own readers are not asked");
    return;
  }
  const k = frames.length - 1;
  const files = [`${folder}/${listed[k][1]}`, `${folder}/places/${String(k).padStart(6, "0")}.vtp`, `${folder}/bodies/${String(k).padStart(6, "0")}.vtp`];
  const read = JSON.parse(execFileSync("/usr/bin/python3", ["-c", READ_VTK, ...files], { maxBuffer: 2 ** 28 }).toString());
  const [soft, places, bodies] = files.map((f) => read[f]);
  assert.deepEqual([soft.errors, places.errors, bodies.errors], [0, 0, 0]);
  assert.equal(soft.type, "float64");
  assert.deepEqual(soft.points, frames[k]["deformable.hand.position"], "places to the last bit");
  assert.deepEqual(places.points, frames[k]["body.position"], "places to the last bit");
  assert.ok(soft.arrays.includes("displacement") && soft.cells > 0 && bodies.cells > 0);
}

// Of tetrahedra, cloth and springs: strain as NumPy has it, velocities as the export has them, displacement 0 at the start.
async function vtkStrain() {
  if (!hasVtk()) return console.log("        python3-vtk9 is not installed: VTK's own readers are not asked");
  const cases = { "projective/jelly_ball": "ball", "projective/hanging_cloth": "cloth", "redmax/net": "net" };
  for (const [name, deformable] of Object.entries(cases)) {
    const channels = ["position", "velocity", "strain"].map((c) => `deformable.${deformable}.${c}`);
    if (name === "redmax/net") channels.pop();
    const settings = ["--set", `/output/channels=${JSON.stringify(channels)}`];
    if (deformable === "ball") settings.push("--set", '/deformables/0/pose={"position": [1, 2, 3], "rotation": {"axis": [1, 2, 3], "angle": 1}}');
    const path = runScene(`scenes/${name}.json`, `${name.split("/")[1]}-vtk`, "-d", "0.3", "--error", "0", ...settings);
    const folder = file(`${deformable}.vtk`);
    mbsim("export", path, "-o", folder);
    const { frames } = exported(path);
    const files = [0, frames.length - 1].map((k) => `${folder}/deformable.${deformable}/${String(k).padStart(6, "0")}.vtu`);
    const read = JSON.parse(execFileSync("/usr/bin/python3", ["-c", CHECK_STRAIN, ...files], { maxBuffer: 2 ** 28, env: { ...process.env, OPENBLAS_NUM_THREADS: "1" } }).toString());
    const [first, last] = files.map((f) => read[f]);
    assert.ok(last.worst < 1e-12 * Math.max(1, last.size) && last.size > 1e-4, `${name}: ${last.worst} beside ${last.size}`);
    assert.deepEqual(last.velocity, frames.at(-1)[channels[1]], `${name}: velocities to the last bit`);
    const start = frames[0][channels[0]];
    first.rest.forEach((p, i) => p.forEach((z, k) => assert.ok(Math.abs(z - start[i][k]) < 1e-12, `${name}: the pose is no displacement`)));
    assert.equal(last.channel, channels[2] ? frames.at(-1)[channels[2]].flat()[0] : null);
  }
}

export default {
  "glb is valid for bodies, cloth, tetrahedra and nets": valid,
  "glb has bodies where the export has them": bodiesInGlb,
  "glb has deformables where the export has them": clothInGlb,
  "glb has the page's colours": colours,
  "glb has the colours that a scene gives": ownColours,
  "VTK's files are read by VTK, with the export's numbers": vtk,
  "VTK's files hold the strain of tetrahedra, cloth and springs": vtkStrain,
};
