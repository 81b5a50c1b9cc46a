#!/usr/bin/env python3
"""Reads .mbt trajectories with the standard library alone; written from io/README.md.

read_mbt.py FILE           a summary: records, channels, frames; exit 1 when a CRC or anything else is wrong
read_mbt.py FILE --bits    per frame a line: the bits of time and of every number, 16 hexadecimal digits each
read_mbt.py FILE --hash    the content hash
read_mbt.py FILE --modes   how often each block mode and plane kind occurs
"""
import json
import math
import struct
import sys
import zlib

M64 = (1 << 64) - 1


class Bad(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Bad(text)


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double(u):
    return struct.unpack("<d", struct.pack("<Q", u))[0]


def ordered(u):
    return u ^ 0x7FFFFFFFFFFFFFFF if u >> 63 else u


def signed(u):
    return u - (1 << 64) if u >> 63 else u


def records(data):
    """(tag, flags, payload, offset) of every record, then checks the trailer."""
    need(data[:8] == b"\x89MBT\r\n\x1a\n", "signature")
    need(struct.unpack_from("<II", data, 8) == (1, 0), "version or flags")
    at, end, index = 16, len(data) - 24, None
    while at < end:
        tag, flags, length, crc, crc_header = struct.unpack_from("<4sIQII", data, at)
        need(zlib.crc32(data[at : at + 20]) == crc_header, f"header CRC at {at}")
        payload = data[at + 24 : at + 24 + length]
        need(len(payload) == length and zlib.crc32(payload) == crc, f"payload CRC at {at}")
        stop = at + 24 + (length + 7) // 8 * 8
        need(not any(data[at + 24 + length : stop]), f"padding at {at}")
        if tag == b"INDX":
            index = at
        yield tag.decode(), flags, payload, at
        at = stop
    need(at == end, "records do not end at the trailer")
    offset, _, crc, name = struct.unpack("<QQI4s", data[end:])
    need(name == b"MBTE" and zlib.crc32(data[end : end + 16]) == crc and offset == index, "trailer")


def content(flags, payload):
    if not flags:
        return payload
    need(flags == 1, "flags")
    out = zlib.decompress(payload[8:])
    need(len(out) == struct.unpack_from("<Q", payload)[0], "inflated size")
    return out


class Trajectory:
    def __init__(self, data):
        self.head, self.frames, self.times, self.meshes, self.tags = None, [], [], [], {}
        self.modes, self.kinds, self.listed = {}, {}, None
        for tag, flags, payload, at in records(data):
            self.tags[tag] = self.tags.get(tag, 0) + 1
            if tag == "HEAD":
                self.head = json.loads(content(flags, payload))
            elif tag == "CHNK":
                self.chunk(payload)
            elif tag == "MESH":
                self.meshes.append(self.mesh(content(flags, payload)))
            elif tag == "INDX":
                self.listed = sum(
                    struct.unpack_from("<QQ", payload, 16 + 48 * i)[1]
                    for i in range(struct.unpack_from("<Q", payload)[0])
                )
        need(self.listed == len(self.frames), "the index lists another number of frames")

    def chunk(self, p):
        first, count, channels = struct.unpack_from("<QII", p)
        need(first == len(self.frames) and channels == len(self.head["channels"]), "chunk header")
        times = struct.unpack_from(f"<{count}d", p, 16)
        rows, at = [[] for _ in range(count)], 16 + 8 * count
        for number, channel in enumerate(self.head["channels"]):
            at = self.block(p, at, number, channel, count, rows)
        need(at == len(p), "chunk length")
        for t in times:
            need(math.isfinite(t) and (not self.times or t > self.times[-1]), "times")
            self.times.append(t)
        self.frames += rows

    def block(self, p, at, number, channel, count, rows):
        ident, mode, predictor, width, zeros, _, gain = struct.unpack_from("<HBBB3sdd", p, at)
        need(ident == number and mode < 3 and predictor < 64 and width <= 8 and zeros == b"\0\0\0", "block header")
        w = channel["width"]
        cols = channel["items"] * w
        n = count * cols
        headers = [struct.unpack_from("<BI", p, at + 24 + 5 * b) for b in range(width)]
        at += 24 + 5 * width
        z = [0] * n
        self.modes[mode] = self.modes.get(mode, 0) + 1
        for b, (kind, length) in enumerate(headers):
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            plane = p[at : at + length]
            at += length
            if kind == 1:
                plane = zlib.decompress(plane)
            elif kind == 2:
                plane = plane * n
            need(kind < 3 and len(plane) == n, "plane")
            for i, byte in enumerate(plane):
                z[i] |= byte << 8 * b
        orders = predictor & 3, predictor >> 2 & 3, predictor >> 4 & 3
        before = []  # rows of integers (bounded) or doubles (lossless), newest first
        for r in range(count):
            row = z[r * cols : (r + 1) * cols]
            if mode == 0:
                rows[r] += [double(u) for u in row]
                continue
            e = [(u >> 1) ^ (M64 if u & 1 else 0) for u in row]
            for _ in range(orders[1] if r < orders[0] else orders[2]):
                for j in range(w, cols):
                    e[j] = (e[j] + e[j - w]) & M64
            k = min(r, orders[0])
            past = list(zip(*before[:k])) if k else [()] * cols
            if mode == 2:
                values = [self.integer(d, q) for d, q in zip(e, past)]
                rows[r] += [float(signed(q)) * gain for q in values]
            else:
                values = [self.lossless(d, x) for d, x in zip(e, past)]
                rows[r] += [double(u) for u in values]
            before = [values] + before[:2]
        return at

    @staticmethod
    def integer(d, q):
        weights = (), (1,), (2, -1), (3, -3, 1)
        return (d + sum(w * x for w, x in zip(weights[len(q)], q))) & M64

    @staticmethod
    def lossless(d, past):
        """Bits of the number; `past` are bits of the rows before, for NaNs keep their payload only as bits."""
        if not past:
            return ordered(d)
        x = [double(u) for u in past]
        p = past[0]
        if len(x) > 1:
            guess = 2 * x[0] - x[1] if len(x) == 2 else 3 * (x[0] - x[1]) + x[2]
            p = past[0] if guess != guess else bits(guess)
        return ordered((d + ordered(p)) & M64)

    @staticmethod
    def mesh(p):
        n, b, nv, ne, corners, _ = struct.unpack_from("<6I", p)
        at = 24 + (n + b + 7) // 8 * 8
        vertices = struct.unpack_from(f"<{3 * nv}Q", p, at)
        elements = struct.unpack_from(f"<{ne * corners}I", p, at + 24 * nv)
        return p[24 : 24 + n - 1], p[24 + n : 24 + n + max(b - 1, 0)], nv, ne, corners, vertices, elements

    def hash(self):
        lanes = [0x243F6A8885A308D3, 0x13198A2E03707344, 0]

        def word(w):
            a, b, _ = lanes
            lanes[0] = (((a << 29 | a >> 35) & M64) ^ w) * 0x9E3779B97F4A7C15 & M64
            lanes[1] = (((b << 41 | b >> 23) & M64) + w) * 0xC2B2AE3D27D4EB4F & M64
            lanes[2] += 1

        def text(s):
            s = s.encode() if isinstance(s, str) else s
            word(len(s))
            for i in range(0, len(s), 8):
                word(int.from_bytes(s[i : i + 8], "little"))

        def mix(x):
            for _ in range(2):
                x = (x ^ x >> 32) * 0xD6E8FEB86659FD93 & M64
            return x ^ x >> 32

        text("mbt content 1")
        word(bits(float(self.head["step"])))
        word(len(self.head["bodies"]))
        for name in self.head["bodies"]:
            text(name)
        stable, at = [], 0
        for c in self.head["channels"]:
            size = c["items"] * c["width"]
            if not c["unstable"]:
                stable.append((at, at + size))
                text(c["name"])
                word(c["items"])
                word(c["width"])
            at += size
        word(len(self.meshes))
        for name, body, nv, ne, corners, vertices, elements in self.meshes:
            text(name)
            text(body)
            for w in (nv, ne, corners, *vertices, *elements):
                word(w)
        word(len(self.frames))
        for t, frame in zip(self.times, self.frames):
            word(bits(t))
            for low, high in stable:
                for x in frame[low:high]:
                    word(bits(x))
        a, b, n = lanes
        return f"{mix(a ^ mix((b + n) & M64)):016x}{mix(b ^ mix((a - n) & M64)):016x}"


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    try:
        t = Trajectory(data)
    except (Bad, zlib.error, struct.error, ValueError) as error:
        print("damaged:", error, file=sys.stderr)
        return 1
    option = sys.argv[2] if len(sys.argv) > 2 else ""
    if option == "--bits":
        for time, frame in zip(t.times, t.frames):
            print(" ".join(f"{bits(x):016x}" for x in [time] + frame))
    elif option == "--hash":
        print(t.hash())
    elif option == "--modes":
        words = [("raw", "lossless", "bounded")[k] + f"={v}" for k, v in sorted(t.modes.items())]
        words += ["plane-" + ("raw", "zlib", "constant")[k] + f"={v}" for k, v in sorted(t.kinds.items())]
        print(" ".join(words))
    else:
        print("records:", " ".join(f"{tag}={n}" for tag, n in t.tags.items()))
        for c in t.head["channels"]:
            print(f"channel {c['name']} {c['items']} x {c['width']} bound {c['bound']}")
        print("frames:", len(t.frames))
    return 0


if __name__ == "__main__":
    sys.exit(main())
