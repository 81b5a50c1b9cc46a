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


def read_plain(path):
    with zipfile.ZipFile(path) as archive:
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
