// CRC-32 as in zlib, PNG and gzip, four bytes at a time.

const TABLES = makeTables();

function makeTables() {
  const tables = [0, 1, 2, 3].map(() => new Uint32Array(256));
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    tables[0][n] = c;
  }
  for (let n = 0; n < 256; n++)
    for (let k = 1; k < 4; k++) {
      const c = tables[k - 1][n];
      tables[k][n] = tables[0][c & 255] ^ (c >>> 8);
    }
  return tables;
}

// The CRC of a Uint8Array.
export function crc32(bytes) {
  const [t0, t1, t2, t3] = TABLES;
  const n = bytes.length;
  const whole = n - (n % 4);
  let c = 0xffffffff;
  let i = 0;
  for (; i < whole; i += 4) {
    c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    c = t3[c & 255] ^ t2[(c >>> 8) & 255] ^ t1[(c >>> 16) & 255] ^ t0[c >>> 24];
  }
  for (; i < n; i++) c = t0[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}
