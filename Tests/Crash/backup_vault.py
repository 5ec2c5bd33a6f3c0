"""A vault in a home of its own, with what the tests of backups do to it; each round begins with a copy of both."""
import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import canary
import support

SEIF = Path(os.environ.get("SEIF_BINARY") or support.ROOT / ".build" / "debug" / "seif")
# The vault's making and two entries, all of which can be used.
STEPS = 2


class Vault:
    """The vault lies at one place always, since destinations and schedules name whole paths."""

    def __init__(self, name):
        self.name = name
        self.base = support.scratch() / f"backups-of-{name}"
        self.model, self.root = self.base / "model", self.base / "round"
        self.base.mkdir()
        self.passphrase = self.given("passphrase", f"correct horse {canary.CANARY.decode()} battery staple")
        self.secret = self.given("secret", canary.CANARY.decode())
        # By the driver, whose vaults derive their keys at the least cost.
        made = support.new_root(f"backups-{name}")
        support.record(made, support.scratch() / f"backups-{name}.log", support.SEED, STEPS)
        self.root.mkdir()
        shutil.copytree(made / "vault", self.root / "vault")
        (self.root / "run").mkdir(mode=0o700)

    def given(self, name, text):
        """A file that holds a secret, for an option that takes one."""
        path = self.base / name
        path.write_text(text + "\n")
        path.chmod(0o600)
        return path

    def keep(self):
        """What is there now is what each round begins with, but for sockets."""
        shutil.rmtree(self.root / "run")
        (self.root / "run").mkdir(mode=0o700)
        shutil.move(self.root, self.model)

    def put_back(self):
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.model, self.root)

    def environment(self, **more):
        return {"HOME": str(self.root), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(self.root / "run"),
                "XDG_STATE_HOME": str(self.root / "state-home"), "SEIF_PINENTRY": "", "TMPDIR": str(self.root), **more}

    def shimmed(self, **more):
        return {"LD_PRELOAD": str(support.shim()), "SEIF_IO_ROOT": str(support.scratch()), **more}

    def start(self, *words, is_opened=True, **more):
        """Starts the program; `is_opened`: it opens the vault itself."""
        if is_opened and "--vault-passphrase-file" not in words:
            words = (*words, "--vault-passphrase-file", self.passphrase)
        return subprocess.Popen([str(word) for word in (SEIF, *words, "--vault", self.root / "vault")],
                                env=self.environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def run(self, *words, **more):
        process = self.start(*words, **more)
        output, errors = process.communicate()
        return process.returncode, output, errors

    def succeed(self, *words, **more):
        code, output, errors = self.run(*words, **more)
        if code != 0:
            raise AssertionError(f"{self.name}: {words[:3]}: exit {code}: {output[-300:]}{errors[-500:]}")
        return output

    def names(self):
        """How often each name stands in the vault; destinations and the like aren't listed."""
        return Counter(entry["name"] for entry in json.loads(self.succeed("list", "--json"))["entries"])

    def rows(self, destination):
        """What `backup list` says of each file there."""
        listed = self.succeed("backup", "list", "--destination", destination, "--json")
        return {row["name"]: row["state"] for row in json.loads(listed)["backups"]}

    def faults(self):
        """What `doctor` finds wrong with the vault."""
        code, output, errors = self.run("doctor", "--json")
        assert output.startswith("{"), f"doctor: exit {code}: {errors}"
        return json.loads(output).get("faults", [])
