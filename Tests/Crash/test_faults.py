"""A full disk and a failing one: each call of each way to write is refused once, and from there on."""
import errno
import subprocess
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import support

# What a step may end with when the disk is full: done (the call could do without), not kept in mind (the highest
# counter, which is said), or words that come to exit code 74.
FULL = {"done", "mark", "vault full", "vault io", "vault cantOpen", "exit 74"}
# Error, whether all later calls fail too, and every which call is tried unless it is the soak.
SWEEPS = {"full": (errno.ENOSPC, True, 1), "no space once": (errno.ENOSPC, False, 4), "fails once": (errno.EIO, False, 3),
          "fails from there on": (errno.EIO, True, 4)}


def sweep(name):
    code, lasting, stride = SWEEPS[name]
    if name == "full" and not support.ROUNDS:
        stride = 2
    root = support.new_root(f"faults {name}".replace(" ", "-"), in_memory=True)
    more = {"SEIF_IO_READS": "1"} if support.ROUNDS else {}
    return subprocess.run(
        [support.DRIVER, "faults", root, str(support.SEED), str(code), str(int(lasting)),
         "1" if support.ROUNDS else str(stride)], env=support.environment(root, **more), capture_output=True, text=True)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.shim()
        with ThreadPoolExecutor(2) as pool:
            cls.runs = dict(zip(SWEEPS, pool.map(sweep, SWEEPS)))

    def lines(self, name):
        done = self.runs[name]
        lines = [line[6:].split("\t") for line in done.stdout.splitlines() if line.startswith("fault ")]
        self.assertEqual(done.returncode, 0, done.stdout[-600:] + done.stderr[-300:])
        outcomes = Counter((failure.split(" ")[0] if failure.startswith("Transport") else failure) + f", {state}"
                           for _, _, _, failure, state in lines)
        print(f"faults, disk {name}: {len(lines)} calls refused in {len({line[0] for line in lines})} kinds of steps: "
              + "; ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
        return lines

    def test_a_full_disk_leaves_all_as_before_or_as_after(self):
        for kind, call, _, failure, _ in self.lines("full"):
            self.assertTrue(failure in FULL or "is full" in failure or "no space left" in failure, f"{kind}, call {call}: {failure}")

    def test_a_call_that_finds_no_space_once_leaves_all_as_before_or_as_after(self):
        self.lines("no space once")

    def test_a_call_that_fails_once_leaves_all_as_before_or_as_after(self):
        self.lines("fails once")

    def test_a_disk_that_fails_from_some_call_on_leaves_all_as_before_or_as_after(self):
        self.lines("fails from there on")


if __name__ == "__main__":
    unittest.main()
