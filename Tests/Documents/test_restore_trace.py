"""A trace of restores under another passphrase than the vault's: nothing that is written holds a secret or a Key URI.

Looked at are the bytes of every call that writes, to a file, a pipe or a socket, every file that was ever opened for
writing or made, and which of those were mapped so that they could be written without a call.
"""
import base64
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

import documents

WRITES = "write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,sendmmsg,sendfile,splice,tee,vmsplice,copy_file_range"
OPENS = "open,openat,openat2,creat,memfd_create,mmap,link,linkat,rename,renameat,renameat2,io_uring_setup"
SECRETS = {"the seed": b"Qv7-of-the-seed-Zx9!", "the password": b"Zx9CanaryQv7-password", "the note": b"Zx9CanaryQv7-note"}
URI = b"otpauth://"


def canary_script():
    path = str(documents.ROOT / "scripts" / "canary")
    loader = SourceFileLoader("canary_script", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("canary_script", loader))
    loader.exec_module(module)
    return module


class Trace:
    """What `strace -f -y -xx` wrote down."""

    def __init__(self, path):
        self.calls = [re.sub(r"^\d+\s+", "", line) for line in path.read_text().splitlines()]
        self.written, self.streams = 0, {}
        for call in self.calls:
            name = call.split("(", 1)[0]
            if name not in WRITES.split(","):
                continue
            # `-y` says which file a descriptor is; its name is escaped as all text is.
            target = self.text(call.split("<", 1)[1].split(">", 1)[0]) if "<" in call else b"?"
            data = b"".join(self.text(text) for text in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', call))
            self.streams[target] = self.streams.get(target, b"") + data
            self.written += len(data)

    @staticmethod
    def text(escaped):
        return bytes.fromhex(escaped.replace("\\x", ""))

    def hits(self):
        script = canary_script()
        forms = [(f"{name}, {form}", spelled) for name, secret in [*SECRETS.items(), ("a Key URI", URI)]
                 for form, spelled in script.forms(secret)]
        return [(target, name) for target, data in self.streams.items() for name, spelled in forms if spelled in data]

    def mapped_for_writing(self):
        """The files that shared maps can change without a call."""
        shared = [call for call in self.calls if call.startswith("mmap(") and "MAP_SHARED" in call and "PROT_WRITE" in call]
        return {self.text(call.split("<", 1)[1].split(">", 1)[0]).decode() for call in shared if "<" in call}

    def opened_for_writing(self):
        found = set()
        for call in self.calls:
            if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TMPFILE|^creat\(|^memfd_create\(", call):
                result = re.search(r"= \d+<([^>]*)>", call)
                if result:
                    found.add(self.text(result.group(1)).decode())
        return found


@unittest.skipUnless(documents.seif_binary() and shutil.which("strace"), "no program or no strace")
class RestoreTrace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        top = tempfile.TemporaryDirectory()
        cls.addClassCleanup(top.cleanup)
        cls.folder = folder = Path(top.name)
        (folder / "backups").mkdir()
        (folder / "run").mkdir(mode=0o700)
        for name, text in {"old": "correct horse of the old vault 7", "new": "another horse of the new vault 8",
                           "backup": "a third horse, of the backup 9"}.items():
            cls.file(name, text.encode())
        cls.file("seed", base64.b32encode(SECRETS["the seed"]))
        cls.file("password", SECRETS["the password"])
        cls.file("note", SECRETS["the note"])
        cls.seif("init", "--passphrase-file", "old", "--recovery-sheet", "old-sheet", vault="old-vault")
        unlock = ["--vault-passphrase-file", "old"]
        cls.seif("add", "code", "--name", "Forge", "--account", "ana", "--secret-file", "seed", *unlock, vault="old-vault")
        cls.seif("add", "login", "--name", "Shop", "--account", "ana", "--secret-file", "password", *unlock,
                 vault="old-vault")
        cls.seif("add", "note", "--name", "Memo", "--text-file", "note", *unlock, vault="old-vault")
        cls.seif("backup", "create", "--destination", "backups", "--new-passphrase-file", "backup", *unlock,
                 vault="old-vault")
        cls.seif("init", "--passphrase-file", "new", "--recovery-sheet", "new-sheet", vault="new-vault")

    @classmethod
    def file(cls, name, data):
        (cls.folder / name).write_bytes(data + b"\n")
        (cls.folder / name).chmod(0o600)

    @classmethod
    def environment(cls):
        return {"HOME": str(cls.folder / "home"), "PATH": os.environ["PATH"], "SEIF_PINENTRY": "",
                "XDG_RUNTIME_DIR": str(cls.folder / "run")}

    @classmethod
    def seif(cls, *words, vault, trace=None):
        before = [] if trace is None else [
            "strace", "-f", "-qq", "-y", "-xx", "-s", "8388608", "-o", str(cls.folder / trace), "-e",
            f"trace={WRITES},{OPENS}"]
        done = subprocess.run([*before, str(documents.seif_binary()), *words, "--vault", vault], cwd=cls.folder,
                              capture_output=True, env=cls.environment(), stdin=subprocess.DEVNULL, timeout=300)
        assert done.returncode in (0, 1), (words, done.stderr)
        return Trace(cls.folder / trace) if trace else done

    def check(self, trace):
        self.assertEqual([], trace.hits())
        script = canary_script()
        for path in trace.opened_for_writing():
            if os.path.isfile(path):
                data = Path(path).read_bytes()
                for name, secret in [*SECRETS.items(), ("a Key URI", URI)]:
                    found = [form for form, spelled in script.forms(secret) if spelled in data]
                    self.assertEqual([], found, f"{name} in {path}")
        # SQLite's index of its log alone, which holds page numbers.
        outside = [path for path in trace.mapped_for_writing() if not path.endswith("-shm")]
        self.assertEqual([], outside)
        self.assertEqual([], [call for call in trace.calls if call.startswith("io_uring_setup")])

    def test_a_restore_under_another_passphrase_writes_no_secret(self):
        trace = self.seif("backup", "restore", "--destination", "backups", "--yes", "--passphrase-file", "backup",
                          "--vault-passphrase-file", "new", vault="new-vault", trace="restore-trace")
        self.assertGreater(trace.written, 10_000)
        self.assertTrue(any(path.endswith("vault.db-wal") for path in trace.opened_for_writing()))
        self.check(trace)
        # All three did arrive.
        for name, secret in (("Shop", "the password"), ("Memo", "the note")):
            shown = self.seif("show", name, "--reveal", "--passphrase-file", "new", vault="new-vault")
            self.assertIn(SECRETS[secret], shown.stdout)

    def test_a_drill_writes_no_secret(self):
        trace = self.seif("drill", "--destination", "backups", "--passphrase-file", "backup",
                          "--vault-passphrase-file", "old", vault="old-vault", trace="drill-trace")
        self.assertTrue(any("seif-drill-" in path for path in trace.opened_for_writing()))
        self.check(trace)

    def test_the_trace_does_find_what_is_written_in_clear(self):
        trace = self.seif("export", "--to", "uri-list", "--plain", "--yes", "-o", "plain-in-clear",
                          "--passphrase-file", "old", vault="old-vault", trace="plain-trace")
        found = {name.split(",")[0] for _, name in trace.hits()}
        self.assertEqual({"the seed", "a Key URI"}, found & {"the seed", "a Key URI"})


if __name__ == "__main__":
    unittest.main()
