"""The program itself on a full disk: exit code 74, all as before, nothing left behind."""
import errno
import os
import shutil
import subprocess
import unittest
from pathlib import Path

import canary
import support

# Until something is in the bin: with today's clock it would be old enough to be purged.
STEPS = 11
SEIF = Path(os.environ.get("SEIF_BINARY") or support.ROOT / ".build" / "debug" / "seif")


@unittest.skipUnless(SEIF.is_file(), "Seif's program isn't there: build it, or name it in SEIF_BINARY")
class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = support.new_root("program", in_memory=True)
        support.record(cls.model, support.scratch() / "program.log", support.SEED, STEPS)
        cls.passphrase = support.scratch() / "passphrase"
        cls.passphrase.write_text(f"correct horse {canary.CANARY.decode()} battery staple\n")
        cls.new_passphrase = support.scratch() / "new-passphrase"
        cls.new_passphrase.write_text("lantern-quarry-orbit-violin-93\n")
        cls.secret = support.scratch() / "secret"
        cls.secret.write_text(canary.CANARY.decode() + "\n")
        for path in (cls.passphrase, cls.new_passphrase, cls.secret):
            path.chmod(0o600)
        cls.checker = support.Checker()

    @classmethod
    def tearDownClass(cls):
        cls.checker.close()

    def sweep(self, arguments, stride=1, changes_vault=True):
        """Runs a command with a disk that is full from the first call on, from the second, and so on."""
        place = support.scratch(in_memory=True) / "program-run"
        report = support.scratch() / "program-report"
        refused, call = 0, 1
        while True:
            shutil.copytree(self.model, place)
            done = subprocess.run(
                [SEIF, *(argument.format(root=place) for argument in arguments), "--vault", place / "vault",
                 "--vault-passphrase-file", self.passphrase],
                env=support.environment(place, SEIF_IO_ARM=f"fail:{call}:{errno.ENOSPC}:1", SEIF_IO_REPORT=str(report),
                                        XDG_STATE_HOME=str(support.scratch() / "program-state"), HOME=str(place)),
                stdin=subprocess.DEVNULL, capture_output=True, text=True)
            _, fired = map(int, report.read_text().split())
            words = f"call {call}: exit {done.returncode}, {done.stderr[-300:]}"
            finding = self.checker.check(place, support.SEED, STEPS, power_loss=True)
            left = [path.name for path in place.rglob("*") if path.name.endswith(".part") or ".new-" in path.name]
            shutil.rmtree(place)
            self.assertEqual(left, [], words)
            self.assertEqual(canary.found_in((done.stdout + done.stderr).encode()), [], words)
            if fired == 0:
                self.assertEqual(done.returncode, 0, words)
                break
            if done.returncode != 0:
                refused += 1
                self.assertEqual(done.returncode, 74, words)
                self.assertIsNone(finding, words)
            call += stride
        print(f"program, disk full: {arguments[0]}: refused {refused} times")
        self.assertGreater(refused, 2)

    def test_adding_to_a_vault_on_a_full_disk_is_74_and_changes_nothing(self):
        self.sweep(["add", "login", "--name", "New", "--account", "ana", "--secret-file", str(self.secret)])

    def test_exporting_to_a_full_disk_is_74_and_leaves_nothing(self):
        self.sweep(["export", "--yes", "--to", "authbackup", "-o", "{root}/out/exported", "--new-passphrase-file",
                    str(self.new_passphrase)])


if __name__ == "__main__":
    unittest.main()
