"""Pictures of QR codes for tests, good and hostile: python3 pictures.py FOLDER TEXT...

Codes come from qrencode, JPEG from libturbojpeg, PNG from here: none of it from what is tested.
"""
import ctypes
import math
import pathlib
import struct
import subprocess
import sys
import zlib


def matrix(text):
    """The code's squares, true for black, without a frame."""
    drawn = subprocess.run(["qrencode", "-t", "ASCII", "-m", "0", "-o", "-"], input=text, stdout=subprocess.PIPE,
                           check=True, text=True).stdout
    return [[line[i] == "#" for i in range(0, len(line), 2)] for line in drawn.splitlines()]


def picture(squares, scale=6, frame=4, black=0, white=255):
    """Rows of shades."""
    side = len(squares) + 2 * frame
    rows = []
    for y in range(side):
        row = []
        for x in range(side):
            inside = frame <= x < side - frame and frame <= y < side - frame
            row += [black if inside and squares[y - frame][x - frame] else white] * scale
        rows += [row] * scale
    return rows


def turned(rows, degrees):
    """Turned around its middle, on white, on a canvas large enough."""
    size = len(rows)
    canvas = int(size * 1.45)
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    result = []
    for y in range(canvas):
        row = []
        for x in range(canvas):
            u, v = x - canvas / 2, y - canvas / 2
            a, b = int(u * cosine + v * sine + size / 2), int(v * cosine - u * sine + size / 2)
            row.append(rows[b][a] if 0 <= a < size and 0 <= b < size else 255)
        result.append(row)
    return result


def beside(pictures):
    height = max(map(len, pictures))
    return [sum((one[y] if y < len(one) else [255] * len(one[0]) for one in pictures), []) for y in range(height)]


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_of(width, height, depth, colour, data, before=b""):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
            + before + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def png(rows, colour=0, level=-1):
    """8-bit grey (0), true colour (2) or with an alpha channel in which white is transparent (6)."""
    def pixel(shade):
        return {0: [shade], 2: [shade] * 3, 6: [0, 0, 0, 255 - shade]}[colour]
    raw = b"".join(b"\0" + bytes(sum(map(pixel, row), [])) for row in rows)
    return png_of(len(rows[0]), len(rows), 8, colour, zlib.compress(raw, level))


def jpeg(rows, quality=70):
    library = ctypes.CDLL("libturbojpeg.so.0")
    library.tjInitCompress.restype = ctypes.c_void_p
    pixels = b"".join(map(bytes, rows))
    out, size = ctypes.c_void_p(), ctypes.c_ulong()
    handle = ctypes.c_void_p(library.tjInitCompress())
    done = library.tjCompress2(handle, pixels, len(rows[0]), 0, len(rows), 6, ctypes.byref(out), ctypes.byref(size),
                               3, quality, 0)
    assert done == 0
    return ctypes.string_at(out, size.value)


def main(folder, texts):
    folder = pathlib.Path(folder)
    first = matrix(texts[0])
    plain = picture(first)
    good = {
        "plain.png": png(plain), "colour.png": png(plain, 2), "transparent.png": png(plain, 6),
        "photo.jpg": jpeg(plain), "turned-90.png": png([list(row) for row in zip(*plain[::-1])]),
        "turned-180.png": png([row[::-1] for row in plain[::-1]]), "turned-33.png": png(turned(plain, 33)),
        "turned-33.jpg": jpeg(turned(plain, 33)),
        "inverted.png": png([[255 - shade for shade in row] for row in plain]),
        "faint.png": png(picture(first, black=131, white=150)), "dark.png": png(picture(first, black=0, white=22)),
        "small.png": png(picture(first, scale=1, frame=0)), "no-frame.png": png(picture(first, frame=0)),
        "large.png": png(picture(first, scale=40)),
        "several.png": png(beside([picture(matrix(text)) for text in texts])),
        "several-mixed.png": png(beside([plain, [[255 - s for s in row] for row in picture(matrix(texts[1]))]])),
    }
    whole = good["plain.png"]
    hostile = {
        "cut.png": whole[:len(whole) // 2], "header-only.png": whole[:33], "signature-only.png": whole[:8],
        "checksum.png": whole[:60] + bytes([whole[60] ^ 1]) + whole[61:],
        "cut.jpg": good["photo.jpg"][:len(good["photo.jpg"]) // 2], "signature-only.jpg": b"\xff\xd8\xff",
        "huge.png": png_of(100_000, 100_000, 8, 0, zlib.compress(b"")),
        "negative.png": png_of(0xFFFFFFFF, 0xFFFFFFFF, 8, 0, zlib.compress(b"")),
        "square.png": png_of(16_384, 16_384, 1, 0, zlib.compress(bytes(2049 * 16_384))),
        "too-little-data.png": png_of(500, 500, 8, 0, zlib.compress(bytes(1000))),
        "text-bomb.png": png_of(10, 10, 8, 0, zlib.compress(bytes(110)),
                                chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(50_000_000)))),
        "huge.jpg": b"\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xd9",
        "text.png": b"otpauth://totp/x?secret=AAAA", "empty.png": b"", "nothing.png": png([[255] * 300] * 300),
    }
    for name, content in {**good, **hostile}.items():
        (folder / name).write_bytes(content)
    (folder / "good").write_text("\n".join(good))
    (folder / "hostile").write_text("\n".join(hostile))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
