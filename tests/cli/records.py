"""Lists the records of trajectories that do not depend on clock and machine: tag, length, digest of the payload.
With two files: says whether these are the same in both, HEAD left out (it has the duration)."""

import hashlib
import struct
import sys


def records(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89MBT\r\n\x1a\n", path
    at, found = 16, []
    while at + 24 <= len(data) - 24:
        tag, _, length, _, _ = struct.unpack_from("<4sIQII", data, at)
        payload = data[at + 24 : at + 24 + length]
        if tag not in (b"PROV", b"INDX"):
            found.append((tag.decode(), length, hashlib.sha1(payload).hexdigest()))
        at += 24 + (length + 7) // 8 * 8
    return found


if len(sys.argv) == 2:
    for tag, length, digest in records(sys.argv[1]):
        print(tag, length, digest)
else:
    a, b = ([r for r in records(p) if r[0] != "HEAD"] for p in sys.argv[1:3])
    if a == b:
        print("the same records")
    else:
        k = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        print(f"record {k} of {len(a)} and {len(b)} differs: {a[k:k+1]} {b[k:k+1]}")
        sys.exit(1)
