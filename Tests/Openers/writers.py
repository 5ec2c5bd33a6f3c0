"""Writers of the formats that Seif reads, in Python, sharing nothing with Seif: what they write, Seif must open.

Bodies are given as Python values; salts and nonces too, so that a test can repeat a file. A program that protects
anything must take them from `secrets.token_bytes`.
"""
import base64
import hashlib
import json

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def b64(data):
    return base64.b64encode(data).decode()


def canonical(body):
    """Compact, keys sorted by bytes, non-ASCII raw."""
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")


def pretty(value):
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def authbackup_v1(body, passphrase, salt, nonce, rounds=600_000):
    key = hashlib.pbkdf2_hmac("sha256", passphrase, salt, rounds, 32)
    sealed = AESGCM(key).encrypt(nonce, canonical(body), f"authbackup:1:{rounds}:".encode() + salt)
    return pretty({"format": "authbackup", "version": 1, "kdf": "PBKDF2-HMAC-SHA256", "rounds": rounds,
                   "salt": b64(salt), "cipher": "AES-256-GCM", "nonce": b64(nonce), "ciphertext": b64(sealed[:-16]),
                   "tag": b64(sealed[-16:])})


def authbackup_v1_android(body, passphrase, salt, nonce, rounds=600_000):
    key = hashlib.pbkdf2_hmac("sha256", passphrase, salt, rounds, 32)
    sealed = AESGCM(key).encrypt(nonce, canonical(body), None)
    return pretty({"format": "authbackup", "version": 1, "kdf": "pbkdf2-hmac-sha256", "rounds": rounds,
                   "salt": b64(salt), "cipher": "AES-256-GCM", "nonce": b64(nonce), "ciphertext": b64(sealed)})


def authbackup_v2(body, passphrase, salt, nonce, memory_kib=65536, passes=3, lanes=1):
    key = hash_secret_raw(passphrase, salt, passes, memory_kib, lanes, 32, Type.ID, 0x13)
    aad = f"authbackup:2:argon2id:{memory_kib}:{passes}:{lanes}:".encode() + salt
    sealed = AESGCM(key).encrypt(nonce, canonical(body), aad)
    return pretty({"format": "authbackup", "version": 2, "kdf": "Argon2id", "memoryKiB": memory_kib, "passes": passes,
                   "lanes": lanes, "salt": b64(salt), "cipher": "AES-256-GCM", "nonce": b64(nonce),
                   "ciphertext": b64(sealed[:-16]), "tag": b64(sealed[-16:])})


def vault2fa_v1(body, passphrase, salt, nonce, created, iterations=600_000):
    key = hashlib.pbkdf2_hmac("sha256", passphrase, salt, iterations, 32)
    sealed = AESGCM(key).encrypt(nonce, json.dumps(body, ensure_ascii=False).encode("utf-8"), None)
    return pretty({"format": "vault2fa-backup", "version": 1, "created": created,
                   "kdf": {"name": "pbkdf2-hmac-sha256", "iterations": iterations, "salt": b64(salt)},
                   "cipher": {"name": "aes-256-gcm", "nonce": b64(nonce)}, "ciphertext": b64(sealed)})


def twofac_entry(uri, label, passkey, salt, nonce):
    key = hashlib.pbkdf2_hmac("sha256", passkey, salt, 200, 32)
    blob = nonce + AESGCM(key).encrypt(nonce, uri.encode("utf-8"), None)
    return {"accountLabel": label, "salt": salt.hex(), "encryptedURI": blob.hex()}


def twofac(version, created, uris=(), entries=()):
    """Plain with `uris`, encrypted with `entries`. No newline at the end, as the app writes it."""
    top = {"schemaVersion": version, "createdAt": created}
    if version > 1:
        top["encrypted"] = bool(entries)
    top["accounts"] = [] if version == 3 else list(uris)
    if version == 3:
        top["plaintextAccounts"] = [{"uri": uri, "color": None} for uri in uris]
    if version > 1:
        top["encryptedAccounts"] = [{**e, "color": None} if version == 3 else e for e in entries]
    return json.dumps(top, ensure_ascii=False, indent=4).encode("utf-8")


def percent(text, keep=PLAIN):
    return "".join(c if c in keep else "".join(f"%{b:02X}" for b in c.encode("utf-8")) for c in text)


def key_uri(account):
    """The Key URI of an account of the .authbackup body."""
    kind, issuer, name = account["type"], account["issuer"], account["account"]
    label = f"{percent(issuer)}:{percent(name)}" if issuer else percent(name)
    uri = f"otpauth://{kind}/{label}?secret={account['secret']}"
    uri += f"&issuer={percent(issuer)}" if issuer else ""
    if kind == "steam":
        return uri
    last = f"&counter={account['counter']}" if kind == "hotp" else f"&period={account['period']}"
    return uri + f"&algorithm={account['algorithm']}&digits={account['digits']}{last}"


def twofac_uri(account):
    """The same as TwoFac writes it: nine characters escaped, defaults left out."""
    escapes = dict(zip(" :/?&=+#@", ("%20", "%3A", "%2F", "%3F", "%26", "%3D", "%2B", "%23", "%40")))
    escape = lambda text: "".join(escapes.get(c, c) for c in text)
    label = escape(account["issuer"] + ":" + account["account"])
    uri = f"otpauth://{account['type']}/{label}?secret={account['secret']}"
    uri += f"&issuer={escape(account['issuer'])}"
    uri += f"&algorithm={account['algorithm']}" if account["algorithm"] != "SHA1" else ""
    uri += f"&digits={account['digits']}" if account["digits"] != 6 else ""
    if account["type"] == "hotp":
        return uri + f"&counter={account['counter']}"
    return uri + (f"&period={account['period']}" if account["period"] != 30 else "")
