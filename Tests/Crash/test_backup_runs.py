"""SIGKILL while the timer's `backup run` stores a sealed copy of a locked vault, and while the agent proves what waits,
takes a snapshot, proves it and removes old ones.

Whatever the moment: what was proven lies there byte for byte, what waits in the queue waits on or is proven, nothing is
proven that didn't open, and the next run ends what was begun.
"""
import hashlib
import json
import random
import shutil
import signal
import socket
import subprocess
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

KILLS = support.ROUNDS // 20 if support.ROUNDS else 8
# So many that the next one has old ones go.
PROVEN = 10
# Stored while the vault was locked, each of another state.
WAITING = 2


class Scheduled(Vault):
    """A vault with a schedule for a folder, for iCloud's and for a program, which waits until the vault is open.

    Proven snapshots lie at each, and copies that were stored since wait to be proven; the vault has changed again.
    """

    def __init__(self):
        super().__init__("runs")
        self.places = {"shelf": self.root / "places" / "shelf",
                       "cloud": self.root / "places" / "cloud" / "Documents" / "TwoFacBackups",
                       "tool": self.root / "places" / "tool"}
        self.local = ("shelf", "cloud")
        for folder in self.places.values():
            folder.mkdir(parents=True)
        for kind, name, *fields in [("folder", "shelf", f"path={self.places['shelf']}"),
                                    ("icloud", "cloud", f"path={self.places['cloud'].parent.parent}"),
                                    ("external", "tool", f"program={backup_places.EXTERNAL}",
                                     f"argument={self.places['tool']}")]:
            self.succeed("transport", "add", kind, name, *[word for field in fields for word in ("--set", field)])
        self.succeed("backup", "schedule", *[word for name in self.places for word in ("--destination", name)])
        agent = self.opened()
        for _ in range(PROVEN):
            self.succeed("backup", "run", is_opened=False)
        self.end(agent)
        for number in range(WAITING):
            self.add(f"Between {number}")
            self.succeed("backup", "run", is_opened=False)
        self.add("Last")
        self.before = self.names()
        self.proven = {name: self.stored(name) for name in self.places}
        for name in self.places:
            self.proven[name] = {file: data for file, data in self.proven[name].items()
                                 if self.rows(name).get(file) == "proven"}
        self.waiting = self.queue()
        self.keep()
        self.calls = {"locked": self.measure_locked(), "open": self.measure_open()}

    def add(self, name):
        self.succeed("add", "login", "--name", name, "--account", "ana", "--secret-file", self.secret)

    def queue(self):
        """What waits: (destination, file's name) → whether it was read back, and its hash."""
        for path in self.root.glob("state-home/seif/*.queue.json"):
            return {(entry["destination"], entry["name"]): (entry["stored"], entry["sha256"])
                    for entry in json.loads(path.read_text())["entries"]}
        return {}

    def stored(self, name):
        """Each whole file at a destination, by name."""
        return {path.name: path.read_bytes() for path in self.places[name].iterdir()
                if path.name.startswith("seif-backup-")}

    def opening(self, name, file):
        """How a file opens without its vault: exit code and words."""
        done = subprocess.run([SEIF, "verify", self.places[name] / file, "--passphrase-file", self.passphrase],
                              env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return done.returncode, done.stderr

    # What runs

    def agent(self, **more):
        """An agent that listens, or one that has ended before."""
        process = subprocess.Popen([SEIF, "agent", "--foreground"], env=self.environment(**more),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        while process.poll() is None:
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(self.root / "run" / "seif" / "agent.sock")) == 0:
                    break
            time.sleep(0.005)
        return process

    def opened(self):
        agent = self.agent()
        self.succeed("unlock")
        return agent

    @staticmethod
    def end(agent):
        agent.terminate()
        agent.wait()

    def recorded(self, kind, log):
        """All calls of a whole run, whoever makes them."""
        self.put_back()
        more = {"LD_PRELOAD": str(support.shim()), "SEIF_IO_ROOT": str(self.root), "SEIF_IO_LOG": str(log)}
        before = disk.Disk(self.root, holds_files=True)
        if kind == "locked":
            self.succeed("backup", "run", is_opened=False, **more)
        else:
            agent = self.agent(**more)
            self.succeed("unlock")
            self.succeed("backup", "run", is_opened=False)
            self.end(agent)
        return before, [call for call in iocalls.read(log) if call.what != "mark"]

    def measure_locked(self):
        self.put_back()
        report, started = support.scratch() / "run-report", time.monotonic()
        self.succeed("backup", "run", is_opened=False, **self.shimmed(SEIF_IO_REPORT=str(report)))
        return int(report.read_text().split()[0]), time.monotonic() - started

    def measure_open(self):
        """Of the agent: how many calls it makes that change files, and how long its run takes."""
        self.put_back()
        log = support.scratch() / "agent-run.log"
        agent = self.agent(**self.shimmed(SEIF_IO_LOG=str(log)))
        self.succeed("unlock")
        started = time.monotonic()
        self.succeed("backup", "run", is_opened=False)
        seconds = time.monotonic() - started
        self.end(agent)
        return sum(call.what != "mark" for call in iocalls.read(log)), seconds


@unittest.skipUnless(SEIF.is_file(), "Seif's program isn't there: build it, or name it in SEIF_BINARY")
class BackupRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vault = Scheduled()

    def test_the_vault_that_rounds_begin_with_has_all_that_a_run_deals_with(self):
        vault = self.vault
        self.assertEqual({name: len(files) for name, files in vault.proven.items()}, dict.fromkeys(vault.places, PROVEN))
        self.assertEqual(len(vault.waiting), WAITING * len(vault.local))
        self.assertTrue(all(stored for stored, _ in vault.waiting.values()))
        # Else no kill comes between two of them.
        self.assertGreater(min(calls for calls, _ in vault.calls.values()), 20)

    def test_a_kill_of_a_scheduled_run_loses_nothing_and_the_next_run_ends_it(self):
        vault, chance, started = self.vault, random.Random(support.SEED), time.monotonic()
        hit, at_calls, found, pruned = Counter(), 0, Counter(), 0
        for number in range(KILLS):
            kind, at_call = ("locked", "open")[number % 2], number // 2 % 2 == 0
            vault.put_back()
            calls, seconds = vault.calls[kind]
            arm = {"SEIF_IO_ARM": f"kill:{chance.randrange(1, calls + 1)}"} if at_call else {}
            delay = None if at_call else chance.random() * seconds
            killed = (self.kill_locked if kind == "locked" else self.kill_open)(arm, delay)
            hit[kind] += killed
            at_calls += at_call and killed
            with self.subTest(round=number, kind=kind, arm=arm, delay=delay):
                state, gone = self.look(kind)
                found[f"{kind}: {state}"] += 1
                pruned += gone
        print(f"kills of a scheduled run: {sum(hit.values())} of {KILLS} rounds, {at_calls} at a chosen call, {dict(hit)}, "
              f"{pruned} with old ones gone, {time.monotonic() - started:.0f} s; left: "
              + "; ".join(f"{count} {state}" for state, count in found.most_common()))
        # A moment can come after the end, where the machine has less to do than when the time was taken.
        self.assertGreater(sum(hit.values()), KILLS // 3)
        if KILLS >= 100:
            self.assertGreater(pruned, 0, "no kill came after an old one had gone")

    def test_a_power_cut_after_any_call_of_a_scheduled_run_loses_nothing(self):
        """What no sync has followed is gone, or torn."""
        vault = self.vault
        for kind, stride in [("locked", 8), ("open", 90)]:
            model, calls = vault.recorded(kind, support.scratch() / f"power-cut-{kind}.log")
            # What the program writes isn't recorded, and counts as durable.
            kept = vault.stored("tool")
            seen, found = set(), Counter()
            for number, call in enumerate(calls):
                if not model.take(call) or (not support.ROUNDS and number % stride):
                    continue
                for crash, seed in [(disk.DROPPED, None), ("torn", number)]:
                    tree = model.after(crash, seed)
                    key = hash(tuple(tree.items()))
                    if key in seen:
                        continue
                    seen.add(key)
                    shutil.rmtree(vault.root)
                    disk.write(tree, vault.root)
                    for name, data in kept.items():
                        (vault.places["tool"] / name).write_bytes(data)
                    with self.subTest(kind=kind, call=f"{number} ({call.what} {call.name})", crash=crash):
                        found[self.look(kind)[0]] += 1
            print(f"power cuts in a scheduled run, {kind}: {len(calls)} calls, {len(seen)} different states; left: "
                  + "; ".join(f"{count} {state}" for state, count in found.most_common()))
            self.assertGreater(len(found), 1)

    def kill_locked(self, arm, delay):
        process = self.vault.start("backup", "run", is_opened=False, **self.vault.shimmed(**arm))
        if delay is not None:
            threading.Timer(delay, process.kill).start()
        _, errors = process.communicate()
        self.assertIn(process.returncode, (-signal.SIGKILL, 0), errors[-300:])
        return process.returncode != 0

    def kill_open(self, arm, delay):
        """The agent, in its run or in the unlocking before it; where the client lives on it goes on as with a locked one."""
        vault = self.vault
        agent = vault.agent(**vault.shimmed(**arm))
        code, _, errors = vault.run("unlock")
        if code == 0:
            process = vault.start("backup", "run", is_opened=False)
            if delay is not None:
                # Each second time both at once.
                threading.Timer(delay, lambda: (agent.kill(), process.kill() if int(delay * 1000) % 2 else None)).start()
            process.communicate()
        else:
            # Its end shows to who asked it before it shows here.
            self.assertEqual(agent.wait(60), -signal.SIGKILL, errors[-300:])
        killed = agent.poll() is not None
        agent.kill()
        agent.wait()
        return killed

    # What is left

    def look(self, kind):
        """What a kill left, in words, and whether old ones are gone; then the next runs."""
        vault, queue = self.vault, self.vault.queue()
        files, rows = self.hold_against_model(queue)
        states = Counter(state for name in vault.places for file, state in rows[name].items()
                         if file > max(vault.proven[name]) and (name, file) not in vault.waiting)
        emptied = sum(entry not in queue for entry in vault.waiting)
        unsent = sum(not stored for stored, _ in queue.values())
        gone = any(file not in files[name] for name in vault.places for file in vault.proven[name])
        state = (f"{emptied} of the queue proven, {unsent} not said to be stored, "
                 + (", ".join(f"{count} {state}" for state, count in sorted(states.items())) or "nothing new"))
        if kind == "locked":
            vault.succeed("backup", "run", is_opened=False)
            queue = vault.queue()
            self.hold_against_model(queue)
            for name in vault.local:
                file = max(file for place, file in queue if place == name)
                stored, digest = queue[name, file]
                self.assertTrue(stored, f"{name}: the next run left {file} as it was")
                self.assertEqual(hashlib.sha256(vault.stored(name)[file]).hexdigest(), digest)
        self.end_all(queue)
        return state, gone

    def hold_against_model(self, queue):
        """The places and the queue after a kill."""
        vault = self.vault
        files = {name: vault.stored(name) for name in vault.places}
        rows = {name: vault.rows(name) for name in vault.places}
        for name, proven in vault.proven.items():
            last = max(proven)
            self.assertEqual(files[name].get(last), proven[last], f"{name}: {last}")
            self.assertEqual(rows[name][last], "proven", f"{name}: {last}")
            # The last one that counts opens by the passphrase alone.
            newest = max(file for file, state in rows[name].items() if state == "proven")
            code, words = vault.opening(name, newest)
            self.assertEqual(code, 0, f"{name}: {newest}: {words}")
        for (name, file), (_, digest) in vault.waiting.items():
            data = files[name].get(file, b"")
            self.assertEqual(hashlib.sha256(data).hexdigest(), digest, f"{name}: {file}")
            self.assertTrue((name, file) in queue or rows[name][file] == "proven", f"{name}: {file} is lost")
        for (name, file), (stored, digest) in queue.items():
            if stored:
                self.assertEqual(hashlib.sha256(files[name].get(file, b"")).hexdigest(), digest, f"{name}: {file}")
            elif file not in files[name]:
                self.assertNotEqual(rows[name].get(file), "proven")
        alarms = [(name, file, state) for name in rows for file, state in rows[name].items()
                  if state in ("missing", "altered")]
        self.assertEqual(alarms, [])
        self.assertEqual(vault.names(), vault.before)
        self.assertEqual(vault.faults(), [])
        for folder in (vault.root / "places", vault.root / "state-home"):
            self.assertEqual(canary.found_under(folder), [])
        return files, rows

    def end_all(self, queue):
        """The run that finds the vault open ends all that was begun: each place has a new one, and nothing waits."""
        vault = self.vault
        before = {name: set(vault.stored(name)) for name in vault.places}
        agent = vault.opened()
        report = json.loads(vault.succeed("backup", "run", "--json", is_opened=False))["destinations"]
        vault.end(agent)
        self.assertEqual({row["destination"]: row["proven"] for row in report}, dict.fromkeys(vault.places, True))
        self.assertEqual(vault.queue(), {})
        files, rows = self.hold_against_model({})
        for row in report:
            self.assertEqual(rows[row["destination"]][row["name"]], "proven")
            self.assertNotIn(row["name"], before[row["destination"]])
        for name, file in queue:
            if file in files[name]:
                self.assertEqual(rows[name][file], "proven", f"{name}: {file}")


if __name__ == "__main__":
    unittest.main()
