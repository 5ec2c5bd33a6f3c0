"""Power cuts: every prefix of what the driver asked of the disk, with what no sync had followed kept, lost or torn."""
import shutil
import threading
import unittest

import calls
import disk
import support

STEPS = 51


class Replay:
    """Replays a recording and gives what it finds."""

    def __init__(self, log, root, seed, skips=lambda name: False, everything=False, mode="check"):
        self.calls, self.root, self.seed, self.skips, self.everything = log, root, seed, skips, everything
        self.mode = mode
        self.prefixes = self.states = 0
        self.findings = []

    def crashes(self):
        """Each state to look at, once: (tree, confirmed steps, words)."""
        model = disk.Disk(self.root, self.skips)
        confirmed, seen = 0, set()
        for number, call in enumerate(self.calls):
            confirmed_now = calls.confirmed(call)
            if confirmed_now is not None:
                confirmed = confirmed_now
            elif not model.take(call):
                continue
            self.prefixes += 1
            kinds = [(disk.KEPT, None), (disk.NAMES, None), (disk.BYTES, None), ("torn", number), ("torn", ~number)]
            chosen = kinds if self.everything else [kinds[number % len(kinds)]]
            for crash, seed in [(disk.DROPPED, None)] + chosen:
                tree = model.after(crash, seed)
                key = (confirmed, hash(tuple(tree.items())))
                if key not in seen:
                    seen.add(key)
                    yield tree, confirmed, f"call {number} ({call.what} {call.name}), {crash}, confirmed {confirmed}"

    def run(self, workers=2, stop_at_first=False):
        source, turn = self.crashes(), threading.Lock()

        def work(index):
            checker = support.Checker(self.mode)
            place = support.scratch(in_memory=True) / f"replay-{id(self)}-{index}"
            while True:
                with turn:
                    if stop_at_first and self.findings:
                        break
                    state = next(source, None)
                if state is None:
                    break
                tree, confirmed, words = state
                disk.write(tree, place)
                finding = checker.check(place, self.seed, confirmed, power_loss=True)
                shutil.rmtree(place)
                with turn:
                    self.states += 1
                    if finding:
                        self.findings.append(f"{words}: {finding}")
                if finding and finding.startswith("the checker ended"):
                    checker = support.Checker(self.mode)
            checker.close()

        threads = [threading.Thread(target=work, args=(index,)) for index in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self


class PowerLoss(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recordings = []
        for seed in range(support.SEED, support.SEED + (5 if support.ROUNDS else 1)):
            root, log = support.new_root(f"recorded-{seed}"), support.scratch() / f"recorded-{seed}.log"
            support.record(root, log, seed, STEPS)
            cls.recordings.append((calls.read(log), cls.emptied(root), seed))

    @staticmethod
    def emptied(root):
        """The root as it was before: its folders keep their inodes, which the recording names."""
        for path in root.iterdir():
            if path.name not in support.FOLDERS:
                shutil.rmtree(path)
        return root

    def test_every_prefix_is_as_before_or_as_after(self):
        prefixes = states = 0
        for recording, root, seed in self.recordings:
            replay = Replay(recording, root, seed, everything=support.ROUNDS > 0).run()
            self.assertEqual(replay.findings, [], f"seed {seed}")
            prefixes += replay.prefixes
            states += replay.states
        print(f"power loss: {prefixes} prefixes, {states} different states opened")
        self.assertGreater(prefixes, 800)

    def test_a_missing_sync_shows(self):
        """Without each of these syncs something that was confirmed is lost; if not, the test above proves nothing."""
        recording, root, seed = self.recordings[0]
        for what, skips in {
            "the vault's log": lambda name: name.endswith("-wal"),
            "the vault's file": lambda name: name.startswith("vault.db") and not name.endswith("-wal"),
            "the vault's folder": lambda name: name == "vault",
            "the folder of a new vault's folder": lambda name: name == "root",
            "the bytes of a nameless file": lambda name: name == "nameless",
            "the bytes under a temporary name": lambda name: name.startswith(".seif-"),
            "the new file of a rotation": lambda name: ".new-" in name,
            "a backup's name": lambda name: name == "backups",
            "an output's name": lambda name: name == "out",
        }.items():
            with self.subTest(what):
                self.assertTrue(Replay(recording, root, seed, skips).run(stop_at_first=True).findings)

    def test_a_recording_kept_whole_is_what_is_on_the_disk(self):
        root, log = support.new_root("whole"), support.scratch() / "whole.log"
        before = disk.Disk(root)
        support.record(root, log, support.SEED, 12)
        for call in calls.read(log):
            before.take(call)
        tree = before.after(disk.KEPT)
        found = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        self.assertEqual({path: data for path, data in tree.items() if data is not None}, found)


if __name__ == "__main__":
    unittest.main()
