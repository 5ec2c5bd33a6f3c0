"""What the tests of the openers share: paths, the openers as modules, the vectors' files, Seif's program."""
import base64
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "Tests" / "Vectors"
OPENERS = ROOT / "docs" / "openers"
EXAMPLES = ROOT / "Examples"

sys.path.insert(0, str(VECTORS))


def opener(name):
    """docs/openers/NAME.py as a module."""
    spec = importlib.util.spec_from_file_location(name, OPENERS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(name):
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="ascii" if name != "twofac" else "utf-8"))


def file_bytes(v):
    """The complete file of a vector, checked against its size and hash."""
    if "file" in v:
        data = v["file"].encode("utf-8")
    elif "fileBase64" in v:
        data = base64.b64decode(v["fileBase64"], validate=True)
    elif "fileParts" in v:
        data = b"".join(p["text"].encode("utf-8") * p["count"] for p in v["fileParts"])
    else:
        import verify
        data = verify.recipe_bytes(v)
    assert len(data) == v["fileBytes"] and hashlib.sha256(data).hexdigest() == v["fileSHA256"], v["name"]
    return data


def run_opener(name, path, secret):
    """The opener as a person runs it, with the secret on standard input."""
    return subprocess.run([sys.executable, str(OPENERS / f"{name}.py"), str(path)], input=secret + b"\n",
                          capture_output=True, timeout=60)


def seif_binary():
    """Seif's program: SEIF_BINARY, else the debug build of this package, else None."""
    path = Path(os.environ.get("SEIF_BINARY") or ROOT / ".build" / "debug" / "seif")
    return str(path) if path.is_file() and os.access(path, os.X_OK) else None


def seif(*arguments, descriptors=(), timeout=120):
    """Runs Seif. `descriptors`: secrets; {0}, {1} … in the arguments stand for their file descriptors."""
    pipes, numbers = [], []
    for secret in descriptors:
        read, write = os.pipe()
        os.write(write, secret + b"\n")
        os.close(write)
        pipes.append(read)
        numbers.append(str(read))
    try:
        return subprocess.run([seif_binary(), *(a.format(*numbers) for a in arguments)], stdin=subprocess.DEVNULL,
                              capture_output=True, pass_fds=pipes, timeout=timeout)
    finally:
        for p in pipes:
            os.close(p)


def knows(command):
    """Whether this build of Seif has the command: its help names it. One that it doesn't have is wrong use, 64."""
    done = subprocess.run([seif_binary(), command, "--help"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    return done.returncode == 0 and f"seif {command}".encode() in done.stdout
