#!/usr/bin/env python3
"""Opens a .authbackup file, version 2, or a page that holds one, and prints its JSON. Takes up to 1 GiB of memory.
python3 authbackup_v2.py FILE   (needs: pip install cryptography argon2-cffi; see docs/formats/authbackup-v2.md)"""
import base64, contextlib, getpass, itertools, json, re, sys, unicodedata
from argon2.low_level import Type, hash_secret_raw
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
    return need(type(top.get(key)) is kind, f"{key}: missing, or of the wrong type") or top[key]  # True isn't an int

def binary(top, key, length=None):
    data = base64.b64decode(text := field(top, key, str))
    need(base64.b64encode(data).decode() == text, f"{key}: not base64 as it should be")
    need(length is None or len(data) == length, f"{key}: {len(data)} bytes, not {length}")
    return data

def open_backup(raw, passphrase):
    """File and passphrase as bytes -> the body's bytes. InvalidTag: wrong passphrase or altered; ValueError: else."""
    need(len(raw) <= 64 << 20, "larger than 64 MiB")
    need(isinstance(top := parse(raw), dict) and top.get("format") == "authbackup", "not a .authbackup file")
    need(field(top, "version", int) == 2 and field(top, "cipher", str) == "AES-256-GCM", "another version or cipher")
    kdf, m, t, p = field(top, "kdf", str), *(field(top, k, int) for k in ("memoryKiB", "passes", "lanes"))
    need(kdf.isascii() and kdf.lower() == "argon2id", "kdf: not known")
    need(1 <= p <= 16 and 1 <= t <= 64 and 8 * p <= m <= 1 << 20 and m * t <= 1 << 22, "cost out of range")
    salt, nonce = binary(top, "salt", 16), binary(top, "nonce", 12)
    sealed = binary(top, "ciphertext") + binary(top, "tag", 16)
    key = hash_secret_raw(passphrase, salt, t, m, p, 32, Type.ID, 0x13)
    body = AESGCM(key).decrypt(nonce, sealed, f"authbackup:2:argon2id:{m}:{t}:{p}:".encode() + salt)
    need(isinstance(vault := parse(body), dict) and field(vault, "version", int) in (1, 2), "the body is no vault")
    need(all(type(vault.get(k, [])) is list for k in ("passwords", "cards")), "passwords or cards: no list")
    return field(vault, "accounts", list) is None or body

if __name__ == "__main__":
    ask = (lambda: getpass.getpass("Passphrase: ").encode()) if sys.stdin.isatty() else sys.stdin.buffer.readline
    raw, typed = open(sys.argv[1], "rb").read(), re.sub(r"\r?\n\Z", "", ask().decode("utf-8", "surrogateescape"))
    if raw[:14].lower() == b"<!doctype html":  # a page; what it holds must be what every other reader finds in it
        page = re.match(rb'(?s)(.*?)<script type="application/json" id="seif-backup">([^<]*)</script>', raw)
        need(page and raw.lower().count(b'id="seif-backup"') == 1, "a page that doesn't hold one backup")
        raw = need(page[1].rfind(b"<!--") <= page[1].rfind(b"-->"), "a backup in a comment") or page[2]
    for text in dict.fromkeys([typed] + [unicodedata.normalize(f, typed) for f in ("NFC", "NFD")]):  # as é
        with contextlib.suppress(InvalidTag):
            sys.stdout.buffer.write(open_backup(raw, text.encode("utf-8", "surrogateescape")))
            sys.exit()
    sys.exit("wrong passphrase, or the file was damaged or altered")
