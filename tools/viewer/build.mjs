// Makes the page: bundles the sources and puts script and style into src/index.html. Argument: the file to write.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const options = { bundle: true, minify: true, format: "iife", target: "es2022", legalComments: "none", write: false };

// import text from "worker:PATH": the bundled program of a worker, as text.
const workers = {
  name: "workers",
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.slice("worker:".length)),
      namespace: "worker",
    }));
    build.onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => {
      const made = await esbuild.build({ ...options, entryPoints: [path] });
      return { contents: made.outputFiles[0].text, loader: "text" };
    });
  },
};

// "</script" within a script would end it.
const inScript = (text) => text.replaceAll("</script", "<\\/script");

const made = await esbuild.build({ ...options, entryPoints: [resolve(here, "src/main.js")], plugins: [workers] });
const style = readFileSync(resolve(here, "node_modules/uplot/dist/uPlot.min.css"), "utf8") + readFileSync(resolve(here, "src/style.css"), "utf8");
const licences = ["three", "uplot"]
  .map((name) => `${name}: ${readFileSync(resolve(here, `node_modules/${name}/LICENSE`), "utf8").trim()}`)
  .join("\n\n")
  .replaceAll("--", "- -");
const page = readFileSync(resolve(here, "src/index.html"), "utf8")
  .replace("<title>", () => `<!--\nThis page holds:\n\n${licences}\n-->\n<title>`)
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => inScript(made.outputFiles[0].text));
writeFileSync(process.argv[2], page);
