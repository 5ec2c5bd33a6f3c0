"""The agent as a writer, killed while clients write through it; `destroy` and a repair from a backup, killed at every call.

Each time the vault is then opened by the program itself: all as before or as after the change that was under way, what a
client was told is there, and no counter goes back.
"""
import json
import os
import pty
import random
import select
import shutil
import sqlite3
import subprocess
import threading
import time
import unittest
from pathlib import Path

import calls as iocalls
import canary
import support

SEIF = Path(os.environ.get("SEIF_BINARY") or support.ROOT / ".build" / "debug" / "seif")
STEPS = 11
ROUNDS = max(16, support.ROUNDS // 20)
SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


class Place:
    """A copy of the vault that the driver made, and what runs on it."""

    def __init__(self, model, passphrase):
        self.root = support.scratch(in_memory=True) / f"agent-{time.monotonic_ns()}"
        shutil.copytree(model, self.root)
        (self.root / "run").mkdir(mode=0o700)
        self.passphrase = passphrase

    def environment(self, **more):
        return {"HOME": str(self.root), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(self.root / "run"),
                "XDG_STATE_HOME": str(self.root / "state-home"), "SEIF_PINENTRY": "", **more}

    def seif(self, *words, given=None, direct=False):
        words = [SEIF, *words, "--vault", self.root / "vault"]
        if direct:
            words += ["--passphrase-file", self.passphrase]
        descriptors = []
        if given is not None:
            reader, writer = os.pipe()
            os.write(writer, given.encode() + b"\n")
            os.close(writer)
            words += ["--secret-fd", str(reader)]
            descriptors = [reader]
        done = subprocess.run([str(word) for word in words], env=self.environment(), pass_fds=descriptors,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
        for descriptor in descriptors:
            os.close(descriptor)
        return done

    def shimmed(self, **more):
        return {**self.environment(), "LD_PRELOAD": str(support.shim()), "SEIF_IO_ROOT": str(self.root / "vault"), **more}

    def agent(self, **more):
        process = subprocess.Popen([SEIF, "agent", "--foreground"], env=self.shimmed(**more), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(2000):
            if (self.root / "run" / "seif" / "agent.sock").exists() or process.poll() is not None:
                break
            time.sleep(0.005)
        return process

    def typed(self, *words, answer, environment):
        """Runs the program at a terminal, answers its question, and gives its exit status; negative: a signal."""
        child, terminal = pty.fork()
        if child == 0:
            os.execve(SEIF, [str(SEIF), *map(str, words), "--vault", str(self.root / "vault"), "--passphrase-file",
                             str(self.passphrase)], environment)
        shown, answered = b"", False
        while True:
            if select.select([terminal], [], [], 60)[0]:
                try:
                    part = os.read(terminal, 4096)
                except OSError:
                    break
                if not part:
                    break
                shown += part
                if not answered and shown.endswith(b": "):
                    os.write(terminal, answer.encode() + b"\n")
                    answered = True
            else:
                break
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


@unittest.skipUnless(SEIF.is_file(), "Seif's program isn't there: build it, or name it in SEIF_BINARY")
class Agent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = support.new_root("agent-model", in_memory=True)
        support.record(cls.model, support.scratch() / "agent.log", support.SEED, STEPS)
        cls.passphrase = support.scratch() / "agent-passphrase"
        cls.passphrase.write_text(f"correct horse {canary.CANARY.decode()} battery staple\n")
        cls.passphrase.chmod(0o600)
        # With an account that counts, which every round begins with.
        place = Place(cls.model, cls.passphrase)
        uri = f"otpauth://hotp/Counting:a?secret={SEED}&counter=0&issuer=Counting"
        done = place.seif("add", "code", "--name", "Counting", given=uri, direct=True)
        assert done.returncode == 0, done.stderr
        shutil.rmtree(cls.model)
        shutil.copytree(place.root, cls.model)
        shutil.rmtree(cls.model / "run")
        place.close()

    def entries(self, place):
        done = place.seif("list", "--json", direct=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {entry["name"]: entry["account"] for entry in json.loads(done.stdout)["entries"]
                if entry["name"].startswith("new ")}

    def test_a_killed_agent_leaves_all_as_before_or_as_after_and_no_counter_goes_back(self):
        chance = random.Random(support.SEED)
        calls = self.calls_of_a_round()
        self.assertGreater(calls, 50)
        killed = changes = codes = 0
        for number in range(ROUNDS):
            place = Place(self.model, self.passphrase)
            # At a chosen call, or at any moment.
            at_call = number % 2 == 0
            agent = place.agent(**({"SEIF_IO_ARM": f"kill:{chance.randrange(1, calls)}"} if at_call else {}))
            if not at_call:
                threading.Timer(0.3 + chance.random() * 1.2, agent.kill).start()
            known, options, shown = self.work(place, turns=12)
            agent.kill()
            killed += agent.wait() == -9
            with self.subTest(round=number):
                self.assertIn(self.entries(place), [known, *options])
                report = place.seif("doctor", "--json", direct=True)
                faults = json.loads(report.stdout)
                self.assertEqual(faults.get("faults", []), [], report.stdout[-600:])
                self.assertEqual(len(shown), len(set(shown)))
                code = place.seif("code", "Counting", direct=True)
                self.assertEqual(code.returncode, 0, code.stderr)
                self.assertNotIn(code.stdout.strip(), shown)
                self.assertGreaterEqual(self.counter(place), len(shown) + 1)
            changes += len(known)
            codes += len(shown)
            place.close()
        print(f"agent: {killed} kills, {changes} entries and {codes} codes were confirmed before")
        self.assertEqual(killed, ROUNDS)
        self.assertGreater(codes, ROUNDS // 4)

    def work(self, place, turns):
        """Two clients at once. What is known to be there, what may be, and the codes that were shown."""
        known, options, shown = {}, [], []
        unlocked = place.seif("unlock", "--vault-passphrase-file", self.passphrase)
        if unlocked.returncode != 0:
            return known, options, shown

        def count():
            for _ in range(turns):
                done = place.seif("code", "Counting")
                if done.returncode != 0:
                    return
                shown.append(done.stdout.strip())

        counting = threading.Thread(target=count)
        counting.start()
        for turn in range(turns):
            after = dict(known)
            kind = turn % 3
            if kind == 0:
                after[f"new {turn}"] = "a"
                words, given = ["add", "login", "--name", f"new {turn}", "--account", "a"], canary.CANARY.decode()
            elif kind == 1:
                after[f"new {turn - 1}"] = "b"
                words, given = ["edit", f"new {turn - 1}", "--account", "b"], None
            else:
                del after[f"new {turn - 2}"]
                words, given = ["remove", f"new {turn - 2}"], None
                if turn % 2:
                    words, given, after = ["edit", f"new {turn - 2}"], canary.CANARY.decode() + "2", dict(known)
            options = [after]
            if place.seif(*words, given=given).returncode != 0:
                break
            known, options = after, []
        counting.join()
        return known, options, shown

    def counter(self, place):
        shown = place.seif("show", "Counting", direct=True).stdout
        return int(next(line.split(":")[1] for line in shown.splitlines() if "next counter" in line))

    def calls_of_a_round(self):
        """How many calls the agent makes that change files."""
        place = Place(self.model, self.passphrase)
        log = support.scratch() / "agent-calls.log"
        agent = place.agent(SEIF_IO_LOG=str(log))
        known, options, shown = self.work(place, turns=12)
        self.assertEqual((len(shown), options), (12, []))
        agent.terminate()
        agent.wait()
        place.close()
        return sum(call.what != "mark" for call in iocalls.read(log))

    def test_destroy_killed_at_any_call_leaves_a_whole_vault_or_one_that_is_finished_by_the_next(self):
        call, killed, whole, overwritten = 1, 0, 0, 0
        while True:
            place = Place(self.model, self.passphrase)
            environment = place.shimmed(SEIF_IO_ARM=f"kill:{call}", TERM="dumb")
            status, shown = place.typed("destroy", answer="destroy", environment=environment)
            words = f"call {call}: {status}, {shown[-300:]}"
            database = place.root / "vault" / "vault.db"
            if status == 0:
                self.assertFalse(database.exists(), words)
                place.close()
                break
            self.assertEqual(status, -9, words)
            killed += 1
            if database.exists():
                listed = place.seif("list", "--json", direct=True)
                if listed.returncode == 0:
                    whole += 1
                    self.assertEqual(len(json.loads(listed.stdout)["entries"]), self.total(), words)
                again, shown = place.typed("destroy", answer="destroy", environment=place.environment(TERM="dumb"))
                # Killed as it was overwritten, it is no vault any more, and what isn't one isn't touched.
                if again == 65:
                    self.assertNotEqual(database.read_bytes()[:16], b"SQLite format 3\0", words)
                    overwritten += 1
                else:
                    self.assertEqual(again, 0, words + str(shown[-300:]))
                    self.assertFalse(database.exists(), words)
            place.close()
            call += 1 if support.ROUNDS else 5
        print(f"destroy: {killed} kills, {whole} left the vault whole, {overwritten} a file of nothing")
        self.assertGreater(killed, 3)

    def total(self):
        if not hasattr(Agent, "known_total"):
            place = Place(self.model, self.passphrase)
            Agent.known_total = len(json.loads(place.seif("list", "--json", direct=True).stdout)["entries"])
            place.close()
        return Agent.known_total

    def test_a_repair_from_a_backup_killed_at_any_call_is_done_or_can_be_done_again(self):
        prepared = Place(self.model, self.passphrase)
        new = support.scratch() / "repair-passphrase"
        new.write_text("lantern-quarry-orbit-violin-93\n")
        new.chmod(0o600)
        backup = support.scratch() / "repair.authbackup"
        done = prepared.seif("export", "--to", "authbackup", "--yes", "-o", backup, "--new-passphrase-file", new,
                             direct=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        database = prepared.root / "vault" / "vault.db"
        connection = sqlite3.connect(database)

        sealed = "detail"
        row = connection.execute(f"SELECT rowid, {sealed} FROM item ORDER BY rowid LIMIT 1").fetchone()
        broken = bytes([row[1][0]]) + bytes(byte ^ 1 for byte in row[1][1:])
        connection.execute(f"UPDATE item SET {sealed} = ? WHERE rowid = ?", (broken, row[0]))
        connection.commit()
        connection.close()
        words = ["doctor", "--from", backup, "--yes", "--accept-contents", "--passphrase-file", new,
                 "--vault-passphrase-file", self.passphrase]

        def repair(place, environment):
            return subprocess.run([str(word) for word in [SEIF, *words, "--vault", place.root / "vault"]],
                                  env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)

        call, killed = 1, 0
        while True:
            place = self.copy(prepared)
            done = repair(place, place.shimmed(SEIF_IO_ARM=f"kill:{call}"))
            if done.returncode != -9:
                self.assertIn(done.returncode, (0, 2), done.stderr)
                self.check_repaired(place, f"call {call}: {done.stderr[-400:]}")
                place.close()
                break
            killed += 1
            again = repair(place, place.environment())
            self.check_repaired(place, f"call {call}: {again.stderr[-400:]}")
            place.close()
            call += 1 if support.ROUNDS else 9
        prepared.close()
        print(f"repair from a backup: {killed} kills")
        self.assertGreater(killed, 2)

    def copy(self, prepared):
        shutil.rmtree(prepared.root / "run", ignore_errors=True)
        return Place(prepared.root, self.passphrase)

    def check_repaired(self, place, words):
        report = json.loads(place.seif("doctor", "--json", direct=True).stdout)
        self.assertEqual(report.get("faults", []), [], words)
        listed = json.loads(place.seif("list", "--json", direct=True).stdout)["entries"]
        self.assertEqual(len(listed), self.total(), words)


if __name__ == "__main__":
    unittest.main()
