"""A file system that has promised no more than POSIX: what no sync has followed may be there, or not, or in part.

A sync of a file makes its bytes and its length durable, not its name; names are durable once their folder was synced.
"""
import random

SECTOR = 512
# Everything unsynced is there (a killed program); nothing is; only names; only bytes; each by chance.
KEPT, DROPPED, NAMES, BYTES = "kept", "dropped", "names", "bytes"


class File:
    label = "nameless"  # the last name that it was given

    def __init__(self):
        self.durable = b""
        self.pending = []

    def sync(self):
        self.durable = self.state(self.pending)
        self.pending = []

    def state(self, pending):
        if not pending:
            return self.durable
        bytes_ = bytearray(self.durable)
        for what, offset, data in pending:
            if what == "truncate":
                del bytes_[offset:]
                bytes_.extend(bytes(offset - len(bytes_)))
            else:
                if len(bytes_) < offset:
                    bytes_.extend(bytes(offset - len(bytes_)))
                bytes_[offset:offset + len(data)] = data
        return bytes(bytes_)

    def after(self, crash, chance):
        if crash in (DROPPED, NAMES):
            return self.durable
        if chance is None:
            return self.state(self.pending)
        kept = []
        for what, offset, data in self.pending:
            fate = chance.randrange(3)
            if fate == 0:
                kept.append((what, offset, data))
            elif fate == 1 and what == "write":
                cut = chance.randrange(len(data) // SECTOR + 1) * SECTOR
                # The end may have reached the disk before the beginning.
                kept.append((what, offset, data[:cut]) if chance.random() < 0.5 else (what, offset + cut, data[cut:]))
        return self.state(kept)


class Folder:
    label = "root"

    def __init__(self):
        self.durable = {}
        self.pending = []  # each a list of (name, node or None) that happens whole

    def sync(self):
        for change in self.pending:
            self.apply(self.durable, change)
        self.pending = []

    @staticmethod
    def apply(names, change):
        for name, node in change:
            if node is None:
                names.pop(name, None)
            else:
                names[name] = node

    def after(self, crash, chance):
        names = dict(self.durable)
        if crash not in (DROPPED, BYTES):
            for change in self.pending:
                if chance is None or chance.random() < 0.5:
                    self.apply(names, change)
        return names


class Disk:
    """Takes calls one by one; `skips` tells of a sync, by the last name of what is synced, whether it is left out."""

    def __init__(self, root, skips=lambda name: False, holds_files=False):
        self.root = Folder()
        self.nodes = {root.stat().st_ino: self.root}
        self.skips = skips
        self.load(root, self.root, holds_files)

    def load(self, path, folder, holds_files):
        """What is there from before is durable: the folders, and with `holds_files` all that is in them."""
        for entry in path.iterdir():
            if not entry.is_dir() and not holds_files:
                continue
            node = self.nodes[entry.stat().st_ino] = folder.durable[entry.name] = Folder() if entry.is_dir() else File()
            node.label = entry.name
            if not entry.is_dir():
                node.durable = entry.read_bytes()
            elif holds_files:
                self.load(entry, node, holds_files)

    def take(self, call):
        """Does a call. False: it changed nothing."""
        if call.what in ("create", "mkdir"):
            # A number may be that of a file that is gone.
            node = self.nodes[call.file] = Folder() if call.what == "mkdir" else File()
            if call.name:
                self.named(call.folder, [(call.name, node)])
        elif call.what in ("write", "truncate"):
            self.nodes[call.file].pending.append((call.what, call.offset, call.data))
        elif call.what == "sync":
            node = self.nodes[call.file]
            if self.skips(node.label):
                return False
            node.sync()
        elif call.what == "link":
            self.named(call.folder, [(call.name, self.nodes[call.file])])
        elif call.what == "rename":
            assert call.offset == call.folder, "a rename between folders"
            self.named(call.folder, [(call.name, self.nodes[call.file]), (call.data.decode(), None)])
        elif call.what == "unlink":
            self.named(call.folder, [(call.name, None)])
        else:
            return False
        return True

    def named(self, folder, change):
        self.nodes[folder].pending.append(change)
        for name, node in change:
            if node is not None:
                node.label = name

    def after(self, crash, seed=None):
        """The tree that a crash leaves: bytes by path, folders as None."""
        chance = random.Random(seed) if seed is not None else None
        tree = {}

        def walk(folder, path):
            for name, node in sorted(folder.after(crash, chance).items()):
                if isinstance(node, Folder):
                    tree[path + name] = None
                    walk(node, path + name + "/")
                # The index of the write-ahead log is shared memory, made anew after a crash.
                elif not name.endswith("-shm"):
                    tree[path + name] = node.after(crash, chance)

        walk(self.root, "")
        return tree


def write(tree, root):
    """Puts a tree into a new folder."""
    root.mkdir(mode=0o700)
    for path, data in tree.items():
        if data is None:
            (root / path).mkdir(mode=0o700)
        else:
            (root / path).write_bytes(data)
