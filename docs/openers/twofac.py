#!/usr/bin/env python3
"""Prints the otpauth URIs of a TwoFac backup (plain or encrypted): python3 twofac.py FILE. docs/formats/twofac.md"""
import getpass, hashlib, itertools, json, re, sys
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

def need(good, what):
    if not good:
        raise ValueError(what)

def parse(raw):
    """JSON, strictly: UTF-8 without a byte order mark, at most 32 levels, no key twice in one object."""
    need(len(raw) <= 16 << 20, "larger than 16 MiB")
    text = raw.decode("utf-8")
    brackets = re.sub(r'"(?:[^"\\]|\\.)*"|[^][{}"]+', "", text)  # what stands in strings doesn't nest
    need(max(itertools.accumulate(1 if c in "[{" else -1 for c in brackets), default=0) <= 32, "nested too deeply")
    unique = lambda rows: need(len(dict(rows)) == len(rows), "a key stands twice in one object") or dict(rows)
    value = json.loads(text, object_pairs_hook=unique, parse_constant=lambda c: need(False, "NaN or Infinity"))
    return json.dumps(value, ensure_ascii=False).encode("utf-8") and value  # fails on half of a surrogate pair

def field(row, key, kind, *default):
    need(isinstance(row, dict) and type(row.get(key, *default)) is kind, f"{key}: missing, or of the wrong type")
    return row.get(key, *default)

def entries(top):
    """-> (encrypted?, the list that this version and mode use). The other two lists must be empty."""
    need(field(top, "createdAt", int).bit_length() < 64, "createdAt: more than 64 bits")
    default = [] if {"encrypted", "plaintextAccounts", "encryptedAccounts"} & set(top) else [1]  # of the first releases
    version, sealed = field(top, "schemaVersion", int, *default), field(top, "encrypted", bool, False)
    need(1 + sealed <= version <= 3, "a version that isn't known")
    used = "encryptedAccounts" if sealed else "plaintextAccounts" if version == 3 else "accounts"
    keys = ("accountLabel", "salt", "encryptedURI") if sealed else ("uri",)
    others = {"accounts", "plaintextAccounts", "encryptedAccounts"} - {used}
    need(not any(field(top, key, list, []) for key in others), "entries in a list that must be empty")
    need(sealed <= len(field(top, used, list)) <= 10_000, used + ": empty, or more than 10000 entries")
    rows = [{"uri": row} if used == "accounts" else row for row in top[used]]
    return sealed, [[field(row, key, str) for key in keys] for row in rows]

def open_backup(raw, passkey):
    """File and passkey as bytes -> the URIs, a line each. An entry that can't be had is named on standard error."""
    (sealed, rows), uris = entries(parse(raw)), []
    for number, (*rest, uri) in enumerate(rows):
        try:
            if sealed:  # 16 bytes of salt; nonce of 12, ciphertext and tag of 16; in hex
                parts = re.fullmatch("([0-9a-f]{32}) ([0-9a-f]{24})((?:[0-9a-f]{2}){17,})", f"{rest[1]} {uri}".lower())
                salt, nonce, text = map(bytes.fromhex, parts.groups() if parts else need(False, "not hex"))
                key = hashlib.pbkdf2_hmac("sha256", passkey, salt, 200, 32)
                uri = AESGCM(key).decrypt(nonce, text, None).decode("utf-8")
            need(uri.startswith("otpauth://") and len(uri.encode("utf-8")) <= 65536, "no Key URI")
            uris.append(re.sub(r"[\0-\x1f\x7f]", lambda c: f"%{ord(c[0]):02X}", uri) + "\n")  # a line each
        except (InvalidTag, ValueError):
            print(f"entry {number}: wrong passkey, or damaged, or no otpauth URI", file=sys.stderr)
    need(uris or not rows, "no entry could be opened: wrong passkey, or damaged")
    return "".join(uris).encode("utf-8")

if __name__ == "__main__":
    raw, ask = open(sys.argv[1], "rb").read(), sys.stdin.buffer.readline
    ask = ask if not sys.stdin.isatty() else lambda: getpass.getpass("Passkey: ").encode()
    sys.stdout.buffer.write(open_backup(raw, re.sub(rb"\r?\n\Z", b"", ask()) if entries(parse(raw))[0] else b""))
