"""Draws a QR code on the screen of an Xvfb that keeps its pixels in a file.

usage: screen.py FILE TEXT

FILE is what `Xvfb -fbdir` makes, in the format of xwd: a header of numbers of 4 bytes, most significant first, colours
of 12 bytes each, the pixels.
"""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import pictures  # noqa: E402

with open(sys.argv[1], "r+b") as screen:
    header = struct.unpack(">25I", screen.read(100))
    start, bits, line, colours = header[0] + 12 * header[19], header[11], header[12], header[19]
    assert bits == 32
    rows = pictures.picture(pictures.matrix(sys.argv[2]), scale=4)
    for number, row in enumerate(rows):
        screen.seek(start + (40 + number) * line + 60 * 4)
        screen.write(b"".join(bytes([shade, shade, shade, 0]) for shade in row))
