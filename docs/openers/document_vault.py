#!/usr/bin/env python3
"""Opens an exported document vault with its recovery code and writes every document into a new folder.
python3 document_vault.py VAULT NEW-FOLDER   (needs: pip install cryptography; see docs/formats/document-vault.md)"""
import base64, contextlib, getpass, hashlib, json, pathlib, re, sys, unicodedata
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

BLOB, MANIFEST = (50 << 20) + 28, 16 << 20  # most bytes of a sealed document, of a sealed manifest
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

def unseal(key, sealed):
    return AESGCM(key).decrypt(sealed[:12], sealed[12:], None)

def read(path, limit):
    if path.stat().st_size > limit:
        raise ValueError(f"{path.name}: larger than {limit} bytes")
    return path.read_bytes()

def part(vault, name, digest):
    """What `version` names; where a program was ended on its way it lies beside, as NAME.next."""
    for path in (vault / name, vault / (name.split(".")[0] + ".next")):
        if path.is_file() and (digest is None or hashlib.sha256(read(path, MANIFEST)).hexdigest() == digest):
            return read(path, MANIFEST)
    raise ValueError(f"{name}: missing, or not the one that version names")

def master_key(rows, code):
    for row in rows:
        if row.get("kind") == "recovery" and row.get("iterations") == 600_000:
            salt, sealed = base64.b64decode(row["salt"]), base64.b64decode(row["wrappedKey"])
            with contextlib.suppress(InvalidTag):
                return unseal(hashlib.pbkdf2_hmac("sha256", code, salt, 600_000), sealed)
    raise InvalidTag

def safe(name):
    """A name is any text: made into the name of one file, without separators, controls and marks of direction."""
    shown = "".join("_" if c in '/\\:' or unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in str(name))
    return unicodedata.normalize("NFC", shown).strip(". ")[:80] or "_"

def above(node, folders):
    """The names above a node, from the top. A missing parent ends at the root, and so does a circle."""
    names, seen, parent = [], set(), node.get("parent")
    while (key := str(parent).lower()) in folders and key not in seen:
        seen.add(key)
        names.insert(0, safe(folders[key].get("name")))
        parent = folders[key].get("parent")
    return names[-64:]

def open_vault(vault, out, code):
    """Folder, new folder, 24 characters -> documents written, what couldn't be. InvalidTag: the code opens nothing."""
    version = (vault / "version").read_text().split()
    rows = json.loads(part(vault, "wraps.json", version[2] if len(version) == 3 else None))
    manifest = json.loads(unseal(key := master_key(rows, code), part(vault, "manifest", version[1])))
    if not isinstance(manifest, dict) or manifest.get("version") != 1:
        raise ValueError("the manifest is of another version")
    nodes = [node for node in manifest["nodes"] if isinstance(node, dict)]
    folders = {str(node.get("id")).lower(): node for node in reversed(nodes) if node.get("kind") == "folder"}
    out.mkdir(mode=0o700)
    for node in folders.values():
        out.joinpath(*above(node, folders), safe(node.get("name"))).mkdir(parents=True, exist_ok=True)
    done, failed = 0, []
    for node in (node for node in nodes if node.get("kind") == "file"):
        try:
            blob = vault / "objects" / UUID.fullmatch(node["object"].lower()).group()
            data = unseal(base64.b64decode(node["key"]), read(blob, BLOB))
            name, count = out.joinpath(*above(node, folders), safe(node["name"])), 1
            file = name
            while file.exists():
                file = name.with_stem(f"{name.stem} ({(count := count + 1)})")
            file.write_bytes(data)
            done += 1
        except (InvalidTag, OSError, ValueError, KeyError, AttributeError, TypeError) as fault:
            failed.append(f"{node.get('name')!r}: {type(fault).__name__} {fault}")
    return done, failed

if __name__ == "__main__":
    typed = getpass.getpass("Recovery code: ") if sys.stdin.isatty() else sys.stdin.readline()
    code = re.sub("[^2-9A-HJ-NP-Z]", "", re.sub("[a-z]", lambda c: c[0].upper(), typed)).encode()
    done, failed = open_vault(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), code)
    sys.exit(print(f"{done} documents", *failed, sep="\n") or bool(failed))
