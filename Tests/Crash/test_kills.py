"""SIGKILL: at every call that changes a file and at any moment, and each time a look at what is left."""
import random
import signal
import subprocess
import threading
import time
import unittest
from collections import Counter

import calls
import canary
import support

KILLS = support.ROUNDS or 200
# A new vault after so many, so that none becomes long.
KILLS_PER_ROOT = 100


class Worker:
    """Kills one driver after the other on roots of its own."""

    def __init__(self, index, call_counts, take, findings):
        self.random = random.Random(support.SEED * 1000 + index)
        self.index, self.call_counts, self.take = index, call_counts, take
        self.kinds, self.findings, self.at_calls, self.roots = Counter(), findings, 0, []

    def run(self):
        try:
            root, seed, done, kills = None, 0, 0, KILLS_PER_ROOT
            while self.take() and not self.findings:
                if kills == KILLS_PER_ROOT:
                    self.finish(root, seed, done)
                    seed = self.random.randrange(1, 1 << 30)
                    root, done, kills = support.new_root(f"kills-{self.index}-{seed}"), 0, 0
                    self.roots.append(root)
                done = self.kill(root, seed, done)
                kills += 1
            self.finish(root, seed, done)
        except Exception as error:
            self.findings.append(f"{type(error).__name__}: {error}")

    def kill(self, root, seed, done):
        """Starts a driver and kills it; gives how many steps it had confirmed."""
        # Nothing was done yet: the making of the vault, then any of the next steps, all kinds alike.
        step = 0 if done == 0 and self.random.random() < 0.5 else done + self.random.randrange(1, 5)
        at_call = self.random.random() < 0.6
        call = self.random.randrange(1, self.call_counts[support.step_name(step)] + 2) if at_call else 0
        self.at_calls += at_call
        process = subprocess.Popen(
            [support.DRIVER, "work", root, str(seed), str(done), str(done + 40), str(step), str(call)],
            env=support.environment(root), stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            words = line.split()
            if words[0] == "bad":
                self.findings.append(f"{root.name}, seed {seed}, {done} done: {line.strip()}")
            elif words[0] in ("found", "done"):
                done = int(words[1])
                if not at_call and done >= step:
                    time.sleep(self.random.random() * self.random.choice((0.002, 0.02, 0.2)))
                    process.kill()
        if process.wait() != -signal.SIGKILL:
            self.findings.append(f"{root.name}, seed {seed}: ended with {process.returncode} after {done} steps")
        process.stdout.close()
        self.kinds[support.step_name(done)] += 1
        return done

    def finish(self, root, seed, done):
        """What the last kill left is looked at too."""
        if root is None or self.findings:
            return
        checker = support.Checker()
        finding = checker.check(root, seed, done, power_loss=False)
        checker.close()
        if finding:
            self.findings.append(f"{root.name}, seed {seed}, {done} done, at the end: {finding}")


class Kills(unittest.TestCase):
    def test_a_kill_leaves_all_as_before_or_as_after_and_what_was_confirmed(self):
        counts = self.call_counts()
        left, turn = [KILLS], threading.Lock()

        def take():
            with turn:
                left[0] -= 1
                return left[0] >= 0

        started = time.monotonic()
        findings = []
        workers = [Worker(index, counts, take, findings) for index in range(2)]
        threads = [threading.Thread(target=worker.run) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kinds = sum((worker.kinds for worker in workers), Counter())
        self.assertEqual(findings, [])
        print(f"kills: {sum(kinds.values())}, {sum(worker.at_calls for worker in workers)} of them at a chosen call, "
              f"{time.monotonic() - started:.0f} s; by the step that was under way: "
              + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
        self.assertEqual(sum(kinds.values()), KILLS)
        if KILLS >= 1000:
            missed = {support.step_name(number) for number in range(40)} - set(kinds)
            self.assertEqual(missed, set(), "no kill hit these steps")
        self.assertGreater(len(kinds), min(20, KILLS // 8), "kills hit too few kinds of steps")
        for worker in workers:
            for root in worker.roots:
                self.assertEqual(canary.found_under(root), [])

    @staticmethod
    def call_counts():
        """How many calls each kind of step takes."""
        root, log = support.new_root("counted"), support.scratch() / "counted.log"
        support.record(root, log, 1, 62)
        counts, step, count = Counter(), 0, 0
        for call in calls.read(log):
            if call.what != "mark":
                count += 1
            elif calls.confirmed(call) and call.data.startswith(b"done"):
                name = support.step_name(step)
                counts[name] = max(counts[name], count)
                step, count = step + 1, 0
        return counts


if __name__ == "__main__":
    unittest.main()
