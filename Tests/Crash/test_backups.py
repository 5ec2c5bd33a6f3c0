"""SIGKILL while a backup is made and old ones go, while old ones are removed, while one is restored, and in a drill, at
each kind of destination.

Whatever the moment: the backup that was last proven lies there byte for byte, the vault is as before or as after, and
the next backup is made and proven.
"""
import json
import os
import random
import shutil
import signal
import threading
import time
import unittest
from collections import Counter

import backup_places
import calls as iocalls
import canary
import disk
import support
from backup_vault import SEIF, Vault

SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
FOLDER_KILLS = support.ROUNDS // 10 if support.ROUNDS else 18
OTHER_KILLS = max(50, support.ROUNDS // 200) if support.ROUNDS else 4
COMMANDS = ("create", "restore", "prune", "drill")
# What removing leaves, of the newest.
KEPT = 3
BACKUP_PASSPHRASE = "lantern-quarry-orbit-violin-93"


class Stored(Vault):
    """A vault with a destination and proven backups there; each round begins with a copy of both."""

    def __init__(self, place, backups):
        super().__init__(place.kind)
        self.place, self.model_files = place, self.base / "files"
        self.backup_passphrase = self.given("backup-passphrase", BACKUP_PASSPHRASE)
        place.begin(self.root)
        uri = self.given("uri", f"otpauth://totp/Code:ana?secret={SEED}&issuer=Code")
        self.succeed("add", "code", "--name", "Code", "--secret-file", uri)
        for name in ("Shop", "Mail", "Bank", "Wiki", "Forum", "Cloud"):
            self.succeed("add", "login", "--name", name, "--account", "ana", "--secret-file", self.secret)
        fields, secret = place.settings()
        if fields is not None:
            words = [word for name, value in fields.items() for word in ("--set", f"{name}={value}")]
            if secret is not None:
                words += ["--secret-file", self.given("credential", secret)]
            self.succeed("transport", "add", place.kind, place.destination, *words)
        if hasattr(place, "imported"):
            self.import_destination(self.base / "destination.json", *place.imported())
        for _ in range(backups):
            self.succeed(*self.words("create"))
        # What a restore brings back; so few that old backups go all the same.
        self.gone = ["Shop"]
        for name in self.gone:
            self.succeed("remove", name)
        self.before = self.names()
        self.proven = max(name for name, state in self.rows(place.destination).items() if state == "proven")
        shutil.copytree(place.files, self.model_files)
        self.keep()
        self.calls = {command: self.measure(command) for command in COMMANDS}

    def import_destination(self, path, fields, secrets):
        """A destination that a person would allow in a browser."""
        fields = {"seif-transport": self.place.kind, **fields}
        custom = [{"name": name, "value": value, "isSecret": name in secrets}
                  for name, value in (fields | secrets).items()]
        entry = {"title": self.place.destination, "username": "", "password": "", "urls": [], "tags": ["seif-transport"],
                 "customFields": custom}
        path.write_text(json.dumps({"schema": "seif-records", "version": 1, "source": {"format": "test"},
                                    "accounts": [], "passwords": [entry], "cards": [], "notes": [], "problems": [],
                                    "lost": []}))
        path.chmod(0o600)
        self.succeed("import", path)
        self.succeed("transport", "test", self.place.destination, "--yes")

    def environment(self, **more):
        programs = f"{self.place.programs}:" if hasattr(self.place, "programs") else ""
        return super().environment(PATH=programs + os.environ["PATH"], **more)

    def put_back(self):
        super().put_back()
        for path in self.place.files.iterdir():
            path.unlink()
        for path in self.model_files.iterdir():
            shutil.copy2(path, self.place.files)

    def words(self, command):
        if command == "prune":
            keep = [word for rule in ("last", "daily", "weekly", "monthly") for word in (f"--keep-{rule}", KEPT)]
            return ["backup", "prune", "--destination", self.place.destination, *keep, "--yes",
                    "--vault-passphrase-file", self.passphrase]
        new = "--new-passphrase-file" if command == "create" else "--passphrase-file"
        more = ["--from-bin"] if command == "restore" else []
        verb = ["drill"] if command == "drill" else ["backup", command]
        return [*verb, "--destination", self.place.destination, new, self.backup_passphrase, *more,
                "--vault-passphrase-file", self.passphrase]

    def measure(self, command):
        """How many calls a command makes that change files here, and how long it takes."""
        self.put_back()
        report = support.scratch() / "calls-report"
        started = time.monotonic()
        code, _, errors = self.run(*self.words(command), **self.shimmed(SEIF_IO_REPORT=str(report)))
        assert code == 0, f"{self.place.kind}: {command}: exit {code}: {errors[-500:]}"
        return int(report.read_text().split()[0]), time.monotonic() - started


@unittest.skipUnless(SEIF.is_file(), "Seif's program isn't there: build it, or name it in SEIF_BINARY")
class Backups(unittest.TestCase):
    def test_a_kill_at_a_folder_leaves_the_last_proven_backup_and_the_vault(self):
        self.kill_at(backup_places.Place(), backups=10, kills=FOLDER_KILLS)

    def test_a_kill_at_any_other_destination_leaves_the_last_proven_backup_and_the_vault(self):
        for kind in backup_places.ALL:
            with self.subTest(kind.__name__):
                self.kill_at(kind(), backups=10 if support.ROUNDS else 1, kills=OTHER_KILLS)

    def test_a_power_cut_after_any_call_leaves_the_last_proven_backup_and_the_vault(self):
        """Of `backup create`, which removes an old backup too; what no sync has followed is gone, or torn."""
        place = backup_places.Inside()
        vault = Stored(place, 10)
        vault.put_back()
        log, model, left, states = support.scratch() / "create.log", disk.Disk(vault.root, holds_files=True), Counter(), set()
        code, _, errors = vault.run(*vault.words("create"), LD_PRELOAD=str(support.shim()),
                                    SEIF_IO_ROOT=str(vault.root), SEIF_IO_LOG=str(log))
        self.assertEqual(code, 0, errors)
        pruned = 0
        calls = [call for call in iocalls.read(log) if call.what != "mark"]
        for number, call in enumerate(calls):
            if not model.take(call) or (not support.ROUNDS and number % 4):
                continue
            for crash, seed in [(disk.DROPPED, None), ("torn", number)]:
                tree = model.after(crash, seed)
                key = hash(tuple(tree.items()))
                if key in states:
                    continue
                states.add(key)
                shutil.rmtree(vault.root)
                disk.write(tree, vault.root)
                pruned += self.look(vault, "create", f"call {number} ({call.what} {call.name}), {crash}", left)
        print(f"power cuts in a backup: {len(calls)} calls, {len(states)} different states, left {dict(left)}, "
              f"{pruned} with an old one gone")
        self.assertGreater(len(states), 10)
        self.assertGreater(pruned, 0)
        self.assertGreater(len(left), 1)

    def kill_at(self, place, backups, kills):
        started, chance = time.monotonic(), random.Random(support.SEED)
        try:
            vault = Stored(place, backups)
            hit, at_calls, left, pruned = Counter(), 0, Counter(), 0
            for number in range(kills):
                command = COMMANDS[number % len(COMMANDS)]
                vault.put_back()
                calls, seconds = vault.calls[command]
                at_call = number % 2 == 0
                arm = {"SEIF_IO_ARM": f"kill:{chance.randrange(1, calls + 1)}"} if at_call else {}
                process = vault.start(*vault.words(command), **vault.shimmed(**arm))
                if not at_call:
                    threading.Timer(chance.random() * seconds, lambda: self.kill(process)).start()
                output, errors = process.communicate()
                words = f"{place.kind}, {number}, {command} {arm}: exit {process.returncode}, {errors[-300:]}"
                self.assertIn(process.returncode, (-signal.SIGKILL, 0), words)
                hit[command] += process.returncode != 0
                at_calls += at_call
                pruned += self.look(vault, command, words, left)
            print(f"kills at {place.name}: {sum(hit.values())} of {kills} rounds, {at_calls} at a chosen call, "
                  f"{dict(hit)}, left {dict(left)}, {pruned} with an old one gone, {time.monotonic() - started:.0f} s")
            self.assertGreater(sum(hit.values()), kills // 2)
            if kills >= 500:
                self.assertGreater(pruned, 0, "no kill came after an old backup had gone")
        finally:
            place.close()

    @staticmethod
    def kill(process):
        # The whole session: what it has started, such as ssh, is cut off with it.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)

    def look(self, vault, command, words, left):
        stored = vault.place.stored()
        last = vault.model_files / vault.proven
        self.assertEqual(stored.get(vault.proven), last.read_bytes(), words)
        if command == "prune":
            newest = sorted(path.name for path in vault.model_files.iterdir())[-KEPT:]
            self.assertLessEqual(set(newest), set(stored), words)
        rows = vault.rows(vault.place.destination)
        self.assertEqual(rows[vault.proven], "proven", words)
        new = [name for name in rows if name > vault.proven]
        left[", ".join(rows[name] for name in new) or "nothing new"] += 1
        names = vault.names()
        after = [vault.before + Counter(vault.gone)] if command == "restore" else []
        self.assertIn(names, [vault.before, *after], words)
        self.assertEqual(vault.faults(), [], words)
        self.assertEqual(canary.found_under(vault.place.files), [], words)
        # And it goes on from there.
        vault.succeed(*vault.words("create"))
        self.assertGreater(max(vault.place.stored()), vault.proven, words)
        return vault.model_files.joinpath(min(path.name for path in vault.model_files.iterdir())).name not in stored


if __name__ == "__main__":
    unittest.main()
