"""What a program asked of the disk, as io_shim.c wrote it down."""
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    what: str
    file: int
    folder: int
    name: str
    offset: int
    data: bytes


def read(path):
    """All calls in their order."""
    text = path.read_bytes()
    calls, position = [], 0
    while position < len(text):
        end = text.index(b"\n", position)
        what, file, folder, name, offset, count = text[position:end].decode().split("\t")
        start, count = end + 1, int(count)
        data = text[start:start + count]
        assert len(data) == count and text[start + count:start + count + 1] == b"\n", "the log is cut short"
        calls.append(Call(what, int(file), int(folder), name, int(offset), data))
        position = start + count + 1
    return calls


def confirmed(call):
    """The number of steps that a mark confirms, or None."""
    words = call.data.decode().split() if call.what == "mark" else []
    return int(words[1]) if words and words[0] in ("done", "found") else None
