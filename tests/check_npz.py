"""Checks an .npz export against the .csv export of the same frames, number by number.

    check_npz.py [--without-numpy] [--quiet] FILE.npz FILE.csv
    check_npz.py --zip name=size,... FILE.zip       members and sizes of an archive of x's

With numpy it reads the file as users do, by numpy.load; without it (or told so) by the format's definition.
"""
import ast
import csv
import json
import math
import struct
import sys
import zipfile


def read_array(data):
    """One .npy file: its type, shape and numbers."""
    assert data[:8] == b"\x93NUMPY\x01\x00", "magic and version"
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0, "numbers begin at a multiple of 64 bytes"
    header = data[10:10 + length].decode("ascii")
    assert header.endswith("\n")
    fields = ast.literal_eval(header)
    assert fields["fortran_order"] is False
    count = math.prod(fields["shape"])
    code, size = {"<f8": ("d", 8), "|u1": ("B", 1)}[fields["descr"]]
    body = data[10 + length:]
    assert len(body) == count * size, "as many bytes as the shape says"
    return fields["shape"], struct.unpack("<%d%s" % (count, code), body)


def check_stream(path, archive):
    """The archive as a reader sees it that goes forward only: each record begins where the last one ends."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    for entry in sorted(archive.infolist(), key=lambda entry: entry.header_offset):
        assert entry.header_offset == at, "%s begins at %d, not %d" % (entry.filename, entry.header_offset, at)
        (tag, _, flags, method, _, _, _, small, _, name, extra) = struct.unpack("<IHHHHHIIIHH", data[at:at + 30])
        assert (tag, flags & 8, method) == (0x04034B50, 8, 0), "a stored member whose size follows"
        wide = small == 0xFFFFFFFF
        assert wide == (extra > 0)
        at += 30 + name + extra + entry.file_size
        size = 24 if wide else 16
        found = struct.unpack("<IIQQ" if wide else "<IIII", data[at:at + size])
        assert found == (0x08074B50, entry.CRC, entry.file_size, entry.file_size), "%s: what follows" % entry.filename
        at += size
    assert data[at:at + 4] == b"PK\x01\x02", "the directory follows"


def read_plain(path):
    with zipfile.ZipFile(path) as archive:
        check_stream(path, archive)
        assert archive.testzip() is None, "checksums"
        assert all(name.endswith(".npy") for name in archive.namelist())
        return {name[:-4]: read_array(archive.read(name)) for name in archive.namelist()}


def read_numpy(path):
    import numpy
    with numpy.load(path, allow_pickle=False) as arrays:
        for name in arrays.files:
            assert arrays[name].dtype == ("u1" if name == "header.json" else "<f8"), name
        return {name: (arrays[name].shape, arrays[name].ravel().tolist()) for name in arrays.files}


def same(a, b):
    return a == b or (a != a and b != b)


def check_export(npz, rows):
    header = json.loads(bytes(npz.pop("header.json")[1]).decode("utf-8"))
    frames = header["frames"]
    assert len(rows) == frames + 1, "%d lines for %d frames" % (len(rows), frames)
    numbers = [[float(x) for x in row] for row in rows[1:]]
    assert npz["time"][0] == (frames,)
    assert set(npz) == {"time"} | {channel["name"] for channel in header["channels"]}

    column = 0
    for channel in [{"name": "time", "items": 1, "components": ["time"]}] + header["channels"]:
        name, items, width = channel["name"], channel["items"], len(channel["components"])
        shape, values = npz[name]
        count = len(items) if isinstance(items, list) else items
        if name != "time":
            flat = items == 1
            assert shape == ((frames, width) if flat else (frames, count, width)), "%s: %s" % (name, shape)
        n = count * width
        for k in range(frames):
            for i in range(n):
                a, b = values[k * n + i], numbers[k][column + i]
                assert same(a, b), "%s: frame %d, number %d: %r in npz, %r in csv" % (name, k, i, a, b)
        column += n
    assert column == len(rows[0]), "every column is an array's"


def check_zip(path, wanted):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None, "checksums"
        check_stream(path, archive)
        found = {entry.filename: entry.file_size for entry in archive.infolist()}
        assert found == wanted, "%s, not %s" % (found, wanted)
        assert all(set(archive.read(name)) == {ord("x")} for name in found)


def main(arguments):
    if arguments[0] == "--zip":
        pairs = (pair.split("=") for pair in arguments[1].split(","))
        check_zip(arguments[2], {name: int(size) for name, size in pairs})
        return
    plain = "--without-numpy" in arguments
    npz, table = [a for a in arguments if not a.startswith("--")]
    try:
        import numpy  # noqa: F401
    except ImportError:
        plain = True
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    check_export(read_plain(npz) if plain else read_numpy(npz), rows)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Exception as error:
        if "--quiet" not in sys.argv:
            print("check_npz: %s" % error, file=sys.stderr)
        sys.exit(1)
