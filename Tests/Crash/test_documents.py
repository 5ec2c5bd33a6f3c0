"""A document vault in a folder, under SIGKILL and power cuts: as before the step that was under way or as after it.

No confirmed document is lost, no manifest names an object that isn't there, and a client never takes what it wrote
itself for a rollback.
"""
import random
import subprocess
import time
import unittest
from collections import Counter

import calls
import support
import test_power_loss

# Also the names of the driver's steps, in its order.
STEPS = ("folder", "put", "stream", "rename", "get", "put", "rotate", "remove", "put", "rotate files")
KILLS = support.ROUNDS // 10 if support.ROUNDS else 60
RECORDED = 1 + len(STEPS)


def step_name(number):
    return "create" if number == 0 else STEPS[(number - 1) % len(STEPS)]


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root, log = support.new_root("documents-recorded"), support.scratch() / "documents.log"
        support.record(cls.root, log, support.SEED, RECORDED, mode="documents")
        cls.calls = calls.read(log)
        test_power_loss.PowerLoss.emptied(cls.root)
        for folder in support.FOLDERS:
            for path in sorted((cls.root / folder).rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()

    def test_a_kill_at_any_call_leaves_all_as_before_or_as_after(self):
        chance, counts = random.Random(support.SEED), self.call_counts()
        kinds, started, root, seed, done = Counter(), time.monotonic(), None, 0, 0
        for number in range(KILLS):
            if number % 30 == 0:
                seed = chance.randrange(1, 1 << 30)
                root, done = support.new_root(f"documents-{seed}"), 0
            step = 0 if done == 0 and chance.random() < 0.7 else done + chance.randrange(1, len(STEPS))
            at_call = chance.random() < 0.8
            call = chance.randrange(1, counts[step_name(step)] + 1) if at_call else 0
            process = subprocess.Popen(
                [support.DRIVER, "documents", root, str(seed), str(done), str(done + 40), str(step), str(call)],
                env=support.environment(root), stdout=subprocess.PIPE, text=True)
            for line in process.stdout:
                words = line.split()
                self.assertIn(words[0], ("found", "done"), f"seed {seed}, {done} done: {line.strip()}")
                done = int(words[1])
                if not at_call and done >= step:
                    time.sleep(chance.random() * chance.choice((0.001, 0.01, 0.05)))
                    process.kill()
            process.wait()
            process.stdout.close()
            kinds[step_name(done)] += process.returncode == -9
        checker = support.Checker("check-documents")
        self.assertIsNone(checker.check(root, seed, done, False))
        checker.close()
        print(f"kills of documents: {sum(kinds.values())} of {KILLS} in {time.monotonic() - started:.0f} s; "
              + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
        self.assertGreater(sum(kinds.values()), KILLS // 2)

    def call_counts(self):
        """How many calls each kind of step takes."""
        counts, step, count = Counter(), 0, 0
        for call in self.calls:
            if call.what != "mark":
                count += 1
            elif calls.confirmed(call) is not None and call.data.startswith(b"done"):
                counts[step_name(step)] = max(counts[step_name(step)], count)
                step, count = step + 1, 0
        return counts

    def test_a_power_cut_after_any_call_leaves_all_as_before_or_as_after(self):
        replay = test_power_loss.Replay(
            self.calls, self.root, support.SEED, everything=support.ROUNDS > 0, mode="check-documents").run()
        self.assertEqual(replay.findings, [])
        print(f"power cuts of documents: {replay.prefixes} prefixes, {replay.states} different states opened")
        self.assertGreater(replay.states, 100)

    def test_a_missing_sync_shows(self):
        for what, skips in {
            "an object's bytes": lambda name: name == "nameless",
            "an object's name": lambda name: name == "objects",
            "the bytes under a temporary name": lambda name: name.startswith(".seif-"),
            "the names in the vault": lambda name: name == "vault",
            "the vault's own name": lambda name: name == "root",
        }.items():
            with self.subTest(what):
                replay = test_power_loss.Replay(self.calls, self.root, support.SEED, skips, mode="check-documents")
                self.assertTrue(replay.run(stop_at_first=True).findings)


if __name__ == "__main__":
    unittest.main()
