#!/usr/bin/env python3
"""Opens a Vault2FA backup, version 1, and prints the JSON inside. The accounts are Key URIs in the JSON's `accounts`.
python3 vault2fa_v1.py FILE   (needs: pip install cryptography; see docs/formats/vault2fa-v1.md)"""
import base64, contextlib, getpass, hashlib, itertools, json, re, sys, unicodedata
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

def need(good, what):
    if not good:
        raise ValueError(what)

def parse(raw):
    """JSON, strictly: UTF-8 without a byte order mark, at most 32 levels, no key twice in one object."""
    text = raw.decode("utf-8")
    brackets = re.sub(r'"(?:[^"\\]|\\.)*"|[^][{}"]+', "", text)  # what stands in strings doesn't nest
    need(max(itertools.accumulate(1 if c in "[{" else -1 for c in brackets), default=0) <= 32, "nested too deeply")
    unique = lambda rows: need(len(dict(rows)) == len(rows), "a key stands twice in one object") or dict(rows)
    value = json.loads(text, object_pairs_hook=unique, parse_constant=lambda c: need(False, "NaN or Infinity"))
    json.dumps(value, ensure_ascii=False).encode("utf-8")  # fails on half of a surrogate pair
    return value

def field(top, key, kind):
    need(type(top.get(key)) is kind, f"{key}: missing, or of the wrong type")  # by isinstance True is an int
    return top[key]

def binary(top, key, length=None):
    data = base64.b64decode(text := field(top, key, str))
    need(base64.b64encode(data).decode() == text, f"{key}: not base64 as it should be")
    need(length is None or len(data) == length, f"{key}: {len(data)} bytes, not {length}")
    return data

def open_backup(raw, passphrase):
    """File and passphrase as bytes -> the body's bytes. InvalidTag: wrong passphrase or altered; ValueError: else."""
    need(len(raw) <= 64 << 20, "larger than 64 MiB")
    top = parse(raw)
    need(isinstance(top, dict) and top.get("format") == "vault2fa-backup", "not a Vault2FA backup")
    need(field(top, "version", int) == 1, "not version 1")
    kdf, cipher = field(top, "kdf", dict), field(top, "cipher", dict)
    need(field(kdf, "name", str) == "pbkdf2-hmac-sha256", "kdf.name: not known")
    need(field(cipher, "name", str) == "aes-256-gcm", "cipher.name: not known")
    rounds, salt = field(kdf, "iterations", int), binary(kdf, "salt", 16)
    need(1 <= rounds <= 10_000_000, "kdf.iterations: out of range")
    nonce, sealed = binary(cipher, "nonce", 12), binary(top, "ciphertext")
    need(len(sealed) >= 16, "ciphertext: shorter than its tag")
    key = hashlib.pbkdf2_hmac("sha256", passphrase, salt, rounds, 32)
    body = AESGCM(key).decrypt(nonce, sealed, None)
    vault = parse(body)
    need(isinstance(vault, dict) and isinstance(vault.get("accounts"), list), "the body is no vault")
    return body

if __name__ == "__main__":
    ask = (lambda: getpass.getpass("Passphrase: ").encode()) if sys.stdin.isatty() else sys.stdin.buffer.readline
    raw, typed = open(sys.argv[1], "rb").read(), re.sub(r"\r?\n\Z", "", ask().decode("utf-8", "surrogateescape"))
    for text in dict.fromkeys([typed] + [unicodedata.normalize(f, typed) for f in ("NFC", "NFD")]):  # as é
        with contextlib.suppress(InvalidTag):
            sys.stdout.buffer.write(open_backup(raw, text.encode("utf-8", "surrogateescape")))
            sys.exit()
    sys.exit("wrong passphrase, or the file was damaged or altered")
