"""Looks for the driver's secret in what was written, in every spelling that scripts/canary knows."""
import importlib.util
from importlib.machinery import SourceFileLoader

import support

# Stands in each secret of the driver (Tests/CrashDriver/Step.swift).
CANARY = b"Zx9CanaryQv7"

_loader = SourceFileLoader("canary_script", str(support.ROOT / "scripts" / "canary"))
_script = importlib.util.module_from_spec(importlib.util.spec_from_loader("canary_script", _loader))
_loader.exec_module(_script)
SPELLINGS = list(_script.forms(CANARY))


def found_in(data):
    return [name for name, spelled in SPELLINGS if spelled in data]


def found_under(root):
    """(file, spelling) of each hit, in names too."""
    hits = []
    for path in sorted(root.rglob("*")):
        hits += [(str(path), f"name, {name}") for name in found_in(path.name.encode())]
        if path.is_file() and not path.is_symlink():
            hits += [(str(path), name) for name in found_in(path.read_bytes())]
    return hits
