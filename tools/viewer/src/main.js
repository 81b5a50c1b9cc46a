// Where the page begins: runs that stand in it, or files that are chosen or dropped.
import workerProgram from "worker:./play/worker.js";
import { startBackend } from "./play/backend.js";
import { Run } from "./play/run.js";
import { App } from "./ui/app.js";

const backend = startBackend(workerProgram);
const fault = document.getElementById("fault");
let showing = false;

async function open(given) {
  if (showing) return location.reload(); // another file: from the start
  fault.textContent = "";
  const runs = [];
  for (const { name, data } of given.slice(0, 2)) {
    try {
      runs.push(await Run.open(backend, data, name));
    } catch (error) {
      fault.textContent += `${name}: ${error.message}\n`;
    }
  }
  if (!runs.length) return offer();
  showing = true;
  if (runs.length > 1 && runs[0].name === runs[1].name) runs[1].name += " (second)";
  const report = document.getElementById("mbsim-report");
  const app = new App(runs, report && JSON.parse(report.textContent));
  window.mbsim = app;
  await app.start();
}

// Asks for files, where those in the page are of no use.
function offer() {
  document.getElementById("choose").hidden = false;
  document.getElementById("coming").hidden = true;
}

const filesOf = (list) => Array.from(list, (file) => ({ name: file.name, data: file }));

document.getElementById("files").onchange = (event) => open(filesOf(event.target.files));
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("over");
});
addEventListener("dragleave", () => document.body.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  open(filesOf(event.dataTransfer.files));
});

// Runs that stand in the page, which index.html has taken out of it.
if (mbsimData.length) open(mbsimData.map(({ name, pieces }) => ({ name, data: { base64: new Blob(pieces) } })));
