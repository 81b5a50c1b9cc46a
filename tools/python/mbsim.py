"""mbsim from Python: trajectories as arrays, simulations in a loop. Standard library and numpy alone.

    run = mbsim.load("run.mbt")
    run.times, run["body.position"]              # (frames), (frames, bodies, 3)

    sim = mbsim.run("scene.json", {"length": 2})
    while sim.time < 5:
        q, v = sim.state
        sim["/bodies/0/joint/force"] = -20 * q[0] - 3 * v[0]
        sim.step()

Trajectories are decoded here, from the format's description, chunk by chunk as they are asked for; simulations are the library's
(libmbsim.so: beside this file's prefix, where the system looks, or where MBSIM_LIBRARY says). What goes wrong is a mbsim.Error,
what the program would warn of a mbsim.Warned, as Python's warnings are.
"""
import ctypes
import ctypes.util
import json
import mmap
import os
import struct
import sys
import warnings
import zlib

import numpy

__all__ = ["Error", "Warned", "Trajectory", "Simulation", "load", "run"]


class Error(Exception):
    """What went wrong: `status` as the program's exit codes, `issues` with file, line, column, where and text."""

    def __init__(self, text, status=5, issues=()):
        super().__init__(text)
        self.status, self.issues = status, list(issues)


class Warned(UserWarning):
    """What a scene or a step warns of; the simulation goes on."""


# ---- trajectories: the format of io/README.md -------------------------------------------------------------------


def _need(condition, text):
    if not condition:
        raise Error(text)


def _ordered(u):
    """Bits of doubles as integers in the order of the numbers; its own inverse."""
    return numpy.where(u >> numpy.uint64(63), u ^ numpy.uint64(0x7FFFFFFFFFFFFFFF), u)


def _number(q, gain):
    return q.view(numpy.int64).astype(numpy.float64) * gain


def _nearest(y):
    """The integer nearest to y, ties to even; 0 where y is too large or no number."""
    with numpy.errstate(invalid="ignore"):
        fine = numpy.abs(y) <= 2.0**48
        return numpy.where(fine, numpy.rint(numpy.where(fine, y, 0)), 0).astype(numpy.int64).view(numpy.uint64)


class _Block:
    """A block of a chunk: which numbers of a channel it holds, and the block whose velocities belong to it."""

    def __init__(self, number, part, parts, channel):
        self.number, self.part, self.width = number, part, channel["width"] // parts
        self.items = channel["items"]
        self.cols = self.items * self.width
        self.kind = self.source = None


def _layout(channels):
    blocks = []
    for number, channel in enumerate(channels):
        parts = 2 if channel["width"] == 6 else 1
        blocks += [_Block(number, part, parts, channel) for part in range(parts)]
    for block in blocks:
        stem, _, kind = channels[block.number]["name"].rpartition(".")
        fits = [n for n, c in enumerate(channels) if c["name"] == stem + ".velocity"]
        if not stem or kind not in ("position", "rotation") or not fits:
            continue
        own, theirs = channels[block.number], channels[fits[0]]
        if own["items"] != theirs["items"]:
            continue
        w, wv = own["width"], theirs["width"]
        if kind == "rotation":
            part = 0 if (w, wv) == (4, 6) else None
        else:
            part = block.part if w == wv and w else 1 if (w, wv) == (3, 6) else None
        if part is not None:
            block.kind = kind
            block.source = next(i for i, b in enumerate(blocks) if (b.number, b.part) == (fits[0], part))
    return blocks


def _turned(h, w, begin, d, gain):
    """Integers of quaternions (items, 4), turned from `begin` by angular velocities w, with residuals d."""
    if len(w) == 2:
        u = h / 4 * (w[0] + w[1])
    else:
        u = h / 12 * ((w[0] + w[2]) + 4 * w[1])
    a, b = w[0], w[-1]
    turn = numpy.stack([a[:, (k + 1) % 3] * b[:, (k + 2) % 3] - a[:, (k + 2) % 3] * b[:, (k + 1) % 3] for k in range(3)], 1)
    u = u + h * h / 24 * turn
    s = (u[:, 0] * u[:, 0] + u[:, 1] * u[:, 1]) + u[:, 2] * u[:, 2]
    c = 1 - s * (1.0 / 2) * (1 - s * (1.0 / 12) * (1 - s * (1.0 / 30) * (1 - s * (1.0 / 56))))
    f = 1 - s * (1.0 / 6) * (1 - s * (1.0 / 20) * (1 - s * (1.0 / 42) * (1 - s * (1.0 / 72))))
    x, y, z = (f * u[:, k] for k in range(3))
    q = _number(begin, gain)
    q0, q1, q2, q3 = (q[:, k] for k in range(4))
    p = numpy.stack([c * q0 - ((x * q1 + y * q2) + z * q3), c * q1 + ((x * q0 + y * q3) - z * q2),
                     c * q2 + ((y * q0 + z * q1) - x * q3), c * q3 + ((z * q0 + x * q2) - y * q1)], 1)
    size = numpy.abs(p)
    first = numpy.isnan(size[:, 0])
    m = numpy.where(first, 0, numpy.argmax(numpy.where(numpy.isnan(size), -1.0, size), 1))
    inverse, rest = 1.0 / gain, numpy.ones(len(p))
    out = numpy.zeros_like(d)
    for k in range(4):
        out[:, k] = d[:, k] + _nearest(p[:, k] * inverse)
        n = _number(out[:, k].copy(), gain)
        rest = numpy.where(m == k, rest, rest - n * n)
    root = numpy.sqrt(numpy.where(rest > 0, rest, 0.0))
    row = numpy.arange(len(p))
    out[row, m] = d[row, m] + _nearest(numpy.where(p[row, m] < 0, -root, root) * inverse)
    return out


def _column(mode, time, gain, z, before):
    """One number of all entries of a list, each predicted from those that it follows."""
    mask, values = (1 << 64) - 1, []
    for e, u in enumerate(int(x) for x in z):
        d, past, b = (u >> 1) ^ (mask if u & 1 else 0), [], before[e]
        while b is not None and len(past) < time:
            past.append(values[b])
            b = before[b]
        weights = ((), (1,), (2, -1), (3, -3, 1))[len(past)]
        if mode == 0:
            values.append(u)
        elif mode == 2:
            values.append((d + sum(w * x for w, x in zip(weights, past))) & mask)
        else:
            rows = [numpy.array([x], numpy.uint64) for x in past]
            values.append(int(_lossless(numpy.array([d], numpy.uint64), rows)[0]))
    bits = numpy.array(values, numpy.uint64)
    return _number(bits, gain) if mode == 2 else bits.view(numpy.float64)


def _lossless(d, past):
    """Bits of the numbers of a row; past: bits of the rows before, the newest first."""
    if not past:
        return _ordered(d)
    p = past[0]
    if len(past) > 1:
        x = [row.view(numpy.float64) for row in past]
        with numpy.errstate(all="ignore"):
            guess = 2 * x[0] - x[1] if len(x) == 2 else 3 * (x[0] - x[1]) + x[2]
        p = numpy.where(numpy.isnan(guess), past[0], guess.view(numpy.uint64))
    return _ordered(d + _ordered(p))


def _followers(counts, keys):
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


class _Chunk:
    def __init__(self, traj, payload):
        self.traj, self.p = traj, payload
        self.first, self.count, channels = struct.unpack_from("<QII", payload)
        _need(self.count > 0 and channels == len(traj.head["channels"]), "a chunk's header is damaged")
        self.times = numpy.frombuffer(payload, "<f8", self.count, 16)
        self.at, at = [], 16 + 8 * self.count
        for block in traj._blocks:
            self.at.append(at)
            at = self.end(at)
        self.lists_at, self.values = at, {}

    def end(self, at):
        width = self.p[at + 4]
        return at + 24 + 5 * width + sum(struct.unpack_from("<BI", self.p, at + 24 + 5 * b)[1] for b in range(width))

    def integers(self, at, n):
        """Mode, orders, gain and the integers z of the block that begins there."""
        ident, mode, predictor, width, part, zeros, _, gain = struct.unpack_from("<HBBBB2sdd", self.p, at)
        _need(mode < 3 and width <= 8 and predictor < 128 and zeros == b"\0\0", "a block's header is damaged")
        headers = [struct.unpack_from("<BI", self.p, at + 24 + 5 * b) for b in range(width)]
        at += 24 + 5 * width
        z = numpy.zeros(n, numpy.uint64)
        for b, (kind, length) in enumerate(headers):
            plane = self.p[at:at + length]
            at += length
            plane = zlib.decompress(plane) if kind == 1 else plane * n if kind == 2 else plane
            _need(kind < 3 and len(plane) == n, "a plane is damaged")
            z |= numpy.frombuffer(plane, numpy.uint8).astype(numpy.uint64) << numpy.uint64(8 * b)
        return mode, (predictor & 3, predictor >> 2 & 3, predictor >> 4 & 3, bool(predictor & 64)), gain, z

    def block(self, i):
        """Numbers (count, items, width) of a block."""
        if i in self.values:
            return self.values[i]
        block = self.traj._blocks[i]
        mode, (time, start, later, moving), gain, z = self.integers(self.at[i], self.count * block.cols)
        shape = self.count, block.items, block.width
        if mode == 0:
            self.values[i] = z.view(numpy.float64).reshape(shape)
            return self.values[i]
        e = (z >> numpy.uint64(1)) ^ (numpy.uint64(0) - (z & numpy.uint64(1)))
        e = e.reshape(shape)
        for rows, times in ((slice(0, time), start), (slice(time, None), later)):
            for _ in range(times):
                e[rows] = numpy.cumsum(e[rows], axis=1, dtype=numpy.uint64)
        velocity = self.block(block.source) if moving else None
        rows = []
        for r in range(self.count):
            k = min(r, time)
            past = rows[::-1][:k]
            if mode == 1:
                rows.append(_lossless(e[r], past))
            elif moving and k:
                h, v = self.times[r] - self.times[r - k], velocity[r - k:r + 1][::-1]
                if block.kind == "rotation":
                    rows.append(_turned(h, v, past[k - 1], e[r], gain))
                else:
                    way = h / 2 / gain * (v[0] + v[1]) if k == 1 else h / 6 / gain * ((v[0] + v[2]) + 4 * v[1])
                    rows.append(e[r] + past[k - 1] + _nearest(way))
            else:
                q = e[r]
                if k == 1:
                    q = q + past[0]
                elif k == 2:
                    q = q + numpy.uint64(2) * past[0] - past[1]
                elif k == 3:
                    q = q + numpy.uint64(3) * (past[0] - past[1]) + past[2]
                rows.append(q)
        bits = numpy.stack(rows)
        self.values[i] = _number(bits, gain) if mode == 2 else bits.view(numpy.float64)
        return self.values[i]

    def channel(self, number):
        parts = [self.block(i) for i, b in enumerate(self.traj._blocks) if b.number == number]
        return parts[0] if len(parts) == 1 else numpy.concatenate(parts, 2)

    def list(self, number):
        """Entries of a channel's list, an array a frame."""
        at = self.lists_at
        for n, channel in enumerate(self.traj.head["channels"]):
            if "list" not in channel:
                continue
            (total,) = struct.unpack_from("<Q", self.p, at)
            at += 8
            if n != number:
                for _ in channel["list"]["fields"]:
                    at = self.end(at)
                continue
            keys, columns, before = channel["list"]["keys"], [], None
            counts = [int(x) for x in self.channel(number).ravel()]
            _need(sum(counts) == total, "a list has another number of entries than its frames tell")
            for k in range(len(channel["list"]["fields"])):
                if before is None or k == keys:
                    own = list(zip(*[c.tolist() for c in columns[:keys]])) if keys and k >= keys else None
                    before = _followers(counts, own)
                mode, orders, gain, z = self.integers(at, total)
                columns.append(_column(mode, orders[0], gain, z, before))
                at = self.end(at)
            entries = numpy.stack(columns, 1) if columns else numpy.zeros((total, 0))
            return numpy.split(entries, numpy.cumsum(counts)[:-1])
        raise KeyError(number)


class Trajectory:
    """A file of `mbsim run`: `head`, `scene`, `bodies`, `channels` (names), `times`, and channels by name.

    traj[name] is (frames, items, width), or (frames, width) of a channel without items of its own, as the arrays of
    `mbsim export --format npz` are. A file that was cut off gives what is there.
    """

    def __init__(self, path):
        with open(path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.path.getsize(path) else b""
        data, self.head, self._chunks, self.meshes = self._data, None, [], []
        _need(data[:8] == b"\x89MBT\r\n\x1a\n", "%s is no trajectory" % path)
        _need(struct.unpack_from("<II", data, 8) in ((1, 0), (2, 0)), "%s is of a version that is not known" % path)
        self.whole, at, places = False, 16, []
        while at + 24 <= len(data):
            if len(data) - at == 24 and data[-4:] == b"MBTE":
                self.whole = True
                break
            tag, flags, length, crc, crc_header = struct.unpack_from("<4sIQII", data, at)
            if zlib.crc32(data[at:at + 20]) != crc_header or at + 24 + length > len(data):
                break
            if tag == b"CHNK":
                places.append((at + 24, length, crc))
            elif tag == b"HEAD":
                self.head = json.loads(self._content(at + 24, length, crc, flags))
            at += 24 + (length + 7) // 8 * 8
        _need(self.head is not None, "%s: its head is damaged" % path)
        self._places, self._cache = places, {}
        self._blocks = _layout(self.head["channels"])
        self._numbers = {c["name"]: n for n, c in enumerate(self.head["channels"])}
        self.channels, self.bodies, self.scene = list(self._numbers), self.head["bodies"], self.head["scene"]
        firsts = [struct.unpack_from("<QI", data, at) for at, _, _ in places]
        self.numbers = numpy.concatenate([numpy.arange(f, f + n) for f, n in firsts] or [numpy.zeros(0, int)])
        self.times = numpy.concatenate([numpy.frombuffer(data, "<f8", n, at + 16) for (at, _, _), (_, n) in zip(places, firsts)]
                                       or [numpy.zeros(0)])

    def _content(self, at, length, crc, flags=0):
        payload = self._data[at:at + length]
        _need(zlib.crc32(payload) == crc, "a record is damaged: its checksum is another")
        return zlib.decompress(payload[8:]) if flags & 1 else payload

    def _chunk(self, i):
        if i not in self._cache:
            if len(self._cache) > 64:
                self._cache.clear()
            self._cache[i] = _Chunk(self, self._content(*self._places[i]))
        return self._cache[i]

    def __getitem__(self, name):
        if name not in self._numbers:
            raise KeyError("%s: there are %s" % (name, ", ".join(self.channels)))
        number = self._numbers[name]
        channel = self.head["channels"][number]
        shape = channel["items"], channel["width"]
        parts = [self._chunk(i).channel(number) for i in range(len(self._places))]
        whole = numpy.concatenate(parts) if parts else numpy.zeros((0,) + shape)
        flat = channel["items"] == 1 and not channel.get("items_names")
        return whole[:, 0, :] if flat else whole

    def __contains__(self, name):
        return name in self._numbers

    def keys(self):
        return self.channels

    def entries(self, name):
        """What a channel with a list holds, an array (entries, fields) a frame; `fields(name)` says what they are."""
        return [rows for i in range(len(self._places)) for rows in self._chunk(i).list(self._numbers[name])]

    def fields(self, name):
        return [f["name"] for f in self.head["channels"][self._numbers[name]]["list"]["fields"]]

    def items(self, name):
        """Names of a channel's items: bodies, joints; None where they have none."""
        names = self.head["channels"][self._numbers[name]].get("items_names")
        return self.bodies if names == "bodies" else names

    def __len__(self):
        return len(self.times)


def load(path):
    """Opens a trajectory; its numbers are decoded when they are asked for."""
    return Trajectory(path)


# ---- simulations: libmbsim.so ---------------------------------------------------------------------------------


class _Issue(ctypes.Structure):
    _fields_ = [("warning", ctypes.c_bool), ("line", ctypes.c_int), ("column", ctypes.c_int),
                ("where", ctypes.c_char * 256), ("text", ctypes.c_char * 640)]


class _Report(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("errors", ctypes.c_int), ("warnings", ctypes.c_int), ("kept", ctypes.c_int),
                ("file", ctypes.c_char * 256), ("issues", _Issue * 40)]


class _Options(ctypes.Structure):
    _fields_ = [("params", ctypes.POINTER(ctypes.c_char_p)), ("nparams", ctypes.c_size_t),
                ("sets", ctypes.POINTER(ctypes.c_char_p)), ("nsets", ctypes.c_size_t)]


class _SimOptions(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_int), ("engine", ctypes.c_void_p), ("restored", ctypes.c_bool)]


class _Channel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("quantity", ctypes.c_int),
                ("rotation", ctypes.c_bool), ("unstable", ctypes.c_bool), ("items", ctypes.c_size_t),
                ("width", ctypes.c_size_t), ("offset", ctypes.c_size_t), ("items_names", ctypes.POINTER(ctypes.c_char_p)),
                ("component_names", ctypes.POINTER(ctypes.c_char_p)), ("vectors", ctypes.POINTER(ctypes.c_size_t)),
                ("nvectors", ctypes.c_size_t), ("list", ctypes.c_void_p)]


_VERSION = "0"  # of the library's interface
_library = None


def _find_library():
    own = os.path.dirname(os.path.abspath(__file__))
    name = "libmbsim.so." + _VERSION
    places = [os.environ.get("MBSIM_LIBRARY"), os.path.join(own, "..", "..", "..", "lib", name),
              os.path.join(own, "..", "..", "build", "release", name), name]
    for place in places:
        if place and (place == name or os.path.exists(place)):
            try:
                return ctypes.CDLL(place)
            except OSError as error:
                if place != name:
                    raise Error("%s cannot be loaded: %s" % (place, error)) from None
    raise Error("%s is nowhere to be found: set MBSIM_LIBRARY" % name)


def library():
    """The shared library, with its functions' types."""
    global _library
    if _library is None:
        lib, pointer, size, report = _find_library(), ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(_Report)
        numbers, out = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_void_p)
        types = {
            "mb_version": (ctypes.c_char_p, []),
            "mb_scene_load": (ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(_Options), out, report]),
            "mb_scene_parse": (ctypes.c_int, [ctypes.c_char_p, size, ctypes.c_char_p, ctypes.c_char_p,
                                              ctypes.POINTER(_Options), out, report]),
            "mb_scene_free": (None, [pointer]), "mb_model_free": (None, [pointer]), "mb_sim_free": (None, [pointer]),
            "mb_model_create": (ctypes.c_int, [pointer, out, report]),
            "mb_model_bodies": (size, [pointer]), "mb_model_body_name": (ctypes.c_char_p, [pointer, size]),
            "mb_model_steps": (ctypes.c_int64, [pointer]), "mb_model_step_size": (ctypes.c_double, [pointer]),
            "mb_model_inputs": (size, [pointer]), "mb_model_input_name": (ctypes.c_char_p, [pointer, size]),
            "mb_model_coordinates": (size, [pointer, size, ctypes.POINTER(size)]),
            "mb_model_velocities": (size, [pointer, size, ctypes.POINTER(size)]),
            "mb_sim_create": (ctypes.c_int, [pointer, ctypes.POINTER(_SimOptions), out, report]),
            "mb_sim_step": (ctypes.c_int, [pointer, report]),
            "mb_sim_time": (ctypes.c_double, [pointer]), "mb_sim_steps": (ctypes.c_int64, [pointer]),
            "mb_sim_get": (None, [pointer, numbers, numbers]),
            "mb_sim_set": (ctypes.c_int, [pointer, numbers, numbers, report]),
            "mb_model_nodes_of": (size, [pointer, ctypes.c_char_p]),
            "mb_sim_get_nodes": (ctypes.c_int, [pointer, ctypes.c_char_p, numbers, numbers, report]),
            "mb_sim_set_nodes": (ctypes.c_int, [pointer, ctypes.c_char_p, numbers, numbers, report]),
            "mb_sim_set_input": (ctypes.c_int, [pointer, size, ctypes.c_double, report]),
            "mb_sim_input": (ctypes.c_double, [pointer, size]),
            "mb_sim_channel": (ctypes.POINTER(_Channel), [pointer, ctypes.c_char_p]),
            "mb_sim_read": (ctypes.c_int, [pointer, ctypes.POINTER(_Channel), numbers, report]),
        }
        for name, (result, arguments) in types.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        _library = lib
    return _library


def _texts(values):
    return (ctypes.c_char_p * len(values))(*[v.encode() for v in values])


def _pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _warn(issues):
    """Warns where the code stands that has called into this file."""
    level, frame = 1, sys._getframe(0)
    while frame and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    for issue in issues:
        warnings.warn(("%s %s" % (issue["where"], issue["text"])).strip(), Warned, stacklevel=level)


class _Closed:
    """What stands for the library once a simulation has given its memory back."""

    def __getattr__(self, name):
        raise ValueError("the simulation is closed")


class Simulation:
    """A scene that runs step by step.

    scene: a file's name (a URDF or MJCF model too), or a dictionary; params: numbers of the scene's parameters; sets: values by JSON
    pointer. `state` and `state = q, v` read and set coordinates and velocities of all bodies (`place(body)` says where a body's are);
    sim[name] reads an input by its JSON pointer or a channel by its name, sim[name] = value gives an input a value.
    """

    def __init__(self, scene, params=None, sets=None, threads=0):
        self._lib, self._report = library(), _Report()
        self._scene, self._model, self._sim = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        params = ["%s=%s" % (k, v if isinstance(v, str) else repr(float(v))) for k, v in (params or {}).items()]
        sets = ["%s=%s" % (k, json.dumps(v)) for k, v in (sets or {}).items()]
        options = _Options(_texts(params), len(params), _texts(sets), len(sets))
        if isinstance(scene, dict):
            text = json.dumps(scene).encode()
            self._call("mb_scene_parse", text, len(text), b"scene", b".", options, self._scene)
        else:
            self._call("mb_scene_load", os.fspath(scene).encode(), options, self._scene)
        self._call("mb_model_create", self._scene, self._model)
        self._call("mb_sim_create", self._model, _SimOptions(threads), self._sim)
        lib, model = self._lib, self._model
        self.bodies = [lib.mb_model_body_name(model, b).decode() for b in range(lib.mb_model_bodies(model))]
        self.inputs = [lib.mb_model_input_name(model, i).decode() for i in range(lib.mb_model_inputs(model))]
        self._input = {name: i for i, name in enumerate(self.inputs)}
        self.steps, self.step_size = lib.mb_model_steps(model), lib.mb_model_step_size(model)
        first, last = ctypes.c_size_t(), ctypes.c_size_t()
        lib.mb_model_coordinates(model, len(self.bodies), first)
        lib.mb_model_velocities(model, len(self.bodies), last)
        self._q, self._v = numpy.zeros(first.value), numpy.zeros(last.value)

    def _call(self, name, *arguments):
        report = self._report
        ctypes.memset(ctypes.byref(report), 0, ctypes.sizeof(report))
        arguments = [ctypes.byref(a) if isinstance(a, (_Options, _SimOptions)) else a for a in arguments]
        out = name in ("mb_scene_load", "mb_scene_parse", "mb_model_create", "mb_sim_create")
        if out:
            arguments[-1] = ctypes.byref(arguments[-1])
        status = getattr(self._lib, name)(*arguments, ctypes.byref(report))
        issues = [{"warning": i.warning, "file": report.file.decode(errors="replace"), "line": i.line, "column": i.column,
                   "where": i.where.decode(errors="replace"), "text": i.text.decode(errors="replace")}
                  for i in report.issues[:report.kept]]
        _warn(i for i in issues if i["warning"])
        if status:
            said = ["%s %s" % (i["where"], i["text"]) for i in issues if not i["warning"]]
            raise Error("; ".join(s.strip() for s in said) or "status %d" % status, status, issues)

    @property
    def time(self):
        return self._lib.mb_sim_time(self._sim)

    def step(self, count=1):
        """Steps; on failure an Error, and the state is that before the step that failed."""
        for _ in range(count):
            self._call("mb_sim_step", self._sim)

    @property
    def state(self):
        self._lib.mb_sim_get(self._sim, _pointer(self._q), _pointer(self._v))
        return self._q.copy(), self._v.copy()

    @state.setter
    def state(self, qv):
        q, v = (numpy.ascontiguousarray(x, numpy.float64) for x in qv)
        if q.shape != self._q.shape or v.shape != self._v.shape:
            raise ValueError("the state is %d coordinates and %d velocities" % (len(self._q), len(self._v)))
        self._call("mb_sim_set", self._sim, _pointer(q), _pointer(v))

    def nodes(self, deformable):
        """Places and velocities of a deformable's nodes: two arrays (nodes, 3)."""
        shape = (self._lib.mb_model_nodes_of(self._model, deformable.encode()), 3)
        x, v = numpy.zeros(shape), numpy.zeros(shape)
        self._call("mb_sim_get_nodes", self._sim, deformable.encode(), _pointer(x), _pointer(v))
        return x, v

    def set_nodes(self, deformable, x=None, v=None):
        """Sets them; what is not given stays, and so does what pins and bodies hold."""
        shape = (self._lib.mb_model_nodes_of(self._model, deformable.encode()), 3)
        given = [None if a is None else numpy.ascontiguousarray(a, numpy.float64) for a in (x, v)]
        for a in given:
            if a is not None and shape[0] and a.shape != shape:
                raise ValueError("\"%s\" has %d nodes: an array of %d x 3 is wanted" % (deformable, shape[0], shape[0]))
        self._call("mb_sim_set_nodes", self._sim, deformable.encode(), *(None if a is None else _pointer(a) for a in given))

    def place(self, body):
        """Where a body's coordinates and velocities stand in the state: two slices."""
        number, out = self.bodies.index(body), []
        for ask in (self._lib.mb_model_coordinates, self._lib.mb_model_velocities):
            first = ctypes.c_size_t()
            count = ask(self._model, number, first)
            out.append(slice(first.value, first.value + count))
        return tuple(out)

    def __getitem__(self, name):
        if name in self._input:
            return self._lib.mb_sim_input(self._sim, self._input[name])
        channel = self._lib.mb_sim_channel(self._sim, name.encode())
        if not channel:
            raise KeyError("%s is neither an input nor a channel of the scene's output" % name)
        out = numpy.zeros((channel.contents.items, channel.contents.width))
        self._call("mb_sim_read", self._sim, channel, _pointer(out))
        return out

    def __setitem__(self, name, value):
        if name not in self._input:
            raise KeyError("%s is no input: there are %s" % (name, ", ".join(self.inputs) or "none"))
        self._call("mb_sim_set_input", self._sim, self._input[name], float(value))

    def close(self):
        """Gives back the library's memory; nothing else may be asked after it."""
        for name, handle in (("mb_sim_free", self._sim), ("mb_model_free", self._model), ("mb_scene_free", self._scene)):
            if handle:
                getattr(self._lib, name)(handle)
                handle.value = None
        self._lib = _Closed()

    def __del__(self):
        if hasattr(self, "_sim"):
            self.close()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()


def run(scene, params=None, sets=None, threads=0):
    """A simulation of a scene, at its start."""
    return Simulation(scene, params, sets, threads)
