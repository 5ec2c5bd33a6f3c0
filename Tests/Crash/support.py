"""What the crash tests share: the driver, the library that stands before libc, roots to work under."""
import atexit
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(os.environ.get("SEIF_CRASH_DRIVER") or ROOT / ".build" / "debug" / "seif-crash")
FOLDERS = ("backups", "out", "state")
# The soak does everything; otherwise what fits into a few minutes.
ROUNDS = int(os.environ.get("SEIF_SOAK_ROUNDS") or 0)
SEED = int(os.environ.get("SEIF_SOAK_SEED") or 1)

_scratch, _turn = {}, threading.Lock()


def scratch(in_memory=False):
    """A folder for this run, removed at its end; on a disk, or in memory where nothing is asked of a disk."""
    with _turn:
        if in_memory not in _scratch:
            base = "/dev/shm" if in_memory and os.access("/dev/shm", os.W_OK) else None
            _scratch[in_memory] = Path(tempfile.mkdtemp(prefix="seif-crash-", dir=base))
            atexit.register(shutil.rmtree, _scratch[in_memory], True)
        return _scratch[in_memory]


def new_root(name, in_memory=False):
    root = scratch(in_memory) / name
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True)
    return root


_shim = None


def shim():
    """The library, compiled once a run."""
    global _shim
    if _shim is None:
        compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
        if compiler is None:
            raise unittest.SkipTest("no C compiler")
        target = scratch() / "io_shim.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", target,
                        Path(__file__).with_name("io_shim.c"), "-ldl"], check=True)
        _shim = target
    return _shim


def environment(root, log=None, **more):
    """The environment of a process whose calls under `root` are looked at."""
    variables = {**os.environ, "LD_PRELOAD": str(shim()), "SEIF_IO_ROOT": str(root), **more}
    if log is not None:
        variables["SEIF_IO_LOG"] = str(log)
    return variables


_names = None


def step_name(number):
    """The kind of a step."""
    global _names
    if _names is None:
        _names = subprocess.run([DRIVER, "names"], capture_output=True, text=True, check=True).stdout.strip().split(",")
    return "create" if number == 0 else _names[(number - 1) % len(_names)]


def record(root, log, seed, steps, mode="work"):
    """Does steps and writes down all calls."""
    done = subprocess.run([DRIVER, mode, root, str(seed), "0", str(steps), "0", "0"], env=environment(root, log),
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"seed {seed}: {done.stdout[-300:]}{done.stderr[-300:]}")


class Checker:
    """A process that looks at one root after another."""

    def __init__(self, mode="check"):
        self.process = subprocess.Popen([DRIVER, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def check(self, root, seed, confirmed, power_loss):
        """None if all is as before or as after, else what isn't."""
        self.process.stdin.write(f"{root} {seed} {confirmed} {int(power_loss)}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        return None if answer.startswith("ok ") else answer or f"the checker ended: {self.process.wait()}"

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
