"""What a trace of the system calls shows of whole commands."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import documents

TRACED = "%network,%file,prctl,prlimit64,setrlimit"
COMMANDS = [
    "open phone --passphrase-file pass", "inspect phone", "verify phone --passphrase-file pass",
    "convert phone --to authbackup -o out.authbackup --passphrase-file pass --new-passphrase-file pass",
    "init --passphrase-file pass --recovery-sheet sheet",
    "import phone --passphrase-file pass --vault-passphrase-file pass",
    "list --passphrase-file pass", "code forge --passphrase-file pass", "show forge --reveal --passphrase-file pass",
    "backup create --destination backups --passphrase-file pass --new-passphrase-file pass",
    "status --passphrase-file pass",
]


@unittest.skipUnless(documents.seif_binary() and shutil.which("strace"), "no program or no strace")
class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        top = tempfile.TemporaryDirectory()
        cls.addClassCleanup(top.cleanup)
        cls.folder = folder = Path(top.name)
        shutil.copy(documents.EXAMPLES / "phone.authbackup", folder / "phone")
        shutil.copy(documents.EXAMPLES / "phone.passphrase.txt", folder / "pass")
        (folder / "pass").chmod(0o600)
        (folder / "backups").mkdir()
        cls.traces = {}
        for command in COMMANDS:
            done = subprocess.run(["strace", "-f", "-qq", "-o", "trace", "-e", f"trace={TRACED}",
                                   str(documents.seif_binary()), *command.split()], cwd=folder, capture_output=True,
                                  env={"HOME": str(folder / "home"), "PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL, timeout=120)
            assert done.returncode == 0, (command, done.stderr)
            cls.traces[command] = (folder / "trace").read_text().splitlines()

    def test_no_command_makes_a_network_call(self):
        for command, lines in self.traces.items():
            with self.subTest(command):
                self.assertEqual([], [line for line in lines if re.search(r"\b(socket|connect|send\w*|bind)\(", line)])

    def test_dumps_are_off_before_a_file_of_the_person_is_opened(self):
        for command, lines in self.traces.items():
            with self.subTest(command):
                first = next(n for n, line in enumerate(lines) if re.search(r'"(\./)?(phone|pass)"', line) and
                             "execve" not in line)
                before = "\n".join(lines[:first])
                self.assertIn("prctl(PR_SET_DUMPABLE, SUID_DUMP_DISABLE) = 0", before)
                self.assertIn("RLIMIT_CORE, {rlim_cur=0, rlim_max=0}", before)

    def test_a_code_from_the_agent_touches_neither_the_vault_nor_a_library(self):
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700)
        env = {"HOME": str(self.folder / "home"), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(runtime),
               "SEIF_PINENTRY": ""}

        def seif(*words):
            return subprocess.run([*words], cwd=self.folder, capture_output=True, text=True, env=env,
                                  stdin=subprocess.DEVNULL, timeout=120)
        program = str(documents.seif_binary())
        self.assertEqual(0, seif(program, "unlock", "--passphrase-file", "pass").returncode)
        agent = json.loads(seif(program, "agent", "status", "--json").stdout)["process"]
        try:
            done = seif("strace", "-f", "-qq", "-o", "agent-trace", "-e", f"trace={TRACED}", program, "code", "forge")
            self.assertEqual(0, done.returncode, done.stderr)
        finally:
            os.kill(agent, signal.SIGTERM)
        lines = (self.folder / "agent-trace").read_text().splitlines()
        touched = [line for line in lines if re.search(r"vault\.db|libcrypto|libsodium|libsqlite|libsystemd", line)]
        self.assertEqual([], touched)
        sockets = [line for line in lines if re.search(r"\b(socket|connect|bind)\(", line)]
        self.assertEqual(2, len(sockets), sockets)
        self.assertIn("AF_UNIX", sockets[0])
        self.assertRegex(sockets[1], r'sun_path="/proc/self/fd/\d+/agent\.sock"')

    def test_no_file_is_made_in_a_folder_for_temporary_files(self):
        for command, lines in self.traces.items():
            with self.subTest(command):
                made = [line for line in lines if "O_CREAT" in line or "O_TMPFILE" in line]
                outside = [line for line in made if re.search(r'"/(tmp|var/tmp|dev/shm)\b', line)
                           and str(self.folder) not in line]
                self.assertEqual([], outside)

    def test_what_only_reads_makes_no_file(self):
        for command, lines in self.traces.items():
            if command.split()[0] in ("open", "inspect", "verify"):
                with self.subTest(command):
                    made = r"O_CREAT|O_TMPFILE|O_WRONLY|O_RDWR|\b(mkdir|rename|unlink|link)\w*\("
                    self.assertEqual([], [line for line in lines if re.search(made, line)])


if __name__ == "__main__":
    unittest.main()
