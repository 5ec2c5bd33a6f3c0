"""A Wayland compositor for tests that has a seat and no data-control protocol: it lists what it has, and no more.

usage: compositor.py SOCKET

Says "ready" on a line, and serves one client after the other until its standard input ends.
"""
import select
import socket
import struct
import sys


def message(thing, opcode, body):
    return struct.pack("=II", thing, (len(body) + 8) << 16 | opcode) + body


def text(value):
    value = value.encode() + b"\0"
    return struct.pack("=I", len(value)) + value + b"\0" * (-len(value) % 4)


def serve(client):
    """Answers wl_display.get_registry and wl_display.sync."""
    data = b""
    while piece := client.recv(4096):
        data += piece
        while len(data) >= 8 and len(data) >= struct.unpack("=I", data[4:8])[0] >> 16:
            thing, word = struct.unpack("=II", data[:8])
            body, data = data[8:word >> 16], data[word >> 16:]
            if thing != 1:
                continue
            new = struct.unpack("=I", body[:4])[0]
            if word & 0xFFFF == 1:
                for name, interface in enumerate(["wl_compositor", "wl_seat", "wl_shm"], 1):
                    client.send(message(new, 0, struct.pack("=I", name) + text(interface) + struct.pack("=I", 1)))
            else:
                client.send(message(new, 0, struct.pack("=I", 1)))


def main(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("ready", flush=True)
        while sys.stdin not in (ready := select.select([sys.stdin, listener], [], [])[0]):
            client = listener.accept()[0]
            with client:
                serve(client)


main(sys.argv[1])
