// zlib streams (RFC 1950): large ones by the platform's own inflater, small ones at once.
import { Fault } from "./fault.js";
import { unzlib } from "./unzlib.js";

const SMALL = 1 << 15; // bytes that come out

// Exactly `size` bytes, else a Fault; at once for small ones.
export function inflate(bytes, size) {
  return size <= SMALL ? unzlib(bytes, size) : inflateStream(bytes, size);
}

// A stream that holds more is cut off as soon as it says so.
async function inflateStream(bytes, size) {
  const out = new Uint8Array(size);
  let filled = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (filled + value.length > size) throw new Fault(`a zlib stream holds more than ${size} bytes`);
      out.set(value, filled);
      filled += value.length;
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error instanceof Fault ? error : new Fault("a zlib stream is damaged");
  }
  if (filled !== size) throw new Fault(`a zlib stream holds ${filled} bytes where ${size} were wanted`);
  return out;
}
