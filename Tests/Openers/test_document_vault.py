"""docs/openers/document_vault.py: folders made of the vectors, hostile ones, and one that Seif made."""
import base64
import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import support

VECTORS = support.load("tapsign-v1")
WRAP = next(v for v in VECTORS["wraps"] if v["kind"] == "recovery")
MASTER = bytes.fromhex(WRAP["masterKey"])
CODE = WRAP["code"].encode("ascii")
OPENER = support.OPENERS / "document_vault.py"


def row(wrap=WRAP):
    return {"id": str(uuid.uuid4()), "kind": "recovery", "iterations": 600_000, "wrappedKey": wrap["wrappedBase64"],
            "salt": base64.b64encode(bytes.fromhex(wrap["salt"])).decode()}


def seal(key, data):
    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, data, None)


class Folder:
    """A document vault of the test's own."""

    def __init__(self, root):
        self.path, self.nodes = Path(root) / "vault", []
        (self.path / "objects").mkdir(parents=True)

    def folder(self, name, parent=None, id=None):
        id = id or str(uuid.uuid4())
        self.nodes.append({"id": id, "parent": parent, "kind": "folder", "name": name})
        return id

    def file(self, name, data, parent=None, **more):
        object, key = str(uuid.uuid4()), os.urandom(32)
        (self.path / "objects" / object).write_bytes(seal(key, data))
        node = {"id": str(uuid.uuid4()), "parent": parent, "kind": "file", "name": name, "object": object.upper(),
                "key": base64.b64encode(key).decode(), "bytes": len(data), "ext": "pdf"}
        self.nodes.append(node | more)

    def write(self, manifest=None, name="manifest", rows=None):
        text = json.dumps({"version": 1, "nodes": self.nodes} if manifest is None else manifest).encode()
        blob = seal(MASTER, text)
        (self.path / name).write_bytes(blob)
        (self.path / "wraps.json").write_text(json.dumps(rows or [{"id": "x", "kind": "future"}, row()]))
        (self.path / "version").write_text(f"7 {hashlib.sha256(blob).hexdigest()}\n")

    def open(self, out):
        return support.opener("document_vault").open_vault(self.path, Path(out), CODE)


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}


class DocumentVault(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.TemporaryDirectory()
        self.addCleanup(self.root.cleanup)
        self.out = Path(self.root.name) / "out"
        self.vault = Folder(self.root.name)

    def test_it_has_less_than_eighty_lines(self):
        self.assertLess(len(OPENER.read_text().splitlines()), 80)

    def test_every_good_manifest_of_the_vectors_opens(self):
        unseal = support.opener("document_vault").unseal
        for v in VECTORS["manifests"]:
            with self.subTest(v["name"]):
                self.assertEqual(unseal(bytes.fromhex(v["masterKey"]), bytes.fromhex(v["blob"])).hex(), v["plaintextHex"])

    def test_documents_come_out_in_their_folders(self):
        home = self.vault.folder("Home")
        deep = self.vault.folder("Papers", home)
        self.vault.file("a.pdf", b"one", deep)
        self.vault.file("a.pdf", b"two", deep)
        self.vault.file("empty.pdf", b"")
        self.vault.write()
        self.assertEqual(self.vault.open(self.out), (3, []))
        self.assertEqual(contents(self.out), {"Home/Papers/a.pdf": b"one", "Home/Papers/a (2).pdf": b"two",
                                              "empty.pdf": b""})
        self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), 0o700)

    def test_what_is_hostile_or_broken_stays_inside_and_is_named(self):
        a, b = str(uuid.uuid4()), str(uuid.uuid4())
        self.vault.folder("A", b, a)
        self.vault.folder("B", a, b)
        self.vault.file("in a circle.pdf", b"circle", a)
        self.vault.file("../../escaped.pdf", b"x")
        self.vault.file("/etc/passwd", b"y", str(uuid.uuid4()))
        self.vault.file("turned\u202efdp.exe", b"z")
        self.vault.file("no key.pdf", b"k", key="AAAA")
        self.vault.file("gone.pdf", b"g", object=str(uuid.uuid4()))
        self.vault.file("path.pdf", b"p", object="../../../../etc/passwd")
        self.vault.nodes += [None, 7, {"kind": "odd"}, {"kind": "file"}]
        self.vault.write()
        done, failed = self.vault.open(self.out)
        self.assertEqual((done, len(failed)), (4, 4))
        self.assertEqual(sorted(contents(self.out).values()), [b"circle", b"x", b"y", b"z"])
        names = {p.name for p in Path(self.root.name).rglob("*")} - {"vault", "out", "objects", "version"}
        self.assertFalse({"escaped.pdf", "passwd"} & names)
        self.assertFalse(any("\u202e" in name for name in names))

    def test_a_manifest_that_a_program_left_half_way_is_found(self):
        self.vault.file("old.pdf", b"old")
        self.vault.write()
        self.vault.file("new.pdf", b"new")
        (self.vault.path / "version").unlink()
        self.vault.write(name="manifest.next")
        self.assertEqual(self.vault.open(self.out)[0], 2)

    def test_rows_that_change_with_the_manifest_are_those_that_version_names(self):
        self.vault.file("a.pdf", b"a")
        self.vault.write(rows=[{"id": "x", "kind": "future"}])
        rows = json.dumps([row()]).encode()
        (self.vault.path / "wraps.next").write_bytes(rows)
        version = self.vault.path / "version"
        version.write_text(version.read_text().rstrip() + f" {hashlib.sha256(rows).hexdigest()}\n")
        self.assertEqual(self.vault.open(self.out), (1, []))

    def test_a_wrong_code_another_cost_and_another_version_open_nothing(self):
        self.vault.write()
        open_vault = support.opener("document_vault").open_vault
        with self.assertRaises(InvalidTag):
            open_vault(self.vault.path, self.out, b"2" * 24)
        self.vault.write(rows=[row() | {"iterations": 1000}])
        with self.assertRaises(InvalidTag):
            self.vault.open(self.out)
        self.vault.write(manifest={"version": 2, "nodes": []})
        with self.assertRaises(ValueError):
            self.vault.open(self.out)
        self.assertFalse(self.out.exists())

    def test_a_person_runs_it(self):
        self.vault.file("a.pdf", b"a")
        self.vault.file("gone.pdf", b"g", object=str(uuid.uuid4()))
        self.vault.write()
        typed = "-".join(WRAP["code"][i:i + 4].lower() for i in range(0, 24, 4)).encode() + b"\n"
        ran = subprocess.run([sys.executable, OPENER, self.vault.path, self.out], input=typed, capture_output=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn(b"1 documents\n'gone.pdf'", ran.stdout)

    def test_what_seif_put_in_comes_out(self):
        seif = support.seif_binary()
        if not seif:
            self.skipTest("Seif isn't built")
        root = Path(self.root.name)
        home = {"HOME": str(root), "XDG_DATA_HOME": str(root / "data"), "XDG_STATE_HOME": str(root / "state"),
                "PATH": os.environ["PATH"]}

        def run(*words):
            ran = subprocess.run([seif, "docs", *words], env=home, capture_output=True, text=True, cwd=root)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            return ran
        (root / "letter.pdf").write_bytes(b"%PDF-1.7 " + os.urandom(3_000_000))
        (root / "note.txt").write_text("a note")
        run("init", "--without-vault", "--kit", "kit.txt")
        code = next(x for x in (root / "kit.txt").read_text().splitlines() if x.startswith("Recovery code: "))[15:]
        (root / "code.txt").write_text(code + "\n")
        (root / "code.txt").chmod(0o600)
        by_code = ("--docs-code-file", "code.txt")
        run("put", "letter.pdf", "note.txt", "--to", "Home/2026", "--parents", *by_code)
        run("sync", "copy", *by_code)
        normal = code.replace("-", "").encode()
        opened = support.opener("document_vault").open_vault(root / "copy", self.out, normal)
        self.assertEqual(opened, (2, []))
        self.assertEqual(contents(self.out), {"Home/2026/letter.pdf": (root / "letter.pdf").read_bytes(),
                                              "Home/2026/note.txt": b"a note"})


if __name__ == "__main__":
    unittest.main()
