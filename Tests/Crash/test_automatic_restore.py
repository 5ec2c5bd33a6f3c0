"""SIGKILL in a restore of what another machine made: the entries and the line that says so are both there, or neither."""
import json
import os
import random
import shutil
import signal
import subprocess
import unittest
from collections import Counter
from pathlib import Path

import canary
import support

SEIF = Path(os.environ.get("SEIF_BINARY") or support.ROOT / ".build" / "debug" / "seif")
KILLS = support.ROUNDS // 10 if support.ROUNDS else 14
NAMES = ("Shop", "Mail", "Bank")


@unittest.skipUnless(SEIF.is_file(), "Seif's program isn't there: build it, or name it in SEIF_BINARY")
class AutomaticRestore(unittest.TestCase):
    def setUp(self):
        self.base = support.scratch() / "automatic-restore"
        self.base.mkdir()
        self.addCleanup(shutil.rmtree, self.base, True)
        self.root, self.model, self.files = self.base / "round", self.base / "model", self.base / "files"
        self.files.mkdir()
        self.passphrase, self.secret = self.base / "passphrase", self.base / "secret"
        for path, text in ((self.passphrase, f"correct horse {canary.CANARY.decode()} battery staple"),
                           (self.secret, canary.CANARY.decode())):
            path.write_text(text + "\n")
            path.chmod(0o600)

    def run_seif(self, vault, *words, **more):
        environment = {"HOME": str(self.root), "PATH": os.environ["PATH"], "SEIF_PINENTRY": "", "TMPDIR": str(self.root),
                       **more}
        words = (*words, "--vault", self.root / vault)
        process = subprocess.run([str(word) for word in (SEIF, *words)], env=environment, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True)
        return process.returncode, process.stdout, process.stderr

    def succeed(self, vault, *words):
        code, output, errors = self.run_seif(vault, *words, "--vault-passphrase-file", self.passphrase)
        self.assertEqual(code, 0, f"{words[:3]}: {errors[-400:]}")
        return output

    def prepare(self):
        self.root.mkdir()
        for vault in ("theirs", "ours"):
            code, _, errors = self.run_seif(vault, "init", "--new-passphrase-file", self.passphrase, "--unlock-ms", 500,
                                            "--recovery-sheet", self.base / f"sheet-{vault}")
            self.assertEqual(code, 0, errors)
        for name in NAMES:
            self.succeed("theirs", "add", "login", "--name", name, "--secret-file", self.secret)
        self.succeed("theirs", "backup", "create", "--destination", self.files, "--new-passphrase-file", self.passphrase)
        self.succeed("ours", "transport", "add", "folder", "nas", "--set", f"path={self.files}", "--untested",
                     "--automatic-restore")
        shutil.move(self.root, self.model)

    def restore(self, **more):
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.model, self.root)
        return self.run_seif("ours", "backup", "restore", "--automatic", "--yes", "--passphrase-file", self.passphrase,
                             "--vault-passphrase-file", self.passphrase, LD_PRELOAD=str(support.shim()),
                             SEIF_IO_ROOT=str(self.base), **more)

    def test_a_kill_leaves_the_entries_and_the_line_or_neither(self):
        self.prepare()
        report, chance, left = self.base / "report", random.Random(support.SEED), Counter()
        code, _, errors = self.restore(SEIF_IO_REPORT=str(report))
        self.assertEqual(code, 0, errors)
        calls = int(report.read_text().split()[0])
        # From the first call to the last, then anywhere.
        at = sorted({1 + index * (calls - 1) // (KILLS - 1) for index in range(KILLS)})
        at += [chance.randrange(1, calls + 1) for _ in range(KILLS - len(at))]
        for call in at:
            code, _, errors = self.restore(SEIF_IO_ARM=f"kill:{call}")
            words = f"call {call} of {calls}: exit {code}, {errors[-300:]}"
            self.assertIn(code, (-signal.SIGKILL, 0), words)
            names = sorted(entry["name"] for entry in json.loads(self.succeed("ours", "list", "--json"))["entries"])
            state = json.loads(self.succeed("ours", "backup", "automatic", "--json"))
            self.assertIn((names, "restored" in state), [([], False), (sorted(NAMES), True)], words)
            left["both" if names else "neither"] += 1
            code, output, _ = self.run_seif("ours", "doctor", "--json", "--vault-passphrase-file", self.passphrase)
            self.assertEqual(json.loads(output).get("faults", []), [], words)
            if not names:
                again = self.succeed("ours", "backup", "restore", "--automatic", "--yes", "--json", "--passphrase-file",
                                     self.passphrase)
                self.assertEqual(json.loads(again)["new"], len(NAMES), words)
        print(f"kills in a restore of another machine's: {len(at)} of {calls} calls, left {dict(left)}")
        self.assertEqual(set(left), {"both", "neither"})


if __name__ == "__main__":
    unittest.main()
