"""Looks for the tests' secrets in everything that was written, in every spelling that bytes are given."""
import base64

# Stands in each secret of the driver (Tests/CrashDriver/Step.swift).
CANARY = b"Zx9CanaryQv7"


def spellings(secret=CANARY):
    """By name, what to look for."""
    text = secret.decode()
    found = {"UTF-8": secret, "UTF-16LE": text.encode("utf-16-le"), "UTF-16BE": text.encode("utf-16-be"),
             "hex": secret.hex().encode(), "HEX": secret.hex().upper().encode()}
    # What comes before shifts the digits: all places within a group, without the digits that hold bits of neighbours.
    for shift in range(3):
        digits = base64.b64encode(bytes(shift) + secret)
        found[f"base64 +{shift}"] = digits[-(-shift * 8 // 6):(shift + len(secret)) * 8 // 6]
        found[f"base64url +{shift}"] = found[f"base64 +{shift}"].translate(bytes.maketrans(b"+/", b"-_"))
    for shift in range(5):
        digits = base64.b32encode(bytes(shift) + secret)
        found[f"base32 +{shift}"] = digits[-(-shift * 8 // 5):(shift + len(secret)) * 8 // 5]
        found[f"base32 lower +{shift}"] = found[f"base32 +{shift}"].lower()
    return found


def found_in(data, secret=CANARY):
    return [name for name, bytes_ in spellings(secret).items() if bytes_ in data]


def found_under(root, secret=CANARY):
    """(file, spelling) of each hit, in names too."""
    hits = []
    for path in sorted(root.rglob("*")):
        hits += [(str(path), f"name, {name}") for name in found_in(path.name.encode(), secret)]
        if path.is_file() and not path.is_symlink():
            hits += [(str(path), name) for name in found_in(path.read_bytes(), secret)]
    return hits
