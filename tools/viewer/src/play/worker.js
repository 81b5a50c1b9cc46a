// The worker: opens trajectories and decodes chunks, away from the page's thread. Calls are {id, call, args}, answers {id, value} or {id, fault}.
import { serve } from "./serve.js";

const handle = serve();
self.onmessage = async ({ data: { id, call, args } }) => {
  try {
    const { value, transfer } = await handle(call, args);
    self.postMessage({ id, value }, transfer);
  } catch (error) {
    self.postMessage({ id, fault: error.message });
  }
};
