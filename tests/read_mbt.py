#!/usr/bin/env python3
"""Reads .mbt trajectories with the standard library alone; written from io/README.md.

read_mbt.py FILE           a summary: records, channels, frames; exit 1 when a CRC or anything else is wrong
read_mbt.py FILE --bits    per frame a line: the bits of time, of every number and of the lists' entries, 16 hexadecimal digits each
read_mbt.py FILE --hash    the content hash
read_mbt.py FILE --drawing the JSON of what pictures need
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
    need(struct.unpack_from("<II", data, 8) in ((1, 0), (2, 0)), "version or flags")
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


class Block:
    """What is fixed about a block: which numbers of the frame it holds, and which velocities belong to them."""

    def __init__(self, number, part, parts, channel, place):
        self.number, self.part = number, part
        self.width, items, step = channel["width"] // parts, channel["items"], channel["width"]
        self.cols = items * self.width
        self.places = [place + i * step + part * self.width + k for i in range(items) for k in range(self.width)]
        self.kind, self.source = None, None  # "position" or "rotation", and the block of the velocities


def layout(channels):
    """The blocks of a chunk, in their order."""
    blocks, place = [], 0
    for number, channel in enumerate(channels):
        parts = 2 if channel["width"] == 6 else 1
        blocks += [Block(number, part, parts, channel, place) for part in range(parts)]
        place += channel["items"] * channel["width"]
    for block in blocks:
        stem, _, kind = channels[block.number]["name"].rpartition(".")
        if not stem or kind not in ("position", "rotation"):
            continue
        fits = [n for n, c in enumerate(channels) if c["name"] == stem + ".velocity"]
        if not fits or channels[fits[0]]["items"] != channels[block.number]["items"]:
            continue
        theirs, w, w_velocity = fits[0], channels[block.number]["width"], channels[fits[0]]["width"]
        if kind == "rotation":
            part = 0 if (w, w_velocity) == (4, 6) else None
        else:
            part = block.part if w == w_velocity and w else 1 if (w, w_velocity) == (3, 6) else None
        if part is not None:
            block.kind = kind
            block.source = next(i for i, b in enumerate(blocks) if (b.number, b.part) == (theirs, part))
    return blocks


def followers(counts, keys):
    """For each entry of a chunk's list the one that it follows in the frame before, or None; keys: of each entry, or None for places."""
    before, last, at = [], range(0), 0
    for count in counts:
        now = range(at, at + count)
        if keys is None:
            before += [last[i] if i < len(last) else None for i in range(count)]
        else:
            known = {keys[e]: e for e in last}
            before += [known.get(keys[e]) for e in now]
        last, at = now, at + count
    return before


def nearest(y):
    """The integer nearest to y, ties to even; 0 where y is too large or no number."""
    return round(y) if abs(y) <= 2.0**48 else 0


def predict_position(h, v, gain):
    """How far it is, in multiples of the gain; v: velocities of this row and one or two before."""
    if len(v) == 2:
        return nearest(h / 2 / gain * (v[0] + v[1]))
    return nearest(h / 6 / gain * ((v[0] + v[2]) + 4 * v[1]))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def predict_rotation(h, w, begin, gain):
    """The quaternion `begin` (integers) turned by angular velocities w of this row and one or two before."""
    if len(w) == 2:
        u = [h / 4 * (w[0][k] + w[1][k]) for k in range(3)]
    else:
        u = [h / 12 * ((w[0][k] + w[2][k]) + 4 * w[1][k]) for k in range(3)]
    turn = cross(w[0], w[-1])
    u = [u[k] + h * h / 24 * turn[k] for k in range(3)]
    s = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2]
    c = 1 - s * (1.0 / 2) * (1 - s * (1.0 / 12) * (1 - s * (1.0 / 30) * (1 - s * (1.0 / 56))))
    f = 1 - s * (1.0 / 6) * (1 - s * (1.0 / 20) * (1 - s * (1.0 / 42) * (1 - s * (1.0 / 72))))
    x, y, z = (f * t for t in u)
    q = [float(signed(b)) * gain for b in begin]
    return [
        c * q[0] - ((x * q[1] + y * q[2]) + z * q[3]),
        c * q[1] + ((x * q[0] + y * q[3]) - z * q[2]),
        c * q[2] + ((y * q[0] + z * q[1]) - x * q[3]),
        c * q[3] + ((z * q[0] + x * q[2]) - y * q[1]),
    ]


def turned(h, w, begin, d, gain):
    """One quaternion's integers from its residuals d."""
    p = predict_rotation(h, w, begin, gain)
    inverse = 1.0 / gain
    m = 0
    for k in range(1, 4):
        if abs(p[k]) > abs(p[m]):
            m = k
    q, rest = [0] * 4, 1.0
    for k in range(4):
        if k != m:
            q[k] = (d[k] + nearest(p[k] * inverse)) & M64
            x = float(signed(q[k])) * gain
            rest -= x * x
    root = math.sqrt(rest) if rest > 0 else 0.0
    q[m] = (d[m] + nearest((-root if p[m] < 0 else root) * inverse)) & M64
    return q


class Trajectory:
    def __init__(self, data):
        self.head, self.frames, self.times, self.numbers = None, [], [], []  # numbers: of the frames
        self.drawing = None
        self.lists = []  # per frame, per channel with a list its entries
        self.meshes, self.tags, self.modes, self.kinds, self.moved = [], {}, {}, {}, 0
        listed = None
        for tag, flags, payload, at in records(data):
            self.tags[tag] = self.tags.get(tag, 0) + 1
            if tag == "HEAD":
                self.head = json.loads(content(flags, payload))
                listed_channels = any("list" in c for c in self.head["channels"])
                need(struct.unpack_from("<I", data, 8)[0] == 1 + listed_channels, "version")
                self.blocks = layout(self.head["channels"])
            elif tag == "CHNK":
                self.chunk(payload)
            elif tag == "MESH":
                self.meshes.append(self.mesh(content(flags, payload)))
            elif tag == "DRAW":
                self.drawing = json.loads(content(flags, payload))
            elif tag == "INDX":
                listed = sum(
                    struct.unpack_from("<QQ", payload, 16 + 48 * i)[1]
                    for i in range(struct.unpack_from("<Q", payload)[0])
                )
        need(listed == len(self.frames), "the index lists another number of frames")

    def gaps(self):
        """(first, last) of frames that are missing between others."""
        gaps, expected = [], 0
        for number in self.numbers:
            if number > expected:
                gaps.append((expected, number - 1))
            expected = number + 1
        return gaps

    def chunk(self, p):
        first, count, channels = struct.unpack_from("<QII", p)
        need(first >= (self.numbers[-1] + 1 if self.numbers else 0), "frames that came before")
        need(count > 0 and channels == len(self.head["channels"]), "chunk header")
        times = struct.unpack_from(f"<{count}d", p, 16)
        for t in times:
            need(math.isfinite(t) and (not self.times or t > self.times[-1]), "times")
            self.times.append(t)
        parsed, at = [], 16 + 8 * count
        for block in self.blocks:
            at, *rest = self.parse(p, at, block, count)
            parsed.append(rest)
        lists_at = at
        values = [None] * len(parsed)
        for late in (False, True):  # velocities before the poses that are predicted from them
            for i, (mode, orders, gain, z) in enumerate(parsed):
                if orders[3] == late:
                    velocity = values[self.blocks[i].source] if late else None
                    values[i] = self.decode(self.blocks[i], mode, orders, gain, z, times, velocity)
        size = sum(block.cols for block in self.blocks)
        for r in range(count):
            frame = [0.0] * size
            for block, rows in zip(self.blocks, values):
                for place, x in zip(block.places, rows[r]):
                    frame[place] = x
            self.frames.append(frame)
            self.numbers.append(first + r)
        self.chunk_lists(p, lists_at, self.frames[-count:])

    def chunk_lists(self, p, at, frames):
        """The lists behind the blocks, as entries of each frame."""
        lists, place = [{} for _ in frames], 0
        for number, channel in enumerate(self.head["channels"]):
            if "list" in channel:
                counts = [int(frame[place]) for frame in frames]
                need(all(n == frame[place] for n, frame in zip(counts, frames)), "a count is no whole number")
                at, entries = self.list(p, at, number, channel["list"], counts)
                start = 0
                for f, n in enumerate(counts):
                    lists[f][number] = entries[start : start + n]
                    start += n
            place += channel["items"] * channel["width"]
        need(at == len(p), "chunk length")
        self.lists += lists

    def list(self, p, at, number, described, counts):
        """Where the list ends, and its entries."""
        (total,) = struct.unpack_from("<Q", p, at)
        need(total == sum(counts), "entries of a list")
        at, columns, keys = at + 8, [], described["keys"]
        by_place, before = followers(counts, None), None
        for k in range(len(described["fields"])):
            if before is None or k == keys:
                before = followers(counts, list(zip(*columns[:keys]))) if keys and k >= keys else by_place
            column = Block(number, k + 1, 1, {"width": 1, "items": 1}, 0)
            at, mode, orders, gain, z = self.parse(p, at, column, total)
            need(not any(orders[1:]), "prediction in a list")
            columns.append(self.column(mode, orders[0], gain, [row[0] for row in z], before))
        entries = [tuple(column[e] for column in columns) for e in range(total)]
        start = 0
        for n in counts:
            order = [entry[:keys] for entry in entries[start : start + n]]
            need(all(x == int(x) for key in order for x in key), "keys are no whole numbers")
            need(not keys or all(a < b for a, b in zip(order, order[1:])), "keys out of order")
            start += n
        return at, entries

    def column(self, mode, time, gain, z, before):
        """One number of all entries, each predicted from those that it follows."""
        values = []  # integers, or bits
        for e, u in enumerate(z):
            d, past, b = (u >> 1) ^ (M64 if u & 1 else 0), [], before[e]
            while b is not None and len(past) < time:
                past.append(values[b])
                b = before[b]
            values.append(u if mode == 0 else self.integer(d, past) if mode == 2 else self.lossless(d, past))
        return [float(signed(q)) * gain for q in values] if mode == 2 else [double(q) for q in values]

    def parse(self, p, at, block, count):
        """Where the block ends, its mode, orders, gain and the rows of its integers z."""
        ident, mode, predictor, width, part, zeros, _, gain = struct.unpack_from("<HBBBB2sdd", p, at)
        orders = predictor & 3, predictor >> 2 & 3, predictor >> 4 & 3, bool(predictor & 64)
        need((ident, part) == (block.number, block.part) and mode < 3 and zeros == b"\0\0", "block header")
        need(predictor < 128 and max(orders[1:3]) < 3 and (mode or not predictor) and width <= 8, "block header")
        need(not orders[3] or (mode == 2 and block.kind and orders[0] in (1, 2)), "prediction from velocities")
        need(mode != 2 or 0 < gain <= 1e300, "gain")
        n = count * block.cols
        headers = [struct.unpack_from("<BI", p, at + 24 + 5 * b) for b in range(width)]
        at += 24 + 5 * width
        z = [0] * n
        self.modes[mode] = self.modes.get(mode, 0) + 1
        self.moved += orders[3]
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
        return at, mode, orders, gain, [z[r * block.cols : (r + 1) * block.cols] for r in range(count)]

    def decode(self, block, mode, orders, gain, z, times, velocity):
        """Rows of doubles. velocity: decoded rows of the block's velocities, where it is predicted from them."""
        rows, w, cols = [], block.width, block.cols
        before = []  # rows of integers (bounded) or bits of doubles (lossless), newest first
        for r, row in enumerate(z):
            if mode == 0:
                rows.append([double(u) for u in row])
                continue
            e = [(u >> 1) ^ (M64 if u & 1 else 0) for u in row]
            for _ in range(orders[1] if r < orders[0] else orders[2]):
                for j in range(w, cols):
                    e[j] = (e[j] + e[j - w]) & M64
            k = min(r, orders[0])
            past = list(zip(*before[:k])) if k else [()] * cols
            if mode == 2 and velocity and k:
                h, v = times[r] - times[r - k], velocity[r - k : r + 1][::-1]
                values = self.moving(block, h, v, before[k - 1], e, gain)
            elif mode == 2:
                values = [self.integer(d, q) for d, q in zip(e, past)]
            else:
                values = [self.lossless(d, x) for d, x in zip(e, past)]
            rows.append([float(signed(q)) * gain for q in values] if mode == 2 else [double(u) for u in values])
            before = [values] + before[:2]
        return rows

    @staticmethod
    def moving(block, h, v, begin, e, gain):
        if block.kind == "position":
            return [
                (e[j] + begin[j] + predict_position(h, [row[j] for row in v], gain)) & M64 for j in range(block.cols)
            ]
        q = []
        for i in range(block.cols // 4):
            w = [row[3 * i : 3 * i + 3] for row in v]
            q += turned(h, w, begin[4 * i : 4 * i + 4], e[4 * i : 4 * i + 4], gain)
        return q

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
        for number, c in enumerate(self.head["channels"]):
            size = c["items"] * c["width"]
            if not c["unstable"]:
                stable.append((at, at + size, number))
                text(c["name"])
                word(c["items"])
                word(c["width"])
                if "list" in c:
                    word(c["list"]["keys"])
                    word(len(c["list"]["fields"]))
            at += size
        word(len(self.meshes))
        for name, body, nv, ne, corners, vertices, elements in self.meshes:
            text(name)
            text(body)
            for w in (nv, ne, corners, *vertices, *elements):
                word(w)
        need(not self.gaps(), "there is no hash of a trajectory with frames missing")
        word(len(self.frames))
        for t, frame, lists in zip(self.times, self.frames, self.lists):
            word(bits(t))
            for low, high, number in stable:
                for x in frame[low:high]:
                    word(bits(x))
                for entry in lists.get(number, ()):
                    for x in entry:
                        word(bits(x))
        a, b, n = lanes
        return f"{mix(a ^ mix((b + n) & M64)):016x}{mix(b ^ mix((a - n) & M64)):016x}"


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    option = sys.argv[2] if len(sys.argv) > 2 else ""
    try:
        t = Trajectory(data)
        digest = t.hash() if option == "--hash" else None
    except (Bad, zlib.error, struct.error, ValueError) as error:
        print("damaged:", error, file=sys.stderr)
        return 1
    if option == "--bits":
        for time, frame, lists in zip(t.times, t.frames, t.lists):
            entries = [x for one in lists.values() for entry in one for x in entry]
            print(" ".join(f"{bits(x):016x}" for x in [time] + frame + entries))
    elif option == "--hash":
        print(digest)
    elif option == "--drawing":
        print(json.dumps(t.drawing))
    elif option == "--modes":
        words = [("raw", "lossless", "bounded")[k] + f"={v}" for k, v in sorted(t.modes.items())]
        words += ["plane-" + ("raw", "zlib", "constant")[k] + f"={v}" for k, v in sorted(t.kinds.items())]
        words.append(f"from-velocities={t.moved}")
        print(" ".join(words))
    else:
        print("records:", " ".join(f"{tag}={n}" for tag, n in t.tags.items()))
        for c in t.head["channels"]:
            print(f"channel {c['name']} {c['items']} x {c['width']} bound {c['bound']}")
        print("frames:", len(t.frames))
        for first, last in t.gaps():
            print(f"frames {first} to {last} are missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
