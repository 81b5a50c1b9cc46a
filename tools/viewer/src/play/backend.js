// Calls to the worker; where a page may not start one, the same in the page's own thread.
import { serve } from "./serve.js";

// `source`: the worker's program as text.
export function startBackend(source) {
  try {
    return new WorkerBackend(new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))));
  } catch {
    const handle = serve();
    return { call: async (name, ...args) => (await handle(name, args)).value };
  }
}

class WorkerBackend {
  constructor(worker) {
    this.worker = worker;
    this.waiting = new Map();
    this.next = 0;
    worker.onmessage = ({ data }) => this.#settle(data);
  }

  call(name, ...args) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, call: name, args });
    });
  }

  #settle({ id, value, fault }) {
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (fault === undefined) resolve(value);
    else reject(new Error(fault));
  }
}
